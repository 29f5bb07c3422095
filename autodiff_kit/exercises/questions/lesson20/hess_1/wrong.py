"""Wrong answers to hess-1, each with the misconception that it must be told; an empty name asks for the plain message."""

import numpy as np

import autodiff_kit as ak


def columns(kit, grad, x):
    return np.stack([np.asarray(kit.jvp(grad, x, e)[1]) for e in np.eye(len(x))], axis=1)


def slope_along(kit, grad, x, v):
    return float(np.asarray(grad(x)) @ v)


def by_differences(kit, grad, x, v):
    return (np.asarray(grad(x + 1e-5 * v)) - np.asarray(grad(x - 1e-5 * v))) / 2e-5


def both_ways(kit, grad, x, v):
    _, pull = kit.vjp(grad, x)
    return (np.asarray(kit.jvp(grad, x, v)[1]) + np.asarray(pull(v))) / 2


def by_another_kit(kit, grad, x, v):
    return np.stack([np.asarray(ak.jvp(grad, (x,), (e,))[1]) for e in np.eye(len(x))], axis=1) @ v


WRONG = {
    "Hessian first, by another kit": ((by_another_kit,), "hessian-first"),
    "gradient times v": ((slope_along,), "gradient-times-v"),
    "v·Hv": ((lambda kit, grad, x, v: float(np.asarray(kit.jvp(grad, x, v)[1]) @ v),), "multiplied-by-v-again"),
    "the sum of Hv": ((lambda kit, grad, x, v: float(np.asarray(kit.jvp(grad, x, v)[1]).sum()),), ""),
    "Hessian first": ((lambda kit, grad, x, v: columns(kit, grad, x) @ v,), "hessian-first"),
    "gradient times v, entry by entry": ((lambda kit, grad, x, v: np.asarray(grad(x)) * v,), "gradient-by-entries"),
    "differences": ((by_differences,), "differences"),
    "push and pull": ((both_ways,), ""),
    "the push's value": ((lambda kit, grad, x, v: kit.jvp(grad, x, v)[0],), "gradient-itself"),
}
