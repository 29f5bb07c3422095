"""Another right answer to jvp-3."""

import numpy as np

import autodiff_kit as ak


def through_a_lambda(kit, f, x, v):
    y, pull = kit.vjp(f, x)
    _, again = kit.vjp(lambda u: 1.0 * pull(u), np.ones(y.shape))
    return again(ak.constant(v))


OTHER = (through_a_lambda,)
