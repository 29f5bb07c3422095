"""Other right answers to lesson 20's questions."""

import numpy as np

import autodiff_kit as ak


def product_by_symmetry(kit, grad, x, v):
    _, pull = kit.vjp(grad, x)
    return pull(v)


def probed_one_by_one(hvp, V):
    n, quadratics, square = len(V), [], 0.0
    for v in V:
        moved = np.asarray(hvp(v))
        quadratics.append(float(np.dot(v, moved)))
        square += float(np.linalg.norm(moved)) ** 2
    trace = sum(quadratics) / n
    spread = sum((q - trace) ** 2 for q in quadratics) / (n - 1)
    return [trace, (square / n) ** 0.5, (spread / n) ** 0.5]


def moved_by_halves(grad, x, v, h):
    ahead, here, behind = grad(x + h * v), grad(x), grad(x - h * v)
    return ak.constant(0.5 * ((ahead - here) / h + (here - behind) / h))


OTHER = {
    "hess-1": (product_by_symmetry,),
    "hess-2": (probed_one_by_one,),
    "hess-3": (moved_by_halves,),
}
