"""Answers are read, compared and put into words."""

from __future__ import annotations

import math
import subprocess
import sys
from collections import Counter
from itertools import pairwise

import numpy as np
import pytest

from autodiff_kit.data import nile
from autodiff_kit.lessons.prediction import (
    AnswerError,
    judge_prediction,
    matching_choice,
    parse_answer,
    prompt_as_html,
    prompt_as_text,
)
from autodiff_kit.lessons.prompt import Choice, Prompt
from autodiff_kit.lessons.prompts import UnknownPromptError, find_prompt, index_by_name, prompts_of

LESSONS = (
    "00",
    "01",
    "02",
    "03",
    "04",
    "05",
    "06",
    "07",
    "08",
    "09",
    "10",
    "11",
    "12",
    "13",
    "14",
    "15",
    "16",
    "17",
    "18",
    "19",
    "20",
    "21",
)
COUNTS = {
    "00": 4,
    "01": 6,
    "02": 4,
    "03": 3,
    "04": 3,
    "05": 3,
    "06": 6,
    "07": 3,
    "08": 3,
    "09": 6,
    "10": 4,
    "11": 4,
    "12": 3,
    "13": 3,
    "14": 4,
    "15": 9,
    "16": 4,
    "17": 3,
    "18": 3,
    "19": 3,
    "20": 3,
    "21": 3,
}

# What NumPy finds, worked out here without the kit.
J = np.array([[3.0, 2.0, 0.0], [0.0, -1.0, 3.0], [4.0, 0.0, 1.0]])
V, U = np.array([1.0, 2.0, -1.0]), np.array([1.0, -1.0, 2.0])


def adam(gradients: list[float | None], beta1: float = 0.9) -> float:
    w = m = v = 0.0
    t = 0
    for g in gradients:
        if g is None:
            continue
        t += 1
        m, v = beta1 * m + (1 - beta1) * g, 0.999 * v + 0.001 * g * g
        w -= 0.1 * (m / (1 - beta1**t)) / (math.sqrt(v / (1 - 0.999**t)) + 1e-8)
    return w


def slope_of_boxes(alpha: float) -> float:
    """The slope of the mean error of a forecast of the Nile in alpha, where each year's level counts as a number."""
    flows = nile()[1] / 100
    level, slopes = flows[0], []
    for now, coming in pairwise(flows[1:]):
        moved = level + alpha * (now - level)
        slopes.append(-2 * (coming - moved) * (now - level))
        level = moved
    return float(np.mean(slopes))


def soft_floor(x: float, s: float) -> float:
    return float(sum(1 / (1 + np.exp(-s * (x - k))) for k in range(1, 6)))


def softmax(scores: np.ndarray) -> np.ndarray:
    raised = np.exp(scores - scores.max())
    return raised / raised.sum()


def all_masked() -> list[np.ndarray]:
    scores = np.log([1.0, 2.0, 3.0, 4.0])
    return [softmax(scores.astype(kind) + kind(-1e9)) for kind in (np.float32, np.float64)]


def own_range(x: np.ndarray, bits: int) -> np.ndarray:
    scale = (x.max() - x.min()) / (2**bits - 1)
    place = np.floor(0.5 - x.min() / scale)
    below, above = x < -place * scale, x > (2**bits - 1 - place) * scale
    return (
        np.where(below | above, 0, 1)
        + below.sum() * (np.arange(x.size) == x.argmin())
        + above.sum() * (np.arange(x.size) == x.argmax())
    )


def lowest_of_a_tie(kind: type) -> float:
    scale = (kind(1) - kind(-1)) / kind(7)
    return float(-np.floor(kind(1) / scale + kind(0.5)) * scale)


def first_step(times: np.ndarray, damping: float, identity: bool = False) -> np.ndarray:
    """Lesson 19's first step from (1, 0), where the columns of J are 1 and t."""
    J = np.stack([np.ones(20), times], axis=1)
    A, r = J.T @ J, 1 - 2 * np.exp(-np.linspace(0, 2, 20))
    return np.linalg.solve(A + damping * (np.eye(2) if identity else np.diag(np.diag(A))), -J.T @ r)


def in_seconds(identity: bool) -> bool:
    """Whether the first step is the same in both units."""
    minutes = np.linspace(0, 2, 20)
    same = first_step(60 * minutes, 1.0, identity) * [1, 60]
    return bool(np.allclose(same, first_step(minutes, 1.0, identity)))


def far_outside() -> float:
    x = np.linspace(-1, 1, 41)
    return float(np.polyval(np.polyfit(x**3 + x, x, 7), 10.0))


def softplus_after(steps: int) -> float:
    """How far 1 - softplus(z) is below 1 after descent on ½(w - 2)² from z = 0, rate .1."""
    z = 0.0
    for _ in range(steps):
        z -= 0.1 * (1 + math.log1p(math.exp(z))) / (1 + math.exp(-z))
    return math.log1p(math.exp(z))


ONE = [1.0] + [0.0] * 99
FOUND = {
    "slope-on-the-way": 2 * (2 * 3),
    "asked-twice": 2 * (2 * 3) * 3,
    "kept-by-a-sum": 0,
    "two-targets": 2 * 2 - math.exp(1 / 2) / 4,
    "vector-target": J.sum(axis=0),
    "jv": J @ V,
    "inner-products": (U @ (J @ V), (U @ J) @ V),
    "sweeps": 2,
    "double-pull": 2,
    "record": 1000 + 1000 + 1,
    "where-naive": (math.nan, math.nan, 0.25),
    "cond-not-run": "none",
    "nan-weights": 64 * 2,
    "loop-slopes": (2**6, 2**5),
    "difference-over-jump": (3.126 * 2**5 - 3.124 * 2**6) / 0.002,
    "root-at-once": "none",
    "log1pexp-slope": math.nan,
    "floor-overridden": (math.floor(1.7), 1),
    "hook-on-one-path": 2 * (2 * 3) + 3,
    "unused-source": (2 * 3, None),
    "difference-of-equals": 1 - 1,
    "zero-or-none": (-0.1 - 0.1 * 0.9, -0.1),
    "really-zero": ["rough", "apart"],
    "stop-the-mean": 2 * (np.arange(4) - 1.5) / 4,
    "stop-the-hessian": 2 / 4 * np.eye(4)[0],
    "stop-both": 1 / np.sqrt(np.var([1, 2, 3, 4])),
    "cut-bias": "runs",
    "own-range": own_range(np.array([-4.0, -3.5, 0.0, 1.0, 5.0]), 2),
    "nudged-end": float((255 - math.floor(6 / (12 / 255) + 0.5)) * 12 / 255 > 5.98),
    "tie": [lowest_of_a_tie(np.float32), lowest_of_a_tie(np.float64)],
    "naive-means": (1.5, 4.0, math.nan),
    "pull-of-a-mean": 1 / 3,
    "an-id-of-minus-one": (1 + 2, 3 + 4, 5),
    "counts-alone": 50,
    "sparse-loss": -math.log(softmax(np.array([0.0, 1.0, 2.0]))[1]),
    "gradient-sum": round(float((softmax(np.array([0.0, 1.0, 2.0])) - np.array([0.0, 1.0, 0.0])).sum()), 12),
    "raised-logits": -math.log(softmax(np.array([100.0, 101.0, 102.0]))[1]),
    "soft-floor-at-two": soft_floor(2, 50),
    "which-reach-three": ["straight", "s4", "annealed"],
    "area": soft_floor(2.5, 10) - soft_floor(1.5, 10),
    "end-s4": 3.5001,
    "end-straight-through": 3.1,
    "anneal-backwards": (3.5666, 2.985),
    "kept-sum": 0.1 + 0.2 + 0.3,
    "outputs": (14.0, 14 / 0.6, 14 / 0.6),
    "gradient-into-padding": -0.4 * 14,
    "all-masked": all_masked(),
    "minus-ten": 4 * math.exp(-10) / (6 + 4 * math.exp(-10)),
    "nan-row": 4,
    "third-step": 0.9 * (0.9 * -0.1 - 0.1) - 0.1,
    "after-the-last": -0.271 * 0.9 / (1 - 0.9),
    "rate-falls": -0.01 * 0.9 * (1 + 0.9 + 0.81),
    "clipped-steps": 0.1 * sum(0.9**k for k in range(100)),
    "adam-hundred": adam(ONE),
    "order": (-0.1, -0.1 * (1 - 0.9**100) / 0.1, -0.1 / math.sqrt(0.1), adam(ONE)),
    "no-first-moment": adam(ONE, beta1=0.0),
    "none-instead": adam([1.0] + [None] * 99),
    "loss-times-1000": adam([1000.0] * 3),
    "freeze-by-zeros": adam([1.0] * 50 + [0.0] * 50) - adam([1.0] * 50),
    "adamw-decay": (1 - 0.1 * 0.01) ** 100,
    "row-twice": (adam([1.0] + [0.0] * 49 + [1.0] + [0.0] * 49), -0.195223),
    "stop-for-good": -0.9,
    "clip-order": 2 if abs(1.6 * 12.0 - 1.8 * 8.0) > 1 else 1,
    "wild-example": 0,
    "passes": 1,
    "backward-over-forward": 2 - 4 * 8 / (4 * 8 + 8 * 8 + 8 * 2),
    "frozen-layers": 2 * 10 * (4 * 8 + 8 * 8 + 8 * 2),
    "cheapest-order": 10 * 100 * 2 + 2 * 100 * 10 + 10 * 2 * 10,
    "assigned-sum": ((3 + 0) ** 2, None),
    "level-in-a-box": slope_of_boxes(0.5),
    "overwritten-input": (2 * 3, 2 * 10),
    "fit-sweeps": 5 * min(20, 2),
    "damping-to-infinity": "short" if np.abs(first_step(np.linspace(0, 2, 20), 1e4)).max() < 1e-3 else "full",
    "seconds-for-minutes": {(True, False): "columns", (True, True): "both"}.get(
        (in_seconds(False), in_seconds(True)), "one"
    ),
    "slope-of-the-inverse": 1 / (3 * 2**2 + 1),
    "through-halving": "none",
    "far-outside": far_outside(),
    "penalty-nine": (2 + 9) / (1 + 9),
    "penalty-rate": "wanders",
    "below-the-bound": softplus_after(1000),
    "leaves-the-edge": 1 + math.floor(math.log(0.5) / math.log(0.9)),
    "asked-again": np.array([2 * 1 + 2, 1 + 3 * 2]) - np.array([4, 7]),
    "one-probe": sorted({2 + 3 + 2 * one * two for one in (1, -1) for two in (1, -1)}),
    "how-far": min((0.1, 1e-5, 1e-12), key=lambda h: abs((math.exp(1 + h) - math.exp(1 - h)) / (2 * h) - math.e)),
    "record-of-steps": 100 * 5,
    "marks-every-ten": (100 + 10 * 9, 10 + 9),
    "changed-variable": 5 * 3,
}
EVERY = [one for lesson in LESSONS for one in prompts_of(lesson)]
NAMES = [one.item for one in EVERY]


@pytest.mark.parametrize("lesson", LESSONS)
def test_every_lesson_asks(lesson: str) -> None:
    assert len(prompts_of(lesson)) == COUNTS[lesson]


def test_every_prompt_was_worked_out_here() -> None:
    assert set(FOUND) == set(NAMES)


@pytest.mark.parametrize("item", [name for name in NAMES if find_prompt(name).kind != "several"])
def test_what_is_found_is_the_choice_that_no_idea_leads_to(item: str) -> None:
    one = find_prompt(item)
    right = [choice for choice in one.choices if not choice.idea]
    assert len(right) == 1
    assert matching_choice(one, FOUND[item]) == right[0]


def test_adam_row_twice_is_what_the_choice_says() -> None:
    dense = adam([1.0] + [0.0] * 49 + [1.0] + [0.0] * 49)
    assert find_prompt("row-twice").choice("clock").means[0] == pytest.approx(dense, abs=5e-7)


@pytest.mark.parametrize("one", EVERY, ids=NAMES)
def test_every_wrong_choice_is_recognised(one: Prompt) -> None:
    for choice in one.choices:
        answer = [choice.value] if one.kind == "several" else choice.value
        if one.kind in ("number", "slider"):
            answer = choice.means[0]
        verdict = judge_prediction(one, answer, FOUND[one.item])
        assert verdict.right is (choice.idea == "" and one.kind != "several")
        if not verdict.right and choice.idea:
            assert verdict.idea == choice.idea


@pytest.mark.parametrize("one", EVERY, ids=NAMES)
def test_no_answer_still_reveals(one: Prompt) -> None:
    verdict = judge_prediction(one, None, FOUND[one.item])
    assert verdict.right is None
    assert verdict.truth is not None
    assert one.why in str(verdict)


def test_several_are_right_only_together() -> None:
    one = find_prompt("which-reach-three")
    found = ["annealed", "straight", "s4"]
    assert judge_prediction(one, ["straight", "s4", "annealed"], found).right
    assert not judge_prediction(one, ["straight", "s4"], found).right
    assert judge_prediction(one, [], found).said == "none of them"


@pytest.mark.parametrize(("typed", "right"), [(2.019, True), (1.981, True), (2.03, False), (2, True)])
def test_a_number_is_right_within_one_per_cent(typed: float, right: bool) -> None:
    assert judge_prediction(find_prompt("sweeps"), typed, 2).right is right


def test_within_one_per_cent_of_a_wrong_choice_is_that_choice() -> None:
    assert judge_prediction(find_prompt("sweeps"), 64.5, 2).idea == "always-forward"
    assert judge_prediction(find_prompt("sweeps"), 33, 2).idea == ""


def test_a_zero_is_met_by_zero_only() -> None:
    assert matching_choice(find_prompt("record"), 1e-3) is None
    assert matching_choice(find_prompt("record"), 0).value == "none"
    assert matching_choice(find_prompt("jv"), [-1, 1e-12, 5]).value == "pulled"


def test_a_changed_cell_gives_none_of_the_choices() -> None:
    verdict = judge_prediction(find_prompt("jv"), "pushed", [8, -5, 3])
    assert verdict.truth is None
    assert verdict.right is None
    assert "none of the choices" in verdict.found


@pytest.mark.parametrize(
    ("item", "typed", "stored"),
    [
        ("jv", "b", "pushed"),
        ("jv", "B)", "pushed"),
        ("jv", "pushed", "pushed"),
        ("jv", "[7 −5 3]", "pushed"),
        ("jv", [7, -5, 3], "pushed"),
        ("sweeps", "−2", -2.0),
        ("sweeps", 64, 64.0),
        ("which-reach-three", "c, b", ["straight", "s4"]),
        ("which-reach-three", ["hard"], ["hard"]),
        ("which-reach-three", "", []),
    ],
)
def test_typed_answers(item: str, typed: object, stored: object) -> None:
    assert parse_answer(find_prompt(item), typed) == stored


@pytest.mark.parametrize(
    ("item", "typed"),
    [("jv", "z"), ("jv", "d"), ("jv", 12), ("sweeps", "two"), ("sweeps", None), ("which-reach-three", 3)],
)
def test_typed_nonsense_is_refused_kindly(item: str, typed: object) -> None:
    with pytest.raises(AnswerError, match=item):
        parse_answer(find_prompt(item), typed)


def test_an_unknown_key_in_a_reveal_names_the_keys() -> None:
    with pytest.raises(AnswerError, match="hard, straight, s4"):
        judge_prediction(find_prompt("which-reach-three"), None, ["soft"])


def test_text_and_html_show_the_choices_and_not_the_reason() -> None:
    for one in EVERY:
        for written in (prompt_as_text(one), prompt_as_html(one)):
            assert one.why not in written
        shown = [c.label in prompt_as_text(one) for c in one.choices]
        assert all(shown) if one.kind in ("choice", "several") else not all(shown)


def places() -> dict[str, list[int]]:
    """Where the right answer stands among the choices: for each lesson, those of its prompts in their order."""
    found: dict[str, list[int]] = {lesson: [] for lesson in LESSONS}
    for one in EVERY:
        if one.kind == "choice":
            found[one.lesson].append(next(at for at, choice in enumerate(one.choices) if not choice.idea))
    return found


def test_the_place_of_a_choice_does_not_tell_that_it_is_right() -> None:
    everywhere = [place for lesson in places().values() for place in lesson]
    assert max(Counter(everywhere).values()) <= 0.45 * len(everywhere)
    for lesson in places().values():
        assert len(lesson) < 5 or max(Counter(lesson).values()) <= 0.6 * len(lesson)
        assert len(lesson) < 3 or len(set(lesson)) > 1


@pytest.mark.parametrize("one", EVERY, ids=NAMES)
def test_how_to_answer_in_code_names_no_answer(one: Prompt) -> None:
    assert prompt_as_text(one).endswith(f'predict("{one.item}", answer="…")')
    with pytest.raises(AnswerError, match=one.item):
        parse_answer(one, "…")


def test_an_unknown_prompt_lists_those_there_are() -> None:
    with pytest.raises(UnknownPromptError, match="vector-target"):
        find_prompt("vector")


def test_a_name_stands_once() -> None:
    one = Prompt("99", "twin", "choice", "?", (Choice("a", "a"),), "because")
    with pytest.raises(ValueError, match="twin"):
        index_by_name((one, one))


def test_prompt_names_are_unique_across_the_lessons() -> None:
    assert list(index_by_name(EVERY)) == NAMES


def test_a_lesson_loads_its_own_prompts_and_no_others() -> None:
    code = """
import sys
from autodiff_kit import learn
loaded = lambda: sorted(name for name in sys.modules if name.startswith("autodiff_kit.lessons.prompts.lesson"))
assert loaded() == [], loaded()
learn.lesson("06")
learn.predict("area")
assert loaded() == ["autodiff_kit.lessons.prompts.lesson06"], loaded()
"""
    subprocess.run([sys.executable, "-c", code], check=True)
