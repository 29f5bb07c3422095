"""Truth tables show measured results, and reject a column of the kit that does not fit."""

from __future__ import annotations

import json
from importlib import resources
from pathlib import Path

import pytest

from autodiff_kit.lessons.truth_tables import TruthTableError, truth_names, truth_table

COLUMN = {"gradient": [7.0, 1.0, 4.0], "jv": [7.0, -5.0, 3.0], "uj": [11.0, 3.0, -1.0]}


def kept(name: str) -> dict:
    return json.loads((resources.files("autodiff_kit.lessons") / "truths" / f"{name}.json").read_text("utf-8"))


@pytest.mark.parametrize("name", truth_names())
def test_every_value_says_who_measured_it(name: str) -> None:
    table = kept(name)
    assert (Path(__file__).parents[2] / table["script"]).is_file()
    keys = {row["key"] for row in table["rows"]}
    assert [one["library"] for one in table["libraries"]] == ["TensorFlow", "PyTorch", "JAX"]
    for one in table["libraries"]:
        assert set(one["values"]) == keys
        assert one["version"][0].isdigit()


@pytest.mark.parametrize("name", truth_names())
def test_every_table_can_be_shown(name: str) -> None:
    table = truth_table(name, {row["key"]: None for row in kept(name)["rows"]})
    assert all(row[-1] == "None" for row in table.rows)


def test_the_kit_is_the_last_column_with_the_given_values() -> None:
    table = truth_table("jvp-vector-target", COLUMN)
    assert table.columns[-1] == "this kit"
    assert [row[-1] for row in table.rows] == ["[7 1 4]", "[7 -5 3]", "[11 3 -1]"]
    assert table.rows[1][1:4] == ("[7 -5 3]",) * 3


def test_the_three_others_differ_on_a_vector_target() -> None:
    tensorflow, torch, jax = truth_table("jvp-vector-target", COLUMN).rows[0][1:4]
    assert tensorflow == "[7 1 4]"
    assert "scalar" in torch
    assert "scalar" in jax


def test_none_and_zero_stay_apart() -> None:
    table = truth_table("floor-gradient", {"floor": None, "loss": None, "through": -6.0})
    assert [str(cell) for cell in table.rows[0][1:]] == ["None", "0", "0", "None"]


def test_an_unknown_table_lists_those_there_are() -> None:
    with pytest.raises(TruthTableError, match="jvp-vector-target"):
        truth_table("jvp", {})


def test_a_missing_row_is_refused() -> None:
    with pytest.raises(TruthTableError, match="'gradient', 'jv', 'uj'"):
        truth_table("jvp-vector-target", {"jv": [1]})
