"""Docstrings of operations: sections that follow from a block, or that a function has in common with another."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

from autodiff_kit.core.operation import Op

__all__ = ["complete_docstring", "sections_of"]

F = TypeVar("F", bound=Callable[..., Any])

_TITLES = (
    "Parameters", "Attributes", "Returns", "Yields", "Raises", "Warns", "See Also", "Notes", "References", "Examples",
)  # fmt: skip
"""The sections of numpydoc, in its order."""

_HEADING = re.compile(rf"^({'|'.join(_TITLES)})\n-+\n", re.MULTILINE)

_UNDERLINE = re.compile(r"\n *---")

_REDUCTION = ["axis", "keepdims"]
_REDUCED_AXES = {
    "axis": "axis : {kind}, optional\n    By default all entries are reduced.",
    "keepdims": "keepdims : bool, optional\n    Whether reduced axes are kept, with length 1.",
}


def complete_docstring(op: Op, parameters: Iterable[str], arrays: int) -> str | None:
    """The docstring in numpydoc's form, for elementwise operations without parameters and for reductions over axes.

    Other blocks, and those with sections of their own, keep what they have.
    """
    text = op.value.__doc__ or ""
    rest = list(parameters)[arrays:]
    simple = not rest and op.family != "bilinear"
    if not text or _UNDERLINE.search(text) or not (simple or rest == _REDUCTION):
        return op.value.__doc__
    if "\n" in text:  # one line is clean, and most have one
        text = inspect.cleandoc(text)
    inputs = list(parameters)[:arrays]
    taken = [f"{', '.join(inputs)} : Tensor or array_like"]
    if rest:
        kind = "int" if op.value.__annotations__["axis"] == "int | None" else "int or tuple of int"
        taken += [line.format(kind=kind) for line in _REDUCED_AXES.values()]
    refused = ["DtypeError\n    If an input holds anything but real numbers."]
    if rest or arrays > 1:
        refused.append(f"ShapeError\n    If {'an axis does not exist' if rest else 'the shapes do not broadcast'}.")
    parts = {"Parameters": taken, "Returns": ["Tensor"], "Raises": refused, "Notes": _notes(op, inputs, bool(rest))}
    return _with_sections(text, {title: "\n".join(lines) for title, lines in parts.items()})


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


def sections_of(other: Callable[..., Any], *titles: str) -> Callable[[F], F]:
    """Complete a docstring with sections of another: what two functions have in common is written once.

    Sections that the decorated function has itself stay as they are. Without docstrings (``python -OO``) nothing
    happens.

    Parameters
    ----------
    other : callable
        Whose sections are taken.
    *titles : str
        The sections that may be taken, such as ``"Parameters"``; by default all.

    Returns
    -------
    callable
        The decorator.
    """

    def complete(function: F) -> F:
        if function.__doc__ and other.__doc__:
            text, own = _split_sections(function.__doc__)
            taken = {t: lines for t, lines in _split_sections(other.__doc__)[1].items() if not titles or t in titles}
            function.__doc__ = _with_sections(text, taken | own)
        return function

    return complete


def _split_sections(docstring: str) -> tuple[str, dict[str, str]]:
    """The text before the first section, and the text of each section by its title."""
    text, *parts = _HEADING.split(inspect.cleandoc(docstring))
    return text.rstrip(), {title: lines.rstrip() for title, lines in zip(parts[::2], parts[1::2], strict=True)}


def _with_sections(text: str, sections: Mapping[str, str]) -> str:
    """The inverse of :func:`_split_sections`, with the sections in numpydoc's order."""
    ordered = sorted(sections, key=_TITLES.index)
    return "\n\n".join([text, *(f"{title}\n{'-' * len(title)}\n{sections[title]}" for title in ordered)])
