"""Handwritten digits: images of 8 by 8 pixels with their labels."""

from __future__ import annotations

from importlib.resources import as_file, files

import numpy as np
from numpy.typing import NDArray

__all__ = ["digits"]


def digits() -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Images of handwritten digits and their labels.

    Returns
    -------
    images : ndarray of float64, shape (1797, 64)
        Rows of 8 by 8 pixels, each the ink in a block of 4 by 4, from 0 to 16.
    labels : ndarray of int64, shape (1797,)
        The digit, 0 to 9.

    Notes
    -----
    The order is that of the source, which is sorted by writer: a test set of the last few hundred images comes mostly
    from writers who are not in the training set.

    The data are by E. Alpaydin and C. Kaynak [1]_ under the Creative Commons Attribution 4.0 licence; see
    ``LICENCE-digits.txt`` next to the file.

    References
    ----------
    .. [1] E. Alpaydin and C. Kaynak, *Optical Recognition of Handwritten Digits*, UCI Machine Learning
       Repository, 1998, https://doi.org/10.24432/C50P49.

    Examples
    --------
    >>> images, labels = digits()
    >>> images.shape, images.min(), images.max(), labels[:5].tolist()
    ((1797, 64), np.float64(0.0), np.float64(16.0), [0, 1, 2, 3, 4])
    """
    with as_file(files(__package__) / "digits.npz") as path, np.load(path, allow_pickle=False) as kept:
        return kept["images"].astype(np.float64), kept["labels"].astype(np.int64)
