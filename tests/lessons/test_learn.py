"""The notebook interface: an answer is committed, stored, compared, and shown; nothing is printed."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from autodiff_kit import learn
from autodiff_kit.lessons.prediction import AnswerError, prompt_as_html, prompt_as_text
from autodiff_kit.lessons.progress import Progress
from autodiff_kit.lessons.prompts import UnknownPromptError, find_prompt, lesson_numbers, prompts_of

LESSONS = lesson_numbers()
NOTEBOOKS = sorted((Path(__file__).parents[2] / "notebooks").glob("*.ipynb"))


@pytest.fixture(autouse=True)
def kept(monkeypatch: pytest.MonkeyPatch) -> Progress:
    """Progress in memory, and a notebook interface without prompts."""
    memory = Progress(None)
    monkeypatch.setattr(learn, "progress", lambda: memory)
    monkeypatch.setattr(learn, "_shown_questions", {})
    monkeypatch.setattr(learn, "_verdicts", {})
    return memory


def test_an_answer_is_kept_before_the_reveal(kept: Progress) -> None:
    question = learn.predict("jv")
    question.widget.answer = "step"
    assert kept.prediction("01", "jv").answer == "step"
    assert question.widget.truth is None


def test_the_reveal_shows_both_and_why(kept: Progress, capsys: pytest.CaptureFixture[str]) -> None:
    question = learn.predict("jv")
    question.widget.answer = "step"
    verdict = learn.reveal("jv", [7, -5, 3])
    assert "a whole step instead of a rate" in verdict.idea
    assert question.widget.truth == "pushed"
    assert "Each output moves by its own row" in str(question)
    stored = kept.prediction("01", "jv")
    assert (stored.truth, stored.right) == ("pushed", False)
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    ("item", "typed", "found", "right"),
    [
        ("jv", "b", [7, -5, 3], True),
        ("sweeps", 2, 2, True),
        ("sweeps", 64, 2, False),
        ("which-reach-three", "b c e", ["straight", "s4", "annealed"], True),
        ("end-s4", 3.5, 3.50005, True),
        ("gradient-into-padding", -5.6, -5.6003, True),
    ],
)
def test_typed_answers_of_every_kind(item: str, typed: object, found: object, right: bool) -> None:
    assert learn.predict(item, answer=typed).answer is not None
    assert learn.reveal(item, found).right is right


def test_an_answer_cannot_be_changed(kept: Progress) -> None:
    learn.predict("jv", answer="a")
    again = learn.predict("jv", answer="b")
    assert again.answer == "pulled"
    assert again.widget.answer == "pulled"


def test_a_stored_answer_is_in_the_widget_after_a_restart(kept: Progress) -> None:
    kept.commit_prediction("01", "sweeps", 64)
    assert learn.predict("sweeps").widget.answer == 64


def test_the_answer_of_another_notebook_came_first(kept: Progress) -> None:
    question = learn.predict("jv")
    kept.commit_prediction("01", "jv", "pushed")  # the same lesson, opened twice: this box was open all the while
    question.widget.answer = "step"
    assert question.widget.answer == "pushed"
    assert kept.prediction("01", "jv").answer == "pushed"
    assert learn.reveal("jv", [7, -5, 3]).right


def test_without_an_answer_the_lesson_runs_and_nothing_is_kept(kept: Progress) -> None:
    question = learn.predict("jv")
    verdict = learn.reveal("jv", [7, -5, 3])
    assert verdict.right is None
    assert question.widget.skipped
    assert kept.prediction("01", "jv") is None


def test_a_question_that_was_spoiled_can_be_opened_again(kept: Progress) -> None:
    question = learn.predict("jv")
    learn.reveal("jv", [7, -5, 3])
    question.widget.set_state({"skipped": False, "truth": None})
    assert question.verdict is None
    question.commit("b")
    assert learn.predict("jv").widget.truth is None, "the result is not shown before the reveal runs again"
    verdict = learn.reveal("jv", [7, -5, 3])
    assert verdict.right is not None
    assert kept.prediction("01", "jv") is not None


def test_an_answer_after_the_reveal_does_not_count(kept: Progress) -> None:
    learn.predict("jv")
    learn.reveal("jv", [7, -5, 3])
    learn.predict("jv", answer="b")
    assert kept.prediction("01", "jv") is None


def test_what_a_changed_cell_finds_is_no_answer_to_the_question(kept: Progress) -> None:
    question = learn.predict("jv", answer="b")
    for found in ([8, -5, 3], [-1, 0, 5]):  # none of the choices, and one that is wrong for the lesson's numbers
        verdict = learn.reveal("jv", found)
        assert (verdict.right, verdict.changed) == (None, True)
        assert "Why, with the lesson's own numbers (a cell above was changed): Each output" in str(verdict)
        assert (question.widget.truth, question.widget.otherwise) == (None, verdict.found)
        assert kept.prediction("01", "jv").truth is None, "it is stored once, for the question's own numbers"
    assert learn.reveal("jv", [7, -5, 3]).right
    assert (question.widget.truth, question.widget.otherwise) == ("pushed", "")


def test_reveal_without_a_prompt_on_the_page() -> None:
    assert learn.reveal("jv", [7, -5, 3]).truth == "pushed"


def test_a_reset_reopens_the_questions(kept: Progress) -> None:
    learn.predict("jv")
    learn.reveal("jv", [7, -5, 3])
    learn.lesson("01")
    assert learn.predict("jv", answer="b").answer == "pushed"


def test_the_last_reveal_ends_the_lesson(kept: Progress) -> None:
    learn.lesson("01")
    found = {
        "jv": [7, -5, 3],
        "vector-target": [7, 1, 4],
        "inner-products": [18, 18],
        "sweeps": 2,
        "record": 2001,
        "pulls-only": 2,
    }
    assert list(found) == [one.item for one in prompts_of("01")]
    for item, value in found.items():
        assert kept.summary().lessons["01"].state != "read"
        learn.reveal(item, value)
    assert kept.summary().lessons["01"].state == "read"


def test_a_question_has_text_html_and_a_widget() -> None:
    bundle, _ = learn.predict("jv")._repr_mimebundle_()
    assert "a) [−1 0 5]" in bundle["text/plain"]
    assert "[7 −5 3]" in bundle["text/html"]
    assert "application/vnd.jupyter.widget-view+json" in bundle


def test_no_truth_reaches_the_front_end_before_the_reveal() -> None:
    for no in LESSONS:
        for one in prompts_of(no):
            state = str(learn.predict(one.item).widget.get_state())
            assert one.why not in state
            assert not any(choice.idea and choice.idea in state for choice in one.choices)


def test_unknown_names_are_errors() -> None:
    with pytest.raises(UnknownPromptError, match="vector-target"):
        learn.predict("nothing")
    with pytest.raises(AnswerError, match="letter"):
        learn.predict("jv", answer="q")
    with pytest.raises(AttributeError, match="JvpVjp"):
        learn.Pushpull  # noqa: B018


def test_widgets_are_named_and_load_when_asked() -> None:
    for name in ("FirstTape", "JvpVjp", "FloorDescent", "MaskedAttention", "AdamSlots", "WhereBranches", "exercise"):
        assert name in dir(learn)
        assert callable(getattr(learn, name))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_stored_prompt_is_the_one_that_is_asked(path: Path) -> None:
    stored = {}
    for cell in json.loads(path.read_text("utf-8"))["cells"]:
        asked = re.search(r'^predict\("([^"]+)"\)$', "".join(cell["source"]), re.MULTILINE)
        if cell["cell_type"] == "code" and asked:
            stored[asked[1]] = cell["outputs"][0]["data"]
    assert set(stored) == {one.item for one in prompts_of(path.stem[:2])}
    for item, shown in stored.items():
        assert "".join(shown["text/plain"]) == prompt_as_text(find_prompt(item))
        assert "".join(shown["text/html"]) == prompt_as_html(find_prompt(item))


def test_the_prompts_stand_in_no_notebook() -> None:
    cells = [cell for path in NOTEBOOKS for cell in json.loads(path.read_text("utf-8"))["cells"]]
    # The outputs of reveals have the reasons, and the learner's copy has no outputs.
    sources = ["".join(cell["source"]) for cell in cells]
    for no in LESSONS:
        for one in prompts_of(no):
            assert not any(one.why in source for source in sources)
