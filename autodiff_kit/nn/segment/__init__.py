"""Rows in groups: graphs of different sizes, classes in a mini-batch, words of sentences.

An id for each row says which group it belongs to; ids need not be sorted. A group without rows gives 0 (its product 1).
"""

from __future__ import annotations

from autodiff_kit.nn.segment.partitioning import dynamic_partition, dynamic_stitch
from autodiff_kit.nn.segment.per_class_means import ClassMeans, class_means
from autodiff_kit.nn.segment.reductions import segment_max, segment_mean, segment_min, segment_prod, segment_sum
from autodiff_kit.nn.segment.sparse_product import sparse_matmul

__all__ = [
    "ClassMeans", "class_means", "dynamic_partition", "dynamic_stitch", "segment_max", "segment_mean", "segment_min",
    "segment_prod", "segment_sum", "sparse_matmul",
]  # fmt: skip
