"""Another right answer to custom-2."""

import autodiff_kit as ak


def valve_of_tensors(x, lam, cap):
    return ak.constant(x), lambda g: ak.maximum(ak.minimum(ak.constant(g), cap), -cap) * -lam


OTHER = (valve_of_tensors,)
