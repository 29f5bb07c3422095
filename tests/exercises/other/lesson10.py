"""Other right answers to lesson 10's questions."""

import numpy as np

import autodiff_kit as ak


def chosen_places(W, M):
    return ak.where(M > 0, W, ak.constant(W.numpy()))


def one_deviation_stopped(x, stop):
    """The variance as a product of two deviations, of which one has a mean without a path."""
    mean = ak.sum(x, axis=1, keepdims=True) / x.shape[1]
    apart = x - mean
    return apart / (ak.mean(apart * (x - stop(mean)), axis=1, keepdims=True) + 1e-5) ** 0.5


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


OTHER = {
    "stop-1": (chosen_places,),
    "stop-2": (one_deviation_stopped,),
    "stop-3": (free_by_tapes,),
}
