"""Functions for neural networks: activations, softmax, attention, convolution, normalization, dropout, losses."""

from __future__ import annotations

from autodiff_kit.nn.functional.convolution import conv1d, conv1d_transpose, conv2d, conv2d_transpose
from autodiff_kit.nn.functional.dot_product_attention import attention
from autodiff_kit.nn.functional.embedding_lookup import embedding
from autodiff_kit.nn.functional.losses import huber, sigmoid_cross_entropy, softmax_cross_entropy
from autodiff_kit.nn.functional.normalization import instance_norm, layer_norm, moments
from autodiff_kit.nn.functional.one_hot_encoding import one_hot
from autodiff_kit.nn.functional.pooling import avg_pool2d, max_pool2d
from autodiff_kit.nn.functional.random_dropout import dropout
from autodiff_kit.ops.activations import elu, gelu, leaky_relu, relu
from autodiff_kit.ops.elementary_functions import sigmoid, softplus
from autodiff_kit.ops.softmax import log_softmax, masked_softmax, softmax, sparse_softmax_cross_entropy

__all__ = [
    "attention", "avg_pool2d", "conv1d", "conv1d_transpose", "conv2d", "conv2d_transpose", "dropout", "elu",
    "embedding", "gelu", "huber", "instance_norm", "layer_norm", "leaky_relu", "log_softmax", "masked_softmax",
    "max_pool2d", "moments", "one_hot", "relu", "sigmoid", "sigmoid_cross_entropy", "softmax",
    "softmax_cross_entropy", "softplus", "sparse_softmax_cross_entropy",
]  # fmt: skip
