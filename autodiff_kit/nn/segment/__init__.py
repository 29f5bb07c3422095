"""Segment operations: reductions over groups of rows, partitions, per-class means, sparse products.

Groups are graphs of different sizes, classes in a mini-batch, or words of a sentence. An id for each row names its
segment; ids need not be sorted. The result for a segment without rows is 0 (for products 1).
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
