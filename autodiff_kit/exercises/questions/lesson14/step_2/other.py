"""Another right answer to step-2."""

import numpy as np

import autodiff_kit as ak


def last_step_with_one_rate(slots, gradient, kind, lr, b1, b2, eps):
    """Both corrections of Adam in the rate."""
    if kind == "adam":
        t = slots["t"]
        rate = lr * np.sqrt(1 - b2**t) / (1 - b1**t)
        return -rate * slots["m"] / (np.sqrt(slots["v"]) + eps * np.sqrt(1 - b2**t))
    return ak.constant(-slots["momentum"] * (lr if kind == "momentum" else 1.0))


OTHER = (last_step_with_one_rate,)
