"""Prompts of lesson 06."""

from __future__ import annotations

import math

from autodiff_kit.lessons.prompt import Choice, Prompt

__all__ = ["PROMPTS"]

_SOFT = "soft_floor(x; s) = σ(s(x−1)) + … + σ(s(x−5))"
_DESCENT = "learning rate 0.1, 200 steps from x = 0.3"

PROMPTS = (
    Prompt(
        "06",
        "soft-floor-at-two",
        "choice",
        f"{_SOFT}, and floor(2) = 2. Which value does soft_floor(2; s) tend to as the sharpness s grows?",
        (
            Choice("one", "to 1", (1,), "at a jump, a sharp step has the value from the left"),
            Choice("middle", "to 1.5", (1.5,)),
            Choice("two", "to 2", (2,), "with enough sharpness soft_floor equals floor everywhere"),
            Choice("never", "to no value: it grows with s", (), "at a jump there is no limit"),
        ),
        "σ(0) = 0.5 for every s. The first term tends to 1, the second is 0.5, the other three tend to 0.",
    ),
    Prompt(
        "06",
        "area",
        "choice",
        "In the derivative of soft_floor, step 2 is a peak of height s/4 at x = 2. "
        "As s grows, where does the area under it from 1.5 to 2.5 go?",
        (
            Choice("one", "to 1", (1,)),
            Choice("zero", "to 0", (0,), "a peak that gets narrower has less and less area"),
            Choice("unbounded", "to infinity", (math.inf,), "a peak that gets higher has more and more area"),
        ),
        "The area under a derivative is the change of the function, soft_floor(2.5) − soft_floor(1.5), "
        "and this tends to 2 − 1 = 1.",
    ),
    Prompt(
        "06",
        "which-reach-three",
        "several",
        f"Minimise (f(x) − 3)² by gradient descent ({_DESCENT}), with f as in the table. "
        "Which searches end where floor(x) is 3? Mark all.",
        (
            Choice("hard", "hard floor", (), "the jumps of floor give it a gradient somewhere"),
            Choice("straight", "straight-through"),
            Choice("s4", "sigmoid, s = 4"),
            Choice("s15", "sigmoid, s = 15", (), "a sharper relaxation searches better"),
            Choice("annealed", "sigmoid, s annealed from 1 to 20"),
        ),
        "Hard floor has no gradient. For s = 15 the derivative at 0.3 is 0.0004, too small for 200 steps. "
        "For the other three it is 0.22 or more.",
    ),
    Prompt(
        "06",
        "end-s4",
        "slider",
        f"Gradient descent minimises (soft_floor(x; 4) − 3)² ({_DESCENT}). At which x does it end?",
        (
            Choice("integer", "3.0", (3,), "soft_floor is 3 where floor becomes 3"),
            Choice("edge", "3.1", (3.1,), "it stops as soon as floor(x) is 3"),
            Choice("flat", "3.5", (3.5,)),
        ),
        "It looks for soft_floor = 3, not floor = 3. At x = 3 soft_floor is only 2.5; at x = 3.5 it is 3.",
        low=0.0,
        high=6.0,
        step=0.1,
    ),
    Prompt(
        "06",
        "end-straight-through",
        "slider",
        f"The straight-through search uses floor as the value and 1 as its derivative ({_DESCENT}). "
        "At which x does it end?",
        (
            Choice("integer", "3.0", (3,), "it finds the jump itself"),
            Choice("edge", "3.1", (3.1,)),
            Choice("flat", "3.5", (3.5,), "it ends in the middle of a step, like a sigmoid"),
        ),
        "The steps are 0.2·(3 − floor(x)). The first x with floor(x) = 3 is 3.1; there the gradient is 0.",
        low=0.0,
        high=6.0,
        step=0.1,
    ),
    Prompt(
        "06",
        "anneal-backwards",
        "choice",
        "With s growing from 1 to 20, x first has floor(x) = 3 after step 13 of 200. "
        "When does that happen with s falling from 20 to 1?",
        (
            Choice("same", "at step 13 again, or one near it", (13,), "only the values of s count, not their order"),
            Choice("never", "never: x stays near 0.3", (), "a search that does not move stays stuck for good"),
            Choice("late", "much later, but before step 100", (66,)),
        ),
        "While s is large the derivative at 0.3 is nearly 0 and x waits. Once s is below about 9, x moves.",
    ),
)
