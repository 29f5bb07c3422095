"""By copy: nobody else can write into what the pull will read."""


def square(x):
    held = x.copy()
    return x**2, lambda g: 2 * held * g
