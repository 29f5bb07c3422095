"""Layers and losses of small integers, of float16 with many levels, and with infinite means."""

import numpy as np
import pytest

import autodiff_kit as ak


def test_a_class_that_is_not_in_the_batch_keeps_an_infinite_mean():
    assert ak.segment.class_means([1.0], [0], previous=[0.0, np.inf], rate=0.5).tolist() == [0.5, np.inf]


@pytest.mark.parametrize("kind", [bool, np.uint8, np.int32])
def test_a_stitch_with_gaps_keeps_the_dtype(kind):
    found = ak.segment.dynamic_stitch([[0], [2]], [np.ones(1, kind), np.ones(1, kind)])
    assert found.dtype == kind
    assert found.tolist() == [1, 0, 1]


def test_fake_quant_of_float16_with_more_levels_than_float16_holds():
    found = ak.relax.fake_quant(np.array([-0.5, 0.25], np.float16), -1.0, 1.0, num_bits=16)
    assert found.dtype == np.float16
    np.testing.assert_allclose(found, [-0.5, 0.25], atol=1e-3)


@pytest.mark.parametrize("kind", [np.uint8, np.int8])
def test_staircases_of_small_integers_do_not_wrap_around(kind):
    x = np.array([0, 1, 2], kind)
    np.testing.assert_allclose(ak.relax.piecewise_linear_floor(x, 0.4), [-0.5, 0.5, 1.5])
    np.testing.assert_allclose(ak.relax.soft_floor(x, 0.01, steps=(-2, 300)), [2.5, 3.5, 4.5])


def test_huber_of_unsigned_integers_and_booleans():
    assert ak.nn.huber(np.uint8([3, 2]), np.uint8([1, 2])).tolist() == [1.5, 0.0]
    assert ak.nn.huber([True, False], [True, True]).tolist() == [0.0, 0.5]
