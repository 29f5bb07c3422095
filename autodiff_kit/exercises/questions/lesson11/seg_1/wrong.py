"""Wrong answers to seg-1, each with the misconception that it must be told; an empty name asks for the plain message."""

import numpy as np


def count(ids, c):
    return np.bincount(ids, minlength=c)[:, None]


def added(h, ids, c):
    out = np.zeros((c, h.shape[1]))
    np.add.at(out, ids, h)
    return out


def right(h, ids, c, checked=True):
    if checked and not 0 <= ids.min() <= ids.max() < c:
        raise IndexError("an id out of range")
    n = np.maximum(count(ids, c), 1)
    return added(h, ids, c) / n, lambda g: (g / n)[ids]


def with_mean(mean):
    return lambda h, ids, c: (mean(h, ids, c), right(h, ids, c)[1])


def with_pull(pull):
    return lambda h, ids, c: (right(h, ids, c)[0], lambda g: pull(g, ids))


def naive(h, ids, c):
    pull = right(h, ids, c)[1]
    return added(h, ids, c) / count(ids, c), pull


def naive_quiet(h, ids, c):
    with np.errstate(all="ignore"):
        return naive(h, ids, c)


def repaired(h, ids, c):
    pull = right(h, ids, c)[1]
    return np.nan_to_num(added(h, ids, c) / count(ids, c)), pull


def c_from_the_ids(h, ids, c):
    right(h, ids, c)
    return right(h, ids, ids.max() + 1)


def last_row(h, ids, c):
    right(h, ids, c)
    out = np.zeros((c, h.shape[1]))
    out[ids] = h
    return out, lambda g: g


def fancy_addition(h, ids, c):
    right(h, ids, c)
    out = np.zeros((c, h.shape[1]))
    out[ids] += h
    return out / np.maximum(count(ids, c), 1), lambda g: g[ids]


def divides_by_none(h, ids, c):
    mean, _ = right(h, ids, c)
    return mean, lambda g: (g / count(ids, c))[ids]


def clipped(h, ids, c):
    return right(h, np.clip(ids, 0, c - 1), c)


def from_the_end(h, ids, c):
    if ids.max() >= c:
        raise IndexError("an id out of range")
    return right(h, ids % c, c)


WRONG = {
    "0/0": ((naive,), "empty-segment-0/0"),
    "0/0, warnings off": ((naive_quiet,), "empty-segment-0/0"),
    "0/0, nan replaced afterwards": ((repaired,), "empty-segment-0/0"),
    "c from the ids": ((c_from_the_ids,), "loses-the-last-empty-segment"),
    "out[ids] = h": ((last_row,), "last-row-wins"),
    "out[ids] += h": ((fancy_addition,), "repeated-ids-added-once"),
    "sum": ((with_mean(added),), "sum-not-mean"),
    "/N": ((with_mean(lambda h, ids, c: added(h, ids, c) / len(ids)),), "divides-by-all-rows"),
    "pull without count": ((with_pull(lambda g, ids: g[ids]),), "pull-forgets-the-count"),
    "pull / N": ((with_pull(lambda g, ids: g[ids] / len(ids)),), "pull-divides-by-all-rows"),
    "pull / 0": ((divides_by_none,), "pull-divides-by-none"),
    "ids clipped": ((clipped,), "id-out-of-range-accepted"),
    "no look at the ids": ((lambda h, ids, c: right(h, ids, c, checked=False),), "another-error"),
    "ids clipped above": ((lambda h, ids, c: right(h, np.minimum(ids, c - 1), c),), "id-out-of-range-accepted"),
    "from the end": ((from_the_end,), "negative-id-accepted"),
    "mean + 1": ((with_mean(lambda h, ids, c: right(h, ids, c)[0] + 1),), ""),
}
