"""Nonlinear regression problems with certified solutions, from NIST's Statistical Reference Datasets."""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray

from autodiff_kit.errors import RangeError

__all__ = ["RegressionProblem", "problem", "problems"]


@dataclass(frozen=True)
class RegressionProblem:
    """A nonlinear regression problem: data, starting points and certified parameters.

    Attributes
    ----------
    name : str
    x, y : ndarray of float64, shape (m,)
    starts : tuple of two ndarrays, each (n,)
        Starting points: the first far from the solution, the second closer.
    certified, deviations : ndarray of float64, shape (n,)
        Parameters and their standard deviations, to 11 digits.
    residual_sum : float
        Sum of squared residuals.
    """

    name: str
    x: NDArray[np.float64]
    y: NDArray[np.float64]
    starts: tuple[NDArray[np.float64], NDArray[np.float64]]
    certified: NDArray[np.float64]
    deviations: NDArray[np.float64]
    residual_sum: float


def problems() -> tuple[str, ...]:
    """The names of the regression problems in the package."""
    folder = files(__package__) / "nist"
    return tuple(sorted(file.name.removesuffix(".dat") for file in folder.iterdir() if file.name.endswith(".dat")))


def problem(name: str) -> RegressionProblem:
    """One of NIST's nonlinear regression problems; the model is written in the head of the file.

    Parameters
    ----------
    name : str
        As in :func:`problems`.

    Returns
    -------
    RegressionProblem

    Raises
    ------
    RangeError
        If no problem has that name.

    Notes
    -----
    The files are unchanged. They are facts published by the United States government, and in the public domain.

    References
    ----------
    .. [1] National Institute of Standards and Technology, *Statistical Reference Datasets: Nonlinear Regression*,
       https://www.itl.nist.gov/div898/strd/nls/nls_main.shtml.

    Examples
    --------
    >>> data = problem("Misra1a")
    >>> data.x.shape, data.certified
    ((14,), array([2.38942129e+02, 5.50156432e-04]))
    """
    if name not in problems():
        raise RangeError(f"there is no problem {name!r}; the problems are {', '.join(problems())}")
    lines = (files(__package__) / "nist" / f"{name}.dat").read_text("ascii").splitlines()
    # A row of the head: name = start 1, start 2, certified value, its standard deviation.
    table = np.array([line.split("=")[1].split() for line in lines[:60] if re.match(r"\s*b\d+ =", line)], float)
    (total,) = (float(line.split(":")[1]) for line in lines[:60] if line.startswith("Residual Sum of Squares"))
    y, x = np.array([line.split() for line in lines[60:] if line.strip()], float).T
    return RegressionProblem(name, x, y, (table[:, 0], table[:, 1]), table[:, 2], table[:, 3], total)
