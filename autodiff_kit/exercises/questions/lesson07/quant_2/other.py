"""Another right answer to quant-2."""

import autodiff_kit as ak


def quantised_by_the_kit(x, lo, hi, bits):
    x, lo, hi = ak.Variable(x), ak.Variable(lo), ak.Variable(hi)
    with ak.GradientTape(persistent=True) as tape:
        y = ak.relax.fake_quant(x, lo, hi, bits)
    return y, lambda g: tape.gradient(y, [x, lo, hi], output_gradients=g)


OTHER = (quantised_by_the_kit,)
