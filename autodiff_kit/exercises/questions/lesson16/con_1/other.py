"""Another right answer to con-1."""

import autodiff_kit as ak


def stepped_in_tensors(w, g, lr):
    return ak.nn.relu(ak.constant(w) - lr * ak.constant(g))


OTHER = (stepped_in_tensors,)
