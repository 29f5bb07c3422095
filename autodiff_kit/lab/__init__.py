"""The kit inside JupyterLab: a front end in TypeScript, a server extension, and the kernel's side of the panels.

``kernel`` answers the tape inspector, ``server`` answers the syllabus and the exercises; ``import autodiff_kit`` loads
neither outside of Jupyter.
"""

from __future__ import annotations

from typing import Any


def _jupyter_labextension_paths() -> list[dict[str, str]]:
    return [{"src": "labextension", "dest": "autodiff-kit"}]


def _jupyter_server_extension_points() -> list[dict[str, Any]]:
    return [{"module": "autodiff_kit.lab.server"}]


def load_ipython_extension(shell: Any) -> None:
    """``%load_ext autodiff_kit.lab`` connects the tape inspector to this kernel.

    Parameters
    ----------
    shell : IPython.core.interactiveshell.InteractiveShell
        The shell that loads the extension.
    """
    from autodiff_kit.lab.kernel import attach

    attach(shell)
