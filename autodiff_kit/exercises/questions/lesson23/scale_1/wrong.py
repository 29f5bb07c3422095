"""Wrong answers to scale-1, each with the misconception that it must be told; an empty name asks for the plain message."""

import numpy as np


def steps(gradients, b1, b2, fix_m=True, fix_v=True, size=False, root=True):
    m, v, out = 0, 0, []
    for i in range(len(gradients)):
        g = gradients[i]
        m = m * b1 + (np.abs(g) if size else g) * (1 - b1)
        v = v * b2 + g**2 * (1 - b2)
        a = m / (1 - b1 ** (i + 1)) if fix_m else m
        b = v / (1 - b2 ** (i + 1)) if fix_v else v
        out.append(np.abs(a) / np.sqrt(b) if root else np.abs(a))
    return np.array(out)


def with_switches(**switches):
    return lambda gradients, b1, b2: steps(gradients, b1, b2, **switches)


def signed(gradients, b1, b2):
    m, out = 0, []
    for g in gradients:
        m = m * b1 + g * (1 - b1)
        out.append(m)
    return np.copysign(steps(gradients, b1, b2), out)


def skips_zeros(gradients, b1, b2):
    found = iter(steps([g for g in gradients if g != 0], b1, b2))
    return np.array([next(found) if g != 0 else 0.0 for g in gradients])


def over_v(gradients, b1, b2):
    m = steps(gradients, b1, b2, root=False)
    return m / (m / steps(gradients, b1, b2)) ** 2


WRONG = {
    "all 1": ((lambda gradients, b1, b2: np.ones(len(gradients)),), "always-the-learning-rate"),
    "1, and 0 where g is 0": (
        (lambda gradients, b1, b2: np.where(gradients != 0, 1, 0),),
        "one-where-g-is-not-zero",
    ),
    "v raw": ((with_switches(fix_v=False),), "v-is-not-corrected"),
    "m raw": ((with_switches(fix_m=False),), "m-is-not-corrected"),
    "both raw": ((with_switches(fix_m=False, fix_v=False),), "no-bias-correction"),
    "sizes": ((with_switches(size=True),), "mean-of-sizes"),
    "no root": ((with_switches(root=False),), "not-divided-by-the-root"),
    "at most 1": ((lambda gradients, b1, b2: np.minimum(steps(gradients, b1, b2), 1),), "never-longer-than-lr"),
    "0 where g is 0": (
        (lambda gradients, b1, b2: steps(gradients, b1, b2) * (np.asarray(gradients) != 0),),
        "no-step-at-zero",
    ),
    "zeros skipped": ((skips_zeros,), "zeros-left-out"),
    "|g|": ((lambda gradients, b1, b2: np.abs(gradients),), "size-of-the-gradient"),
    "signed": ((lambda gradients, b1, b2: signed(gradients, b1, b2),), "with-its-sign"),
    "minus": ((lambda gradients, b1, b2: -signed(gradients, b1, b2),), "sign-of-the-step"),
    "over v": ((over_v,), "divided-by-v"),
    "squared": ((lambda gradients, b1, b2: steps(gradients, b1, b2) ** 2,), ""),
}
