"""The fast paths agree with the plain ones: dispatch of one and two values, and the ordinary backward pass."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import autodiff_kit as ak
from autodiff_kit.core.array_spec import ArraySpec
from autodiff_kit.core.backward import backward
from autodiff_kit.core.dispatch import compute, record_op
from autodiff_kit.core.fast_backward import fast_backward
from autodiff_kit.core.numpy_protocol import canonical
from autodiff_kit.core.operation import OPS, Op

NAMES = [
    key for key, op in OPS.items()
    if op.family == "elementwise" and op.function is not None and op.value.__code__.co_argcount < 3
    and op.value.__code__.co_argcount == len(op.vjps)
]  # fmt: skip
VALUES = [0.7, np.array([0.3, 0.8]), np.array([[0.4], [0.6]])]


def pairs(op: Op) -> Iterator[tuple[Any, ...]]:
    for value in VALUES if op.residual is None else VALUES[1:]:  # a residual, such as a mask, exists for arrays only
        if op.value.__code__.co_argcount == 1:
            yield (value,)
        else:
            yield from ((value, other) for other in VALUES)


def same(a: Any, b: Any) -> bool:
    """Equal except for the last digit, in which Python's math and NumPy may differ."""
    return np.shape(a) == np.shape(b) and np.allclose(a, b, rtol=1e-14, atol=0, equal_nan=True)


def plain_dispatch(op: Op, tensors: list[Any]) -> Any:
    """The definition of `dispatch` for any operation: compute with NumPy, then record."""
    values = tuple(np.float64(t._value) if type(t._value) is float else t._value for t in tensors)
    y = canonical(compute(op, values, {}))
    values = tuple(map(float, values)) if type(y) is float else values
    return record_op(op, y, values, tuple(t.node for t in tensors))


@pytest.mark.parametrize("name", NAMES)
def test_fast_dispatch_writes_the_same_node(name: str) -> None:
    op = OPS[name]
    for values in pairs(op):
        shift = 1.5 if op.domain == "above one" else 0.0
        inputs = [ak.constant(np.asarray(value) + np.asarray(value).dtype.type(shift)) for value in values]
        with np.errstate(all="ignore"), ak.GradientTape() as tape:
            tape.watch(inputs)
            fast = op.function(*inputs)  # type: ignore[misc]
            plain = plain_dispatch(op, inputs)
        assert same(fast._value, plain._value)
        assert fast.dtype == plain.dtype
        one, other = fast.node, plain.node
        assert one.op is other.op
        assert one.inputs == other.inputs
        for a, b in zip(one.saved[1:], other.saved[1:], strict=True):
            assert type(a) is type(b)
            assert a == b if type(a) is ArraySpec else same(a, b)


def cotangents(run: Any, tape: ak.GradientTape, target: Any, leaves: list[Any]) -> list[Any]:
    nodes = tape._record.nodes
    target.node.cotangent = np.ones(target.shape, target.dtype) if target.shape else 1.0
    run(nodes)
    found = [leaf.node.cotangent for leaf in leaves]
    for node in (*nodes, *(leaf.node for leaf in leaves)):
        node.cotangent = None
    return found


def loop(x: Any, y: Any) -> Any:
    for _ in range(5):
        x = ak.sin(x) * y + ak.exp(-x) / (1.0 + y * y)
    return x


PROGRAMS = {
    "scalars": (loop, (0.7, 0.2)),
    "arrays": (loop, (np.linspace(0.1, 1, 6).reshape(2, 3), np.float32([0.2, 0.3, 0.4]))),
    "a network": (lambda x, w: ak.sum(ak.nn.softmax(ak.tanh(x @ w)) ** 2, axis=0), (np.eye(3), np.ones((3, 2)) / 3)),
    "views and joins": (lambda x, y: ak.concat([x[1:], ak.reshape(y, (-1,))]) ** 3, (np.arange(4.0), np.ones((2, 2)))),
    "where Python raises": (lambda x, y: ak.sqrt(x) + ak.log(x + y) / y, (0.0, 0.0)),
    "a value read often": (lambda x, y: x * x * x + y * x + x, (0.3, np.ones(3))),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_fast_backward_pass_gives_the_same_cotangents(name: str) -> None:
    program, values = PROGRAMS[name]
    leaves = [ak.constant(value) for value in values]
    with np.errstate(all="ignore"), ak.GradientTape(persistent=True) as tape:
        tape.watch(leaves)
        target = program(*leaves)
    with np.errstate(all="ignore"):
        fast = cotangents(fast_backward, tape, target, leaves)
        plain = cotangents(backward, tape, target, leaves)
    for a, b in zip(fast, plain, strict=True):
        assert np.array_equal(np.asarray(a), np.asarray(b), equal_nan=True)
        assert np.asarray(a).dtype == np.asarray(b).dtype


COMPARISONS = ["Less", "LessEqual", "Greater", "GreaterEqual", "Equal", "NotEqual"]


@pytest.mark.parametrize("name", COMPARISONS)
def test_comparisons_of_scalars_write_the_same_node_without_numpy(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    op = OPS[name]
    x, y, missing = ak.constant(0.5), ak.constant(0.7), ak.constant(float("nan"))
    with ak.GradientTape() as tape:
        tape.watch([x, y, missing])
        for a, b in ((x, y), (y, x), (x, x), (x, missing), (x, 0.7), (x, 1), (0.2, x), (missing, 0.5)):
            plain = plain_dispatch(op, [ak.constant(v) if type(v) in (int, float) else v for v in (a, b)])
            with monkeypatch.context() as patch:
                patch.setattr(op, "value", None)
                fast = op.function(a, b)  # type: ignore[misc]
            assert type(fast._value) is type(plain._value)
            assert fast._value == plain._value
            one, other = fast.node, plain.node
            assert (one.op, one.inputs, one.spec, one.lasti > 0) == (other.op, other.inputs, other.spec, True)
            assert one in tape._record.nodes
    assert bool(ak.constant(0.5) < 0.7)
    assert tape.gradient(fast, x) is None
