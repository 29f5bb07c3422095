"""The slope of the sum is 0: a(w − c) + lam(w − b) = 0 beyond the bound, w = c within it."""


def penalised(a, c, b, lam):
    return (a * c + lam * b) / (a + lam) if c > b else c
