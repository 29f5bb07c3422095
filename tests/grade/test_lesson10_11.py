"""Lessons 10 and 11 in the sandbox: counted stops, functions as arguments, and functions as results."""

from __future__ import annotations

import pytest

from autodiff_kit.exercises.questions import LESSONS

from .notebooks import answered

# Each with the outcome, the misconception and the share of the points, as in the learner's own check.
WRONG = {
    "stop_2": (
        """def instance_norm(x, stop):
    apart = x - ak.mean(x, axis=-1, keepdims=True)
    return apart / ak.sqrt(ak.mean(apart**2, axis=-1, keepdims=True) + 0.00001)
""",
        ("partial", "no-stop-at-all", 0.5),
    ),
    "stop_3": (
        """def free(pairs, rng):
    x = np.array([-2.0, -1.0, -0.5, 0.5, 1.0, 2.0])
    return {n for n, (f, g) in pairs.items() if np.allclose(ak.grad(f)(x).numpy(), ak.grad(g)(x).numpy())}
""",
        ("not yet", "one-point-is-proof", 0.0),
    ),
    "seg_1": (
        """def segment_mean(h, ids, c):
    added, rows = np.zeros((c, h.shape[1])), np.maximum(np.bincount(ids, minlength=c), 1)[:, None]
    np.add.at(added, ids, h)
    return added / rows, lambda g: g[ids]
""",
        ("not yet", "pull-forgets-the-count", 0.0),
    ),
    "seg_3": (
        """def class_means(c):
    kept = {}

    def update(h, ids):
        kept["ids"], kept["n"] = ids, np.maximum(np.bincount(ids, minlength=c), 1)[:, None]
        added = np.zeros((c, h.shape[1]))
        np.add.at(added, ids, h)
        kept["means"] = np.where(np.bincount(ids, minlength=c)[:, None] > 0, added / kept["n"], kept.get("means", 0.0))
        return kept["means"]

    return update, lambda g: (g / kept["n"])[kept["ids"]]
""",
        ("not yet", "forgets-the-past", 0.0),
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_misconceptions_are_named_in_the_sandbox(hand_in, name):
    text, want = WRONG[name]
    lesson = LESSONS["10" if name.startswith("stop") else "11"]
    question = next(one for one in lesson.questions if one.id == name.replace("_", "-"))
    result = hand_in(answered(lesson, **{name: "import numpy as np\nimport autodiff_kit as ak\n\n" + text}))
    (mark,) = [one for one in result.marks if one.question == question.id]
    assert (mark.outcome, mark.misconception) == want[:2]
    assert mark.points == want[2] * question.points
