"""Other right answers to lesson 06's questions."""

import numpy as np

import autodiff_kit as ak


def by_logaddexp(z):
    return np.exp(-np.logaddexp(0, -z))


def stairs_at_once(x, s, K):
    return by_logaddexp(s * (x[:, None] - np.arange(1, K + 1, dtype=x.dtype))).sum(-1)


def earlier(x, s, K, tol):
    c = 1.5 * np.log((1 - tol) / tol)
    return np.sum([0.5 + 0.5 * np.tanh((s * (x - k) + c) / 2) for k in range(1, K + 1)], axis=0)


def rule_of_tensors(x, s, K):
    def pull(g):
        total = 0.0
        for k in range(1, K + 1):
            half = np.tanh(s * (x - k) / 2)
            total = total + s * (1 - half * half) / 4
        return g * total

    return ak.constant(np.floor(x).clip(0, K)), pull


def spike_as_list(s):
    return [s / 4, 2 * np.log(3 + 2 * np.sqrt(2)) / s, 1]


def area_by_tanh(s, a, b, K):
    k = np.arange(1, K + 1)
    return np.sum(np.tanh(s * (b - k) / 2) - np.tanh(s * (a - k) / 2)) / 2


def linear_schedule(i, steps):
    return 1 + 19 * i / (steps - 1)


def counted_box(x, w):
    edges = np.arange(-20, 20)[:, None]
    above = np.clip(x + w / 2 - edges, 0, w) / w
    inside = (edges > x - w / 2) & (edges <= x + w / 2)
    return above.sum(0) - 21, inside.sum(0) / w


OTHER = {
    "floor-1": (
        by_logaddexp,
        stairs_at_once,
    ),
    "floor-2": (earlier,),
    "floor-3": (rule_of_tensors,),
    "floor-4": (
        spike_as_list,
        area_by_tanh,
    ),
    "floor-5": (linear_schedule,),
    "floor-6": (counted_box,),
}
