"""Models: objects that know their variables by name, and put them into a file."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from autodiff_kit.core.tensor import Variable
from autodiff_kit.core.validation import flag
from autodiff_kit.errors import StructureError

__all__ = ["Module"]

Array = np.ndarray[Any, Any]

FORMAT = 1
_VERSION = "autodiff_kit.format"  # the entry of a file that says who wrote it, and how
_ROWS = 30  # of variables in a printed module


class Module:
    """A model, or a part of one: it finds the variables among its attributes.

    Make a subclass, assign variables, other modules, and lists, tuples and dicts of them as attributes, and write a
    ``__call__``. There is nothing to register and no base ``__init__`` to call; attributes stay what they are.

    Notes
    -----
    A variable or module that is assigned twice counts once, under the name where it was met first; modules may hold
    each other in a circle. Sets are not looked into, since they have no order.

    Some layers make their variables at the first call, when they see how wide their input is. Until then every
    question for the variables raises StructureError, since an answer would leave some out unnoticed.

    Examples
    --------
    >>> class Line(ak.Module):
    ...     def __init__(self):
    ...         self.slope = ak.Variable(2.0)
    ...         self.offset = ak.Variable(1.0)
    ...
    ...     def __call__(self, x):
    ...         return self.slope * x + self.offset
    >>> line = Line()
    >>> with ak.GradientTape() as tape:
    ...     y = line(3.0)
    >>> [float(g) for g in tape.gradient(y, line.trainable_variables)]
    [3.0, 1.0]
    >>> line
    Line: 2 parameters in 2 variables
      slope   ()  float64  1
      offset  ()  float64  1
    """

    @property
    def variables(self) -> list[Variable]:
        """All variables of this module and of those inside it, each once, in the order of assignment."""
        return [variable for _, variable in _walk(self)]

    @property
    def trainable_variables(self) -> list[Variable]:
        """The variables that an optimizer may move."""
        return [variable for variable in self.variables if variable.trainable]

    @property
    def parameter_count(self) -> int:
        """How many numbers the variables hold together."""
        return sum(variable.size for variable in self.variables)

    def named_variables(self) -> dict[str, Variable]:
        """Every variable by the path that leads to it.

        Returns
        -------
        dict of str to Variable
            Names of attributes, places in lists and keys of dicts, joined by "/": ``blocks/0/dense/kernel``.

        Raises
        ------
        StructureError
            If two variables have the same path, as the keys 1 and "1" of a dict would give them.
        """
        named: dict[str, Variable] = {}
        for name, variable in _walk(self):
            if name in named:
                raise StructureError(f"two variables are both called {name!r}; give the keys of that dict other names")
            named[name] = variable
        return named

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write all variables into one file, which :meth:`load` and NumPy's ``load`` read.

        Parameters
        ----------
        path : str or path
            A NumPy archive; ``.npz`` is its usual ending. A file that stands there is replaced once the new one is
            complete, never written into.

        Raises
        ------
        FileError
            If the file cannot be written; what stood there before is still there.
        """
        named = self.named_variables()
        if _VERSION in named:
            raise StructureError(f"the name {_VERSION!r} says in a file who wrote it; give that variable another one")
        from autodiff_kit.nn import npz_file

        npz_file.write(path, {_VERSION: np.asarray(FORMAT)} | {n: w.numpy() for n, w in named.items()})

    def load(self, path: str | os.PathLike[str], strict: bool = True) -> list[str]:
        """Put the values of a saved file into the variables: all of them, or none.

        Parameters
        ----------
        path : str or path
            What :meth:`save` wrote.
        strict : bool, optional
            False passes over names that only the file or only this module has; shapes and dtypes must still agree.

        Returns
        -------
        list of str
            Names of the variables that were set.

        Raises
        ------
        StructureError
            If names, shapes or dtypes differ, all of which are listed, or the file was not written by :meth:`save`;
            nothing is changed.
        FileError
            If the file is missing or damaged.
        """
        strict = flag("strict", strict)
        from autodiff_kit.nn import npz_file

        named, found = self.named_variables(), npz_file.read(path, "module")
        _check_format(path, found.pop(_VERSION, None))
        differences = [*_alone(named, found)] if strict else []
        shared = [name for name in named if name in found]
        differences += [line for name in shared for line in _unlike(name, named[name], found[name])]
        if differences:
            lines = "".join(f"\n  {line}" for line in differences)
            raise StructureError(f"{str(path)!r} does not fit this {type(self).__name__}; nothing was changed:{lines}")
        for name in shared:
            named[name].assign(found[name])
        return shared

    def _unmade(self) -> str | None:
        """What is still to be made at the first call, in words; layers say it, others have nothing to say."""
        return None

    def __repr__(self) -> str:
        unmade: list[str] = []
        named = list(_walk(self, unmade))
        rows = [(n, str(w.shape), str(w.dtype), f"{w.size:,}", _remark(w)) for n, w in named]
        more = [f"  and {len(rows) - _ROWS:,} more"] if len(rows) > _ROWS else []
        parameters, variables = sum(w.size for _, w in named), len(named)
        head = f"{type(self).__name__}: {_count(parameters, 'parameter')} in {_count(variables, 'variable')}"
        return "\n".join([head, *_columns(rows[:_ROWS]), *more, *(f"  {line}" for line in unmade)])


# ------------------------------------------------------------------------------------------------ finding the variables
def _walk(root: Module, unmade: list[str] | None = None) -> Iterator[tuple[str, Variable]]:
    """Variables with their paths, in order, each once; a stack of our own, since a chain of modules may be long.

    What is still to be made goes into ``unmade``; without such a list it is an error.
    """
    met: set[int] = set()
    todo: list[tuple[str, Any]] = [("", root)]
    while todo:
        name, thing = todo.pop()
        if id(thing) in met:
            continue
        met.add(id(thing))
        if isinstance(thing, Variable):
            yield name, thing
        else:
            if isinstance(thing, Module):
                _note(name, thing, unmade)
            inside = [(f"{name}/{key}" if name else str(key), part) for key, part in _parts(thing)]
            todo.extend(reversed(inside))


def _note(name: str, module: Module, unmade: list[str] | None) -> None:
    lack = module._unmade()
    if lack is None:
        return
    where = f"{name}/{lack}" if name else lack
    if unmade is None:
        raise StructureError(
            f"{where} is made at the first call, when the layer sees its input. "
            "Call the model once on data before asking for its variables, or say how wide the input is: inputs=..."
        )
    unmade.append(f"{where} is made at the first call")


def _parts(thing: Any) -> Iterator[tuple[Any, Any]]:
    """What a module or a container holds that may lead to a variable."""
    held: Iterable[tuple[Any, Any]] = enumerate(thing) if isinstance(thing, (list, tuple)) else _keyed(thing).items()
    return ((key, part) for key, part in held if isinstance(part, (Variable, Module, list, tuple, dict)))


def _keyed(thing: Any) -> dict[Any, Any]:
    return thing if isinstance(thing, dict) else vars(thing)


# ----------------------------------------------------------------------------------------------------------- the file
def _check_format(path: Any, version: Array | None) -> None:
    if version is None or version.shape or version.dtype.kind not in "iu":
        raise StructureError(f"{str(path)!r} is an archive of arrays, but no module saved it; np.load reads it")
    if version != FORMAT:
        raise StructureError(
            f"{str(path)!r} has format {version}, and this kit reads {FORMAT}; read it with the kit that wrote it"
        )


# ----------------------------------------------------------------------------------------------- what differs, in words
def _alone(named: dict[str, Variable], found: dict[str, Array]) -> Iterator[str]:
    """Names that stand on one side only."""
    for name, variable in named.items():
        if name not in found:
            yield f"{name} {variable.shape}: only the module has it"
    for name, array in found.items():
        if name not in named:
            yield f"{name} {array.shape}: only the file has it"


def _unlike(name: str, variable: Variable, array: Array) -> Iterator[str]:
    if variable.shape != array.shape:
        yield f"{name}: the module has shape {variable.shape}, the file {array.shape}"
    if variable.dtype != array.dtype:
        yield f"{name}: the module has dtype {variable.dtype}, the file {array.dtype}"


def _remark(variable: Variable) -> str:
    return "" if variable.trainable else "fixed"


def _columns(rows: Sequence[tuple[str, ...]]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  " + "  ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)).rstrip() for row in rows]


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" + ("" if number == 1 else "s")
