"""A prediction is committed once; then it stays, whoever wants to change it."""

from __future__ import annotations

from typing import Any

import pytest
import traitlets

from autodiff_kit.widgets import Predict

CHOICES = [{"value": "a", "label": "the matrix"}, {"value": "b", "label": "three numbers"}]


@pytest.mark.parametrize(
    ("kind", "answer", "other"),
    [("choice", "a", "b"), ("several", ["a", "b"], ["a"]), ("number", 3.5, 4.0), ("slider", 0.25, 0.5)],
)
def test_an_answer_is_committed_once(kind: str, answer: Any, other: Any) -> None:
    widget = Predict(question="What comes?", kind=kind, choices=CHOICES)
    assert widget.answer is None
    widget.set_state({"answer": answer})
    assert widget.answer == answer
    for late in (other, None):
        with pytest.raises(traitlets.TraitError, match="is committed and stays: a prediction counts only if it came"):
            widget.answer = late
    assert widget.answer == answer
    widget.answer = answer  # the same again changes nothing


def test_the_front_end_cannot_change_it_either() -> None:
    widget = Predict(question="What comes?", choices=CHOICES, answer="a")
    with pytest.raises(traitlets.TraitError, match="'a' is committed"):
        widget.set_state({"answer": "b"})
    assert widget.get_state()["answer"] == "a"


def test_unknown_kinds_are_refused() -> None:
    with pytest.raises(traitlets.TraitError, match="kind"):
        Predict(question="?", kind="essay")


def test_the_truth_comes_later_and_travels_in_words() -> None:
    widget = Predict(question="What comes?", kind="number", answer=1.0)
    assert widget.get_state()["truth"] is None
    widget.truth = float("nan")
    assert widget.get_state()["truth"] == "nan"


def test_it_can_be_skipped() -> None:
    widget = Predict(question="What comes?", choices=CHOICES)
    widget.set_state({"skipped": True})
    assert (widget.skipped, widget.answer) == (True, None)


def test_repr_says_whether_it_is_open() -> None:
    widget = Predict(question="What comes?", choices=CHOICES)
    assert repr(widget) == "Predict('What comes?', open)"
    widget.answer = "b"
    assert repr(widget) == "Predict('What comes?', answer='b')"
    assert "truth" not in repr(widget)
