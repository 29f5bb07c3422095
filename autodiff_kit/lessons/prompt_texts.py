"""The texts of every prompt, lesson by lesson."""

from __future__ import annotations

import math

from autodiff_kit.lessons.prompts import Choice, Prompt, by_name

__all__ = ["PROMPTS"]

_F01 = "f(x) = (x0·x1, x1·x2, x0² + x2) at x = (2, 3, −1)"

_LESSON_01 = (
    Prompt(
        "01",
        "vector-target",
        "choice",
        f"{_F01}. The tape gets the whole vector as one target. What does tape.gradient(f(x), x) give?",
        (
            Choice(
                "matrix",
                "the 3×3 matrix of all derivatives",
                (3, 2, 0, 0, -1, 3, 4, 0, 1),
                "gives-the-jacobian",
            ),
            Choice("columns", "[7 1 4]", (7, 1, 4)),
            Choice("rows", "[5 2 5]", (5, 2, 5), "sums-the-rows"),
            Choice("diagonal", "[3 −1 1]", (3, -1, 1), "diagonal-only"),
        ),
        "Every output is seeded with 1, so the rows of J are added: (3+0+4, 2−1+0, 0+3+1).",
    ),
    Prompt(
        "01",
        "jv",
        "choice",
        f"{_F01}, and x moves along v = (1, 2, −1). How do the three outputs move: which is Jv?",
        (
            Choice("pulled", "[−1 0 5]", (-1, 0, 5), "pulled-not-pushed"),
            Choice("pushed", "[7 −5 3]", (7, -5, 3)),
            Choice("cotangent", "[1 7 6]", (1, 7, 6), "pushed-the-cotangent"),
        ),
        "Each output moves by its row times v: 3+4, −2−3, 4−1.",
    ),
    Prompt(
        "01",
        "inner-products",
        "choice",
        "With the same x, v and u = (1, −1, 2): how does u·(Jv) compare with (uJ)·v?",
        (
            Choice("different", "they are different numbers", (), "two-different-products"),
            Choice("equal", "both are 18", (18, 18)),
            Choice("symmetric", "they are equal only where J is symmetric", (), "needs-symmetry"),
        ),
        "u·J·v is one number; the brackets only say from which side it is worked out: 7+5+6 = 11+6+1.",
    ),
    Prompt(
        "01",
        "sweeps",
        "number",
        "A function has n = 64 inputs and m = 2 outputs, and its whole Jacobian is wanted. "
        "How many sweeps over the tape does the cheaper direction take?",
        (
            Choice("forward", "64", (64,), "always-forward"),
            Choice("entries", "128", (128,), "an-entry-a-sweep"),
            Choice("rows", "2", (2,)),
            Choice("once", "1", (1,), "gradient-is-the-jacobian"),
        ),
        "A pull gives a row of J, and there are 2 rows; a push gives a column, and there are 64.",
    ),
    Prompt(
        "01",
        "double-pull",
        "choice",
        "Can pulls (reverse sweeps) alone give Jv, with no forward mode at all?",
        (
            Choice("no", "no, Jv needs a push", (), "modes-are-separate"),
            Choice("rows", "yes, with m pulls, one for each row of J", (3,), "jacobian-first"),
            Choice("two", "yes, with two pulls", (2,)),
        ),
        "u ↦ uJ is a linear function of u, and its own pull at v is Jv: [7 −5 3].",
    ),
    Prompt(
        "01",
        "record",
        "choice",
        "The tape records y = sin(x)·sum(x) for n = 1000 inputs, ready for one pull. "
        "How many numbers does the record hold for it?",
        (
            Choice("million", "a million", (1_000_000,), "jacobian-first"),
            Choice("few", "2001", (2001,)),
            Choice("none", "0", (0,), "tape-is-free"),
        ),
        "sin keeps x, and the product keeps sin(x) and the sum: 1000 + 1000 + 1. "
        "J, with its 1000 × 1000 entries, is never written down.",
    ),
)

_SOFT = "soft_floor(x; s) = σ(s(x−1)) + … + σ(s(x−5))"
_DESCENT = "lr 0.1, 200 steps from x = 0.3"

_LESSON_06 = (
    Prompt(
        "06",
        "soft-floor-at-two",
        "choice",
        f"{_SOFT}, and floor(2) = 2. Where does soft_floor(2; s) go as the sharpness s grows?",
        (
            Choice("two", "to 2", (2,), "sharper-is-enough"),
            Choice("middle", "to 1.5", (1.5,)),
            Choice("one", "to 1", (1,), "limit-from-the-left"),
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
            Choice("unbounded", "it grows without bound", (math.inf,), "area-grows-with-s"),
            Choice("one", "to 1", (1,)),
            Choice("zero", "to 0", (0,), "area-vanishes"),
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
            Choice("late", "at 3.57, but with a soft value of 2.985", (3.57, 2.985)),
            Choice("same", "at 3.50 again", (3.5, 3.0), "schedules-are-symmetric"),
        ),
        "It waits until s is small, arrives late and ends soft, where soft_floor is not yet floor.",
    ),
)

_ROW = "Scores log(1, 2, 3, 4), values (10, 20, 30, 100), and the fourth position is padding"

_LESSON_09 = (
    Prompt(
        "09",
        "kept-sum",
        "slider",
        f"{_ROW}. After the softmax the fourth weight is set to 0. What do the three kept weights add up to?",
        (
            Choice("one", "1", (1,), "softmax-renormalises-itself"),
            Choice("shares", ".75", (0.75,), "equal-shares"),
            Choice("rest", ".6", (0.6,)),
        ),
        "The weights were .1 .2 .3 .4, and .4 is gone.",
        low=0.0,
        high=1.0,
        step=0.05,
    ),
    Prompt(
        "09",
        "outputs",
        "choice",
        f"{_ROW}. Three designs: zero the weight after the softmax; zero it and renormalise; "
        "put −inf in the score before. What are the three outputs?",
        (
            Choice("alike", "23.3333 in all three", (70 / 3, 70 / 3, 70 / 3), "zeroing-is-masking"),
            Choice("first", "14, 23.3333, 23.3333", (14, 70 / 3, 70 / 3)),
            Choice("two", "14, 14, 23.3333", (14, 14, 70 / 3), "not-renormalised"),
            Choice("whole", "54 in each", (54, 54, 54), "forgets-the-mask"),
        ),
        "1+4+9 = 14, and 14/.6 = 23.3333; −inf before the softmax does the division by itself.",
    ),
    Prompt(
        "09",
        "gradient-into-padding",
        "choice",
        "Zero after the softmax, the first design: what gradient does the output send to the padded score?",
        (
            Choice("zero", "0", (0,), "zeroed-so-nothing-flows"),
            Choice("unmasked", "18.4", (18.4,), "forgets-the-mask"),
            Choice("own", "24", (24,), "own-value"),
            Choice("leak", "−5.6", (-5.6,)),
        ),
        "The padded score stands in every denominator: −.4·14. In the other two designs the gradient is 0.",
    ),
    Prompt(
        "09",
        "all-masked",
        "choice",
        "All four positions are masked by adding −1e9 to their scores. What weights does softmax give?",
        (
            Choice("zeros", "zeros", (0,) * 8, "minus-1e9-is-not-minus-infinity"),
            Choice("nan", "nan in float32 and in float64", (math.nan,) * 8, "takes-it-for-infinity"),
            Choice(
                "differ",
                "float32: [.25 .25 .25 .25], float64: [.1 .2 .3 .4]",
                (0.25, 0.25, 0.25, 0.25, 0.1, 0.2, 0.3, 0.4),
            ),
            Choice("flat", "[.25 .25 .25 .25] in both", (0.25,) * 8, "dtype-blind"),
        ),
        "Near 1e9 neighbouring float32 numbers are 64 apart, so the scores become equal; "
        "in float64 they are 1e-7 apart and keep their differences.",
    ),
    Prompt(
        "09",
        "minus-ten",
        "choice",
        "A gentler mask adds only −10 to the padded score. What weight is left on the padding?",
        (
            Choice("none", "0", (0,), "ten-is-plenty"),
            Choice("leak", "3.03e-05", (3.03e-05,)),
            Choice("factor", "4.54e-05", (4.54e-05,), "forgets-the-other-weights"),
        ),
        "4e⁻¹⁰ / (6 + 4e⁻¹⁰).",
    ),
    Prompt(
        "09",
        "nan-row",
        "choice",
        "Of three rows one has all its scores at −inf, so its weights are nan. The loss leaves it out with "
        "where. How many of the 4 entries of the shared weight's gradient are nan?",
        (
            Choice("none", "none", (0,), "left-out-is-safe"),
            Choice("third", "only its own third of each sum", (), "nan-stays-in-its-row"),
            Choice("all", "all 4", (4,)),
        ),
        "The loss is finite, but on the way back 0·nan is nan, and the shared weight sums over the rows. "
        "Indexing the row away does not help either.",
    ),
)

_ADAM = "lr .1, betas .9 and .999, w = 0"

_LESSON_15 = (
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
            Choice("adaptive", "SGD, momentum, RMSProp, Adam", (), "blames-the-adaptivity"),
            Choice(
                "memory",
                "SGD .100, RMSProp .316, Adam .601, momentum 1.000",
                (-0.1, -0.999973, -0.316228, -0.600522),
            ),
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
            Choice("same", "−.600522", (-0.600522,), "None-taken-for-zero"),
            Choice("still", "−.100000", (-0.1,)),
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
            Choice("clock", "−1.144207 and −.195223", (-1.144207, -0.195223)),
            Choice("own", "−1.144207 and −.2", (-1.144207, -0.2), "clock-of-its-own"),
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

PROMPTS = by_name((*_LESSON_01, *_LESSON_06, *_LESSON_09, *_LESSON_15))
