"""Another right answer to adam-5."""

import autodiff_kit as ak


def brake_of_a_tensor(slots, last_gradient, b1):
    return ak.constant(slots["m"]) * (b1 / (b1 - 1))


OTHER = (brake_of_a_tensor,)
