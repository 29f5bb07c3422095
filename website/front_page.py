"""The site's first page: a figure that moves, Python on a click, the questions and the lessons."""

from __future__ import annotations

import gzip
import html
import re
import shutil
from pathlib import Path
from string import Template
from typing import Final

from autodiff_kit.lab.server.catalog import LessonEntry, lesson_catalog, lesson_plan
from website import address

FRONT: Final = Path(__file__).with_name("front")
SCRIPTS: Final = (".js", ".mjs")  # which the engine imports, and does not fetch
# What people search for, and the lesson that answers it.
QUESTIONS: Final = {
    "02": "Why is my gradient <code>None</code>?",
    "03": "<code>nan</code> from <code>where()</code>?",
    "06": "What is the derivative of floor?",
    "09": "Does masking after softmax leak?",
    "15": "Why does Adam move a weight whose gradient is zero?",
    "18": "What does backward cost?",
}


def write(out: Path, engine: str, needed: list[Path]) -> None:
    """Write the page and its files.

    Parameters
    ----------
    out : Path
        The site.
    engine : str
        The folder of Pyodide, relative to the site.
    needed : list of Path
        What a page that runs Python fetches: the engine's files and the first wheels.
    """
    lessons = [entry for entry in lesson_catalog().values() if not entry.coming]
    size = sum(path.stat().st_size for path in needed if path.suffix not in SCRIPTS)
    text = Template((FRONT / "index.html").read_text(encoding="utf-8")).substitute(
        bytes=size,
        count=len(lessons),
        engine=f"{engine}/",
        files=" ".join(path.name for path in needed if path.suffix not in SCRIPTS),
        first=f"{lessons[0].slug}.ipynb",
        lessons=_map(lessons),
        megabytes=round(sum(len(gzip.compress(path.read_bytes())) for path in needed) / 1e6),
        questions="".join(_question(no, asked) for no, asked in QUESTIONS.items()),
        source=address.read().source,
    )
    (out / "index.html").write_text(text, encoding="utf-8")
    for path in FRONT.iterdir():
        if path.name != "index.html":
            shutil.copy(path, out / path.name)


def _question(no: str, asked: str) -> str:
    entry = lesson_catalog()[no]
    about = f"{no} · {_short(entry)}\u00a0· {entry.minutes}\u00a0min"
    return f'<li><a href="lessons/{entry.slug}.html"><b>{asked}</b><small>{about}</small></a></li>'


def _map(lessons: list[LessonEntry]) -> str:
    titles = {part["no"]: part["title"] for part in lesson_plan()["parts"]}
    parts: list[str] = []
    for entry in lessons:
        if entry.no in titles or not parts:
            parts.append(f"<h3>{html.escape(titles.get(entry.no, ''))}</h3><ol>")
        parts[-1] += _row(entry)
    return "".join(f"<li>{part}</ol></li>" for part in parts)


def _row(entry: LessonEntry) -> str:
    run = f"lite/notebooks/index.html?path=notebooks/{entry.slug}.ipynb"
    return (
        f'<li><span>{entry.no}</span><a href="lessons/{entry.slug}.html">{_short(entry)}</a>'
        f'<a class="run" href="{run}" aria-label="Run lesson {entry.no} here">run</a></li>'
    )


def _short(entry: LessonEntry) -> str:
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", html.escape(entry.title))
