"""Adam with its slots, and constants to draw: those of lesson 15; and runs of a check with other functions."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from autodiff_kit.exercises.in_process import run_script_with
from autodiff_kit.exercises.questions.lesson15.shared import (
    Slots,
    adam_with_mistake,
    initial_slots,
    random_constants,
    require_slot,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from autodiff_kit.exercises.protocol import CheckScript

__all__ = ["Slots", "adam_with_mistake", "initial_slots", "random_constants", "replayed", "require_slot"]


def replayed(
    run: Callable[[], CheckScript], call: str, ways: Mapping[str, Callable[..., Any]]
) -> dict[str, Callable[[], Any]]:
    """By misconception, a function that runs the steps again with another function in the learner's place."""

    def result(way: Callable[..., Any]) -> Any:
        return run_script_with(run(), **{call: way})

    return {name: partial(result, way) for name, way in ways.items()}
