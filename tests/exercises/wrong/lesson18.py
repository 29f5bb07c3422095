"""Wrong solutions of lesson 18, each with the misconception that it must be told; an empty name asks for the plain message."""

from itertools import pairwise


def forward(dims, batch):
    return sum(2 * batch * p * q for p, q in pairwise(dims))


def bill(dims, batch, x_grad):
    ahead = forward(dims, batch)
    return ahead, 2 * ahead - (0 if x_grad else 2 * batch * dims[0] * dims[1])


def ahead_all_the_way(dims):
    return sum(dims[0] * a * b for a, b in pairwise(dims[1:]))


def back_all_the_way(dims):
    return ahead_all_the_way(dims[::-1])


def greedy(dims):
    dims, total = list(dims), 0
    while len(dims) > 2:
        i = min(range(1, len(dims) - 1), key=lambda i: dims[i - 1] * dims[i] * dims[i + 1])
        total += dims[i - 1] * dims[i] * dims[i + 1]
        dims.pop(i)
    return total


def best(dims):
    if len(dims) < 3:
        return 0
    return min(best(dims[: k + 1]) + best(dims[k:]) + dims[0] * dims[k] * dims[-1] for k in range(1, len(dims) - 1))


def added(record, price, once=False):
    sums = {}
    for line, m, k, n, followed in record:
        one = price(2 * m * k * n, followed)
        sums[line] = one if once else sums.get(line, 0) + one
    return sorted(sums.items(), key=lambda pair: -pair[1])


def right(record):
    return added(record, lambda product, followed: product * (1 + followed))[:5]


def once(record):
    return added(record, lambda product, followed: product * (1 + followed), once=True)[:5]


def line_by_line(record):
    """No sums at all: the five dearest entries."""
    each = [(line, 2 * m * k * n * (1 + followed)) for line, m, k, n, followed in record]
    return sorted(each, key=lambda pair: -pair[1])[:5]


WRONG = {
    "flop-1": {
        "always twice": ((lambda d, b, x: (forward(d, b), 2 * forward(d, b)),), "always-twice"),
        "never the input": ((lambda d, b, x: bill(d, b, False),), "input-gradient-never"),
        "multiplications": ((lambda d, b, x: tuple(one // 2 for one in bill(d, b, x)),), "multiplications-only"),
        "no batch": ((lambda d, b, x: bill(d, 1, x),), "forgets-the-batch"),
        "as much": ((lambda d, b, x: (forward(d, b),) * 2,), "backward-equals-forward"),
        "the other way round": ((lambda d, b, x: bill(d, b, x)[::-1],), ""),
        "the last layer spared": (
            (lambda d, b, x: (forward(d, b), 2 * forward(d, b) - (0 if x else 2 * b * d[-1] * d[-2])),),
            "",
        ),
    },
    "flop-2": {
        "forward": ((ahead_all_the_way,), "always-forward"),
        "reverse": ((back_all_the_way,), "always-reverse"),
        "better sweep": ((lambda d: min(ahead_all_the_way(d), back_all_the_way(d)),), "better-of-the-two-sweeps"),
        "greedy": ((greedy,), "greedy"),
        "twice": ((lambda d: 2 * best(d),), ""),
    },
    "flop-3": {
        "once": ((once,), "counts-lines-once"),
        "forward": ((lambda r: added(r, lambda product, followed: product)[:5],), "forward-only"),
        "upwards": ((lambda r: right(r)[::-1],), "cheapest-first"),
        "always two": ((lambda r: added(r, lambda product, followed: 3 * product)[:5],), "every-product-twice"),
        "the dearest entries": ((line_by_line,), ""),
        "all lines": ((lambda r: added(r, lambda product, followed: product * (1 + followed)),), ""),
    },
}
