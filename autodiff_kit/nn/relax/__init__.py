"""Relaxations: differentiable approximations of functions with zero or undefined derivatives, and fake quantization.

Smooth staircases and steps approximate floor, ceil, round, sign and step. :func:`straight_through` keeps the exact
value and replaces only the gradient.
"""

from __future__ import annotations

from autodiff_kit.nn.relax import approximations
from autodiff_kit.nn.relax.approximations import *
from autodiff_kit.nn.relax.quantization import fake_quant
from autodiff_kit.nn.relax.straight_through_estimator import straight_through

__all__ = ["fake_quant", "straight_through"]
__all__ += approximations.__all__
