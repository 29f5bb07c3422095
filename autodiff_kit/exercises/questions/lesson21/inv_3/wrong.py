"""Wrong answers to inv-3, each with the misconception that it must be told; an empty name asks for the plain message."""

import numpy as np

WRONG = {
    "the pull of F": ((lambda J, g: J.T @ g,), "pull-of-the-function"),
    "a push of the inverse": ((lambda J, g: np.linalg.inv(J) @ g,), "push-of-the-inverse"),
    "a push of F": ((lambda J, g: J @ g,), "push-of-the-function"),
    "1 / J": ((lambda J, g: (1 / J).T @ g,), "one-over-each-entry"),
    "1 / diagonal": ((lambda J, g: g / np.diag(J),), "one-over-the-diagonal"),
    "another sign": ((lambda J, g: -np.linalg.solve(J.T, g),), ""),
}
