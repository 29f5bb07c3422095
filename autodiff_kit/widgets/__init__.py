"""Widgets: one Python class and one front-end module each; every number comes from a tape in the kernel.

Classes load when they are asked for, so that one lesson does not pay for the widgets of the others.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from autodiff_kit.widgets.base import KernelWidget
    from autodiff_kit.widgets.lesson01 import PushPull
    from autodiff_kit.widgets.lesson06 import FloorDescent
    from autodiff_kit.widgets.lesson09 import MaskedAttention
    from autodiff_kit.widgets.lesson15 import AdamSlots
    from autodiff_kit.widgets.predict import Predict

__all__ = ["AdamSlots", "FloorDescent", "KernelWidget", "MaskedAttention", "Predict", "PushPull"]

_HOMES = {
    "AdamSlots": "lesson15",
    "FloorDescent": "lesson06",
    "KernelWidget": "base",
    "MaskedAttention": "lesson09",
    "Predict": "predict",
    "PushPull": "lesson01",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"autodiff_kit.widgets has no {name!r}; it has {', '.join(__all__)}")
    return getattr(importlib.import_module(f"autodiff_kit.widgets.{_HOMES[name]}"), name)
