"""Another right answer to grow-1."""

import autodiff_kit as ak


def track_with_the_sum_on_tape(w, xs):
    """The total is added on each tape; what was before counts as a number there."""
    v, total, slope = ak.Variable(w), ak.constant(0.0), 0.0
    for x in xs:
        with ak.GradientTape() as tape:
            total = total + ak.mean((v * x - 2.0) ** 2)
        slope = slope + tape.gradient(total, v).numpy()
    return total.numpy(), slope


OTHER = (track_with_the_sum_on_tape,)
