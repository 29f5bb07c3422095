"""Search lessons by title, keywords and the text of their cells, without showing results of cells."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from autodiff_kit.lab.server.catalog import LessonEntry, NotebookCell, lesson_catalog
from autodiff_kit.lab.server.errors import RequestError
from autodiff_kit.lab.server.folder import WorkingFolder

MAX_QUERY: Final = 200
MAX_HITS: Final = 50
CONTEXT: Final = 60
# Cells with these roles tell a result; they are searched, and only their heading is shown.
SPOILER_ROLES: Final = ("reveal", "why", "summary")


def search(folder: WorkingFolder, query: str) -> dict[str, Any]:
    """Return the places that contain all words of a query, titles before text."""
    words = query.casefold().split()
    if not words or len(query) > MAX_QUERY:
        raise RequestError(
            400, "bad_query", f"Search for 1 to {MAX_QUERY} letters.", "Type a word of a title, or an op."
        )
    hits = [hit for entry in lesson_catalog().values() for hit in _hits_in(folder, entry, words)]
    hits.sort(key=lambda hit: (hit.pop("rank"), hit["no"]))
    return {"q": query, "hits": hits[:MAX_HITS]}


def _hits_in(folder: WorkingFolder, entry: LessonEntry, words: list[str]) -> Iterator[dict[str, Any]]:
    """Yield at most one hit in a lesson's title, keywords or goal, and three in its text."""
    fields = (
        ("title", f"{entry.no} {entry.title}"),
        ("keywords", ", ".join(entry.keywords)),
        ("goal", entry.goal),
        ("summary", entry.summary),
    )
    for rank, (where, text) in enumerate(fields):
        if _contains_all(words, text):
            # A summary contains results: it is searched and not shown.
            yield _hit_json(folder, entry, rank, where, entry.goal if where == "summary" else text, None)
            break
    cells = entry.notebook.cells if entry.notebook else ()
    for cell in [cell for cell in cells if _contains_all(words, cell.text)][:3]:
        yield _hit_json(folder, entry, len(fields), "text", _excerpt(cell, words[0]), cell.id)


def _contains_all(words: list[str], text: str) -> bool:
    folded = text.casefold()
    return all(word in folded for word in words)


def _excerpt(cell: NotebookCell, word: str) -> str:
    if cell.role in SPOILER_ROLES:
        return cell.heading
    text = " ".join(cell.text.split())
    at = max(0, text.casefold().find(word))
    begin, end = max(0, at - CONTEXT), min(len(text), at + len(word) + CONTEXT)
    return ("… " if begin else "") + text[begin:end] + (" …" if end < len(text) else "")


def _hit_json(
    folder: WorkingFolder, entry: LessonEntry, rank: int, where: str, text: str, cell: str | None
) -> dict[str, Any]:
    there = entry.notebook is not None and folder.root.is_relative_to(folder.server_root)
    path = folder.server_path(entry.notebook.path) if there and entry.notebook else None
    return {
        "rank": rank,
        "no": entry.no,
        "title": entry.title,
        "coming": entry.coming,
        "where": where,
        "text": text,
        "cell": cell,
        "notebook": path,
    }
