"""Every text that is translated, by catalogue. `python tests/lessons/translatable.py` brings the catalogues up to date:
new texts are added with an empty translation, texts that are gone are removed.
"""

from __future__ import annotations

import ast
import importlib
import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from autodiff_kit.exercises.messages import HEADINGS
from autodiff_kit.exercises.questions import LESSONS
from autodiff_kit.lessons.prompts import lesson_numbers
from autodiff_kit.widgets.predict import WORDS

PACKAGE = Path(importlib.import_module("autodiff_kit").__file__ or "").parent
CATALOGUES = PACKAGE / "lessons" / "locale"
# What the calls of translate() get as a variable.
OTHERS = (*HEADINGS.values(), *WORDS, "a letter", "letters with blanks between", "a number")


def of_prompts(no: str) -> Iterator[str]:
    """The texts of a lesson's prompts."""
    for prompt in importlib.import_module(f"autodiff_kit.lessons.prompts.lesson{no}").PROMPTS:
        yield from (prompt.question, prompt.why)
        for choice in prompt.choices:
            yield from (choice.label, choice.idea)


def of_questions(no: str) -> Iterator[str]:
    """The texts of a lesson's questions."""
    folder = f"autodiff_kit.exercises.questions.lesson{no}"
    yield importlib.import_module(folder).LESSON.title
    for id in LESSONS.question_ids(no):
        question = importlib.import_module(f"{folder}.{id.replace('-', '_')}.question").QUESTION
        yield from (question.title, question.text, *question.messages.values(), *question.hints, question.praise)


@cache
def in_code() -> dict[str, list[str]]:
    """The strings that stand in calls of translate(), by the catalogue that the call names."""
    found: dict[str, list[str]] = {}
    for path in PACKAGE.rglob("*.py"):
        tree = ast.parse(path.read_text("utf-8"))
        called = [
            node for node in ast.walk(tree) if isinstance(node, ast.Call) and ast.unparse(node.func) == "translate"
        ]
        for call in called if path.name != "translation.py" else []:
            name = call.args[1] if call.args[1:] else ast.Constant("common")
            strings = [node.value for node in ast.walk(call.args[0]) if isinstance(node, ast.Constant)]
            words = [one for one in strings if isinstance(one, str) and re.search("[a-z]{2}", one)]
            if words:
                found.setdefault(ast.literal_eval(name), []).extend(words)
    return found


def has_words(text: str) -> bool:
    """Whether there is anything to translate: numbers and formulas stay as they are."""
    return bool(
        re.search(r"[A-Za-z]{3}", re.sub(r"`[^`]*`|\{\w*\}|\b(?:None|nan|inf|NaN|exp|log|sin|cos)\b", "", text))
    )


def catalogue_names() -> list[str]:
    """The names of all catalogues."""
    return ["common", *(f"lesson{no}" for no in lesson_numbers())]


@cache
def translatable() -> dict[str, list[str]]:
    """English texts by catalogue, each once, in the order in which they stand."""
    found = {"common": [*OTHERS, *in_code()["common"]]}
    for no in lesson_numbers():
        found[f"lesson{no}"] = [*of_prompts(no), *of_questions(no), *in_code().get(f"lesson{no}", [])]
    return {name: [text for text in dict.fromkeys(texts) if has_words(text)] for name, texts in found.items()}


def catalogue(language: str, name: str) -> dict[str, str]:
    """A catalogue as it is stored; empty where there is none."""
    path = CATALOGUES / language / f"{name}.json"
    found: dict[str, str] = json.loads(path.read_text("utf-8")) if path.is_file() else {}
    return found


def update(language: str) -> int:
    """Write the catalogues of a language anew, and return how many texts have no translation."""
    missing = 0
    for name, texts in translatable().items():
        known = catalogue(language, name)
        new = {text: known.get(text, "") for text in texts}
        missing += sum(not text for text in new.values())
        path = CATALOGUES / language / f"{name}.json"
        path.write_text(json.dumps(new, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    return missing


if __name__ == "__main__":
    print(update("de"), "texts have no translation")
