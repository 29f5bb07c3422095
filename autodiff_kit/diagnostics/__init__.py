"""Diagnostics of gradients and tapes: gradient checks, explanations of None, cost, tables, step-by-step passes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from autodiff_kit.core.tape import add_tape_method
from autodiff_kit.lazy import LazyAttribute, lazy_names

if TYPE_CHECKING:
    from autodiff_kit.diagnostics.anomalies import detect_anomalies
    from autodiff_kit.diagnostics.gradient_check import GradientCheckReport, check_gradients
    from autodiff_kit.diagnostics.gradient_explanation import GradientExplanation, GradientExplanations, explain
    from autodiff_kit.diagnostics.tape_cost import TapeCost, TapeCostRow, cost
    from autodiff_kit.diagnostics.tape_nodes import TapeNode
    from autodiff_kit.diagnostics.tape_table import TapeTable, TapeTableRow, table
else:
    _MODULES = {
        "gradient_check": "GradientCheckReport check_gradients",
        "anomalies": "detect_anomalies",
        "gradient_explanation": "GradientExplanation GradientExplanations explain",
        "tape_cost": "TapeCost TapeCostRow cost",
        "tape_nodes": "TapeNode",
        "tape_table": "TapeTable TapeTableRow table",
    }
    __getattr__ = lazy_names(__name__, {name: module for module, names in _MODULES.items() for name in names.split()})

for _name, _module in {
    "explain": "gradient_explanation", "cost": "tape_cost", "table": "tape_table", "nodes": "tape_nodes",
    "nbytes": "tape_nodes",
}.items():  # fmt: skip
    add_tape_method(_name, LazyAttribute(f"{__name__}.{_module}", _name))

__all__ = [
    "GradientCheckReport",
    "GradientExplanation",
    "GradientExplanations",
    "TapeCost",
    "TapeCostRow",
    "TapeNode",
    "TapeTable",
    "TapeTableRow",
    "check_gradients",
    "cost",
    "detect_anomalies",
    "explain",
    "table",
]
