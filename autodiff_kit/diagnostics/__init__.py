"""Diagnostics of gradients and tapes: gradient checks, explanations of None, cost, tables, step-by-step passes.

The functions load with their module at first use, because the engine itself imports :mod:`.tape_nodes` while it is
being set up.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
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
    "explain",
    "table",
]  # fmt: skip

_MODULES = ("gradient_check", "gradient_explanation", "tape_cost", "tape_nodes", "tape_table")


def __getattr__(name: str) -> Any:
    if name in __all__:
        for module in map(import_module, (f"{__name__}.{module}" for module in _MODULES)):
            if name in module.__all__:
                return getattr(module, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
