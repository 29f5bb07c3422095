"""custom-3: Replace a rule inside one block."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from autodiff_kit.exercises.compare import format_value, require_real_array, values_close
from autodiff_kit.exercises.diagnosis import AttemptEvaluation, unpack_tuple
from autodiff_kit.exercises.protocol import Call
from autodiff_kit.exercises.question import Question
from autodiff_kit.lessons.translation import translate

from .misconceptions import OPS, RULES

if TYPE_CHECKING:
    from autodiff_kit.exercises.protocol import CallResult, CheckScript

__all__ = ["QUESTION"]

Array = np.ndarray[Any, Any]
TOL = 1e-10
PARTS = ("value", "inside", "after")
UNKNOWN = "Identical"


def check(a: AttemptEvaluation, rng: np.random.Generator) -> CheckScript:
    ops, rules = rng.permutation(list(OPS)).tolist(), rng.permutation(list(RULES)).tolist()
    for op, rule in zip(ops[:3], rules[:3], strict=True):
        yield from one_block(a, rng, op, rule)
    reply = yield Call("swapped", (ops[3], UNKNOWN, rng.normal(size=3)), errors=("LookupError",))
    a.behave(
        bool(reply.error), "swallows-the-error", half=False, of=translate("The error", "lesson05"), unknown=UNKNOWN
    )
    yield Call(
        "swapped", (ops[3], rules[3], "no array"), errors=("Exception",)
    )  # whatever comes of it, comes in the block
    yield from one_block(a, rng, ops[3], rules[3])


def one_block(a: AttemptEvaluation, rng: np.random.Generator, op: str, rule: str) -> CheckScript:
    """One operation with one rule: what stands inside, and what stands again afterwards."""
    x = rng.uniform(-3, 3, size=4)
    reply = yield Call("swapped", (op, rule, x), errors=("LookupError",))
    if reply.error:
        text = translate("{call} raised {error}; both names are known.", "lesson05")
        words = text.format(call=f'swapped("{op}", "{rule}", x)', error=reply.error)
        a.fail({"wrong-name"}, words, op=op, rule=rule)
    elif not a.warned(reply):
        judge(a, reply, op, rule, x)


def judge(a: AttemptEvaluation, reply: CallResult, op: str, rule: str, x: Array) -> None:
    """Judge the value, the gradient inside the block, and the one after it."""
    value, inside, after = unpack_tuple(reply, "swapped", PARTS)
    other, slope = RULES[rule]
    call = f'swapped("{op}", "{rule}", x)'
    here = translate("The gradient inside", "lesson05")
    of_value = {"edits-the-forward": other(x), "value-is-the-sum": OPS[op](x).sum()}
    if not a.case(value, OPS[op](x), of_value, tol=TOL, of=translate("The value", "lesson05")):
        return
    if inside is None:
        words = translate("The gradient inside, by {call}, is None.", "lesson05").format(call=call)
        name = "inside-and-after-exchanged" if values_close(after, slope(x), TOL) else "recorded-outside"
        a.behave(False, name, words, half=False, of=here)
        return
    always = {"always-one-rule": np.ones_like(x) if rule != "Identity" else None}
    a.case(inside, slope(x), always, tol=TOL, of=here, facts={"rule": rule})
    found = (
        None if after is None else require_real_array(after, translate("swapped, as the gradient after,", "lesson05"))
    )
    names = {"zero-taken-for-none": np.zeros(x.shape), "override-leaks": slope(x)}
    name = next((name for name, model in names.items() if values_close(found, model, TOL)), "")
    text = translate("The gradient after, by {call}, is {got}, expected None.", "lesson05")
    words = text.format(call=call, got=format_value(after))
    a.behave(after is None, name, words, half=False, of=translate("The gradient after", "lesson05"))


QUESTION = Question(
    id="custom-3",
    points=2,
    title="Replace a rule inside one block",
    text="""`op` is the name of an operation without a gradient: `"Floor"`, `"Ceil"`, `"Round"` or `"Sign"`; its function is `getattr(ak, op.lower())`. `rule` is the name of a registered gradient, such as
`"Identity"` or `"Sin"`. Write `swapped(op, rule, x)` for an array x. It returns three things: the **value** of the operation at x; the gradient of its sum with respect to x, recorded **inside** a block in which
`op` has the gradient `rule`; and the gradient of the same operation, recorded once more **after** that block. If a name is unknown, the kit raises a LookupError; do not catch it.""",
    writes=("swapped",),
    starter='''def swapped(op, rule, x):
    """Return (value, inside, after): value and gradient with the rule, then the gradient without it."""
    ...
''',
    check=check,
    messages={
        "override-leaks": "The third gradient still has the rule. Either it belongs to what was recorded inside the block, or the block is still open. Close the block, and record the operation once more.",
        "always-one-rule": "The second gradient is that of Identity, and the rule was {rule}. Put the argument `rule` into the map.",
        "edits-the-forward": "Your value is that of the other operation. The map replaces only the gradient: floor(1.7) stays 1.",
        "wrong-name": "The map has a name that the kit does not know. The operation's name comes first and the rule's second, both exactly as given: here `{op}` and `{rule}`.",
        "recorded-outside": "The second gradient is None, the operation's own. An operation takes its rule when it is recorded, so record it inside the block.",
        "zero-taken-for-none": "You gave 0 after the block. Without the rule the tape gives None.",
        "inside-and-after-exchanged": "The second result is None and the third has the rule: they stand in the wrong order. The one from inside the block comes first.",
        "value-is-the-sum": "Your value is a sum. Only the gradient is that of the sum; the value has one entry for each entry of x.",
        "swallows-the-error": "No gradient is named {unknown}, and swapped returned without an error. Let the kit's LookupError pass.",
    },
    hints=(
        "How many times is the operation recorded, and which of the records lie inside the block?",
        "The map is a dictionary from the name of an operation to the name of a gradient; both are given.",
        "`with ak.gradient_override_map({op: rule}), ak.GradientTape() as tape: y = f(v)`; then the same without the map.",
    ),
    example=lambda rng: {"op": "Floor", "rule": "Identity", "x": rng.uniform(-3, 3, size=3).round(2)},
)
