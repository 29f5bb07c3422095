"""Diagnostics of gradients and tapes: gradient checks, explanations of None, cost, tables, step-by-step passes."""

from __future__ import annotations

from autodiff_kit.diagnostics.anomalies import detect_anomalies
from autodiff_kit.diagnostics.gradient_check import GradientCheckReport, check_gradients
from autodiff_kit.diagnostics.gradient_explanation import GradientExplanation, GradientExplanations, explain
from autodiff_kit.diagnostics.tape_cost import TapeCost, TapeCostRow, cost
from autodiff_kit.diagnostics.tape_nodes import TapeNode
from autodiff_kit.diagnostics.tape_table import TapeTable, TapeTableRow, table

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
