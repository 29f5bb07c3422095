"""Layers: modules with variables, from which models are built.

Random initial values depend on ``seed``, an integer or a NumPy generator that several layers may share. The width of
the input may be left out; the layer then takes it from the first input and creates its variables at the first call.
"""

from __future__ import annotations

from autodiff_kit.nn.layers.attention import Attention
from autodiff_kit.nn.layers.conv import Conv1D, Conv1DTranspose, Conv2D, Conv2DTranspose
from autodiff_kit.nn.layers.dense import Dense
from autodiff_kit.nn.layers.dropout import Dropout
from autodiff_kit.nn.layers.embedding import Embedding
from autodiff_kit.nn.layers.normalization import InstanceNorm, LayerNorm
from autodiff_kit.nn.layers.recurrent import GRU, GRUCell
from autodiff_kit.nn.layers.sequential import Sequential

__all__ = [
    "GRU",
    "Attention",
    "Conv1D",
    "Conv1DTranspose",
    "Conv2D",
    "Conv2DTranspose",
    "Dense",
    "Dropout",
    "Embedding",
    "GRUCell",
    "InstanceNorm",
    "LayerNorm",
    "Sequential",
]
