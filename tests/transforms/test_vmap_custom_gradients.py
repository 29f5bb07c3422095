"""Custom gradients, masks and draws inside vmap: as a loop over the examples."""

import numpy as np
import pytest

import autodiff_kit as ak


@ak.custom_gradient
def tripled_slope_of_exp(x):
    y = ak.exp(x)
    return y, lambda g: 3.0 * g * y


@ak.custom_gradient
def product(x, w):
    return x * w, lambda g: (2.0 * g * w, 5.0 * g * x * x)


def squared_beside(x):
    square = x**2
    return ak.relax.straight_through(square, x) + square


CUSTOM = {
    "captured output": tripled_slope_of_exp,
    "two inputs": lambda x: product(x, x) * x,
    "shared input": lambda x: product(x, np.array([0.5, 2.0])),
    "output used again": squared_beside,
    "fake_quant": lambda x: ak.relax.fake_quant(x, -0.5, 0.7, num_bits=3),
    "gradient inside": lambda x: ak.grad(lambda z: ak.sum(tripled_slope_of_exp(z) * product(z, x)))(x),
    "vmap inside": lambda x: ak.vmap(tripled_slope_of_exp)(x),
}
DERIVATIVES = {
    "value": lambda f, x: ak.vjp(f, x)[0],
    "reverse": lambda f, x: ak.grad(lambda z: ak.sum(ak.sin(f(z))))(x),
    "forward": lambda f, x: ak.jvp(f, (x,), (x,))[1],
    "second": lambda f, x: ak.hvp(lambda z: ak.sum(ak.sin(f(z))), x, x),
    "jacobian": lambda f, x: ak.jacobian(f, mode="forward")(x),
}


@pytest.mark.parametrize("derivative", DERIVATIVES)
@pytest.mark.parametrize("name", CUSTOM)
def test_a_custom_gradient_inside_vmap_is_that_of_a_loop(name, derivative):
    f, x = CUSTOM[name], np.linspace(-1.0, 1.0, 6).reshape(3, 2)
    found, loop = (
        DERIVATIVES[derivative](g, x) for g in (ak.vmap(f), lambda x: ak.stack([f(x[k]) for k in range(3)], 0))
    )
    np.testing.assert_allclose(found, loop)


def test_a_shared_input_of_a_custom_gradient_inside_vmap_gets_the_sum_over_the_examples():
    x, w = np.arange(6.0).reshape(3, 2), np.array([0.5, 2.0])
    found = ak.grad(lambda w: ak.sum(ak.vmap(product, in_axes=(0, None))(x, w)))(w)
    np.testing.assert_allclose(found, (5.0 * x * x).sum(axis=0))


def test_forward_mode_of_a_custom_gradient_that_has_an_input_twice():
    x = np.array([1.0, 2.0, 3.0])
    _, tangent = ak.jvp(lambda x: product(x, x), (x,), (np.ones(3),))
    np.testing.assert_allclose(tangent, 2.0 * x + 5.0 * x * x)


def test_attention_takes_a_mask_of_each_example_inside_vmap():
    x, masks = np.random.default_rng(0).normal(size=(2, 3, 4)), np.array([np.tri(3), np.eye(3)], bool)
    layer = ak.layers.Attention(4, heads=2, inputs=4, seed=0)
    found = ak.vmap(lambda q, keep: ak.nn.attention(q, q, q, keep))(x, masks)
    np.testing.assert_allclose(found, ak.nn.attention(x, x, x, masks))
    np.testing.assert_allclose(ak.vmap(lambda q, keep: layer(q, mask=keep))(x, masks), layer(x, mask=masks))


@pytest.mark.parametrize("seed", [None, np.random.default_rng(0)])
def test_dropout_inside_vmap_draws_once_for_all_examples(seed):
    rows = ak.vmap(lambda x: ak.nn.dropout(x, 0.5, seed))(np.ones((3, 40))).numpy()
    assert (rows == rows[0]).all()
