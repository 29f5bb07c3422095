"""Neural networks: functions (``nn.relu``), layers, the Module base class, segment operations, relaxations."""

from __future__ import annotations

from autodiff_kit.nn import functional, layers, relax, segment
from autodiff_kit.nn.functional import *
from autodiff_kit.nn.module import Module

__all__ = ["Module", "functional", "layers", "relax", "segment"]
__all__ += functional.__all__
