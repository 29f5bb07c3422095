"""Gradients that reach a source but are zero, nan or changed: the operation and the line at which they become so."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import torch

from autodiff_kit.core.source_location import SourceLocation
from autodiff_kit.recorders.finding import Finding
from autodiff_kit.recorders.source_search import returns_none_line

if TYPE_CHECKING:
    from autodiff_kit.recorders.pytorch.backward_pass import BackwardPass
    from autodiff_kit.recorders.pytorch.cotangents import Edge
    from autodiff_kit.recorders.pytorch.diagnosis import Diagnosis

__all__ = ["changed_by_hook", "first_nan", "first_zero", "from_stored_gradient", "no_cotangent"]

_PRODUCTS = frozenset(
    [
        "mul",
        "__mul__",
        "__rmul__",
        "multiply",
        "matmul",
        "__matmul__",
        "mm",
        "bmm",
        "linear",
        "addmm",
        "baddbmm",
        "einsum",
        "conv1d",
        "conv2d",
        "conv3d",
        "bilinear",
        "dot",
        "mv",
        "div",
        "__truediv__",
        "multi_head_attention_forward",
        "lstm",
        "gru",
        "scaled_dot_product_attention",
    ]
)
_STATIONARY = frozenset(["pow", "square", "__pow__", "mse_loss", "smooth_l1_loss", "huber_loss", "mul", "__mul__"])
_FLAT = {
    **dict.fromkeys(("round", "floor", "ceil", "trunc", "sign", "frac", "heaviside", "round_", "floor_", "sgn"),
                    "It is constant between jumps, so its derivative is 0."),
    **dict.fromkeys(("relu", "relu_", "threshold", "hardtanh", "relu6", "clamp", "clamp_", "clip", "clamp_min", "clamp_max",
                     "hardsigmoid", "hardshrink", "softshrink"),
                    "All its inputs lie where it is constant, so its derivative is 0 at each of them."),
    **dict.fromkeys(("sigmoid", "tanh", "softmax", "log_softmax", "erf", "softplus", "logsigmoid", "sigmoid_", "tanh_"),
                    "It is saturated here, or its outputs have a fixed sum: its derivative is 0 in floating point."),
    **dict.fromkeys(("max", "maximum", "amax", "min", "minimum", "amin", "max_pool2d", "max_pool1d", "topk", "sort"),
                    "It passes the gradient to the winner only, and the source is among the losers."),
    **dict.fromkeys(("where", "masked_fill", "masked_fill_", "masked_scatter", "__getitem__", "index_select", "gather"),
                    "It takes other entries than those that depend on the source."),
    **dict.fromkeys(("dropout", "dropout_", "alpha_dropout"), "It has set every entry to zero."),
}  # fmt: skip


_JOINING = frozenset(("stack", "cat", "concat", "hstack", "vstack", "column_stack", "concatenate"))


def _custom(fn: Any) -> Any:
    """The user's ``torch.autograd.Function`` of a node, or None."""
    return getattr(fn, "_forward_cls", None)


def _custom_finding(diagnosis: Diagnosis, fn: Any, detail: str, gradient: str) -> Finding:
    cls = _custom(fn)
    code = getattr(cls.backward, "__code__", None) or getattr(getattr(cls, "vjp", None), "__code__", None)
    place = SourceLocation(code.co_filename, returns_none_line(code), code.co_name) if code else diagnosis.place(fn)
    node = diagnosis.graph.operation.get(fn) if diagnosis.graph is not None else None
    return Finding("custom", place, detail, op=cls.__name__, node=node, gradient=gradient)


def no_cotangent(diagnosis: Diagnosis, done: BackwardPass, edges: list[Edge], source_name: str) -> Finding:
    """There is a path in the graph, and no gradient came: a custom function gave None."""
    assert diagnosis.graph is not None
    path = diagnosis.graph.between(edges)
    reached = [fn for fn in path if any(key[0] is fn for key in done.largest)]
    silent = [
        fn for fn in reached if all((after, nr) not in done.largest for after, nr in fn.next_functions if after in path)
    ]
    fn = next((fn for fn in silent if _custom(fn) is not None), silent[-1] if silent else path[0])
    if _custom(fn) is not None:
        name = _custom(fn).__name__
        return _custom_finding(
            diagnosis, fn, f"backward of {name} returned None where the gradient for {source_name} belongs.", "None"
        )
    return Finding(
        "no_slope", diagnosis.place(fn), "PyTorch's own derivative gives nothing here.", op=_name(diagnosis, fn)
    )


def changed_by_hook(diagnosis: Diagnosis, done: BackwardPass, edges: list[Edge], source: Any) -> Finding | None:
    """A hook on the path that gave another gradient than it got."""
    assert diagnosis.graph is not None
    path = {*diagnosis.graph.between(edges)}
    for effect in done.hook_effects:
        on_path = effect.tensor is source or (effect.tensor.grad_fn is not None and effect.tensor.grad_fn in path)
        if not (effect.changed and on_path):
            continue
        events = diagnosis.recording.events
        place = next(
            (e.place for e in events if e.kind == "hook" and e.what is effect.tensor and e.detail is effect.hook), None
        )
        code = getattr(effect.hook, "__code__", None)
        if place is None:
            place = (
                SourceLocation(code.co_filename, code.co_firstlineno, code.co_name)
                if code
                else SourceLocation("", 0, "")
            )
        gradient = "zero" if not effect.after and effect.before else "nan" if math.isnan(effect.after) else "flows"
        on = diagnosis.name(effect.tensor, "a result inside of the graph")
        detail = f"The hook on {on} got a gradient of at most {effect.before:.3g} and gave one of at most {effect.after:.3g}."
        return Finding("hook_changes", place, detail, gradient=gradient)
    return None


def _incoming(done: BackwardPass, fn: Any) -> list[float]:
    return [size for (node, _), size in done.largest.items() if node is fn]


def _sizes_by_node(done: BackwardPass) -> dict[Any, list[float]]:
    found: dict[Any, list[float]] = {}
    for (fn, _), size in done.largest.items():
        found.setdefault(fn, []).append(size)
    return found


def _name(diagnosis: Diagnosis, fn: Any) -> str:
    k = diagnosis.graph.operation.get(fn) if diagnosis.graph is not None else None
    return fn.name().removesuffix("Backward0") if k is None else diagnosis.recording.operations[k].name.strip("_.")


def _handed(done: BackwardPass, fn: Any, path: set[Any]) -> list[float]:
    """The sizes of what a node on the path hands to others on the path."""
    return [done.largest.get(edge, 0.0) for edge in fn.next_functions if edge[0] in path]


def first_zero(diagnosis: Diagnosis, done: BackwardPass, edges: list[Edge], source_name: str) -> Finding | None:
    """The operation that gets a gradient and hands on zeros only."""
    graph = diagnosis.graph
    assert graph is not None
    path = graph.between(edges)
    inside, sizes = set(path), _sizes_by_node(done)
    killers = [fn for fn in path if any(sizes.get(fn, ())) and not any(_handed(done, fn, inside))]
    killers = [fn for fn in killers if any(edge[0] in inside for edge in fn.next_functions)]
    if not killers:
        return Finding("zero_slope", detail=f"The gradient of {source_name} is exactly zero.", gradient="zero")
    killers = [fn for fn in killers if not _moves_once_a_weight_has(diagnosis, done, fn, inside)]
    if not killers:
        return None
    fn = max(killers, key=lambda one: graph.operation.get(one, -1))
    while _name(diagnosis, fn) in _JOINING:  # what it joins got zeros in its share: the operation that reads it decided
        readers = [c for c in graph.consumers.get(fn, ()) if c in inside]
        if not readers:
            break
        fn = readers[0]
    if _custom(fn) is not None:
        detail = f"backward of {_custom(fn).__name__} returned zeros for what depends on {source_name}."
        return _custom_finding(diagnosis, fn, detail, "zero")
    if _is_at_its_minimum(diagnosis, fn):
        return _zeros_before(diagnosis, fn)
    name = _name(diagnosis, fn)
    why = _FLAT.get(name) or _FLAT.get(f"{name}_")
    if why is None and (name in _PRODUCTS or name in ("mul", "rmul")):
        why = "Every factor that the gradient is multiplied by is 0."
    detail = f"Up to here the gradient is not zero; what {name} hands on is. {why or ''}"
    return Finding("zero_slope", diagnosis.place(fn), detail, op=name, node=graph.operation.get(fn), gradient="zero")


def _moves_once_a_weight_has(diagnosis: Diagnosis, done: BackwardPass, fn: Any, path: set[Any]) -> bool:
    """Whether a product passes nothing because a trainable factor is still zero, which the first step will change."""
    graph = diagnosis.graph
    assert graph is not None
    k = graph.operation.get(fn)
    if k is None or diagnosis.recording.operations[k].name not in _PRODUCTS:
        return False
    mine = [one for one, operation in graph.operation.items() if operation == k]
    outside = [edge for one in mine for edge in one.next_functions if edge[0] is not None and edge[0] not in path]
    return any(done.largest.get(edge, 0.0) for edge in outside)


def _is_at_its_minimum(diagnosis: Diagnosis, fn: Any) -> bool:
    """Whether a square or a distance is zero because its argument is: no slope is missing, nothing is left to learn."""
    graph = diagnosis.graph
    assert graph is not None
    k = graph.operation.get(fn)
    operation = diagnosis.recording.operations[k] if k is not None else None
    if operation is None or operation.name not in _STATIONARY or not operation.outputs:
        return False
    result = diagnosis.recording.values[operation.outputs[0]].tensor
    same = len(set(operation.inputs)) < len(operation.inputs) or operation.name not in ("mul", "__mul__")
    return same and result is not None and not bool(result.detach().any())


def _zeros_before(diagnosis: Diagnosis, fn: Any) -> Finding | None:
    """Where the zeros come from whose square is flat: a mask or a flat function, if it is one that made them."""
    recording = diagnosis.recording
    assert diagnosis.graph is not None
    for number in recording.operations[diagnosis.graph.operation[fn]].inputs:
        k = recording.values[number].operation
        operation = recording.operations[k] if k >= 0 else None
        name = operation.name.strip("_") if operation is not None else ""
        if operation is not None and (name in _FLAT or name in ("mul", "rmul")):
            detail = f"{name} gave zeros only, and what follows is flat at zero."
            return Finding("zero_slope", operation.place, detail, op=name, node=k, gradient="zero")
    return None


def first_nan(diagnosis: Diagnosis, done: BackwardPass, edges: list[Edge], source_name: str) -> Finding:
    """The first operation whose result is nan, or else the one whose derivative makes a finite gradient nan."""
    forward = _first_nan_value(diagnosis)
    if forward is not None:
        return forward
    graph = diagnosis.graph
    assert graph is not None
    path = graph.between(edges)
    inside, sizes = set(path), _sizes_by_node(done)

    def bad(found: list[float]) -> bool:
        return any(not math.isfinite(size) for size in found)

    makers = [fn for fn in path if fn in sizes and not bad(sizes[fn]) and bad(_handed(done, fn, inside))]
    makers = [fn for fn in makers if _can_make_nan(diagnosis, fn)] or makers
    if not makers:
        return Finding("nan", detail=f"The gradient of {source_name} is not finite.", op="the target")
    fn = max(makers, key=lambda one: graph.operation.get(one, -1))
    if _custom(fn) is not None:
        found = _custom_finding(
            diagnosis, fn, f"backward of {_custom(fn).__name__} returned a nan or an infinity.", "nan"
        )
        return found._replace(kind="nan", also=("custom",))
    name = _name(diagnosis, fn)
    what = "nan" if any(math.isnan(size) for size in _handed(done, fn, inside)) else "infinite"
    detail = f"All results are finite up to here, but the derivative of {name} at these values is infinite, so the gradient becomes {what}."
    if any(size == 0.0 for size in sizes[fn]):
        detail += " A gradient of 0 that comes in (from a where or a mask, for instance) does not help: 0 times infinity is nan."
    return Finding("nan", diagnosis.place(fn), detail, op=name, node=graph.operation.get(fn), gradient="nan")


_NAN_MAKERS = ("sqrt", "norm", "pow", "log", "div", "acos", "asin", "std", "var", "rsqrt", "reciprocal", "atan2", "cdist", "where",
               "exp", "log1p", "logsumexp", "softmax", "cosine", "cross_entropy", "prod", "acosh", "atanh", "vector_norm", "dist")  # fmt: skip


def _can_make_nan(diagnosis: Diagnosis, fn: Any) -> bool:
    return any(word in _name(diagnosis, fn) for word in _NAN_MAKERS)


def nan_target(diagnosis: Diagnosis) -> Finding | None:
    """The first nan, where the target itself is nan; the gradient may be finite all the same."""
    if not bool(diagnosis.target.detach().isnan().any()):
        return None
    return _first_nan_value(diagnosis)


def _first_nan_value(diagnosis: Diagnosis) -> Finding | None:
    """The first operation on the target's way whose result has a nan although its inputs have none."""
    if diagnosis.paths is None or _finite(diagnosis.target):
        return None
    recording = diagnosis.recording
    infinite: Finding | None = None
    for k in sorted(diagnosis.paths.needed):
        operation = recording.operations[k]
        if operation.left is not None or not operation.outputs:
            continue
        outputs = [_numbers(diagnosis, n) for n in operation.outputs]
        if not any(t is not None and bool(t.isnan().any()) for t in outputs):
            if infinite is None and any(t is not None and bool(t.isinf().any()) for t in outputs):
                infinite = Finding(
                    "nan",
                    operation.place,
                    f"The result of {operation.name} is infinite here.",
                    op=operation.name,
                    node=k,
                )
            continue
        inputs = [_numbers(diagnosis, n) for n in operation.inputs]
        nan_inputs = [
            n for n, t in zip(operation.inputs, inputs, strict=True) if t is not None and bool(t.isnan().any())
        ]
        name = operation.name.strip("_.")
        if nan_inputs:
            detail = f"{name} got a nan that no operation of the block computed: it was in the data or in a parameter."
        else:
            also = " after an infinity, " + infinite.place.text if infinite is not None else ""
            detail = f"The inputs of {name} have no nan, its result has one{also}."
        return Finding("nan", operation.place, detail, op=name, node=k, gradient="nan")
    return infinite


def _finite(tensor: Any) -> bool:
    return bool(torch.isfinite(tensor.detach()).all())


def _numbers(diagnosis: Diagnosis, number: int) -> Any:
    value = diagnosis.recording.values[number]
    found = value.copy if value.copy is not None else value.tensor
    return found.detach() if found is not None and found.is_floating_point() else None


def from_stored_gradient(diagnosis: Diagnosis, source: Any, source_name: str) -> Finding | None:
    """What the stored gradient says where the graph was freed before the tape could look at it."""
    gradient = source.grad if source.is_leaf or source.retains_grad else None
    if gradient is None:
        return None
    forward = None
    if not _finite(gradient):
        forward = _first_nan_value(diagnosis)
        detail = "The graph was freed by a backward pass outside of the block; call backward() inside, and the line is found."
        return forward or Finding("nan", detail=detail, op="the target")
    if not bool(gradient.any()):
        detail = "The graph was freed by a backward pass outside of the block; call backward() inside, and the line is found."
        return Finding("zero_slope", _flat_line(diagnosis), detail, op="the target")
    return None


def _flat_line(diagnosis: Diagnosis) -> SourceLocation:
    """The last operation on the way that is known to be flat at places."""
    if diagnosis.paths is not None:
        for k in sorted(diagnosis.paths.needed, reverse=True):
            operation = diagnosis.recording.operations[k]
            if operation.name.strip("_") in _FLAT:
                return operation.place
    return SourceLocation("", 0, "")
