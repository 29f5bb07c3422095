"""Another right answer to con-2."""


def stopped_by_excess(a, c, b, lam):
    """How far beyond the bound: what is left of the pull."""
    return min(c, b) + a * max(c - b, 0.0) / (a + lam)


OTHER = (stopped_by_excess,)
