"""Docstrings of operations: the sections that follow from a block, added to the sentence that the block gives."""

from __future__ import annotations

import inspect
from collections.abc import Mapping

from autodiff_kit.core.operation import Op

__all__ = ["complete_docstring"]

_REDUCTION = ["axis", "keepdims"]
_REDUCED_AXES = {
    "axis": "axis : {kind}, optional\n    By default all entries are reduced.",
    "keepdims": "keepdims : bool, optional\n    Whether reduced axes are kept, with length 1.",
}


def complete_docstring(op: Op, parameters: Mapping[str, inspect.Parameter], arrays: int) -> str | None:
    """The docstring in numpydoc's form, for elementwise operations without parameters and for reductions over axes.

    Other blocks, and those with sections of their own, keep what they have.
    """
    text = inspect.cleandoc(op.value.__doc__ or "")
    rest = list(parameters)[arrays:]
    simple = not rest and op.family != "bilinear"
    if not text or "\n---" in text or not (simple or rest == _REDUCTION):
        return op.value.__doc__
    inputs = list(parameters)[:arrays]
    taken = [f"{', '.join(inputs)} : Tensor or array_like"]
    if rest:
        kind = "int" if parameters["axis"].annotation == "int | None" else "int or tuple of int"
        taken += [line.format(kind=kind) for line in _REDUCED_AXES.values()]
    refused = ["DtypeError\n    If an input holds anything but real numbers."]
    if rest or arrays > 1:
        refused.append(f"ShapeError\n    If {'an axis does not exist' if rest else 'the shapes do not broadcast'}.")
    parts = {"Parameters": taken, "Returns": ["Tensor"], "Raises": refused, "Notes": _notes(op, inputs, bool(rest))}
    return "\n\n".join([text, *(f"{title}\n{'-' * len(title)}\n" + "\n".join(lines) for title, lines in parts.items())])


def _notes(op: Op, inputs: list[str], reduces: bool) -> list[str]:
    """What is known of shapes, dtypes, the gradient and its special points, and the cost."""
    if reduces:
        shapes = "Reduced axes are left out."
    else:
        shapes = "The inputs broadcast." if len(inputs) > 1 else f"That of ``{inputs[0]}``."
    if op.family == "nondifferentiable":
        dtypes, gradient = "As in NumPy.", "None: no path leads through it."
    else:
        dtypes, gradient = "Floating ones are kept, others are as in NumPy.", "In both modes and to any order."
    return [
        f"**Shapes.** {shapes}",
        f"**Dtypes.** {dtypes}",
        "\n".join([f"**Gradient.** {gradient}", *_special_points(op, inputs)]),
        "**Cost.** Proportional to the number of entries.",
    ]


def _special_points(op: Op, inputs: list[str]) -> list[str]:
    """The gradients at the points that the block gives for its tests."""
    named = ", ".join(inputs) if len(inputs) == 1 else f"({', '.join(inputs)})"
    return [f"At ``{named} = {_shown(point)}`` it is {_shown(gradient)}." for point, gradient, *_ in op.points]


def _shown(numbers: tuple[float, ...]) -> str:
    """One number, or several in parentheses."""
    listed = ", ".join(f"{number:g}" for number in numbers)
    return listed if len(numbers) == 1 else f"({listed})"
