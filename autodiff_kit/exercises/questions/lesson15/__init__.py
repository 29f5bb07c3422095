"""Lesson 15, Adam slots: what an optimizer remembers, and what that does when no gradient comes."""

from __future__ import annotations

from autodiff_kit.exercises.question import Lesson

__all__ = ["LESSON"]

LESSON = Lesson(
    no="15",
    slug="15_adam_slots",
    title="Adam slots: exercises",
    goal="Write the step, the freeze, the lazy row and the brake, and carry the slots to a new optimizer.",
    minutes=60,
    reminders=(
        "`None` and 0 are two answers (lesson 02): `None` says that no path leads from the loss to the variable, 0 that a path leads there and carries nothing. An optimizer skips a `None` and takes a step with a 0.",
        "Momentum (lesson 14) keeps a running sum `m = β·m + g` and steps by `−lr·m`; what is in `m` goes on moving `w` after the gradients stop.",
    ),
    rows=("B39", "B40", "B41", "B42"),
    keywords=("Adam", "momentum", "slots", "freezing", "sparse updates"),
)
