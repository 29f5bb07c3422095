"""What the lessons say in words: every number is one that a cell of the same notebook computes or is given."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator
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


def descend(x: float, slope: Callable[[float], float], steps: int, rate: float = 0.1) -> list[float]:
    """Where a search of (f(x) − 3)² has been, with ``slope`` for what it goes down by."""
    way = [x]
    for _ in range(steps):
        way.append(way[-1] - rate * slope(way[-1]))
    return way


def sharp(x: float) -> tuple[float, float]:
    """Lesson 06's soft floor at s = 15, and its slope."""
    steps = [1 / (1 + math.exp(-15 * (x - k))) for k in range(1, 6)]
    return sum(steps), sum(15 * one * (1 - one) for one in steps)


def from_nine() -> set[float]:
    way = descend(0.9, lambda x: 2 * (sharp(x)[0] - 3) * sharp(x)[1], 200)
    return {way[-1], way[1], sharp(0.9)[1]}


def nesterov(steps: int = 100) -> float:
    """The way of SGD with Nesterov's momentum after one gradient of 1 and then zeros."""
    slots = [0.9**t for t in range(steps)]
    return -0.1 * (1 + sum(0.9 * slot for slot in slots))


def ghost(share: float = 0.99) -> tuple[int, int]:
    """Steps without news until Adam, and SGD with momentum, have made that share of their way."""
    t = range(2, 101)
    adam = [0.1 * 0.9 ** (k - 1) / (1 - 0.9**k) * math.sqrt((1 - 0.999**k) / (0.001 * 0.999 ** (k - 1))) for k in t]
    counts = []
    for steps in (adam, [0.9**k for k in range(1, 100)]):
        done = [sum(steps[: n + 1]) / sum(steps) for n in range(len(steps))]
        counts.append(1 + next(n for n, part in enumerate(done) if part > share))
    return counts[0], counts[1]


# What the answers of "Try it" say beyond the lesson's own cells, worked out here.
ANSWERS: dict[str, set[float]] = {
    "l06-055": from_nine() | set(descend(5.7, lambda x: 2 * (math.floor(x) - 3), 7)),
    "09-69": {math.exp(6), 5 * math.exp(10), 5 * math.exp(4)},
    "15-64": {*ghost(), -nesterov()},
}


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
    """Numbers that a lesson states and that no cell has; an answer's are worked out in ``ANSWERS``."""
    known, found = computed(notebook), []
    for cell in notebook["cells"]:
        if cell["cell_type"] == "markdown":
            text = "".join(cell["source"]).partition("## References")[0].partition("**References")[0]
            more = set()
            if cell["metadata"]["autodiff_kit"]["role"] == "try":  # what is asked gives its own numbers
                asked, text = (
                    re.sub(r"<details>.*?</details>", " ", text, flags=re.DOTALL),
                    " ".join(DETAILS.findall(text)),
                )
                more = {abs(float(number)) for number in told(asked)} | ANSWERS.get(cell["id"], set())
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
