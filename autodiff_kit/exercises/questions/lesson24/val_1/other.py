"""Another right answer to val-1."""

import numpy as np

import autodiff_kit as ak


def probes_as_one_product(F, x, sigma, E):
    up, down = (np.array([F(x + way * e) for e in E]) for way in (sigma, -sigma))
    return ak.constant((up - down) @ E / (2 * sigma * len(E)))


OTHER = (probes_as_one_product,)
