"""Bundling of front-end modules: a widget's module and the modules that it imports, joined for anywidget.

There is no build step: anywidget loads a module from a blob, where relative imports lead nowhere, so the modules are
put one after the other when a widget class is defined. It relies on three habits of theirs: imports stand one per line
at the top, every export is named and declared in place, and no top-level name occurs twice.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from autodiff_kit.errors import StructureError

__all__ = ["bundle", "load_front_end", "load_style_sheet"]

_JS = Path(__file__).parent / "js"

_IMPORT = re.compile(r'^import \{[^}]*\} from "(\.{1,2}/[^"]+)";\n', re.MULTILINE)
_NAME = re.compile(r"^(?:export )?(?:async )?(?:function|const|let|class) (\w+)", re.MULTILINE)
_EXPORT = re.compile(r"^export (?!default)", re.MULTILINE)


@cache
def load_front_end(name: str) -> str:
    """The bundled text of a front-end module, named relative to the folder ``js`` of this package."""
    return bundle(_JS / name)


@cache
def load_style_sheet() -> str:
    """The style sheet that all widgets share."""
    return (_JS / "kit" / "kit.css").read_text(encoding="utf-8")


def bundle(entry: Path) -> str:
    """The text of one module: what ``entry`` imports, each module once and in order, and then ``entry``.

    Parameters
    ----------
    entry : Path
        The widget's module.

    Returns
    -------
    str

    Raises
    ------
    StructureError
        If a top-level name is declared in two of the modules, a file is imported that is not there, or modules import
        each other in a circle, so that none can come first.
    """
    root = entry.resolve()
    parts: dict[Path, str] = {}
    _visit(root, (), parts)
    names = [name for text in parts.values() for name in _NAME.findall(text)]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise StructureError(f"{entry.name}: declared in more than one module: {', '.join(twice)}; rename one of each")
    return "\n".join(f"// {path.name}\n{text}" for path, text in parts.items())


def _visit(path: Path, importers: tuple[Path, ...], parts: dict[Path, str]) -> None:
    """Put a module after those that it imports; ``importers`` is the chain of modules that led here."""
    if path in parts:
        return
    if path in importers:
        circle = " -> ".join(step.name for step in (*importers[importers.index(path) :], path))
        raise StructureError(f"modules import each other in a circle: {circle}; move what they share to a third one")
    if not path.is_file():
        raise StructureError(
            f"{importers[-1].name if importers else 'a widget'} imports {path.name}, which is not there"
        )
    text = path.read_text(encoding="utf-8")
    for relative in _IMPORT.findall(text):
        _visit((path.parent / relative).resolve(), (*importers, path), parts)
    body = _IMPORT.sub("", text)
    parts[path] = body if not importers else _EXPORT.sub("", body)
