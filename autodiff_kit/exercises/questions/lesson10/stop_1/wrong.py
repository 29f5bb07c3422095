"""Wrong answers to stop-1, each with the misconception that it must be told; an empty name asks for the plain message."""

import autodiff_kit as ak

WRONG = {
    "M W": ((lambda W, M: M * W,), "masks-the-value-too"),
    "(1 - M) W": ((lambda W, M: (1 - M) * W,), "masks-the-other-way"),
    "no stop": ((lambda W, M: M * W + (1 - M) * W,), "stops-nothing"),
    "other half": ((lambda W, M: ak.stop_gradient(M * W) + (1 - M) * W,), "stops-the-wrong-half"),
    "both": ((lambda W, M: ak.stop_gradient(W),), "stops-everything"),
    "both, and a zero": ((lambda W, M: ak.stop_gradient(W) + 0.0 * W,), "stops-everything"),
    "as numbers": ((lambda W, M: W.numpy(),), "stops-everything"),
    "twice": ((lambda W, M: 2 * M * W + ak.stop_gradient((1 - 2 * M) * W),), "gradient-too-large"),
    "no M in the stopped part": ((lambda W, M: M * W + ak.stop_gradient(W),), "counts-a-part-twice"),
    "the sign": ((lambda W, M: -M * W - ak.stop_gradient((1 - M) * W),), ""),
}
