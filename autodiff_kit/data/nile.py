"""The annual flow of the Nile from 1871 to 1970, a time series with a change point."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["nile"]

FIRST_YEAR = 1871
FLOWS = """
1120 1160  963 1210 1160 1160  813 1230 1370 1140  995  935 1110  994 1020  960 1180  799  958 1140
1100 1210 1150 1250 1260 1220 1030 1100  774  840  874  694  940  833  701  916  692 1020 1050  969
 831  726  456  824  702 1120 1100  832  764  821  768  845  864  862  698  845  744  796 1040  759
 781  865  845  944  984  897  822 1010  771  676  649  846  812  742  801 1040  860  874  848  890
 744  749  838 1050  918  986  797  923  975  815 1020  906  901 1170  912  746  919  718  714  740
"""


def nile() -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The annual flow of the Nile at Aswan from 1871 to 1970.

    Returns
    -------
    years : ndarray of int64, shape (100,)
    flows : ndarray of float64, shape (100,)
        In units of 100 million cubic metres a year.

    Notes
    -----
    The flow is lower from about 1898 on. The series was published by G. W. Cobb [1]_; measurements of nature are
    in the public domain, and this series is distributed as such, among others with R and statsmodels.

    References
    ----------
    .. [1] G. W. Cobb, "The problem of the Nile: Conditional solution to a changepoint problem", *Biometrika* 65(2),
       1978, 243-251, https://doi.org/10.1093/biomet/65.2.243.

    Examples
    --------
    >>> years, flows = nile()
    >>> int(years[0]), int(years[-1]), flows[:3].tolist(), float(flows.mean())
    (1871, 1970, [1120.0, 1160.0, 963.0], 919.35)
    """
    flows = np.array(FLOWS.split(), np.float64)
    return np.arange(FIRST_YEAR, FIRST_YEAR + len(flows)), flows
