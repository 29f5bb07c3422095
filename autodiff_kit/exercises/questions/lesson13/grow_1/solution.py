"""A tape for each row; what is kept of it is two numbers."""

import autodiff_kit as ak


def track(w, xs):
    v, total, slope = ak.Variable(w), 0.0, 0.0
    for x in xs:
        with ak.GradientTape() as tape:
            loss = ak.mean((v * x - 2.0) ** 2)
        slope += float(tape.gradient(loss, v))
        total += float(loss)
    return total, slope
