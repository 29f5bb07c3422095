"""Optimizers: SGD, Adagrad, Adadelta, RMSProp, Adam and AdamW for gradients, Levenberg-Marquardt for least squares.

Gradient optimizers share the class :class:`Optimizer`, which keeps slots (such as momentum) for each variable.
"""

from __future__ import annotations

from autodiff_kit.ops.row_gradient import RowGradient
from autodiff_kit.optim.adadelta import Adadelta
from autodiff_kit.optim.adagrad import Adagrad
from autodiff_kit.optim.adam import Adam, AdamW
from autodiff_kit.optim.clipping import clip_by_global_norm
from autodiff_kit.optim.levenberg_marquardt import LeastSquaresResult, LevenbergMarquardt
from autodiff_kit.optim.optimizer import Optimizer
from autodiff_kit.optim.rmsprop import RMSProp
from autodiff_kit.optim.sgd import SGD

__all__ = [
    "SGD",
    "Adadelta",
    "Adagrad",
    "Adam",
    "AdamW",
    "LeastSquaresResult",
    "LevenbergMarquardt",
    "Optimizer",
    "RMSProp",
    "RowGradient",
    "clip_by_global_norm",
]
