"""floor-2: Right on the integers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from autodiff_kit.exercises.compare import format_value, require_real_array, values_close
from autodiff_kit.exercises.diagnosis import AttemptEvaluation
from autodiff_kit.exercises.protocol import Call
from autodiff_kit.exercises.question import Question
from autodiff_kit.lessons.translation import translate

from .. import shared

if TYPE_CHECKING:
    from autodiff_kit.exercises.protocol import CheckScript

__all__ = ["QUESTION"]


def check(a: AttemptEvaluation, rng: np.random.Generator) -> CheckScript:
    K, j = 6, np.arange(1, 6)
    for tol in (1e-2, 1e-3):
        c = float(np.log((1 - tol) / tol))
        for s in (float(rng.uniform(50, 120)), float(rng.uniform(150, 400))):
            x = np.r_[j, j + 0.5, j + 0.75, j + 1 - 3 * c / s, np.sort(rng.uniform(1, K, 30))].astype(float)
            x = x[(np.abs(x - np.round(x)) < 1e-12) | (np.ceil(x) - x >= 2.9 * c / s)]
            reply = yield Call("shifted", (x, s, K, tol))
            if a.warned(reply):
                continue
            got = require_real_array(reply.value, "shifted")
            if got.shape == x.shape and np.all(np.abs(got - np.floor(x)) <= 2 * tol):
                yield from rising(a, s, K, tol)
                continue
            names = {name for name, model in staircases(x, s, K, c).items() if values_close(got, model, 1e-6)}
            if not names and got.shape == x.shape and np.all(np.abs(got[: j.size] - (j - 0.5)) < 1e-3):
                names = {"sharper-is-enough"}  # at whatever multiple of s
            if not names and got.shape == x.shape:
                names = yield from misplaced(s, K, tol)
            _off_2(a, got, x, tol, names)


def staircases(x: np.ndarray, s: float, K: int, c: float) -> dict[str, np.ndarray]:
    """What the named mistakes give."""
    return {
        "moves-the-value": shared.soft_floor(x, s, K) + 0.5,
        "turns-it-into-round": shared.soft_floor(x + 0.5, s, K),
        "sharper-is-enough": shared.soft_floor(x, s, K),
        "shifts-the-wrong-way": shared.soft_floor(x - c / s, s, K),
    }


def rising(a: AttemptEvaluation, s: float, K: int, tol: float) -> CheckScript:
    """A staircase that keeps the bounds must have K steps, rise, and not jump: its steepest place is looked at closer
    and closer.
    """
    low, high, rise = 0.5, K + 1.5, np.zeros(1)
    for zoom in range(4):
        grid = np.linspace(low, high, 400)
        reply = yield Call("shifted", (grid, s, K, tol))
        if a.warned(reply):
            return
        got = require_real_array(reply.value, "shifted")
        if zoom == 0:
            words = translate("shifted at x = {x} is {got}, but there are K = {K} steps.", "lesson06")
            told = {"x": format_value(high), "got": format_value(float(got[-1])), "K": K}
            a.behave(abs(float(got[-1]) - K) <= 2 * tol, "", words.format(**told), half=False)
        rise = np.diff(got)
        words = translate("shifted does not rise everywhere.", "lesson06")
        if not a.behave(bool(np.all(rise >= -1e-12)), "", words, half=False):
            return
        steepest = int(np.argmax(rise))
        low, high = float(grid[steepest]), float(grid[steepest + 1])
    jump = float(rise.max())
    words = translate("shifted jumps by {jump} at x = {x}; it must be smooth.", "lesson06")
    words = words.format(jump=format_value(jump), x=format_value(low))
    a.behave(jump < 0.01, "hard-floor" if jump > 0.9 else "", words, half=False)


def thorough(a: AttemptEvaluation, rng: np.random.Generator) -> CheckScript:
    """The bounds and the rise at thousands of x, for other numbers of steps, tolerances and sharpnesses too."""
    for K in (2, 6, 9):
        for tol in (5e-2, 1e-2, 1e-3):
            for s in (50.0, 90.0, 200.0, 400.0):
                x = np.r_[1.0:K, rng.uniform(0, K + 1, 5000)]
                x = x[(x == np.round(x)) | (np.ceil(x) - x >= 2.9 * np.log((1 - tol) / tol) / s)]
                reply = yield Call("shifted", (x, s, K, tol))
                off = np.abs(require_real_array(reply.value, "shifted") - np.floor(x))
                a.behave(not reply.warning and bool(np.all(off <= 2 * tol)), half=False)
                yield from rising(a, s, K, tol)


def misplaced(s: float, K: int, tol: float) -> CheckScript:
    """What is wrong with where the third step lies: how far before 3 it has risen by a half, at two sharpnesses."""
    c = float(np.log((1 - tol) / tol))
    early = []
    for sharpness in (s, 40 * s):
        x = np.linspace(1.0, 4.0, 30001)
        reply = yield Call("shifted", (x, sharpness, K, tol), quiet=True)
        y = require_real_array(reply.value, "shifted")
        if y.shape != x.shape or not y[0] < 2.5 < y[-1] or np.mean(np.abs(y - 2) <= 2 * tol) < 0.1:
            return set()  # it has no step of height 2
        early.append(3 - float(x[np.argmax(y >= 2.5)]))
    if early[0] < -1e-4:
        return {"shifts-the-wrong-way"}
    if abs(early[0] - early[1]) < 0.1 * abs(early[0]) and abs(early[0]) > 2e-4:
        return {"shift-does-not-shrink"}
    if 0 < early[0] < 0.9 * c / s:
        return {"shift-too-small"}
    return {"begins-too-early"} if early[0] > 3 * c / s else set()


def _off_2(a: AttemptEvaluation, got: np.ndarray, x: np.ndarray, tol: float, names: set[str]) -> None:
    if got.shape != x.shape:
        text = translate("shifted returned shape {got}; x has shape {wanted}.", "lesson06")
        a.fail(names, text.format(got=got.shape, wanted=x.shape))
        return
    i = int(np.argmax(np.abs(got - np.floor(x)) > 2 * tol))
    words = translate("shifted at x = {x} is {got}; floor is {floor}, and it may differ by {tol}.", "lesson06").format(
        x=format_value(float(x[i])), got=format_value(float(got[i])), floor=int(np.floor(x[i])), tol=f"{2 * tol:g}"
    )
    a.fail(names, words, k=1, half=0.5)


QUESTION = Question(
    id="floor-2",
    points=3,
    title="Right on the integers",
    text="""`soft_floor(2, s)` tends to 1.5 as s grows. Write `shifted(x, s, K, tol)`, a smooth rising function with K steps that is
right at the integers: |shifted(k) − k| ≤ 2·tol for k = 1 … K−1. Between the integers it must still tend to floor as s grows. A step
may begin early, but at most by about 3·ln(1/tol)/s. Any function that keeps these bounds passes.""",
    writes=("shifted",),
    without=("ak.relax.soft_floor",),
    starter='''def shifted(x, s, K, tol):
    """A smooth staircase of K steps with sharpness s that is within 2*tol of floor on the integers."""
    ...
''',
    check=check,
    messages={
        "sharper-is-enough": "At x = {k} your value is {half} at every s, because the middle of the step is at the integer. A larger s does not move it.",
        "moves-the-value": "Adding ½ to the value makes the integers right, but between them it is wrong by ½.",
        "turns-it-into-round": "Your function approximates round, not floor: at 2.75 it gives 3. How far before an integer may a step begin?",
        "shift-does-not-shrink": "Your shift does not depend on s, so the steps stay early at every s and the limit is not floor. The shift must shrink as s grows.",
        "shift-too-small": "Your steps are early by too little: at an integer a step must have risen to 1 − 2·tol. How far to the right of its middle does σ reach that?",
        "begins-too-early": "Your steps begin too early: more than 3·ln(1/tol)/s before an integer the value must still be that of floor.",
        "hard-floor": "This is floor itself: its derivative is 0, and a search cannot use it. The function must be smooth.",
        "shifts-the-wrong-way": "Your steps come later than before: at an integer the step has hardly begun. Shift them the other way.",
    },
    hints=(
        "At x = k, how much of step k must already be done?",
        "Find the number at which the sigmoid is 1 − tol, and let the argument reach it at x = k.",
        "`sigmoid(s * (x - k) + c)` with `c = log((1 - tol) / tol)`",
    ),
    example=lambda rng: {
        "x": np.sort(rng.uniform(1, 6, 4)).round(2),
        "s": float(rng.integers(50, 400)),
        "K": 6,
        "tol": float(rng.choice([1e-2, 1e-3])),
    },
    thorough=thorough,
)
