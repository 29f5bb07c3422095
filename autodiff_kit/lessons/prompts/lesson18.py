"""Prompts of lesson 18."""

from __future__ import annotations

from autodiff_kit.lessons.prompt import Choice, Prompt

__all__ = ["PROMPTS"]

PROMPTS = (
    Prompt(
        "18",
        "backward-over-forward",
        "choice",
        "A batch of 10 rows goes through three layers of sizes 4, 8, 8 and 2: three products, and nothing else. The "
        "gradients of all weights are asked for. How many operations does the way back take for each one forward?",
        (
            Choice("one", "1", (1,), "backward-equals-forward"),
            Choice("less", "1.714", (1.714,)),
            Choice("two", "2", (2,), "always-twice"),
        ),
        "Each product forward takes two back, but the first layer takes one: nobody asks for the gradient of the data.",
    ),
    Prompt(
        "18",
        "frozen-layers",
        "choice",
        "The layers take 640, 1280 and 320 operations forward. Now only the weights of the first are trained; the "
        "other two are frozen. How many operations does the way back take?",
        (
            Choice("own", "640: one product, for the first layer's weights", (640,), "frozen-is-free"),
            Choice("through", "2240: as many as forward", (2240,)),
            Choice("all", "3840, as before", (3840,), "frozen-saves-nothing"),
        ),
        "A frozen layer needs no gradient of its weights, but what goes to the layers before it must pass through.",
    ),
    Prompt(
        "18",
        "cheapest-order",
        "choice",
        "Four steps in a chain have 10, 100, 2, 100 and 10 inputs and outputs. The Jacobian of the whole is a product "
        "of four matrices. Forward mode multiplies them from the input on, reverse mode from the output; each takes "
        "14000 multiplications. How many does the cheapest way take?",
        (
            Choice("third", "4200", (4200,)),
            Choice("half", "7000: half of it by one mode, half by the other", (7000,), "half-of-each"),
            Choice("both", "14000: one of the two modes is always the best", (14000,), "better-of-the-two-sweeps"),
        ),
        "Both ends first, then the two halves: they meet in the middle, where the chain is only 2 wide.",
    ),
)
