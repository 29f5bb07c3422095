"""tape-4: What a record keeps."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from autodiff_kit.exercises.diagnosis import Attempt
from autodiff_kit.exercises.protocol import Call
from autodiff_kit.exercises.question import Question

from . import misconceptions, solution

if TYPE_CHECKING:
    from autodiff_kit.exercises.protocol import Script

__all__ = ["QUESTION"]


def check(a: Attempt, rng: np.random.Generator) -> Script:
    for _ in range(4):
        program, n = misconceptions.program(rng), int(rng.integers(10, 99))
        reply = yield Call("held", (program, n))
        if a.warned(reply):
            continue
        mistaken = {
            "keeps-everything": partial(misconceptions.everything, program, n),
            "counts-shared-twice": partial(misconceptions.counted_twice, program, n),
            "relu-keeps-its-input": partial(misconceptions.whole_relu, program, n),
        }
        i, j = misconceptions.first_shared(program)
        a.case(reply.value, solution.held(program, n), mistaken, tol=1e-12, facts={"i": i, "j": j})


QUESTION = Question(
    id="tape-4",
    points=2,
    title="What a record keeps",
    text="""How many bytes must the record of a program keep for the way back to both of its inputs? Values 0 and 1 are inputs, and the first line of the program makes value 2, the next value 3. A line such
as `("mul", 0, 1)` names an op and the values that it reads. Every value is an array of n numbers of 8 bytes (the answer of `sum`, a single number, is read by no line). The ops are `add`,
`sum`, `mul`, `square`, `sin`, `exp`, and `relu`, which keeps its input where that is positive and gives 0 elsewhere. A yes or no takes one byte. The cheapest thing from which a line can
work out its slope is what it keeps, and an array that two lines keep is kept once.""",
    writes=("held",),
    starter='''def held(program, n):
    """Bytes that the record keeps for the way back."""
    ...
''',
    check=check,
    messages={
        "keeps-everything": "You kept what goes into every line and what comes out. Which of these values does a slope use?",
        "counts-shared-twice": "Lines {i} and {j} hold the same array, and it is there once.",
        "relu-keeps-its-input": "relu only needs to know where its input is positive: one byte an element.",
    },
    hints=(
        "Write the slope of each op down: add has 1 and 1, square has 2x, …",
        "List for each line the values that its slopes use. exp is its own slope.",
        "`mul`, `square` and `sin` put their inputs into one set, `exp` its answer; each `relu` costs n bytes more.",
    ),
    example=lambda rng: {"program": misconceptions.program(rng), "n": int(rng.integers(10, 99))},
)
