"""An interpreter for programs on single numbers: one compiled loop runs all programs.

Compiling a program of a few hundred operations takes a second; interpreting takes four nanoseconds for each operation.
Importing this module imports numba.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import njit

from autodiff_kit.kernels.native_calls import array_at, native_entry
from autodiff_kit.kernels.vector_math import MAX_ANGLE64, exp64, sincos64, tanh64

__all__ = [
    "EXP_OF_NEGATIVE",
    "MULTIPLY_ADD",
    "MULTIPLY_SUBTRACT",
    "NEGATIVE_MULTIPLY_ADD",
    "OPERATIONS",
    "SINCOS",
    "run_program",
]

OPERATIONS = [
    "add",
    "subtract",
    "multiply",
    "divide",
    "negative",
    "sin",
    "cos",
    "exp",
    "log",
    "tanh",
    "sqrt",
    "absolute",
    "square",
    "reciprocal",
    "power",
    "maximum",
    "minimum",
    "greater",
    "greater_equal",
    "less",
    "less_equal",
    "equal",
    "not_equal",
    "isnan",
    "where",
    "positive",
    "log1p",
    "expm1",
]
"""Names of the operations; the index is the opcode."""
(
    ADD, SUBTRACT, MULTIPLY, DIVIDE, NEGATIVE, SIN, COS, EXP, LOG, TANH, SQRT, ABSOLUTE, SQUARE, RECIPROCAL,
    POWER, MAXIMUM, MINIMUM, GREATER, GREATER_EQUAL, LESS, LESS_EQUAL, EQUAL, NOT_EQUAL, ISNAN, WHERE,
    POSITIVE, LOG1P, EXPM1,
) = range(len(OPERATIONS))  # fmt: skip
SINCOS, MULTIPLY_ADD, MULTIPLY_SUBTRACT, NEGATIVE_MULTIPLY_ADD, EXP_OF_NEGATIVE = range(
    len(OPERATIONS), len(OPERATIONS) + 5
)
"""Opcodes of fused instructions: SINCOS stores the cosine at the second operand; the others are
``a * b + c``, ``a * b - c``, ``c - a * b``, ``exp(-a)``.
"""


@njit("void(float64, float64, float64)", cache=True, error_model="numpy", fastmath={"nsz"}, boundscheck=False)
def _run_program(first: Any, count: Any, cells: Any) -> None:  # noqa: C901 - a table
    program, numbers = (
        array_at(np.int64(first), (np.int64(count), 5), np.int64),
        array_at(np.int64(cells), 0, np.float64),
    )
    for i in range(program.shape[0]):
        op = program[i, 0]
        a = numbers[program[i, 2]]
        b = numbers[program[i, 3]]
        if op == ADD:
            r = a + b
        elif op == SUBTRACT:
            r = a - b
        elif op == MULTIPLY:
            r = a * b
        elif op == DIVIDE:
            r = a / b
        elif op == NEGATIVE:
            r = -a
        elif op == SINCOS:
            if abs(a) < MAX_ANGLE64:
                r, c = sincos64(a)
            else:
                r, c = math.sin(a), math.cos(a)
            numbers[program[i, 3]] = c
        elif op == MULTIPLY_ADD:
            r = a * b + numbers[program[i, 4]]
        elif op == MULTIPLY_SUBTRACT:
            r = a * b - numbers[program[i, 4]]
        elif op == NEGATIVE_MULTIPLY_ADD:
            r = numbers[program[i, 4]] - a * b
        elif op == EXP_OF_NEGATIVE:
            r = exp64(-a)
        elif op == EXP:
            r = exp64(a)
        elif op == SIN:
            r = math.sin(a)
        elif op == COS:
            r = math.cos(a)
        elif op == LOG:
            r = math.log(a)
        elif op == TANH:
            r = tanh64(a)
        elif op == SQRT:
            r = math.sqrt(a)
        elif op == ABSOLUTE:
            r = abs(a)
        elif op == SQUARE:
            r = a * a
        elif op == RECIPROCAL:
            r = 1.0 / a
        elif op == POWER:
            r = a**b
        elif op == MAXIMUM:
            r = a if a >= b or a != a else b
        elif op == MINIMUM:
            r = a if a <= b or a != a else b
        elif op == GREATER:
            r = 1.0 if a > b else 0.0
        elif op == GREATER_EQUAL:
            r = 1.0 if a >= b else 0.0
        elif op == LESS:
            r = 1.0 if a < b else 0.0
        elif op == LESS_EQUAL:
            r = 1.0 if a <= b else 0.0
        elif op == EQUAL:
            r = 1.0 if a == b else 0.0
        elif op == NOT_EQUAL:
            r = 1.0 if a != b else 0.0
        elif op == ISNAN:
            r = 1.0 if a != a else 0.0
        elif op == WHERE:
            r = b if a != 0.0 else numbers[program[i, 4]]
        elif op == POSITIVE:
            r = a
        elif op == LOG1P:
            r = math.log1p(a)
        else:
            r = math.expm1(a)
        numbers[program[i, 1]] = r


run_program = native_entry(_run_program)
"""``run_program(program, count, cells)``: address and number of the instructions, and address of the cells.

An instruction is the opcode, the cell of the result, and the cells of three operands.
"""
