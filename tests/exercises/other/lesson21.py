"""Other right answers to lesson 21's questions."""

import numpy as np

import autodiff_kit as ak


def by_brackets_of_any_size(F, dF, y):
    """Halving first, Newton for the last digits; a list of a tensor and an array."""
    width = 1.0
    while not F(-width) <= y <= F(width):
        width *= 3
    low, high = -width, width
    for _ in range(20):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if F(middle) > y else (middle, high)
    x = ak.constant(0.5 * (low + high))
    for _ in range(4):
        x = x - (F(float(x)) - y) / dF(float(x))
    return [x, np.array(1 / dF(float(x)))]


def a_smooth_fit(y, x):
    """A smooth fit that gives an array of one, and trust as a whole number."""
    fit = np.polynomial.Polynomial.fit(y, x, 15)
    low, high = np.quantile(y, [0.0, 1.0])
    return (lambda q: np.array([fit(q)])), (lambda q: int(low - 0.01 < q < high + 0.01))


def probes_as_one_product(F, x, sigma, E):
    up, down = (np.array([F(x + way * e) for e in E]) for way in (sigma, -sigma))
    return ak.constant((up - down) @ E / (2 * sigma * len(E)))


def roads_by_secants(road, F, dF, ys):
    """Secants in place of slopes, and a model with pairs of its own."""
    asked = []

    def count(x):
        asked.append(np.size(x))
        return F(x)

    if road == "model":
        pairs = [(count(x), x) for x in np.linspace(-1, 1, 60).tolist()]
        model = np.polynomial.Polynomial.fit(*zip(*pairs, strict=True), 15)
        return model(ys), sum(asked), 0
    answers = []
    for y in ys:
        before, now = 0.0, 0.5
        f = count(before) - y
        for _ in range(40):
            g = count(now) - y
            if g == f:
                break
            before, now, f = now, now - g * (now - before) / (g - f), g
        answers.append(now)
    return np.array(answers), 0, sum(asked)


def cheapest_with_its_bill(table, n):
    return min((once + n * later, road) for road, (once, later) in table.items())[1]


OTHER = {
    "inv-1": (by_brackets_of_any_size,),
    "inv-2": (a_smooth_fit,),
    "inv-3": (probes_as_one_product,),
    "inv-4": (
        roads_by_secants,
        cheapest_with_its_bill,
    ),
}
