"""Validation of a master notebook: leaks, missing points, starters that pass, answers that fail, faults that pass."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

from autodiff_kit.errors import StructureError
from autodiff_kit.exercises.check_runner import Verdict, grade_attempt, question_rng
from autodiff_kit.exercises.parameters import ParameterValues, assignment_lines, bind_parameters, draw_parameters
from autodiff_kit.exercises.question import Lesson, Question
from autodiff_kit.exercises.questions import LESSONS
from autodiff_kit.exercises.withheld import find_functions

from .master_notebook import BEGIN_HIDDEN, END_HIDDEN, HEADING, MasterNotebook, WrongAnswer, execute_answer
from .mutation_testing import try_mutants
from .notebook_cells import cell_source, kit_metadata
from .release import learner_notebook
from .variant import shipped_sibling

__all__ = ["ValidationProblem", "validate_exercise"]

VALID_ID = re.compile(r"[a-zA-Z0-9_\-]+")
HINT_COUNT = 3
MIN_LEAK_LENGTH = 12  # shorter lines of an answer are too common to count as a leak


@dataclass(frozen=True)
class ValidationProblem:
    """One problem of a master notebook.

    Attributes
    ----------
    where : str
        The question, or the notebook.
    what : str
        The problem, and what to do.
    """

    where: str
    what: str

    def __str__(self) -> str:
        return f"{self.where}: {self.what}"


def validate_exercise(master: MasterNotebook, seeds: int, mutant_draws: int = 0) -> list[ValidationProblem]:
    """Return the problems of an exercise: leaked answers, wrong points, checks that misjudge an answer.

    Parameters
    ----------
    master : MasterNotebook
        The exercise.
    seeds : int
        Number of random draws on which each answer is checked.
    mutant_draws : int, optional
        Number of random draws on which each mutant of the worked answers is checked; none are tried by default.

    Returns
    -------
    list of ValidationProblem
        In the order of the notebook; empty if there is none.
    """
    found = [*_id_problems(master.notebook), *_cell_problems(master)]
    for question in master.lesson.questions:
        found += [ValidationProblem(question.id, what) for what in _text_problems(question)]
        found += [
            ValidationProblem(question.id, what) for what in _leak_problems(question, learner_notebook(master.notebook))
        ]
        answers = _answer_problems(master.lesson, question, master.wrong[question.id], range(seeds))
        found += [ValidationProblem(question.id, what) for what in answers]
        found += [ValidationProblem(question.id, what) for what in _sibling_problems(master, question)]
        found += [ValidationProblem(question.id, what) for what in _copy_problems(master.lesson, question)]
        if mutant_draws:
            missed = _mutant_problems(master.lesson, question, mutant_draws)
            found += [ValidationProblem(question.id, what) for what in missed]
    return found


# ---------------------------------------------------------------- the notebook
def _id_problems(notebook: dict[str, Any]) -> Iterator[ValidationProblem]:
    """Duplicate or malformed cell ids and nbgrader grade ids."""
    names = [str(cell.get("id")) for cell in notebook["cells"]]
    grades = [
        cell["metadata"]["nbgrader"].get("grade_id", "") for cell in notebook["cells"] if "nbgrader" in cell["metadata"]
    ]
    for kind, all_of_them in (("cell id", names), ("grade_id", grades)):
        for name, count in Counter(all_of_them).items():
            if count > 1:
                yield ValidationProblem(
                    name, f"{count} cells have this {kind}. Delete the copies, or give them different ids."
                )
            elif not VALID_ID.fullmatch(name):
                yield ValidationProblem(name, f"A {kind} must consist of letters, digits, - and _.")


def _cell_problems(master: MasterNotebook) -> Iterator[ValidationProblem]:
    """Each question needs one check cell that nbgrader can grade, with the same points, and a heading."""
    for question in master.lesson.questions:
        checks = [
            cell
            for cell in master.notebook["cells"]
            if cell["metadata"].get("nbgrader", {}).get("grade_id") == question.id
        ]
        if len(checks) != 1:
            yield ValidationProblem(
                question.id, "No cell has its grade: the check's nbgrader metadata must have this grade_id."
            )
            continue
        points = checks[0]["metadata"]["nbgrader"].get("points")
        if points != question.points:
            yield ValidationProblem(
                question.id, f"nbgrader would give {points} points, but the kit {question.points}. Make them equal."
            )
        source = cell_source(checks[0])
        if BEGIN_HIDDEN not in source or END_HIDDEN not in source or ".graded()" not in source:
            yield ValidationProblem(
                question.id, f"Its check needs `{BEGIN_HIDDEN}`, a line such as `q1.graded()`, `{END_HIDDEN}`."
            )
    sources = [cell_source(cell) for cell in master.notebook["cells"] if kit_metadata(cell).get("part") != "author"]
    if any(question.parameters for question in master.lesson.questions) and not any("login=" in one for one in sources):
        call = f'exercise("{master.lesson.slug}", login="")'
        yield ValidationProblem("parameters", f"The first cell must let the learner write a login: {call}.")
    labels = [match["label"] for cell in master.notebook["cells"] for match in HEADING.finditer(cell_source(cell))]
    if labels != [f"q{i}" for i in range(1, len(labels) + 1)]:
        yield ValidationProblem("headings", f"Questions must be called q1, q2, ... in order; got {', '.join(labels)}.")


def _text_problems(question: Question) -> Iterator[str]:
    if len(question.hints) != HINT_COUNT:
        yield f"It has {len(question.hints)} hints, but needs {HINT_COUNT}, from a first idea to almost the answer."
    if not question.text:
        yield "It has no text below its heading."
    for name in question.without:
        try:
            find_functions(name)
        except StructureError as error:
            yield str(error)
        if f"`{name}`" not in question.text:
            yield f"Its text must say that `{name}` may not be called, because `without` names it."
    try:
        question.example(question_rng(question.id, "own:a learner"))
    except Exception as error:  # noqa: BLE001 - whatever the author's function raises is told
        yield f"Its example stops with {type(error).__name__}: {error}"
    for name in question.messages:
        if re.search(r"[\s,;]", name):
            yield f"The misconception {name!r} must not contain spaces, commas or semicolons."


def _leak_problems(question: Question, notebook: dict[str, Any]) -> Iterator[str]:
    """Lines of the worked answer, or hints, that the learner's notebook contains."""
    text = "\n".join(cell_source(cell) for cell in notebook["cells"])
    told = [line.strip() for line in question.solution.splitlines()]
    for line in told:
        telling = len(line) >= MIN_LEAK_LENGTH and not line.startswith(
            ("#", "def ", "import ", "from ", '"""', "return None")
        )
        # Code that the question shows, such as a call, may be in its text; a return statement may not.
        given = question.starter if line.startswith("return") else question.starter + question.text
        if telling and line in text and line not in given:
            yield f"The learner's notebook contains a line of its worked answer: {line}"
    for hint in question.hints:
        if len(hint) >= MIN_LEAK_LENGTH and hint in text:
            yield "The learner's notebook contains a hint."


# ---------------------------------------------------------------- the answers
def _answer_problems(lesson: Lesson, question: Question, wrong: tuple[WrongAnswer, ...], seeds: range) -> Iterator[str]:
    """For every draw: the starter earns no points, the worked answer all points, a wrong answer its misconception."""
    learners = list(_learners(lesson, question, seeds))
    yield from _try_answers(learners[:3], question.starter, "The starter", _fault_of_starter)
    worked = f"{question.starter}\n{question.solution}"
    yield from _try_answers(learners, worked, "The worked answer", _fault_of_worked_answer)
    if not wrong and LESSONS.lesson_number(question.id) is None:
        yield "It has no wrong answer. Add one for each of its misconceptions, in cells of part 'wrong'."
    for i, answer in enumerate(wrong, 1):

        def fault(verdict: Verdict, name: str = answer.misconception) -> str:
            return _fault_of_wrong_answer(verdict, name)

        what = f"Wrong answer {i} ({answer.misconception or 'unnamed'})"
        yield from _try_answers(learners, answer.source, what, fault)


def _sibling_problems(master: MasterNotebook, question: Question) -> Iterator[str]:
    """A variant of a shipped question must be another question: the shipped worked answer is no answer to it."""
    shipped = shipped_sibling(master.notebook)
    if shipped is None or shipped.writes != question.writes:
        return

    def fault(verdict: Verdict) -> str:
        return "has points" if verdict.share else ""

    said = next(_try_answers(_learners(master.lesson, question, range(3)), shipped.solution, "It", fault), "")
    if said:
        yield f"The worked answer of {shipped.id}, which learners can see, has points. Change what the question asks."


def _copy_problems(lesson: Lesson, question: Question) -> Iterator[str]:
    """The worked answer of a learner whose numbers differ in one parameter must not pass."""
    own = draw_parameters(lesson, question, "a learner")

    def fault(verdict: Verdict) -> str:
        return "passes" if verdict.outcome == "passed" else ""

    for name, values in question.parameters.items():
        for other in values:
            copied = assignment_lines({**own, name: other}) + question.solution
            learner: list[Learner] = [(bind_parameters(question, own), {}, range(3))]
            if other != own[name] and next(_try_answers(learner, copied, "It", fault), ""):
                yield f"A copy with {name} = {other!r} passes where {own[name]!r} is asked. Check what {name} changes."


def _mutant_problems(lesson: Lesson, question: Question, draws: int) -> Iterator[str]:
    """Small faults in the worked answer that the check lets pass, or that have points by luck."""
    for result in try_mutants(question, draws, draw_parameters(lesson, question, "a learner")):
        if result.is_missed:
            yield f"A fault in the worked answer is missed: {result}."


Learner: TypeAlias = tuple[Question, ParameterValues, Iterable[int]]


def _learners(lesson: Lesson, question: Question, seeds: range) -> Iterator[Learner]:
    """The question with a learner's numbers, these, and the draws; with parameters there is a learner for each draw."""
    if not question.parameters:
        yield question, {}, seeds
        return
    for seed in seeds:
        values = draw_parameters(lesson, question, f"learner {seed}")
        yield bind_parameters(question, values), values, (seed,)


def _try_answers(learners: Iterable[Learner], source: str, what: str, fault: Any) -> Iterator[str]:
    """What is wrong with an answer, for the first learner and draw on which something is."""
    for question, values, seeds in learners:
        said = next(_try_answer(question, assignment_lines(values) + source, what, seeds, fault), "")
        if said:
            yield said
            return


def _try_answer(question: Question, source: str, what: str, seeds: Iterable[int], fault: Any) -> Iterator[str]:
    try:
        names = execute_answer(source, f"<{what} of {question.id}>")
    except Exception as error:  # noqa: BLE001 - whatever the answer raises is told
        yield f"{what} stops with {type(error).__name__}: {error}"
        return
    missing = [name for name in question.writes if not callable(names.get(name))]
    if missing:
        yield f"{what} defines no {', '.join(missing)}."
        return
    functions = {name: names[name] for name in question.writes}
    for seed in seeds:
        try:
            said = fault(grade_attempt(question, functions, seed))
        except Exception as error:  # noqa: BLE001 - whatever the author's check raises is told
            said = _check_stopped(error)
        if said:
            yield f"{what} {said} (seed {seed})."
            return


def _check_stopped(error: Exception) -> str:
    words = f"ends the check with {type(error).__name__}: {error}"
    if isinstance(error, KeyError):
        words += "; `messages` must have each misconception that the check names, and `facts` each name in braces"
    return words


def _fault_of_starter(verdict: Verdict) -> str:
    return f"earns {verdict.share:g} of the points" if verdict.share else ""


def _fault_of_worked_answer(verdict: Verdict) -> str:
    return "" if verdict.outcome == "passed" else f"fails: {verdict.message}"


def _fault_of_wrong_answer(verdict: Verdict, name: str) -> str:
    if verdict.outcome == "passed":
        return "passes"
    if verdict.outcome == "error":
        return f"stops: {verdict.message}"
    told = verdict.misconception
    return "" if told == name else f"gets the message {told!r} instead of {name!r}"
