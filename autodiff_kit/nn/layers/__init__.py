"""Layers: small modules with variables of their own, to make models from.

Wherever a start is random, a ``seed`` decides it: a whole number, or a NumPy generator that several layers share and
draw from in turn. Widths that are not said are taken from the first input; the variables are made then.
"""

from __future__ import annotations

from autodiff_kit.nn.layers.attention import Attention
from autodiff_kit.nn.layers.conv import Conv2D
from autodiff_kit.nn.layers.dense import Dense, Embedding
from autodiff_kit.nn.layers.normalization import Dropout, InstanceNorm, LayerNorm
from autodiff_kit.nn.layers.sequential import Sequential

__all__ = ["Attention", "Conv2D", "Dense", "Dropout", "Embedding", "InstanceNorm", "LayerNorm", "Sequential"]
