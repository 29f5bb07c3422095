"""The questions: a file for each lesson, a block for each question."""

from __future__ import annotations

from .lesson00 import LESSON as LESSON_00
from .lesson01 import LESSON as LESSON_01
from .lesson02 import LESSON as LESSON_02
from .lesson03 import LESSON as LESSON_03
from .lesson04 import LESSON as LESSON_04
from .lesson05 import LESSON as LESSON_05
from .lesson06 import LESSON as LESSON_06
from .lesson07 import LESSON as LESSON_07
from .lesson08 import LESSON as LESSON_08
from .lesson09 import LESSON as LESSON_09
from .lesson10 import LESSON as LESSON_10
from .lesson11 import LESSON as LESSON_11
from .lesson12 import LESSON as LESSON_12
from .lesson13 import LESSON as LESSON_13
from .lesson14 import LESSON as LESSON_14
from .lesson15 import LESSON as LESSON_15
from .lesson16 import LESSON as LESSON_16
from .lesson17 import LESSON as LESSON_17
from .lesson18 import LESSON as LESSON_18
from .lesson19 import LESSON as LESSON_19
from .lesson20 import LESSON as LESSON_20
from .lesson21 import LESSON as LESSON_21

__all__ = ["LESSONS"]

LESSONS = {
    lesson.no: lesson
    for lesson in (
        LESSON_00,
        LESSON_01,
        LESSON_02,
        LESSON_03,
        LESSON_04,
        LESSON_05,
        LESSON_06,
        LESSON_07,
        LESSON_08,
        LESSON_09,
        LESSON_10,
        LESSON_11,
        LESSON_12,
        LESSON_13,
        LESSON_14,
        LESSON_15,
        LESSON_16,
        LESSON_17,
        LESSON_18,
        LESSON_19,
        LESSON_20,
        LESSON_21,
    )
}
