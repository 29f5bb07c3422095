"""All messages for tapes of many kinds: none may fail, and cotangents equal the tape's own gradient."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autodiff_kit as ak

from .conftest import unpacked

Program = Callable[[], tuple[Any, Any, list[Any]]]
PROGRAMS: dict[str, Program] = {}


def program(function: Program) -> Program:
    """A tape, its target and its sources."""
    PROGRAMS[function.__name__] = function
    return function


def on_tape(function: Any, *values: Any, persistent: bool = True) -> tuple[Any, Any, list[Any]]:
    sources = [ak.Variable(v) for v in values]
    with ak.GradientTape(persistent=persistent) as tape, np.errstate(all="ignore"):
        y = function(*sources)
    return tape, y, sources


@program
def joining() -> Any:
    a, b = np.arange(6.0).reshape(2, 3), np.ones((2, 3))
    return on_tape(lambda x, y: ak.sum(ak.concat([x, y, x], axis=0) ** 2) + ak.sum(ak.stack([x, y])), a, b)


@program
def sixteen_bits() -> Any:
    return on_tape(lambda x: ak.sum(ak.exp(x) * x), np.array([0.5, 1.5, 60.0], np.float16))


@program
def nothing_in_it() -> Any:
    return on_tape(lambda x: ak.sum(x * 2.0), np.zeros((0, 3)))


@program
def whole_numbers_and_choices() -> Any:
    return on_tape(lambda x: ak.sum(ak.where(x > 1.0, x, ak.floor(x)) * ak.cast(x, "int64")), np.array([0.5, 1.5, 2.5]))


@program
def rows_of_a_large_table() -> Any:
    ids = np.array([3, 4, 3])
    return on_tape(lambda x: ak.sum(ak.square(ak.take(x, ids, axis=0))), np.ones((5000, 4)))


@program
def a_variable_that_is_assigned() -> Any:
    x = ak.Variable([1.0, 2.0])
    with ak.GradientTape(persistent=True) as tape:
        y = ak.sum(x * x)
        x.assign([3.0, 4.0])
        y = y + ak.sum(x * 2.0)
    return tape, y, [x]


@program
def a_gradient_of_a_gradient() -> Any:
    x = ak.Variable([1.0, 2.0])
    with ak.GradientTape(persistent=True) as outer:
        with ak.GradientTape() as inner:
            y = ak.sum(x * x * x)
        g = inner.gradient(y, x)
        z = ak.sum(g)
    return outer, z, [x]


@program
def a_tape_beside_a_forward_accumulator() -> Any:
    x = ak.constant([1.0, 2.0])
    with ak.GradientTape(persistent=True) as tape, ak.ForwardAccumulator(x, [1.0, 0.0]) as forward:
        tape.watch(x)
        y = ak.sum(ak.sin(x) * x)
    assert forward.jvp(y) is not None
    return tape, y, [x]


@program
def an_operation_of_one_s_own() -> Any:
    @ak.custom_gradient
    def clipped(x: Any) -> Any:
        return x * 1.0, lambda g: ak.clip(g, -0.1, 0.1)

    return on_tape(lambda x: ak.sum(clipped(x) * 3.0), np.array([1.0, 2.0]))


@program
def neurons() -> Any:
    rng = np.random.default_rng(0)

    def net(x: Any, w: Any) -> Any:
        return ak.mean(ak.nn.softmax(ak.nn.relu(x @ w), axis=-1) * np.arange(5.0))

    return on_tape(net, rng.normal(size=(4, 3)), rng.normal(size=(3, 5)))


@program
def a_relu_that_keeps_a_mask() -> Any:
    return on_tape(lambda x: ak.sum(ak.nn.relu(ak.nn.relu(x) - 0.5) * 2.0), np.array([-1.0, 0.2, 2.0]))


@program
def numbers_alone() -> Any:
    return on_tape(lambda x: ak.exp(x) / (x + 2.0) - 3.0**x, 1.5, persistent=False)


@program
def linear_algebra() -> Any:
    a = np.array([[3.0, 1.0], [1.0, 2.0]])
    return on_tape(lambda x: ak.det(x) + ak.sum(ak.solve(x, np.ones((2, 1)))) + ak.sum(ak.einsum("ij,kj->ik", x, x)), a)


@program
def an_optimizer_has_moved_the_weights() -> Any:
    w = ak.Variable(np.ones((3, 2)), name="w")
    opt = ak.optim.Adam(0.1)
    with ak.GradientTape(persistent=True) as tape:
        y = ak.sum(ak.square(np.ones((4, 3)) @ w))
    opt.apply_gradients([(tape.gradient(y, w), w)])
    return tape, y, [w]


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("visible", [True, False])
def test_every_message_is_answered(page: Any, name: str, visible: bool) -> None:
    page.ask("tape.watch", on=visible)
    tape, y, sources = PROGRAMS[name]()
    page.names = {"tape": tape, "y": y, **{f"s{k}": s for k, s in enumerate(sources)}}
    (known,) = [t for t in page.ask("tape.list")["tapes"] if t["tape"] == page.inspector.history.entry_of(tape).id]
    ident = known["tape"]
    n = page.ask("tape.head", tape=ident)["n"]
    assert known["n"] == n
    columns = unpacked(page.ask("tape.columns", tape=ident, a=0, b=n))
    assert len(columns["op"]) == n
    target = page.ask("tape.explain", tape=ident, target="y", source="s0")["target"]
    grads = [None if g is None else np.asarray(g) for g in gradients(tape, y, sources)]
    for k, wanted in enumerate(grads):
        told = page.ask("tape.explain", tape=ident, target="y", source=f"s{k}")
        assert told["connected"] == (wanted is not None)
        if not visible and not tape._persistent:
            continue
        page.ask("tape.sweep", tape=ident, target=target)
        got = page.ask("tape.array", tape=ident, node=told["source"], what="cotangent", limit=100_000)
        assert got["shape"] == list(np.shape(wanted))
        numbers = [float(x) for x in got["data"]]
        np.testing.assert_allclose(np.reshape(numbers, got["shape"]), wanted, rtol=1e-12, equal_nan=True)
        jacobian = page.ask("tape.jacobian", tape=ident, target=target, source=told["source"], limit=40)
        assert "error" not in jacobian
        if jacobian["rows"] is not None:
            flat = [float(x) for x in jacobian["rows"][0]]
            np.testing.assert_allclose(flat, np.ravel(wanted), rtol=1e-4, atol=1e-5)
    for request in ("tape.kinds", "tape.cost"):
        assert "error" not in page.ask(request, tape=ident, a=0, b=n)
    values = page.ask("tape.values", tape=ident, a=0, b=n, what=["value", "cotangent"])
    assert "error" not in values
    if visible:
        assert all(row[0] is not None for row in values["rows"])
    assert page.ask("tape.diff", a=ident, b=ident)["changed"] == []


def gradients(tape: Any, y: Any, sources: list[Any]) -> list[Any]:
    found = tape.gradient(y, sources)
    return [ak.constant(np.asarray(g)) if g is not None else None for g in found]
