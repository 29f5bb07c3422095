"""Wrong answers to where-2, each with the misconception that it must be told; an empty name asks for the plain message."""

import autodiff_kit as ak


def tape_says(p, a, b, unconnected="none"):
    p, a, b = ak.Variable(p), ak.Variable(a), ak.Variable(b)
    with ak.GradientTape(persistent=True) as tape:
        ways = (ak.cond(p > 0, lambda: a**2, lambda: b**3), ak.where(p > 0, a**2, b**3))
    return [list(tape.gradient(y, [a, b, p], unconnected_gradients=unconnected)) for y in ways]


def no_zero_left(p, a, b):
    return [[None if g is not None and float(g) == 0 else g for g in way] for way in tape_says(p, a, b)]


def zero_for_the_branch(p, a, b):
    by_cond, by_where = tape_says(p, a, b)
    return [0.0 if g is None else g for g in by_cond[:2]] + [None], by_where


def slope_of_p(p, a, b):
    return [[*way[:2], 0.0] for way in tape_says(p, a, b)]


def truthy(p, a, b):
    chosen, other = (0, 1) if p else (1, 0)
    one = [None, None, None]
    one[chosen] = (2 * a, 3 * b**2)[chosen]
    both = list(one)
    both[other] = 0.0
    return one, both


def both_run(p, a, b):
    return [2 * a, 3 * b**2, None], tape_says(p, a, b)[1]


def two_ideas(p, a, b):
    by_cond, by_where = tape_says(p, a, b)
    return [*by_cond[:2], 0.0], [None if g is not None and float(g) == 0 else g for g in by_where[:2]] + [0.0]


WRONG = {
    "0 for the branch": ((zero_for_the_branch,), "zero-for-the-branch-not-run"),
    "None by where": ((no_zero_left,), "where-gives-None"),
    "0 for p": ((slope_of_p,), "gradient-of-the-condition"),
    "all zeros": ((lambda p, a, b: tape_says(p, a, b, "zero"),), "zero-for-None"),
    "p, not p > 0": ((truthy,), "other-branch"),
    "the other way round": ((lambda p, a, b: tape_says(p, a, b)[::-1],), "ways-swapped"),
    "both slopes with cond": ((both_run,), "both-sides-run"),
    "0 for p, and None by where": ((two_ideas,), ""),
    "wrong power": ((lambda p, a, b: tape_says(p, 2 * a, b),), ""),
}
