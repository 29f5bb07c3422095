"""grow-3: What runs when equal things run once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from autodiff_kit.exercises.comparison_question import Misconception, comparison_question

from . import misconceptions, solution

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy as np

__all__ = ["QUESTION"]


def inputs(rng: np.random.Generator) -> Iterator[tuple[Any]]:
    yield ("x",)
    yield (("+", 2, 3),)
    for expression in [misconceptions.random_expression(rng) for _ in range(4)]:
        yield (expression,)


QUESTION = comparison_question(
    id="grow-3",
    points=2,
    title="What runs when equal things run once",
    text="""An expression is a name such as `"x"`, a number, or a tuple `(op, part, ...)`; ops are `+`, `-`, `*` with two parts and `sin` with one. `("*", ("+", "x", "y"), ("sin", ("+", "y", "x")))` is (x + y)·sin(y + x).
A compiler runs equal parts once. How many operations are left? Sums and products are equal whichever way round their parts stand, differences are not. A part that holds numbers only is worked out beforehand: it is a number, and no
operation; `("*", ("+", 1, 2), "x")` and `("*", "x", 3)` are equal.""",
    starter='''def distinct(expression):
    """How many operations run, when equal parts run once."""
    ...
''',
    solution=solution.distinct,
    inputs=inputs,
    tolerance=1e-12,
    facts=lambda e: {"n": misconceptions.count_operations(e)},
    misconceptions=(
        Misconception(
            "order-blind",
            lambda e: misconceptions.count_distinct_operations(e, commute=("+", "*", "-")),
            "x − y is not y − x: for a difference the order counts.",
        ),
        Misconception(
            "counts-occurrences",
            misconceptions.count_operations,
            "{n} places hold an operation, but equal ones run once.",
        ),
        Misconception(
            "misses-commuted",
            lambda e: misconceptions.count_distinct_operations(e, commute=()),
            "x + y and y + x are one operation.",
        ),
        Misconception(
            "constant-is-a-node",
            lambda e: misconceptions.count_distinct_operations(e, fold=False),
            "A part that holds numbers only is a number before the program runs.",
        ),
    ),
    hints=(
        "A key for each part, so that equal parts have equal keys.",
        "The key of an operation is made of its op and the *keys* of its parts, and not of their text.",
        "Go depth first and keep a dictionary from `(op, *keys)` to a number; sort the keys where the op commutes (`key=repr`); give back a number where all keys are numbers. The answer is `len` of the dictionary.",
    ),
    example=lambda rng: {"expression": misconceptions.random_expression(rng)},
)
