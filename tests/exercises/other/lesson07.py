"""Other right answers to lesson 07's questions."""

import numpy as np

import autodiff_kit as ak


def nudged_by_whole_levels(lo, hi, bits):
    scale = (hi - lo) / (2**bits - 1)
    below = min(max(round(-lo / scale), 0), 2**bits - 1)
    ends = scale * np.array([-below, 2**bits - 1 - below])
    return [scale, *ends.tolist()]


def quantised_by_the_kit(x, lo, hi, bits):
    x, lo, hi = ak.Variable(x), ak.Variable(lo), ak.Variable(hi)
    with ak.GradientTape(persistent=True) as tape:
        y = ak.relax.fake_quant(x, lo, hi, bits)
    return y, lambda g: tape.gradient(y, [x, lo, hi], output_gradients=g)


def total_by_the_kit(x, bits, g):
    x = ak.Variable(x)
    with ak.GradientTape() as tape:
        y = ak.relax.fake_quant(x, ak.min(x), ak.max(x), bits)
    return tape.gradient(y, x, output_gradients=g)


OTHER = {
    "quant-1": (nudged_by_whole_levels,),
    "quant-2": (quantised_by_the_kit,),
    "quant-3": (total_by_the_kit,),
}
