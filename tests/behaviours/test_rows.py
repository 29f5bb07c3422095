"""The tests of each row and of each edge case: a row or a bullet without a test fails here."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]

STRUCTURE: dict[str, list[str]] = {
    "transpose with negative axes": [
        "behaviours/test_structure.py::test_unusual_arguments_of_shape_functions_and_reductions"
    ],
    "diff with n >= size": ["behaviours/test_structure.py::test_unusual_arguments_of_shape_functions_and_reductions"],
    "prod over a row with a zero": [
        "behaviours/test_structure.py::test_unusual_arguments_of_shape_functions_and_reductions",
        "rules/test_points.py::test_the_hessian_of_a_product_with_a_zero",
    ],
    "tile with 0 repeats": ["behaviours/test_structure.py::test_unusual_arguments_of_shape_functions_and_reductions"],
    "roll with tuple shifts": [
        "behaviours/test_structure.py::test_unusual_arguments_of_shape_functions_and_reductions"
    ],
    "cumsum of a 0-d array": ["behaviours/test_structure.py::test_unusual_arguments_of_shape_functions_and_reductions"],
    "reductions of 0-d arrays and over no axis": [
        "behaviours/test_structure.py::test_unusual_arguments_of_shape_functions_and_reductions",
        "rules/test_shapes.py::test_reductions_over_any_axes",
    ],
    "unbroadcast": [
        "rules/test_shapes.py::test_broadcasting_is_undone",
        "behaviours/test_structure.py::test_broadcasting_is_reversed_by_sums",
    ],
    "axes of size 0": [
        "rules/test_shapes.py::test_an_axis_of_length_0",
        "behaviours/test_structure.py::test_broadcasting_is_reversed_by_sums",
    ],
    "fancy indices with duplicates": [
        "rules/test_shapes.py::test_any_list_of_positions_adds_up",
        "behaviours/test_structure.py::test_fancy_indices_are_added_up",
    ],
    "boolean masks": ["behaviours/test_structure.py::test_fancy_indices_are_added_up"],
    "None/Ellipsis mixes, negative steps": [
        "rules/test_shapes.py::test_any_basic_index",
        "behaviours/test_structure.py::test_fancy_indices_are_added_up",
    ],
    "views that alias their base": ["behaviours/test_structure.py::test_views_of_one_array_are_independent_values"],
    "non-contiguous and read-only inputs": ["rules/test_rules.py::test_every_property"],
    "accumulate float16 in float32": ["rules/test_points.py::test_float16_is_summed_in_float32"],
    "the gradient has its source's dtype": ["rules/test_rules.py::test_every_property"],
    "promotion rules": ["rules/test_points.py::test_dtypes_are_promoted_as_numpy_does"],
    "the Hessian of every op is symmetric": ["rules/test_rules.py::test_every_property"],
    "adjoint identity": ["rules/test_rules.py::test_every_property"],
    "deep records": [
        "core/test_long.py::test_a_record_of_100_000_operations",
        "core/test_long.py::test_a_deep_record_of_arrays_is_freed_without_recursion",
        "core/test_long.py::test_a_deep_chain_forwards",
    ],
    "in-place writes": [
        "core/test_values.py::test_writes_to_a_users_array_change_no_gradient",
        "core/test_values.py::test_writes_to_masks_labels_and_ids_change_no_gradient",
        "core/test_values.py::test_values_are_read_only",
    ],
}

BEHAVIOUR: dict[str, list[str]] = {
    "output_gradients that do not fit": ["core/test_tape.py::test_weights_that_do_not_fit"],
    "None inside means ones": ["core/test_tape.py::test_b06_targets_that_are_not_scalars"],
    "entering a tape that is recording": [
        "behaviours/test_structure.py::test_entering_a_tape_that_is_recording_is_a_value_error"
    ],
    "leaving and entering again": ["core/test_recording.py::test_leaving_and_entering_again_adds_to_the_record"],
    "an exception leaves no tape active": ["core/test_recording.py::test_an_exception_leaves_no_tape_open"],
    "gradient inside the block warns once": [
        "core/test_recording.py::test_a_gradient_inside_the_block_of_a_persistent_tape_warns_once"
    ],
    "a target that is also a source, repeated sources, []": [
        "behaviours/test_structure.py::test_sources_that_occur_twice_and_targets_that_are_sources"
    ],
    "ForwardAccumulator checks tangents": [
        "core/test_modes.py::test_tangents_that_do_not_fit",
        "behaviours/test_structure.py::test_tangents_that_do_not_fit_are_value_errors",
    ],
    "a primal given twice": ["core/test_modes.py::test_a_primal_given_twice"],
    "custom_gradient binds keyword arguments": [
        "core/test_custom.py::test_a_custom_gradient_binds_keywords_and_derives_its_jvp"
    ],
    "the wrong number of gradients": ["core/test_custom.py::test_wrong_custom_gradients_are_errors"],
    "both vjp and jvp, what is missing derived": [
        "core/test_custom.py::test_a_custom_gradient_with_both_rules",
        "behaviours/test_structure.py::test_hessians_go_through_a_custom_gradient_with_one_rule",
    ],
    "registering one name twice": ["core/test_custom.py::test_b27_a_name_registered_twice_is_an_error"],
    "overriding to an unknown name": ["core/test_custom.py::test_b27_names_that_do_not_exist"],
    "labels outside [0, C)": ["nn/test_masked.py::test_labels_that_do_not_fit"],
    "min > max in fake_quant": ["test_relax.py::test_arguments_outside_their_range"],
    "the nudged range": ["test_relax.py::test_the_edge_of_the_nudged_range"],
    "an anomaly mode": [
        "core/test_anomalies.py::test_the_first_nan_forward_is_named",
        "core/test_anomalies.py::test_the_first_nan_in_the_backward_pass_is_named",
        "core/test_anomalies.py::test_a_nan_in_the_input_is_named_as_such",
    ],
}


@cache
def names_in(path: Path) -> frozenset[str]:
    """Names of a file's test functions with a docstring or an assertion."""
    found = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    return frozenset(
        n.name for n in found if isinstance(n, ast.FunctionDef) and n.name.startswith("test_") and not _empty(n)
    )


def _empty(function: ast.FunctionDef) -> bool:
    return all(isinstance(line, (ast.Pass, ast.Expr)) and not _calls(line) for line in function.body)


def _calls(line: ast.stmt) -> bool:
    return any(isinstance(part, ast.Call) for part in ast.walk(line))


def test_every_row_has_a_test_by_name() -> None:
    """B01 to B46: at least one function ``test_bNN_...`` each."""
    names = [name for path in TESTS.glob("**/test_*.py") for name in names_in(path)]
    rows = {match[1] for name in names if (match := re.match(r"test_b(\d\d)_", name))}
    wanted = {f"{k:02}" for k in range(1, 47)}
    assert rows >= wanted, f"rows without a test: {sorted(wanted - rows)}"
    assert rows == wanted, f"no such rows: {sorted(rows - wanted)}"


@pytest.mark.parametrize("table", [STRUCTURE, BEHAVIOUR], ids=["structure", "behaviour"])
def test_every_bullet_has_a_test(table: dict[str, list[str]]) -> None:
    for bullet, places in table.items():
        assert places, bullet
        for place in places:
            path, _, name = place.partition("::")
            assert name in names_in(TESTS / path), f"{bullet}: {place} is not there"
