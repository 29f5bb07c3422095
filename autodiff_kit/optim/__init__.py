"""Optimizers: what they keep for each variable, and how they step."""

from __future__ import annotations

from autodiff_kit.core.rows import RowGradient
from autodiff_kit.optim.adam import Adam, AdamW
from autodiff_kit.optim.base import Optimizer
from autodiff_kit.optim.descent import SGD, RMSProp
from autodiff_kit.optim.levenberg import LeastSquaresResult, LevenbergMarquardt

__all__ = [
    "SGD",
    "Adam",
    "AdamW",
    "LeastSquaresResult",
    "LevenbergMarquardt",
    "Optimizer",
    "RMSProp",
    "RowGradient",
]
