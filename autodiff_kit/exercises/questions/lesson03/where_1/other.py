"""Another right answer to where-1."""

import autodiff_kit as ak


def root_of_something_tiny(name, x):
    return ak.where(x > 0, getattr(ak, name)(ak.maximum(x, 1e-12)), 0.0)


OTHER = (root_of_something_tiny,)
