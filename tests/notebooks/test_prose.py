"""What the lessons say in words: every number is one that a cell of the same notebook computes or is given."""

from __future__ import annotations

import importlib
import json
import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

TOP = Path(__file__).resolve().parents[2]
LESSONS = sorted((TOP / "notebooks").glob("*.ipynb"))
SMALL = 12  # numbers up to here count things, lines and steps
# What states no number: code, links, headings, powers and indices, names with digits (float32, x1, Python 3), lessons.
QUOTED = re.compile(
    r"```.*?```|`[^`]*`|\]\([^)]*\)|https?://\S+|<[^>]+>|^\#+\ .*?$"
    r"|\blessons?\ \d\d(?:,?\ (?:and\ )?\d\d)*|[_^](?:\{[^}]*\}|-?\w+)|\b[A-Za-z]+\d+|\bIEEE 754|\bin (?:19|20)\d\d\b",
    re.DOTALL | re.MULTILINE | re.IGNORECASE,
)
NUMBER = re.compile(r"(?<![\w.])[−-]?(?:(?:\d{1,3}(?:[ \u202f]\d{3})+|\d+)(?:\.\d+)?|\.\d+)(?:[eE][−+-]?\d+)?(?!\w)")
DETAILS = re.compile(r"<details>(.*?)</details>", re.DOTALL)


def answers_of(no: str) -> dict[str, set[float]]:
    """What the answers of "Try it" say beyond the lesson's own cells, worked out in the tests, by cell."""
    facts = importlib.import_module(f"tests.lessons.facts.lesson{no}")
    return getattr(facts, "TRY_ANSWERS", {})


def told(text: str) -> Iterator[str]:
    """Numbers that a text states."""
    powers = re.sub(r"\s*\\cdot\s*10\^\{?([−-]?\d+)\}?", r"e\1", text)
    for found in NUMBER.finditer(QUOTED.sub(" ", powers.replace("{,}", ""))):
        yield re.sub(r"[ \u202f]", "", found.group()).replace("−", "-")


def computed(notebook: dict[str, Any]) -> set[float]:
    """Every number in the code and in what it put out."""
    texts = []
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            texts.append("".join(cell["source"]))
            for output in cell["outputs"]:
                data = output.get("data", {})
                texts += ["".join(output.get("text", "")), "".join(data.get("text/plain", ""))]
                texts.append(re.sub(r"<[^>]*>", " ", "".join(data.get("text/html", ""))))
    return {abs(float(one)) for text in texts for one in re.findall(r"\d*\.?\d+(?:[eE][-+]?\d+)?", text)}


def stands(number: str, known: set[float]) -> bool:
    """Whether a cell has the number, to the digits in which the prose gives it; per cent count as parts of one."""
    value = abs(float(number))
    if value >= 10_000 and number.endswith("000"):  # a round number is said to two digits
        return any(abs(one - value) <= 0.05 * value for one in known)
    mantissa = number.lower().partition("e")[0]
    digits = len(mantissa.partition(".")[2])
    half = 0.05 * value if "e" in number.lower() else 0.5 * 10.0**-digits * (1 + 1e-9)
    return any(abs(one * by - value) <= half for one in known for by in (1.0, 100.0))


def found_in(text: str, known: set[float]) -> list[str]:
    """Numbers of a text that are neither known nor so small that they count something."""
    numbers = {number: abs(float(number)) for number in told(text)}
    return [n for n, x in numbers.items() if (x > SMALL or x != math.floor(x)) and not stands(n, known)]


def strays(notebook: dict[str, Any]) -> list[str]:
    """Numbers that a lesson states and that no cell has; an answer's are worked out in the tests."""
    known, found = computed(notebook), []
    worked_out = answers_of(notebook["metadata"]["autodiff_kit"]["no"])
    for cell in notebook["cells"]:
        if cell["cell_type"] == "markdown":
            text = "".join(cell["source"]).partition("## References")[0].partition("**References")[0]
            more = set()
            if cell["metadata"]["autodiff_kit"]["role"] == "try":  # what is asked gives its own numbers
                asked, text = (
                    re.sub(r"<details>.*?</details>", " ", text, flags=re.DOTALL),
                    " ".join(DETAILS.findall(text)),
                )
                more = {abs(float(number)) for number in told(asked)} | worked_out.get(cell["id"], set())
            found += [f"{cell['id']}: {number}" for number in found_in(text, known | more)]
    return found


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda path: path.stem)
def test_every_number_in_the_prose_is_computed(lesson: Path) -> None:
    assert strays(json.loads(lesson.read_text("utf-8"))) == []


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda path: path.stem)
def test_a_number_of_nobodys_is_found(lesson: Path) -> None:
    """What is typed in where a cell should compute it would be seen, in each of the lessons."""
    notebook = json.loads(lesson.read_text("utf-8"))
    cell = next(cell for cell in notebook["cells"] if cell["cell_type"] == "markdown")
    cell["source"] = "".join(cell["source"]) + "\n\nA loss of 7.91384 after −98 317 steps, 3.3e-17; `1.23456` is code."
    assert [one.partition(": ")[2] for one in strays(notebook)] == ["7.91384", "-98317", "3.3e-17"]


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda path: path.stem)
def test_there_is_something_to_do_after_four_hundred_words(lesson: Path) -> None:
    words, most = 0, 0
    for cell in json.loads(lesson.read_text("utf-8"))["cells"]:
        text = re.split(r"(?:## |\*\*)References", DETAILS.sub("", "".join(cell["source"])))[0]
        words = 0 if cell["cell_type"] == "code" else words + len(text.split())
        most = max(most, words)
    assert 100 < most <= 400
