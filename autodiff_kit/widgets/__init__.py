"""Lesson widgets: one Python class and one front-end module each; every number comes from a tape in the kernel.

The widgets are found by their class statements, in the text of this package's modules; a module is imported when its
class is asked for, so that one lesson does not pay for the widgets of the others.
"""

from __future__ import annotations

import importlib
import re
import sys
from pathlib import Path
from typing import Any

_WIDGET_CLASS = re.compile(r"^class (\w+)\((?:KernelWidget|anywidget\.AnyWidget)\):", re.MULTILINE)


def find_widget_modules(*folders: str) -> dict[str, str]:
    """Widget class name -> name of the module that defines it, for the Python files in some folders.

    Parameters
    ----------
    *folders : str
        Usually ``autodiff_kit.widgets.__path__``.

    Returns
    -------
    dict of str to str
    """
    found = {
        name: path.stem
        for folder in folders
        for path in Path(folder).glob("*.py")
        for name in _WIDGET_CLASS.findall(path.read_text(encoding="utf-8"))
    }
    return dict(sorted(found.items()))


def allow_widgets_in_colab() -> bool:
    """Ask Colab, if the kernel is one of Colab's, to show other widgets than ipywidgets' own; True if it was asked."""
    if "google.colab" not in sys.modules:
        return False
    importlib.import_module("google.colab.output").enable_custom_widget_manager()
    return True


allow_widgets_in_colab()

_MODULES = find_widget_modules(*__path__)
__all__ = list(_MODULES)


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"autodiff_kit.widgets has no {name!r}; it has {', '.join(_MODULES)}")
    return getattr(importlib.import_module(f"{__name__}.{_MODULES[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_MODULES})
