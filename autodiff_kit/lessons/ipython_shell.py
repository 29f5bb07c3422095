"""The shell of the notebook or console that runs this process."""

from __future__ import annotations

import sys
from typing import Any

__all__ = ["ipython_shell"]


def ipython_shell() -> Any:
    """The running IPython shell, or None; IPython is not imported to find out."""
    ipython = sys.modules.get("IPython")
    return ipython.get_ipython() if ipython is not None and hasattr(ipython, "get_ipython") else None
