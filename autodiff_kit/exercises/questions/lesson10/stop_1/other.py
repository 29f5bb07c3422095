"""Another right answer to stop-1."""

import autodiff_kit as ak


def chosen_places(W, M):
    return ak.where(M > 0, W, ak.constant(W.numpy()))


OTHER = (chosen_places,)
