"""adam-6: Slots for a changed model."""

from __future__ import annotations

from copy import deepcopy
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from autodiff_kit.exercises.diagnosis import AttemptEvaluation
from autodiff_kit.exercises.protocol import Call, LearnerCodeError
from autodiff_kit.exercises.question import Question
from autodiff_kit.lessons.translation import translate

from .. import shared
from . import misconceptions, solution

if TYPE_CHECKING:
    from autodiff_kit.exercises.protocol import CheckScript

__all__ = ["QUESTION"]


def onwards(
    w: dict[str, np.ndarray], new: Any, grads: dict[str, list[np.ndarray]], given: dict[str, Any]
) -> np.ndarray:
    """Three more steps of each variable from the slots that migrate gave."""
    if type(new) is not dict:
        raise LearnerCodeError(
            translate("migrate must return a dictionary: the slots of each name in shapes.", "lesson15")
        )
    rows = []
    for name, pulled in grads.items():
        if name not in new:
            raise LearnerCodeError(
                translate(
                    "migrate returned no slots for {name!r}; every name in shapes needs some.", "lesson15"
                ).format(name=name)
            )
        x, slots = w[name], {part: shared.require_slot(new[name], part, "migrate") for part in ("m", "v", "t")}
        for part in ("m", "v"):  # the shapes that the variables have, or had; any other could not be used in a step
            if np.shape(slots[part]) not in ((), (3,), x.shape):
                text = translate(
                    "migrate returned {part} with shape {got} for {name!r}, whose shape is {wanted}.", "lesson15"
                )
                words = text.format(part=part, got=np.shape(slots[part]), name=name, wanted=x.shape)
                raise LearnerCodeError(words)
        for g in pulled:
            x, slots = shared.adam_with_mistake(x, g, slots, **given)
            rows.extend(x.reshape(-1, 3))
    return np.array(rows)


def check(a: AttemptEvaluation, rng: np.random.Generator) -> CheckScript:
    given = shared.random_constants(rng)
    old: dict[str, Any] = {}
    w = {"head/kernel": rng.normal(size=3)}
    for name in ("emb", "dense/kernel", "dense/bias", "out"):
        w[name] = rng.normal(size=3)
        old[name] = shared.initial_slots(3)
        for _ in range(6):
            w[name], old[name] = shared.adam_with_mistake(w[name], rng.normal(size=3), old[name], **given)
    w["out"] = rng.normal(size=(1, 3))  # its shape has changed, and not its size; the old slots would still broadcast
    order = rng.permutation(list(old)).tolist()
    order.insert(int(rng.integers(3)), "head/kernel")  # before the last, so that going by position always shows
    shapes = {name: w[name].shape for name in order}
    grads = {name: [rng.normal(size=shape) for _ in range(3)] for name, shape in shapes.items()}
    go = partial(onwards, w, grads=grads, given=given)
    reply = yield Call("migrate", (old, shapes), sharing=True)
    if a.warned(reply):
        return
    ways = {
        "by-position": misconceptions.migrate_by_position,
        "a-new-optimizer-remembers-nothing": misconceptions.migrate_nothing,
        "forgets-the-clock": misconceptions.migrate_without_step_count,
        "slots-of-the-old-shape": misconceptions.migrate_whatever_the_shape,
        "old-clock-for-a-newcomer": misconceptions.migrate_with_one_step_count,
        "old-clock-for-a-changed-shape": misconceptions.migrate_keeping_step_counts,
        "forgets-m": partial(misconceptions.migrate_without, "m"),
        "forgets-v": partial(misconceptions.migrate_without, "v"),
    }
    mistaken = {name: (lambda way=way: go(way(deepcopy(old), shapes))) for name, way in ways.items()}
    want = go(solution.migrate(old, shapes))
    if a.case(
        go(reply.value),
        want,
        mistaken,
        tol=1e-11,
        of=translate("w after three more steps", "lesson15"),
        facts=_facts_6(old, shapes, w, grads, given),
    ):
        a.behave(
            not reply.shared,
            "shares-memory",
            translate("The new slots share memory with the old ones.", "lesson15"),
            half=False,
        )


def _facts_6(old: Any, shapes: Any, w: Any, grads: Any, given: dict[str, Any]) -> dict[str, object]:
    first, newcomer = next(name for name in shapes if name in old and shapes[name] == (3,)), "head/kernel"
    moved = shared.adam_with_mistake(w[first], grads[first][0], old[first], **given)[0] - w[first]
    late = {**shared.initial_slots(3), "t": 6}
    start = shared.adam_with_mistake(w[newcomer], grads[newcomer][0], late, **given)[0] - w[newcomer]
    pairs = zip(shapes, old, strict=False)
    swapped = next((pair for pair in pairs if pair[0] != pair[1] and shapes[pair[0]] == (3,)), (first, first))
    return {
        "name": first,
        "d": float(np.abs(moved[0])),
        "heir": swapped[0],
        "other": swapped[1],
        "t": 6,
        "changed": shapes["out"],
        "x": float(np.abs(start[0]) / given["lr"]),
    }


QUESTION = Question(
    id="adam-6",
    points=3,
    title="Slots for a changed model",
    text="""A model is saved, changed and loaded again. `old` has the old optimizer's slots by the names of the variables. `shapes`
has the names and shapes of the new model's variables, in another order and with new ones among them. Return the new
optimizer's slots by name, so that training goes on as before. New variables, and those whose shape changed, start with
empty slots (m and v are 0, t is 0). The result shares no array with `old`.""",
    writes=("migrate",),
    starter='''def migrate(old, shapes):
    """Slots {"m": ..., "v": ..., "t": ...} for each name in shapes, by name."""
    ...
''',
    check=check,
    messages={
        "a-new-optimizer-remembers-nothing": "{name} got empty slots: its first step has the size of lr, and {d} is expected.",
        "by-position": "{heir} got the slots of {other}. The shapes agree, so no error was raised. Look the slots up by name.",
        "forgets-the-clock": "m and v were kept, t was not. So the bias correction is applied a second time.",
        "slots-of-the-old-shape": "out has the shape {changed} now, and it got the slots of its old shape (3,). NumPy broadcasts them, so no error was raised. Compare the shapes, and start with empty slots where they differ.",
        "old-clock-for-a-newcomer": "A new variable got t = {t}, but its m and v are 0. Without the right correction its first step is {x} times lr instead of lr.",
        "old-clock-for-a-changed-shape": "out has another shape and begins with m = v = 0, but it kept t = {t}. Its corrections are those of a variable that made {t} steps; start it at t = 0.",
        "forgets-m": "v and t were carried over, m was not: {name} begins again without its mean.",
        "forgets-v": "m and t were carried over, v was not: the first step of {name} is far too long.",
        "shares-memory": "The new slots are the same arrays as the old ones; a step would change both. Copy them.",
    },
    hints=(
        "Which three things belong to a variable's slots?",
        "For each name in `shapes`: are there old slots of that name and shape?",
        "`deepcopy(old[n])` if n is in old and the shapes agree, otherwise empty slots with t = 0.",
    ),
    example=lambda rng: {
        "old": {"emb": {"m": rng.normal(size=2).round(2), "v": rng.random(2).round(2), "t": 6}},
        "shapes": {"head": (2,), "emb": (2,)},
    },
)
