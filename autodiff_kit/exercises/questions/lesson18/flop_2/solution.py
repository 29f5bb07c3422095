"""The best of a part is the best cut of it, and short parts come first."""


def cheapest(dims):
    last = len(dims) - 1
    best = {(i, i + 1): 0 for i in range(last)}
    for length in range(2, last + 1):
        for i in range(last - length + 1):
            j = i + length
            best[i, j] = min(best[i, k] + best[k, j] + dims[i] * dims[k] * dims[j] for k in range(i + 1, j))
    return best[0, last]
