"""Lesson 15's widget: the kit's optimizers stepped through painted gradients, and what their slots do meanwhile."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import traitlets

import autodiff_kit as ak
from autodiff_kit.widgets import AdamSlots
from autodiff_kit.widgets.lesson15 import COUNT, LESSON_PRESETS, OPTIMIZERS, PRESETS

ONE_ZEROS: list[float | None] = [1.0, *[0.0] * 99]
ONE_NONES: list[float | None] = [1.0, *[None] * 99]


def end(widget: AdamSlots, which: int = 0) -> float:
    """Where a weight is after all steps; never -0."""
    return round(widget.slots[which]["w"][-1], 6) + 0.0


def act(which: int, step: int, name: str) -> dict[str, Any]:
    return {"which": which, "step": step, "act": name}


# ----------------------------------------------------------------------------------------------------- lesson's numbers
@pytest.mark.parametrize(
    ("optimizer", "zeros"),
    [("sgd", -0.1), ("momentum", -0.999973), ("rmsprop", -0.316228), ("adam", -0.600522), ("adamw", None)],
)
def test_one_gradient_then_zeros_or_none(optimizer: str, zeros: float | None) -> None:
    widget = AdamSlots(optimizer=optimizer, grads=[ONE_ZEROS, ONE_NONES])
    if zeros is not None:
        assert end(widget) == zeros
    assert end(widget, 1) == round(widget.slots[1]["w"][1], 6)  # None: no step at all after the first
    if optimizer in ("sgd", "adam"):
        assert end(widget, 1) == -0.1


def test_half_of_it_is_ghost_motion() -> None:
    slot = AdamSlots().slots[0]
    assert (round(slot["real"][-1], 6), round(slot["ghost"][-1], 6)) == (-0.1, -0.500522)
    assert slot["moved"][:3] == ["real", "ghost", "ghost"]
    assert AdamSlots().slots[1]["moved"] == ["real", *["still"] * 99]


def test_the_step_does_not_scale_with_the_loss() -> None:
    widget = AdamSlots(preset="loss × 1000")
    assert widget.scale == 1000.0
    assert [f"{slot['w'][3]:.4f}" for slot in widget.slots] == ["-0.3000", "-0.3000"]
    widget.scale = 1.0
    assert [f"{slot['w'][3]:.4f}" for slot in widget.slots] == ["-0.3000", "-0.3000"]


def test_zeros_do_not_freeze_and_none_does() -> None:
    widget = AdamSlots(preset="freeze after 50: by 0 | by None")
    drift = [slot["w"][-1] - slot["w"][50] for slot in widget.slots]
    assert f"{drift[0]:.4f}" == "-0.9761"
    assert drift[1] == 0.0


def test_adamw_decays_without_a_gradient_but_not_without_a_step() -> None:
    widget = AdamSlots(preset="AdamW: decay alone")
    assert (widget.optimizer, widget.start) == ("adamw", 1.0)
    assert (end(widget, 0), end(widget, 1)) == (0.904792, 1.0)


def test_a_row_that_is_seen_twice() -> None:
    widget = AdamSlots(preset="row seen at 1 and 51: dense | lazy")
    assert widget.names == ["dense row", "lazy row"]
    assert (end(widget, 0), end(widget, 1)) == (-1.144207, -0.195223)


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_real_and_ghost_motion_add_up_to_the_way_at_each_step(optimizer: str) -> None:
    strip = [1.0, 0.0, 0.0, None, -0.5, *[0.0] * 95]
    slot = AdamSlots(optimizer=optimizer, grads=[strip, ONE_NONES], start=0.5).slots[0]
    way = np.array(slot["w"]) - 0.5
    np.testing.assert_allclose(np.array(slot["real"]) + np.array(slot["ghost"]), way, atol=1e-6)
    np.testing.assert_allclose(np.cumsum(slot["moves"]), way[1:], atol=1e-6)
    assert slot["ghost"][1] == 0.0
    assert slot["real"][4] == slot["real"][1]  # zeros and None add nothing to it


def test_what_a_weight_got_is_the_scaled_gradient() -> None:
    assert AdamSlots(preset="loss × 1000").slots[1]["got"][:4] == [500.0, 500.0, 500.0, None]


@pytest.mark.parametrize("lesson", LESSON_PRESETS)
def test_a_lesson_opens_with_a_starting_point_of_its_own(lesson: int) -> None:
    widget = AdamSlots(lesson=lesson)
    assert widget.presets == LESSON_PRESETS[lesson]
    assert widget.preset == widget.presets[0]


def test_every_starting_point_belongs_to_one_lesson() -> None:
    assert sorted(name for names in LESSON_PRESETS.values() for name in names) == sorted(PRESETS)


# -------------------------------------------------------------------------------------------------------- every setting
@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_every_step_is_the_kits_own_optimizer(optimizer: str) -> None:
    """Weights and slots after each step, against an optimizer that is stepped by hand."""
    strip = [0.5, 0.0, None, -2.0, *[0.0, 1.5] * 48]
    widget = AdamSlots(optimizer=optimizer, grads=[strip, ONE_NONES], start=0.25, scale=3.0)
    stepped, w = OPTIMIZERS[optimizer](False), ak.Variable(0.25)
    names = {"m": ("m", "momentum"), "v": ("v", "rms"), "t": ("t",)}
    for k, g in enumerate(strip):
        assert widget.slots[0]["w"][k] == float(w.numpy())
        for lane, slots in names.items():
            kept = next((name for name in slots if name in stepped.slot_names()), None)
            shown = widget.slots[0][lane]
            assert (shown is None) if kept is None else shown[k] == float(stepped.get_slot(w, kept))
        if g is not None:
            stepped.apply_gradients([(3.0 * g, w)])
    assert widget.slots[0]["w"][COUNT] == float(w.numpy())


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_sets_everything_and_is_answered_once(name: str) -> None:
    widget = AdamSlots(preset="loss × 1000", optimizer="sgd")
    answers: list[str] = []
    widget.observe(lambda change: answers.append(widget.preset), "slots")
    widget.set_state({"preset": name, "asked": 1})
    assert widget.answered == 1
    assert widget.error == ""
    assert answers == ([name] if name != "loss × 1000" else [])
    wanted = {"optimizer": "adam", "start": 0.0, "scale": 1.0, "lazy": [False, False], "names": ["a", "b"]}
    for key, value in (wanted | PRESETS[name]).items():
        assert getattr(widget, key) == value
    assert widget.actions == []


def test_a_preset_is_followed_by_the_learners_own_changes() -> None:
    widget = AdamSlots()
    widget.set_state({"preset": "", "optimizer": "sgd", "asked": 1})
    assert (widget.optimizer, end(widget)) == ("sgd", -0.1)
    widget.set_state({"preset": "one, then 0 | None", "asked": 2})
    assert (widget.optimizer, end(widget)) == ("adam", -0.600522)


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_a_change_at_the_end_gives_what_a_fresh_run_gives(optimizer: str) -> None:
    """What is kept of the last run is the same to the last bit, whichever step is painted."""
    widget = AdamSlots(optimizer=optimizer, grads=[ONE_ZEROS, ONE_NONES])
    for step, g in ((99, 2.0), (50, None), (0, -1.0), (75, 0.5), (0, 1.0)):
        strips = [list(strip) for strip in widget.grads]
        strips[0][step] = g
        widget.set_state({"grads": strips, "asked": widget.asked + 1})
        fresh = AdamSlots(optimizer=optimizer, grads=strips)
        assert widget.slots == fresh.slots


# -------------------------------------------------------------------------------------------------------------- actions
def test_zeroed_slots_end_the_ghost_motion() -> None:
    slot = AdamSlots(grads=[ONE_ZEROS, ONE_NONES], actions=[act(0, 1, "zero")]).slots[0]
    assert slot["w"][-1] == slot["w"][1]
    assert (slot["m"][2], slot["v"][2], slot["t"][2]) == (0.0, 0.0, 1.0)  # and the clock begins again
    assert slot["ghost"][-1] == 0.0


def test_saved_slots_come_back() -> None:
    acts = [act(0, 5, "save"), act(0, 10, "zero"), act(0, 15, "restore")]
    slot = AdamSlots(grads=[[*[1.0] * 5, *[None] * 95], ONE_NONES], actions=acts).slots[0]
    assert slot["m"][11] == slot["v"][11] == slot["t"][11] == 0.0
    for lane in "mvt":
        assert slot[lane][16] == slot[lane][5]


def test_to_restore_without_having_saved_changes_nothing() -> None:
    plain = AdamSlots(grads=[ONE_ZEROS, ONE_NONES])
    asked = AdamSlots(grads=[ONE_ZEROS, ONE_NONES], actions=[act(0, 3, "restore")])
    assert asked.slots == plain.slots


def test_a_frozen_weight_stands_with_its_slots_and_goes_on_when_thawed() -> None:
    acts = [act(0, 10, "freeze"), act(0, 20, "thaw")]
    widget = AdamSlots(grads=[ONE_ZEROS, ONE_ZEROS], actions=acts)
    held, free = widget.slots
    for lane in ("w", "m", "v", "t"):
        assert set(held[lane][10:21]) == {held[lane][10]}
        assert held[lane][:11] == free[lane][:11]
        assert held[lane][21:] == free[lane][11:91]  # as if the ten steps had not been
    assert widget.slots[1]["w"] == AdamSlots().slots[0]["w"]


def test_an_action_that_is_taken_back_leaves_nothing() -> None:
    plain = AdamSlots(grads=[ONE_ZEROS, ONE_NONES])
    widget = AdamSlots(grads=[ONE_ZEROS, ONE_NONES])
    for acts in ([act(0, 10, "freeze")], [act(0, 10, "save"), act(0, 20, "restore")], [act(0, 5, "zero")]):
        widget.set_state({"actions": acts, "asked": widget.asked + 1})
        assert widget.slots != plain.slots
        widget.set_state({"actions": [], "asked": widget.asked + 1})
        assert widget.slots == plain.slots


def test_an_action_acts_on_its_own_weight() -> None:
    widget = AdamSlots(grads=[ONE_ZEROS, ONE_ZEROS], actions=[act(1, 1, "freeze")])
    assert (end(widget, 0), end(widget, 1)) == (-0.600522, -0.1)


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_every_action_works_with_every_optimizer(optimizer: str) -> None:
    acts = [act(0, k, name) for k, name in enumerate(("save", "zero", "restore", "freeze", "thaw"), start=1)]
    widget = AdamSlots(optimizer=optimizer, grads=[ONE_ZEROS, ONE_NONES], actions=acts)
    assert widget.error == ""
    assert np.isfinite(widget.slots[0]["w"]).all()


def test_a_lazy_row_is_frozen_too() -> None:
    widget = AdamSlots(grads=[[1.0] * COUNT, ONE_NONES], lazy=[True, False], actions=[act(0, 40, "freeze")])
    assert widget.error == ""
    assert set(widget.slots[0]["w"][40:]) == {widget.slots[0]["w"][40]}


# ------------------------------------------------------------------------------------------------------------ bad input
@pytest.mark.parametrize(
    ("bad", "words"),
    [
        ({"grads": [[1.0] * 100]}, "two strips of 100 numbers or None; got \\[100\\]"),
        ({"grads": [[1.0] * 100, [1.0] * 99]}, "got \\[100, 99\\]"),
        ({"grads": [["a"] * 100, [None] * 100]}, "a gradient is a number or None"),
        ({"preset": "none of these"}, "no preset is called 'none of these'; there are"),
        ({"optimizer": "lion"}, "optimizer"),
        ({"at": 100}, "at"),
    ],
    ids=lambda value: repr(value)[:24],
)
def test_bad_values_are_refused(bad: dict[str, Any], words: str) -> None:
    widget = AdamSlots()
    before = widget.slots
    with pytest.raises(traitlets.TraitError, match=words):
        widget.set_trait(*next(iter(bad.items())))
    assert widget.slots == before
    assert widget.error == ""


def test_whole_numbers_are_gradients_and_none_stays_none() -> None:
    widget = AdamSlots(grads=[[1, *[0] * 99], ONE_NONES])
    assert all(type(g) is float for g in widget.grads[0])
    assert widget.grads[1][1:] == [None] * 99
    assert widget.get_state()["grads"][1][1:] == [None] * 99


def test_where_the_cursor_stands_asks_nothing() -> None:
    widget = AdamSlots()
    slots = widget.slots
    widget.at = 42
    assert widget.slots is slots


def test_the_twin_says_it_in_text() -> None:
    table = AdamSlots().as_table()
    assert table.caption == "adam: two weights over 100 steps"
    assert str(table).splitlines()[-1].split() == ["100", "0.000000", "-0.600522", "None", "-0.100000"]
