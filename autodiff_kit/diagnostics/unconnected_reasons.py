"""The ways in which a gradient can be None: cause, explanation and remedy of each, as texts for ``tape.explain``."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["LESSONS", "LESSON_OF_NONE", "REASONS", "UnconnectedReason", "missing_derivative_remark"]

_ROUNDING = "It is constant between jumps: its derivative is 0 there and undefined at the jumps, so no gradient passes."
_BOOLEAN = "Its results are True and False, which do not change continuously with their inputs."
_INTEGERS = "Integers and booleans change in jumps and not continuously, so no gradient passes a conversion to them."
_POSITIONS = "Positions are integers, which change in jumps and not continuously."
_REMARKS_BY_OPERATION = {
    **dict.fromkeys(("floor", "ceil", "round", "trunc", "floor_divide", "sign"), _ROUNDING),
    **dict.fromkeys(("argmax", "argmin", "argsort"), _POSITIONS),
    "to_int": _INTEGERS,
    **dict.fromkeys(("less", "less_equal", "greater", "greater_equal", "equal", "not_equal"), _BOOLEAN),
    **dict.fromkeys(("logical_and", "logical_or", "logical_not"), _BOOLEAN),
}


def missing_derivative_remark(name: str) -> str:
    """Why no gradient passes an operation, in a sentence."""
    return _REMARKS_BY_OPERATION.get(name, "The operation is registered without a derivative, so no gradient passes.")


LESSON_OF_NONE = "02_unconnected"
LESSONS = {
    **dict.fromkeys(("no_slope", "whole"), "06_relaxing_floor"),
    **dict.fromkeys(("refused", "closure"), "05_custom_gradients"),
    "stopped": "10_stop_gradient",
    **dict.fromkeys(("decided", "chose"), "03_where_cond"),
    "state": "12_state",
}
"""The notebook that explains a cause, by its kind; :data:`LESSON_OF_NONE` explains the others."""


class UnconnectedReason(NamedTuple):
    """One relation between a target and a source, as format strings for its headline, explanation and remedy."""

    cause: int
    headline: str
    because: str
    fix: str


REASONS: dict[str, UnconnectedReason] = {
    "connected": UnconnectedReason(0, "They are connected.", "{steps} from {source} to {target}.{doubt}", ""),
    "replaced": UnconnectedReason(
        1,
        "A tensor has taken the variable's place.",
        "This line assigned a new tensor to the name {source}. A tape watches trainable variables automatically, "
        "tensors only after tape.watch.",
        "Change the variable in place, {source}.assign(...) or {source}.assign_add(...), or call tape.watch({source}).",
    ),
    "unwatched_tensor": UnconnectedReason(
        1,
        "The tape does not watch this tensor.",
        "{source} is a tensor. A tape watches trainable variables automatically, tensors only after tape.watch; what "
        "is computed before that call is not recorded.",
        "Call tape.watch({source}) at the beginning of the block. If {source} was a variable once, something like "
        "{source} = {source} + 1 replaced it: use {source}.assign_add(1).",
    ),
    "left": UnconnectedReason(
        2,
        "The value left the record.",
        "This line turned it into a plain array or number. The tape does not record computations on those, so for the "
        "tape {target} starts from constants.",
        "Use the tensor itself: NumPy functions accept tensors and are recorded.",
    ),
    "copied": UnconnectedReason(
        2,
        "ak.constant copied the numbers.",
        "A constant has the numbers of what it is made of, and no history.",
        "Use the tensor itself. To join tensors, write ak.stack([...]) or ak.concat([...]).",
    ),
    "aside": UnconnectedReason(
        2,
        "The value left the record.",
        "This line turned it into a plain array or number, which the tape does not follow. An index, a branch or a "
        "constant that is made of it passes no gradient.",
        "If {target} should depend on {source}, compute it from the tensor itself.",
    ),
    "stopped": UnconnectedReason(
        2,
        "stop_gradient ended the path.",
        "Its result has the same value and no history, so no gradient flows back through it.",
        "If you want a gradient here, remove stop_gradient.",
    ),
    "plain": UnconnectedReason(
        2,
        "The source is a plain {type}.",
        "Values of type {type} are never recorded, so the tape cannot know what was computed from them.",
        "Pass the tensor or the variable itself, not its numbers.",
    ),
    "target": UnconnectedReason(
        2,
        "The target is not on this tape.",
        "The target ({type}) was not recorded: it was computed outside of the tape's block, before tape.watch, in "
        "another thread, while recording was paused, or from plain numbers. Or it is a constant.",
        "Compute {target} inside the tape's block, from the tensors themselves.",
    ),
    "whole": UnconnectedReason(
        3,
        "The source holds {dtype} values.",
        "Integers and booleans do not change continuously, so nothing has a derivative with respect to them.",
        "Write 5.0 instead of 5. If you convert with ak.cast, the result is a tensor: call tape.watch on it first.",
    ),
    "no_slope": UnconnectedReason(
        3,
        "{op} has no slope.",
        "{remark}",
        "Use a differentiable approximation if there is one (rounding and steps: ak.relax), or give it a gradient with "
        "ak.gradient_override_map.",
    ),
    "refused": UnconnectedReason(
        3,
        "The rule of {op} gave None.",
        "The rule that gives the gradient of {op} returned None for an input that depends on {source}.",
        "If you wrote the rule, return a gradient for this input. If {op} is a loop with checkpoints, take these away "
        "and ask again: the line inside of it is then named.",
    ),
    "state": UnconnectedReason(
        4,
        "The value went through state.",
        "It was assigned to {variable}, and a variable keeps numbers, not where they came from.",
        "Compute with the value itself instead of assigning it, and assign after the gradient was taken.",
    ),
    "decided": UnconnectedReason(
        5,
        "The source only decided which branch ran.",
        "The branch depends on {source}, but the numbers that it computed do not.",
        "To get a gradient for {source}, blend both results by a smooth step, such as ak.relax.soft_step.",
    ),
    "chose": UnconnectedReason(
        5,
        "The source only decided which values were chosen.",
        "The condition or index on this line depends on {source}, but the values that it chooses do not.",
        "To get a gradient for {source}, put a smooth step in place of the condition, such as ak.relax.soft_step.",
    ),
    "unwatched": UnconnectedReason(
        5,
        "The tape does not watch this variable.",
        "Either it is not trainable, or the tape was made with watch_accessed_variables=False.",
        "Call tape.watch({source}) at the beginning of the block.",
    ),
    "unread": UnconnectedReason(
        5,
        "The variable was not used on this tape.",
        "Nothing inside the tape's block read {source}.",
        "Compute {target} from {source} inside the block.",
    ),
    "left_only": UnconnectedReason(
        5,
        "The target does not depend on the source.",
        "No recorded operation uses {source}. On this line its numbers left the tape, and {target} was not computed "
        "from them.",
        "Compute {target} from {source} inside the block.",
    ),
    "cousin": UnconnectedReason(
        5,
        "The target was computed from {shared}, not from this.",
        "{source} was computed from {shared} too, on this line, but {target} does not use it.",
        "Ask for the gradient with respect to {shared}, or compute {target} from {source}.",
    ),
    "closure": UnconnectedReason(
        5,
        "{op} has a gradient of its own.",
        "On this line {op} uses {source}, which is none of its arguments, and its rule gives gradients for its "
        "arguments only.",
        "Make {source} an argument of {op}, and let the rule return a gradient for it too.",
    ),
    "unrelated": UnconnectedReason(
        5,
        "The target does not depend on the source.",
        "{source} is used for {used}, and {target} was not computed from {it}.",
        "Ask for the gradient with respect to a value that {target} was computed from.",
    ),
    "unused": UnconnectedReason(
        5,
        "The source was not used for anything.",
        "No recorded operation uses {source}.",
        "Compute {target} from {source} inside the block.",
    ),
}
