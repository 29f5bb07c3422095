"""In the place of JupyterLite's package installer: this site installs nothing from elsewhere."""

from . import piplite

__all__ = ["piplite"]
