"""The prompts of every lesson; their texts stand in ``asked``, a module for each lesson."""

from __future__ import annotations

from autodiff_kit.lessons.asked import (
    lesson00,
    lesson01,
    lesson02,
    lesson03,
    lesson04,
    lesson05,
    lesson06,
    lesson07,
    lesson08,
    lesson09,
    lesson10,
    lesson11,
    lesson12,
    lesson13,
    lesson14,
    lesson15,
    lesson16,
    lesson17,
    lesson18,
    lesson19,
    lesson20,
    lesson21,
)
from autodiff_kit.lessons.prompts import by_name

__all__ = ["PROMPTS"]

PROMPTS = by_name(
    (
        *lesson00.PROMPTS,
        *lesson01.PROMPTS,
        *lesson02.PROMPTS,
        *lesson03.PROMPTS,
        *lesson04.PROMPTS,
        *lesson05.PROMPTS,
        *lesson06.PROMPTS,
        *lesson07.PROMPTS,
        *lesson08.PROMPTS,
        *lesson09.PROMPTS,
        *lesson10.PROMPTS,
        *lesson11.PROMPTS,
        *lesson12.PROMPTS,
        *lesson13.PROMPTS,
        *lesson14.PROMPTS,
        *lesson15.PROMPTS,
        *lesson16.PROMPTS,
        *lesson17.PROMPTS,
        *lesson18.PROMPTS,
        *lesson19.PROMPTS,
        *lesson20.PROMPTS,
        *lesson21.PROMPTS,
    )
)
