"""The questions: a file for each lesson, a block for each question."""

from __future__ import annotations

from .lesson01 import LESSON as LESSON_01
from .lesson06 import LESSON as LESSON_06
from .lesson09 import LESSON as LESSON_09
from .lesson15 import LESSON as LESSON_15

__all__ = ["LESSONS"]

LESSONS = {lesson.no: lesson for lesson in (LESSON_01, LESSON_06, LESSON_09, LESSON_15)}
