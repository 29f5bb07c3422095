"""A tape as a table: every state of a tape, as text and for a notebook."""

from __future__ import annotations

from dataclasses import FrozenInstanceError
from html.parser import HTMLParser
from typing import Any

import numpy as np
import pytest

import autodiff_kit as ak
from autodiff_kit.diagnostics.table_format import html_table, text_table
from autodiff_kit.diagnostics.tape_table import TapeTable, summarize_value, table


@pytest.fixture
def small() -> Any:
    w, x = ak.Variable(np.arange(6.0).reshape(2, 3), name="w"), ak.constant(np.ones((4, 2)), name="data")
    with ak.GradientTape() as tape:
        tape.watch(x)
        y = ak.exp(x @ w)
        z = ak.sum(y)
    return tape, x, w, z


def test_rows_are_the_nodes(small: Any) -> None:
    tape, *_ = small
    rows = tape.table().rows
    assert len(rows) == len(tape.nodes)
    for row, node in zip(rows, tape.nodes, strict=True):
        for field in ("id", "op", "inputs", "shape", "dtype", "cell", "line", "code"):
            assert getattr(row, field) == getattr(node, field)
    with pytest.raises(FrozenInstanceError):
        rows[0].id = 5


def test_sources_have_the_ids_that_inputs_name(small: Any) -> None:
    sources = small[0].table().sources
    assert [(s.id, s.op, s.name, s.shape) for s in sources] == [
        (-1, "watched", "data", (4, 2)),
        (-2, "variable", "w", (2, 3)),
    ]
    assert sources[1].value == "0 … 5"


def test_a_source_that_nothing_read_is_listed() -> None:
    x = ak.constant(1.0, name="idle")
    with ak.GradientTape() as tape:
        tape.watch(x)
    told = tape.table()
    assert [(s.id, s.name, s.value) for s in told.sources] == [(-1, "idle", "1")]
    assert told.rows == ()


@pytest.mark.parametrize("watched", [True, False])
def test_a_tensor_that_another_tape_computed_is_a_source(watched: bool) -> None:
    x, z = ak.Variable([1.0, -1.0], name="x"), ak.Variable([1.0, 4.0])
    with ak.GradientTape() as outer:
        middle = ak.sqrt(z)
        with ak.GradientTape() as inner:
            if watched:
                inner.watch(middle)
            y = ak.sum(x * middle)
    found = inner.table()
    assert [(row.op, row.inputs) for row in found.rows] == [("multiply", (-1, -2)), ("sum", (0,))]
    assert [(row.op, row.inputs, row.place, row.held) for row in found.sources] == [
        ("variable", (), "", 0), ("watched", (), "", 0),
    ]  # fmt: skip
    assert sum(row.held for row in found.rows) == inner.nbytes
    assert outer.nodes
    assert y.shape == ()


def test_bytes_are_those_that_the_tape_holds(small: Any) -> None:
    tape, *_ = small
    held = [row.held for row in tape.table().rows]
    assert sum(held) == tape.nbytes
    assert held == [8 * (8 + 6), 8 * 12, 0]


def test_an_array_that_two_nodes_hold_counts_once() -> None:
    x = ak.Variable(np.ones(10))
    with ak.GradientTape() as tape:
        y = ak.square(x)
        _ = ak.log(y) * y
    told = tape.table()
    assert sum(row.held for row in told.rows) == tape.nbytes
    assert sum(row.held > 0 for row in told.rows) == 3


def test_values_are_listed_if_available(small: Any) -> None:
    product, answer, total = small[0].table().rows
    assert product.value == ""  # neither rule needs the value
    assert answer.value == "20.09 … 1097"
    assert total.value == f"{float(small[3]):.4g}"


def test_a_released_tape_keeps_everything_but_arrays(small: Any) -> None:
    tape, _, w, z = small
    before = tape.table().rows
    tape.gradient(z, w)
    after = tape.table().rows
    assert [(r.op, r.inputs, r.shape, r.line) for r in after] == [(r.op, r.inputs, r.shape, r.line) for r in before]
    assert [r.held for r in after] == [0, 0, 0]
    assert after[1].value == ""


def test_numbers_of_a_released_tape_hold_nothing() -> None:
    x = ak.Variable(2.0)
    with ak.GradientTape() as tape:
        y = x * x * 3.0
    tape.gradient(y, x)
    told = tape.table()
    assert [row.held for row in told.rows] == [0, 0]
    assert [row.value for row in told.rows] == ["4", "12"]


def test_while_recording_and_when_empty() -> None:
    x = ak.Variable(2.0)
    with ak.GradientTape(persistent=True) as tape:
        assert tape.table().rows == ()
        y = x * x
        assert len(tape.table().rows) == 1
    assert float(tape.gradient(y, x)) == 4.0
    assert len(tape.table().rows) == 1
    assert str(ak.GradientTape().table()) == "0 operations on 0 sources, 0 B held"
    assert ak.GradientTape().table()._repr_html_() == "<p>0 operations on 0 sources, 0 B held</p>"


def test_a_mask_is_not_mistaken_for_the_input() -> None:
    x = ak.Variable(np.arange(8.0) - 4)
    with ak.GradientTape() as tape:
        _ = ak.nn.relu(x * 2.0)
    product, answer = tape.table().rows
    assert product.value == ""
    assert answer.held == 8


# -------------------------------------------------------------------------------- text
def test_text_is_aligned(small: Any) -> None:
    text = str(small[0].table())
    assert repr(small[0].table()) == text
    summary, titles, *rows = text.splitlines()
    assert summary == "3 operations on 2 sources, 208 B held"
    assert titles.split() == ["id", "operation", "name", "inputs", "shape", "dtype", "line", "held", "value"]
    start = titles.index("shape")
    assert [row[start - 1 : start + 1] for row in rows] == [" ("] * 5
    assert rows[0].startswith("−1  watched")
    assert "-" not in text.replace("float64", "")


def test_a_long_tape_is_shortened_in_the_middle() -> None:
    x = ak.Variable(1.0)
    with ak.GradientTape() as tape:
        for _ in range(1000):
            x = x * 1.0
    told = tape.table()
    lines = str(told).splitlines()
    assert len(told.rows) == 1000
    assert len(lines) == 2 + 1 + 20 + 1 + 20
    assert lines[23].split() == ["⋮", "…", "960", "more", "…"]
    assert "… 960 more …" in told._repr_html_()


@pytest.mark.parametrize("n", [40, 41, 42])
def test_one_row_is_not_left_out_for_the_sake_of_a_gap(n: int) -> None:
    x = ak.Variable(1.0)
    with ak.GradientTape() as tape:
        for _ in range(n):
            x = x + 1.0
    assert ("more" in str(tape.table())) == (n > 41)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, ""),
        (-2.0, "−2"),
        (np.array([1.0, -2.5]), "[1 −2.5]"),
        (np.array([True, False]), "[1 0]"),
        (np.zeros((0, 3)), "[]"),
        (np.arange(10.0), "0 … 9"),
        (np.zeros((2, 5)), "all 0"),
        (np.array([1, 2, np.nan, np.inf, 5.0]), "1 … 5, 2 not finite"),
        (np.full(5, np.nan), "5 not finite"),
        (np.float32(1e-8), "1e−08"),
        (np.array(7, np.int64), "7"),
    ],
)
def test_values_in_short_form(value: Any, text: str) -> None:
    assert summarize_value(value) == text


def test_long_texts_are_cut_and_empty_columns_left_out() -> None:
    grid = {"a": ["x" * 300, "y"], "nothing": ["", ""], "n": ["1", "20"]}
    lines = text_table(grid, numbers=("n",))
    assert lines[0].split() == ["a", "n"]
    assert lines[1].endswith("…   1")
    assert len({len(line) for line in lines}) == 1
    assert max(map(len, lines)) < 64


# -------------------------------------------------------------------------------- HTML
class _Reader(HTMLParser):
    def __init__(self, source: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.open: list[str] = []
        self.texts: list[str] = []
        self.feed(source)

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.tags.append(tag)
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def test_html_has_a_cell_for_each_text() -> None:
    reader = _Reader(html_table({"a": ["1", "2"], "b": ["x", "y"]}))
    assert reader.open == []
    assert reader.texts == ["a", "b", "1", "x", "2", "y"]
    assert reader.tags.count("tr") == 3


def test_html_is_escaped() -> None:
    x = ak.Variable(1.0, name="<script>alert(1)</script>")
    with ak.GradientTape() as tape:
        _ = x * x
    source = tape.table()._repr_html_()
    assert "<script>" not in source
    assert "<script>alert(1)</script>" in _Reader(source).texts
    assert "color" not in source


def test_only_tapes() -> None:
    with pytest.raises(ak.errors.DtypeError, match=r"tape.table\(\)"):
        table([1, 2])  # type: ignore[arg-type]
    assert isinstance(table(ak.GradientTape()), TapeTable)
