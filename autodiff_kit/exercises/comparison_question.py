"""The smallest kind of question: one function that must agree with the worked answer on drawn inputs.

A question of this kind lists its inputs and the wrong value of each misconception; the check is made from these.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from .counterexample import counterexample_by
from .protocol import Call
from .question import Question

if TYPE_CHECKING:
    from .diagnosis import AttemptEvaluation
    from .protocol import CheckScript

__all__ = ["Misconception", "comparison_question"]

Inputs: TypeAlias = Callable[[np.random.Generator], Iterable[tuple[Any, ...]]]


@dataclass(frozen=True)
class Misconception:
    """A named mistake: the wrong value that it gives, and the message for a learner who makes it.

    Attributes
    ----------
    name : str
        Its id, such as ``forgets-the-factor``.
    function : callable or None
        Takes the arguments of the learner's function and gives the wrong value. None for a mistake that no value shows,
        such as a change of an argument (``spoils``).
    message : str
        One sentence: what was found and where to look, without the answer. Braces are filled with facts.
    """

    name: str
    function: Callable[..., Any] | None
    message: str


def comparison_question(
    *,
    id: str,
    points: int,
    title: str,
    text: str,
    starter: str,
    solution: Callable[..., Any],
    inputs: Inputs,
    misconceptions: tuple[Misconception, ...],
    hints: tuple[str, str, str],
    tolerance: float = 1e-10,
    facts: Callable[..., Mapping[str, object]] | None = None,
    example: Callable[[np.random.Generator], Mapping[str, object]] | None = None,
    praise: str = "",
    spoils: Mapping[int, str] | None = None,
    smaller: Callable[..., Iterable[tuple[Any, ...]]] | None = None,
    without: tuple[str, ...] = (),
) -> Question:
    """Make a question whose check compares one function with the worked answer.

    Parameters
    ----------
    id, points, title, text, starter, hints, praise, spoils, without
        As in :class:`Question`.
    solution : callable
        The worked answer. The learner's function has its name.
    inputs : callable
        ``inputs(rng)`` gives a tuple of arguments for each case, from easy to hard.
    misconceptions : tuple of Misconception
        A failed check names one of them if it explains every case that failed.
    tolerance : float
        Relative to the largest entry of the right answer; see :func:`~.compare.close`.
    facts : callable, optional
        Takes the arguments of a case and returns the values for the braces in messages; by default the arguments by
        name.
    example : callable, optional
        The learner's own numbers to try things with; by default the first of the inputs, with two decimals.
    smaller : callable, optional
        Takes the arguments of a case and gives those of smaller ones. A case that no misconception explains is then
        replaced by the smallest one that fails.

    Returns
    -------
    Question
        The question.
    """
    name = solution.__name__
    parameters = tuple(inspect.signature(solution).parameters)

    def arguments_by_name(*arguments: object) -> dict[str, object]:
        return dict(zip(parameters, arguments, strict=True))

    def check(attempt: AttemptEvaluation, rng: np.random.Generator) -> CheckScript:
        for arguments in inputs(rng):
            reply = yield Call(name, arguments)
            if attempt.warned(reply):
                continue
            mistaken = {one.name: partial(one.function, *arguments) for one in misconceptions if one.function}
            told = (facts or arguments_by_name)(*arguments)
            attempt.case(reply.value, solution(*arguments), mistaken, tol=tolerance, facts=told)

    def first_input(rng: np.random.Generator) -> dict[str, object]:
        return arguments_by_name(*(_rounded(value) for value in next(iter(inputs(rng)))))

    return Question(
        id=id,
        points=points,
        title=title,
        text=text,
        writes=(name,),
        starter=starter,
        check=check,
        messages={one.name: one.message for one in misconceptions},
        hints=hints,
        example=example or first_input,
        praise=praise,
        spoils=spoils or {},
        without=without,
        counterexample=counterexample_by(smaller, solution, tolerance) if smaller else None,
    )


def _rounded(value: Any) -> Any:
    """Floats and arrays of floats with two decimals; other values unchanged."""
    is_float = isinstance(value, float) or (isinstance(value, np.ndarray) and value.dtype.kind == "f")
    return np.round(value, 2) if is_float else value
