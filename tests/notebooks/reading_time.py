"""How long a lesson takes, from its text: `python tests/notebooks/reading_time.py` prints it for all lessons.

130 words a minute, 5 seconds for a line of code, a minute for each prompt, two for each task of *Try it*, five for
the widget. Text before the references counts, the prompts' included; answers that are folded away do not.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from autodiff_kit.lessons.prompts import prompts_of

TOP = Path(__file__).resolve().parents[2]
LESSONS = sorted((TOP / "notebooks").glob("*.ipynb"))
WORDS_PER_MINUTE = 130
SECONDS_PER_LINE = 5
PLAY_MINUTES = 5
TRY_MINUTES = 2
FORMULA_WORDS = 5


def sources(notebook: dict[str, Any], kind: str) -> list[str]:
    """The texts of a notebook's cells of one kind."""
    return ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == kind]


def words_of(text: str) -> int:
    """Words that are read: a displayed formula counts as five, a folded answer as none."""
    text = re.sub(r"<details>.*?</details>", " ", text, flags=re.DOTALL)
    text = re.split(r"(?:## |\*\*)References", text)[0]
    text, formulas = re.subn(r"\$\$.*?\$\$", " ", text, flags=re.DOTALL)
    return FORMULA_WORDS * formulas + len([word for word in text.split() if re.search(r"\w", word)])


def parts(notebook: dict[str, Any]) -> dict[str, float]:
    """The minutes of each part: text, code, prompts, play and try."""
    prompts = prompts_of(notebook["metadata"]["autodiff_kit"]["no"])
    asked = sum(map(_words_of_prompt, prompts))
    text = sum(words_of(one) for one in sources(notebook, "markdown"))
    lines = sum(bool(line.strip()) for one in sources(notebook, "code") for line in one.splitlines())
    tasks = sum(one.count("<details>") for one in sources(notebook, "markdown"))
    return {
        "text": (text + asked) / WORDS_PER_MINUTE,
        "code": lines * SECONDS_PER_LINE / 60,
        "prompts": float(len(prompts)),
        "play": PLAY_MINUTES,
        "try": TRY_MINUTES * tasks,
    }


def _words_of_prompt(one: Any) -> int:
    return len(f"{one.question} {one.why} {' '.join(c.label for c in one.choices)}".split())


def sections(notebook: dict[str, Any]) -> list[tuple[str, float, list[str]]]:
    """Heading, minutes and prompts of each section; what stands before the first has no heading."""
    found: list[tuple[str, list[dict[str, Any]]]] = [("", [])]
    for cell in notebook["cells"]:
        heading = re.match(r"## (.+)", "".join(cell["source"])) if cell["cell_type"] == "markdown" else None
        if heading:
            found.append((heading[1].strip(), []))
        found[-1][1].append(cell)
    known = {one.item: one for one in prompts_of(notebook["metadata"]["autodiff_kit"]["no"])}
    return [_section(heading, {"cells": cells}, known) for heading, cells in found]


def _section(heading: str, cells: dict[str, Any], known: dict[str, Any]) -> tuple[str, float, list[str]]:
    code = sources(cells, "code")
    names = [name for one in code for name in re.findall(r'predict\("([^"]+)"', one) if name in known]
    asked = sum(_words_of_prompt(known[name]) for name in names)
    words = asked + sum(map(words_of, sources(cells, "markdown")))
    lines = sum(bool(line.strip()) for one in code for line in one.splitlines())
    extra = PLAY_MINUTES if heading.endswith("Play") else TRY_MINUTES * str(cells).count("<details>")
    return heading, words / WORDS_PER_MINUTE + lines * SECONDS_PER_LINE / 60 + len(names) + extra, names


def minutes_of(notebook: dict[str, Any]) -> float:
    """How long a lesson takes."""
    return sum(parts(notebook).values())


if __name__ == "__main__":
    for path in LESSONS:
        notebook = json.loads(path.read_text("utf-8"))
        said = notebook["metadata"]["autodiff_kit"]["minutes"]
        shares = ", ".join(f"{name} {minutes:.0f}" for name, minutes in parts(notebook).items())
        print(f"{path.stem:40} {minutes_of(notebook):5.1f} (stated {said}): {shares}")
