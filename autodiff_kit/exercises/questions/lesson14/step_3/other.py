"""Another right answer to step-3."""

import autodiff_kit as ak


def gradient_as_a_tensor(d0, d1, lr, b):
    return ak.constant(d1 - b * d0) / -lr


OTHER = (gradient_as_a_tensor,)
