"""Packages that only a part of the kit needs: whether they are installed, and what to do where they are not."""

from __future__ import annotations

import functools
import importlib.util

from autodiff_kit.errors import MissingPackageError

__all__ = ["installed", "require"]


@functools.cache
def installed(module: str) -> bool:
    """Whether a top-level module can be imported; it is not imported to find out."""
    return importlib.util.find_spec(module) is not None


def require(module: str, extra: str, use: str) -> None:
    """Raise an error that names the extra to install, unless a module is there.

    Parameters
    ----------
    module : str
        A top-level module, such as ``"jupyterlab"``.
    extra : str
        The extra of the kit that brings it.
    use : str
        What it is needed for, as the beginning of the message's sentence.

    Raises
    ------
    MissingPackageError
        If the module is not installed.
    """
    if not installed(module):
        raise MissingPackageError(f"{use} needs {module}, which is not installed: pip install 'autodiff-kit[{extra}]'.")
