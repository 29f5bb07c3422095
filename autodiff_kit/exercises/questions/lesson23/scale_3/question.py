"""scale-3: Only the rows of the batch."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from autodiff_kit.exercises.compare import values_close
from autodiff_kit.exercises.diagnosis import AttemptEvaluation, unpack_tuple
from autodiff_kit.exercises.in_process import run_script_with
from autodiff_kit.exercises.protocol import Call, LearnerCodeError
from autodiff_kit.exercises.question import Question
from autodiff_kit.lessons.translation import translate

from .. import shared
from . import misconceptions, solution

if TYPE_CHECKING:
    from autodiff_kit.exercises.protocol import CheckScript

__all__ = ["QUESTION"]


BATCHES = ([0, 0, 3], [3, 1], [5, 0, 5, 5], [1], [0, 3])


def path_4(
    a: AttemptEvaluation, table: np.ndarray, batches: list[np.ndarray], grads: list[np.ndarray], given: dict[str, Any]
) -> CheckScript:
    """The table after all batches."""
    now: Any = table
    slots: Any = {"m": np.zeros_like(table), "v": np.zeros_like(table), "t": 0}
    for ids, g in zip(batches, grads, strict=True):
        reply = yield Call("lazy_adam", (now, ids, g, slots), given)
        if a.warned(reply):
            return None
        now, slots = unpack_tuple(reply, "lazy_adam", ("table", "slots"))
        if type(now) is not np.ndarray or now.shape != table.shape:
            raise LearnerCodeError(
                translate("lazy_adam is to give back the table as an array of shape {shape}.", "lesson23").format(
                    shape=table.shape
                )
            )
    return now


def rows_counted(run: Any, got: np.ndarray) -> np.ndarray | None:
    """The table of whoever counts rows in t, in one of two ways; None if the learner's is neither."""
    ways = (partial(misconceptions.rows_counted, once=once) for once in (True, False))
    tables = (run_script_with(run(), lazy_adam=way) for way in ways)
    return next((table for table in tables if values_close(got, table, 1e-11)), None)


def check(a: AttemptEvaluation, rng: np.random.Generator) -> CheckScript:
    given, table = shared.random_constants(rng), rng.normal(size=(7, 2))
    names = rng.permutation(7)
    batches = [names[np.array(ids)] for ids in BATCHES]
    grads = [rng.normal(size=(len(ids), 2)) for ids in batches]
    grads[1][0] = 0.0  # the gradient of a row that has moved before: its m still makes a step
    run = partial(path_4, a, table, batches, grads, given)
    got = yield from run()
    if got is None:
        return
    ways = {
        "dense": misconceptions.dense_step,
        "last-duplicate-wins": misconceptions.last_duplicate_step,
        "duplicates-step-twice": misconceptions.one_step_per_duplicate,
        "clock-of-its-own": misconceptions.step_with_row_clock,
        "skips-zero-rows": misconceptions.skip_zero_rows,
        "slots-of-all-rows": misconceptions.dense_slots,
        "mean-of-duplicates": misconceptions.mean_of_duplicates_step,
    }
    want = run_script_with(run(), lazy_adam=solution.lazy_adam)
    mistaken = {**shared.replayed(run, "lazy_adam", ways), "t-counts-rows": partial(rows_counted, run, got)}
    worst = int(np.argmax(np.abs(got - want).max(1)))
    twice = int(names[0])
    facts = {"r": twice, "still": int(batches[1][0]), "seldom": worst, "d": float(np.abs(got - want)[worst].max())}
    a.case(got, want, mistaken, tol=1e-11, of=translate("The table after five batches", "lesson23"), facts=facts)


QUESTION = Question(
    id="scale-3",
    points=3,
    title="Only the rows of the batch",
    text="""A batch uses few rows of a large table. Write a *lazy* step of Adam: only the rows in `ids` move, and only their slots
change. `grads[j]` belongs to row `ids[j]`. A row that is in `ids` several times makes one step, with the sum of its
gradients. `t` is one number for all rows, and it counts the batches.""",
    writes=("lazy_adam",),
    without=("ak.optim.Adam",),
    starter='''def lazy_adam(table, ids, grads, slots, lr, b1, b2, eps):
    """One lazy step of Adam: return (table, slots); m and v have the table's shape, t is one number."""
    ...
''',
    check=check,
    messages={
        "dense": "A row that was not in the batch moved: row {seldom} ends {d} from where it should. Its m is not 0, so leave the row out.",
        "last-duplicate-wins": "Row {r} is in ids twice, and only its last gradient was used (`table[ids] = …` does that). Add the gradients first.",
        "duplicates-step-twice": "Row {r} made two steps in one batch. Add its gradients, then make one step.",
        "clock-of-its-own": "Each row has a t of its own here. The question asks for one t that counts the batches.",
        "skips-zero-rows": "Row {still} is in ids with the gradient 0 and did not move. It is in the batch: its m is not 0, so it makes a step.",
        "slots-of-all-rows": "Only the rows of the batch moved, but m and v changed in all rows. The slots of the other rows stay as they are.",
        "t-counts-rows": "Your t grows by the number of rows in ids. It counts batches: one more in each call.",
        "mean-of-duplicates": "Row {r} is in ids twice, and the mean of its gradients was used. The gradient of the table is their sum.",
    },
    hints=(
        "Which rows are in the batch, and what is the gradient of each?",
        "`np.add.at` adds up rows whose ids repeat; `np.unique` gives the rows to step.",
        "With `rows = np.unique(ids)` and the new t, apply the update rule to `table[rows]`, `m[rows]` and `v[rows]`.",
    ),
    example=lambda rng: {
        "table": rng.normal(size=(4, 2)).round(2),
        "ids": np.array([2, 0, 2]),
        "grads": rng.normal(size=(3, 2)).round(2),
        "slots": shared.initial_slots((4, 2)),
        **shared.random_constants(rng),
    },
)
