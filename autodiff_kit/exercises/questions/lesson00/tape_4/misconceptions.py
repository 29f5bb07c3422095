"""Random programs, how they are made smaller, and the bytes that a tape holds as each misconception of tape-4 counts them."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from functools import partial
from typing import Any

import numpy as np

from autodiff_kit.exercises.counterexample import renumbering

ProgramLine = tuple[Any, ...]


OPS = ("add", "exp", "mul", "relu", "sin", "square")


SAVED_BY_OPERATION = {"add": "", "sum": "", "mul": "in", "square": "in", "sin": "in", "exp": "out", "relu": "mask"}
WITHOUT_EXP_OR_OTHER_MASKS = ({"exp": ""}, {"relu": "", "add": "mask", "sum": "mask"})


def random_program(rng: np.random.Generator) -> list[ProgramLine]:
    """Eleven lines over two arrays; arrays are held twice, and only the last line may be a sum."""
    lines: list[ProgramLine] = [("mul", 0, 1), ("square", 0), ("relu", 2), ("exp", 0), ("add", 4, 5)]
    lines += [("relu", 6), ("sin", 5), ("exp", 3)]
    for _ in range(2):
        op = OPS[rng.integers(len(OPS))]
        lines.append((op, *(int(i) for i in rng.integers(0, 2 + len(lines), 2 if op in ("add", "mul") else 1))))
    last = ("sum", "mul")[rng.integers(2)]
    return [*lines, (last, *(int(i) for i in rng.integers(2, 2 + len(lines), 2 if last == "mul" else 1)))]


def telling_program(rng: np.random.Generator) -> list[ProgramLine]:
    """A random program that shows it if inputs of add, exp, relu or sum are counted, exp is not, numbers begin elsewhere,
    or the masks are those of every line but relu. It ends with a sum. Inputs of add and of sum make different counts,
    and so do the input and the result of relu.
    """
    while True:
        lines = random_program(rng)
        lines[-2:] = [("add", 7, 8), ("sum", (2, 3, 6)[rng.integers(3)])]  # no other line holds these arrays
        if _tells(lines):
            return lines


def _tells(lines: list[ProgramLine]) -> bool:
    """Whether a program is as `telling_program` says; of 500 random ones it is one."""

    def wrong() -> Iterator[int]:  # what rejects most programs comes first
        yield from (bytes_if_inputs_are_saved(lines, 1, op) for op in ("exp", "relu", "add", "sum"))
        yield from (bytes_if_saved(lines, 1, other) for other in WITHOUT_EXP_OR_OTHER_MASKS)
        yield from (bytes_if_numbered_from(first, lines, 1) for first in (0, 1, 3))

    saved_inputs = partial(bytes_if_inputs_are_saved, lines, 1)
    return (
        bytes_if_numbered_from(2, lines, 1) not in wrong()
        and saved_inputs("relu") != bytes_if_relu_saves_its_result(lines, 1)
        and saved_inputs("add") != saved_inputs("sum")
    )


def smaller_programs(lines: list[ProgramLine], n: int) -> Iterator[tuple[list[ProgramLine], int]]:
    """One line less, whose readers read one of its inputs; and last ten numbers in each array."""
    for k in reversed(range(len(lines))):
        for stand_in in dict.fromkeys(lines[k][1:]):
            number = renumbering(2 + k, stand_in)
            yield [(op, *map(number, inputs)) for op, *inputs in [*lines[:k], *lines[k + 1 :]]], n
    if n != 10:
        yield lines, 10


def saved_arrays(
    lines: list[ProgramLine], keeps: dict[str, str] = SAVED_BY_OPERATION, first: int = 2
) -> list[list[Hashable]]:
    """What each line holds: numbers of arrays, and masks by the number of their line."""
    found: list[list[Hashable]] = []
    for i, (op, *inputs) in enumerate(lines, start=first):
        kept = keeps[op]
        held: list[Hashable] = [*inputs] if kept in ("in", "all") else []
        if kept in ("out", "all"):
            held.append(i)
        elif kept == "mask":
            held.append(("mask", i))
        found.append(held)
    return found


def total_bytes(what: Iterable[Hashable], n: int) -> int:
    """Bytes of arrays and masks."""
    return sum(n if isinstance(one, tuple) else 8 * n for one in what)


def bytes_if_saved(lines: list[ProgramLine], n: int, other: dict[str, str], first: int = 2) -> int:
    """Some operations hold something other than they need; what several lines hold counts once."""
    return total_bytes({one for held in saved_arrays(lines, SAVED_BY_OPERATION | other, first) for one in held}, n)


def bytes_if_numbered_from(first: int, lines: list[ProgramLine], n: int) -> int:
    """The first line computes value ``first``; 2 is right."""
    return bytes_if_saved(lines, n, {}, first)


def bytes_if_everything_is_saved(lines: list[ProgramLine], n: int) -> int:
    """Every input and every answer."""
    return bytes_if_saved(lines, n, dict.fromkeys(SAVED_BY_OPERATION, "all"))


def bytes_if_shared_counts_twice(lines: list[ProgramLine], n: int) -> int:
    """An array that two lines hold is there twice."""
    return total_bytes([one for held in saved_arrays(lines) for one in held], n)


def bytes_if_inputs_are_saved(lines: list[ProgramLine], n: int, op: str) -> int:
    """One operation holds its inputs, although its derivatives need less."""
    return bytes_if_saved(lines, n, {op: "in"})


def bytes_if_relu_saves_nothing(lines: list[ProgramLine], n: int) -> int:
    """relu holds nothing, not even where its input is positive."""
    return bytes_if_saved(lines, n, {"relu": ""})


def bytes_if_relu_saves_its_result(lines: list[ProgramLine], n: int) -> int:
    """relu holds its whole result."""
    return bytes_if_saved(lines, n, {"relu": "out"})


def first_lines_sharing_an_array(lines: list[ProgramLine]) -> tuple[int, int]:
    """The first two different lines that hold the same array."""
    found = saved_arrays(lines)
    pairs = ((i, j) for j in range(len(found)) for i in range(j) if set(found[i]) & set(found[j]))
    i, j = next(pairs)
    return i + 2, j + 2
