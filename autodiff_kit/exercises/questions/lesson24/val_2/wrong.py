"""Wrong answers to val-2, each with the misconception that it must be told; an empty name asks for the plain message."""

import math

WRONG = {
    "not squared": ((lambda n, error: max(math.ceil((n - 1) / error), 1),), "error-not-squared"),
    "without n": ((lambda n, error: math.ceil(error**-2),), "n-plays-no-part"),
    "n": ((lambda n, error: math.ceil(n / error**2),), "n-in-place-of-n-minus-1"),
    "n probes": ((lambda n, error: n,), "a-pair-for-each"),
    "down": ((lambda n, error: max(int((n - 1) / error**2), 1),), "rounded-down"),
    "calls": ((lambda n, error: max(2 * math.ceil((n - 1) / error**2), 2),), "calls-not-probes"),
    "root": ((lambda n, error: max(math.ceil(math.sqrt(n - 1) / error), 1),), "root-of-n"),
    "times": ((lambda n, error: max(math.ceil((n - 1) * error**2), 1),), "multiplied-by-the-error"),
    "no probe for one number": ((lambda n, error: math.ceil((n - 1) / error**2),), "no-probe"),
    "calls, at least one": ((lambda n, error: 2 * max(math.ceil((n - 1) / error**2), 1),), "calls-not-probes"),
    "one": ((lambda n, error: 1,), ""),
    "rounded": ((lambda n, error: max(round((n - 1) / error**2), 1),), "rounded-down"),
    "always one more": ((lambda n, error: int((n - 1) / error**2) + 1,), ""),
}
