"""Other right answers to lesson 05's questions."""

from contextlib import ExitStack

import numpy as np

import autodiff_kit as ak


def log1pexp_by_logaddexp(x):
    y = np.logaddexp(0, x)
    return y, lambda g: g * np.exp(np.minimum(x, 0) - np.logaddexp(0, -np.abs(x)))


def valve_of_tensors(x, lam, cap):
    return ak.constant(x), lambda g: ak.maximum(ak.minimum(ak.constant(g), cap), -cap) * -lam


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


OTHER = {
    "custom-1": (log1pexp_by_logaddexp,),
    "custom-2": (valve_of_tensors,),
    "custom-3": (swapped_by_a_stack,),
}
