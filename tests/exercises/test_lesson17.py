"""Lesson 17's einsum counts, and refuses what is no array or would grow too large; its answers are the kit's."""

from __future__ import annotations

import numpy as np
import pytest

import autodiff_kit as ak
from autodiff_kit.exercises.questions.lesson17.per_1 import misconceptions
from autodiff_kit.exercises.questions.lesson17.per_1 import solution as per_1
from autodiff_kit.exercises.questions.lesson17.per_2 import solution as per_2
from autodiff_kit.exercises.questions.lesson17.per_3 import solution as per_3

RNG = np.random.default_rng(17)
X, D, W = RNG.normal(size=(5, 3)), RNG.normal(size=(5, 4)), RNG.normal(size=(3, 4))


def test_einsum_counts_and_is_that_of_numpy():
    einsum = misconceptions.counted_einsum()
    np.testing.assert_array_equal(einsum("bi,bo->bio", X, ak.constant(D)), np.einsum("bi,bo->bio", X, D))
    assert einsum.calls == 1


@pytest.mark.parametrize("bad", [(X, D), ("bi,bo->bio", X.tolist(), D), ("bi->b", X.astype(object)), ("bi",)])
def test_einsum_takes_letters_and_arrays(bad):
    with pytest.raises(TypeError, match="einsum takes"):
        misconceptions.limited_einsum(*bad)


def test_einsum_refuses_what_would_grow_too_large():
    with pytest.raises(ValueError, match="multiplies more than"):
        misconceptions.limited_einsum("a,b,c->abc", *[np.ones(200)] * 3)


def test_the_answers_are_what_the_kit_gives():
    """With D as the slope of each example's loss, which is then linear in the layer's outputs."""
    kernel, bias, w = ak.Variable(W), ak.Variable(np.zeros(4)), RNG.uniform(size=5)
    found = ak.per_example_gradients(lambda x: ((x @ kernel + bias) * D).sum(axis=1), [kernel, bias], X)
    both = np.concatenate([found[0].numpy().reshape(5, -1), found[1].numpy()], axis=1)
    np.testing.assert_allclose(per_3.norms(X, D), np.linalg.norm(both, axis=1), rtol=1e-12)
    weighted = ak.per_example_gradients(lambda x: ((x @ kernel + bias) * D).sum(axis=1), kernel, X, weights=w)
    np.testing.assert_allclose(per_1.per_example(np.einsum, X, D, w), weighted.numpy(), rtol=1e-12)
    theta, y = ak.Variable(np.zeros(3)), RNG.normal(size=5)
    each = ak.per_example_gradients(lambda x: (x @ theta - y) ** 2, theta, X).numpy()
    np.testing.assert_allclose(
        per_2.clip_mean(X, -y, 0.7),
        np.mean([g * min(1, 0.7 / np.linalg.norm(g)) for g in each], axis=0),
        rtol=1e-12,
    )
