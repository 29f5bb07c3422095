"""tape-4: What a record keeps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from autodiff_kit.exercises.comparison_question import Misconception, comparison_question

from . import misconceptions, solution

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy as np

__all__ = ["QUESTION"]


def inputs(rng: np.random.Generator) -> Iterator[tuple[Any, int]]:
    for _ in range(4):
        yield misconceptions.random_program(rng), int(rng.integers(10, 99))


QUESTION = comparison_question(
    id="tape-4",
    points=2,
    title="What a record keeps",
    text="""How many bytes must the record of a program keep for the way back to both of its inputs? Values 0 and 1 are inputs, and the first line of the program makes value 2, the next value 3. A line such
as `("mul", 0, 1)` names an op and the values that it reads. Every value is an array of n numbers of 8 bytes (the answer of `sum`, a single number, is read by no line). The ops are `add`,
`sum`, `mul`, `square`, `sin`, `exp`, and `relu`, which keeps its input where that is positive and gives 0 elsewhere. A yes or no takes one byte. The cheapest thing from which a line can
work out its slope is what it keeps, and an array that two lines keep is kept once.""",
    starter='''def held(program, n):
    """Bytes that the record keeps for the way back."""
    ...
''',
    solution=solution.held,
    inputs=inputs,
    tolerance=1e-12,
    facts=lambda program, n: dict(zip("ij", misconceptions.first_lines_sharing_an_array(program), strict=True)),
    misconceptions=(
        Misconception(
            "keeps-everything",
            misconceptions.bytes_if_everything_is_saved,
            "You kept what goes into every line and what comes out. Which of these values does a slope use?",
        ),
        Misconception(
            "counts-shared-twice",
            misconceptions.bytes_if_shared_counts_twice,
            "Lines {i} and {j} hold the same array, and it is there once.",
        ),
        Misconception(
            "relu-keeps-its-input",
            misconceptions.bytes_if_relu_saves_input,
            "relu only needs to know where its input is positive: one byte an element.",
        ),
    ),
    hints=(
        "Write the slope of each op down: add has 1 and 1, square has 2x, …",
        "List for each line the values that its slopes use. exp is its own slope.",
        "`mul`, `square` and `sin` put their inputs into one set, `exp` its answer; each `relu` costs n bytes more.",
    ),
    example=lambda rng: {"program": misconceptions.random_program(rng), "n": int(rng.integers(10, 99))},
)
