"""Both numbers move at once: each new one is made of the old ones."""


def newton_root(a, n):
    x, d = 1.0, 0.0
    for _ in range(n):
        x, d = 0.5 * (x + a / x), 0.5 * (d + 1 / x - a * d / x**2)
    return x, d
