"""Prompts of lesson 14."""

from __future__ import annotations

from autodiff_kit.lessons.prompt import Choice, Prompt

__all__ = ["PROMPTS"]

PROMPTS = (
    Prompt(
        "14",
        "third-step",
        "choice",
        "SGD with momentum 0.9 and learning rate 0.1 gets three gradients of 1. What is the third step?",
        (
            Choice("gradient", "−0.1000", (-0.1,), "the step is minus the learning rate times the gradient"),
            Choice("fading", "−0.2710", (-0.271,)),
            Choice("adding", "−0.3000", (-0.3,), "momentum adds up all gradients with equal weight"),
            Choice("slot", "−2.7100", (-2.71,), "the step is the slot, without the learning rate"),
        ),
        "u is 1, then 1.9, then 0.9 · 1.9 + 1 = 2.71. The step is −0.1 · 2.71.",
    ),
    Prompt(
        "14",
        "after-the-last",
        "choice",
        "SGD with momentum 0.9 and learning rate 0.1 got three gradients of 1; its third step was −0.2710. "
        "Now only zeros follow. How far does w still move, in all?",
        (
            Choice("still", "0.0000", (0,), "a gradient of 0 means no step"),
            Choice("once", "−0.2439", (-0.2439,), "the slot moves w once more, and is then used up"),
            Choice("series", "−2.4390", (-2.439,)),
            Choice("endless", "without end", (), "nothing stops the weight if no gradient does"),
        ),
        "Each step is 0.9 times the one before: −0.2710 · (0.9 + 0.81 + …) = −0.2710 · 9.",
    ),
    Prompt(
        "14",
        "which-settles",
        "choice",
        "The loss is w²/2, the start w = 1, the learning rate 0.1. Plain SGD multiplies w by 0.9 per step. "
        "With momentum 0.9, w swings, and its swings shrink by the factor √0.9 per step. "
        "Which run stays within 0.01 of 0 first?",
        (
            Choice("momentum", "momentum", (), "momentum is faster in every valley"),
            Choice("same", "both together", (), "only the learning rate decides how fast a run is"),
            Choice("plain", "plain SGD", (44, 81)),
        ),
        "√0.9 = 0.9487 is nearer to 1 than 0.9, so the swings shrink more slowly. With momentum w reaches the bottom "
        "earlier, but goes on to the other side.",
    ),
    Prompt(
        "14",
        "rate-falls",
        "choice",
        "After three gradients of 1 the slot of gradients is u = 2.71. The learning rate is set from 0.1 to 0.01, and "
        "a gradient of 0 comes, with momentum 0.9. What is the fourth step?",
        (
            Choice("new", "−0.0244", (-0.02439,)),
            Choice("old", "−0.2439", (-0.2439,), "old gradients keep the learning rate of their time"),
            Choice("still", "0.0000", (0,), "a gradient of 0 means no step"),
        ),
        "u becomes 0.9 · 2.71 = 2.439, and the step is −0.01 · 2.439. A slot of steps would give −0.2439.",
    ),
    Prompt(
        "14",
        "clipped-steps",
        "choice",
        "Every gradient is clipped to length 1 and has the same direction; momentum 0.9, learning rate 0.1. "
        "How long is step 100?",
        (
            Choice("rate", "0.1000", (0.1,), "clipping bounds the step"),
            Choice("free", "10.0000", (10.0,), "100 gradients add up with equal weight"),
            Choice("sum", "1.0000", (1,)),
            Choice("whole", "50.0000", (50.0,), "clipping has no effect in the end"),
        ),
        "The length of u grows towards 1 + 0.9 + 0.81 + … = 10, so the step grows towards 0.1 · 10 = 1.",
    ),
)
