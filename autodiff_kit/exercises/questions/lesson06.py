"""Lesson 06, relaxing floor: a staircase with a slope, and what that slope is the slope of."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..closeness import close, number, short
from ..marking import Attempt, pair
from ..models import lesson06 as models
from ..protocol import Call, Remote, Slip
from ..spec import Lesson, Question, worked

if TYPE_CHECKING:
    from ..protocol import Reply, Script

__all__ = ["LESSON"]

Rng = np.random.Generator
WIDTHS: tuple[tuple[type, float], ...] = ((np.float64, 1e-12), (np.float32, 1e-5))


# ---------------------------------------------------------------- floor-1
def sigmoid_case(a: Attempt, dtype: type) -> Script:
    """The sigmoid at its special points; whether the staircase is worth a look."""
    z = np.array([-80.0, -60.0, -30.0, -1.0, 0.0, 3.0, 40.0, 1000.0, -1000.0], dtype)
    right = models.sigmoid(z)
    reply = yield Call("sigmoid", (z,))
    if a.warned(reply, "overflows", z="1000"):
        return False
    if not a.case(reply.value, right, {"falls-instead-of-rises": 1 - right}, tol=1e-5, dtype=dtype, leaves="leaves-float32"):
        return False
    tails = np.abs(number(reply.value, "sigmoid")[:3] / right[:3] - 1)
    return a.behave(bool(np.all(tails < 1e-3)), "tail-cut-off", "sigmoid is not small enough at -30, -60, -80.", half=False)


def check_1(a: Attempt, rng: Rng) -> Script:
    for dtype, tol in WIDTHS:
        if not (yield from sigmoid_case(a, dtype)):
            continue
        for s in (0.5, 4.0, 50.0, 1000.0):
            K = int(rng.integers(3, 8))
            # Sixty-fourths are exact in float32, and so are their products with s: no rounding is judged here.
            x = np.r_[rng.integers(-50 * 64, 60 * 64, 20) / 64, np.arange(K + 2), 2.0].astype(dtype)
            reply = yield Call("soft_floor", (x, s, K))
            if a.warned(reply, "overflows", z=short(float(s * np.abs(x).max()))):
                continue
            mistaken = {
                "divides-by-s": models.soft_floor(x, 1 / s, K),
                "counts-from-zero": models.soft_floor(x + 1, s, K),
                "falls-instead-of-rises": models.soft_floor(x, -s, K),
            }
            want = models.soft_floor(x, s, K)
            a.case(reply.value, want, mistaken, tol=tol, dtype=dtype, leaves="leaves-float32")


FLOOR_1 = Question(
    id="floor-1",
    points=2,
    title="A sigmoid that never overflows, and a staircase of K steps",
    text="""Write the sigmoid σ(z) = 1/(1 + e⁻ᶻ) for arrays, with no warning at any z and with its tails kept: σ(−60) is about
8.8e-27, not 0. Build the staircase `soft_floor(x, s, K)` = Σ σ(s(x − k)) over k = 1 … K from it. What comes in as float32 goes out as float32.""",
    writes=("sigmoid", "soft_floor"),
    starter='''def sigmoid(z):
    """1 / (1 + exp(-z)) of an array, without overflow."""
    ...


def soft_floor(x, s, K):
    """The sum of sigmoid(s * (x - k)) over k = 1 ... K."""
    ...
''',
    check=check_1,
    messages={
        "overflows": "exp({z}) overflowed. Only ever raise e to a power that is not positive.",
        "tail-cut-off": "Clipping z stops the overflow and also flattens the tail: σ(−60) is 8.8e-27, and its slope is what a lost ball needs.",
        "divides-by-s": "Your stairs get softer as s grows. Here s multiplies: it is a sharpness.",
        "counts-from-zero": "Your first step is at 0; floor of 0.5 would be 1.",
        "falls-instead-of-rises": "σ(−z) goes down. Yours is 1 minus the right one.",
        "leaves-float32": "float32 went in, float64 came out.",
    },
    hints=(
        "Two formulas for σ are equal; each is safe on one side.",
        "e = exp(−|z|).",
        "`where(z >= 0, 1/(1+e), e/(1+e))`",
    ),
    example=lambda rng: {"x": np.sort(rng.uniform(0, 6, 5)).round(2), "s": float(rng.integers(2, 9)), "K": int(rng.integers(3, 8))},
)


# ---------------------------------------------------------------- floor-2
def check_2(a: Attempt, rng: Rng) -> Script:
    K, j = 6, np.arange(1, 6)
    for tol in (1e-2, 1e-3):
        c = float(np.log((1 - tol) / tol))
        for s in (float(rng.uniform(50, 120)), float(rng.uniform(150, 400))):
            x = np.r_[j, j + 0.5, j + 0.75, j + 1 - 3 * c / s, np.sort(rng.uniform(1, K, 30))].astype(float)
            x = x[(np.abs(x - np.round(x)) < 1e-12) | (np.ceil(x) - x >= 2.9 * c / s)]
            reply = yield Call("shifted", (x, s, K, tol))
            if a.warned(reply):
                continue
            got = number(reply.value, "shifted")
            if got.shape == x.shape and np.all(np.abs(got - np.floor(x)) <= 2 * tol):
                yield from rising(a, s, K, tol)
                continue
            names = {name for name, model in staircases(x, s, K).items() if close(got, model, 1e-6)}
            if not names and got.shape == x.shape and (yield from stays_early(s, K, tol)):
                names = {"shift-does-not-shrink"}
            _off_2(a, got, x, tol, names)


def staircases(x: np.ndarray, s: float, K: int) -> dict[str, np.ndarray]:
    """What the named mistakes give."""
    return {
        "moves-the-value": models.soft_floor(x, s, K) + 0.5,
        "turns-it-into-round": models.soft_floor(x + 0.5, s, K),
        "sharper-is-enough": models.soft_floor(x, s, K),
    }


def rising(a: Attempt, s: float, K: int, tol: float) -> Script:
    """A staircase that keeps the bounds must rise, and must not be floor itself."""
    grid = np.linspace(0.5, K + 0.4, 400)
    reply = yield Call("shifted", (grid, s, K, tol))
    if a.warned(reply):
        return
    got = number(reply.value, "shifted")
    hard = np.array_equal(got, np.clip(np.floor(grid), 0, K))
    a.behave(not hard, "hard-floor", half=False)
    a.behave(bool(np.all(np.diff(got) >= -1e-12)), "hard-floor" if hard else "", "shifted does not rise everywhere.", half=False)


def stays_early(s: float, K: int, tol: float) -> Script:
    """Whether the integers are right and the jump stays early however sharp the stairs are."""
    x = np.array([3.0, 3.5, 4 - 0.09])
    replies = []
    for sharpness in (s, 40 * s):
        reply = yield Call("shifted", (x, sharpness, K, tol), quiet=True)
        replies.append(number(reply.value, "shifted"))
    return bool(abs(replies[0][0] - 3) <= 2 * tol and abs(replies[1][2] - 3) > 0.5)


def _off_2(a: Attempt, got: np.ndarray, x: np.ndarray, tol: float, names: set[str]) -> None:
    if got.shape != x.shape:
        a.fail(names, f"shifted gave back shape {got.shape}; x has shape {x.shape}.")
        return
    i = int(np.argmax(np.abs(got - np.floor(x)) > 2 * tol))
    words = f"shifted at x = {short(float(x[i]))} is {short(float(got[i]))}; floor is {int(np.floor(x[i]))} and {2 * tol:g} is allowed."
    a.fail(names, words, k=1, half=0.5)


FLOOR_2 = Question(
    id="floor-2",
    points=3,
    title="Right on the integers",
    text="""`soft_floor(2, s)` tends to 1.5 however sharp the stairs are. Write a smooth staircase that is right on the integers:
|shifted(k) − k| ≤ 2·tol for k = 1 … K−1, and that still tends to floor between the integers as s grows (it may be early by a few
times ln(1/tol)/s before a jump, and no more). Any smooth rising function that keeps these bounds passes.""",
    writes=("shifted",),
    starter='''def shifted(x, s, K, tol):
    """A smooth staircase of K steps with sharpness s that is within 2*tol of floor on the integers."""
    ...
''',
    check=check_2,
    messages={
        "sharper-is-enough": "At x = {k} you get {half} at every s: the step's middle sits on the integer. No sharpness moves it.",
        "moves-the-value": "Now the integers are right and the flats are wrong by ½.",
        "turns-it-into-round": "You built a soft round: 2.75 gives 3.",
        "shift-does-not-shrink": "With a fixed shift the jump stays early at every s, so the limit is not floor. Let the shift shrink like 1/s.",
        "hard-floor": "That is floor; its slope is 0 everywhere.",
    },
    hints=(
        "The step must be almost finished when x reaches k.",
        "Solve σ(c) = 1 − tol.",
        "Put c inside: σ(s(x−k) + c).",
    ),
    example=lambda rng: {"x": np.sort(rng.uniform(1, 6, 4)).round(2), "s": float(rng.integers(50, 400)), "K": 6, "tol": float(rng.choice([1e-2, 1e-3]))},
)


# ---------------------------------------------------------------- floor-3
def check_3(a: Attempt, rng: Rng) -> Script:
    for dtype, tol in ((np.float64, 1e-10), (np.float32, 2e-4)):
        for s in (2.0, 8.0, 300.0):
            K = int(rng.integers(5, 8))
            x = np.r_[rng.uniform(0.2, K + 0.8, 12), 1, 3, 5].astype(dtype)
            g = rng.normal(size=x.shape).astype(dtype)
            reply = yield Call("surrogate", (x, s, K))
            if a.warned(reply):
                continue
            value, pull = pair(reply, "surrogate", ("value", "pull"))
            hard = np.clip(np.floor(x), 0, K)
            a.case(value, hard, {"relaxes-the-forward": models.soft_floor(x, s, K)}, tol=tol, of="The value of surrogate", dtype=dtype)
            if not isinstance(pull, Remote):
                raise Slip("The second thing that surrogate gives back is a function of the incoming gradient g.")
            back = yield Call(Remote(pull.number, "pull"), (g,))
            if not a.warned(back):
                pulled(a, back, g, models.slope(x, s, K), tol)


def pulled(a: Attempt, back: Reply, g: np.ndarray, slope: np.ndarray, tol: float) -> None:
    """Judge what came back for a cotangent."""
    if back.value is None:
        a.fail({"no-gradient-at-all"}, "pull gave back None.")
        return
    mistaken = {"uses-floor's-own-slope": np.zeros_like(g), "ignores-the-cotangent": slope, "straight-through": g}
    a.case(back.value, g * slope, mistaken, tol=tol, of="pull(g)", dtype=g.dtype.type)


FLOOR_3 = Question(
    id="floor-3",
    points=2,
    title="Hard forward, soft backward",
    text="""Write the rule that `@ak.custom_gradient` wants: `surrogate(x, s, K)` gives back the value, exactly floor (clipped to
0 … K), and a function `pull(g)` that weighs the incoming gradient by the slope of the staircase, Σ s·σ(s(x−k))·σ(−s(x−k)).""",
    writes=("surrogate",),
    starter='''def surrogate(x, s, K):
    """Give back (value, pull): floor of x clipped to 0...K, and a function of the incoming gradient g."""
    ...
''',
    check=check_3,
    messages={
        "relaxes-the-forward": "The value must stay hard: 1.7 gives 1. Only the way back is soft.",
        "uses-floor's-own-slope": "That is floor's own slope, 0. The rule is yours to write; it need not be true.",
        "no-gradient-at-all": "None is what floor itself has. The rule is yours to write; it need not be true.",
        "ignores-the-cotangent": "You returned the slope without multiplying by the incoming g, so nothing after this op is heard.",
        "straight-through": "You passed g on unchanged: a good rule, but the one asked for weighs it by Σ s·σ·(1−σ).",
    },
    hints=(
        "Two things are returned: a value, and a function of g.",
        "σ' = σ(1−σ), and s comes out by the chain rule.",
        "`lambda g: g * sum(s*sig(s*(x-k))*sig(-s*(x-k)) for k in range(1, K+1))`",
    ),
    example=lambda rng: {"x": np.sort(rng.uniform(0.2, 5.8, 4)).round(2), "s": float(rng.integers(2, 9)), "K": 5, "g": rng.normal(size=4).round(2)},
)


# ---------------------------------------------------------------- floor-4
def check_4(a: Attempt, rng: Rng) -> Script:
    for s in np.exp(rng.uniform(0, np.log(1e4), 4)).tolist():
        reply = yield Call("spike", (s,))
        if a.warned(reply):
            continue
        height, width, area = pair(reply, "spike", ("height", "width", "area"))
        h, w, one = worked("floor-4").spike(s)
        a.case(height, h, {"height-is-s": s}, of=f"The height at s = {short(s)}")
        a.case(width, w, {"width-is-1/s": 1 / s}, of=f"The width at s = {short(s)}")
        areas = {"area-grows-with-s": h, "area-is-height-times-width": h * w, "area-vanishes": 1 / s}
        a.case(area, one, areas, of=f"The area at s = {short(s)}")
    for s in (3.0, 1e6):
        lo, hi = float(rng.uniform(0.2, 2.4)), float(rng.uniform(2.6, 5.8))
        reply = yield Call("area", (s, lo, hi, 5))
        if not a.warned(reply):
            measured(a, reply.value, (s, lo, hi))


def measured(a: Attempt, value: object, where: tuple[float, float, float]) -> None:
    """Judge an area; a sum over any grid is near the truth for wide steps and near 0 for narrow ones."""
    s, lo, hi = where
    want, got = worked("floor-4").area(s, lo, hi, 5), number(value, "area")
    if close(got, want, 1e-7):
        return
    estimate = got.shape == () and (abs(got - want) < 1e-2 if s < 10 else abs(got - want) > 0.05)
    names = {"quadrature-misses-the-spike"} if estimate else set()
    words = f"area({s:g}, {short(lo)}, {short(hi)}, 5) is {short(value)}, expected {short(want)}."
    a.fail(names, words, h=(hi - lo) / 1000, w=3.5255e-6)


FLOOR_4 = Question(
    id="floor-4",
    points=2,
    title="A spike of constant area",
    text="""Look at the slope of one step, s·σ(1−σ). `spike(s)` gives its height, its width at half height, and its area.
`area(s, a, b, K)` gives the area under the slope of `soft_floor(x, s, K)` from a to b, to seven digits, for s = 3 as for s = 1,000,000.""",
    writes=("spike", "area"),
    starter='''def spike(s):
    """(height, width at half height, area) of the slope of one step."""
    ...


def area(s, a, b, K):
    """The area under the slope of soft_floor(x, s, K) from a to b."""
    ...
''',
    check=check_4,
    messages={
        "area-grows-with-s": "The slope's area is how far the value climbs. How far does one step climb?",
        "area-vanishes": "The slope's area is how far the value climbs. How far does one step climb?",
        "area-is-height-times-width": "0.8814 is a box as high as the spike; the spike has shoulders. Its area is how far the value climbs. How far does one step climb?",
        "height-is-s": "σ(1−σ) is ¼ at its top.",
        "width-is-1/s": "Solve σ(1−σ) = ⅛: the width is 3.5255/s.",
        "quadrature-misses-the-spike": "A grid (of, say, {h} a step) over a spike {w} wide at s = 1,000,000. The area needs no grid: you know what the slope is the slope of.",
    },
    hints=(
        "∫ f' = f(b) − f(a).",
        "The height is the value at z = 0.",
        "`soft_floor(b) - soft_floor(a)`; the width is 4·atanh(√½)/s.",
    ),
    example=lambda rng: {"s": float(rng.integers(2, 50)), "a": float(rng.uniform(0.2, 2.4).__round__(2)), "b": float(rng.uniform(2.6, 5.8).__round__(2)), "K": 5},
)


# ---------------------------------------------------------------- floor-5
def check_5(a: Attempt, rng: Rng) -> Script:
    steps, target = int(rng.integers(40, 120)), int(rng.integers(2, 5))
    starts = np.r_[rng.uniform(0.05, 0.95, 12), rng.uniform(4, 5.5, 4)]
    schedule = []
    for i in range(steps):
        reply = yield Call("schedule", (i, steps))
        if a.warned(reply):
            return
        s = number(reply.value, "schedule")
        if s.shape != () or not np.isfinite(s) or s <= 0:
            a.fail(set(), f"schedule({i}, {steps}) gave {short(reply.value)}; a sharpness is one number above 0.")
            return
        schedule.append(float(s))
    path = models.descend(starts, target, schedule)
    arrived = np.floor(path[-1]) == target
    away = np.abs(models.soft_floor(path[-1], schedule[-1]) - target)
    if schedule[-1] < 15:
        name = "anneals-backwards" if schedule[0] >= 15 else "never-sharpens"
        err = float(abs(models.soft_floor(np.array(target + 0.25), schedule[-1]) - target))
        a.fail({name}, f"The last s is {short(schedule[-1])}; at least 15 is asked for.", err=err)
    elif not arrived.all() or away.max() > 0.02:
        _lost_5(a, path, schedule, arrived)


def _lost_5(a: Attempt, path: np.ndarray, schedule: list[float], arrived: np.ndarray) -> None:
    lost = int(np.argmin(arrived))
    start = float(path[0, lost])
    sharp = next((i for i, s in enumerate(schedule) if s > 8), len(schedule) - 1)
    name = "starts-sharp" if schedule[0] > 8 else "" if arrived.all() else "sharpens-too-soon"
    facts = {
        "s": schedule[0], "x": start if name == "starts-sharp" else float(path[sharp, lost]),
        "d": float(models.slope(np.array(start), schedule[0])), "i": sharp,
    }  # fmt: skip
    words = f"From {short(start)} the ball ends at {short(float(path[-1, lost]))}."
    a.fail({name} - {""}, words, **facts)


FLOOR_5 = Question(
    id="floor-5",
    points=3,
    title="A schedule that arrives",
    text="""The check descends on (soft_floor(x, s) − target)² with rate 0.1, and asks your schedule for the sharpness s of each step.
From every start in (0.05, 0.95) and (4, 5.5) the ball must end where floor is the target and soft_floor is within 0.02 of it, and the
last s must be at least 15. There are 40 to 120 steps. Any schedule that does this passes.""",
    writes=("schedule",),
    starter='''def schedule(i, steps):
    """The sharpness of step i = 0 ... steps-1."""
    ...
''',
    check=check_5,
    messages={
        "starts-sharp": "At s = {s} the slope at {x} is {d}: the ball cannot feel the stairs. Begin soft.",
        "never-sharpens": "It may arrive, but the surrogate is still {err} away from floor a quarter past a step; nobody may round it.",
        "anneals-backwards": "You cooled first and warmed afterwards.",
        "sharpens-too-soon": "Step {i}: the ball was at {x} when the stairs became sharp.",
    },
    hints=(
        "Print the slope at 0.3 for s = 1, 4, 15.",
        "Grow by the same factor each step.",
        "`1 * 20**(i/(steps-1))`",
    ),
    example=lambda rng: {"steps": int(rng.integers(40, 120)), "target": int(rng.integers(2, 5)), "start": float(rng.uniform(0.05, 0.95).__round__(2))},
)


# ---------------------------------------------------------------- floor-6
def check_6(a: Attempt, rng: Rng) -> Script:
    for w in (1.0, 0.25, 0.5, 2.0, 3.0):
        x = rng.uniform(-3, 6, 40)
        edges = np.stack([x + w / 2, x - w / 2])
        x = x[np.abs(edges - np.round(edges)).min(0) > 1e-3]
        reply = yield Call("box_floor", (x, w))
        if a.warned(reply):
            continue
        value, slope = pair(reply, "box_floor", ("value", "slope"))
        mean, climb = worked("floor-6").box_floor(x, w)
        got = number(value, "The value of box_floor")
        if not close(got, mean, 1e-10):
            middle = close(got, np.floor(x), 1e-9)
            names = {"not-averaged"} if middle else {"samples"} if close(got, mean, 0.1) else set()
            err = float(np.abs(got - mean).max()) if got.shape == mean.shape else float("nan")
            a.fail(names, f"The value of box_floor(x, {w:g}) is off by up to {short(err)}.", err=err)
        mistaken = {"slope-of-floor-inside": np.zeros_like(x), "one-everywhere": np.ones_like(x), "window-not-divided-out": climb * w}
        facts = {"w": w, "a": int(np.floor(w)), "b": int(np.floor(w)) + 1}
        a.case(slope, climb, mistaken, tol=1e-10, of=f"The slope of box_floor(x, {w:g})", facts=facts)


FLOOR_6 = Question(
    id="floor-6",
    points=3,
    title="What straight-through is the gradient of",
    text="""Blur floor with a window of width w: `box_floor(x, w)` gives the exact mean of floor over [x − w/2, x + w/2] and its exact
slope in x. No sampling: ten digits are compared.""",
    writes=("box_floor",),
    starter='''def box_floor(x, w):
    """(value, slope): the mean of floor over [x - w/2, x + w/2], and the slope of that mean."""
    ...
''',
    check=check_6,
    messages={
        "samples": "A good estimate (off by {err}). An exact one: how much of the window lies above each integer?",
        "slope-of-floor-inside": "Each sample is flat, and yet the mean climbs: the window's edges cross the jumps.",
        "one-everywhere": "True for w = 1. At w = {w} the window holds {a} or {b} jumps.",
        "window-not-divided-out": "That is the count of jumps, not yet divided by the window's width.",
        "not-averaged": "That is floor at the middle.",
    },
    hints=(
        "Let G be floor's antiderivative.",
        "G(z) = k(k−1)/2 + k(z−k), with k = floor z.",
        "The value is (G(x+w/2) − G(x−w/2))/w, the slope (floor(x+w/2) − floor(x−w/2))/w.",
    ),
    example=lambda rng: {"x": np.sort(rng.uniform(-1, 4, 4)).round(2), "w": float(rng.choice([0.25, 0.5, 1.0, 2.0]))},
    praise="Every case is right. At w = 1 the value is x − ½ and the slope is 1 everywhere: straight-through is the true gradient of *this* function.",
)

LESSON = Lesson(
    no="06",
    slug="06_relaxing_floor",
    title="Relaxing floor into a sigmoid: exercises",
    goal="Build the staircase, mend it on the integers, anneal it, and find the function whose true gradient straight-through is.",
    minutes=60,
    reminders=(
        "`@ak.custom_gradient` (lesson 05) wraps a function that gives back two things: the value, and a function from the incoming gradient to the outgoing one. "
        "Nobody checks that the second belongs to the first.",
        "An unconnected path gives `None`, a flat one gives 0 (lesson 02): floor is flat, so its own slope is 0 wherever it has one.",
    ),
    questions=(FLOOR_1, FLOOR_2, FLOOR_3, FLOOR_4, FLOOR_5, FLOOR_6),
    keywords=("relaxation", "straight-through", "surrogate gradient", "annealing", "custom gradient"),
)
