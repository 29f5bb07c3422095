"""Another right answer to state-2."""

import autodiff_kit as ak


def ratios_in_loops(P, B):
    """The old program with new values in place of boxes."""
    rows = []
    for i in range(P.shape[0]):
        row = []
        for j in range(B.shape[1]):
            p = q = 1.0
            for k in range(P.shape[1]):
                p, q = p * P[i, k], q * B[k, j]
            row.append(1 - p / q)
        rows.append(ak.stack(row))
    return ak.stack(rows)


OTHER = (ratios_in_loops,)
