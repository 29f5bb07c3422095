"""Another right answer to lm-2."""

import numpy as np


def step_of_stacked_rows(J, r, lam):
    rows = np.vstack([J, np.diag(np.sqrt(lam) * np.linalg.norm(J, axis=0))])
    return np.linalg.lstsq(rows, np.r_[-r, np.zeros(J.shape[1])], rcond=None)[0]


OTHER = (step_of_stacked_rows,)
