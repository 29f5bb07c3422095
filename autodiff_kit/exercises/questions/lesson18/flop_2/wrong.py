"""Wrong answers to flop-2, each with the misconception that it must be told; an empty name asks for the plain message."""

from itertools import pairwise


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


def one_cut(dims):
    found = []
    for k in range(1, len(dims) - 1):
        near, far = dims[: k + 1], dims[k:]
        found.append(ahead_all_the_way(near) + back_all_the_way(far) + near[0] * near[-1] * far[-1])
    return min(found)


def best(dims):
    if len(dims) < 3:
        return 0
    return min(best(dims[: k + 1]) + best(dims[k:]) + dims[0] * dims[k] * dims[-1] for k in range(1, len(dims) - 1))


WRONG = {
    "forward": ((ahead_all_the_way,), "always-forward"),
    "reverse": ((back_all_the_way,), "always-reverse"),
    "better sweep": ((lambda d: min(ahead_all_the_way(d), back_all_the_way(d)),), "better-of-the-two-sweeps"),
    "greedy": ((greedy,), "greedy"),
    "one cut": ((one_cut,), "one-cut"),
    "twice": ((lambda d: 2 * best(d),), "counts-additions"),
    "one more": ((lambda d: best(d) + 1,), ""),
}
