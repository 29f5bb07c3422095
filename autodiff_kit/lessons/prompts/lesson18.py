"""Prompts of lesson 18."""

from __future__ import annotations

from autodiff_kit.lessons.prompt import Choice, Prompt

__all__ = ["PROMPTS"]

PROMPTS = (
    Prompt(
        "18",
        "backward-over-forward",
        "choice",
        "Data go through three layers, each one matrix product. Forward they take 640, 1280 and 320 operations, "
        "2240 in all. The gradients of all three weight matrices are wanted. How many operations does the backward "
        "pass take?",
        (
            Choice("one", "2240", (2240,), "the backward pass runs each operation once more"),
            Choice("early", "3200", (3200,), "the first layer needs no product in the backward pass"),
            Choice("less", "3840", (3840,)),
            Choice("two", "4480", (4480,), "every product takes two in the backward pass"),
        ),
        "The second and the third layer take two products each, 2·1280 + 2·320 = 3200. The first takes one, 640, "
        "because the gradient of the data is not needed.",
    ),
    Prompt(
        "18",
        "frozen-layers",
        "choice",
        "The three layers take 640, 1280 and 320 operations forward. Only the weights of the first are trained; the "
        "other two layers are frozen. How many operations does the backward pass take?",
        (
            Choice("own", "640", (640,), "a frozen layer takes no part in the backward pass"),
            Choice("pass", "1600", (1600,), "only the frozen layers after it must be passed through"),
            Choice("through", "2240", (2240,)),
            Choice("all", "3840", (3840,), "freezing changes the update and not the backward pass"),
        ),
        "The cotangent must pass through the frozen layers to reach the first: 320 + 1280. Then one product gives the "
        "gradient of the first layer's weights: 640.",
    ),
    Prompt(
        "18",
        "cheapest-order",
        "choice",
        "Four steps lead from 10 numbers to 100, 2, 100 and 10. Forward mode and reverse mode need 14000 "
        "multiplications each for the whole Jacobian. How many does the best order of the three products need?",
        (
            Choice("third", "4200", (4200,)),
            Choice("half", "7000", (7000,), "half of the work in each mode is the best that can be done"),
            Choice("both", "14000", (14000,), "one of the two modes is always the best order"),
            Choice("unjoined", "4000", (4000,), "the two halves need not be multiplied with each other"),
        ),
        "J2·J1 takes 2·100·10 = 2000 and J4·J3 takes 10·100·2 = 2000. Both halves are narrow, so joining them takes "
        "only 10·2·10 = 200.",
    ),
)
