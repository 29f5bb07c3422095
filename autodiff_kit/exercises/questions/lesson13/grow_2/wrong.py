"""Wrong answers to grow-2, each with the misconception that it must be told; an empty name asks for the plain message."""


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


def forward_pass(fs, x, k, store):
    """Run all layers, and store the input of every k-th one."""
    y = x
    for i, f in enumerate(fs):
        if i % k == 0:
            store.put(i, y)
        y = f(y)


def marked(fs, slopes, x, k, store, drop=True):
    n, slope = len(fs), 1.0
    forward_pass(fs, x, k, store)
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
    """Forward mode: one pass, nothing held."""
    y, slope = x, 1.0
    for f, s in zip(fs, slopes):
        slope *= s(y)
        y = f(y)
    return slope


def restarted(fs, slopes, x, k, store):
    """Each input of a block is computed again from the block's checkpoint."""
    slope = 1.0
    forward_pass(fs, x, k, store)
    for i in reversed(range(len(fs))):
        y = store.get(i - i % k)
        for j in range(i - i % k, i):
            y = fs[j](y)
        slope *= slopes[i](y)
        if i % k == 0:
            store.drop(i)
    return slope


def at_checkpoints(fs, slopes, x, k, store):
    slope = 1.0
    forward_pass(fs, x, k, store)
    for i in reversed(range(len(fs))):
        slope *= slopes[i](store.get(i - i % k))
    return slope


def at_x(fs, slopes, x, k, store):
    slope = 1.0
    for s in slopes:
        slope *= s(x)
    return slope


WRONG = {
    "keeps all": ((keeps_all,), "keeps-every-value"),
    "keeps none": ((keeps_none,), "recomputes-from-the-start"),
    "no drop": ((lambda *a: marked(*a, drop=False),), "never-drops"),
    "slope at the output": ((on_the_way,), "slope-at-the-output"),
    "values in a list": ((in_a_list,), "held-elsewhere"),
    "forward mode": ((forwards,), "forward-order"),
    "restarts in the block": ((restarted,), "restarts-for-each-layer"),
    "slopes at the checkpoint": ((at_checkpoints,), "slope-at-the-checkpoint"),
    "all slopes at x": ((at_x,), "slope-at-x"),
    "minus": ((lambda *a: -marked(*a),), ""),
}
