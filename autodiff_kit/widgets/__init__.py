"""Widgets: one Python class and one front-end module each; every number comes from a tape in the kernel.

Classes load when they are asked for, so that one lesson does not pay for the widgets of the others.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from autodiff_kit.widgets.base import KernelWidget
    from autodiff_kit.widgets.lesson00 import FirstTape
    from autodiff_kit.widgets.lesson01 import PushPull
    from autodiff_kit.widgets.lesson02 import BrokenPaths
    from autodiff_kit.widgets.lesson03 import TwoSides
    from autodiff_kit.widgets.lesson04 import Doublings
    from autodiff_kit.widgets.lesson05 import SwappedRule
    from autodiff_kit.widgets.lesson06 import FloorDescent
    from autodiff_kit.widgets.lesson07 import GatheringEnds
    from autodiff_kit.widgets.lesson08 import LogitBars
    from autodiff_kit.widgets.lesson09 import MaskedAttention
    from autodiff_kit.widgets.lesson10 import PathValves
    from autodiff_kit.widgets.lesson11 import GraphReadout
    from autodiff_kit.widgets.lesson12 import StateBox
    from autodiff_kit.widgets.lesson13 import GrowingRecord
    from autodiff_kit.widgets.lesson14 import RollingSteps
    from autodiff_kit.widgets.lesson15 import AdamSlots
    from autodiff_kit.widgets.lesson16 import ThreeBalls
    from autodiff_kit.widgets.lesson17 import ClippedArrows
    from autodiff_kit.widgets.lesson18 import BackwardBill
    from autodiff_kit.widgets.lesson19 import ResidualValley
    from autodiff_kit.widgets.lesson20 import HessianProbes
    from autodiff_kit.widgets.lesson21 import LearnedInverse
    from autodiff_kit.widgets.predict import Predict

__all__ = [
    "AdamSlots",
    "BackwardBill",
    "BrokenPaths",
    "ClippedArrows",
    "Doublings",
    "FirstTape",
    "FloorDescent",
    "GatheringEnds",
    "GraphReadout",
    "GrowingRecord",
    "HessianProbes",
    "KernelWidget",
    "LearnedInverse",
    "LogitBars",
    "MaskedAttention",
    "PathValves",
    "Predict",
    "PushPull",
    "ResidualValley",
    "RollingSteps",
    "StateBox",
    "SwappedRule",
    "ThreeBalls",
    "TwoSides",
]

_HOMES = {
    "AdamSlots": "lesson15",
    "BackwardBill": "lesson18",
    "BrokenPaths": "lesson02",
    "ClippedArrows": "lesson17",
    "Doublings": "lesson04",
    "FirstTape": "lesson00",
    "FloorDescent": "lesson06",
    "GatheringEnds": "lesson07",
    "GraphReadout": "lesson11",
    "GrowingRecord": "lesson13",
    "HessianProbes": "lesson20",
    "KernelWidget": "base",
    "LearnedInverse": "lesson21",
    "LogitBars": "lesson08",
    "MaskedAttention": "lesson09",
    "PathValves": "lesson10",
    "Predict": "predict",
    "PushPull": "lesson01",
    "ResidualValley": "lesson19",
    "RollingSteps": "lesson14",
    "StateBox": "lesson12",
    "SwappedRule": "lesson05",
    "ThreeBalls": "lesson16",
    "TwoSides": "lesson03",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"autodiff_kit.widgets has no {name!r}; it has {', '.join(__all__)}")
    return getattr(importlib.import_module(f"autodiff_kit.widgets.{_HOMES[name]}"), name)
