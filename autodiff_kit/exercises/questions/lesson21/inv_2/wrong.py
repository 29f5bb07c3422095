"""Wrong answers to inv-2, each with the misconception that it must be told; an empty name asks for the plain message."""

import numpy as np


# ------------------------------------------------------------------------------------------------------------- inv-2
def lines(y, x):
    o = np.argsort(y)
    return lambda q: float(np.interp(q, y[o], x[o]))


def inside(y):
    return lambda q: bool(y.min() <= q <= y.max())


def a_line(y, x):
    c = np.polyfit(y, x, 1)
    return (lambda q: float(np.polyval(c, q))), inside(y)


def the_wrong_way(y, x):
    return lines(x, y), inside(y)


def unsorted(y, x):
    """As x grows, not as y does: np.interp does not say that its y are in no order."""
    return (lambda q: float(np.interp(q, y, x))), inside(y)


def sorted_alone(y, x):
    return (lambda q: float(np.interp(q, np.sort(y), x))), inside(y)


def a_fit_of_the_box(y, x):
    c = np.polyfit(x, y, 5)
    return (lambda q: float(np.polyval(c, q))), inside(y)


def trusts_where_it_is_promised(y, x):
    order = np.argsort(y)

    def M(q):
        return np.interp(q, y[order], x[order])

    return M, lambda q: abs(M(q)) <= 0.95


WRONG = {
    "trusted by the range of x": (
        (lambda y, x: (lines(y, x), lambda q: bool(x.min() <= q <= x.max())),),
        "trusts-the-range-of-x",
    ),
    "trusted above the middle": ((lambda y, x: (lines(y, x), lambda q: bool(0 <= q <= y.max())),), ""),
    "a fit from x to y": ((a_fit_of_the_box,), "goes-from-x-to-y"),
    "only y sorted": ((sorted_alone,), "pairs-out-of-order"),
    "trusted always": ((lambda y, x: (lines(y, x), lambda q: True),), "M-knows-everywhere"),
    "trusted never": ((lambda y, x: (lines(y, x), lambda q: False),), "trusts-nothing"),
    "a line": ((a_line,), "does-not-fit"),
    "F, not its inverse": ((the_wrong_way,), "goes-from-x-to-y"),
    "unsorted": ((unsorted,), "pairs-out-of-order"),
    "trusted up to 0.95": ((trusts_where_it_is_promised,), ""),
}
