"""Another right answer to where-1."""

import autodiff_kit as ak


def another_number_inside(name, x):
    chosen = ak.cast(x > 0, x.dtype)
    return ak.where(x > 0, getattr(ak, name)(ak.where(x > 0, x, 2)), 0) * chosen


OTHER = (another_number_inside,)
