"""Verdicts on worked, other right and wrong answers. It runs in the engine and on the desktop, to be compared."""

from __future__ import annotations

from importlib import import_module
from typing import Any

QUESTIONS = "autodiff_kit.exercises.questions"


def main(seeds: list[int], lessons: list[str] | None = None) -> dict[str, list[list[Any]]]:
    """The verdicts by question and answer: outcome, share of the points, misconception and message for each seed."""
    from autodiff_kit.exercises.check_runner import grade_attempt
    from autodiff_kit.exercises.questions import LESSONS

    found = {}
    for no in lessons or LESSONS:
        for id in LESSONS.question_ids(no):
            question = LESSONS.load_question(id)
            for label, functions in answers(no, id, question.writes).items():
                verdicts = [grade_attempt(question, functions, seed) for seed in seeds]
                found[f"{id}: {label}"] = [[v.outcome, v.share, v.misconception, v.message] for v in verdicts]
    return found


def answers(no: str, id: str, names: tuple[str, ...]) -> dict[str, dict[str, Any]]:
    """All answers to a question that the kit knows, each as its functions by name."""

    def beside(module: str) -> Any:
        return import_module(f"{QUESTIONS}.lesson{no}.{id.replace('-', '_')}.{module}")

    worked = {name: getattr(beside("solution"), name) for name in names}
    try:
        other = {"another right answer": dict(zip(names, beside("other").OTHER, strict=True))}
    except ModuleNotFoundError:  # it uses SciPy, which the engine does not have
        other = {}
    wrong = {label: dict(zip(names, given, strict=True)) for label, (given, _) in beside("wrong").WRONG.items()}
    return {"the worked answer": worked, **other, **wrong}
