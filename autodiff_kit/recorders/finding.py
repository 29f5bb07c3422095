"""What a diagnosis found, and the explanation that is made of it."""

from __future__ import annotations

from typing import NamedTuple

from autodiff_kit.core.source_location import UNKNOWN_LOCATION, SourceLocation
from autodiff_kit.diagnostics.gradient_explanation import GradientExplanation
from autodiff_kit.recorders.reasons import REASONS

__all__ = ["Finding", "add_notes", "explanation"]

_CAUSES = {
    "connected": 0, "replaced": 1, "not_leaf": 1, "frozen": 1, "left": 2, "detached": 2, "no_grad": 2, "no_slope": 3,
    "custom": 3, "zero_slope": 3, "nan": 3, "loop_state": 4, "inplace_error": 4, "second_backward_error": 4, "unused": 5,
    "argnums": 1, "closure_constant": 1, "pytree_none": 1, "stop_gradient": 2, "tracer_error": 2, "int_argument": 3,
    "custom_vjp": 3, "where": 3, "while_loop": 3, "aux": 5, "at_dropped": 5,
}  # fmt: skip
"""The number of each kind among those of the kit's own tape; what happens after the backward pass has 6."""


class Finding(NamedTuple):
    """The kind of a gradient's fate, the line that decides it, and the words that fill the reason's sentences.

    Attributes
    ----------
    kind : str
        A key of :data:`~autodiff_kit.recorders.reasons.REASONS`.
    place : SourceLocation
    detail : str
        One or two sentences about this program.
    op, remedy : str
        The operation, and the remedy where the reason leaves it open.
    node : int or None
        The id of the operation.
    also : tuple of str
        Other kinds that hold.
    gradient : str
        What becomes of the gradient, where it is not what the reason says.
    """

    kind: str
    place: SourceLocation = UNKNOWN_LOCATION
    detail: str = ""
    op: str = ""
    remedy: str = ""
    node: int | None = None
    also: tuple[str, ...] = ()
    gradient: str = ""


def explanation(finding: Finding, target: str, source: str) -> GradientExplanation:
    """The explanation that a user reads.

    Parameters
    ----------
    finding : Finding
    target, source : str
        Their names.
    """
    reason = REASONS[finding.kind]
    words = {
        "target": target,
        "source": source,
        "op": finding.op or "this line",
        "detail": finding.detail,
        "remedy": finding.remedy,
    }
    headline, because, fix = (" ".join(text.format(**words).split()) for text in reason[1:4])
    gradient = finding.gradient or reason.gradient
    return GradientExplanation(
        target=target, source=source, connected=gradient == "flows", cause=_CAUSES.get(finding.kind, 6),
        kind=finding.kind, node=finding.node, cell=finding.place.cell, line=finding.place.line, code=finding.place.text,
        headline=headline, because=because, fix=fix, gradient=gradient, also=finding.also, lesson=reason.lesson,
    )  # fmt: skip


def add_notes(error: BaseException, told: GradientExplanation) -> None:
    """Let an error that is raised as it was say its cause, line and remedy."""
    error.add_note(f"autodiff-kit: {told.headline} {told.because}")
    if told.line:
        error.add_note(f"autodiff-kit: {told.place}: {told.code}")
    error.add_note(f"autodiff-kit: what to do: {told.fix} ({told.link})")
