"""Other right answers to lesson 03's questions."""

import numpy as np

import autodiff_kit as ak


def root_of_something_tiny(name, x):
    return ak.where(x > 0, getattr(ak, name)(ak.maximum(x, 1e-12)), 0.0)


def branches_by_thought(p, a, b):
    by_cond = (2 * a, None, None) if p > 0 else (None, 3 * b**2, None)
    return list(by_cond), [0.0 if g is None else g for g in by_cond[:2]] + [None]


def xlogy_out(x, y):
    log = np.log(y, out=np.zeros_like(y), where=y > 0)
    return x * log, lambda g: [g * log, np.divide(g * x, y, out=np.zeros_like(y), where=y > 0)]


OTHER = {
    "where-1": (root_of_something_tiny,),
    "where-2": (branches_by_thought,),
    "where-3": (xlogy_out,),
}
