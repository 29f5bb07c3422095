"""One persistent tape; it is released when the three answers are there."""

import autodiff_kit as ak


def three(x):
    x = ak.Variable(x)
    with ak.GradientTape(persistent=True) as tape:
        y = x**2
        z = y**2
    answers = tape.gradient(z, x), tape.gradient(z, y), tape.gradient(y, x)
    del tape
    return answers
