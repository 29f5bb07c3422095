"""Another right answer to grow-2."""


def recursive_blocks(fs, slopes, x, k, store):
    """A block's way back as a function of its own; the last value needs no place in the store."""
    n = len(fs)
    store.put(0, x)
    y = x
    for i, f in enumerate(fs[:-1], start=1):
        y = f(y)
        if i % k == 0:
            store.put(i, y)

    def back(low, slope):
        high = min(n, low + k)
        for i in range(low + 1, high):
            store.put(i, fs[i - 1](store.get(i - 1)))
        for i in range(high - 1, low - 1, -1):
            slope = slope * slopes[i](store.get(i))
            store.drop(i)
        return slope if low == 0 else back(low - k, slope)

    return back((n - 1) // k * k, 1.0)


OTHER = (recursive_blocks,)
