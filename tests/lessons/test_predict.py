"""Answers are read, compared and put into words."""

from __future__ import annotations

import math

import numpy as np
import pytest

from autodiff_kit.lessons.predict import AnswerError, as_html, as_text, judge, meant, parse_answer
from autodiff_kit.lessons.prompts import Choice, Prompt, UnknownPromptError, by_name, prompt, prompts_of

LESSONS = ("01", "06", "09", "15")
COUNTS = {"01": 6, "06": 6, "09": 6, "15": 9}

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


def soft_floor(x: float, s: float) -> float:
    return float(sum(1 / (1 + np.exp(-s * (x - k))) for k in range(1, 6)))


def softmax(scores: np.ndarray) -> np.ndarray:
    raised = np.exp(scores - scores.max())
    return raised / raised.sum()


def all_masked() -> list[np.ndarray]:
    scores = np.log([1.0, 2.0, 3.0, 4.0])
    return [softmax(scores.astype(kind) + kind(-1e9)) for kind in (np.float32, np.float64)]


ONE = [1.0] + [0.0] * 99
FOUND = {
    "vector-target": J.sum(axis=0),
    "jv": J @ V,
    "inner-products": (U @ (J @ V), (U @ J) @ V),
    "sweeps": 2,
    "double-pull": 2,
    "record": 1000 + 1000 + 1,
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
    "adam-hundred": adam(ONE),
    "order": (-0.1, -0.1 * (1 - 0.9**100) / 0.1, -0.1 / math.sqrt(0.1), adam(ONE)),
    "no-first-moment": adam(ONE, beta1=0.0),
    "none-instead": adam([1.0] + [None] * 99),
    "loss-times-1000": adam([1000.0] * 3),
    "freeze-by-zeros": adam([1.0] * 50 + [0.0] * 50) - adam([1.0] * 50),
    "adamw-decay": (1 - 0.1 * 0.01) ** 100,
    "row-twice": (adam([1.0] + [0.0] * 49 + [1.0] + [0.0] * 49), -0.195223),
    "stop-for-good": -0.9,
}
EVERY = [one for lesson in LESSONS for one in prompts_of(lesson)]
NAMES = [one.item for one in EVERY]


@pytest.mark.parametrize("lesson", LESSONS)
def test_every_lesson_asks(lesson: str) -> None:
    assert len(prompts_of(lesson)) == COUNTS[lesson]


def test_every_prompt_was_worked_out_here() -> None:
    assert set(FOUND) == set(NAMES)


@pytest.mark.parametrize("item", [name for name in NAMES if prompt(name).kind != "several"])
def test_what_is_found_is_the_choice_that_no_idea_leads_to(item: str) -> None:
    one = prompt(item)
    right = [choice for choice in one.choices if not choice.idea]
    assert len(right) == 1
    assert meant(one, FOUND[item]) == right[0]


def test_adam_row_twice_is_what_the_choice_says() -> None:
    dense = adam([1.0] + [0.0] * 49 + [1.0] + [0.0] * 49)
    assert prompt("row-twice").choice("clock").means[0] == pytest.approx(dense, abs=5e-7)


@pytest.mark.parametrize("one", EVERY, ids=NAMES)
def test_every_wrong_choice_is_recognised(one: Prompt) -> None:
    for choice in one.choices:
        answer = [choice.value] if one.kind == "several" else choice.value
        if one.kind in ("number", "slider"):
            answer = choice.means[0]
        verdict = judge(one, answer, FOUND[one.item])
        assert verdict.right is (choice.idea == "" and one.kind != "several")
        if not verdict.right and choice.idea:
            assert verdict.idea == choice.idea


@pytest.mark.parametrize("one", EVERY, ids=NAMES)
def test_no_answer_still_reveals(one: Prompt) -> None:
    verdict = judge(one, None, FOUND[one.item])
    assert verdict.right is None
    assert verdict.truth is not None
    assert one.why in str(verdict)


def test_several_are_right_only_together() -> None:
    one = prompt("which-reach-three")
    found = ["annealed", "straight", "s4"]
    assert judge(one, ["straight", "s4", "annealed"], found).right
    assert not judge(one, ["straight", "s4"], found).right
    assert judge(one, [], found).said == "none of them"


@pytest.mark.parametrize(("typed", "right"), [(2.019, True), (1.981, True), (2.03, False), (2, True)])
def test_a_number_is_right_within_one_per_cent(typed: float, right: bool) -> None:
    assert judge(prompt("sweeps"), typed, 2).right is right


def test_within_one_per_cent_of_a_wrong_choice_is_that_choice() -> None:
    assert judge(prompt("sweeps"), 64.5, 2).idea == "always-forward"
    assert judge(prompt("sweeps"), 33, 2).idea == ""


def test_a_zero_is_met_by_zero_only() -> None:
    assert meant(prompt("record"), 1e-3) is None
    assert meant(prompt("record"), 0).value == "none"
    assert meant(prompt("jv"), [-1, 1e-12, 5]).value == "pulled"


def test_a_changed_cell_gives_none_of_the_choices() -> None:
    verdict = judge(prompt("jv"), "pushed", [8, -5, 3])
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
    assert parse_answer(prompt(item), typed) == stored


@pytest.mark.parametrize(
    ("item", "typed"),
    [("jv", "z"), ("jv", "d"), ("jv", 12), ("sweeps", "two"), ("sweeps", None), ("which-reach-three", 3)],
)
def test_typed_nonsense_is_refused_kindly(item: str, typed: object) -> None:
    with pytest.raises(AnswerError, match=item):
        parse_answer(prompt(item), typed)


def test_an_unknown_key_in_a_reveal_names_the_keys() -> None:
    with pytest.raises(AnswerError, match="hard, straight, s4"):
        judge(prompt("which-reach-three"), None, ["soft"])


def test_text_and_html_show_the_choices_and_not_the_reason() -> None:
    for one in EVERY:
        for written in (as_text(one), as_html(one)):
            assert one.why not in written
        shown = [c.label in as_text(one) for c in one.choices]
        assert all(shown) if one.kind in ("choice", "several") else not all(shown)


def test_an_unknown_prompt_lists_those_there_are() -> None:
    with pytest.raises(UnknownPromptError, match="vector-target"):
        prompt("vector")


def test_a_name_stands_once() -> None:
    one = Prompt("99", "twin", "choice", "?", (Choice("a", "a"),), "because")
    with pytest.raises(ValueError, match="twin"):
        by_name((one, one))
