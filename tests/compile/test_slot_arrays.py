"""Optimizer slots, outputs and ids whose arrays somebody replaces or changes between calls of compiled functions.

Kernels know addresses. The array behind an address is kept, and compared at each call with the one that is in use.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import autodiff_kit as ak
from autodiff_kit import kernels
from autodiff_kit.compile.run.execution_plan import build_kernels_now
from autodiff_kit.errors import AutodiffError, LabelError, RangeError, StructureError

pytestmark = pytest.mark.skipif(not kernels.enabled(), reason="needs kernels")

N = 600


class Momentum(ak.optim.Optimizer):
    """Puts new arrays into its slots, as its base class allows."""

    _slots = ("m",)

    def _initial_slots(self, like: Any) -> dict[str, Any]:
        return {"m": 0.0 * like}

    def _update(self, _w: Any, g: Any, slots: Any) -> Any:
        slots["m"] = 0.9 * slots["m"] + g
        return -self.learning_rate * slots["m"]


class Mean(ak.optim.Optimizer):
    """Begins with the value itself as its slot."""

    _slots = ("mean",)

    def _initial_slots(self, like: Any) -> dict[str, Any]:
        return {"mean": like}

    def _update(self, w: Any, g: Any, slots: Any) -> Any:
        slots["mean"] = 0.5 * slots["mean"] + 0.25 * (w - g)
        return -self.learning_rate * g


class Shrinking(Momentum):
    """Its slot has four rows at first, and two after a step."""

    def _initial_slots(self, like: Any) -> dict[str, Any]:
        return {"m": np.zeros((4, *like.shape))}

    def _update(self, _w: Any, g: Any, slots: Any) -> Any:
        slots["m"] = 0.9 * slots["m"][-2:] + g
        return -self.learning_rate * slots["m"][0]


@pytest.mark.parametrize("make", [ak.optim.Adam, Momentum])
@pytest.mark.parametrize("compiled", [True, False])
def test_two_functions_and_eager_steps_take_turns(make: Any, compiled: bool) -> None:
    """One plan writes slots in place; the other one, in which a call reads the new weights, makes new arrays."""

    def run(compile_: Any, order: str) -> list[Any]:
        w, opt, x = ak.Variable(np.ones(N)), make(0.1), np.zeros(N)

        def step(x: Any) -> Any:
            return opt.minimize(lambda: ak.sum((w - x) ** 2), [w])

        def report(x: Any) -> Any:
            step(x)
            return ak.cumsum(w * 1.0)

        functions = {"s": compile_(step), "r": compile_(report), "e": step}
        found, held = [], []
        for name in "sr":
            functions[name](x)
            if compile_ is ak.compile:
                build_kernels_now(functions[name])
        for name in order:
            functions[name](x)
            found.append(w.numpy().copy())
            held += [np.full(N, 7.0) for _ in range(8)]  # where dropped arrays were
        assert all((h == 7.0).all() for h in held)
        return found

    order = "srrs" * 2 + ("" if compiled else "eseresse")
    for mine, eager in zip(run(ak.compile, order), run(lambda f: f, order), strict=True):
        np.testing.assert_allclose(mine, eager, rtol=1e-12)


def test_a_slot_keeps_its_shape() -> None:
    w, opt = ak.Variable(np.ones(N)), Shrinking(0.1)
    with pytest.raises(StructureError, match=r"changes its slot 'm' from shape \(4, 600\) to \(2, 600\)"):
        ak.compile(lambda: opt.minimize(lambda: ak.sum(w * w), [w]))()
    w, opt = ak.Variable(np.ones(N)), Momentum(0.1)
    step = ak.compile(lambda: opt.minimize(lambda: ak.sum(w * w), [w]))
    step()
    build_kernels_now(step)
    step()
    opt._own_slots(w)["m"] = np.zeros(3)
    with pytest.raises(StructureError, match="when it was traced"):
        step()


def test_initial_slots_are_copies() -> None:
    w, opt, x = ak.Variable(np.ones(N)), Mean(0.1), np.zeros(N)
    step = ak.compile(lambda x: opt.minimize(lambda: ak.sum((w - x) ** 2), [w]))
    fresh = opt.state_dict()
    opt.load_state_dict(fresh, strict=False)
    step(x)
    build_kernels_now(step)
    step(x)
    opt.load_state_dict(fresh, strict=False)
    read = w.read_value()
    before = read.numpy().copy()
    step(x)
    assert read.numpy().tolist() == before.tolist()


@pytest.mark.parametrize("change", [lambda y: setattr(y, "shape", (-1,)), lambda y: y.resize((4,), refcheck=False)])
@pytest.mark.filterwarnings("ignore:Setting the shape:DeprecationWarning")
def test_an_output_that_was_reshaped_is_not_handed_out_again(change: Any) -> None:
    f, x = ak.compile(lambda x: np.sin(x) * 2 + 1), np.zeros((512, 512))
    f(x)
    build_kernels_now(f)
    y = f(x)
    change(y)
    del y
    assert [f(x).shape for _ in range(3)] == [(512, 512)] * 3


def test_ids_that_were_changed_after_the_trace() -> None:
    ids = np.arange(64) % 8
    ids.flags.writeable = False
    f, x = ak.compile(lambda x: ak.segment.segment_sum(x, ids, 8) * 2), np.ones((64, 100))
    f(x)
    ids.flags.writeable = True
    ids[:] = 10**7
    build_kernels_now(f)
    with pytest.raises((AutodiffError, IndexError)):
        f(x)


def test_labels_that_were_changed_before_the_gradient() -> None:
    kernels.compile_all_loops()
    labels = np.arange(64) % 8
    labels.flags.writeable = False
    x = ak.Variable(np.ones((64, 8)))
    with ak.GradientTape() as tape:
        loss = ak.sum(ak.nn.sparse_softmax_cross_entropy(labels, x))
    labels.flags.writeable = True
    labels[:] = 10**7
    with pytest.raises(LabelError):
        tape.gradient(loss, x)


@pytest.mark.parametrize("kind", ["uint8", "int8", "int16", "uint32", "uint64"])
@pytest.mark.parametrize("loops", [True, False])
def test_ids_of_every_integer_dtype(kind: str, loops: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if loops:
        kernels.compile_all_loops()
    else:
        monkeypatch.setattr(kernels, "compiled_loop", lambda _: None)
    ids = np.array([3, 100, 120], kind)
    for rows in (250, 400):
        for width in (1, 16, 300):
            g = ak.grad(lambda x: ak.sum(ak.take(x, ids, axis=0)))(np.zeros((rows, width)))
            assert np.flatnonzero(g.numpy().any(1)).tolist() == [3, 100, 120]
    with pytest.raises(RangeError):
        ak.grad(lambda x: ak.sum(ak.take(x, ids, axis=0)))(np.zeros((110, 3)))


@pytest.mark.slow
@pytest.mark.parametrize("seconds", [0.0, 0.3, 1.0])
def test_a_process_that_ends_while_loops_are_compiled(seconds: float, tmp_path: Path) -> None:
    program = (
        "import time, numpy as np, autodiff_kit as ak\n"
        f"for _ in range(250): ak.nn.relu(np.ones(400))\ntime.sleep({seconds})"
    )
    empty = {"NUMBA_CACHE_DIR": str(tmp_path), "AUTODIFF_KIT_CACHE": str(tmp_path)}
    subprocess.run([sys.executable, "-c", program], env=os.environ | empty, check=True, timeout=600)
