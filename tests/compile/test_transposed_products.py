"""Products with a transposed factor: BLAS reads it without a copy, or the product is transposed to save a copy."""

from __future__ import annotations

import numpy as np

import autodiff_kit as ak
from autodiff_kit.compile.graph import ComputationGraph

from .python_kernels import build


def test_a_transposed_product_swaps_its_factors() -> None:
    graph = ComputationGraph()
    a, b = graph.input((5, 7), "f8"), graph.input((5, 3), "f8")
    product = graph.permute(graph.matmul(graph.permute(a, (1, 0)), b), (1, 0))
    assert (product.op, product.shape) == ("matmul", (3, 7))
    assert product.args[1] is a


def test_attention_compiled_equals_eager() -> None:
    rng = np.random.default_rng(3)
    given = [ak.constant(rng.standard_normal((2, 3, 64, 16))) for _ in range(3)]

    def scores(q: ak.Tensor, k: ak.Tensor, v: ak.Tensor) -> ak.Tensor:
        return ak.sum((ak.nn.softmax(q @ k.swapaxes(-1, -2)) @ v) ** 2)

    run = ak.value_and_grad(scores, (0, 1, 2))
    compiled = ak.compile(run)
    compiled(*given)
    assert not build(compiled)[0].kernel_plan.copies
    (y, gradients), (z, others) = run(*given), compiled(*given)
    for g, h in zip((y, *gradients), (z, *others), strict=True):
        np.testing.assert_allclose(g.numpy(), h.numpy(), rtol=1e-10, atol=1e-12)
