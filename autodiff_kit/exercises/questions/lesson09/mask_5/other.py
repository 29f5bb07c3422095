"""Another right answer to mask-5."""

import numpy as np

import autodiff_kit as ak


def means_by_product(x, keep):
    logs = ak.log(ak.where(keep, x, np.ones(x.shape))) * keep
    return ak.sum(logs, axis=1) / np.where(keep.any(1), keep.sum(1), 1)


OTHER = (means_by_product,)
