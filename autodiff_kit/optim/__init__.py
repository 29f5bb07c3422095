"""Optimizers: what they keep for each variable, and how they step."""

from __future__ import annotations

from autodiff_kit.core.indexed_slices import RowGradient
from autodiff_kit.optim.adam import Adam, AdamW
from autodiff_kit.optim.levenberg_marquardt import LeastSquaresResult, LevenbergMarquardt
from autodiff_kit.optim.optimizer import Optimizer
from autodiff_kit.optim.sgd import SGD, RMSProp

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
