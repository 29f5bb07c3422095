"""Random programs, and the bytes that a tape holds as each misconception of tape-4 counts them."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np

Line = tuple[Any, ...]


OPS = ("add", "exp", "mul", "relu", "sin", "square")


KEEPS = {"add": "", "sum": "", "mul": "in", "square": "in", "sin": "in", "exp": "out", "relu": "mask"}


def program(rng: np.random.Generator) -> list[Line]:
    """Eight lines over two arrays; an array is held twice, and only the last line may be a sum."""
    lines: list[Line] = [("mul", 0, 1), ("square", 0), ("relu", 2), ("exp", 3), ("add", 4, 5)]
    for _ in range(2):
        op = OPS[rng.integers(len(OPS))]
        lines.append((op, *(int(i) for i in rng.integers(0, 2 + len(lines), 2 if op in ("add", "mul") else 1))))
    last = ("sum", "mul")[rng.integers(2)]
    return [*lines, (last, *(int(i) for i in rng.integers(2, 9, 2 if last == "mul" else 1)))]


def holding(lines: list[Line], keeps: dict[str, str] = KEEPS) -> list[list[Hashable]]:
    """What each line holds: numbers of arrays, and masks by the number of their line."""
    found: list[list[Hashable]] = []
    for i, (op, *inputs) in enumerate(lines, start=2):
        kept = keeps[op]
        held: dict[str, list[Hashable]] = {
            "": [],
            "in": [*inputs],
            "out": [i],
            "mask": [("mask", i)],
            "all": [*inputs, i],
        }
        found.append(held[kept])
    return found


def weight(what: list[Hashable], n: int) -> int:
    """Bytes of arrays and masks."""
    return sum(n if isinstance(one, tuple) else 8 * n for one in what)


def everything(lines: list[Line], n: int) -> int:
    """Every input and every answer."""
    return weight(list({one for held in holding(lines, dict.fromkeys(KEEPS, "all")) for one in held}), n)


def counted_twice(lines: list[Line], n: int) -> int:
    """An array that two lines hold is there twice."""
    return weight([one for held in holding(lines) for one in held], n)


def whole_relu(lines: list[Line], n: int) -> int:
    """relu holds its input."""
    return weight(list({one for held in holding(lines, KEEPS | {"relu": "in"}) for one in held}), n)


def first_shared(lines: list[Line]) -> tuple[int, int]:
    """The first two different lines that hold the same array."""
    found = holding(lines)
    pairs = ((i, j) for j in range(len(found)) for i in range(j) if set(found[i]) & set(found[j]))
    i, j = next(pairs)
    return i + 2, j + 2
