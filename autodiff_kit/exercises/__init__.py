"""Graded exercises: checks that draw anew, misconceptions with names, hints in tiers.

questions, models, solutions
    What is asked, what each mistake would compute, and what is right.
protocol, driver, marking, checker
    How a check talks to a learner's functions, and how an attempt is judged.
exercise, notes
    What a learner holds, ``q1.check()``, ``q1.hint()``, ``q1.solution()``, and what is said back.
notebook
    The notebooks of ``exercises/``, made from the questions.
"""

from __future__ import annotations

from .exercise import Exercise, Graded, exercise
from .messages import Note, Result

__all__ = ["Exercise", "Graded", "Note", "Result", "exercise"]
