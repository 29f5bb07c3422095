"""Another right answer to val-3."""

import numpy as np


def by_secants(method, F, dF, ys):
    """Secants in place of slopes, and a model with pairs of its own."""
    asked = []

    def count(x):
        asked.append(np.size(x))
        return F(x)

    if method == "model":
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


def cheapest_with_its_cost(table, n):
    return min((once + n * later, method) for method, (once, later) in table.items())[1]


def a_list_of_answers(method, F, dF, ys):
    xs, once, later = by_secants(method, F, dF, ys)
    return [float(x) for x in xs], once, later


OTHER = (
    a_list_of_answers,
    cheapest_with_its_cost,
)
