"""What a recording relied on besides the arguments, and whether it is still so.

A function sees the world through its closure, the globals that it names, its defaults, and what hangs on these: lists,
dicts, attributes of objects, functions that it calls. All of it is looked through once; at each call the few dozen
places are compared, most of them by identity, in one line of Python.

Not seen, and so not guarded: what a function asks of the world while it runs, such as random numbers, files, the time,
or attributes that are looked up by a computed name; and the inside of the kit, of the standard library and of installed
packages.
"""

from __future__ import annotations

import builtins
import dis
import functools
import sys
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from autodiff_kit.core.tensor import Tensor, Variable
from autodiff_kit.errors import StructureError
from autodiff_kit.optim.optimizer import Optimizer

__all__ = ["Guard"]

LIMIT = 20_000
"""Places to look at; a function that sees more gives its data as arguments."""

_PLAIN = (type(None), bool, int, float, complex, str, bytes, types.ModuleType, np.dtype, np.generic, range, slice)
_MAKERS = ("__init__", "__new__", "__post_init__")
_BY_OTHER_WAYS = frozenset([
    "__class__", "__dict__", "__getattribute__", "asdict", "astuple", "attrgetter", "copy", "deepcopy", "fields",
    "getattr", "hasattr", "replace", "type", "vars",
])  # fmt: skip
"""Names with which code gets at attributes that it does not name."""
_STATE = frozenset({"_state", "_last", "_pending"})  # of an optimizer: read and written by the recording itself


class Guard:
    """A snapshot of all that a function sees.

    Attributes
    ----------
    optimizers : list
        Those that the function sees; their learning rate may differ from call to call.
    text, env, cells : str, dict, dict
        Whether everything is as it was, as an expression which may also raise KeyError or NameError, and the names in
        it: globals, and cells of closures that stand as its free variables.
    """

    def __init__(self, roots: list[Any]) -> None:
        self.env: dict[str, Any] = {"same": _same, "gone": _GONE}
        self._names: dict[int, str] = {}
        self._met: set[int] = set()
        self._checks: list[str] = []
        self.cells: dict[str, types.CellType] = {}
        self.optimizers: list[Optimizer] = []
        self._words: set[str] = set()  # that the user's code looks up
        self._kinds: set[type] = set()
        self._attributes: list[tuple[str, str, Any]] = []  # place, name and value of those that it has not
        todo = list(roots)
        while todo:
            todo.extend(self._look(todo.pop()))
            todo = todo or self._named()
        self.text = " and ".join(dict.fromkeys(self._checks)) or "True"
        self._holds: Callable[[], bool] = self.closed(f"def holds(): return {self.text}", "holds", self.env)

    def holds(self) -> bool:
        """Whether everything is as it was."""
        try:
            return self._holds()
        except (KeyError, NameError):  # something is no longer there
            return False

    def closed(self, text: str, name: str, env: dict[str, Any]) -> Any:
        """The function of a text; cells are free variables in it, which are read in no time."""
        lines = "".join(f"    {line}\n" for line in text.splitlines())
        space: dict[str, Any] = {}
        exec(f"def outer({', '.join(self.cells)}):\n{lines}    return {name}\n", space)
        code = space["outer"](*self.cells).__code__
        return types.FunctionType(code, env, name, closure=tuple(self.cells[free] for free in code.co_freevars))

    def _name(self, thing: Any) -> str:
        name = self._names.get(id(thing))
        if name is None:
            name = self._names[id(thing)] = f"g{len(self._names)}"
            self.env[name] = thing  # held, so that no other thing can take its id
        return name

    def _is(self, where: str, thing: Any) -> None:
        """Demand that a place still holds this thing; equal numbers and texts are the same thing."""
        kind = type(thing)
        if (
            kind in (int, str, bool, type(None))
            or isinstance(thing, (float, complex, bytes, np.generic, tuple, range, slice))
            or kind is np.dtype
        ):
            self._checks.append(f"({where} is {self._name(thing)} or same({where}, {self._name(thing)}))")
        else:
            self._checks.append(f"{where} is {self._name(thing)}")

    def _look(self, thing: Any) -> list[Any]:
        """Demand what follows from having met a thing, and name what else is to be looked at."""
        if id(thing) in self._met or isinstance(thing, (*_PLAIN, Tensor)) or _ours(thing):
            return []
        self._met.add(id(thing))
        if len(self._met) > LIMIT:
            raise StructureError(
                f"this function sees more than {LIMIT} things: lists, attributes, globals. Give it data as arrays, and "
                "what it does not need not at all."
            )
        self._name(thing)
        if type(thing).__module__ == "autodiff_kit.compile.api":
            return [thing.function]
        for kind, look in _LOOKS:
            if isinstance(thing, kind):
                return look(self, thing)
        return self._look_object(thing)

    def _named(self) -> list[Any]:
        """Attributes that code names which was met after them."""
        everything = not self._words.isdisjoint(_BY_OTHER_WAYS)
        found = [a for a in self._attributes if everything or a[1] in self._words]
        self._attributes = [a for a in self._attributes if not (everything or a[1] in self._words)]
        for where, _, value in found:
            self._is(where, value)
        return [value for _, _, value in found]

    def _look_function(self, f: Any) -> list[Any]:
        found: list[Any] = []
        if not _foreign(f.__module__):
            self._is(f"{self._name(f)}.__code__", f.__code__)
        for part in ("__defaults__", "__kwdefaults__"):
            value = getattr(f, part)
            if value is not None:
                self._is(f"{self._name(f)}.{part}", value)
                found.append(value)
        for cell in f.__closure__ or ():
            try:
                inside = cell.cell_contents
            except ValueError:  # not filled yet
                continue
            name = f"cell_{self._name(cell)}"
            self.cells[name] = cell
            self._is(name, inside)
            found.append(inside)
        if _foreign(f.__module__):  # such as what ak.grad returns: only what it was given is the user's
            return found
        self._words.update(_words_of(f.__code__))
        space = self._name(f.__globals__)
        for key in _names_of(f.__code__):
            if key in f.__globals__:
                value = f.__globals__[key]
                self._is(f"{space}[{key!r}]", value)
                found.append(value)
                if isinstance(value, types.ModuleType) and not _foreign(value.__name__):
                    found += self._look_module(value, f.__code__)
            elif hasattr(builtins, key):
                self._checks.append(f"{key!r} not in {space}")
        return [*found, *vars(f).values()]

    def _look_module(self, module: Any, code: Any) -> list[Any]:
        space, found = self._name(vars(module)), []
        for key in _attributes_of(code):
            if key in vars(module):
                self._is(f"{space}[{key!r}]", vars(module)[key])
                found.append(vars(module)[key])
        return found

    def _look_method(self, method: Any) -> list[Any]:
        return [method.__self__, method.__func__]

    def _look_partial(self, partial: Any) -> list[Any]:
        return [partial.func, partial.args, partial.keywords]

    def _look_variable(self, variable: Any) -> list[Any]:
        name = self._name(variable)
        self._is(f"{name}.trainable", variable.trainable)
        if variable.constraint is not None:
            self._is(f"{name}.constraint", variable.constraint)
        return [variable.constraint]

    def _look_array(self, array: Any) -> list[Any]:
        if _can_change(array):
            self.env[f"s{len(self.env)}"] = array.tobytes()
            snapshot = f"s{len(self.env) - 1}"
            self._checks.append(f"{self._name(array)}.tobytes() == {snapshot}")
            self._is(f"{self._name(array)}.shape", array.shape)
        return []

    def _look_sequence(self, items: Any) -> list[Any]:
        name = self._name(items)
        if isinstance(items, list):
            self._checks.append(f"len({name}) == {len(items)}")
            for k, item in enumerate(items):
                self._is(f"{name}[{k}]", item)
        return list(items)

    def _look_set(self, items: Any) -> list[Any]:
        self.env[f"s{len(self.env)}"] = frozenset(items)
        self._checks.append(f"{self._name(items)} == s{len(self.env) - 1}")
        return list(items)

    def _look_dict(self, items: Any) -> list[Any]:
        name = self._name(items)
        self._checks.append(f"len({name}) == {len(items)}")
        for key, item in items.items():
            self._is(f"{name}[{self._name(key)}]", item)
        return [*items.keys(), *items.values()]

    def _look_class(self, kind: Any) -> list[Any]:
        """What hangs on a class."""
        return [*self._members(kind), *(value for _, _, value in _makers(kind))]

    def _members(self, kind: Any) -> list[Any]:
        """The same without what makes new objects of it."""
        if kind in self._kinds:
            return []
        self._kinds.add(kind)
        found = []
        for base in kind.__mro__:
            if not _foreign(base.__module__):
                for key, value in vars(base).items():
                    inner = getattr(value, "__func__", None) or getattr(value, "fget", None) or value
                    if key not in _MAKERS and (key[:2] != "__" or callable(inner)):
                        found.append(inner)
                        if not key.startswith("__"):
                            self._is(f"{self._name(base)}.__dict__[{key!r}]", value)
        return found

    def _look_object(self, thing: Any) -> list[Any]:
        """Any other object: its attributes and its class."""
        found: list[Any] = []
        if not _foreign(type(thing).__module__):
            found += self._members(type(thing))
            self._attributes += [
                (f"{self._name(base)}.__dict__[{key!r}]", key, value) for base, key, value in _makers(type(thing))
            ]
        optimizer = isinstance(thing, Optimizer)
        if optimizer:
            self.optimizers.append(thing)
        space = getattr(thing, "__dict__", None)
        if isinstance(space, dict):
            name = self._name(space)
            if not optimizer:
                self._checks.append(f"len({name}) == {len(space)}")
            if all(base is object or not _foreign(base.__module__) for base in type(thing).__mro__):
                self._attributes += [(f"{name}[{key!r}]", key, value) for key, value in space.items()]
                space = {}
            for key, value in space.items():
                if not (optimizer and (key in _STATE or (key == "learning_rate" and type(value) is float))):
                    self._is(f"{name}[{key!r}]", value)
                    found.append(value)
        for base in type(thing).__mro__:
            slots = base.__dict__.get("__slots__", ())
            for key in (slots,) if isinstance(slots, str) else slots:
                if key not in ("__weakref__", "__dict__") and not _foreign(base.__module__):
                    value = getattr(thing, key, _GONE)
                    self._is(f"getattr({self._name(thing)}, {key!r}, gone)", value)
                    found.append(value)
        return found


_LOOKS: list[tuple[Any, Callable[[Guard, Any], list[Any]]]] = [
    (types.FunctionType, Guard._look_function),
    (types.MethodType, Guard._look_method),
    (functools.partial, Guard._look_partial),
    (Variable, Guard._look_variable),
    (np.ndarray, Guard._look_array),
    ((list, tuple), Guard._look_sequence),
    ((set, frozenset), Guard._look_set),
    (dict, Guard._look_dict),
    (type, Guard._look_class),
]

_GONE = type("Gone", (), {"__repr__": lambda self: "gone"})()


def _same(now: Any, then: Any) -> bool:
    """Whether two immutable things are the same to whoever computes with them."""
    if type(now) is not type(then):
        return False
    if isinstance(then, (float, complex, np.generic)):
        return repr(now) == repr(then)
    if isinstance(then, tuple):
        return len(now) == len(then) and all(map(_same_item, now, then))
    return bool(now == then)


def _same_item(now: Any, then: Any) -> bool:
    return now is then or (isinstance(then, (*_PLAIN, tuple)) and _same(now, then))


@functools.cache
def _names_of(code: Any) -> tuple[str, ...]:
    """Globals that a function and the functions inside it look up."""
    own = [i.argval for i in dis.get_instructions(code) if i.opname in ("LOAD_GLOBAL", "LOAD_NAME")]
    inside = [name for c in code.co_consts if isinstance(c, types.CodeType) for name in _names_of(c)]
    return tuple(dict.fromkeys([*own, *inside]))


@functools.cache
def _words_of(code: Any) -> frozenset[str]:
    """All that could be the name of an attribute that a function, or one inside it, reads."""
    steps = list(dis.get_instructions(code))
    found = {str(i.argval) for i in steps if i.opcode in dis.hasname and i.opname != "STORE_ATTR"}
    for part in code.co_consts:
        if isinstance(part, types.CodeType):
            found |= _words_of(part)
        found |= {text for text in (part if isinstance(part, tuple) else (part,)) if type(text) is str}
    if any(i.opname == "MATCH_CLASS" for i in steps):
        found.add("vars")
    return frozenset(found)


def _makers(kind: Any) -> list[tuple[Any, str, Any]]:
    """Functions of a class that make objects of it: the class, the name, the function."""
    bases = [base for base in kind.__mro__ if not _foreign(base.__module__)]
    return [(base, key, vars(base)[key]) for base in bases for key in _MAKERS if key in vars(base)]


def _attributes_of(code: Any) -> list[str]:
    """The same for whatever they look up, attributes among it."""
    inside = [name for c in code.co_consts if isinstance(c, types.CodeType) for name in _attributes_of(c)]
    return [*dict.fromkeys([*code.co_names, *inside])]


@functools.cache
def _foreign(module: Any) -> bool:
    """Whether a module is not the user's: its insides are not looked through."""
    first = str(module).partition(".")[0]
    if first == "__main__":
        return False
    place = getattr(sys.modules.get(first), "__file__", None) or ""
    installed = "site-packages" in place or "dist-packages" in place
    return installed or first in sys.stdlib_module_names or first in ("autodiff_kit", "numpy")


_INNER = tuple(f"autodiff_kit.{part}" for part in ("core", "ops", "kernels", "nn", "segment", "errors"))


def _ours(thing: Any) -> bool:
    """Whether there is nothing of the user's in a thing: operations, what they are made of, and other packages."""
    if isinstance(thing, type):
        return _foreign(thing.__module__)
    if isinstance(thing, types.FunctionType):
        module = str(thing.__module__)
        return module.startswith(_INNER) or (_foreign(module) and not module.startswith("autodiff_kit"))
    if isinstance(thing, (types.BuiltinFunctionType, np.ufunc)):
        return True
    return type(thing).__module__.startswith(_INNER) and not isinstance(thing, Variable)


def _can_change(array: Any) -> bool:
    """Whether somebody may write into this memory."""
    while isinstance(array, np.ndarray):
        if array.flags.writeable:
            return True
        array = array.base
    return array is not None and not isinstance(array, bytes)
