"""The template for a new exercise: a master notebook with one working question, the same or drawn for each learner."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from autodiff_kit.errors import FileError, StructureError

from .master_notebook import BEGIN, BEGIN_HIDDEN, END, END_HIDDEN
from .notebook_cells import HELP, code_cell, exercise_metadata, make_notebook, markdown_cell, question_metadata
from .release import write_notebook

__all__ = ["BEGINNING", "new_exercise", "new_master"]

HEAD = """# {title}

**Goal.** Say in one sentence what the learner will be able to do.

1 question, 2 points, about 15 minutes. {what_to_do}"""
CHECKED_AT_ONCE = """Fill in the function and run the check below it: it draws new numbers every
time, says what it found, and a check that fails costs nothing."""
CHECKED_LATER = "Fill in the function with your own numbers, which the first cell shows. Your teacher grades it later."
BEGINNING = """import numpy as np

import autodiff_kit as ak
from autodiff_kit.learn import exercise

(q1,) = exercise("{slug}")"""
TEXT = """## q1 · The slope of a product (2 points)

Write `slope(x)`, the derivative of x·sin(x) at every number of the array x."""
ANSWER = f'''def slope(x):
    """The derivative of x * sin(x), for an array x."""
    ...
{BEGIN}
def slope(x):
    return np.sin(x) + x * np.cos(x)
{END}'''
CHECK = f"""q1.check()
{BEGIN_HIDDEN}
q1.graded()
{END_HIDDEN}"""
AUTHOR_CELL = """# The author's cell: it stays in the master.
# A check asks for calls of the learner's functions, and compares the results{what_it_is_given}.
import numpy as np

from autodiff_kit.exercises.protocol import Call

messages = {{{messages}}}
hints = (
    "{hints[0]}",
    "{hints[1]}",
    "{hints[2]}",
)


def example(rng):
    return {{"x": rng.uniform(-2, 2, 3).round(2)}}


{check}"""
AUTHOR = AUTHOR_CELL.format(
    what_it_is_given="",
    messages="""
    "product-of-slopes": "You multiplied the two slopes. Wiggle x: both factors move, one after the other.",
    "forgets-the-second": "You moved the first factor and held sin(x) still. It moves too.",
""",
    hints=("Two things depend on x.", "The slope of a product has two terms.", "`sin(x) + x * cos(x)`"),
    check="""def check(attempt, rng):
    for n in (1, 4):
        x = rng.uniform(0.5, 3, n)
        reply = yield Call("slope", (x,))
        mistakes = {"product-of-slopes": np.cos(x), "forgets-the-second": np.sin(x)}
        if not attempt.warned(reply):
            attempt.case(reply.value, np.sin(x) + x * np.cos(x), mistakes, tol=1e-10)""",
)
WRONG = {
    "product-of-slopes": "def slope(x):\n    return 1 * np.cos(x)",
    "forgets-the-second": "def slope(x):\n    return np.sin(x)",
}


PARAMETERS = {"k": [2, 3, 4, 5, 6, 7, 8, 9], "phase": [0.1, 0.2, 0.3, 0.4, 0.6, 0.7, 0.8, 0.9]}
BEGINNING_WITH_LOGIN = BEGINNING.replace(
    '(q1,) = exercise("{slug}")', '# Your login, as the course lists it: your numbers follow from it.\n'
    '(q1,) = exercise("{slug}", login="")',
)  # fmt: skip
TEXT_PER_LEARNER = """## q1 · The slope of a wave (2 points)

Write `slope(x)`, the derivative of sin(k·x + phase) at every number of the array x. The first cell shows your own k and
phase; write them into your function. Your teacher grades it later."""
ANSWER_PER_LEARNER = f'''def slope(x):
    """The derivative of sin(k * x + phase), for an array x and your own k and phase."""
    ...
{BEGIN}
def slope(x):
    return k * np.cos(k * x + phase)
{END}'''
AUTHOR_PER_LEARNER = AUTHOR_CELL.format(
    what_it_is_given="; it is given the learner's own numbers",
    messages='"no-inner-slope": "The slope of the inner function is missing."',
    hints=("Which function is inside?", "Multiply the two slopes.", "`k * cos(k * x + phase)`"),
    check="""def check(attempt, rng, k, phase):
    for n in (1, 4):
        x = rng.uniform(-1, 1, n)
        reply = yield Call("slope", (x,))
        outer = np.cos(k * x + phase)
        if not attempt.warned(reply):
            attempt.case(reply.value, k * outer, {"no-inner-slope": outer}, tol=1e-10)""",
)
WRONG_PER_LEARNER = {"no-inner-slope": "def slope(x):\n    return np.cos(k * x + phase)"}


class Template(NamedTuple):
    """The texts of a new exercise, and the metadata of its answer cell."""

    what_to_do: str
    beginning: str
    text: str
    answer: str
    author: str
    wrong: dict[str, str]
    help: bool = True
    about: Mapping[str, Any] = {}


FOR_ALL = Template(CHECKED_AT_ONCE, BEGINNING, TEXT, ANSWER, AUTHOR, WRONG)
FOR_EACH_LEARNER = Template(
    CHECKED_LATER,
    BEGINNING_WITH_LOGIN,
    TEXT_PER_LEARNER,
    ANSWER_PER_LEARNER,
    AUTHOR_PER_LEARNER,
    WRONG_PER_LEARNER,
    help=False,  # there are no hints, and no worked answer
    about={"private": True, "parameters": PARAMETERS},
)


def new_exercise(name: str, folder: Path, *, per_learner: bool = False) -> Path:
    """Write the master notebook of a new exercise: one question that builds and validates without changes.

    Parameters
    ----------
    name : str
        Such as ``newton_steps``: letters, digits and ``_``, no digit first.
    folder : Path
        The folder for the notebook.
    per_learner : bool
        Whether the question is private, with numbers that are drawn for each learner.

    Returns
    -------
    Path
        The master, ``<name>.ipynb``.

    Raises
    ------
    StructureError
        If the name is not valid.
    FileError
        If a file of that name exists.
    """
    path = new_master(name, folder)
    return write_notebook(path, _template_notebook(name, FOR_EACH_LEARNER if per_learner else FOR_ALL))


def new_master(name: str, folder: Path) -> Path:
    """Where to write a new exercise; raises if its name is no Python module's, or is taken."""
    if not re.fullmatch(r"[a-z][a-z0-9_]*", name):
        raise StructureError(f"The name of an exercise must consist of lower-case letters, digits and _; got {name!r}.")
    path = folder / f"{name}.ipynb"
    if path.exists():
        raise FileError(f"{path} already exists; nothing was changed. Choose another name.")
    return path


def _template_notebook(slug: str, template: Template) -> dict[str, Any]:
    title = slug.replace("_", " ").capitalize()
    question = f"{slug.replace('_', '-')}-1"
    wrong = [
        code_cell(
            f"{question}-wrong-{i}",
            f"import numpy as np\n\n\n{source}",
            **question_metadata(question, "wrong", misconception=name),
        )
        for i, (name, source) in enumerate(template.wrong.items(), 1)
    ]
    help_cell = code_cell(f"{question}-help", HELP.format(label="q1"), **question_metadata(question, "help"))
    found = [
        markdown_cell("head", HEAD.format(title=title, what_to_do=template.what_to_do)),
        code_cell("begin", template.beginning.format(slug=slug)),
        markdown_cell(f"{question}-text", template.text, **question_metadata(question, "text")),
        code_cell(question, template.answer, **question_metadata(question, "answer", points=2, **template.about)),
        code_cell(f"{question}-check", CHECK, **question_metadata(question, "check", points=2)),
        *([help_cell] if template.help else []),
        code_cell(f"{question}-author", template.author, **question_metadata(question, "author")),
        *wrong,
    ]
    goal = "Say in one sentence what the learner will be able to do."
    return make_notebook(found, exercise_metadata(slug, slug, title, goal, minutes=15, questions=1, points=2))
