"""Plans for one class, minute by minute, made from the lessons: 50 minutes with the lesson, 120 with its exercises."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from autodiff_kit.exercises.question import Lesson
from autodiff_kit.exercises.questions import LESSONS
from autodiff_kit.lessons.prompts import prompts_of

sys.path.append(str(Path(__file__).resolve().parents[1] / "tests" / "notebooks"))

from reading_time import sections

__all__ = ["class_plans"]

SHORT, LONG = 50, 120
OPENING, CLOSING, BREAK = 3, 3, 10
VOTE = 2  # minutes for hands and for the talk after them, beside the reading
TASK = 4
AT_HOME = ("Other libraries", "Try it", "Summary", "References")
Notebook = dict[str, Any]
Step = tuple[float, str]


def class_plans(lessons: dict[str, Notebook]) -> str:
    """The page with outcomes and plans of every lesson."""
    parts = [_lesson(name, notebook) for name, notebook in lessons.items()]
    return f"""# One class, minute by minute

For each lesson: what learners can do afterwards, which questions of the exercises show it, and a plan for {SHORT} and
for {LONG} minutes. The minutes follow from the text, the code, the prompts and the widget of the lesson, by the formula
that sets a lesson's stated time. *Vote* means: everybody commits an answer in their own notebook, then hands are
counted, and only then the cell below is run.

{chr(10).join(parts)}"""


def _lesson(name: str, notebook: Notebook) -> str:
    about = notebook["metadata"]["autodiff_kit"]
    exercise = LESSONS[about["no"]]
    shown = "; ".join(f"`{one.id}` {one.title} ({one.points})" for one in exercise.questions)
    return f"""## [{about["no"]} · {about["title"]}]({name})

**Outcome.** {about["goal"]}

**Shown by** {shown}: {exercise.points} points, about {exercise.minutes} minutes.

{_table("50 minutes", _short_plan(notebook))}
{_table("120 minutes", _long_plan(notebook, exercise))}"""


def _table(title: str, steps: list[Step]) -> str:
    rows, now = [], 0.0
    for minutes, text in steps:
        rows.append(f"| {now:.0f} | {text} |")
        now += minutes
    return f"| minute | {title} |\n|---|---|\n" + "\n".join(rows) + f"\n| {now:.0f} | *end* |\n"


def _short_plan(notebook: Notebook) -> list[Step]:
    """Opening, as many sections as there is time for, the widget, one sentence; the rest is named for home."""
    taught, room, home = [], SHORT - OPENING - CLOSING - _minutes(notebook, "Play"), []
    for minutes, text, heading in _sections(notebook):
        if minutes <= room and not home:
            taught.append((minutes, text))
            room -= minutes
        else:
            home.append(heading)
    play = "*Play*: in pairs. One moves the widget, the other says first what will happen."
    steps = [_opening(), *taught, (_minutes(notebook, "Play"), play)]
    if room >= TASK:
        steps.append((room, "*Try it*: a task of your choice, alone; compare in pairs."))
        room = 0
    left = ", ".join([*home, *(["*Try it*"] if room else []), "the exercises"])
    sentence = "Everybody writes one sentence on why the most popular wrong answer is wrong."
    return [*steps, (CLOSING, f"{sentence} At home: {left}.")]


def _long_plan(notebook: Notebook, exercise: Lesson) -> list[Step]:
    """The whole lesson with its tasks, a break, then as many questions of the exercises as there is time for."""
    steps = [_opening(), *((minutes, text) for minutes, text, _ in _sections(notebook))]
    steps.append((2 * _minutes(notebook, "Play"), "*Play*, first in pairs, then a task of *Try it* each."))
    steps.append((BREAK, "Break."))
    room = LONG - CLOSING - sum(minutes for minutes, _ in steps)
    each = exercise.minutes / len(exercise.questions)
    count = max(1, min(len(exercise.questions), int(room / each)))
    names = ", ".join(f"`{one.id}`" for one in exercise.questions[:count])
    steps.append((room, f"Exercises {names}: alone for five minutes, then in pairs; look at a hint before asking."))
    later = ", ".join(f"`{one.id}`" for one in exercise.questions[count:])
    home = f" At home: {later}." if later else ""
    return [*steps, (CLOSING, f"Which misconception did `check()` name most often?{home}")]


def _opening() -> Step:
    return OPENING, "The lesson's first figure: what does it claim? Collect guesses."


def _sections(notebook: Notebook) -> Iterator[tuple[float, str, str]]:
    """Minutes, text and heading of each numbered section; the beginning belongs to the first."""
    known = {one.item: one for one in prompts_of(notebook["metadata"]["autodiff_kit"]["no"])}
    before = 0.0
    for heading, minutes, names in sections(notebook):
        if not heading:
            before = minutes
        elif not heading.endswith("Play") and not any(word in heading for word in AT_HOME):
            votes = "".join(f" **Vote:** {_in_a_cell(known[name].question)}" for name in names)
            yield minutes + before + VOTE * len(names), f"{heading}.{votes}", f"section {heading.split(' ')[0]}"
            before = 0.0


def _in_a_cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def _minutes(notebook: Notebook, word: str) -> float:
    return sum(minutes for heading, minutes, _ in sections(notebook) if heading.endswith(word))
