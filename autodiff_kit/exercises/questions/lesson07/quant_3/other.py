"""Another right answer to quant-3."""

import autodiff_kit as ak


def total_by_the_kit(x, bits, g):
    x = ak.Variable(x)
    with ak.GradientTape() as tape:
        y = ak.relax.fake_quant(x, ak.min(x), ak.max(x), bits)
    return tape.gradient(y, x, output_gradients=g)


OTHER = (total_by_the_kit,)
