"""Errors of the transforms: every wrong argument raises one of the kit's errors."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import autodiff_kit as ak
from autodiff_kit.core.numpy_protocol import Value
from autodiff_kit.errors import AutodiffError, DtypeError, ShapeError, StructureError
from autodiff_kit.pytree import flatten

POINTS: list[Any] = [
    1.0, 2, -1.5, np.nan, True, None, "abc", b"abc", 1j, object(), ..., slice(3), set(), {1.0, 2.0}, range(3),
    [1.0, 2.0], [1, 2], [], [[1.0], [1.0, 2.0]], [None], ["a"], (1.0, [2.0]), {}, {"a": 1.0}, {"a": [1.0, None]},
    np.array([1.0, 2.0]), np.array([1.0, 2.0], "float16"), np.ones((2, 2), "float32"), np.zeros((0, 3)), np.array(2),
    np.array([True]), np.array([1j]), np.array(["a"]), np.array([None]), np.array("2020-01-01", "datetime64"),
    np.float32(1.0), np.int8(1), ak.constant([1.0, 2.0]), ak.constant(3.0), ak.constant([1, 2]),
    ak.Variable([1.0, 2.0]),
]  # fmt: skip
PLACES: list[Any] = [0, 0, 0, 1, -1, 5, None, "x", (0,), (0, 0), (), [0], 1.5, True, (0, "x"), np.int64(0), (None,)]


def total(*args: Any) -> Any:
    leaves = [x for x in flatten(list(args)) if isinstance(x, Value) and x.dtype.kind == "f"]
    return sum((ak.sum(ak.sin(x)) for x in leaves), ak.constant(0.0))


FUNCTIONS: list[Any] = [
    total, total, lambda *a: a[0] if a else None, lambda *a: None, lambda *a: "text", lambda *a: np.ones(2),
    lambda *a: 1.0, lambda *a: [total(*a), total(*a)], lambda *a: {"t": total(*a), "n": None},
    lambda *a: ak.constant(1),
    lambda *a: ak.constant([1.0, 2.0]) * total(*a), lambda *a: ak.floor(total(*a)), lambda *a: (), None, "f", 3, ak,
]  # fmt: skip


@given(st.data())
@settings(max_examples=500, deadline=None)
def test_only_errors_of_the_kit_are_raised_by_transforms(data: st.DataObject) -> None:
    """For any object in place of a function, a point, a tangent, an axis or a mode."""
    f = data.draw(st.sampled_from(FUNCTIONS), "f")
    points = data.draw(st.lists(st.sampled_from(POINTS), max_size=2), "points")
    others = data.draw(st.sampled_from([*POINTS, points, tuple(points), points[:1]]), "others")
    place = data.draw(st.sampled_from(PLACES), "argnums")
    mode = data.draw(st.sampled_from(["auto", "forward", "reverse", "backward", None]), "mode")
    first = points[0] if points else 1.0
    calls = {
        "grad": lambda: ak.grad(f, place)(*points),
        "value_and_grad": lambda: ak.value_and_grad(f, place)(*points),
        "jacobian": lambda: ak.jacobian(f, place, mode)(*points),
        "hessian": lambda: ak.hessian(f, place)(*points),
        "vjp": lambda: ak.vjp(f, *points)[1](others),
        "jvp": lambda: ak.jvp(f, first, others),
        "jvp of several": lambda: ak.jvp(f, tuple(points), others),
        "hvp": lambda: ak.hvp(f, first, others),
        "hvp of several": lambda: ak.hvp(f, tuple(points), others),
        "hessian_norm": lambda: ak.hessian_norm(f, first, probes=2, seed=place, method=mode or "product"),
        "hessian_norm of probes": lambda: ak.hessian_norm(f, first, probes=others, method="perturbation", step=place),
        "per_example_gradients": lambda: ak.per_example_gradients(f, others, *points, weights=place),
        "check_gradients": lambda: ak.check_gradients(f, others, modes=mode, step=place),
        "check_gradients at points": lambda: ak.check_gradients(f, points, order=place),
    }
    with np.errstate(all="ignore"), contextlib.suppress(AutodiffError):
        calls[data.draw(st.sampled_from(sorted(calls)), "transform")]()


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (
            lambda: ak.grad(ak.sin)([1.0, 2.0]),
            StructureError,
            r"one number.* returned shape \(2,\)",
        ),
        (lambda: ak.grad(ak.sin)(1), DtypeError, r"int64; write 5\.0 instead of 5"),
        (lambda: ak.grad(3.0), DtypeError, r"ak\.grad needs a function, got float"),
        (lambda: ak.grad(lambda x: float(x))(1.0), DtypeError, "returned a float, not a tensor"),
        (lambda: ak.grad(ak.sin, "x")(1.0), StructureError, "argnums must be an integer"),
        (lambda: ak.grad(ak.sin, 1)(1.0), StructureError, "names argument 1, but 1 were given"),
        (lambda: ak.vjp(lambda x: None, 1.0), DtypeError, "NoneType"),
        (lambda: ak.vjp(ak.sin, [1.0, 2.0])[1]([1.0]), StructureError, r"\(1,\), but the target has \(2,\)"),
        (lambda: ak.vjp(ak.sin, 1.0)[1]("a"), DtypeError, "str"),
        (lambda: ak.jvp(ak.sin, (1.0,), 1.0), StructureError, "tuple of as many tangents"),
        (lambda: ak.jvp(ak.sin, (1.0,), (1.0, 2.0)), StructureError, "1 primals and 2 tangents"),
        (lambda: ak.jvp(ak.sin, [1.0, 2.0], [1.0]), ShapeError, r"shape \(1,\), but its primal has \(2,\)"),
        (lambda: ak.jvp(lambda p: p["a"], ({"a": 1.0},), ({"b": 1.0},)), StructureError, "keys"),
        (lambda: ak.jvp(ak.sin, (1.0,), (1j,)), DtypeError, "real numbers only, got complex128"),
        (lambda: ak.jacobian(ak.sin, mode="sideways")([1.0]), StructureError, "sideways"),
        (lambda: ak.hessian(ak.sum, (0, 1))([1.0]), StructureError, "a single argnums"),
        (lambda: ak.hvp(ak.sin, [1.0, 2.0], [1.0, 0.0]), StructureError, "one number"),
    ],
)
def test_messages_of_errors(call: Callable[[], Any], error: Any, words: str) -> None:
    with pytest.raises(error, match=words):
        call()


@pytest.mark.parametrize("given", [{}, "abc", 1j, object(), [[1.0], [1.0, 2.0]], [None, 1.0], [1j, 2.0], set()])
def test_invalid_output_gradients(given: Any) -> None:
    x = ak.constant([1.0, 2.0])
    with ak.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
    with pytest.raises(AutodiffError):
        tape.gradient(y, x, output_gradients=given)
    assert tape.gradient(y, x, output_gradients=[1, 0]).tolist() == [2.0, 0.0]
    assert tape.gradient(y, x, output_gradients=np.array([1.0, -1.0], "float32")).tolist() == [2.0, -4.0]


@pytest.mark.parametrize(
    "order", [("reverse", "reverse"), ("forward", "forward"), ("reverse", "forward"), ("forward", "reverse")]
)
@pytest.mark.parametrize(
    "f",
    [
        lambda x: ak.solve(ak.constant([[3.0, 1.0], [0.5, 2.0]]) * ak.exp(x), x * x),
        lambda x: ak.einsum("ij,j,j->i", ak.outer(x, x), x, ak.sin(x)),
        lambda x: ak.matmul(ak.outer(x, x), ak.exp(x)),
        lambda x: ak.inv(ak.outer(x, x) + np.eye(2)) @ x,
        lambda x: ak.concat([x * x, ak.cumsum(x) * x]),
        lambda x: ak.where(x > 0, ak.prod(x) * x, x),
    ],
)  # fmt: skip
def test_jacobians_of_jacobians_in_all_orders(f: Any, order: tuple[str, str]) -> None:
    """Records that have leading axes themselves, in both modes with further leading axes."""
    x = np.array([0.7, -0.4])
    inner, outer = order
    found = ak.jacobian(ak.jacobian(f, mode=inner), mode=outer)(x).numpy()
    steps = 1e-5 * np.eye(2)
    slope = ak.jacobian(f, mode="reverse")
    expected = np.stack([(slope(x + d).numpy() - slope(x - d).numpy()) / 2e-5 for d in steps], -1)
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-7)
