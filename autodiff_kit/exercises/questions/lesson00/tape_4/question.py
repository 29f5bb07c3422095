"""tape-4: What a record keeps."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from autodiff_kit.exercises.comparison_question import Misconception, comparison_question

from . import misconceptions, solution

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy as np

__all__ = ["QUESTION"]


def inputs(rng: np.random.Generator) -> Iterator[tuple[Any, int]]:
    for draw in (misconceptions.telling_program, *[misconceptions.random_program] * 3):
        yield draw(rng), int(rng.integers(10, 99))


QUESTION = comparison_question(
    id="tape-4",
    points=2,
    title="What a record keeps",
    text="""How many bytes must the record of a program keep for a sweep back to both of its inputs? Values 0 and 1 are inputs; the first line of the program computes value 2, the next value 3, and so on. A line such
as `("mul", 0, 1)` names an operation and the values that it reads. Every value is an array of n numbers of 8 bytes (the result of `sum`, a single number, is read by no line). The operations are `add`,
`sum`, `mul`, `square`, `sin`, `exp`, and `relu` (x where x is positive, 0 elsewhere). Each line keeps the least memory from which its derivatives can be computed: whole arrays (an input or the result), or a mask
of one byte (yes or no) per entry. An array that two lines keep counts once; each mask belongs to one line and counts by itself.""",
    starter='''def held(program, n):
    """Bytes that the record keeps for the sweep."""
    ...
''',
    solution=solution.held,
    inputs=inputs,
    tolerance=1e-12,
    smaller=misconceptions.smaller_programs,
    facts=lambda program, n: dict(zip("ij", misconceptions.first_lines_sharing_an_array(program), strict=True)),
    misconceptions=(
        Misconception(
            "keeps-everything",
            misconceptions.bytes_if_everything_is_saved,
            "The count fits a record that keeps the inputs and the result of every line. Which of them do the derivatives use?",
        ),
        Misconception(
            "counts-shared-twice",
            misconceptions.bytes_if_shared_counts_twice,
            "The lines that compute values {i} and {j} keep the same array, and it was counted twice.",
        ),
        Misconception(
            "relu-keeps-nothing",
            misconceptions.bytes_if_relu_saves_nothing,
            "For relu nothing was counted. Its derivative is 1 or 0, depending on the sign of the input, so the record needs that sign.",
        ),
        Misconception(
            "relu-keeps-its-input",
            partial(misconceptions.bytes_if_inputs_are_saved, op="relu"),
            "For relu the whole input was counted. Its derivative needs to know only where the input is positive: one byte per entry.",
        ),
        Misconception(
            "add-keeps-its-inputs",
            partial(misconceptions.bytes_if_inputs_are_saved, op="add"),
            "For add the two inputs were counted. Which of them do its derivatives use?",
        ),
        Misconception(
            "relu-keeps-its-result",
            misconceptions.bytes_if_relu_saves_its_result,
            "For relu the whole result was counted. Its derivative needs to know only where the input is positive: one byte per entry.",
        ),
        Misconception(
            "sum-keeps-its-input",
            partial(misconceptions.bytes_if_inputs_are_saved, op="sum"),
            "For sum the input was counted. Its derivative is 1 for every entry, whatever the input is.",
        ),
        Misconception(
            "exp-keeps-its-input",
            partial(misconceptions.bytes_if_inputs_are_saved, op="exp"),
            "For exp the input was counted. Its derivative is its own result, so the result is what it keeps.",
        ),
    ),
    hints=(
        "Write down the derivatives of each operation: add has 1 and 1, square has 2x. What do the others have?",
        "List for each line the values that its derivatives use. The derivative of exp is its own result.",
        "`mul`, `square` and `sin` put their inputs into one set, `exp` its result; each `relu` costs n bytes more.",
    ),
    example=lambda rng: {"program": misconceptions.random_program(rng), "n": int(rng.integers(10, 99))},
)
