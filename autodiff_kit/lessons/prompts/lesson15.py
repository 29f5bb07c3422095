"""Prompts of lesson 15."""

from __future__ import annotations

from autodiff_kit.lessons.prompt import Choice, Prompt

__all__ = ["PROMPTS"]

_ADAM = "lr .1, betas .9 and .999, w = 0"

PROMPTS = (
    Prompt(
        "15",
        "adam-hundred",
        "choice",
        f"Adam ({_ADAM}) gets one gradient of 1 and then 99 gradients of 0. Where is w after 100 steps?",
        (
            Choice("still", "−.100000", (-0.1,), "zero-gradient-means-still"),
            Choice("adaptive", "−.316228", (-0.316228,), "blames-the-adaptivity"),
            Choice("drift", "−.600522", (-0.600522,)),
            Choice("momentum", "−.999973", (-0.999973,), "all-of-momentum"),
        ),
        "m starts at .1 and fades slowly; −.500522 of the way came from steps whose gradient was 0.",
    ),
    Prompt(
        "15",
        "order",
        "choice",
        "The same gradients (1, then 99 zeros) for SGD, SGD with momentum .9, RMSProp and Adam: "
        "sort them by the distance they move.",
        (
            Choice(
                "memory",
                "SGD .100, RMSProp .316, Adam .601, momentum 1.000",
                (-0.1, -0.999973, -0.316228, -0.600522),
            ),
            Choice("adaptive", "SGD, momentum, RMSProp, Adam", (), "blames-the-adaptivity"),
            Choice("alike", ".1 each", (-0.1, -0.1, -0.1, -0.1), "zero-gradient-means-still"),
        ),
        "Only what has an m moves on. RMSProp's .316228 = .1/√.1 was all in its first step.",
    ),
    Prompt(
        "15",
        "no-first-moment",
        "choice",
        "The same run of Adam with beta1 = 0. Where is w after 100 steps?",
        (
            Choice("same", "−.600522", (-0.600522,), "blames-the-adaptivity"),
            Choice("still", "−.100000", (-0.1,)),
            Choice("nothing", "0", (0,), "no-m-no-motion"),
        ),
        "With no memory of the gradient there is nothing to drift on.",
    ),
    Prompt(
        "15",
        "none-instead",
        "choice",
        "The same run of Adam, with 99 times None in place of 0. Where is w?",
        (
            Choice("still", "−.100000", (-0.1,)),
            Choice("same", "−.600522", (-0.600522,), "None-taken-for-zero"),
            Choice("error", "nowhere: it is an error", (), "None-is-an-error"),
        ),
        "None means no step at all: nothing moves, nothing decays.",
    ),
    Prompt(
        "15",
        "loss-times-1000",
        "choice",
        "Three gradients of 1 move w to −.3000. Now the loss is multiplied by 1000. Where do they lead?",
        (
            Choice("thousand", "−300", (-300,), "scales-with-the-loss"),
            Choice("same", "−.3000", (-0.3,)),
            Choice("small", "−.0003", (-0.0003,), "shrinks-with-the-loss"),
        ),
        "m and √v both grow by 1000 and cancel. (−300 is SGD's answer.)",
    ),
    Prompt(
        "15",
        "freeze-by-zeros",
        "choice",
        "After 50 gradients of 1 come 50 zeros, “to freeze w”. How far does Adam still move it?",
        (
            Choice("frozen", "0", (0,), "zero-gradient-means-still"),
            Choice("single", "−.5005", (-0.5005,), "as-after-one-gradient"),
            Choice("full", "−.9761", (-0.9761,)),
        ),
        "m is full (near 1) at step 50. By None the drift is 0.",
    ),
    Prompt(
        "15",
        "adamw-decay",
        "choice",
        "AdamW with weight decay .01 and lr .1 starts at w = 1 and gets 100 gradients of 0: where is w?",
        (
            Choice("still", "1", (1,), "no-gradient-no-change"),
            Choice("rate", ".904792", (0.904792,)),
            Choice("bare", ".366032", (0.366032,), "decay-without-the-rate"),
        ),
        "Decay acts by itself: (1 − .1·.01)¹⁰⁰.",
    ),
    Prompt(
        "15",
        "row-twice",
        "choice",
        "A row of an embedding gets a gradient of 1 at steps 1 and 51 only. Where is it after 100 steps, "
        "with dense and with lazy updates?",
        (
            Choice("steps", "−.2 and −.2", (-0.2, -0.2), "two-gradients-two-steps"),
            Choice("own", "−1.144207 and −.2", (-1.144207, -0.2), "clock-of-its-own"),
            Choice("clock", "−1.144207 and −.195223", (-1.144207, -0.195223)),
        ),
        "Dense drifts twice; lazy stands still in between, but its second step is corrected for t = 51.",
    ),
    Prompt(
        "15",
        "stop-for-good",
        "number",
        "After a first gradient of 1, which second gradient makes w stop for good (zeros follow)?",
        (
            Choice("zero", "0", (0,), "zero-gradient-means-still"),
            Choice("opposite", "−1", (-1,), "opposite-of-the-last-gradient"),
            Choice("cancels", "−.9", (-0.9,)),
        ),
        "β₁m + (1−β₁)g must be 0: m is empty from then on.",
    ),
)
