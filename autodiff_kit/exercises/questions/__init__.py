"""The questions: a file for each lesson, a block for each question."""

from __future__ import annotations

from .lesson06 import LESSON as LESSON_06
from .lesson15 import LESSON as LESSON_15

__all__ = ["LESSONS"]

LESSONS = {lesson.no: lesson for lesson in (LESSON_06, LESSON_15)}
