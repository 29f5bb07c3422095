"""The pages of the book that are made from what there is: lessons from their notebooks, differences from their truth
tables, misconceptions from the exercises. Nothing of them is written twice.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from classes import class_plans

from autodiff_kit.exercises.question import Lesson, Question
from autodiff_kit.exercises.questions import LESSONS
from website import address

TOP = Path(__file__).resolve().parents[1]
NOTEBOOKS = TOP / "notebooks"
PRACTICE = (
    "Exercises here are practice. Points that count come from the grader, which runs what you hand in in a sandbox."
)
LITE = "../lite"  # of a lesson's page, where the book is part of the static site

Notebook = dict[str, Any]

PLANS: dict[str, tuple[tuple[str, str], ...]] = {
    "An afternoon: why is my gradient None?": (
        ("first hour", "00"),
        ("second", "01"),
        ("third", "02"),
        ("fourth", "03"),
    ),
    "An afternoon: what optimizers remember": (
        ("first hour", "00"),
        ("second", "02"),
        ("third", "14"),
        ("fourth", "15"),
    ),
    "A week, two hours a day": (
        ("Monday", "00 02"),
        ("Tuesday", "01 03"),
        ("Wednesday", "05 06"),
        ("Thursday", "08 09"),
        ("Friday", "14 15"),
    ),
    "A term of twelve weeks": (
        ("1", "00"),
        ("2", "01 02"),
        ("3", "03 04"),
        ("4", "05 06"),
        ("5", "07 08"),
        ("6", "09 10"),
        ("7", "11 22"),
        ("8", "12 13"),
        ("9", "14 15 23"),
        ("10", "16 17"),
        ("11", "18 19 20"),
        ("12", "21 24"),
    ),
}
"""For each plan when which lessons are taught."""


def write(docs: Path, *, site: bool = False) -> None:
    """Write every page that is made; those whose notebook has gone go too.

    Parameters
    ----------
    docs : Path
        The folder of the book.
    site : bool, optional
        Whether JupyterLite lies beside the book, so that lessons can be run there.
    """
    lessons = {path.name: _read(path) for path in sorted(NOTEBOOKS.glob("*.ipynb"))}
    folder = docs / "lessons"
    wanted = {name: json.dumps(page(name, nb, site=site), ensure_ascii=False) for name, nb in lessons.items()}
    wanted |= {
        "index.md": contents(lessons),
        "differences.md": differences(lessons),
        "misconceptions.md": misconceptions(),
        "plans.md": plans(lessons),
        "classes.md": class_plans(lessons),
        "words.md": words_by_lesson(lessons, (docs / "glossary.md").read_text(encoding="utf-8")),
    }
    folder.mkdir(exist_ok=True)
    for path in folder.iterdir():
        if path.name not in wanted:
            path.unlink()
    for name, text in wanted.items():
        path = folder / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


def _read(path: Path) -> Notebook:
    notebook: Notebook = json.loads(path.read_text(encoding="utf-8"))
    return notebook


def _about(notebook: Notebook) -> dict[str, Any]:
    about: dict[str, Any] = notebook["metadata"]["autodiff_kit"]
    return about


# -------------------------------------------------------------------------------- a lesson
def page(name: str, notebook: Notebook, *, site: bool = False) -> Notebook:
    """A lesson as it reads in the book: places to run it at the top, and outputs that need no kernel."""
    first, *rest = notebook["cells"]
    title, _, text = "".join(first["source"]).partition("\n")
    here = f"{_places_here(name)}\n\n" if site else ""
    opened = {**first, "source": f"{title}\n\n{here}{_places(name)}\n{text}"}
    return {**notebook, "cells": [_still(cell, site=site) for cell in (opened, *rest)]}


def _places_here(name: str) -> str:
    """Where a lesson runs on this site. These are addresses, not pages of the book, so they are written as HTML."""
    where = (
        ("Run here", "run", f"{LITE}/notebooks/index.html?path=notebooks/{name}"),
        ("Open all in the lab", "lab", f"{LITE}/lab/index.html?path=notebooks/{name}"),
        ("Practise: its exercises", "practise", f"{LITE}/notebooks/index.html?path=exercises/{name}"),
    )
    links = " · ".join(f'<a class="here-{kind}" href="{link}">{words}</a>' for words, kind, link in where)
    return f"{links}\n\n{PRACTICE}"


def _places(name: str) -> str:
    here = address.read()
    if not here.repository:
        return ""
    where = (
        ("run it on Binder", here.binder(f"notebooks/{name}")),
        ("in Colab", here.colab(f"notebooks/{name}")),
        ("its exercises on Binder", here.binder(f"exercises/{name}")),
    )
    return " · ".join(f"[{words}]({link})" for words, link in where) + "\n"


def _still(cell: dict[str, Any], *, site: bool = False) -> dict[str, Any]:
    """A cell whose links lead somewhere on a static page, and whose widgets are the picture and table they saved."""
    if cell["cell_type"] == "markdown":
        binder = address.read().binder("")
        there = rf'<a href="{LITE}/notebooks/index.html?path=\2">\1</a>' if site else rf"[\1]({binder}\2)"
        source = re.sub(r"\[([^\]]+)\]\(\.\./(exercises/[^)]+)\)", there, "".join(cell["source"]))
        return {**cell, "source": source}
    return {**cell, "outputs": [_shown(one) for one in cell["outputs"]]}


def _shown(output: dict[str, Any]) -> dict[str, Any]:
    data = {kind: text for kind, text in output.get("data", {}).items() if "widget-view" not in kind}
    return {**output, "data": data} if data else output


# -------------------------------------------------------------------------------- the list of lessons
def contents(lessons: dict[str, Notebook]) -> str:
    """The lessons with what each is about, and the two pages made from them."""
    source = address.read().source
    rows = [_row(name, _about(notebook)) for name, notebook in lessons.items()]
    pages = "\n".join(Path(name).stem for name in lessons)
    return f"""# Lessons

Each lesson corrects one common wrong idea. It asks for your prediction, computes the result, and says why. The pages
here show the lessons with their outputs; to answer the questions and to use the widgets, run them.

| lesson | what you will be able to do | minutes |
|---|---|---|
{chr(10).join(rows)}

In Colab, first install the kit in a new cell at the top: `%pip install git+{source}`. Where a widget cannot run, its
picture and its table are shown.

```{{toctree}}
:hidden:
:maxdepth: 1

{pages}
```
"""


def _row(name: str, about: dict[str, Any]) -> str:
    return f"| [{about['no']} · {about['title']}]({name}) | {about['goal']} | {about['minutes']} |"


# -------------------------------------------------------------------------------- differences
def differences(lessons: dict[str, Notebook]) -> str:
    """Every truth table, as the lessons show them: the others measured, the kit's column computed."""
    parts = [_tables(name, notebook) for name, notebook in lessons.items()]
    return f"""# Differences from TensorFlow, PyTorch and JAX

Libraries differ in special cases: where a function has no derivative, where a target does not depend on a source, where
a mask removes every entry. Each table comes from a lesson. The columns of the other libraries were measured with the
versions named in them, by the scripts in `benchmarks/truth_tables/`. The kit's column was computed by a cell of the
lesson.

{"".join(parts)}"""


def _tables(name: str, notebook: Notebook) -> str:
    shown = [
        "".join(output["data"]["text/html"])
        for cell in notebook["cells"]
        if cell["cell_type"] == "code" and "truth_table(" in "".join(cell["source"])
        for output in cell["outputs"]
        if "text/html" in output.get("data", {})
    ]
    if not shown:
        return ""
    about = _about(notebook)
    tables = "\n".join(f"```{{raw}} html\n{html}\n```\n" for html in shown)
    return f"## [{about['no']} · {about['title']}]({name})\n\n{about['summary']}\n\n{tables}\n"


# -------------------------------------------------------------------------------- words
_ENTRY = re.compile(r"^(?P<term>\S.*)\n: (?P<text>.+) \[(?P<no>\d\d)\]\(lessons/[^)]+\)$", re.MULTILINE)


def words_by_lesson(lessons: dict[str, Notebook], glossary: str) -> str:
    """The glossary's entries in the order of the lessons that introduce them."""
    parts = []
    for name, notebook in lessons.items():
        about = _about(notebook)
        entries = [f"{one['term']}\n: {one['text']}" for one in _ENTRY.finditer(glossary) if one["no"] == about["no"]]
        if entries:
            parts.append(f"## [{about['no']} · {about['title']}]({name})\n\n" + "\n\n".join(entries) + "\n")
    return f"""# Words, lesson by lesson

The entries of the [](../glossary.md), each with the lesson that introduces it.

{chr(10).join(parts)}"""


# -------------------------------------------------------------------------------- plans
def plans(lessons: dict[str, Notebook]) -> str:
    """The plans for classes, with minutes and points from the lessons and exercises themselves."""
    known = {_about(notebook)["no"]: (name, _about(notebook)) for name, notebook in lessons.items()}
    parts = [_plan(title, steps, known) for title, steps in PLANS.items()]
    return f"""# Plans for classes

*Minutes* is the time for the lessons, *at home* the time for their exercises, and *points* the points of the exercises.

{chr(10).join(parts)}"""


def _plan(title: str, steps: tuple[tuple[str, str], ...], known: dict[str, tuple[str, dict[str, Any]]]) -> str:
    rows, total = [], [0, 0, 0]
    for when, numbers in steps:
        taught = [no for no in numbers.split() if no in known]  # a lesson that is still to come is left out
        links = ", ".join(f"[{no} · {known[no][1]['title']}]({known[no][0]})" for no in taught)
        minutes = sum(known[no][1]["minutes"] for no in taught)
        home, points = (sum(getattr(LESSONS[no], what) for no in taught) for what in ("minutes", "points"))
        rows.append(f"| {when} | {links} | {minutes} | {home} | {points} |")
        total = [so_far + more for so_far, more in zip(total, (minutes, home, points), strict=True)]
    in_class, at_home = (f"{minutes / 60:.1f} h" for minutes in total[:2])
    rows.append(f"| **together** | | **{in_class}** | **{at_home}** | **{total[2]}** |")
    head = "| when | lessons | minutes | at home | points |\n|---|---|---|---|---|"
    return f"## {title}\n\n{head}\n{chr(10).join(rows)}\n"


# -------------------------------------------------------------------------------- misconceptions
def misconceptions() -> str:
    """What the exercises recognise by name, question by question."""
    parts = [_ideas(LESSONS[no]) for no in sorted(LESSONS)]
    return f"""# Misconceptions by name

For each question, the misconceptions that its check recognises, and the message that a learner gets. A dash stands for
a value that depends on the learner's answer.

{chr(10).join(parts)}"""


def _ideas(lesson: Lesson) -> str:
    questions = "\n".join(_recognised(question) for question in lesson.questions)
    return f"## [{lesson.no} · {lesson.title.removesuffix(': exercises')}]({lesson.slug}.ipynb)\n\n{questions}"


def _recognised(question: Question) -> str:
    rows = "\n".join(f"| {idea.replace('-', ' ')} | {_told(text)} |" for idea, text in question.messages.items())
    head = f"### {question.title}\n\n`{question.id}`, {question.points} point{'s' * (question.points != 1)}"
    return f"{head}\n\n| the idea | what the learner is told |\n|---|---|\n{rows}\n"


def _told(text: str) -> str:
    """A message without the facts of a case; signs that Markdown would take for its own are kept as they are."""
    return re.sub(r"\{[^}]*\}", "–", text).replace("|", "\\|").replace("*", "\\*").replace("$", "\\$")
