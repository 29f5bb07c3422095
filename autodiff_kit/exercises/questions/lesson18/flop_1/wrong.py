"""Wrong answers to flop-1, each with the misconception that it must be told; an empty name asks for the plain message."""

from itertools import pairwise


def forward(dims, batch):
    return sum(2 * batch * p * q for p, q in pairwise(dims))


def both_passes(dims, batch, x_grad):
    ahead = forward(dims, batch)
    return ahead, 2 * ahead - (0 if x_grad else 2 * batch * dims[0] * dims[1])


def exact(m, k, n):
    return m * n * (2 * k - 1)


def one_addition_fewer(dims, batch, x_grad):
    ahead = back = 0
    for i, (p, q) in enumerate(pairwise(dims)):
        ahead += exact(batch, p, q)
        back += exact(p, batch, q) + (exact(batch, q, p) if i or x_grad else 0)
    return ahead, back


def twice_one_addition_fewer(dims, batch, x_grad):
    ahead = sum(exact(batch, p, q) for p, q in pairwise(dims))
    return ahead, 2 * ahead - (0 if x_grad else exact(batch, dims[0], dims[1]))


WRONG = {
    "always twice": ((lambda d, b, x: (forward(d, b), 2 * forward(d, b)),), "always-twice"),
    "never the input": ((lambda d, b, x: both_passes(d, b, False),), "input-gradient-never"),
    "multiplications": ((lambda d, b, x: tuple(one // 2 for one in both_passes(d, b, x)),), "multiplications-only"),
    "no batch": ((lambda d, b, x: both_passes(d, 1, x),), "forgets-the-batch"),
    "weights, and the input": (
        (lambda d, b, x: (forward(d, b), forward(d, b) + (2 * b * d[0] * d[1] if x else 0)),),
        "hidden-inputs-forgotten",
    ),
    "as much": ((lambda d, b, x: (forward(d, b),) * 2,), "backward-equals-forward"),
    "the other way round": ((lambda d, b, x: both_passes(d, b, x)[::-1],), "swapped"),
    "first layer free": (
        (lambda d, b, x: (forward(d, b), 2 * forward(d, b) - (1 if x else 2) * 2 * b * d[0] * d[1]),),
        "first-layer-is-free",
    ),
    "both passes": ((lambda d, b, x: (forward(d, b), sum(both_passes(d, b, x))),), "backward-with-forward"),
    "k - 1 additions": ((one_addition_fewer,), "one-addition-fewer"),
    "k - 1 additions, twice": ((twice_one_addition_fewer,), "one-addition-fewer-twice"),
    "both, three times": ((lambda d, b, x: tuple(3 * one for one in both_passes(d, b, x)),), ""),
    "the last layer spared": (
        (lambda d, b, x: (forward(d, b), 2 * forward(d, b) - (0 if x else 2 * b * d[-1] * d[-2])),),
        "last-layer-spared",
    ),
}
