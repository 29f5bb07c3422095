"""From soft enough to be felt to sharp enough to be trusted, by the same factor every step."""


def schedule(i, steps):
    return 1.0 * 20 ** (i / (steps - 1))
