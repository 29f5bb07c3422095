"""Answers are parsed, compared and formatted."""

from __future__ import annotations

import importlib
import re
import subprocess
import sys
from collections import Counter

import pytest

from autodiff_kit.lessons.prediction import (
    AnswerError,
    judge_prediction,
    matching_choice,
    parse_answer,
    prompt_as_html,
    prompt_as_text,
)
from autodiff_kit.lessons.prompt import Choice, Prompt
from autodiff_kit.lessons.prompts import UnknownPromptError, find_prompt, index_by_name, lesson_numbers, prompts_of

LESSONS = lesson_numbers()
# What must be found, worked out without the kit; a module for each lesson.
FOUND = {
    item: found
    for lesson in LESSONS
    for item, found in importlib.import_module(f"tests.lessons.facts.lesson{lesson}").FOUND.items()
}
EVERY = [one for lesson in LESSONS for one in prompts_of(lesson)]
NAMES = [one.item for one in EVERY]


def test_every_prompt_was_worked_out_here() -> None:
    assert set(FOUND) == set(NAMES)


@pytest.mark.parametrize("one", EVERY, ids=NAMES)
def test_a_prompt_is_judged_by_what_is_found(one: Prompt) -> None:
    if one.kind != "several":
        assert_what_is_found_is_the_choice_that_no_idea_leads_to(one)
    assert_every_wrong_choice_is_recognised(one)
    assert_no_answer_still_reveals(one)
    assert_how_to_answer_in_code_names_no_answer(one)


def assert_what_is_found_is_the_choice_that_no_idea_leads_to(one: Prompt) -> None:
    right = [choice for choice in one.choices if not choice.idea]
    assert len(right) == 1
    assert matching_choice(one, FOUND[one.item]) == right[0]


def assert_every_wrong_choice_is_recognised(one: Prompt) -> None:
    for choice in one.choices:
        answer = [choice.value] if one.kind == "several" else choice.value
        if one.kind in ("number", "slider"):
            answer = choice.means[0]
        verdict = judge_prediction(one, answer, FOUND[one.item])
        assert verdict.right is (choice.idea == "" and one.kind != "several")
        if not verdict.right and choice.idea:
            assert verdict.idea == choice.idea


def assert_no_answer_still_reveals(one: Prompt) -> None:
    verdict = judge_prediction(one, None, FOUND[one.item])
    assert not verdict.changed
    assert verdict.right is None
    assert verdict.truth is not None
    assert one.why in str(verdict)


def assert_how_to_answer_in_code_names_no_answer(one: Prompt) -> None:
    assert prompt_as_text(one).endswith(f'predict("{one.item}", answer="…")')
    with pytest.raises(AnswerError, match=one.item):
        parse_answer(one, "…")


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
    assert judge_prediction(find_prompt("sweeps"), 64.5, 2).idea == find_prompt("sweeps").choice("forward").idea
    assert judge_prediction(find_prompt("sweeps"), 33, 2).idea == ""


@pytest.mark.parametrize(
    ("typed", "said"),
    [(1e-6, "1.00e−06"), (-2e-5, "−2.00e−05"), (0.0, "0"), (-0.0, "0"), (100.0, "100"), (-2.5, "−2.5")],
)
def test_a_small_number_is_not_shown_as_zero(typed: float, said: str) -> None:
    assert judge_prediction(find_prompt("sweeps"), typed, 64.0).said == said


def test_a_zero_is_met_by_zero_only() -> None:
    assert matching_choice(find_prompt("kept-by-a-sum"), 1e-3) is None
    assert matching_choice(find_prompt("kept-by-a-sum"), 0).value == "none"
    assert matching_choice(find_prompt("jv"), [-1, 1e-12, 5]).value == "pulled"


@pytest.mark.parametrize("found", [None, [7.0, None, 3.0]])
def test_a_result_of_none_is_not_shown_as_nan(found: object) -> None:
    verdict = judge_prediction(find_prompt("jv"), "pushed", found)
    assert verdict.truth is None
    assert verdict.found.startswith(str(found))


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
    [
        ("jv", "z"),
        ("jv", "e"),
        ("jv", 12),
        ("sweeps", "two"),
        ("sweeps", "nan"),
        ("sweeps", float("inf")),
        ("sweeps", None),
        ("which-reach-three", 3),
    ],
)
def test_invalid_typed_answers_are_errors(item: str, typed: object) -> None:
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


def test_an_unknown_prompt_lists_those_there_are() -> None:
    with pytest.raises(UnknownPromptError, match="vector-target"):
        find_prompt("vector")


def test_a_name_is_defined_once() -> None:
    one = Prompt("99", "twin", "choice", "?", (Choice("a", "a"),), "because")
    with pytest.raises(ValueError, match="twin"):
        index_by_name((one, one))


DISTINCT_NUMBER = re.compile(r"[−-]?\d+\.\d{2,}|[−-]?\d{4,}|\[[^\]]+\]")
# The same number for another reason: the cost of the forward pass, and a wrong choice.
SAME_BY_CHANCE = {("18", "frozen-layers"), ("23", "penalty-step")}


@pytest.mark.parametrize("lesson", LESSONS)
def test_no_prompt_gives_away_the_answer_of_a_later_one(lesson: str) -> None:
    shown, given_away = "", []
    for one in prompts_of(lesson):
        right = " ".join(choice.label for choice in one.choices if not choice.idea)
        own = [number for number in DISTINCT_NUMBER.findall(right) if number not in one.question]
        if any(number.lstrip("−-") in shown for number in own) and (lesson, one.item) not in SAME_BY_CHANCE:
            given_away.append(one.item)
        shown += " ".join([one.question, *(choice.label for choice in one.choices)])
    assert given_away == []


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
