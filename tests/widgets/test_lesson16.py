"""Lesson 16's widget: three balls on real tapes, and where each of them ends."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import traitlets

import autodiff_kit as ak
from autodiff_kit.widgets.lesson16 import REGIONS, START, STEPS, WAYS, ConstrainedDescent


def ends(widget: ConstrainedDescent) -> dict[str, Any]:
    return {way: widget.paths[way][-1] for way in WAYS}


# ----------------------------------------------------------------------------------------------------- lesson's numbers
@pytest.mark.parametrize(("penalty", "rate", "end"), [(1.0, 0.3, 1.5), (9.0, 0.1, 1.1), (29.0, 0.06, 31 / 30)])
def test_a_penalty_stops_outside(penalty: float, rate: float, end: float) -> None:
    widget = ConstrainedDescent(penalty=penalty, rate=rate)
    found = ends(widget)
    assert found["penalise"][0] == pytest.approx(end, abs=1e-3)
    assert widget.outside["penalise"][-1] == pytest.approx(end - 1, abs=1e-3)
    assert found["project"][0] == 1.0
    assert widget.outside["project"][-1] == widget.outside["reparametrise"][-1] == 0.0


def test_beyond_the_limit_it_never_settles() -> None:
    stable, wild = ConstrainedDescent(penalty=99.0, rate=0.019), ConstrainedDescent(penalty=99.0, rate=0.1)
    assert stable.limit == wild.limit == 0.02
    late = [w[0] for w in wild.paths["penalise"][12:]]
    assert max(late) - min(late) > 0.5
    rising = np.diff([w[0] for w in stable.paths["penalise"]])
    assert (rising > 0).all()


def test_free_numbers_come_nearer_by_one_over_the_steps() -> None:
    widget = ConstrainedDescent(target=[2.0, -0.5])
    assert 1 - ends(widget)["reparametrise"][0] == pytest.approx(1 / (0.1 * STEPS), rel=0.1)


# -------------------------------------------------------------------------------------------------------- every setting
@pytest.mark.parametrize("region", REGIONS)
@pytest.mark.parametrize("target", [[2.0, 0.5], [-1.0, 1.5], [0.25, 0.0], [3.0, -1.25]])
def test_what_must_stay_inside_does(region: str, target: list[float]) -> None:
    widget = ConstrainedDescent(region=region, target=target, rate=0.3)
    assert widget.error == ""
    for way in ("project", "reparametrise"):
        assert max(widget.outside[way]) < 1e-12
        assert widget.paths[way][0] == pytest.approx(START)
    assert len(widget.paths["project"]) == STEPS + 1 == len(widget.stepped) + 1


@pytest.mark.parametrize("region", REGIONS)
@pytest.mark.parametrize("target", [[2.0, 0.5], [1.5, -1.0], [0.25, 0.25]])
def test_the_best_is_where_projection_ends(region: str, target: list[float]) -> None:
    widget = ConstrainedDescent(region=region, target=target, rate=0.3)
    assert ends(widget)["project"] == pytest.approx(widget.best, abs=1e-4)


@pytest.mark.parametrize("region", REGIONS)
def test_each_ball_goes_as_it_would_alone(region: str) -> None:
    """One variable a ball, on tapes of their own, by the lesson's own words."""
    widget = ConstrainedDescent(region=region, rate=0.05, penalty=5.0)
    rule, target, weights = REGIONS[region], np.array(widget.target), np.array([1.0, 3.0])
    start = np.array(START)

    def alone(w: ak.Variable, place: Any, penalty: float) -> list[float]:
        optimizer = ak.optim.SGD(0.05)
        for _ in range(STEPS):
            with ak.GradientTape() as tape:
                at = place(w)
                out = ak.maximum(at[0] - 1.0, 0.0) if region == "half" else ak.norm(at) - 1.0
                out = ak.maximum(out, 0.0)
                loss = 0.5 * ak.sum(weights * (at - target) ** 2) + 0.5 * penalty * out**2
            optimizer.apply_gradients([(tape.gradient(loss, w), w)])
        return [float(one) for one in place(w).numpy()]

    def inside(z: Any) -> Any:
        if region == "half":
            return ak.stack([1.0 - ak.nn.softplus(z[0]), z[1]])
        return z / ak.sqrt(1.0 + ak.sum(z**2))

    found = ends(widget)
    assert found["project"] == pytest.approx(
        alone(ak.Variable(start, constraint=lambda w: rule.nearest(w[None])[0]), lambda w: w * 1.0, 0.0)
    )
    assert found["penalise"] == pytest.approx(alone(ak.Variable(start), lambda w: w * 1.0, 5.0))
    assert found["reparametrise"] == pytest.approx(alone(ak.Variable(rule.free(start)), inside, 0.0))


def test_a_projected_step_is_a_step_and_the_nearest_point() -> None:
    widget = ConstrainedDescent(region="disc", rate=0.3)
    for before, out, after in zip(widget.paths["project"], widget.stepped, widget.paths["project"][1:], strict=False):
        step = [0.3 * (widget.target[0] - before[0]), 0.9 * (widget.target[1] - before[1])]
        assert out == pytest.approx([b + s for b, s in zip(before, step, strict=True)])
        assert after == pytest.approx([one / max(1.0, math.hypot(*out)) for one in out])


@pytest.mark.parametrize("bad", [[1.0], [4.0, 0.0], [0.0, 9.0], [float("nan"), 0.0]])
def test_a_target_off_the_picture_is_refused(bad: list[float]) -> None:
    widget = ConstrainedDescent()
    with pytest.raises(traitlets.TraitError, match="target is a point from"):
        widget.target = bad


def test_where_the_step_stands_asks_nothing() -> None:
    widget = ConstrainedDescent()
    paths = widget.paths
    widget.at = 3
    assert widget.paths is paths


def test_the_twin_and_the_figure_say_the_same() -> None:
    table = ConstrainedDescent().as_table()
    assert table.caption == "Allowed: w0 ≤ 1. Penalty 9, learning rate 0.1, step 32"
    assert [row[0] for row in table.rows] == list(WAYS)
    assert table.rows[1][1] == pytest.approx(1.1)
    lines = ConstrainedDescent(region="disc").static_figure().axes[0].get_lines()
    assert [line.get_label() for line in lines[1:4]] == list(WAYS)
