"""What the kernel does for the tape inspector: :class:`Inspector` answers, :func:`attach` ties it to Jupyter."""

from __future__ import annotations

from autodiff_kit.lab.kernel.comm import TARGET, attach
from autodiff_kit.lab.kernel.inspector import Inspector

__all__ = ["TARGET", "Inspector", "attach"]
