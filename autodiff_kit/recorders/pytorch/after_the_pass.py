"""Gradients that are sound, and what became of them: added up, cut short by a loop, broadcast, or never used for a step."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import torch

from autodiff_kit.core.source_location import UNKNOWN_LOCATION, SourceLocation
from autodiff_kit.recorders import source_search as text
from autodiff_kit.recorders.finding import Finding
from autodiff_kit.recorders.pytorch.recording import Event
from autodiff_kit.recorders.user_lines import is_users_file

if TYPE_CHECKING:
    from autodiff_kit.recorders.pytorch.diagnosis import Diagnosis

__all__ = ["after_the_pass", "optimizer_problem", "sum_of_passes"]

_COMPARING = frozenset(
    [
        "sub",
        "__sub__",
        "__rsub__",
        "rsub",
        "subtract",
        "mse_loss",
        "l1_loss",
        "smooth_l1_loss",
        "huber_loss",
        "binary_cross_entropy",
        "binary_cross_entropy_with_logits",
        "poisson_nll_loss",
    ]
)


def after_the_pass(diagnosis: Diagnosis, source: Any, name: str) -> Finding | None:
    """The first of these that holds; others are named beside it."""
    found = [
        finding
        for finding in (
            _broadcast(diagnosis, source),
            _state_of_a_loop(diagnosis, source, name),
            optimizer_problem(diagnosis, source, name),
            sum_of_passes(diagnosis, source, name),
        )
        if finding is not None
    ]
    if not found:
        return None
    return found[0]._replace(also=(*found[0].also, *(other.kind for other in found[1:])))


# ------------------------------------------------------------------------------------------------ several backward passes
def sum_of_passes(diagnosis: Diagnosis, source: Any, name: str) -> Finding | None:
    """A second pass that added to a .grad that was used, or that was there before the block."""
    if not source.is_leaf or source.grad is None:
        return None
    events = diagnosis.recording.events
    held: Event | None = None  # the pass whose gradient is stored
    cleared = used = False
    for k, event in enumerate(events):
        if event.kind == "cleared" and event.what is source:
            held, cleared, used = None, True, False
        elif event.kind == "backward" and _adds_to(event, source):
            by_optimizer = bool(_optimizers(diagnosis))
            counts = any(root is diagnosis.target for root in event.what.roots) or _is_consumed(events[k:], source)
            if held is not None and counts and (used or _same_roots(held, event) or not by_optimizer):
                return _accumulated(event, name, f"The gradient of the pass on line {held.place.line} is still stored.")
            had = event.what.leaves[id(source)][1]
            if held is None and had and not cleared and (not by_optimizer or _is_consumed(events[k:], source)):
                return _accumulated(event, name, "There was a gradient in .grad before the block began.")
            held, used = event, False
        elif event.kind == "step" and any(p is source for p in event.detail[0]):
            used = True
        elif event.kind == "read_grad" and event.what is source and held is not None:
            used = used or _is_plain_use(event)
    return None


def _adds_to(event: Event, source: Any) -> bool:
    return event.what.accumulates and event.what.finished and id(source) in event.what.leaves


def _same_roots(one: Event, other: Event) -> bool:
    return any(a is b for a in one.what.roots for b in other.what.roots)


def _is_consumed(events: list[Event], source: Any) -> bool:
    """Whether a step, or the user's own line, uses the stored gradient before it is cleared."""
    for event in events:
        if event.kind == "cleared" and event.what is source:
            return False
        if event.kind == "step" and any(p is source for p in event.detail[0]):
            return True
        if event.kind == "read_grad" and event.what is source and _is_plain_use(event):
            return True
    return False


def _is_plain_use(event: Event) -> bool:
    """Whether a line uses a gradient for a step or looks at it, other than to clip it or to clear it."""
    return not text.line_mentions(event.place, "zero_", "None", "clip", "print", "norm", "log", "append")


def _accumulated(event: Event, name: str, detail: str) -> Finding:
    return Finding("accumulated", event.place, f"{detail} This pass adds to it, so {name}.grad is a sum.")


# ------------------------------------------------------------------------------------------------ optimizers
def _optimizers(diagnosis: Diagnosis) -> list[Any]:
    seen = [*diagnosis.tape.optimizers]
    for event in diagnosis.recording.events:
        if (
            event.kind in ("step", "made_optimizer")
            and event.what is not None
            and not any(event.what is o for o in seen)
        ):
            seen.append(event.what)
    return seen


def optimizer_problem(diagnosis: Diagnosis, source: Any, name: str) -> Finding | None:
    """Why the optimizer does not move a parameter that gets a gradient."""
    optimizers = _optimizers(diagnosis)
    if not optimizers or not source.is_leaf:
        return None
    holding = [(o, group) for o in optimizers for group in o.param_groups if any(p is source for p in group["params"])]
    if not holding:
        return _not_held(diagnosis, source, name, optimizers)
    if all(_rate(group) == 0.0 and not group.get("initial_lr") for _, group in holding):
        place = _creation_of_optimizer(diagnosis, holding[0][0])
        return Finding("optimizer", place, f"The learning rate of {name} is 0.", remedy="Set the lr of its group.")
    return _order_of_calls(diagnosis, source, name, [o for o, _ in holding])


def _rate(group: dict[str, Any]) -> float | None:
    return float(group["lr"]) if "lr" in group else None


def _not_held(diagnosis: Diagnosis, source: Any, name: str, optimizers: list[Any]) -> Finding | None:
    events = diagnosis.recording.events
    is_parameter = isinstance(source, torch.nn.Parameter)
    read = any(e.kind == "read_grad" and e.what is source for e in events)
    asked = any(any(s is source for s in done.asked) for done in diagnosis.recording.passes)
    if asked or (
        not is_parameter and (read or (not any(e.kind == "step" for e in events) and not diagnosis.tape.optimizers))
    ):
        return None  # such as the gradient of an input
    optimizer = optimizers[-1]
    made = _creation_of_optimizer(diagnosis, optimizer)
    parts = [part.strip("]'\"") for part in re.split(r"[.\[]", name)]
    line = (
        text.attribute_assignment(diagnosis.file, parts, after=made.line if made.cell == diagnosis.file else 0)
        if len(parts) > 1
        else 0
    )
    if line:
        place = SourceLocation(diagnosis.file, line, "")
        detail = f"The optimizer was made before this line replaced the layer: it still holds the old parameters, and not {name}."
        return Finding("optimizer", place, detail, remedy="Make the optimizer after the model is complete.")
    unregistered = _plain_list_line(diagnosis, name)
    if unregistered.line:
        detail = f"{name} is in a plain list or dict, which PyTorch does not register, so model.parameters() does not give it to the optimizer."
        return Finding(
            "optimizer",
            unregistered,
            detail,
            remedy="Use nn.ModuleList, nn.ModuleDict or nn.ParameterList.",
            also=("unused",),
        )
    detail = f"{name} gets a gradient, but is not among the parameters of the optimizer."
    return Finding(
        "optimizer",
        made,
        detail,
        remedy=f"Pass {name} to the optimizer, or set its requires_grad to False if it is to stay.",
    )


def _plain_list_line(diagnosis: Diagnosis, name: str) -> SourceLocation:
    """The line that makes the list of layers that a name such as ``model.layers[0].weight`` leads through."""
    attribute = re.search(r"\.(\w+)\[", name)
    line = text.definition_line(diagnosis.file, attribute[1]) if attribute else 0
    return SourceLocation(diagnosis.file, line, "") if line else UNKNOWN_LOCATION


def _creation_of_optimizer(diagnosis: Diagnosis, optimizer: Any) -> SourceLocation:
    """The line that made an optimizer: seen in the block, or else the assignment to its name, or else its step."""
    for event in diagnosis.recording.events:
        if event.kind == "made_optimizer" and event.what is optimizer:
            return event.place
    name = diagnosis.tape.optimizer_names.get(id(optimizer), "")
    lines = text.binding_lines(diagnosis.file, diagnosis.line, name) if name else []
    if lines:
        return SourceLocation(lines[-1][0], lines[-1][1], "")
    step = next((e for e in diagnosis.recording.events if e.kind == "step" and e.what is optimizer), None)
    return step.place if step is not None else UNKNOWN_LOCATION


def _order_of_calls(diagnosis: Diagnosis, source: Any, name: str, optimizers: list[Any]) -> Finding | None:
    """A step that found no gradient: it came before the pass, or the gradient was cleared between them."""
    filled: Event | None = None
    cleared: Event | None = None
    moved = False
    early: Event | None = None
    for event in diagnosis.recording.events:
        if event.kind == "backward" and event.what.accumulates and id(source) in event.what.leaves:
            filled, cleared = event, None
        elif event.kind == "cleared" and event.what is source:
            cleared = event if filled is not None else None
        elif event.kind == "step" and any(event.what is o for o in optimizers):
            has_gradient = event.detail[1].get(id(source), (False,))[0]
            if cleared is not None:
                detail = f"The gradient of {name} was cleared on this line, after backward() and before the step on line {event.place.line}."
                return Finding(
                    "optimizer", cleared.place, detail, remedy="Clear gradients after the step, or before backward()."
                )
            moved = moved or has_gradient or event.detail[2]
            if not has_gradient and filled is None:
                early = early or event
    if early is not None and filled is not None and not moved:
        detail = f"This step ran before backward() on line {filled.place.line}, when {name} had no gradient yet."
        return Finding("optimizer", early.place, detail, remedy="Call backward() first, then step().")
    return None


# ------------------------------------------------------------------------------------------------ loops and shapes
def _state_of_a_loop(diagnosis: Diagnosis, source: Any, name: str) -> Finding | None:
    """A state that is detached in each turn of a loop, with no backward pass between the turns."""
    paths, recording = diagnosis.paths, diagnosis.recording
    if paths is None:
        return None
    numbers = recording.numbers_of(source)
    ends = [end for end in paths.ends(numbers) if end.kind == "detached"]
    by_place: dict[Any, list[int]] = {}
    for end in ends:
        operation = recording.operations[end.operation]
        by_place.setdefault((operation.code, operation.lasti), []).append(end.operation)
    for turns in by_place.values():
        passes = [e for e in recording.events if e.kind == "backward" and turns[0] < e.at <= turns[-1]]
        if len(turns) < 2 or passes:
            continue
        _, later = paths.reached_from(list(recording.operations[turns[0]].outputs))
        if turns[1] in later and is_users_file(recording.operations[turns[0]].code.co_filename):
            detail = f"The loop detaches the state that it carries along in each of {len(turns)} turns: {name} gets the gradient of single turns only."
            return Finding("loop_state", recording.operations[turns[0]].place, detail, node=turns[0])
    return None


def _broadcast(diagnosis: Diagnosis, source: Any) -> Finding | None:
    """A prediction of shape (n, 1) that is compared with data of shape (n,), or the other way round."""
    paths, recording = diagnosis.paths, diagnosis.recording
    if paths is None:
        return None
    values, _ = paths.reached_from(recording.numbers_of(source))
    for k in sorted(paths.needed):
        operation = recording.operations[k]
        if operation.name not in _COMPARING or len(operation.inputs) < 2:
            continue
        a, b = operation.inputs[:2]
        shapes = sorted((tuple(recording.values[n].shape) for n in (a, b)), key=len)
        follows = [recording.values[n].required_grad for n in (a, b)]
        if follows[0] == follows[1] or not values.intersection((a, b)) or not _is_pairing(*shapes):
            continue
        if _made_on_purpose(diagnosis, k):
            continue
        detail = f"{operation.name.strip('_')} got the shapes {shapes[0]} and {shapes[1]}, and made {shapes[0] + shapes[0]} of them: each prediction is compared with each target."
        return Finding("broadcast", operation.place, detail, node=k)
    return None


def _is_pairing(short: tuple[int, ...], long: tuple[int, ...]) -> bool:
    return len(short) == 1 and len(long) == 2 and long == (short[0], 1) and short[0] > 1


def _made_on_purpose(diagnosis: Diagnosis, k: int) -> bool:
    """Whether an operand got its axis of length 1 on the same line, as in ``x[:, None] - y``."""
    recording = diagnosis.recording
    here = recording.operations[k]
    for number in here.inputs[:2]:
        maker = recording.values[number].operation
        if maker >= 0:
            made = recording.operations[maker]
            if made.name in ("unsqueeze", "__getitem__", "view", "reshape") and made.place == here.place:
                return True
    return False
