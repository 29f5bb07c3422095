"""The glossary: words in the order in which the lessons introduce them, and none used before its introduction."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[2]
ENTRY = re.compile(r"^(?P<term>\S.*)\n: (?P<text>.+) \[(?P<no>\d\d)\]\(lessons/(?P<lesson>[^)]+)\)$", re.MULTILINE)
ENTRIES = list(ENTRY.finditer((TOP / "docs" / "glossary.md").read_text("utf-8")))
# Code, addresses and the list of references may use other words.
ASIDE = re.compile(r"```.*?```|`[^`]*`|\]\([^)]*\)|https?://\S+", re.DOTALL)


def prose(path: Path) -> str:
    """The prose of a lesson."""
    cells = json.loads(path.read_text("utf-8"))["cells"]
    texts = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown"]
    said = [re.split(r"(?:## |\*\*)References", text)[0] for text in texts]
    return "\n".join(ASIDE.sub(" ", text) for text in said)


LESSONS = {path.name: prose(path) for path in sorted((TOP / "notebooks").glob("*.ipynb"))}


def uses(text: str, term: str) -> bool:
    """Whether a text has one of the words of an entry, in singular or plural, or as a verb."""
    words = [re.escape(word).replace(r"\ ", r"[\s-]+") for word in term.split(", ")]
    return bool(re.search(rf"(?<![\w-])(?:{'|'.join(words)})(?:s|es|d|ing)?(?!\w)", text, re.IGNORECASE))


def test_there_are_entries_in_order_of_the_alphabet() -> None:
    terms = [entry["term"] for entry in ENTRIES]
    assert len(terms) > 60
    assert terms == sorted(terms, key=str.lower)
    assert len(set(terms)) == len(terms)


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry["term"])
def test_a_word_comes_with_its_lesson_and_not_before(entry: re.Match[str]) -> None:
    lesson, term = entry["lesson"], entry["term"]
    assert lesson.startswith(f"{entry['no']}_")
    assert uses(LESSONS[lesson], term), f"lesson {entry['no']} does not use {term!r}"
    assert [name for name in LESSONS if name < lesson and uses(LESSONS[name], term)] == []
    assert entry["text"].endswith(".")
