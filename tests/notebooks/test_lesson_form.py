"""The form of a lesson: honest minutes, short cells, plain sentences, a figure first, the reason under the result."""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path
from typing import Any

import pytest

from autodiff_kit.lessons.figures import figure_numbers
from autodiff_kit.lessons.prompts import prompts_of

from .reading_time import LESSONS, minutes_of, sources

LONGEST_CELL = 18
LONGEST_SENTENCE = 30
MOST_MINUTES = 45
# These answer a question that people type into a search engine.
WITH_A_FIX_FIRST = ("02", "03", "06", "09", "11", "15")
# What the lessons once said in place of the field's words, or of a plain sentence.
RIDDLES = re.compile(
    r"whole number|way back\b|\bthe way forward\b|\bpoisoned\b|\becho\b|\bloud\b|\broads?\b|\bbill\b|\bby heart\b"
    r"|\bgradient by\b|\bderivative by\b|\bslope by\b|all that was computed|\bcome home\b|\bcame home\b|by hand on",
    re.IGNORECASE,
)
# Sentences at which readers stopped, or that were not true; none of them comes back.
GONE = """
no way leads there
all the operations of NumPy
about what the computation itself took
quickest test of a derivative rule
takes up the gradient
which function is poisoned
stays clean
the slope of no loss
All that was computed are middles
Every digit of p was found by a decision
the value that never converges
care about single points
five came home
each to its own sender
exact for all finite logits
what was said, less what was true
a perfect reader would be told
bit by bit
What changes nothing in y should get no gradient
Each yes has a partner
Which α makes the mean square
let it begin between the assignment
so it is never stale
Two habits keep a record without being seen
Watch what b does to that worth
half a step from nothing
however loud the loss is
is no fault of the result
the loss always gets something for its push
where the roads part
the gradient of no loss at all
region of trust
It pays where several
no better model would help much
A polynomial is at least loud
Other parameters never leave
the record, a line a number
to your own digits
""".strip().splitlines()


@pytest.fixture(params=LESSONS, ids=lambda path: path.stem)
def notebook(request: pytest.FixtureRequest) -> dict[str, Any]:
    path: Path = request.param
    found: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return found


def about(notebook: dict[str, Any]) -> dict[str, Any]:
    return dict(notebook["metadata"]["autodiff_kit"])


def test_the_stated_minutes_are_those_it_takes(notebook: dict[str, Any]) -> None:
    assert about(notebook)["minutes"] == pytest.approx(minutes_of(notebook), abs=1.5)
    assert about(notebook)["minutes"] <= MOST_MINUTES


def test_no_cell_is_longer_than_a_reader_takes_in(notebook: dict[str, Any]) -> None:
    lengths = {source: sum(bool(line.strip()) for line in source.splitlines()) for source in sources(notebook, "code")}
    assert [source for source, lines in lengths.items() if lines > LONGEST_CELL] == []


def sentences(text: str) -> list[str]:
    """The sentences of a text; code, formulas, tables, headings and addresses count as one word or not at all."""
    text = re.split(r"(?:## |\*\*)References", text)[0]
    text = re.sub(r"```.*?```|\$\$.*?\$\$|^\|.*?$|^#.*?$|<[^>]+>", "\n\n", text, flags=re.DOTALL | re.MULTILINE)
    text = re.sub(r"`[^`]*`|\$[^$]*\$|\]\([^)]*\)|\([^()]*\)", " x ", text)
    parts = re.split(r"(?<=[.!?:;])\s+|\n\s*\n|^\s*[-*>]\s|^\s*\d+\.\s", text, flags=re.MULTILINE)
    return [part for part in parts if part.strip()]


def test_sentences_are_short(notebook: dict[str, Any]) -> None:
    said = [one for text in sources(notebook, "markdown") for one in sentences(text)]
    assert [one for one in said if len(one.split()) > LONGEST_SENTENCE] == []


def test_words_of_our_own_are_gone(notebook: dict[str, Any]) -> None:
    said = [*sources(notebook, "markdown"), *(f"{p.question} {p.why}" for p in prompts_of(about(notebook)["no"]))]
    assert [found.group() for text in said for found in RIDDLES.finditer(re.split(r"## References", text)[0])] == []


def test_sentences_that_stopped_readers_are_gone(notebook: dict[str, Any]) -> None:
    prompts = prompts_of(about(notebook)["no"])
    said = [*sources(notebook, "markdown"), *(f"{p.question} {p.why} {p.choices}" for p in prompts)]
    text = " ".join(" ".join(said).split()).lower()
    assert [sentence for sentence in GONE if sentence.lower() in text] == []


def test_the_figure_comes_before_the_first_prompt(notebook: dict[str, Any]) -> None:
    no = about(notebook)["no"]
    code = sources(notebook, "code")
    shown = [index for index, source in enumerate(code) if f'lesson_figure("{no}")' in source]
    asked = [index for index, source in enumerate(code) if re.search(r"^predict\(", source, re.MULTILINE)]
    assert no in figure_numbers()
    assert len(shown) == 1
    assert shown[0] < asked[0]


def test_the_reveal_ends_its_cell_so_that_the_reason_stands_under_the_result(notebook: dict[str, Any]) -> None:
    for source in sources(notebook, "code"):
        if re.search(r"^reveal\(", source, re.MULTILINE):
            last = ast.unparse(ast.parse(source).body[-1])
            assert last.startswith("reveal("), source
            assert len(re.findall(r"^reveal\(", source, re.MULTILINE)) == 1, source


def test_the_code_after_a_prompt_is_the_code_that_answers_it(notebook: dict[str, Any]) -> None:
    code = sources(notebook, "code")
    for asking, answering in zip(code, [*code[1:], ""], strict=True):
        if asked := re.search(r"^predict\((.+)\)", asking, re.MULTILINE):
            assert f"\nreveal({asked[1]}, " in answering, asked[1]


def test_what_a_stored_reveal_has_found_is_one_of_the_choices(notebook: dict[str, Any]) -> None:
    reveals = [
        "".join(output["data"]["text/plain"])
        for cell in notebook["cells"]
        if re.search(r"^reveal\(", "".join(cell["source"]), re.MULTILINE)
        for output in cell["outputs"]
        if "data" in output and "what the kernel found" in "".join(output["data"].get("text/plain", ""))
    ]
    assert len(reveals) == len(prompts_of(about(notebook)["no"]))
    assert [text for text in reveals if "none of the choices" in text] == []


def test_a_wrong_choice_says_which_idea_it_stands_for(notebook: dict[str, Any]) -> None:
    for prompt in prompts_of(about(notebook)["no"]):
        wrong = [choice for choice in prompt.choices if choice.idea]
        assert len(prompt.choices) >= 3 or prompt.kind == "number", prompt.item
        assert all(" " in choice.idea for choice in wrong), prompt.item


@pytest.mark.parametrize("no", WITH_A_FIX_FIRST)
def test_who_only_needs_the_fix_finds_it_at_the_top(no: str) -> None:
    path = next(path for path in LESSONS if path.name.startswith(no))
    top = "\n".join(sources(json.loads(path.read_text("utf-8")), "markdown")[:3])
    fix = top.partition("If you only need the fix")[2]
    assert re.search(r"Symptom.*Cause.*(?:Fix|Cure)", fix, re.DOTALL)
