"""The base class of models and layers: collects variables by name, saves and loads them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from autodiff_kit.core.validation import check_flag
from autodiff_kit.core.variable import Variable
from autodiff_kit.errors import StructureError

__all__ = ["Module"]

Array = np.ndarray[Any, Any]

FORMAT = 1
_FORMAT_ENTRY = "autodiff_kit.format"  # entry of a saved file with the version of its format
_MAX_PRINTED_VARIABLES = 30


class Module:
    """Base class of models and layers: finds the variables among its attributes, also in nested modules.

    In a subclass, assign variables, other modules, and lists, tuples and dicts of them as attributes, and define
    ``__call__``. Nothing is registered, and there is no base ``__init__`` to call.

    Notes
    -----
    A variable or module that is assigned twice counts once, under its first name; modules may refer to each other in a
    cycle. Sets are not searched, since they have no order.

    Some layers create their variables at the first call, when the width of the input is known. Until then, asking for
    the variables raises StructureError, since the list would be incomplete.

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
        """All variables of this module and of nested modules, each once, in the order of assignment."""
        return [variable for _, variable in _iterate_variables(self)]

    @property
    def trainable_variables(self) -> list[Variable]:
        """The variables that an optimizer may change."""
        return [variable for variable in self.variables if variable.trainable]

    @property
    def parameter_count(self) -> int:
        """Total number of elements of all variables."""
        return sum(variable.size for variable in self.variables)

    def named_variables(self) -> dict[str, Variable]:
        """All variables by their paths.

        Returns
        -------
        dict of str to Variable
            Attribute names, list indices and dict keys, joined by "/": ``blocks/0/dense/kernel``.

        Raises
        ------
        StructureError
            If two variables have the same path, for example from the dict keys 1 and "1".
        """
        named: dict[str, Variable] = {}
        for name, variable in _iterate_variables(self):
            if name in named:
                raise StructureError(f"two variables are both called {name!r}; rename one of the two keys of the dict")
            named[name] = variable
        return named

    def save(self, path: str | os.PathLike[str]) -> None:
        """Save all variables to a file that :meth:`load` and ``np.load`` can read.

        Parameters
        ----------
        path : str or path
            File name, usually ending in ``.npz``. An existing file is replaced once the new one is complete.

        Raises
        ------
        FileError
            If the file cannot be written; an existing file is unchanged.
        """
        named = self.named_variables()
        if _FORMAT_ENTRY in named:
            raise StructureError(
                f"the name {_FORMAT_ENTRY!r} is reserved for the format of the file; rename that variable"
            )
        from autodiff_kit.nn import npz_file

        npz_file.write_arrays(path, {_FORMAT_ENTRY: np.asarray(FORMAT)} | {n: w.numpy() for n, w in named.items()})

    def load(self, path: str | os.PathLike[str], strict: bool = True) -> list[str]:
        """Load the values of a saved file into the variables: all of them, or none.

        Parameters
        ----------
        path : str or path
            A file that :meth:`save` wrote.
        strict : bool, optional
            With False, names that only the file or only this module has are skipped; shapes and dtypes must still be
            equal.

        Returns
        -------
        list of str
            Names of the variables that were set.

        Raises
        ------
        StructureError
            If names, shapes or dtypes differ (the message lists all differences), or the file was not written by
            :meth:`save`; nothing is changed.
        FileError
            If the file is missing or damaged.
        """
        strict = check_flag("strict", strict)
        from autodiff_kit.nn import npz_file

        named, found = self.named_variables(), npz_file.read_arrays(path, "module")
        _check_format(path, found.pop(_FORMAT_ENTRY, None))
        differences = [*_missing_names(named, found)] if strict else []
        shared = [name for name in named if name in found]
        differences += [
            line for name in shared for line in _shape_and_dtype_differences(name, named[name], found[name])
        ]
        if differences:
            lines = "".join(f"\n  {line}" for line in differences)
            raise StructureError(f"{str(path)!r} does not fit this {type(self).__name__}; nothing was changed:{lines}")
        for name in shared:
            named[name].assign(found[name])
        return shared

    def _unbuilt_variable(self) -> str | None:
        """Name of a variable that will be created at the first call, or None if the module is built."""
        return None

    def __repr__(self) -> str:
        unbuilt: list[str] = []
        named = list(_iterate_variables(self, unbuilt))
        rows = [(n, str(w.shape), str(w.dtype), f"{w.size:,}", _trainable_remark(w)) for n, w in named]
        more = [f"  and {len(rows) - _MAX_PRINTED_VARIABLES:,} more"] if len(rows) > _MAX_PRINTED_VARIABLES else []
        parameters, variables = sum(w.size for _, w in named), len(named)
        head = f"{type(self).__name__}: {_plural(parameters, 'parameter')} in {_plural(variables, 'variable')}"
        return "\n".join(
            [head, *_aligned_columns(rows[:_MAX_PRINTED_VARIABLES]), *more, *(f"  {line}" for line in unbuilt)]
        )


# ------------------------------------------------------------------------------------------------ finding the variables
def _iterate_variables(root: Module, unbuilt: list[str] | None = None) -> Iterator[tuple[str, Variable]]:
    """Variables with their paths, in order, each once.

    An explicit stack avoids recursion, since a chain of modules may be long. Names of variables that are not created
    yet are appended to ``unbuilt``; without such a list they are an error.
    """
    visited: set[int] = set()
    todo: list[tuple[str, Any]] = [("", root)]
    while todo:
        name, thing = todo.pop()
        if id(thing) in visited:
            continue
        visited.add(id(thing))
        if isinstance(thing, Variable):
            yield name, thing
        else:
            if isinstance(thing, Module):
                _require_built(name, thing, unbuilt)
            inside = [(f"{name}/{key}" if name else str(key), part) for key, part in _searchable_contents(thing)]
            todo.extend(reversed(inside))


def _require_built(name: str, module: Module, unbuilt: list[str] | None) -> None:
    missing = module._unbuilt_variable()
    if missing is None:
        return
    where = f"{name}/{missing}" if name else missing
    if unbuilt is None:
        raise StructureError(
            f"{where} is created at the first call, when the layer sees its input. "
            "Call the model once on data before using its variables, or give the width of the input: inputs=..."
        )
    unbuilt.append(f"{where} is created at the first call")


def _searchable_contents(thing: Any) -> Iterator[tuple[Any, Any]]:
    """The contents of a module or container in which variables may be found, with their keys."""
    held: Iterable[tuple[Any, Any]] = enumerate(thing) if isinstance(thing, (list, tuple)) else _by_key(thing).items()
    return ((key, part) for key, part in held if isinstance(part, (Variable, Module, list, tuple, dict)))


def _by_key(thing: Any) -> dict[Any, Any]:
    return thing if isinstance(thing, dict) else vars(thing)


# ----------------------------------------------------------------------------------------------------------- the file
def _check_format(path: Any, version: Array | None) -> None:
    if version is None or version.shape or version.dtype.kind not in "iu":
        raise StructureError(
            f"{str(path)!r} is an archive of arrays, but was not saved by a module; read it with np.load"
        )
    if version != FORMAT:
        raise StructureError(
            f"{str(path)!r} has format {version}, but this kit reads format {FORMAT}; read it with the version of the "
            "kit that wrote it"
        )


# ------------------------------------------------------------------------- differences between a module and a file
def _missing_names(named: dict[str, Variable], found: dict[str, Array]) -> Iterator[str]:
    """Lines for names that only the module or only the file has."""
    for name, variable in named.items():
        if name not in found:
            yield f"{name} {variable.shape}: only the module has it"
    for name, array in found.items():
        if name not in named:
            yield f"{name} {array.shape}: only the file has it"


def _shape_and_dtype_differences(name: str, variable: Variable, array: Array) -> Iterator[str]:
    if variable.shape != array.shape:
        yield f"{name}: the module has shape {variable.shape}, the file has {array.shape}"
    if variable.dtype != array.dtype:
        yield f"{name}: the module has dtype {variable.dtype}, the file has {array.dtype}"


def _trainable_remark(variable: Variable) -> str:
    return "" if variable.trainable else "fixed"


def _aligned_columns(rows: Sequence[tuple[str, ...]]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  " + "  ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)).rstrip() for row in rows]


def _plural(number: int, noun: str) -> str:
    return f"{number:,} {noun}" + ("" if number == 1 else "s")
