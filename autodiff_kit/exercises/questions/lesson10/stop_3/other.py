"""Another right answer to stop-3."""

import numpy as np

import autodiff_kit as ak


def free_by_tapes(pairs, rng):
    """All points in one go, compared by what a tape gives for the difference of the two functions."""
    found = set(pairs)
    for _ in range(4):
        x = ak.constant(rng.uniform(-2, 2, size=6))
        for name, (f, g) in pairs.items():
            with ak.GradientTape() as tape:
                tape.watch(x)
                apart = f(x) - g(x)
            if np.abs(tape.gradient(apart, x).numpy()).max() > 1e-9:
                found.discard(name)
    return found


OTHER = (free_by_tapes,)
