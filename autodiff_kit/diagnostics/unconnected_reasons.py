"""The ways in which a gradient can be None: cause, explanation and remedy of each, as texts for ``tape.explain``."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["REASONS", "Reason", "remark"]

_ROUNDING = "It is flat between jumps, so its slope is 0 there and missing at the jumps: no gradient passes."
_TRUTH = "Its answers are True and False, which do not move a little when their inputs do."
_REMARKS = {
    **dict.fromkeys(("floor", "ceil", "round", "trunc", "floor_divide", "sign"), _ROUNDING),
    **dict.fromkeys(("argmax", "argmin", "argsort"), "Positions are whole numbers, which jump and do not slide."),
    "to_whole": "Whole numbers and truth values jump and do not slide, so no gradient passes a conversion to them.",
    "less": _TRUTH, "less_equal": _TRUTH, "greater": _TRUTH, "greater_equal": _TRUTH, "equal": _TRUTH,
    "not_equal": _TRUTH, "logical_and": _TRUTH, "logical_or": _TRUTH, "logical_not": _TRUTH,
}  # fmt: skip


def remark(name: str) -> str:
    """Why no gradient passes an operation."""
    return _REMARKS.get(name, "The operation is registered without a derivative, so no gradient passes.")


class Reason(NamedTuple):
    """One way in which a target can stand to a source; the texts have places for names."""

    cause: int
    headline: str
    because: str
    fix: str


REASONS: dict[str, Reason] = {
    "connected": Reason(0, "They are connected.", "{steps} from {source} to {target}.", ""),
    "replaced": Reason(
        1,
        "A tensor has taken the variable's place.",
        "This line put a new tensor under the name {source}; tapes follow variables by themselves, tensors only when "
        "they are watched.",
        "Change the variable in place, {source}.assign(...) or {source}.assign_add(...), or call tape.watch({source}).",
    ),
    "unwatched_tensor": Reason(
        1,
        "No tape follows this tensor.",
        "{source} is a tensor. Tapes follow variables by themselves, tensors only when they are watched, and what is "
        "computed before tape.watch stays off the record.",
        "Call tape.watch({source}) at the beginning of the block. If {source} was a variable once, something like "
        "{source} = {source} + 1 replaced it: use {source}.assign_add(1).",
    ),
    "left": Reason(
        2,
        "The value left the record.",
        "This line made a plain array or number of it. The tape cannot see what is computed from that, so {target} "
        "starts again from numbers.",
        "Stay on the record: use the tensor itself. NumPy's functions take tensors and record themselves.",
    ),
    "stopped": Reason(
        2,
        "stop_gradient ended the path.",
        "Its answer has the value and no history, so nothing flows back through it.",
        "If the gradient is wanted here, take stop_gradient away.",
    ),
    "plain": Reason(
        2,
        "The source is a plain {type}.",
        "A {type} is on no record: nothing that was computed from it is known to be.",
        "Give the tensor or the variable itself, not its numbers.",
    ),
    "target": Reason(
        2,
        "The target is not on this tape.",
        "It is a {type} that the tape did not see being computed: outside of the block, while recording was paused, "
        "or from plain numbers.",
        "Compute {target} inside the tape's block, from the tensors themselves.",
    ),
    "whole": Reason(
        3,
        "The source holds {dtype} values.",
        "Whole numbers and truth values do not move a little, so nothing has a derivative with respect to them.",
        "Write 5.0 instead of 5, or convert first: {source} = ak.cast({source}, 'float64').",
    ),
    "no_slope": Reason(
        3,
        "{op} has no slope.",
        "{remark}",
        "Use a stand-in that has one (ak.relax), or give it a gradient with ak.gradient_override_map.",
    ),
    "state": Reason(
        4,
        "The value went through state.",
        "It was assigned to {variable}, and a variable keeps numbers, not where they came from.",
        "Compute with the value itself instead of assigning it, and assign after the gradient was taken.",
    ),
    "decided": Reason(
        5,
        "The source only decided which branch ran.",
        "The branch depends on {source}, but the numbers that it computed do not.",
        "If both outcomes should count, use ak.where, or a smooth step between them.",
    ),
    "unwatched": Reason(
        5,
        "The tape was not asked to follow this variable.",
        "Either it is not trainable, or the tape was made with watch_accessed_variables=False.",
        "Call tape.watch({source}) at the beginning of the block.",
    ),
    "unread": Reason(
        5,
        "The variable was not used on this tape.",
        "Nothing inside the tape's block read {source}.",
        "Compute {target} from {source} inside the block.",
    ),
    "cousin": Reason(
        5,
        "The target was computed from {shared}, not from this.",
        "{source} was computed from {shared} too, on this line, but {target} does not use it.",
        "Ask for the gradient with respect to {shared}, or compute {target} from {source}.",
    ),
    "unrelated": Reason(
        5,
        "The target does not depend on the source.",
        "Nothing on the record leads from {source} to {target}.",
        "Ask for a value that {target} was computed from.",
    ),
}
