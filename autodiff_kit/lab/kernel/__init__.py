"""The tape inspector's side in the kernel: :class:`TapeInspector` answers requests, :func:`attach` joins Jupyter."""

from __future__ import annotations

from autodiff_kit.lab.kernel.comm import COMM_TARGET, attach
from autodiff_kit.lab.kernel.inspector import TapeInspector

__all__ = ["COMM_TARGET", "TapeInspector", "attach"]
