"""grow-3: Common-subexpression elimination."""

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
    for op in ("+", "*", "-"):
        yield (misconceptions.telling_expression(rng, op),)
    yield (misconceptions.random_expression(rng, "+"),)
    yield (("*", ("sin", int(rng.integers(2, 9))), "x"),)


QUESTION = comparison_question(
    id="grow-3",
    points=2,
    title="Common-subexpression elimination",
    text="""An expression is a name such as `"x"`, a number, or a tuple `(op, part, ...)`. The operations are `+`, `-`, `*` with two parts and `sin` with one. For
example, `("*", ("+", "x", "y"), ("sin", ("+", "y", "x")))` is (x + y)·sin(y + x). A compiler computes equal subexpressions once. Write `distinct`: the
number of operations that it runs.

- Sums and products do not depend on the order of their parts; differences do.
- Constant folding: a part that consists of numbers only is computed in advance. It is then a number and not an operation, so `("*", ("+", 1, 2), "x")` and `("*", "x", 3)` are equal.""",
    starter='''def distinct(expression):
    """The number of operations that run when equal subexpressions are computed once."""
    ...
''',
    solution=solution.distinct,
    inputs=inputs,
    tolerance=1e-12,
    smaller=lambda e: ((one,) for one in misconceptions.smaller_expressions(e)),
    facts=lambda e: {"n": misconceptions.count_operations(e)},
    misconceptions=(
        Misconception(
            "order-blind",
            lambda e: misconceptions.count_distinct_operations(e, commute=("+", "*", "-")),
            "x − y and y − x were counted as one operation. The order matters for a difference.",
        ),
        Misconception(
            "counts-occurrences",
            misconceptions.count_operations,
            "That is the number of all operations, {n}. Equal ones are computed once.",
        ),
        Misconception(
            "misses-commuted",
            lambda e: misconceptions.count_distinct_operations(e, commute=()),
            "x + y and y + x were counted as two operations. The order does not matter for sums and products.",
        ),
        Misconception(
            "constant-is-a-node",
            lambda e: misconceptions.count_distinct_operations(e, fold=False),
            "Operations on numbers only were counted. They are computed before the program runs.",
        ),
    ),
    hints=(
        "Can you give each part a key, so that equal parts have equal keys?",
        "Build the key of an operation from its name and the *keys* of its parts.",
        "Go depth first and keep a dictionary from `(op, *keys)` to a number; sort the keys where the op commutes (`key=repr`); give back a number where all keys are numbers. The answer is `len` of the dictionary.",
    ),
    example=lambda rng: {"expression": misconceptions.random_expression(rng, "+")},
)
