"""Floating-point operations of PyTorch's functions, from shapes: products and convolutions exactly, others by entries."""

from __future__ import annotations

import math
from typing import Any

from autodiff_kit.recorders.pytorch.recording import Operation, Recording

__all__ = ["operation_flops"]

_PRODUCTS = frozenset(
    [
        "matmul",
        "mm",
        "bmm",
        "addmm",
        "baddbmm",
        "linear",
        "__matmul__",
        "__rmatmul__",
        "mv",
        "dot",
        "inner",
        "bilinear",
        "addbmm",
        "addmv",
    ]
)
_CONVOLUTIONS = frozenset(["conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d"])
_MOVES = frozenset(
    [
        "view",
        "reshape",
        "transpose",
        "permute",
        "squeeze",
        "unsqueeze",
        "expand",
        "flatten",
        "unflatten",
        "chunk",
        "split",
        "unbind",
        "cat",
        "stack",
        "clone",
        "contiguous",
        "detach",
        "to",
        "__getitem__",
        "__setitem__",
        "select",
        "narrow",
        "repeat",
        ".data",
        ".T",
        ".mT",
        "t",
        "movedim",
        "swapaxes",
        "tensor",
        "as_tensor",
        "from_numpy",
        "zeros",
        "ones",
        "empty",
        "full",
        "zeros_like",
        "ones_like",
        "empty_like",
        "rand",
        "randn",
        "randint",
        "arange",
        "requires_grad_",
        "retain_grad",
        "embedding",
        "item",
        "tolist",
        "numpy",
        "__float__",
        "__bool__",
        "float",
        "double",
        "half",
        "long",
        "int",
        "bool",
        "cpu",
        "cuda",
        "type",
        "gather",
        "index_select",
        "numpy_T",
        "pad",
        "roll",
        "flip",
        "tril",
        "triu",
        "expand_as",
        "view_as",
        "reshape_as",
        "grad",
    ]
)


def operation_flops(recording: Recording, operation: Operation, needed: bool) -> tuple[int, int]:
    """Forward and backward operations of one call; backward only if the target needs it and gradients were on."""
    values = [recording.values[n] for n in operation.inputs]
    outputs = [recording.values[n] for n in operation.outputs]
    followed = [v for v in values if v.required_grad]
    back = needed and operation.grad and bool(followed) and any(v.required_grad for v in outputs)
    if not outputs or operation.name in _MOVES:
        return 0, 0
    shapes, out = [tuple(v.shape) for v in values], tuple(outputs[0].shape)
    if operation.name in _PRODUCTS and len(shapes) >= 2:
        forward = _product(operation.name, shapes, out)
        factors = sum(
            v.required_grad for v in (values[1:] if operation.name.startswith(("addm", "baddb")) else values[:2])
        )
        return forward, forward * factors if back else 0
    if operation.name in _CONVOLUTIONS and len(shapes) >= 2:
        weight = shapes[1]
        per_output = (
            math.prod(weight[1:]) if not operation.name.startswith("conv_t") else math.prod(weight[:1] + weight[2:])
        )
        forward = 2 * math.prod(out) * per_output
        return forward, forward * sum(v.required_grad for v in values[:2]) if back else 0
    forward = max(math.prod(s) for s in (out, *shapes))
    return forward, forward * len(followed) if back else 0


def _product(name: str, shapes: list[Any], out: Any) -> int:
    """2 · entries of the result · length of the sums."""
    first = shapes[1] if name.startswith(("addm", "baddb")) and len(shapes) > 2 else shapes[0]
    return int(2 * math.prod(out) * (first[-1] if first else 1))
