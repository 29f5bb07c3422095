"""Guards: detect changes of everything that a traced function depends on, apart from its arguments.

A function depends on its closure, globals, defaults, and the objects that these refer to: lists, dicts, attributes,
functions that it calls. All of them are visited once, before tracing. At each call one generated expression compares
the places that were found, most of them by identity.

An iterator or a clock among them is refused, because a plan would repeat what it gave during tracing; random generators
are listed for :mod:`~autodiff_kit.compile.trace.hidden_state`. Not guarded is what a function reads in other ways, such
as files or attributes looked up by a computed name; nor the inside of this package, the standard library and installed
packages.
"""

from __future__ import annotations

import builtins
import collections
import contextvars
import datetime as dt
import dis
import functools
import importlib.util
import io
import os
import sys
import time
import types
import weakref
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np

from autodiff_kit.compile.trace.hidden_state import RANDOM_GENERATORS
from autodiff_kit.compile.trace.input_sources import OptimizerSlotSource
from autodiff_kit.core.source_location import is_library_module
from autodiff_kit.core.tensor import Tensor
from autodiff_kit.core.variable import Variable
from autodiff_kit.errors import ConcretizationError, StructureError
from autodiff_kit.optim.optimizer import Optimizer

__all__ = ["TraceGuard"]

MAX_GUARDED_OBJECTS = 20_000
"""Largest number of objects that a guard compares; functions with more must take their data as arguments."""

_COMPARED_TYPES = (type(None), bool, int, float, complex, str, bytes, np.dtype, np.generic, range, slice, tuple)
"""Immutable types whose values are compared."""
_IMMUTABLE_TYPES = (*_COMPARED_TYPES[:-1], types.ModuleType)
_CONSTRUCTORS = ("__init__", "__new__", "__post_init__")
_INDIRECT_ACCESS = frozenset([
    "__class__", "__dict__", "__getattribute__", "asdict", "astuple", "attrgetter", "copy", "deepcopy", "fields",
    "getattr", "hasattr", "methodcaller", "replace", "type", "vars",
])  # fmt: skip
"""Names in code that may read attributes without naming them."""
_CLOCKS = frozenset(
    f"{clock}{unit}" for clock in ("time", "perf_counter", "monotonic", "process_time") for unit in ("", "_ns")
)
_NOW = frozenset(["now", "today", "utcnow"])
_OPTIMIZER_STATE = frozenset({"_state", "_last", "_pending"})
"""Attributes of optimizers that the trace itself reads and writes."""


class TraceGuard:
    """A snapshot of everything that a function depends on.

    Attributes
    ----------
    optimizers : list
        Optimizers that the function uses; their learning rate may change from call to call.
    generators : list
        Random generators that it may draw from.
    """

    def __init__(self, roots: list[Any]) -> None:
        self._env: dict[str, Any] = {"same_value": _is_same_value, "missing": _MISSING, "bytes_of": _memory}
        self._names: dict[int, str] = {}
        self._visited: set[int] = set()
        self._checks: list[str] = []
        self._cells: dict[str, types.CellType] = {}
        self.optimizers: list[Optimizer] = []
        self.generators: list[Any] = []
        self._attribute_names: set[str] = set()  # that the user's code may read
        self._visited_classes: set[type] = set()
        # Place, name and value of attributes that no code names so far.
        self._pending_attributes: list[tuple[str, str, Any]] = []
        todo = list(roots)
        while todo:
            todo.extend(self._visit(todo.pop()))
            todo = todo or self._visit_pending_attributes()

    def compile_checks(self, equal_slots: list[list[OptimizerSlotSource]]) -> None:
        """Compile all checks, and that the slots of each group are equal.

        They become one function, in which the guarded closure cells are free variables.
        """
        for slots in equal_slots:
            places = (f"{self._name(s.optimizer)}._state[{id(s.variable)}][1][{s.name!r}]" for s in slots)
            self._checks.append(" == ".join(places))
        condition = " and ".join(dict.fromkeys(self._checks)) or "True"
        space: dict[str, Any] = {}
        exec(f"def outer({', '.join(self._cells)}):\n    def holds(): return {condition}\n    return holds\n", space)
        code = space["outer"](*self._cells).__code__
        cells = tuple(self._cells[free] for free in code.co_freevars)
        self._holds: Callable[[], bool] = types.FunctionType(code, self._env, "holds", closure=cells)

    def holds(self) -> bool:
        """Whether nothing has changed."""
        try:
            return self._holds()
        except (KeyError, NameError):  # something was deleted
            return False

    def _name(self, obj: Any) -> str:
        name = self._names.get(id(obj))
        if name is None:
            name = self._names[id(obj)] = f"guarded{len(self._names)}"
            self._env[name] = obj  # kept alive, so that no other object gets its id
        return name

    def _same(self, place: str, obj: Any) -> Any:
        """Add a check that a place still holds this object, or an equal immutable value; returns the object."""
        name = self._name(obj)
        equal = isinstance(obj, _COMPARED_TYPES) and (type(obj) in _COMPARED_TYPES or not isinstance(obj, (int, str)))
        self._checks.append(f"({place} is {name} or same_value({place}, {name}))" if equal else f"{place} is {name}")
        return obj

    def _visit(self, obj: Any) -> Iterable[Any]:
        """Add checks for an object; returns the objects to visit next."""
        if id(obj) in self._visited or isinstance(obj, (*_IMMUTABLE_TYPES, Tensor)) or _needs_no_guard(obj):
            return []
        self._visited.add(id(obj))
        if len(self._visited) > MAX_GUARDED_OBJECTS:
            raise StructureError(
                f"this function refers to more than {MAX_GUARDED_OBJECTS} objects (list items, attributes, globals), "
                "too many to compare at each call. Pass data as arrays, and refer only to the objects that it needs."
            )
        self._name(obj)
        if isinstance(obj, RANDOM_GENERATORS):
            self.generators.append(obj)
            return []
        if isinstance(obj, Iterator) and not isinstance(obj, io.IOBase):
            raise ConcretizationError(
                f"this function refers to an iterator (a {type(obj).__name__}), and a compiled call would use the same "
                "items each time. Take the next item outside and pass it as an argument, or refer to a list."
            )
        if type(obj).__module__ == "autodiff_kit.compile.api":
            return [obj.function]
        for cls, visit in _VISITORS:
            if isinstance(obj, cls):
                own = isinstance(obj, _CONTAINERS) and _own_bases(type(obj))  # may have attributes, too
                return [*visit(self, obj), *self._visit_object(obj)] if own else visit(self, obj)
        if (memory := _memory(obj)) is not None:
            self._checks.append(f"bytes_of({self._name(obj)}) == {self._name(memory)}")
            return []
        return self._visit_object(obj)

    def _visit_pending_attributes(self) -> list[Any]:
        """Add checks for attributes that were found before the code that names them."""
        everything = not self._attribute_names.isdisjoint(_INDIRECT_ACCESS)
        pending, self._pending_attributes = self._pending_attributes, []
        found = []
        for place, key, value in pending:
            if everything or key in self._attribute_names:
                found.append(self._same(place, value))
            else:
                self._pending_attributes.append((place, key, value))
        return found

    def _visit_function(self, f: Any) -> Iterator[Any]:
        name, own = self._name(f), not is_library_module(f.__module__)
        if own:
            self._same(f"{name}.__code__", f.__code__)
        for part in ("__defaults__", "__kwdefaults__"):
            if getattr(f, part) is not None:
                yield self._same(f"{name}.{part}", getattr(f, part))
        for key, cell in zip(f.__code__.co_freevars, f.__closure__ or (), strict=True):
            try:
                inside = cell.cell_contents
            except ValueError:  # an empty cell
                continue
            _refuse_clock(key, inside, _names_in(f.__code__))
            self._cells[f"cell_{self._name(cell)}"] = cell
            yield self._same(f"cell_{self._name(cell)}", inside)
        if not own:  # such as the result of ak.grad: only its closure belongs to the user
            return
        names = _names_in(f.__code__)
        self._attribute_names |= names.read
        space = self._name(f.__globals__)
        for key in names.globals:
            if key in f.__globals__:
                value = f.__globals__[key]
                _refuse_clock(key, value, names)
                yield self._same(f"{space}[{key!r}]", value)
                yield from self._visit_module(value, names)
            elif hasattr(builtins, key):
                self._checks.append(f"{key!r} not in {space}")
        for module in _imported_in(f.__code__, f.__globals__.get("__package__")):
            yield from self._visit_module(module, names)
        if vars(f):
            yield vars(f)

    def _visit_module(self, module: Any, names: _Names, around: tuple[Any, ...] = ()) -> Iterator[Any]:
        """Visit what code reads of a module, and of the modules in it; of the standard library, the environment."""
        if module is os and names.attributes & {"environ", "getenv"}:
            space = self._name(vars(os.environ)["_data"])
            self._checks.append(f"{space} == {self._name(dict(vars(os.environ)['_data']))}")
        if not isinstance(module, types.ModuleType) or is_library_module(module.__name__) or module in around:
            return
        inside, place = vars(module), self._name(vars(module))
        for key in names.attributes & inside.keys():
            yield self._same(f"{place}[{key!r}]", inside[key])
            yield from self._visit_module(inside[key], names, (*around, module))

    def _visit_variable(self, variable: Any) -> list[Any]:
        name = self._name(variable)
        self._same(f"{name}.trainable", variable.trainable)
        return [self._same(f"{name}.constraint", variable.constraint)]

    def _visit_array(self, array: Any) -> list[Any]:
        if _is_writable(array):
            name = self._name(array)
            self._checks.append(f"{name}.tobytes() == {self._name(array.tobytes())}")
            self._same(f"{name}.shape", array.shape)
        return list(array.flat) if array.dtype.hasobject else []

    def _visit_sequence(self, items: Any) -> list[Any]:
        name = self._name(items)
        if not isinstance(items, tuple):
            self._checks.append(f"len({name}) == {len(items)}")
            for k, item in enumerate(items):
                self._same(f"{name}[{k}]", item)
        return list(items)

    def _visit_set(self, items: Any) -> list[Any]:
        self._checks.append(f"{self._name(items)} == {self._name(frozenset(items))}")
        return list(items)

    def _visit_dict(self, items: Any) -> list[Any]:
        name = self._name(items)
        self._checks.append(f"(*{name},) == {self._name(tuple(items))}")  # in their order, which a loop goes through
        return [*items, *(self._same(f"{name}[{self._name(key)}]", item) for key, item in items.items())]

    def _visit_class(self, cls: Any) -> list[Any]:
        """Visit a class that code refers to, so that it may make objects of it."""
        constructors = [vars(base)[key] for base in _own_bases(cls) for key in _CONSTRUCTORS if key in vars(base)]
        return [*self._visit_class_members(cls), *constructors]

    def _visit_class_members(self, cls: Any) -> Iterator[Any]:
        """Visit the methods and class attributes of a class; its constructors only where code names them."""
        if cls in self._visited_classes:
            return
        self._visited_classes.add(cls)
        for base in _own_bases(cls):
            for key, value in vars(base).items():
                place = f"{self._name(base)}.__dict__[{key!r}]"
                inner = getattr(value, "__func__", None) or getattr(value, "fget", None) or value
                if key in _CONSTRUCTORS:
                    self._pending_attributes.append((place, key, value))
                elif not key.startswith("__"):
                    self._same(place, value)
                    yield inner
                elif callable(inner):
                    yield inner

    def _visit_object(self, obj: Any) -> Iterator[Any]:
        """Visit the attributes and the class of any other object."""
        cls = type(obj)
        yield from self._visit_class_members(cls)
        free = frozenset[str]()  # attributes that may change
        if isinstance(obj, Optimizer):
            self.optimizers.append(obj)
            free = _OPTIMIZER_STATE | {"learning_rate"}
        space = getattr(obj, "__dict__", None)
        if isinstance(space, dict):
            name = self._name(space)
            if not free:
                self._checks.append(f"len({name}) == {len(space)}")
            places = [(f"{name}[{key!r}]", key, value) for key, value in space.items() if key not in free]
            if len(_own_bases(cls)) == len(cls.__mro__) - 1:  # all but object are the user's
                self._pending_attributes += places
            else:
                yield from [self._same(place, value) for place, _, value in places]
        for base in _own_bases(cls):
            slots = base.__dict__.get("__slots__", ())
            for key in (slots,) if isinstance(slots, str) else slots:
                if key not in ("__weakref__", "__dict__"):
                    yield self._same(f"getattr({self._name(obj)}, {key!r}, missing)", getattr(obj, key, _MISSING))


_MISSING: Any = object()
_EMPTY: dict[Any, Any] = {}
_VIEWS = (type(_EMPTY.keys()), type(_EMPTY.values()), type(_EMPTY.items()))

_VISITORS: list[tuple[Any, Callable[[TraceGuard, Any], Iterable[Any]]]] = [
    (types.FunctionType, TraceGuard._visit_function),
    (types.MethodType, lambda _, method: [method.__self__, method.__func__]),
    (functools.partial, lambda _, partial: [partial.func, partial.args, partial.keywords]),
    (Variable, TraceGuard._visit_variable),
    (np.ndarray, TraceGuard._visit_array),
    ((list, tuple, collections.deque), TraceGuard._visit_sequence),
    ((set, frozenset), TraceGuard._visit_set),
    ((dict, types.MappingProxyType), TraceGuard._visit_dict),
    (_VIEWS, lambda _, view: [view.mapping]),
    (
        contextvars.ContextVar,
        lambda guard, held: [guard._same(f"{guard._name(held)}.get(missing)", held.get(_MISSING))],
    ),
    (weakref.ReferenceType, lambda guard, held: [guard._same(f"{guard._name(held)}()", held())]),
    (type, TraceGuard._visit_class),
]

_CONTAINERS = (list, tuple, dict, set, frozenset, collections.deque, np.ndarray)


def _memory(obj: Any) -> bytes | None:
    """The bytes of an object that offers its memory, such as ``array.array``; None of any other."""
    try:
        return memoryview(obj).tobytes()
    except (TypeError, ValueError):  # it offers none, or no longer
        return None


def _is_same_value(now: Any, then: Any) -> bool:
    """Whether a value is the same object, or an immutable one that gives the same results in a computation."""
    if now is then:
        return True
    if type(now) is not type(then) or not isinstance(then, _COMPARED_TYPES):
        return False
    if isinstance(then, (float, complex, np.generic)):
        return repr(now) == repr(then)
    if isinstance(then, tuple):
        return len(now) == len(then) and all(map(_is_same_value, now, then))
    return bool(now == then)


class _Names(NamedTuple):
    """The names in the code of a function and of the functions inside it.

    Globals that it looks up; names after a dot; and all names of attributes that it may read.
    """

    globals: tuple[str, ...]
    attributes: frozenset[str]
    read: frozenset[str]


@functools.cache
def _names_in(code: types.CodeType) -> _Names:
    steps = [step for part in _nested_code(code) for step in dis.get_instructions(part)]
    found = [i.argval for i in steps if i.opname in ("LOAD_GLOBAL", "LOAD_NAME")]
    attributes = {i.argval for i in steps if i.opname in ("LOAD_ATTR", "LOAD_METHOD", "IMPORT_FROM")}
    read = {i.argval for i in steps if i.opcode in dis.hasname and i.opname != "STORE_ATTR"}
    if any(i.opname == "MATCH_CLASS" for i in steps):
        read.add("vars")
    return _Names(tuple(dict.fromkeys(found)), frozenset(attributes), frozenset(read))


def _imported_in(code: types.CodeType, package: str | None) -> list[Any]:
    """The user's modules that a function, or a function inside it, imports."""
    found = list[Any]()
    for part in _nested_code(code):
        steps = list(dis.get_instructions(part))
        for level, _, step in zip(steps, steps[1:], steps[2:], strict=False):
            if step.opname == "IMPORT_NAME":
                name = importlib.util.resolve_name("." * (level.argval or 0) + (step.argval or ""), package)
                found += [sys.modules[n] for n in _with_packages(name) if n in sys.modules or _loads(n)]
    return found


def _with_packages(name: str) -> list[str]:
    """``a``, ``a.b`` and ``a.b.c`` of ``a.b.c``."""
    parts = name.split(".")
    return [".".join(parts[: k + 1]) for k in range(len(parts))]


def _loads(name: str) -> bool:
    """Import a module of the user's, as the function is about to, so that it can be looked at; whether it is there."""
    if is_library_module(name):
        return False
    try:
        place = getattr(importlib.util.find_spec(name), "origin", None)
        if not place or "site-packages" in place or "dist-packages" in place:
            return False
        importlib.import_module(name)
    except Exception:  # noqa: BLE001 - the function's own import raises it, if it comes to that
        return False
    return True


def _nested_code(code: types.CodeType) -> list[types.CodeType]:
    """The code of a function and of the functions inside it."""
    inside = [part for part in code.co_consts if isinstance(part, types.CodeType)]
    return [code, *(inner for part in inside for inner in _nested_code(part))]


def _own_bases(cls: Any) -> list[Any]:
    """The classes of the user's among a class and its bases."""
    return [base for base in cls.__mro__ if not is_library_module(base.__module__)]


_INTERNAL_PACKAGES = tuple(f"autodiff_kit.{part}" for part in ("core", "ops", "kernels", "nn", "errors"))


def _refuse_clock(name: str, value: Any, names: _Names) -> None:
    """Raise an error for a function that reads the time: every compiled call would get the time of tracing."""
    dates = any(value is source for source in (dt, dt.datetime, dt.date))
    readers = _CLOCKS if value is time else _NOW if dates else frozenset()
    found = next((f"{name}.{key}" for key in names.attributes & readers), None)
    if getattr(value, "__module__", None) == "time" and value.__name__ in _CLOCKS:
        found = name
    if found is not None:
        raise ConcretizationError(
            f"this function reads the clock ({found}), and a compiled call would use the time of its first call. Read "
            "it outside, and pass the number as an argument if the result depends on it."
        )


def _needs_no_guard(obj: Any) -> bool:
    """Whether an object cannot refer to the user's code or data."""
    if isinstance(obj, type):
        return is_library_module(obj.__module__)
    if isinstance(obj, types.FunctionType):
        module = str(obj.__module__)
        return module.startswith(_INTERNAL_PACKAGES) or (
            is_library_module(module) and not module.startswith("autodiff_kit")
        )
    # numba takes a function's globals as constants when it compiles it.
    if isinstance(obj, (types.BuiltinFunctionType, np.ufunc)) or type(obj).__module__.startswith("numba."):
        return True
    return type(obj).__module__.startswith(_INTERNAL_PACKAGES) and not isinstance(obj, Variable)


def _is_writable(array: Any) -> bool:
    """Whether the memory of an array can be written to through it or any of its bases."""
    while isinstance(array, np.ndarray):
        if array.flags.writeable:
            return True
        array = array.base
    return array is not None and not isinstance(array, bytes)
