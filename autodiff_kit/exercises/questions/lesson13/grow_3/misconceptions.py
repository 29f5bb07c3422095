"""Random expressions, how they are made smaller, and counts of their distinct subexpressions, right and wrong."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

Expression = Any  # a name, a number, or (op, parts ...)


COMMUTATIVE = ("+", "*")


WORKED: dict[str, Callable[..., float]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "sin": lambda a: float(np.sin(a)),
}


def random_expression(rng: np.random.Generator, folded: str) -> Expression:
    """Sums both ways round, differences both ways round, equal parts, and parts that are numbers, by ``folded``."""
    e, more = _parts(rng, folded)
    for k in rng.permutation(len(more))[: int(rng.integers(2, 5))]:
        e = ("+", e, more[k])
    return e


def telling_expression(rng: np.random.Generator, folded: str) -> Expression:
    """An expression that has a part of numbers, by ``folded``, and the number that it is, in equal products."""
    e, more = _parts(rng, folded)
    for part in more:
        e = ("+", e, part)
    return e


def _parts(rng: np.random.Generator, folded: str) -> tuple[Expression, list[Expression]]:
    x, y, z, w = (str(name) for name in rng.permutation(list("xyzw")))
    a, b = int(rng.integers(2, 5)), int(rng.integers(5, 9))
    s, number = ("+", x, y), (folded, a, b)
    e: Expression = ("*", ("+", s, ("-", x, y)), ("+", ("-", y, x), ("*", ("+", y, x), ("sin", s))))
    more = [("sin", ("+", y, x)), ("*", z, w), ("*", number, z), ("*", z, WORKED[folded](a, b)), ("+", number, s)]
    return e, more


def smaller_expressions(e: Expression) -> Iterator[Expression]:
    """One of the parts in place of the whole, and the same inside each part."""
    if isinstance(e, tuple):
        yield from e[1:]
        for k, part in enumerate(e[1:], 1):
            yield from ((*e[:k], one, *e[k + 1 :]) for one in smaller_expressions(part))


def count_distinct_operations(e: Expression, commute: tuple[str, ...] = COMMUTATIVE, fold: bool = True) -> int:
    """Operations that are left when equal parts run once; what does not commute, or fold, is a misunderstanding."""
    places: dict[Any, int] = {}

    def key(part: Expression) -> Any:
        if not isinstance(part, tuple):
            return part
        op, *inputs = part
        keys = [key(one) for one in inputs]
        if fold and all(isinstance(one, int | float) for one in keys):
            return WORKED[op](*keys)
        ordered = sorted(keys, key=repr) if op in commute else keys
        return ("node", places.setdefault((op, *ordered), len(places)))

    key(e)
    return len(places)


def count_operations(e: Expression) -> int:
    """Every place counts."""
    if not isinstance(e, tuple) or all(isinstance(one, int | float) for one in e[1:]):
        return 0
    return 1 + sum(count_operations(one) for one in e[1:])
