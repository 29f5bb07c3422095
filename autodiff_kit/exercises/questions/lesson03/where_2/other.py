"""Another right answer to where-2."""


def branches_by_thought(p, a, b):
    by_cond = (2 * a, None, None) if p > 0 else (None, 3 * b**2, None)
    return list(by_cond), [0.0 if g is None else g for g in by_cond[:2]] + [None]


OTHER = (branches_by_thought,)
