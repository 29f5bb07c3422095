"""Another right answer to val-2."""


def counted(n, error):
    k = 1
    while ((n - 1) / k) ** 0.5 > error:
        k += 1
    return k


OTHER = (counted,)
