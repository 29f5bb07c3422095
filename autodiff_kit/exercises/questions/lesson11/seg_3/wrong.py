"""Wrong answers to seg-3, each with the misconception that it must be told; an empty name asks for the plain message."""

import numpy as np


def added(h, ids, c):
    out = np.zeros((c, h.shape[1]))
    np.add.at(out, ids, h)
    return out


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


class Anew(Means):
    def next(self, h, ids):
        self.seen = self.seen + self.rows
        return added(h, ids, self.c) / np.maximum(self.rows, 1)[:, None]


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


def counts_ids_once(c):
    kept = {"sums": 0.0, "counts": np.zeros((c, 1))}

    def update(h, ids):
        sums = np.zeros((c, h.shape[1]))
        np.add.at(sums, ids, h)
        kept["sums"] = kept["sums"] + sums
        kept["counts"][ids] += 1
        kept["ids"] = ids
        return kept["sums"] / np.maximum(kept["counts"], 1)

    return update, lambda g: (g / np.maximum(kept["counts"], 1))[kept["ids"]]


WRONG = {
    "reset": ((of(ResetsForGood),), "absent-class-reset"),
    "shown as 0": ((of(Resets),), "absent-class-reset"),
    "batches equal": ((of(Equally),), "weights-batches-equally"),
    "last batch only": ((of(BatchOnly),), "forgets-the-past"),
    "nothing kept": ((of(Anew),), "starts-anew"),
    "pull by batch count": ((of(LatePull),), "gradient-of-the-batch-mean"),
    "pull without count": ((of(PlainPull),), "pull-forgets-the-count"),
    "no guard": ((of(NoGuard),), "class-never-seen-0/0"),
    "fading": ((of(Momentum),), ""),
    "counts[ids] += 1": ((counts_ids_once,), "repeated-ids-counted-once"),
}
