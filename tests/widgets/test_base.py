"""What all widgets share: one answer a message, errors that are shown, words for nan, a twin for static pages."""

from __future__ import annotations

import base64
import json
import math
from typing import Any

import numpy as np
import pytest
import traitlets

from autodiff_kit import widgets
from autodiff_kit.lessons.tables import Table
from autodiff_kit.widgets import FloorDescent, KernelWidget
from autodiff_kit.widgets.traits import Input, Output, ViewState

LESSONS = [getattr(widgets, name) for name in sorted(set(widgets.__all__) - {"KernelWidget", "Predict"})]
each_lesson = pytest.mark.parametrize("kind", LESSONS)


class Halves(KernelWidget):
    """Two inputs, a few outputs, and a count of answers."""

    _front_end = "lesson06.js"

    a = Input(traitlets.Float(1.0))
    b = Input(traitlets.Float(2.0))
    note = ViewState(traitlets.Unicode(""))
    ratio = Output()
    other = Output()

    def __init__(self, **kwargs: Any) -> None:
        self.answers = 0
        super().__init__(**kwargs)

    def compute_outputs(self) -> dict[str, Any]:
        self.answers += 1
        if self.b < 0:
            raise ValueError("b must not be below 0")
        with np.errstate(all="ignore"):
            return {"ratio": np.divide(self.a, self.b), "other": [math.nan, -math.inf, None]}

    def as_table(self) -> Table:
        return Table("Halves", ("name", "value"), [("ratio", float(self.ratio))])


def message(widget: KernelWidget, **state: Any) -> None:
    """What the front end sends, on the way that Jupyter takes."""
    data = {"method": "update", "state": state, "buffer_paths": []}
    widget._handle_msg({"content": {"data": data}, "buffers": []})


def sent(widget: KernelWidget, monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """The states that go back to the front end from here on."""
    messages: list[dict[str, Any]] = []
    monkeypatch.setattr(widget, "_send", lambda msg, buffers=None: messages.append(msg["state"]))
    return messages


# -------------------------------------------------------------------------------------------------------------- answers
def test_a_new_widget_has_its_answer() -> None:
    widget = Halves(a=3.0)
    assert (widget.answers, widget.ratio, widget.error) == (1, 1.5, "")


@pytest.mark.parametrize(
    "how", [message, lambda widget, **state: widget.set_state(state)], ids=["message", "set_state"]
)
def test_one_answer_for_a_message_whatever_it_changes(how: Any) -> None:
    widget = Halves()
    how(widget, a=9.0, b=3.0, asked=1)
    assert (widget.answers, widget.ratio, widget.asked, widget.answered) == (2, 3.0, 1, 1)
    how(widget, asked=2, b=4.5)
    assert (widget.answers, widget.ratio, widget.answered) == (3, 2.0, 2)


def test_the_outputs_go_back_together_with_the_number_of_the_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    widget = Halves()
    messages = sent(widget, monkeypatch)
    message(widget, a=8.0, asked=1)
    (reply,) = [state for state in messages if "answered" in state]
    assert (reply["answered"], reply["ratio"]) == (1, 4.0)
    assert all("ratio" not in state for state in messages if state is not reply)


def test_a_question_that_changes_nothing_is_answered_too() -> None:
    widget = Halves()
    message(widget, asked=1)
    message(widget, asked=2, a=1.0)
    assert widget.answered == 2


def test_what_is_no_input_asks_nothing() -> None:
    widget = Halves()
    message(widget, note="seen")
    assert (widget.note, widget.answers, widget.answered) == ("seen", 1, 0)


def test_python_asks_by_setting_an_input() -> None:
    widget = Halves()
    widget.b = 0.5
    assert (widget.ratio, widget.answers) == (2.0, 2)
    widget.b = 0.5
    assert widget.answers == 2


# --------------------------------------------------------------------------------------------------------------- errors
def test_an_error_is_shown_and_the_last_outputs_stay() -> None:
    widget = Halves(a=3.0)
    message(widget, b=-1.0, asked=1)
    assert widget.error == "ValueError: b must not be below 0"
    assert (widget.ratio, widget.answered) == (1.5, 1)
    message(widget, b=1.0, asked=2)
    assert (widget.error, widget.ratio, widget.answered) == ("", 3.0, 2)


def test_a_value_that_is_refused_is_an_error_and_is_put_back(monkeypatch: pytest.MonkeyPatch) -> None:
    widget = widgets.FirstTape()
    states = sent(widget, monkeypatch)
    message(widget, asks=2.5, asked=1)
    told = {name: value for state in states for name, value in state.items()}
    assert (told["asks"], told["asked"], told["answered"]) == (2, 1, 1)
    assert "asks" in widget.error
    message(widget, asks=3, asked=2)
    assert (widget.error, widget.asks, widget.answered) == ("", 3, 2)


def test_where_there_is_an_error_a_page_without_widgets_gets_it() -> None:
    first = widgets.LogitBars(logits=[0.0, 1.0], label=4)
    later = widgets.LogitBars(logits=[0.0, 1.0, 2.0], label=2)
    later.logits = [0.0, 1.0]
    for widget in (first, later):
        shown, _ = widget._repr_mimebundle_()
        assert widget.error in shown["text/plain"]
        assert widget.error in shown["text/html"]


def test_a_widget_without_an_answer_says_what_to_write() -> None:
    class Empty(KernelWidget):
        _front_end = "lesson06.js"

    assert "Empty computes nothing; write its compute_outputs()" in Empty().error
    with pytest.raises(NotImplementedError, match="Empty has no table"):
        Empty().as_table()


def test_an_unknown_widget_lists_the_known_ones() -> None:
    with pytest.raises(AttributeError, match=r"no 'Knob'; it has AdamSlots"):
        widgets.Knob  # noqa: B018 - it is the attribute that raises


# ------------------------------------------------------------------------------------------------- without a front end
def test_nan_and_infinities_travel_as_words() -> None:
    widget = Halves(a=1.0, b=0.0)
    state = widget.get_state()
    assert (state["ratio"], state["other"]) == ("inf", ["nan", "-inf", None])
    assert math.isinf(widget.ratio)  # in Python it is a number


@each_lesson
def test_the_whole_state_is_json(kind: Any) -> None:
    state = {k: v for k, v in kind().get_state().items() if not k.startswith("_") and k not in ("layout", "tooltip")}
    assert json.loads(json.dumps(state, allow_nan=False))


@each_lesson
def test_repr_is_plain(kind: Any) -> None:
    shown = repr(kind())
    assert shown.startswith(f"{kind.__name__}(")
    assert "\n" not in shown
    assert len(shown) < 120
    assert "object at" not in shown


def test_repr_names_the_inputs_that_are_short() -> None:
    assert repr(FloorDescent(s=2.0)) == "FloorDescent(rule='sigmoid', s=2.0, start=0.3, anneal=False, step=0)"


@each_lesson
def test_a_page_without_widgets_gets_text_picture_and_table(kind: Any) -> None:
    """NumPy's error setting in a notebook stops no widget. A figure that pyplot knows would be shown a second time."""
    from matplotlib import pyplot as plt

    figures = plt.get_fignums()
    with np.errstate(all="raise"):
        widget = kind()
        data, _ = widget._repr_mimebundle_()
    assert widget.error == ""
    assert widget.static_figure() is not None
    assert plt.get_fignums() == figures
    assert data["application/vnd.jupyter.widget-view+json"]["model_id"] == widget.model_id
    twin = widget.as_table()
    assert data["text/plain"] == f"{widget!r}\n{twin}"
    page = data["text/html"]
    picture = page.split("data:image/png;base64,")[1].split('"')[0]
    assert base64.b64decode(picture).startswith(b"\x89PNG")
    assert 'alt="a still picture of the widget' in page
    assert page.endswith(twin.html())
    assert page.count("<tr>") == len(twin.rows) + 1
    assert all(twin.columns), "a screen reader says a column's name before each number"


def test_without_a_picture_there_is_the_table() -> None:
    data, _ = Halves()._repr_mimebundle_()
    assert data["text/html"] == Halves().as_table().html()


@each_lesson
def test_front_end_and_style_travel_with_the_class(kind: Any) -> None:
    assert "export default { render };" in kind._esm
    assert "--ak-ink" in kind._css
