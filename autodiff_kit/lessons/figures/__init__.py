"""The opening figures of the lessons, one module per lesson: small animated drawings of what the lesson is about."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache

from autodiff_kit.errors import AutodiffError

from .animated_svg import AnimatedFigure

__all__ = ["UnknownFigureError", "figure_numbers", "lesson_figure"]

_MODULE_PREFIX = "lesson"


class UnknownFigureError(AutodiffError, LookupError):
    """No lesson with this number has an opening figure."""


@cache
def figure_numbers() -> tuple[str, ...]:
    """Return the numbers of the lessons that have a figure, in order; none of them is loaded."""
    names = (module.name for module in pkgutil.iter_modules(__path__))
    return tuple(sorted(name.removeprefix(_MODULE_PREFIX) for name in names if name.startswith(_MODULE_PREFIX)))


def lesson_figure(no: str) -> AnimatedFigure:
    """Draw the opening figure of a lesson.

    Parameters
    ----------
    no : str
        The lesson's number, such as ``"01"``.

    Returns
    -------
    AnimatedFigure
        A notebook shows it; every number in it is computed when it is drawn.

    Raises
    ------
    UnknownFigureError
        If no lesson with this number has a figure; the text lists those that have one.

    Examples
    --------
    >>> print(lesson_figure("01"))
    A push takes one number per input and gives one per output. ...
    """
    no = str(no).zfill(2)
    if no not in figure_numbers():
        raise UnknownFigureError(f"lesson {no!r} has no figure; these lessons have one: {' '.join(figure_numbers())}")
    figure: AnimatedFigure = importlib.import_module(f"{__name__}.{_MODULE_PREFIX}{no}").draw()
    return figure
