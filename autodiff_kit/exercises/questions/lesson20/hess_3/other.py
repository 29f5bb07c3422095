"""Another right answer to hess-3."""

import autodiff_kit as ak


def moved_by_halves(grad, x, v, h):
    ahead, here, behind = grad(x + h * v), grad(x), grad(x - h * v)
    return ak.constant(0.5 * ((ahead - here) / h + (here - behind) / h))


OTHER = (moved_by_halves,)
