"""Another right answer to mask-4."""

import numpy as np

import autodiff_kit as ak


def leak_of_the_tape(scores, keep, values):
    with ak.GradientTape() as tape:
        s = ak.constant(scores)
        tape.watch(s)
        e = ak.exp(s - ak.max(s))
        y = ak.sum(ak.where(keep, e / ak.sum(e), 0.0) * values)
    return np.where(keep, 0, tape.gradient(y, s).numpy())


OTHER = (leak_of_the_tape,)
