"""Prompts of lesson 06."""

from __future__ import annotations

import math

from autodiff_kit.lessons.prompt import Choice, Prompt

__all__ = ["PROMPTS"]

_SOFT = "soft_floor(x; s) = σ(s(x−1)) + … + σ(s(x−5))"
_DESCENT = "lr 0.1, 200 steps from x = 0.3"

PROMPTS = (
    Prompt(
        "06",
        "soft-floor-at-two",
        "choice",
        f"{_SOFT}, and floor(2) = 2. Where does soft_floor(2; s) go as the sharpness s grows?",
        (
            Choice("one", "to 1", (1,), "limit-from-the-left"),
            Choice("middle", "to 1.5", (1.5,)),
            Choice("two", "to 2", (2,), "sharper-is-enough"),
            Choice("never", "it never settles", (), "no-limit"),
        ),
        "At x = 2 the second step is exactly half done at every s, and the others finish: "
        "1.6666, 1.5003, 1.5000 for s = 1, 4, 50.",
    ),
    Prompt(
        "06",
        "which-reach-three",
        "several",
        f"Minimise (floor(x) − 3)², or its relaxation, by gradient descent ({_DESCENT}). "
        "Which end where floor(x) is 3? Mark all.",
        (
            Choice("hard", "hard floor", (), "slope-appears"),
            Choice("straight", "straight-through"),
            Choice("s4", "sigmoid, s = 4"),
            Choice("s15", "sigmoid, s = 15", (), "sharper-is-better"),
            Choice("annealed", "sigmoid, s annealed from 1 to 20"),
        ),
        "Hard floor has no slope; at s = 15 the slope at 0.3 is .0004, against .2207 at s = 4. "
        "They end at .3000, 3.1000 (8 steps), 3.5001 (11), .3900 and 3.5000 (13).",
    ),
    Prompt(
        "06",
        "area",
        "choice",
        "The slope of one step of soft_floor is a bump around x = 2. "
        "As s grows, where does the area under it from 1.5 to 2.5 go?",
        (
            Choice("one", "to 1", (1,)),
            Choice("zero", "to 0", (0,), "area-vanishes"),
            Choice("unbounded", "it grows without bound", (math.inf,), "area-grows-with-s"),
        ),
        "The area is the climb of one step: .9975 at s = 4, 1.0000 at s = 10. Only its height (s/4) grows.",
    ),
    Prompt(
        "06",
        "end-s4",
        "slider",
        f"The ball descends (soft_floor(x; 4) − 3)² with {_DESCENT}. Where does it come to rest?",
        (
            Choice("integer", "3.0", (3,), "surrogate-is-floor"),
            Choice("edge", "3.1", (3.1,), "stops-when-floor-is-right"),
            Choice("flat", "3.5", (3.5,)),
        ),
        "It seeks soft_floor = 3, and that is in the middle of the flat: soft_floor(3.5; 4) = 3.0000.",
        low=0.0,
        high=6.0,
        step=0.1,
    ),
    Prompt(
        "06",
        "end-straight-through",
        "slider",
        f"And with straight-through (floor forward, slope 1 backward), {_DESCENT}: where does x rest?",
        (
            Choice("integer", "3.0", (3,), "finds-the-edge"),
            Choice("edge", "3.1", (3.1,)),
            Choice("flat", "3.5", (3.5,), "straight-through-is-the-true-gradient"),
        ),
        "Steps of .2·(3 − floor): .9 1.5 1.9 2.3 2.5 2.7 2.9 3.1, and there floor is 3 and the gradient 0.",
        low=0.0,
        high=6.0,
        step=0.1,
    ),
    Prompt(
        "06",
        "anneal-backwards",
        "choice",
        "Annealing s from 1 to 20 ends at 3.50. And the other way round, from 20 down to 1?",
        (
            Choice("stuck", "at .30, stuck", (0.3, 0.0), "order-does-not-matter"),
            Choice("same", "at 3.50 again", (3.5, 3.0), "schedules-are-symmetric"),
            Choice("late", "at 3.57, but with a soft value of 2.985", (3.57, 2.985)),
        ),
        "It waits until s is small, arrives late and ends soft, where soft_floor is not yet floor.",
    ),
)
