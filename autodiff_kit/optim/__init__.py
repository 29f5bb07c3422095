"""Optimizers: what they keep for each variable, and how they step."""

from __future__ import annotations

from autodiff_kit.optim.adam import Adam, AdamW
from autodiff_kit.optim.base import Optimizer
from autodiff_kit.optim.descent import SGD, RMSProp
from autodiff_kit.optim.rows import RowGradient

__all__ = ["SGD", "Adam", "AdamW", "Optimizer", "RMSProp", "RowGradient"]
