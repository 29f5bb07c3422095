"""Wrong solutions of lesson 11, each with the misconception that it must be told; an empty name asks for the plain message."""

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


def c_from_the_ids(h, ids, c):
    right(h, ids, c)
    return right(h, ids, ids.max() + 1)


def last_row(h, ids, c):
    right(h, ids, c)
    out = np.zeros((c, h.shape[1]))
    out[ids] = h
    return out, lambda g: g


def divides_by_none(h, ids, c):
    mean, _ = right(h, ids, c)
    return mean, lambda g: (g / count(ids, c))[ids]


def clipped(h, ids, c):
    return right(h, np.clip(ids, 0, c - 1), c)


def from_the_end(h, ids, c):
    if ids.max() >= c:
        raise IndexError("an id out of range")
    return right(h, ids % c, c)


def soft(s, ids, c, level):
    e = np.exp(s - level)
    return e / np.bincount(ids, e, c)[ids]


def quiet(f):
    def silent(*args):
        with np.errstate(all="ignore"):
            return f(*args)

    return silent


def everything(s, ids, c):
    e = np.exp(s - s.max())
    return e / e.sum()


def not_divided(s, ids, c):
    return np.exp(s - s.max())


def own_level(s, ids, c):
    most = np.full(c, -np.inf)
    np.maximum.at(most, ids, s)
    return most[ids]


class Means:
    """Right, unless a subclass says otherwise."""

    def __init__(self, c):
        self.c, self.seen, self.means = c, np.zeros(c), 0.0

    def update(self, h, ids):
        self.ids, self.rows = ids, np.bincount(ids, minlength=self.c)
        self.means = self.next(h, ids)
        return self.means

    def next(self, h, ids):
        before, self.seen = self.seen, self.seen + self.rows
        return (before[:, None] * self.means + added(h, ids, self.c)) / np.maximum(self.seen, 1)[:, None]

    def pull(self, g):
        return (g / np.maximum(self.seen, 1)[:, None])[self.ids]


class Resets(Means):
    def update(self, h, ids):
        return np.where((np.bincount(ids, minlength=self.c) > 0)[:, None], super().update(h, ids), 0.0)


class ResetsForGood(Means):
    def next(self, h, ids):
        return np.where(self.rows[:, None] > 0, super().next(h, ids), 0.0)


class Equally(Means):
    def next(self, h, ids):
        self.times = getattr(self, "times", np.zeros(self.c)) + (self.rows > 0)
        batch = added(h, ids, self.c) / np.maximum(self.rows, 1)[:, None]
        self.seen = self.seen + self.rows
        moved = self.means + (batch - self.means) / np.maximum(self.times, 1)[:, None]
        return np.where(self.rows[:, None] > 0, moved, self.means)


class BatchOnly(Means):
    def next(self, h, ids):
        self.seen = self.seen + self.rows
        batch = added(h, ids, self.c) / np.maximum(self.rows, 1)[:, None]
        return np.where(self.rows[:, None] > 0, batch, self.means)


class LatePull(Means):
    def pull(self, g):
        return (g / np.maximum(self.rows, 1)[:, None])[self.ids]


class PlainPull(Means):
    def pull(self, g):
        return g[self.ids]


class NoGuard(Means):
    def next(self, h, ids):
        before, self.seen = self.seen, self.seen + self.rows
        return (before[:, None] * self.means + added(h, ids, self.c)) / self.seen[:, None]


class Momentum(Means):
    def next(self, h, ids):
        self.seen = self.seen + self.rows
        batch = added(h, ids, self.c) / np.maximum(self.rows, 1)[:, None]
        return np.where(self.rows[:, None] > 0, 0.5 * self.means + 0.5 * batch, self.means)


def of(kind):
    def made(c):
        means = kind(c)
        return means.update, means.pull

    return made


WRONG = {
    "seg-1": {
        "0/0": ((naive,), "empty-segment-0/0"),
        "0/0, warnings off": ((naive_quiet,), "empty-segment-0/0"),
        "c from the ids": ((c_from_the_ids,), "loses-the-last-empty-segment"),
        "out[ids] = h": ((last_row,), "last-row-wins"),
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
    },
    "seg-2": {
        "global": ((everything,), "softmax-over-everything"),
        "no max": ((lambda s, ids, c: soft(s, ids, c, 0.0),), "overflows"),
        "no max, warnings off": ((quiet(lambda s, ids, c: soft(s, ids, c, 0.0)),), "overflows"),
        "one max": ((lambda s, ids, c: soft(s, ids, c, s.max()),), "one-maximum-for-all"),
        "one max, warnings off": ((quiet(lambda s, ids, c: soft(s, ids, c, s.max())),), "one-maximum-for-all"),
        "not divided": ((not_divided,), "not-yet-divided"),
        "divided by the count": ((lambda s, ids, c: np.exp(s - own_level(s, ids, c)) / np.bincount(ids)[ids],), ""),
    },
    "seg-3": {
        "reset": ((of(ResetsForGood),), "absent-class-reset"),
        "shown as 0": ((of(Resets),), "absent-class-reset"),
        "batches equal": ((of(Equally),), "weights-batches-equally"),
        "last batch only": ((of(BatchOnly),), "forgets-the-past"),
        "pull by batch count": ((of(LatePull),), "gradient-of-the-batch-mean"),
        "pull without count": ((of(PlainPull),), "pull-forgets-the-count"),
        "no guard": ((of(NoGuard),), "class-never-seen-0/0"),
        "fading": ((of(Momentum),), ""),
    },
}
