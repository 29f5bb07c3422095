"""JupyterLab's display language, passed to the kernels as an environment variable."""

from __future__ import annotations

import os
from pathlib import Path

import json5
from jupyterlab.commands import get_user_settings_dir

from autodiff_kit.lessons.translation import ENVIRONMENT_VARIABLE

__all__ = ["display_language", "set_language_of_kernels"]

_STARTED_WITH = os.environ.get(ENVIRONMENT_VARIABLE)
_SETTINGS = Path("@jupyterlab", "translation-extension", "plugin.jupyterlab-settings")


def display_language(settings: Path) -> str:
    """Return the language in JupyterLab's settings, such as ``"de_DE"``.

    Parameters
    ----------
    settings : Path
        JupyterLab's folder of user settings.

    Returns
    -------
    str
        ``"en"`` if no language is set or the settings cannot be read.
    """
    try:
        found = json5.loads((settings / _SETTINGS).read_text(encoding="utf-8")).get("locale", "default")
    except (OSError, ValueError, AttributeError):
        found = "default"
    return "en" if found == "default" else str(found)


def set_language_of_kernels() -> None:
    """Set the language that kernels inherit; it applies to kernels that start afterwards.

    A language that the server itself was started with stays.
    """
    if _STARTED_WITH is not None:
        return
    os.environ[ENVIRONMENT_VARIABLE] = display_language(Path(get_user_settings_dir()))
