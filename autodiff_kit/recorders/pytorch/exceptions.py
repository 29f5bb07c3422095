"""PyTorch's errors about gradients, explained: what was written over or freed, on which line, and what to do."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import torch

from autodiff_kit.core.source_location import UNKNOWN_LOCATION, SourceLocation, location_of
from autodiff_kit.diagnostics.gradient_explanation import GradientExplanation
from autodiff_kit.recorders import source_search as text
from autodiff_kit.recorders.finding import Finding, explanation
from autodiff_kit.recorders.pytorch import missing_paths
from autodiff_kit.recorders.pytorch.backward_pass import graph_nodes
from autodiff_kit.recorders.pytorch.diagnosis import Diagnosis
from autodiff_kit.recorders.pytorch.recording import Event, Recording
from autodiff_kit.recorders.user_lines import is_users_file

if TYPE_CHECKING:
    from autodiff_kit.recorders.pytorch.tape import TorchTape

__all__ = ["explain_error"]


def explain_error(tape: TorchTape, error: BaseException, frame: Any) -> GradientExplanation | None:
    """The explanation of an exception that left the block; None if it is not about a gradient."""
    message = str(error)
    for pattern, explain in _PATTERNS:
        match = re.search(pattern, message)
        if match:
            case = _Case(tape, error, match, frame)
            finding, target, source = explain(case)
            return explanation(finding, target, source) if finding is not None else None
    return None


class _Case:
    """An error with what the block knows about it."""

    def __init__(self, tape: TorchTape, error: BaseException, match: re.Match[str], frame: Any) -> None:
        self.tape, self.error, self.match, self.frame = tape, error, match, frame
        self.recording: Recording = tape.recording
        self.place = _users_line(error) or self._last_place()

    def _last_place(self) -> SourceLocation:
        code, lasti = self.recording.last_frame
        return UNKNOWN_LOCATION if code is None else location_of(code, lasti)

    def name(self, tensor: Any, otherwise: str) -> str:
        known, name = self.tape._names.get(id(tensor), (None, ""))
        return name if known is tensor else otherwise

    @property
    def last_pass(self) -> Event | None:
        return next((e for e in reversed(self.recording.events) if e.kind == "backward"), None)

    def target(self) -> Any:
        last = self.last_pass
        return last.what.roots[0] if last is not None and last.what.roots else None


def _users_line(error: BaseException) -> SourceLocation | None:
    """The innermost line of the user's in an error's traceback."""
    found, step = None, error.__traceback__
    while step is not None:
        code = step.tb_frame.f_code
        if is_users_file(code.co_filename):
            found = SourceLocation(code.co_filename, step.tb_lineno, code.co_name)
        step = step.tb_next
    return found


_Found = tuple[Finding | None, str, str]


def _written_over(case: _Case) -> _Found:
    """One of the variables needed for gradient computation has been modified by an inplace operation."""
    recording = case.recording
    shape = tuple(int(n) for n in re.findall(r"\d+", case.match["shape"]))
    version, node = int(case.match["now"]), case.match["node"]
    expected = int(case.match["expected"])
    maker, writer, tensor = _find_written(recording, shape, node, version, expected)
    kept = (
        f"The backward pass needs the result of {node.removesuffix('Backward0').lower()}"
        if node
        else "The backward pass needs a value"
    )
    if maker is not None:
        kept += f" from line {recording.operations[maker].place.line}"
    if writer is None:
        return (
            Finding("inplace_error", case.place, f"{kept} (shape {shape}), and something wrote over it."),
            "the target",
            case.name(tensor, "the source"),
        )
    operation = recording.operations[writer]
    detail = f"{kept} (shape {shape}), and {operation.name.strip('_.')} on this line wrote over it."
    return Finding("inplace_error", operation.place, detail, node=writer), "the target", case.name(tensor, "the source")


def _find_written(
    recording: Recording, shape: tuple[int, ...], node: str, version: int, expected: int
) -> tuple[int | None, int | None, Any]:
    """The operation that made a value, the one that wrote over it, and its tensor."""
    writes: dict[int, list[tuple[int, list[int]]]] = {}
    tensors: dict[int, Any] = {}
    for k, operation in enumerate(recording.operations):
        for n in operation.outputs:
            tensor = recording.values[n].tensor
            if tensor is None or tensor.numel() != math.prod(shape) or not _writes(recording, k, n):
                continue
            tensors[id(tensor)] = tensor
            writes.setdefault(id(tensor), []).append((k, [m for m in recording.numbers_of(tensor) if m < n]))

    def likeness(key: int) -> tuple[bool, bool, bool]:
        tensor, earlier = tensors[key], writes[key][0][1]
        return _version(tensor) == version, _node_name(recording, earlier, tensor) == node, tuple(tensor.shape) == shape

    if not writes:
        return None, None, None
    key = max(writes, key=likeness)
    found, tensor = writes[key], tensors[key]
    unseen = version - len(found)  # writes before the block, or those that are not seen
    writer, earlier = found[min(max(expected - unseen, 0), len(found) - 1)]
    maker = recording.values[earlier[0]].operation if earlier else -1
    return (maker if maker >= 0 else None), writer, tensor


def _writes(recording: Recording, k: int, number: int) -> bool:
    """Whether an operation gave a tensor that had a value before a new one."""
    tensor = recording.values[number].tensor
    return any(m < number for m in recording.numbers_of(tensor)) or recording.operations[k].name.endswith(".step")


def _version(tensor: Any) -> int:
    try:
        return int(tensor._version)
    except RuntimeError:
        return 0


def _node_name(recording: Recording, numbers: list[int], tensor: Any) -> str:
    for n in numbers:
        fn = recording.values[n].grad_fn
        if fn is not None:
            return str(fn.name())
    return str(tensor.grad_fn.name()) if tensor.grad_fn is not None else ""


def _write_refused(case: _Case) -> _Found:
    return (
        Finding(
            "inplace_error",
            case.place,
            "PyTorch refuses to write here: the tensor is a leaf that requires a gradient, or a view whose value others need.",
        ),
        "the target",
        "the source",
    )


def _second_backward(case: _Case) -> _Found:
    """Trying to backward through the graph a second time."""
    recording = case.recording
    passes = [e for e in recording.events if e.kind == "backward"]
    last = passes[-1] if passes else None
    name = case.name(case.target(), "the target")
    if last is None:
        return (
            Finding("second_backward_error", case.place, "An earlier backward pass freed the graph."),
            name,
            "the source",
        )
    nodes = set(last.what.nodes)
    for first in passes[:-1]:
        shared = nodes.intersection(first.what.nodes)
        shared = {fn for fn in shared if not hasattr(fn, "variable")}
        if not shared:
            continue
        if not any(a is b for a in first.what.roots for b in last.what.roots):
            carried = _carried_state(recording, first, last, shared)
            if carried is not None:
                operation = recording.operations[carried]
                detail = f"{operation.name.strip('_.')} on this line reads a state of the turn before, whose graph the backward pass on line {first.place.line} has freed."
                return (
                    Finding(
                        "loop_state",
                        operation.place,
                        detail,
                        node=carried,
                        also=("second_backward_error",),
                        gradient="None",
                    ),
                    name,
                    "the source",
                )
        detail = f"The pass on line {first.place.line} freed the graph, and the pass on this line needs it again."
        return Finding("second_backward_error", last.place, detail), name, "the source"
    return (
        Finding(
            "second_backward_error", last.place, "An earlier backward pass, outside of the block, freed the graph."
        ),
        name,
        "the source",
    )


def _carried_state(recording: Recording, first: Event, last: Event, shared: set[Any]) -> int | None:
    """The first operation after a pass that reads a result of before it, on the way to the next target."""
    if not last.what.roots or (recording.number_of(last.what.roots[0]) or 0) < 0:
        return None
    root = recording.number_of(last.what.roots[0])
    if root is None or recording.values[root].operation < first.at:
        return None
    for k in range(first.at, len(recording.operations)):
        for n in recording.operations[k].inputs:
            value = recording.values[n]
            tensor = value.tensor
            if (
                0 <= value.operation < first.at
                and tensor is not None
                and tensor.grad_fn is not None
                and shared.intersection(graph_nodes([tensor.grad_fn]))
            ):
                return k
    return None


def _no_gradient_at_all(case: _Case) -> _Found:
    """Element 0 of tensors does not require grad and does not have a grad_fn."""
    recording = case.recording
    target = recording.last_target
    if target is None or recording.number_of(target) is None:
        return (
            Finding("frozen", case.place, "Nothing that the target was computed from requires a gradient."),
            "the target",
            "the source",
        )
    diagnosis = Diagnosis(case.tape, target, case.frame)
    assert diagnosis.paths is not None
    sources = [
        n
        for n in sorted(diagnosis.paths.needed_values)
        if recording.values[n].operation < 0 or recording.values[n].required_grad
    ]
    followed = [
        n
        for n in sources
        if recording.values[n].required_grad
        and recording.values[n].tensor is not None
        and recording.values[n].operation < 0
    ]
    best: tuple[int, Any, Any] | None = None
    for n in followed:
        ends = diagnosis.paths.ends([n])
        if ends and (best is None or ends[-1].operation >= best[0]):
            best = (ends[-1].operation, n, ends)
    name = diagnosis.target_name
    if best is not None:
        tensor = recording.values[best[1]].tensor
        rebound = _update_that_lost_history(diagnosis, best[0])
        source = diagnosis.name(tensor, "the source")
        if rebound is not None:
            return rebound, name, source
        return missing_paths.end_finding(diagnosis, best[2][-1], best[2], source), name, source
    leaves = [
        recording.values[n].tensor
        for n in sources
        if recording.values[n].tensor is not None and recording.values[n].operation < 0
    ]
    named = [(known, t) for t in _tensors_without_history(diagnosis) if (known := diagnosis.name(t, ""))]
    likely = [t for _, t in sorted(named, key=lambda pair: _unlike_a_weight(pair[0]))]
    parameters = [t for t in leaves if isinstance(t, torch.nn.Parameter)] or likely
    changed = [e for e in recording.events if e.kind == "requires_grad" and not e.detail]
    if changed:
        return (
            Finding("frozen", changed[-1].place, "This line sets requires_grad to False."),
            name,
            diagnosis.name(changed[-1].what, "the source"),
        )
    if parameters:
        source = diagnosis.name(parameters[0], "the source")
        return missing_paths._frozen(diagnosis, parameters[0], source), name, source
    return (
        Finding("frozen", case.place, "Nothing that the target was computed from requires a gradient."),
        name,
        "the source",
    )


_DATA = ("x", "y", "X", "Y", "data", "inputs", "input", "targets", "target", "labels", "batch", "image", "images", "t")


def _tensors_without_history(diagnosis: Diagnosis) -> list[Any]:
    """The floating-point tensors that no operation computed from others, on the way to the target."""
    assert diagnosis.paths is not None
    recording, found = diagnosis.recording, []
    for n in sorted(diagnosis.paths.needed_values):
        value = recording.values[n]
        made = recording.operations[value.operation] if value.operation >= 0 else None
        if value.tensor is not None and value.tensor.is_floating_point() and (made is None or not made.inputs):
            found.append(value.tensor)
    return found


def _unlike_a_weight(name: str) -> int:
    last = name.rpartition(".")[2]
    return 0 if last.lower().startswith(("w", "b", "theta", "param")) else 2 if last in _DATA else 1


def _update_that_lost_history(diagnosis: Diagnosis, k: int) -> Finding | None:
    """``w = w - lr * w.grad`` under no_grad: the new w has no history, and no requires_grad."""
    operation = diagnosis.recording.operations[k]
    place = operation.place
    for name in re.findall(r"^(\w+)\s*=", place.text):
        if (
            any(reads and line == place.line for _, line, reads in text.binding_lines(place.cell, place.line, name))
            and not operation.grad
        ):
            detail = f"This line makes a new tensor and gives it the name {name}; under no_grad it does not require a gradient."
            return Finding("replaced", place, detail, node=k, also=("no_grad",))
    return None


def _non_leaf_in_optimizer(case: _Case) -> _Found:
    tensor = case.recording.last_asked
    diagnosis = Diagnosis(case.tape, tensor if tensor is not None else 0, case.frame)
    name = case.name(tensor, "the source")
    if tensor is None:
        return Finding("not_leaf", case.place, "An optimizer takes leaves only."), "the target", name
    return missing_paths._made_by_operation(diagnosis, tensor, name), "the target", name


def _no_numpy(case: _Case) -> _Found:
    return (
        Finding(
            "left",
            case.place,
            "NumPy cannot follow gradients, so PyTorch refuses to hand over a tensor that requires one.",
        ),
        "the target",
        "the source",
    )


def _integer_leaf(case: _Case) -> _Found:
    return (
        Finding(
            "no_slope",
            case.place,
            "Integers do not change continuously; only floating-point tensors can require a gradient.",
            op="An integer tensor",
        ),
        "the target",
        "the source",
    )


def _flags_of_a_result(case: _Case) -> _Found:
    return (
        Finding("not_leaf", case.place, "requires_grad can be changed on leaves only, and this is a result."),
        "the target",
        "the source",
    )


def _bad_custom(case: _Case) -> _Found:
    name = re.search(r"[Ff]unction (\w+?)(?:Backward)? returned", str(case.error))
    done = case.last_pass.what if case.last_pass is not None else None
    classes = [
        cls for fn in (done.nodes if done is not None else ()) if (cls := getattr(fn, "_forward_cls", None)) is not None
    ]
    cls = next((c for c in classes if name is None or c.__name__ == name[1]), None)
    if cls is None:
        return Finding("custom", case.place, str(case.error)), "the target", "the source"
    code = cls.backward.__code__
    place = SourceLocation(code.co_filename, text.returns_none_line(code), code.co_name)
    return (
        Finding("custom", place, f"PyTorch says: {str(case.error).splitlines()[0]}.", op=cls.__name__),
        "the target",
        "the source",
    )


def _inference_tensor(case: _Case) -> _Found:
    recording = case.recording
    places = [op.place for op in recording.operations if op.inference]
    found = next(
        (
            line
            for p in reversed(places)
            if (
                line := text.with_line(p.cell, p.line, ("inference_mode",))
                or text.decorator_line(p.cell, p.line, ("inference_mode",))
            )
        ),
        0,
    )
    place = SourceLocation(places[-1].cell, found, "") if found else case.place
    return (
        Finding("no_grad", place, "A tensor that was made under inference_mode can take part in no gradient."),
        "the target",
        "the source",
    )


def _none_gradient(case: _Case) -> _Found:
    """Something was done with a .grad that is None."""
    event = next((e for e in reversed(case.recording.events) if e.kind == "read_grad" and not e.detail), None)
    if event is None:
        return None, "", ""
    source, target = event.what, case.target()
    if target is None:
        if source.is_leaf:
            return (
                Finding(
                    "unused", case.place, "Its .grad is None, because no backward pass of the block has reached it."
                ),
                "the target",
                case.name(source, "the source"),
            )
        target = source
    diagnosis = Diagnosis(case.tape, target, case.frame)
    name = diagnosis.name(source, "the source")
    found = (
        missing_paths._made_by_operation(diagnosis, source, name)
        if not source.is_leaf
        else diagnosis._find(source, name)
    )
    return (None if found.kind == "connected" else found), diagnosis.target_name, name


_PATTERNS: list[tuple[str, Callable[[_Case], _Found]]] = [
    (r"modified by an inplace operation: \[[\w.]+ \[(?P<shape>[^\]]*)\]\](?:, which is output \d+ of (?:AsStridedBackward0, )?(?P<node>\w+))?,? is at version (?P<now>\d+); expected version (?P<expected>\d+)", _written_over),
    (r"leaf [Vv]ariable that requires grad is being used in an in-?place|view of a leaf Variable|is a view and (?:is being|its base or another view of its base has been) modified in-?place", _write_refused),
    (r"backward through the graph a second time|Saved intermediate values of the graph are freed", _second_backward),
    (r"does not require grad and does not have a grad_fn", _no_gradient_at_all),
    (r"can't optimize a non-leaf", _non_leaf_in_optimizer),
    (r"Can't call numpy\(\) on Tensor that requires grad", _no_numpy),
    (r"[Oo]nly Tensors of floating point", _integer_leaf),
    (r"can only change requires_grad flags of leaf", _flags_of_a_result),
    (r"returned an (?:incorrect number of gradients|invalid gradient)", _bad_custom),
    (r"Inference tensors cannot be saved", _inference_tensor),
    (r"'?NoneType'?", _none_gradient),
]  # fmt: skip
