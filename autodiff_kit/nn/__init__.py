"""Functions for neural networks: activations, softmax in its variants, attention, losses."""

from __future__ import annotations

from autodiff_kit.nn.attention import attention
from autodiff_kit.nn.functions import embedding, moments
from autodiff_kit.ops.elementary import sigmoid, softplus
from autodiff_kit.ops.neural import (
    elu,
    gelu,
    leaky_relu,
    log_softmax,
    masked_softmax,
    relu,
    softmax,
    sparse_softmax_cross_entropy,
)

__all__ = [
    "attention", "elu", "embedding", "gelu", "leaky_relu", "log_softmax", "masked_softmax", "moments", "relu",
    "sigmoid", "softmax", "softplus", "sparse_softmax_cross_entropy",
]  # fmt: skip
