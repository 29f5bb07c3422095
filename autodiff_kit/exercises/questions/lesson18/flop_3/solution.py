"""Add up by line, then sort."""


def dearest(record):
    sums = {}
    for line, m, k, n, followed in record:
        sums[line] = sums.get(line, 0) + 2 * m * k * n * (1 + followed)
    return sorted(sums.items(), key=lambda pair: -pair[1])[:5]
