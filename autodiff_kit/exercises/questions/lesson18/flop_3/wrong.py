"""Wrong answers to flop-3, each with the misconception that it must be told; an empty name asks for the plain message."""


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


def five_cheapest(record):
    return added(record, lambda product, followed: product * (1 + followed))[::-1][:5]


WRONG = {
    "once": ((once,), "counts-lines-once"),
    "forward": ((lambda r: added(r, lambda product, followed: product)[:5],), "forward-only"),
    "upwards": ((lambda r: right(r)[::-1],), "cheapest-first"),
    "always two": ((lambda r: added(r, lambda product, followed: 3 * product)[:5],), "every-product-twice"),
    "the dearest entries": ((line_by_line,), "lines-not-merged"),
    "all lines": ((lambda r: added(r, lambda product, followed: product * (1 + followed)),), "not-cut-to-five"),
    "backward": ((lambda r: added(r, lambda product, followed: product * followed)[:5],), "backward-only"),
    "mkn": ((lambda r: [(line, one // 2) for line, one in right(r)],), "multiplications-only"),
    "the five cheapest": ((five_cheapest,), "the-five-cheapest"),
    "four": ((lambda r: right(r)[:4],), ""),
}
