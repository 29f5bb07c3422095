"""Lesson 22's widget: rounds of message passing are powers of the adjacency matrix."""

from __future__ import annotations

import numpy as np
import pytest
import traitlets

from autodiff_kit.widgets.lesson22 import GRAPHS, MOST_ROUNDS, STARTS, MessageRounds


def adjacency(name: str) -> np.ndarray:
    size = 1 + max(max(edge) for edge in GRAPHS[name])
    matrix = np.zeros((size, size))
    for i, j in GRAPHS[name]:
        matrix[i, j] = matrix[j, i] = 1
    return matrix


def test_the_lessons_numbers() -> None:
    widget = MessageRounds(rounds=2)
    assert widget.values == [2, 1, 1, 1]
    assert widget.total == 5


@pytest.mark.parametrize("graph", GRAPHS)
@pytest.mark.parametrize("start", STARTS)
@pytest.mark.parametrize("rounds", range(MOST_ROUNDS + 1))
def test_values_and_gradient_are_those_of_a_power_of_the_matrix(graph: str, start: str, rounds: int) -> None:
    widget = MessageRounds(graph=graph, start=start, rounds=rounds)
    power = np.linalg.matrix_power(adjacency(graph), rounds)
    first = np.ones(len(power)) if start == "ones" else np.eye(len(power))[0]
    assert widget.values == (power @ first).tolist()
    assert widget.gradient == power.sum(axis=0).tolist()
    assert widget.total == sum(widget.values)


@pytest.mark.parametrize("rounds", range(MOST_ROUNDS + 1))
def test_equal_start_values_do_not_tell_the_ring_from_the_triangles(rounds: int) -> None:
    ring, triangles = (MessageRounds(graph=graph, start="ones", rounds=rounds) for graph in ("ring", "triangles"))
    assert ring.values == triangles.values


def test_a_marked_node_tells_them_apart_after_three_rounds() -> None:
    ring, triangles = (MessageRounds(graph=graph, rounds=3) for graph in ("ring", "triangles"))
    assert ring.values[3] > 0
    assert triangles.values[3] == 0


def test_the_text_form() -> None:
    table = MessageRounds(rounds=1).as_table()
    assert table.caption == "triangle with a tail after 1 round"
    assert table.rows[2] == ("node 2", "0 1 3", 1.0, 3.0)


def test_more_rounds_than_there_are_is_refused() -> None:
    with pytest.raises(traitlets.TraitError):
        MessageRounds(rounds=MOST_ROUNDS + 1)


def test_a_still_figure_for_pages_without_a_front_end() -> None:
    axes = MessageRounds(rounds=2).static_figure().axes[0]
    assert [text.get_text() for text in axes.texts] == ["2", "1", "1", "1"]
