"""none-1: Which cause, and on which line?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from autodiff_kit.exercises.compare import require_real_array
from autodiff_kit.exercises.diagnosis import AttemptEvaluation, unpack_tuple
from autodiff_kit.exercises.protocol import Call
from autodiff_kit.exercises.question import Question
from autodiff_kit.lessons.translation import translate

from . import misconceptions

if TYPE_CHECKING:
    from autodiff_kit.exercises.protocol import CallResult, CheckScript

__all__ = ["QUESTION"]

MISTAKEN = {
    "zero-is-unconnected": misconceptions.diagnosis_with_zero_as_unconnected,
    "blames-the-op-after": misconceptions.diagnosis_of_next_operation,
    "state-looks-fine": misconceptions.diagnosis_with_assignment_as_path,
    "a-tensor-is-watched": misconceptions.diagnosis_with_tensor_as_variable,
    "rounding-is-a-path": misconceptions.diagnosis_with_rounding_as_path,
    "first-assignment": misconceptions.diagnosis_of_first_assignment,
    "lines-from-1": misconceptions.diagnosis_with_lines_from_1,
}


def check(a: AttemptEvaluation, rng: np.random.Generator) -> CheckScript:
    for program, target, source in misconceptions.random_programs(rng):
        reply = yield Call("diagnose", (program, target, source))
        if a.warned(reply):
            continue
        got, want = answer_1(reply), misconceptions.explanation_by_tape(program, target, source)
        if got == want:
            a.behave(True)
            continue
        names = {name for name, model in MISTAKEN.items() if model(program, target, source) == got}
        a.fail(names, _words_1(got, want, misconceptions.program_source(program), target, source), i=want[1])


def answer_1(reply: CallResult) -> misconceptions.Answer:
    """Cause and line of a reply."""
    cause, line = unpack_tuple(reply, "diagnose", ("cause", "line"))
    whole = [int(require_real_array(part, "diagnose").reshape(())) for part in (cause, 0 if line is None else line)]
    return whole[0], None if line is None else whole[1]


def _words_1(got: misconceptions.Answer, want: misconceptions.Answer, code: str, target: str, source: str) -> str:
    said = [
        (
            translate("cause {cause}", "lesson02")
            if line is None
            else translate("cause {cause}, line {line}", "lesson02")
        ).format(cause=cause, line=line)
        for cause, line in (got, want)
    ]
    text = translate(
        "diagnose returned {got}; tape.explain gives {wanted} (lines count from 0), for this program:", "lesson02"
    ).format(got=said[0], wanted=said[1])
    return f"{text}\n\n{code}\ntape.explain({target}, {source})"


def example_1(rng: np.random.Generator) -> dict[str, object]:
    drawn = misconceptions.random_programs(rng)
    program, target, source = drawn[int(rng.integers(3, len(drawn)))]
    return {"program": program, "target": target, "source": source, "code": misconceptions.program_source(program)}


QUESTION = Question(
    id="none-1",
    points=2,
    title="Which cause, and on which line?",
    text="""A program is a list of lines `(name, op, inputs)`. Say why the gradient of `target` with respect to `source` is None, and which line broke the path.

| line | in Python |
|---|---|
| `("x", "variable", ())` | `x = ak.Variable(…)` |
| `("", "tape", ())` | `with ak.GradientTape() as tape:` and all lines that follow are inside |
| `("a", "mul", ("x", "w"))`, also `add`, `sub` | `a = x * w` |
| `("a", "sin", ("x",))`, also `square`, `exp` | `a = ak.sin(x)` |
| `("b", "floor", ("a",))`, also `round`, `sign`; `("b", "greater", ("a", "w"))` | `b = ak.floor(a)`; `b = ak.greater(a, w)` |
| `("p", "numpy", ("a",))`, `("p", "stop_gradient", ("a",))` | `p = a.numpy()`, `p = ak.stop_gradient(a)` |
| `("s", "assign", ("a",))`, also `assign_add` | `s.assign(a)`; `s` is a variable |

Return `(cause, line)`. The causes are those of the lesson: 1 a tensor replaced the variable (the line is the last one that gave the source's name to a tensor), 2 the value left the record,
3 an operation without a derivative, 4 state, 5 the target does not use the source; and 0 if they are connected. `line` is the index in the list, counted from 0, and None for the causes 0 and 5. If a name is
assigned several times, `source` means its last value. The kit runs each program and calls `tape.explain`; your answer is compared with that.""",
    writes=("diagnose",),
    without=("ak.GradientTape",),
    starter='''def diagnose(program, target, source):
    """Why the gradient is None: return (cause, line)."""
    ...
''',
    check=check,
    messages={
        "zero-is-unconnected": "A value minus itself was taken for unconnected. Its gradient is 0, a sum over two paths: connected, cause 0.",
        "blames-the-op-after": "Your line is the one that uses the value after the break. The break itself is at line {i}, where the path was lost.",
        "state-looks-fine": "assign or assign_add was taken for a path. It writes a number into the variable, and the record has no path through it.",
        "a-tensor-is-watched": "A source that was assigned a tensor before the block was taken for a variable. Which values does a tape watch by itself?",
        "rounding-is-a-path": "Rounding or a comparison was taken for a path. It is recorded, but it has no derivative, so no path leads through it.",
        "first-assignment": "For cause 1 your line is the first that gave the source's name to a tensor. The line that counts is the last one, here line {i}: the name stands for that tensor.",
        "lines-from-1": "The causes are right, and each line is one too high: lines are counted from 0.",
    },
    hints=(
        "Run two of the programs yourself and call `tape.explain`. What is on the record?",
        "Go through the lines once. For each name, store its state: on a path from the source, or lost, and then the cause and the line.",
        "Of all inputs the best one counts: one path is enough. A line whose op cuts turns a path into `(cause, line)`; what is lost already stays as it is. A line that defines the source begins anew.",
    ),
    example=example_1,
)
