"""Which rows of behaviours.md stand: rows that cut across the core, and a list of where all the others are tested."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import autodiff_kit as ak
from autodiff_kit.core.calling import record
from autodiff_kit.core.rules import Op
from autodiff_kit.core.tensor import lift
from autodiff_kit.errors import UnknownGradientError

HERE = Path(__file__).parent
STANDING = {
    *(f"B{k:02}" for k in range(1, 18)), "B19", "B45",
    *(f"B{k:02}" for k in (*range(22, 33), *range(37, 44))),
}  # fmt: skip
"""The rows that the core answers today. Rows about a part that is still to come join when it does."""


def _rows_in(path: Path) -> set[str]:
    """Rows that the docstrings of a file's tests name."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            text = ast.get_docstring(node) or ""
            for first, last in re.findall(r"\b(B\d\d)(?: to (B\d\d))?\b", text):
                found |= {f"B{k:02}" for k in range(int(first[1:]), int(last[1:] if last else first[1:]) + 1)}
    return found


def test_every_row_that_stands_is_named_by_a_test() -> None:
    named: set[str] = set()
    for folder in ("core", "rules", "optim", "nn", "."):
        for path in (HERE / folder).glob("test_*.py"):
            if path != Path(__file__):
                named |= _rows_in(path)
    named |= _rows_in(Path(__file__))
    assert named >= STANDING, f"rows without a test: {sorted(STANDING - named)}"


def _without_a_rule(x: Any) -> Any:
    op = Op("mystery", np.asarray)
    t = lift(x)
    return record(op, t._value, (t._value,), (t.node,))


def test_an_operation_without_a_rule_says_how_to_register_one() -> None:
    """B10: LookupError that names the operation, both ways."""
    w = ak.Variable([1.0, 2.0])
    with ak.GradientTape() as tape:
        y = _without_a_rule(w) * 2.0
    with pytest.raises(
        UnknownGradientError, match=r"'mystery' has no gradient.*register_gradient.*'Mystery'"
    ) as caught:
        tape.gradient(y, w)
    assert isinstance(caught.value, LookupError)
    with pytest.raises(UnknownGradientError, match="mystery"), ak.ForwardAccumulator(w, [1.0, 1.0]):
        _without_a_rule(w)


def test_cross_entropy_is_neither_binary_terms_nor_a_softmax_twice() -> None:
    """B37: 1.4076, where the two mistakes give 2.5963 and 1.2177."""
    logits, label = np.array([0.0, 1.0, 2.0]), 1
    p = ak.nn.softmax(logits).numpy()
    binary = -sum(np.log(q) if k == label else np.log(1 - q) for k, q in enumerate(p))
    twice = float(ak.nn.sparse_softmax_cross_entropy(label, p))
    right = float(ak.nn.sparse_softmax_cross_entropy(label, logits))
    assert (right, float(binary), twice) == (
        pytest.approx(1.4076059, abs=1e-7), pytest.approx(2.5963, abs=5e-5), pytest.approx(1.2177, abs=5e-5),
    )  # fmt: skip


def test_three_ways_to_stay_feasible() -> None:
    """B43: projection, penalty, reparametrisation of min ½(w - 2)² with w ≤ 1: 1, then 1.5, 1.1, 1.01, and 1."""

    def end(loss: Any, w: Any, rate: float = 0.005, steps: int = 3000) -> float:
        opt = ak.optim.SGD(rate)
        for _ in range(steps):
            opt.minimize(lambda: loss(w), [w])
        return float(w)

    projected = end(lambda w: 0.5 * (w - 2.0) ** 2, ak.Variable(0.0, constraint=lambda v: min(v, 1.0)))
    assert projected == 1.0
    for strength, expected in ((1.0, 1.5), (9.0, 1.1), (99.0, 1.01)):
        penalty = end(
            lambda w, s=strength: 0.5 * (w - 2.0) ** 2 + 0.5 * s * ak.maximum(w - 1.0, 0.0) ** 2, ak.Variable(0.0)
        )
        assert penalty == pytest.approx(expected, abs=1e-6)
    u = ak.Variable(0.0)
    end(lambda u: 0.5 * (1.0 - ak.softplus(u) - 2.0) ** 2, u, rate=0.5, steps=2000)
    assert 0.99 < 1.0 - float(ak.softplus(u.numpy())) < 1.0


def test_the_step_is_not_the_gradient() -> None:
    """B40, lesson 14: with momentum .9 and gradients of 1 the steps are -.1, -.19, -.271, in all -.561."""
    w, opt = ak.Variable(0.0), ak.optim.SGD(0.1, momentum=0.9)
    steps = []
    for _ in range(3):
        opt.apply_gradients([(1.0, w)])
        steps.append(float(opt.last_update(w)))
    assert steps == pytest.approx([-0.1, -0.19, -0.271])
    assert float(w) == pytest.approx(-0.561)
