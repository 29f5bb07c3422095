"""Wrong solutions of lesson 13, each with the misconception that it must be told; an empty name asks for the plain message."""

import math

import autodiff_kit as ak

KEPT = []


def loss_of(v, x):
    return ak.mean((v * x - 2.0) ** 2)


def one_tape(w, xs, add=lambda loss: loss):
    v, total = ak.Variable(w), 0.0
    with ak.GradientTape() as tape:
        for x in xs:
            total = total + add(loss_of(v, x))
    return float(total), float(tape.gradient(total, v))


def floats_on_one_tape(w, xs):
    v = ak.Variable(w)
    with ak.GradientTape() as tape:
        losses = [loss_of(v, x) for x in xs]
    return sum(float(loss) for loss in losses), float(tape.gradient(losses, v))


def each(w, xs, keep):
    v, total, slope = ak.Variable(w), 0.0, 0.0
    KEPT.clear()
    for x in xs:
        with ak.GradientTape() as tape:
            loss = loss_of(v, x)
        slope += float(tape.gradient(loss, v))
        total += float(loss)
        KEPT.append(keep(loss, tape))
    return total, slope


def list_of_losses(w, xs):
    v, losses, slope = ak.Variable(w), [], 0.0
    for x in xs:
        with ak.GradientTape() as tape:
            losses.append(loss_of(v, x))
        slope += float(tape.gradient(losses[-1], v))
    return float(sum(losses)), slope


def last(w, xs):
    return one_tape(w, xs[-1:])


def by_hand(w, xs):
    return ((w * xs - 2) ** 2).mean(1).sum(), (2 * (w * xs - 2) * xs).mean(1).sum()


def mean(w, xs):
    total, slope = each(w, xs, lambda *_: None)
    return total / len(xs), slope / len(xs)


def keeps_all(fs, slopes, x, k, store):
    y, slope = x, 1.0
    for i, f in enumerate(fs):
        store.put(i, y)
        y = f(y)
    for i in reversed(range(len(fs))):
        slope *= slopes[i](store.get(i))
        store.drop(i)
    return slope


def keeps_none(fs, slopes, x, k, store):
    slope = 1.0
    store.put(0, x)
    for i in reversed(range(len(fs))):
        y = store.get(0)
        for j in range(i):
            y = fs[j](y)
        slope *= slopes[i](y)
    return slope


def marked(fs, slopes, x, k, store, drop=True, at=0):
    n, y, slope = len(fs), x, 1.0
    for i in range(n):
        if i % k == 0:
            store.put(i, y)
        y = fs[i](y)
    for lo in reversed(range(0, n, k)):
        hi = min(n, lo + k)
        y = store.get(lo)
        for i in range(lo, hi - 1):
            y = fs[i](y)
            store.put(i + 1, y)
        for i in reversed(range(lo, hi)):
            slope *= slopes[i](store.get(i))
            if drop:
                store.drop(i)
    return slope


def on_the_way(fs, slopes, x, k, store):
    y, slope = x, 1.0
    for f, s in zip(fs, slopes):
        y = f(y)
        slope *= s(y)
    store.put(0, x)
    return slope


def in_a_list(fs, slopes, x, k, store):
    values, slope = [x], 1.0
    for f in fs:
        values.append(f(values[-1]))
    for s, y in zip(reversed(slopes), reversed(values[:-1])):
        slope *= s(y)
    return slope


def forwards(fs, slopes, x, k, store):
    """Forward mode: one pass, nothing held; it is asked for the way back."""
    y, slope = x, 1.0
    for f, s in zip(fs, slopes):
        slope *= s(y)
        y = f(y)
    return -slope


WORK = {"+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b, "sin": math.sin}


def dis(e, commute="+*", fold=True):
    seen = {}

    def key(part):
        if not isinstance(part, tuple):
            return part
        op, *keys = part[0], *map(key, part[1:])
        if fold and all(isinstance(one, int | float) for one in keys):
            return WORK[op](*keys)
        keys = sorted(keys, key=repr) if op in commute else keys
        return ("node", seen.setdefault((op, *keys), len(seen)))

    key(e)
    return len(seen)


def places(e):
    if not isinstance(e, tuple) or all(isinstance(one, int | float) for one in e[1:]):
        return 0
    return 1 + sum(places(one) for one in e[1:])


WRONG = {
    "grow-1": {
        "total + loss": ((one_tape,), "sum-carries-the-record"),
        "a list on one tape": ((floats_on_one_tape,), "sum-carries-the-record"),
        "list of losses": ((list_of_losses,), "list-holds-the-nodes"),
        "kept losses": ((lambda w, xs: each(w, xs, lambda loss, tape: loss),), "list-holds-the-nodes"),
        "kept tapes": ((lambda w, xs: each(w, xs, lambda loss, tape: tape),), "list-holds-the-nodes"),
        "last": ((last,), "keeps-only-the-last"),
        "mean": ((mean,), ""),
        "by hand": ((by_hand,), ""),
    },
    "grow-2": {
        "keeps all": ((keeps_all,), "keeps-every-value"),
        "keeps none": ((keeps_none,), "recomputes-from-the-start"),
        "no drop": ((lambda *a: marked(*a, drop=False),), "never-drops"),
        "slope at the output": ((on_the_way,), "slope-at-the-output"),
        "values in a list": ((in_a_list,), "held-elsewhere"),
        "minus": ((forwards,), ""),
    },
    "grow-3": {
        "sorts all": ((lambda e: dis(e, commute="+*-"),), "order-blind"),
        "occurrences": ((places,), "counts-occurrences"),
        "no commuting": ((lambda e: dis(e, commute=""),), "misses-commuted"),
        "no folding": ((lambda e: dis(e, fold=False),), "constant-is-a-node"),
        "one more": ((lambda e: dis(e) + 1,), ""),
    },
}
