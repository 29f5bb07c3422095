"""cond records the branch that it runs; where records both; no path leads through the condition."""

import autodiff_kit as ak


def branches(p, a, b):
    p, a, b = ak.Variable(p), ak.Variable(a), ak.Variable(b)
    with ak.GradientTape(persistent=True) as tape:
        by_cond = ak.cond(p > 0, lambda: a**2, lambda: b**3)
        by_where = ak.where(p > 0, a**2, b**3)
    return tuple(tuple(tape.gradient(y, [a, b, p])) for y in (by_cond, by_where))
