"""What would go wrong in class, found before class."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

import autodiff_kit
from autodiff_kit.exercises.check_runner import Verdict, grade

from . import notebook_cells
from .master_notebook import BEGIN_HIDDEN, END_HIDDEN, HEADING
from .release import released

if TYPE_CHECKING:
    from autodiff_kit.exercises.question import Question

    from .master_notebook import Master, Wrong

__all__ = ["Problem", "validate"]

SEEDS = 100
ID = re.compile(r"[a-zA-Z0-9_\-]+")
HINTS = 3
TELLING = 12  # letters that a line of an answer must have before it can give anything away


@dataclass(frozen=True)
class Problem:
    """One thing to mend.

    Attributes
    ----------
    where : str
        The question, or the notebook.
    what : str
        What is wrong, and what to do.
    """

    where: str
    what: str

    def __str__(self) -> str:
        return f"{self.where}: {self.what}"


def validate(master: Master, seeds: int = SEEDS) -> list[Problem]:
    """Look for everything that makes an exercise unfair, wrong or leaky.

    Parameters
    ----------
    master : Master
        The exercise.
    seeds : int
        How many draws each answer is checked on.

    Returns
    -------
    list of Problem
        In the order of the notebook; empty if there is none.
    """
    found = [*_ids(master.notebook), *_cells(master)]
    for question in master.lesson.questions:
        found += [Problem(question.id, what) for what in _texts(question)]
        found += [Problem(question.id, what) for what in _leaks(question, released(master.notebook))]
        found += [Problem(question.id, what) for what in _answers(question, master.wrong[question.id], range(seeds))]
    return found


# ---------------------------------------------------------------- the notebook
def _ids(notebook: dict[str, Any]) -> Iterator[Problem]:
    """Ids of cells and of nbgrader's grades, each of which may stand once."""
    names = [str(cell.get("id")) for cell in notebook["cells"]]
    grades = [
        cell["metadata"]["nbgrader"].get("grade_id", "") for cell in notebook["cells"] if "nbgrader" in cell["metadata"]
    ]
    for kind, all_of_them in (("cell id", names), ("grade_id", grades)):
        for name, count in Counter(all_of_them).items():
            if count > 1:
                yield Problem(
                    name, f"{count} cells have this {kind}. Delete the copies, or give them ids of their own."
                )
            elif not ID.fullmatch(name):
                yield Problem(name, f"A {kind} is made of letters, digits, - and _.")


def _cells(master: Master) -> Iterator[Problem]:
    """Each question has one check that nbgrader can grade, with the same points, and a heading."""
    for question in master.lesson.questions:
        checks = [
            cell
            for cell in master.notebook["cells"]
            if cell["metadata"].get("nbgrader", {}).get("grade_id") == question.id
        ]
        if len(checks) != 1:
            yield Problem(question.id, "No cell carries its grade: the check's nbgrader metadata needs this grade_id.")
            continue
        points = checks[0]["metadata"]["nbgrader"].get("points")
        if points != question.points:
            yield Problem(
                question.id, f"nbgrader would give {points} points, the kit {question.points}. Make them equal."
            )
        source = notebook_cells.source_of(checks[0])
        if BEGIN_HIDDEN not in source or END_HIDDEN not in source or ".graded()" not in source:
            yield Problem(
                question.id, f"Its check needs `{BEGIN_HIDDEN}`, a line such as `q1.graded()`, `{END_HIDDEN}`."
            )
    labels = [match["label"] for cell in master.notebook["cells"] for match in HEADING.finditer(notebook_cells.source_of(cell))]
    if labels != [f"q{i}" for i in range(1, len(labels) + 1)]:
        yield Problem("headings", f"Questions are called q1, q2, ... in their order; got {', '.join(labels)}.")


def _texts(question: Question) -> Iterator[str]:
    if len(question.hints) != HINTS:
        yield f"It has {len(question.hints)} hints; there are {HINTS}, from a nudge to nearly the answer."
    if not question.text:
        yield "It has no text below its heading."
    for name in question.messages:
        if re.search(r"[\s,;]", name):
            yield f"The misconception {name!r} cannot be counted: no spaces, commas or semicolons."


def _leaks(question: Question, notebook: dict[str, Any]) -> Iterator[str]:
    """Lines of the worked answer, or hints, that a learner would find in the notebook."""
    text = "\n".join(notebook_cells.source_of(cell) for cell in notebook["cells"])
    told = [line.strip() for line in question.solution.splitlines()]
    for line in told:
        telling = len(line) >= TELLING and not line.startswith(("#", "def ", "import ", "from ", '"""', "return None"))
        # What the question hands over, such as a call to be made, may stand in its text; what is returned may not.
        given = question.starter if line.startswith("return") else question.starter + question.text
        if telling and line in text and line not in given:
            yield f"A line of its worked answer stands in the learner's notebook: {line}"
    for hint in question.hints:
        if len(hint) >= TELLING and hint in text:
            yield "A hint stands in the learner's notebook."


# ---------------------------------------------------------------- the answers
def _answers(question: Question, wrong: tuple[Wrong, ...], seeds: range) -> Iterator[str]:
    """The starter earns nothing, the worked answer everything, a wrong one less and its own name, for every draw."""
    yield from _tried(question, question.starter, "The starter", seeds[:3], _earns_nothing)
    yield from _tried(question, f"{question.starter}\n{question.solution}", "The worked answer", seeds, _earns_all)
    if not wrong and not question.ships:
        yield "It has no wrong answer. Add one for each misconception that it names, in cells of part 'wrong'."
    for i, answer in enumerate(wrong, 1):

        def told(verdict: Verdict, name: str = answer.misconception) -> str:
            return _is_told(verdict, name)

        yield from _tried(
            question, answer.source, f"Wrong answer {i} ({answer.misconception or 'unnamed'})", seeds, told
        )


def _tried(question: Question, source: str, what: str, seeds: range, fault: Any) -> Iterator[str]:
    names: dict[str, Any] = {"__name__": "answer", "np": np, "ak": autodiff_kit}  # as a notebook's first cell has them
    try:
        exec(compile(source, f"<{what} of {question.id}>", "exec"), names)  # the author's own code
    except Exception as error:  # noqa: BLE001 - whatever the answer raises is told
        yield f"{what} stops with {type(error).__name__}: {error}"
        return
    missing = [name for name in question.writes if not callable(names.get(name))]
    if missing:
        yield f"{what} defines no {', '.join(missing)}."
        return
    functions = {name: names[name] for name in question.writes}
    for seed in seeds:
        said = fault(grade(question, functions, seed))
        if said:
            yield f"{what} {said} (seed {seed})."
            return


def _earns_nothing(verdict: Verdict) -> str:
    return f"earns {verdict.share:g} of the points" if verdict.share else ""


def _earns_all(verdict: Verdict) -> str:
    return "" if verdict.outcome == "passed" else f"fails: {verdict.message}"


def _is_told(verdict: Verdict, name: str) -> str:
    if verdict.outcome == "passed":
        return "passes"
    if verdict.outcome == "error":
        return f"stops: {verdict.message}"
    told = verdict.misconception
    return "" if told == name else f"is told {told!r} in place of {name!r}"
