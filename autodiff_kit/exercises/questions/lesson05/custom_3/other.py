"""Another right answer to custom-3."""

from contextlib import ExitStack

import autodiff_kit as ak


def swapped_by_a_stack(op, rule, x):
    """One tape for both, two constants, and the block left by hand."""
    f, inner, outer = getattr(ak, op.lower()), ak.constant(x), ak.constant(x)
    with ak.GradientTape(persistent=True) as tape:
        tape.watch([inner, outer])
        with ExitStack() as stack:
            stack.enter_context(ak.gradient_override_map({op: rule}))
            y = ak.sum(f(inner))
        z = ak.sum(f(outer))
    return f(x).numpy(), tape.gradient(y, inner).numpy(), tape.gradient(z, outer)


OTHER = (swapped_by_a_stack,)
