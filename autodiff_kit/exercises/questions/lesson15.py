"""Lesson 15, Adam slots: what an optimizer remembers, and what that does when no gradient comes."""

from __future__ import annotations

from copy import deepcopy
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from ..closeness import close, number, short
from ..driver import play
from ..marking import Attempt, pair
from ..models import lesson15 as models
from ..protocol import Call, Slip
from ..spec import Lesson, Question, worked

if TYPE_CHECKING:
    from ..protocol import Script

__all__ = ["LESSON"]

Rng = np.random.Generator
KINDS = ("sgd", "momentum", "rmsprop", "adam")


def constants(rng: Rng, eps: float | None = None) -> dict[str, float]:
    """Constants of a draw; eps is large where its place in the formula must show."""
    drawn = {"lr": (0.05, 0.1, 0.2), "b1": (0.8, 0.9, 0.95), "b2": (0.99, 0.999), "eps": (1e-3, 1e-2)}
    found = {name: float(rng.choice(values)) for name, values in drawn.items()}
    return found if eps is None else {**found, "eps": eps}


def slot(slots: Any, name: str, call: str) -> Any:
    """One slot of the learner's, or a slip."""
    if type(slots) is not dict or name not in slots:
        raise Slip(f"{call} is to give back slots as a dictionary with m, v and t; {name} is missing.")
    return slots[name]


# ---------------------------------------------------------------- adam-1
def path_1(a: Attempt, w: np.ndarray, gradients: list[Any], given: dict[str, float]) -> Script:
    """All the values that w takes; nothing if a warning ended it."""
    slots, path = models.fresh(3), []
    for g in gradients:
        reply = yield Call("adam_step", (w, g, slots), given)
        if a.warned(reply, "clock-starts-at-zero" if "divi" in reply.warning else ""):
            return None
        w, slots = pair(reply, "adam_step", ("w", "slots"))  # type: ignore[assignment]
        if type(w) is not np.ndarray or w.shape != (3,):
            raise Slip("adam_step is to give back w as an array of the shape that it came with, (3,).")
        path.append(w)
    return np.array(path)


def check_1(a: Attempt, rng: Rng) -> Script:
    switches: dict[str, dict[str, bool]] = {
        "no-bias-correction": {"bias": False},
        "eps-inside-the-root": {"inside": True},
        "v-without-the-square": {"square": False},
    }
    only_none: dict[str, dict[str, bool]] = {
        "None-taken-for-zero": {"none_is_zero": True},
        "clock-runs-on-None": {"clock_runs": True},
    }
    for case in ("plain", "zeros", "none"):
        given, w = constants(rng), rng.normal(size=3)
        gradients: list[Any] = [rng.normal(size=3) for _ in range(6)]
        for i in {"plain": (), "zeros": (2, 4), "none": (1, 3)}[case]:
            gradients[i] = None if case == "none" else np.zeros(3)
        run = partial(path_1, a, w, gradients, given)
        got = yield from run()
        if got is None:
            continue
        possible = {**switches, **only_none} if case == "none" else switches
        mistaken = {
            name: (lambda on=on: play(run(), adam_step=partial(models.adam, **on))) for name, on in possible.items()
        }
        right = play(run(), adam_step=worked("adam-1").adam_step)
        facts = {"x": float(np.abs(got[0] - w)[0] / given["lr"]), "d": float(np.abs(got[1] - got[0]).max())}
        words = f"w after steps with {case} gradients" if case != "none" else "w after steps, two of them None,"
        a.case(got, right, mistaken, tol=1e-11, of=words, facts=facts)


ADAM_1 = Question(
    id="adam-1",
    points=2,
    title="One step, None included",
    text="""Write one step of Adam. `slots` is a dictionary with the running means `m` and `v` and the clock `t`; give back the
new `w` and new slots, and leave the old ones as they were. A gradient `g` that is `None` means *no news*: nothing
moves, nothing decays, no time passes. `eps` stands beside the root.""",
    writes=("adam_step",),
    starter='''def adam_step(w, g, slots, lr, b1, b2, eps):
    """One step: give back (w, slots) with slots = {"m": ..., "v": ..., "t": ...}; g may be None."""
    ...
''',
    check=check_1,
    messages={
        "no-bias-correction": "Your first step is {x}·lr; with zeros as a start m and v must be divided by 1−βᵗ, and then it is lr exactly (but for eps).",
        "eps-inside-the-root": "eps stands beside the root, not under it.",
        "None-taken-for-zero": "None means: no news. You let the slots decay, and w moved by {d}.",
        "clock-runs-on-None": "t counts the steps taken, and a None is not one.",
        "clock-starts-at-zero": "That divides by 1−β⁰, which is 0. At the first step t is 1.",
        "writes-into-the-old-slots": "The slots handed in were changed; a saved copy would be changed with them.",
        "v-without-the-square": "v averages g², so that its root has g's unit.",
    },
    hints=(
        "Three lines, then a division each.",
        "t + 1 comes first.",
        "`w - lr*(m/(1-b1**t))/(sqrt(v/(1-b2**t))+eps)`",
    ),
    example=lambda rng: {
        "w": rng.normal(size=3).round(2), "g": rng.normal(size=3).round(2), "slots": models.fresh(3), **constants(rng),
    },  # fmt: skip
    spoils={2: "writes-into-the-old-slots"},
)


# ---------------------------------------------------------------- adam-2
def strip(rng: Rng) -> list[float | None]:
    """Gradients of one number: first a real one, then values, zeros and None."""
    middle = [None if r < 0.2 else 0.0 if r < 0.7 else float(rng.normal()) for r in rng.random(int(rng.integers(15, 40)))]
    return [float(rng.normal()) + 1.5, *middle, 0.0, 0.0, None, 0.0]


def table_2(a: Attempt, gradients: list[float | None], given: dict[str, float]) -> Script:
    """(real, ghost) of the four kinds, one row each."""
    table = []
    for kind in KINDS:
        reply = yield Call("motion", (gradients, kind), given)
        if a.warned(reply):
            return None
        table.append([_real(part) for part in pair(reply, "motion", ("real", "ghost"))])
    return np.array(table)


def _real(part: object) -> float:
    if type(part) in (int, float) or (type(part) is np.ndarray and part.shape == () and part.dtype.kind in "fi"):
        return float(part)  # type: ignore[arg-type]
    raise Slip("motion is to give back two numbers, (real, ghost).")


def check_2(a: Attempt, rng: Rng) -> Script:
    for _ in range(3):
        gradients, given = strip(rng), constants(rng, 1e-8)
        run = partial(table_2, a, gradients, given)
        got = yield from run()
        if got is None:
            continue
        want = play(run(), motion=worked("adam-2").motion)
        mistaken = {
            "zero-gradient-means-still": lambda: play(run(), motion=partial(models.motion, zero_is_none=True)),  # noqa: B023
            "None-taken-for-zero": lambda: play(run(), motion=partial(models.motion, none_is_zero=True)),  # noqa: B023
            "blames-the-adaptivity": want[[0, 2, 1, 3]],
            "all-motion-is-real": np.stack([want.sum(1), 0 * want[:, 1]], axis=1),
        }
        facts = {"n": gradients.count(None), "ghost": float(want[3, 1])}
        words = "The table of (real, ghost) for sgd, momentum, rmsprop, adam"
        a.case(got, want, mistaken, tol=1e-10, of=words, facts=facts)


ADAM_2 = Question(
    id="adam-2",
    points=3,
    title="Real motion, ghost motion",
    text="""One parameter sees a list of gradients: numbers, zeros and `None`. Split what `w` moves into two sums: *real* is what it
moved in steps whose gradient was not 0, *ghost* what it moved in steps whose gradient was exactly 0. A `None` moves
nothing, and nothing decays. `kind` is `"sgd"`, `"momentum"` (m = β₁m + g, step −lr·m), `"rmsprop"` (v = β₁v + (1−β₁)g²,
step −lr·g/(√v+eps)) or `"adam"`.""",
    writes=("motion",),
    starter='''def motion(gradients, kind, lr, b1, b2, eps):
    """How far w moves for a list of gradients: give back (real, ghost), two signed numbers."""
    ...
''',
    check=check_2,
    messages={
        "zero-gradient-means-still": "You skipped the zeros. Adam still moves by m, and m was not empty.",
        "blames-the-adaptivity": "RMSProp has v and stops; momentum has m and drifts. Which slot carries motion?",
        "None-taken-for-zero": "{n} None were treated as zeros; each let the slots decay.",
        "all-motion-is-real": "The total is right; the split is not: {ghost} of Adam's came from steps without a gradient.",
    },
    hints=(
        "Add each step's move to one of two sums.",
        "0 and None take different roads.",
        "With m ≠ 0 a zero gradient still gives −lr·m̂/√v̂.",
    ),
    example=lambda rng: {"gradients": [1.0, 0.0, None, round(float(rng.normal()), 2), 0.0], **constants(rng, 1e-8)},
)


# ---------------------------------------------------------------- adam-3
def path_3(
    a: Attempt, w: np.ndarray, slots: Any, gradients: list[np.ndarray], mask: np.ndarray, given: dict[str, float]
) -> Script:
    """w, m and v after all steps."""
    x: Any = w
    for g in gradients:
        reply = yield Call("frozen_step", (x, g, slots, mask), given)
        if a.warned(reply):
            return None
        x, slots = pair(reply, "frozen_step", ("w", "slots"))
    rows = [x, slot(slots, "m", "frozen_step"), slot(slots, "v", "frozen_step")]
    if any(type(row) is not np.ndarray or row.shape != w.shape for row in rows):
        raise Slip(f"frozen_step is to give back w, m and v as arrays of the shape that they came with, {w.shape}.")
    return np.stack(rows)


def check_3(a: Attempt, rng: Rng) -> Script:
    given, w, slots = constants(rng), rng.normal(size=6), models.fresh(6)
    for _ in range(5):
        w, slots = models.adam(w, rng.normal(size=6), slots, **given)
    mask = rng.permutation(np.array([True, False] * 3))
    gradients = [rng.normal(size=6) for _ in range(4)]
    run = partial(path_3, a, w, slots, gradients, mask, given)
    got = yield from run()
    if got is None:
        return
    ways = {
        "zero-gradient-means-still": models.freeze_zeroing,
        "slots-go-on-decaying": models.freeze_step,
        "slots-learn-while-frozen": models.freeze_value,
        "slots-thrown-away": models.freeze_forgetting,
        "mask-the-wrong-way-round": models.freeze_others,
    }
    mistaken = {name: (lambda way=way: play(run(), frozen_step=way)) for name, way in ways.items()}
    first = int(np.argmax(mask))
    facts = {"i": first, "d": float(got[0, first] - w[first])}
    want = play(run(), frozen_step=worked("adam-3").frozen_step)
    if a.case(got, want, mistaken, tol=1e-12, of="w, m and v (one row each) after four steps", facts=facts):
        same = np.array_equal(got[:, mask], np.stack([w, slots["m"], slots["v"]])[:, mask])
        a.behave(same, text="Frozen elements are right to many digits, but not bit for bit what they were.")


ADAM_3 = Question(
    id="adam-3",
    points=3,
    title="Freeze, slots and all",
    text="""Where `mask` is true, `w`, `m` and `v` must come out bit for bit as they went in; elsewhere this is an ordinary step of
Adam. The clock `t` counts on.""",
    writes=("frozen_step",),
    starter='''def frozen_step(w, g, slots, mask, lr, b1, b2, eps):
    """One step of Adam that leaves w, m and v alone where mask is True: give back (w, slots)."""
    ...
''',
    check=check_3,
    messages={
        "zero-gradient-means-still": "Gradient 0 is not frozen: element {i} drifted by {d}.",
        "slots-go-on-decaying": "w stands still, but its slots decayed behind the curtain; on thawing it starts from another m.",
        "slots-learn-while-frozen": "w was put back, but the slots learned from gradients that were not to count.",
        "slots-thrown-away": "Zeroing the slots forgets 5 steps: that is a restart, not a freeze.",
        "mask-the-wrong-way-round": "The others are frozen. True means frozen here.",
    },
    hints=(
        "Three things must stand still.",
        "Do the step for all, then choose.",
        "`where(mask, old, new)` for w, m and v.",
    ),
    example=lambda rng: {
        "w": rng.normal(size=4).round(2), "g": rng.normal(size=4).round(2), "mask": rng.permutation([True, True, False, False]),
        "slots": {"m": rng.normal(size=4).round(2), "v": rng.random(4).round(2), "t": 5}, **constants(rng),
    },  # fmt: skip
)


# ---------------------------------------------------------------- adam-4
BATCHES = ([0, 0, 3], [3, 1], [5, 0, 5, 5], [1], [0, 3])


def path_4(
    a: Attempt, table: np.ndarray, batches: list[np.ndarray], grads: list[np.ndarray], given: dict[str, float]
) -> Script:
    """The table after all batches."""
    now: Any = table
    slots: Any = {"m": np.zeros_like(table), "v": np.zeros_like(table), "t": 0}
    for ids, g in zip(batches, grads, strict=True):
        reply = yield Call("lazy_adam", (now, ids, g, slots), given)
        if a.warned(reply):
            return None
        now, slots = pair(reply, "lazy_adam", ("table", "slots"))
        if type(now) is not np.ndarray or now.shape != table.shape:
            raise Slip(f"lazy_adam is to give back the table as an array of shape {table.shape}.")
    return now


def check_4(a: Attempt, rng: Rng) -> Script:
    given, table = constants(rng), rng.normal(size=(7, 2))
    names = rng.permutation(7)
    batches = [names[np.array(ids)] for ids in BATCHES]
    grads = [rng.normal(size=(len(ids), 2)) for ids in batches]
    run = partial(path_4, a, table, batches, grads, given)
    got = yield from run()
    if got is None:
        return
    ways = {
        "dense": models.rows_dense,
        "last-duplicate-wins": models.rows_last,
        "duplicates-step-twice": models.rows_serial,
        "clock-of-its-own": models.rows_own_clock,
    }
    want = play(run(), lazy_adam=worked("adam-4").lazy_adam)
    mistaken = {name: (lambda way=way: play(run(), lazy_adam=way)) for name, way in ways.items()}
    worst = int(np.argmax(np.abs(got - want).max(1)))
    twice = int(names[0])
    facts = {"r": twice, "seldom": worst, "d": float(np.abs(got - want)[worst].max())}
    a.case(got, want, mistaken, tol=1e-11, of="The table after five batches", facts=facts)


ADAM_4 = Question(
    id="adam-4",
    points=3,
    title="Rows of an embedding",
    text="""A batch touches few rows of a large table. Only the rows in `ids` move, and only their slots change; an id that is
repeated counts once, with the sum of its gradients (`grads[j]` belongs to `ids[j]`). There is one clock for all: it ticks once a batch.""",
    writes=("lazy_adam",),
    starter='''def lazy_adam(table, ids, grads, slots, lr, b1, b2, eps):
    """One lazy step of Adam: give back (table, slots); m and v have the table's shape, t is one number."""
    ...
''',
    check=check_4,
    messages={
        "dense": "A row that was not in the batch moved: row {seldom} ends {d} from where it should. m goes on pushing rows that nobody asked for.",
        "last-duplicate-wins": "ids had {r} twice; table[ids] = … keeps the last. Add them up first.",
        "duplicates-step-twice": "Row {r} took two steps in one batch. Add its gradients up, and step once.",
        "clock-of-its-own": "You counted per row; here t is the optimizer's, so a rare row gets a smaller correction.",
    },
    hints=(
        "Unique ids, summed gradients.",
        "`np.add.at`.",
        "Step only `rows = unique(ids)`, with the common t.",
    ),
    example=lambda rng: {
        "table": rng.normal(size=(4, 2)).round(2), "ids": np.array([2, 0, 2]), "grads": rng.normal(size=(3, 2)).round(2),
        "slots": models.fresh((4, 2)), **constants(rng),
    },  # fmt: skip
)


# ---------------------------------------------------------------- adam-5
def check_5(a: Attempt, rng: Rng) -> Script:
    given, w, slots = constants(rng, 1e-8), rng.normal(size=3), models.fresh(3)
    g = rng.normal(size=3) + 0.5
    for _ in range(int(rng.integers(2, 7))):
        g = rng.normal(size=3) + 0.5
        w, slots = models.adam(w, g, slots, **given)
    reply = yield Call("brake", (slots, g, given["b1"]))
    if a.warned(reply):
        return
    if reply.value is None:
        a.fail({"None-is-only-a-pause"}, "brake gave back None.")
        return
    b1, m = given["b1"], slots["m"]
    mistaken = {
        "zero-gradient-means-still": np.zeros(3),
        "opposite-of-the-last-gradient": -g,
        "opposite-of-m": -m,
        "forgets-the-1-b1": -b1 * m,
    }
    drift = models.adam(w, np.zeros(3), slots, **given)[0] - w
    facts = {"d": float(drift[0]), "x": float((b1 * m - (1 - b1) * g)[0]), "rest": 1 - b1}
    got = number(reply.value, "brake")
    if got.shape != (3,):
        a.fail(set(), f"brake gave back shape {got.shape}; w has shape (3,).")
        return
    x, now = models.adam(w, got, slots, **given)
    y, _ = models.adam(x, np.zeros(3), now, **given)
    if not (close(x, w, 1e-12) and close(y, w, 1e-12)):
        hit = {name for name, model in mistaken.items() if close(got, model, 1e-12)}
        words = f"With your gradient w moves by {short(float(np.abs(x - w).max()))}, and by {short(float(np.abs(y - x).max()))} in the zero step after it."
        a.fail(hit, words, **facts)


ADAM_5 = Question(
    id="adam-5",
    points=2,
    title="The brake",
    text="""Adam has been running, and now it is to stop. Give the next gradient after which `w` does not move: not in this step, and
not in any later one whose gradient is 0. (`last_gradient` is the one of the step before; you may not need it.)""",
    writes=("brake",),
    starter='''def brake(slots, last_gradient, b1):
    """The gradient that stops w for good; slots = {"m": ..., "v": ..., "t": ...}."""
    ...
''',
    check=check_5,
    messages={
        "zero-gradient-means-still": "With 0 w moved on by {d}.",
        "opposite-of-the-last-gradient": "−g over-brakes or under-brakes: m becomes {x} and w moves on with it.",
        "opposite-of-m": "The new gradient enters m with weight {rest} only; what must it be so that m is 0?",
        "forgets-the-1-b1": "The new gradient enters m with weight {rest} only; what must it be so that m is 0?",
        "None-is-only-a-pause": "None stops this step; m is still there for the next.",
    },
    hints=(
        "Which slot must become 0?",
        "β₁m + (1−β₁)g = 0.",
        "−β₁m/(1−β₁).",
    ),
    example=lambda rng: {
        "slots": {"m": rng.normal(size=3).round(2), "v": rng.random(3).round(2), "t": 4},
        "last_gradient": rng.normal(size=3).round(2), "b1": constants(rng)["b1"],
    },  # fmt: skip
)


# ---------------------------------------------------------------- adam-6

def onwards(w: dict[str, np.ndarray], new: Any, grads: dict[str, list[np.ndarray]], given: dict[str, float]) -> np.ndarray:
    """Three more steps of each variable from the slots that migrate gave."""
    if type(new) is not dict:
        raise Slip("migrate is to give back a dictionary: the slots of each name in shapes.")
    rows = []
    for name in grads:
        if name not in new:
            raise Slip(f"migrate gave back no slots for {name!r}; every name in shapes needs some.")
        x, slots = w[name], {part: slot(new[name], part, "migrate") for part in ("m", "v", "t")}
        for g in grads[name]:
            x, slots = models.adam(x, g, slots, **given)
            rows.append(x)
    return np.array(rows)


def check_6(a: Attempt, rng: Rng) -> Script:
    given = constants(rng)
    old: dict[str, Any] = {}
    w = {"head/kernel": rng.normal(size=3)}
    for name in ("emb", "dense/kernel", "dense/bias"):
        w[name] = rng.normal(size=3)
        old[name] = models.fresh(3)
        for _ in range(6):
            w[name], old[name] = models.adam(w[name], rng.normal(size=3), old[name], **given)
    order = rng.permutation(list(old)).tolist()
    order.insert(int(rng.integers(3)), "head/kernel")  # before the last, so that going by position always shows
    shapes = {name: (3,) for name in order}
    grads = {name: [rng.normal(size=3) for _ in range(3)] for name in shapes}
    go = partial(onwards, w, grads=grads, given=given)
    reply = yield Call("migrate", (old, shapes), sharing=True)
    if a.warned(reply):
        return
    ways = {
        "by-position": models.move_by_position,
        "a-new-optimizer-remembers-nothing": models.move_nothing,
        "forgets-the-clock": models.move_without_clock,
        "old-clock-for-a-newcomer": models.move_with_one_clock,
    }
    mistaken = {name: (lambda way=way: go(way(deepcopy(old), shapes))) for name, way in ways.items()}
    want = go(worked("adam-6").migrate(old, shapes))
    if a.case(go(reply.value), want, mistaken, tol=1e-11, of="w after three more steps", facts=_facts_6(old, shapes, w, grads, given)):
        a.behave(not reply.shared, "shares-memory", "The new slots share memory with the old ones.", half=False)


def _facts_6(old: Any, shapes: Any, w: Any, grads: Any, given: dict[str, float]) -> dict[str, object]:
    first, newcomer = next(name for name in shapes if name in old), "head/kernel"
    moved = models.adam(w[first], grads[first][0], old[first], **given)[0] - w[first]
    late = {**models.fresh(3), "t": 6}
    start = models.adam(w[newcomer], grads[newcomer][0], late, **given)[0] - w[newcomer]
    swapped = next((pair for pair in zip(shapes, old, strict=False) if pair[0] != pair[1]), (first, first))
    return {
        "name": first, "d": float(np.abs(moved[0])), "heir": swapped[0], "other": swapped[1], "t": 6,
        "x": float(np.abs(start[0]) / given["lr"]),
    }  # fmt: skip


ADAM_6 = Question(
    id="adam-6",
    points=3,
    title="Moving house",
    text="""A model is saved, changed and loaded again. `old` has the slots of the old optimizer by the variables' names; `shapes` names
the variables of the new one, in another order and with newcomers among them. Give the new optimizer's slots by name, so
that training goes on as if nothing had happened. Newcomers (and variables of another shape) start fresh; nothing is shared with `old`.""",
    writes=("migrate",),
    starter='''def migrate(old, shapes):
    """Slots {"m": ..., "v": ..., "t": ...} for each name in shapes, by name."""
    ...
''',
    check=check_6,
    messages={
        "a-new-optimizer-remembers-nothing": "{name} restarted: its first step is lr again instead of {d}.",
        "by-position": "{heir} received the slots of {other}; the shapes agreed, so nothing complained. Go by name.",
        "forgets-the-clock": "m and v came along, t did not: the correction is applied a second time.",
        "old-clock-for-a-newcomer": "A newcomer at t = {t}: its m and v are nearly empty and nobody corrects them (the first step would be {x} of lr instead of lr).",
        "shares-memory": "The new slots are the old arrays.",
    },
    hints=(
        "What does a variable own besides m and v?",
        "Look up by name, check the shape.",
        "`deepcopy(old[n]) if n in old and shapes agree else fresh`",
    ),
    example=lambda rng: {
        "old": {"emb": {"m": rng.normal(size=2).round(2), "v": rng.random(2).round(2), "t": 6}},
        "shapes": {"head": (2,), "emb": (2,)},
    },  # fmt: skip
)

LESSON = Lesson(
    no="15",
    slug="15_adam_slots",
    title="Adam slots: exercises",
    goal="Write the step, the freeze, the lazy row and the brake, and carry the slots to a new optimizer.",
    minutes=60,
    reminders=(
        "`None` and 0 are two answers (lesson 02): `None` says that no path leads from the loss to the variable, 0 that a path leads there and "
        "carries nothing. An optimizer skips a `None` and takes a step with a 0.",
        "Momentum (lesson 14) keeps a running sum `m = β·m + g` and steps by `−lr·m`; what is in `m` goes on moving `w` after the gradients stop.",
    ),
    questions=(ADAM_1, ADAM_2, ADAM_3, ADAM_4, ADAM_5, ADAM_6),
    keywords=("Adam", "momentum", "slots", "freezing", "sparse updates"),
)
