"""Wrong answers to val-2, each with the misconception that it must be told; an empty name asks for the plain message."""

import math

WRONG = {
    "not squared": ((lambda n, error: math.ceil((n - 1) / error),), "error-not-squared"),
    "without n": ((lambda n, error: math.ceil(error**-2),), "n-plays-no-part"),
    "n": ((lambda n, error: math.ceil(n / error**2),), "n-in-place-of-n-minus-1"),
    "n probes": ((lambda n, error: n,), "a-pair-for-each"),
    "down": ((lambda n, error: int((n - 1) / error**2),), "rounded-down"),
    "calls": ((lambda n, error: 2 * math.ceil((n - 1) / error**2),), "calls-not-probes"),
    "one": ((lambda n, error: 1,), ""),
}
