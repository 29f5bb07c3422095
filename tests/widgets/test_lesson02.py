"""Lesson 02's widget: five programs on real tapes, what ``explain`` says of each, and what the other lines change."""

from __future__ import annotations

import linecache
from typing import Any

import pytest
import traitlets

import autodiff_kit as ak
from autodiff_kit.widgets import UnconnectedPaths
from autodiff_kit.widgets.lesson02 import NOT_YET, PROGRAMS

# For each program and each of its lines: gradient, cause, line.
FOUND: list[list[tuple[Any, int, int]]] = [
    [(None, 2, 5), (None, 2, 5), (2.0, 0, 0), (12.0, 0, 0)],
    [(None, 4, 4), (None, 4, 4), (6.0, 0, 0)],
    [(None, 1, 2), (None, 1, 2), (8.0, 0, 0), (8.0, 0, 0)],
    [(None, 3, 4), (None, 3, 4), (0.0, 0, 0), (12.0, 0, 0)],
    [([6.0, None], 5, 0), ([6.0, 0.0], 5, 0), ([6.0, 0.0], 0, 0), ([6.0, 9.0], 0, 0)],
]
CASES = [(k, mend) for k, found in enumerate(FOUND) for mend in range(len(found))]


def path(k: int, mend: int = 0) -> dict[str, Any]:
    mends = [0] * len(PROGRAMS)
    mends[k] = mend
    widget = UnconnectedPaths(mends=mends)
    assert widget.error == ""
    return widget.paths[k]


def test_each_cause_has_a_program() -> None:
    assert sorted(path["cause"] for path in UnconnectedPaths().paths) == [1, 2, 3, 4, 5]


@pytest.mark.parametrize(("k", "mend"), CASES)
def test_the_tape_says_what_each_line_changes(k: int, mend: int) -> None:
    found = path(k, mend)
    assert (found["gradient"], found["cause"], found["line"]) == FOUND[k][mend]
    assert found["connected"] == (found["cause"] == 0)
    assert len(FOUND[k]) == len(found["mends"]) == len(PROGRAMS[k].mends) + 1


@pytest.mark.parametrize(("k", "mend"), CASES)
def test_what_is_shown_is_what_a_tape_gives_to_the_same_text(k: int, mend: int) -> None:
    """The program as it is read, run with a tape that answers once."""
    import numpy as np

    scope: dict[str, Any] = {"ak": ak, "np": np}
    exec("\n".join(line["text"] for line in path(k, mend)["lines"]), scope)
    gradients = scope["g"] if isinstance(scope["g"], list) else [scope["g"]]
    shown = path(k, mend)["gradient"]
    assert [None if g is None else float(g.numpy()) for g in gradients] == (
        shown if isinstance(shown, list) else [shown]
    )


def test_gradients_stand_at_the_lines_and_a_plain_number_has_none() -> None:
    lines = path(0)["lines"]
    assert [line.get("gradient", "-") for line in lines] == [None, 10.0, "-", None, "-", "-", 1.0, "-"]
    assert [k for k, line in enumerate(lines, start=1) if line.get("plain")] == [5, 6]
    assert [line.get("value") for line in lines] == [3.0, 2.0, None, 9.0, 9.0, 10.0, 20.0, None]
    assert [line["reads"] for line in lines] == [[], [], [], [1], [4], [5], [2, 6], []]


def test_a_detour_around_floor_arrives_with_zero() -> None:
    lines = path(3, 2)["lines"]
    assert [line["gradient"] for line in lines if "gradient" in line] == [0.0, 0.0, 2.0, 1.0]


def test_a_name_that_is_made_twice_is_read_where_it_was_made_last() -> None:
    assert [line["reads"] for line in path(1, 2)["lines"]] == [[], [], [], [1, 2], [4], []]
    assert [line["reads"] for line in path(2)["lines"]] == [[], [1], [], [2], []]


def test_the_twin_keeps_what_was_not_asked_yet() -> None:
    widget = UnconnectedPaths(said=[4, NOT_YET, NOT_YET, NOT_YET, 0])
    rows = [tuple(row) for row in widget.as_table().rows]
    assert rows[0] == ("A", "None", "The value left the record.", "5")
    assert rows[1] == ("B", "None", "?", "?")
    assert rows[4] == ("E", "[6, None]", "The variable was not used on this tape.", "–")


def test_which_program_is_looked_at_asks_nothing() -> None:
    widget = UnconnectedPaths()
    paths = widget.paths
    widget.at = 3
    assert widget.paths is paths


def test_nothing_is_left_in_the_cache_of_lines() -> None:
    before = set(linecache.cache)
    UnconnectedPaths()
    assert set(linecache.cache) == before


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        ({"said": [0] * 4}, "said holds an integer for each program"),
        ({"said": [9, 0, 0, 0, 0]}, r"\(-1, 8\)"),
        ({"mends": [0, 3, 0, 0, 0]}, r"\(0, 2\)"),
        ({"mends": [0.5, 0, 0, 0, 0]}, "integer"),
        ({"at": 5}, "at"),
    ],
    ids=lambda value: repr(value)[:24],
)
def test_bad_values_are_refused(bad: dict[str, Any], words: str) -> None:
    widget = UnconnectedPaths()
    before = widget.paths
    with pytest.raises(traitlets.TraitError, match=words):
        widget.set_trait(*next(iter(bad.items())))
    assert widget.paths == before
