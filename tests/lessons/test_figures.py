"""The opening figures: valid, deterministic, readable, still at the end, and described in words."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

import pytest

from autodiff_kit.lessons.figures import UnknownFigureError, figure_numbers, lesson_figure
from autodiff_kit.lessons.figures.animated_svg import WIDTH, AnimatedFigure, Moment

SMALLEST_TEXT = 13
STILL_SECONDS = 0.5


def shapes(figure: AnimatedFigure) -> list[ET.Element]:
    """The shapes of a figure; parsing fails where the SVG is not well formed."""
    root = ET.fromstring(figure.svg())
    return [one for one in root.iter() if one.tag.rpartition("}")[2] not in ("svg", "title", "desc", "style")]


@pytest.mark.parametrize("no", figure_numbers())
def test_a_figure_is_valid_moves_and_comes_to_rest(no: str) -> None:
    figure = lesson_figure(no)
    moments = [moment for part in figure.parts for moment in part.moments]
    assert shapes(figure)
    assert len(moments) >= 2
    assert 4 <= figure.seconds <= 14
    assert max(moment.time for moment in moments) <= figure.seconds - STILL_SECONDS


@pytest.mark.parametrize("no", figure_numbers())
def test_the_same_numbers_give_the_same_drawing(no: str) -> None:
    assert lesson_figure(no)._repr_html_() == lesson_figure(no)._repr_html_()


@pytest.mark.parametrize("no", figure_numbers())
def test_a_figure_can_be_read(no: str) -> None:
    figure = lesson_figure(no)
    assert figure.name == f"lesson{no}"
    assert figure.height <= 260
    assert len(figure.caption.split()) <= 26
    assert len(figure.description.split()) >= 12
    for shape in shapes(figure):
        size = re.search(r"font-size:([\d.]+)px", shape.get("style", ""))
        assert size is None or float(size.group(1)) >= SMALLEST_TEXT
        if shape.tag.endswith("text"):
            assert 0 <= float(shape.get("x", "nan")) <= WIDTH
            assert 0 < float(shape.get("y", "nan")) <= figure.height


def test_a_part_stands_where_its_last_moment_puts_it() -> None:
    figure = AnimatedFigure("test", "A dot moves.", "A dot moves to the right.", seconds=4)
    figure.circle((10, 20), 5).moves(Moment(1), Moment(3, x=30, opacity=0.5))
    style = shapes(figure)[0].get("style", "")
    assert "transform:translate(30px,0px)" in style
    assert "opacity:0.5" in style
    assert "25%{transform:translate(0px,0px)" in figure.svg()
    assert "75%{transform:translate(30px,0px)" in figure.svg()


def test_a_curve_and_what_follows_it_are_drawn_in_step() -> None:
    figure = AnimatedFigure("test", "A curve grows.", "A curve grows behind a dot.", seconds=4)
    points = [(0.0, 0.0), (30.0, 0.0), (30.0, 10.0)]
    curve, dot = figure.path(points).draws(0, 2), figure.circle(points[0], 3).follows(points, 0, 2)
    assert [(moment.time, moment.dash) for moment in curve.moments] == [(0, 1), (1, 0.25), (2, 0)]
    assert [(moment.time, moment.x, moment.y) for moment in dot.moments] == [(0, 0, 0), (1, 30, 0), (2, 30, 10)]


def test_numbers_outside_a_plot_are_moved_to_its_border() -> None:
    plot = AnimatedFigure("test", "A.", "B.").plot((10, 20), 100, 50, (0, 1), (-1, 1))
    assert plot.point(0.5, 0) == (60, 45)
    assert plot.point(2, 5) == (110, 20)


def test_words_cannot_break_out_of_the_drawing() -> None:
    figure = AnimatedFigure("test", "a < b & c", "</svg><script>", seconds=4)
    figure.text((0, 10), "</text><b>")
    assert "<script>" not in figure._repr_html_()
    assert shapes(figure)[0].text == "</text><b>"


def test_a_lessons_number_may_be_short() -> None:
    assert str(lesson_figure("1")) == str(lesson_figure("01"))


def test_a_lesson_without_a_figure_names_those_that_have_one() -> None:
    with pytest.raises(UnknownFigureError, match="01"):
        lesson_figure("99")
