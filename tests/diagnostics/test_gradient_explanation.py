"""B08: why is this gradient None? The cause, the line of the user's code where the path broke, and what to do."""

from __future__ import annotations

import inspect
import linecache
from operator import methodcaller
from typing import Any

import numpy as np
import pytest

import autodiff_kit as ak


def _line_above() -> int:
    """The source line above the line of the call."""
    frame = inspect.currentframe()
    assert frame is not None
    assert frame.f_back is not None
    return frame.f_back.f_lineno - 1


def test_b08_cause_1_a_variable_replaced_by_a_tensor() -> None:
    x = ak.Variable(2.0)
    found = []
    for _ in range(2):
        with ak.GradientTape() as tape:
            y = x + 1.0
        found.append((tape.gradient(y, x), tape.explain(y, x)))
        x = x + 1.0
        broke = _line_above()
    assert float(found[0][0]) == 1.0
    assert found[0][1].connected
    none, why = found[1]
    assert none is None
    assert (why.cause, why.kind, why.line, why.source) == (1, "replaced", broke, "x")
    assert why.cell == __file__
    assert why.code.startswith("x = x + 1.0")
    assert "x.assign_add" in why.fix


def test_b08_cause_1_an_unwatched_tensor() -> None:
    loose = ak.constant(2.0)
    with ak.GradientTape() as tape:
        y = loose * 3.0
    assert tape.gradient(y, loose) is None
    why = tape.explain(y, loose)
    assert (why.cause, why.kind, why.line) == (1, "unwatched_tensor", 0)
    assert "tape.watch(loose)" in why.fix


@pytest.mark.parametrize("leave", [np.asarray, np.array, methodcaller("numpy"), methodcaller("tolist")])
def test_b08_cause_2_the_value_left_the_record(leave: Any) -> None:
    x = ak.Variable([[1.0, 2.0], [3.0, 4.0]], name="x")
    with ak.GradientTape() as tape:
        x2 = x**2
        y = np.mean(leave(x2), axis=0)
        broke = _line_above()
        z = ak.sum(ak.constant(y) * 2.0)
    assert tape.gradient(z, x) is None
    why = tape.explain(z, x)
    assert (why.cause, why.kind, why.line, why.node) == (2, "left", broke, 0)
    assert why.target == "z"
    assert "leave(x2)" in why.code


def test_b08_cause_2_through_float_and_of_a_variable_itself() -> None:
    w = ak.Variable(2.0)
    with ak.GradientTape() as tape:
        plain = float(w)
        broke = _line_above()
        v = ak.Variable(3.0)
        y = v * plain
    assert tape.gradient(y, [w, v])[0] is None
    why = tape.explain(y, w)
    assert (why.kind, why.line, why.source) == ("left", broke, "w")
    assert tape.explain(y, v).connected


def test_b08_cause_3_through_integers() -> None:
    x = ak.Variable([1.7, 2.3])
    with ak.GradientTape() as tape:
        whole = ak.cast(x, "int64")
        broke = _line_above()
        y = ak.sum(ak.cast(whole, "float64") * 2.0)
    assert tape.gradient(y, x) is None
    why = tape.explain(y, x)
    assert (why.cause, why.kind, why.line, why.node) == (3, "no_slope", broke, 0)
    assert why.headline == "to_int has no slope."


@pytest.mark.parametrize(
    "op", [ak.floor, ak.ceil, ak.round, ak.sign, ak.trunc, lambda x: ak.cast(x > 0, "float64"), ak.argsort]
)
def test_b29_rounding_is_explained(op: Any) -> None:
    """B29: None with an explanation, never a silent zero."""
    x = ak.Variable([1.7, 2.3])
    with ak.GradientTape() as tape:
        y = op(x * 2.0) + 1.0
    assert tape.gradient(y, x) is None
    why = tape.explain(y, x)
    assert (why.cause, why.kind, why.node) == (3, "no_slope", 1)
    assert "ak.relax" in why.fix


def test_b11_an_integer_source() -> None:
    x = ak.constant(5)
    with ak.GradientTape() as tape:
        with pytest.warns(UserWarning, match="int64"):
            tape.watch(x)
        y = x * 2.0
    assert tape.gradient(y, x) is None
    assert (tape.explain(y, x).cause, tape.explain(y, x).kind) == (3, "whole")
    assert "int64" in tape.explain(y, x).headline


def test_b08_cause_4_through_state() -> None:
    x0, x1 = ak.Variable(3.0), ak.Variable(0.0)
    with ak.GradientTape() as tape:
        x1.assign_add(x0)
        broke = _line_above()
        y = x1**2
    assert float(y) == 9.0
    assert tape.gradient(y, x0) is None
    why = tape.explain(y, x0)
    assert (why.cause, why.kind, why.line) == (4, "state", broke)
    assert "x1" in why.because


def test_b24_a_total_kept_by_assign_is_explained() -> None:
    """B24: a function with a loop and assign has no gradient; the line of the assign is named."""
    x, total = ak.Variable([1.0, 2.0]), ak.Variable(0.0, trainable=False)
    with ak.GradientTape() as tape:
        for k in range(2):
            total.assign_add(x[k] * x[k])
            broke = _line_above()
        y = total * 1.0
    assert tape.gradient(y, x) is None
    why = tape.explain(y, x)
    assert (why.cause, why.kind, why.line) == (4, "state", broke)


def test_a_target_off_the_record_is_explained_by_the_last_event() -> None:
    x, kept = ak.Variable([1.0, 2.0]), ak.Variable([0.0, 0.0], trainable=False)
    with ak.GradientTape() as tape:
        kept.assign(x * 2.0)
        plain = np.asarray(x * 3.0)
        broke = _line_above()
        y = plain.sum()
    assert (tape.explain(y, x).kind, tape.explain(y, x).line) == ("left", broke)


def test_b08_cause_5_another_value_with_the_same_root() -> None:
    x = ak.Variable(2.0)
    delta = 0.1
    with ak.GradientTape(persistent=True) as tape:
        y = x * x
        moved = x + delta
        broke = _line_above()
    assert tape.gradient(y, moved) is None
    why = tape.explain(y, moved)
    assert (why.cause, why.kind, why.line) == (5, "cousin", broke)
    assert why.headline == "The target was computed from x, not from this."
    other = ak.Variable(1.0)
    assert (tape.explain(y, other).cause, tape.explain(y, other).kind) == (5, "unread")


def test_an_unrelated_source_is_explained_by_what_it_is_used_for() -> None:
    lost, spare, x = ak.Variable(2.0, name="lost"), ak.Variable(1.0, name="spare"), ak.Variable(4.0, name="x")
    with ak.GradientTape(persistent=True) as tape:
        tape.watch(spare)
        side = lost * 3.0
        broke = _line_above()
        total = ak.sqrt(x)
    assert tape.gradient(total, lost) is None
    why = tape.explain(total, lost)
    assert (why.kind, why.line, why.node) == ("unrelated", broke, 0)
    assert why.because == (f"lost is used for side (multiply, line {broke}), and total was not computed from that.")
    assert side is not None
    unused = tape.explain(total, spare)
    assert (unused.kind, unused.line) == ("unused", 0)


def test_b07_the_branch_that_did_not_run() -> None:
    """B07: x only decided the branch; the variable of the other branch was not used."""
    x, v0, v1 = ak.constant(1.0), ak.Variable(2.0), ak.Variable(2.0)
    with ak.GradientTape(persistent=True) as tape:
        tape.watch(x)
        result = v0 if x > 0.0 else v1**2
        broke = _line_above()
        y = result * 1.0
    assert [g if g is None else float(g) for g in tape.gradient(y, [v0, v1, x])] == [1.0, None, None]
    why = tape.explain(y, [v0, v1, x])
    assert [e.kind for e in why] == ["connected", "unread", "decided"]
    assert why[2].line == broke


def test_stop_gradient_is_named() -> None:
    x = ak.Variable(2.0)
    with ak.GradientTape() as tape:
        held = ak.stop_gradient(x * 3.0)
        broke = _line_above()
        y = held * 2.0
    assert tape.gradient(y, x) is None
    assert (tape.explain(y, x).kind, tape.explain(y, x).line) == ("stopped", broke)


def test_variables_that_are_not_followed() -> None:
    fixed, free = ak.Variable(1.0, trainable=False), ak.Variable(2.0)
    with ak.GradientTape() as tape:
        y = fixed * free
    assert tape.gradient(y, fixed) is None
    assert tape.explain(y, fixed).kind == "unwatched"
    with ak.GradientTape(watch_accessed_variables=False) as tape:
        y = fixed * free
    assert tape.explain(y, free).kind == "unwatched"


def test_targets_and_sources_that_are_no_tensors() -> None:
    x = ak.Variable(2.0)
    with ak.GradientTape() as tape:
        y = x * x
        number = float(y)
        broke = _line_above()
    why = tape.explain(number, x)
    assert (why.kind, why.line, why.target) == ("left", broke, "number")
    assert tape.explain(y, 3.0).kind == "plain"
    outside = ak.constant(1.0)
    with ak.GradientTape() as second:
        x * x
    assert second.explain(outside, x).kind == "target"
    assert tape.explain([], x).kind == "left"


def test_explain_works_on_a_released_tape_and_prints_text_and_html() -> None:
    x, z = ak.Variable(2.0, name="<x>"), ak.Variable(1.0, name="z")
    with ak.GradientTape() as tape:
        y = ak.floor(x) * z
    assert tape.gradient(y, {"a": x, "b": z})["a"] is None
    both = tape.explain(y, {"a": x, "b": z})
    text, table = str(both), both._repr_html_()
    assert text.startswith("d y / d <x> is None: floor has no slope.\n  test_gradient_explanation.py, line ")
    assert "d y / d z flows: They are connected." in text
    assert "&lt;x&gt;" in table
    assert "<x>" not in table
    assert table.count("<tr>") == 3
    assert both[0].reached == ((0, 1),)
    assert both[0].needed == ((0, 1),)
    with pytest.raises(AttributeError):
        both[0].cause = 2  # type: ignore[misc]


def test_the_place_is_escaped_in_html() -> None:
    space: dict[str, Any] = {"ak": ak}
    code = "x = ak.Variable(3.0)\nwith ak.GradientTape() as tape:\n    y = ak.floor(x)\nwhy = tape.explain(y, x)"
    exec(compile(code, "<string>", "exec"), space)
    assert space["why"].place == "<string>, line 3"
    assert "&lt;string&gt;, line 3" in space["why"]._repr_html_()


def test_marks_take_no_memory_until_a_value_leaves() -> None:
    x = ak.Variable(2.0)
    with ak.GradientTape() as tape:
        y = x
        for _ in range(50):
            y = y * 1.01
    assert tape._record.path_breaks == []
    del y
    with tape:
        float(x)
    assert len(tape._record.path_breaks) == 1
    tape.reset()
    assert tape._record.path_breaks == []


# ------------------------------------------------------------------------------------------------ rules of the user
@ak.custom_gradient
def silent(v: Any) -> Any:
    return v * 2.0, lambda g: None


@ak.custom_gradient
def left_factor_only(a: Any, b: Any) -> Any:
    return a * b, lambda g: (g * b, None)


def of_registered_rule(x: Any) -> Any:
    with ak.gradient_override_map({"Exp": "GivesNone"}):
        return ak.exp(x)


@ak.register_gradient("GivesNone")
def gives_none(g: Any, ans: Any, x: Any) -> None:
    return None


def of_checkpointed_loop(x: Any) -> Any:
    return ak.scan(lambda c, a: (c * ak.floor(a * x[0]), None), 1.0, np.ones(4), checkpoint_every=2)[0]


@pytest.mark.parametrize(
    ("f", "name"),
    [
        (silent, "silent"),
        (ak.vmap(silent), "silent"),
        (lambda x: left_factor_only([3.0, 4.0], x), "left_factor_only"),
        (of_registered_rule, "exp"),
        (of_checkpointed_loop, "scan"),
    ],
)
def test_a_rule_that_gave_none_is_named(f: Any, name: str) -> None:
    x = ak.Variable([0.7, 1.3])
    with ak.GradientTape() as tape:
        y = f(x * 1.0) + 1.0
    before = tape.explain(y, x)
    assert before.connected
    assert before.because.endswith(f" The rule of {name} has not run yet; if it gives None, so will the gradient.")
    assert tape.gradient(y, x) is None
    why = tape.explain(y, x)
    assert (why.cause, why.kind, why.headline) == (3, "refused", f"The rule of {name} gave None.")


def test_a_rule_that_gave_none_for_another_input_is_no_cause() -> None:
    x, w = ak.Variable([0.7, 1.3]), ak.Variable([1.0, 2.0])
    with ak.GradientTape() as tape:
        y = left_factor_only(x, w)
    assert [g is None for g in tape.gradient(y, [x, w])] == [False, True]
    why = tape.explain(y, [x, w])
    assert [e.kind for e in why] == ["connected", "refused"]
    assert why[0].because == "1 operation leads from x to y."


# --------------------------------------------------------------------------------------- assignments and their order
def test_an_assignment_after_the_last_reading_is_no_cause() -> None:
    x, b = ak.Variable(2.0), ak.Variable(0.0)
    with ak.GradientTape() as tape:
        y = b * 3.0
        b.assign(x)
    assert tape.gradient(y, x) is None
    assert tape.explain(y, x).kind == "left_only"


def test_an_overwritten_assignment_is_no_cause() -> None:
    x, b = ak.Variable(2.0), ak.Variable(0.0)
    with ak.GradientTape() as tape:
        b.assign(x * 1.0)
        b.assign(5.0)
        plain = float(x)
        broke = _line_above()
        y = b * plain
    assert tape.gradient(y, x) is None
    why = tape.explain(y, x)
    assert (why.kind, why.line) == ("left", broke)


def test_of_several_assignments_the_last_before_the_reading_is_named() -> None:
    x, b = ak.Variable(2.0), ak.Variable(0.0)
    with ak.GradientTape() as tape:
        b.assign(x * 1.0)
        b.assign(x * 2.0)
        broke = _line_above()
        first = b * 3.0
        b.assign_add(x)
        broke_again = _line_above()
        second = b * 4.0
        b.assign(x * 5.0)
    assert tape.gradient([first, second], x) is None
    assert [tape.explain(y, x).line for y in (first, second)] == [broke, broke_again]
    assert tape.explain(first, x).kind == tape.explain(second, x).kind == "state"


@pytest.mark.parametrize("trainable", [True, False])
def test_numbers_are_followed_from_one_variable_to_the_next(trainable: bool) -> None:
    x, w = ak.Variable(2.0), ak.Variable(7.0)
    b, c = ak.Variable(0.0, trainable=trainable), ak.Variable(0.0, trainable=trainable)
    with ak.GradientTape() as tape:
        b.assign(x)
        broke = _line_above()
        c.assign(b)
        y = c * w
    assert tape.gradient(y, x) is None
    why = tape.explain(y, x)
    assert (why.kind, why.line) == ("state", broke)


def test_a_variable_keeps_numbers_that_a_later_assignment_uses_again() -> None:
    x, b = ak.Variable(2.0), ak.Variable(0.0)
    with ak.GradientTape() as tape:
        b.assign(x)
        broke = _line_above()
        b.assign(b * 0.5)
        y = b * 3.0
        z = b.read_value()
        b.assign(1.0)
    assert tape.gradient(y, x) is None
    assert [(e.kind, e.line) for e in (tape.explain(y, x), tape.explain(z, x))] == [("state", broke)] * 2


# ------------------------------------------------------------------------------------------- which line took its place
def _makes_another_w() -> Any:
    w = ak.Variable(2.0)
    for _ in range(2):
        w = w + 1.0
    return w


def _explain_argument(w: Any) -> Any:
    with ak.GradientTape() as tape:
        y = w * w
    return tape.explain(y, w)


def test_a_line_of_another_function_took_no_place() -> None:
    w = ak.Variable(1.0)
    assert _explain_argument(w).connected
    assert _explain_argument(ak.constant(5.0)).kind == "unwatched_tensor"


def _never_called(p: Any) -> None:
    if p:
        while p:
            p = 1


def test_a_line_that_never_ran_took_no_place() -> None:
    p, why = ak.Variable(1.0), None
    for _ in range(2):
        with ak.GradientTape() as tape:
            y = p * p
        if (g := tape.gradient(y, p)) is None:
            why = tape.explain(y, p)
            break
        p = p - 0.1 * g
        broke = _line_above()
    assert why is not None
    assert (why.kind, why.line) == ("replaced", broke)


def test_the_last_line_before_the_question_is_named() -> None:
    w = ak.Variable(1.0)
    for _ in range(1):
        if w is not None:
            w = w * 1.0
    w = w - 0.1
    broke = _line_above()
    with ak.GradientTape() as tape:
        y = w * w
    why = tape.explain(y, w)
    w = ak.constant(3.0)
    assert (why.kind, why.line) == ("replaced", broke)


def test_names_bound_by_an_expression_or_by_a_loop() -> None:
    w, v = ak.Variable(1.0), ak.Variable(1.0)
    if (w := w * 2.0) is not None:
        broke = _line_above()
    for v in [v * 2.0, v * 3.0]:  # noqa: B007, B020 - the subject of this test
        broke_again = _line_above()
    with ak.GradientTape() as tape:
        y = w * v
    assert [(e.kind, e.line) for e in tape.explain(y, [w, v])] == [("replaced", broke), ("replaced", broke_again)]


def test_names_of_the_module_and_of_a_function_around() -> None:
    code = """
def step():
    global w
    w = w * 1.0

def train():
    w = 0.0
    with ak.GradientTape() as tape:
        y = u * u
    return tape.explain(y, u)

def outer():
    p = ak.Variable(1.0)
    p = p * 2.0
    def inner():
        with ak.GradientTape() as tape:
            y = p * p
        return tape.explain(y, p)
    return inner()

w = ak.Variable(1.0)
step()
with ak.GradientTape() as tape:
    y = w * w
whys = [tape.explain(y, w)]
u = ak.Variable(1.0)
u = u * 2.0
whys += [train(), outer()]
"""
    space: dict[str, Any] = {"ak": ak}
    linecache.cache["<scopes>"] = (len(code), None, code.splitlines(keepends=True), "<scopes>")
    exec(compile(code, "<scopes>", "exec"), space)
    assert [(e.kind, e.line) for e in space["whys"]] == [("replaced", 4), ("replaced", 27), ("replaced", 14)]


# --------------------------------------------------------------------------------------- numbers that left unnoticed
@pytest.mark.parametrize(
    "choose",
    [
        lambda x, w: ak.where(x > 1.0, w, -w),
        lambda x, w: w[ak.argmax(x)],
        lambda x, w: w[x > 1.0],
        lambda x, w: ak.take(w, ak.argsort(x)),
        lambda x, w: ak.take_along_axis(w, ak.argsort(x)),
        lambda x, w: w * ak.constant([2.0, 3.0])[ak.argmax(x)],
    ],
)
def test_a_source_that_only_chose_entries(choose: Any) -> None:
    x, w = ak.Variable([0.7, 1.3]), ak.Variable([1.0, 2.0])
    with ak.GradientTape() as tape:
        y = choose(x * 1.0, w) * 2.0
    assert tape.gradient(y, x) is None
    why = tape.explain(y, x)
    assert (why.cause, why.kind) == (5, "chose")
    assert why.code.startswith("lambda x, w: ")


@pytest.mark.parametrize(
    "decide",
    [
        lambda x, w: w[x.numpy() > 1.0],
        lambda x, w: w[int(x[0])],
        lambda x, w: w if float(x[0]) > 0.0 else -w,
        lambda x, w: w[[0, 1][ak.argmax(x)]],
    ],
)
def test_a_source_whose_plain_numbers_decided(decide: Any) -> None:
    x, w = ak.Variable([0.7, 1.3]), ak.Variable([1.0, 2.0])
    with ak.GradientTape() as tape:
        y = decide(x, w)
        broke = _line_above()
    assert tape.gradient(y, x) is None
    why = tape.explain(y, x)
    assert (why.cause, why.kind) == (2, "aside")
    assert why.line < broke
    assert why.code.startswith("lambda x, w: ")


@pytest.mark.parametrize(
    ("leave", "kind"), [(lambda x: ak.constant(x * 1.0), "copied"), (lambda x: float(f"{x[0]:.3f}"), "left")]
)
def test_constants_and_texts_made_of_a_tensor_left_the_record(leave: Any, kind: str) -> None:
    x, w = ak.Variable([0.7, 1.3]), ak.Variable([1.0, 2.0])
    with ak.GradientTape() as tape:
        y = leave(x) * w
        z = ak.constant(x * 1.0) * 2.0
    assert tape.gradient([y, z], x) is None
    assert [e.kind for e in (tape.explain(y, x), tape.explain(z, x))] == [kind, "copied"]


@pytest.mark.parametrize("trainable", [True, False])
def test_a_variable_made_of_a_tensor_is_state(trainable: bool) -> None:
    x, w = ak.Variable([0.7, 1.3]), ak.Variable([1.0, 2.0])
    with ak.GradientTape() as tape:
        fresh = ak.Variable(x * 1.0, trainable=trainable)
        broke = _line_above()
        y = fresh * w
    assert tape.gradient(y, x) is None
    why = tape.explain(y, x)
    assert (why.kind, why.line) == ("state", broke)
    assert "fresh" in why.because


def test_a_value_from_outside_of_a_custom_gradient() -> None:
    x, w = ak.Variable(0.7), ak.Variable(2.0)

    @ak.custom_gradient
    def scaled(v: Any) -> Any:
        factor = w * 3.0
        return v * factor, lambda g: g * factor

    with ak.GradientTape() as tape:
        y = scaled(x)
    assert tape.gradient(y, w) is None
    why = tape.explain(y, w)
    assert (why.kind, why.headline) == ("closure", "scaled has a gradient of its own.")
    assert why.code.startswith("return v * factor")


def test_a_target_that_was_computed_before_the_watch() -> None:
    c = ak.constant(2.0)
    with ak.GradientTape() as tape:
        y = c * c
        tape.watch(c)
    assert tape.gradient(y, c) is None
    assert "before tape.watch, in another thread" in tape.explain(y, c).because


# ---------------------------------------------------------------------------------------------- results without a use
def test_a_line_whose_result_is_not_used_is_no_cause() -> None:
    x, w = ak.Variable(2.0), ak.Variable(3.0)
    with ak.GradientTape(persistent=True) as tape:
        unused = ak.stop_gradient(x)  # noqa: F841
        plain = float(x)
        broke = _line_above()
        y = w * plain
        held = ak.stop_gradient(x * 2.0)
        broke_again = _line_above()
        print(float(x), f"{x:.2f}")
        assert float(x) == 2.0
        if x > 100.0:
            print("large")
        z = w + held
        other = w * 2.0
    assert tape.gradient([y, z, other], x) is None
    assert [(e.kind, e.line) for e in (tape.explain(y, x), tape.explain(z, x))] == [
        ("left", broke),
        ("stopped", broke_again),
    ]


def test_a_variable_that_was_only_assigned_was_not_used() -> None:
    x, w = ak.Variable(2.0), ak.Variable(3.0)
    with ak.GradientTape() as tape:
        y = w * float(w)
        x.assign(4.0)
    assert tape.gradient(y, x) is None
    assert (tape.explain(y, x).kind, tape.explain(y, x).line) == ("unread", 0)


def test_a_new_value_is_marked_only_where_it_can_overwrite_something() -> None:
    x, b = ak.Variable(2.0), ak.Variable(0.0)
    with ak.GradientTape() as tape:
        b.assign(1.0)
        assert tape._record.path_breaks == []
        b.assign(x)
        b.assign(1.0)
    assert [m.kind for m in tape._record.path_breaks] == ["assigned", "overwritten"]


def test_a_variable_that_was_not_read_gave_nothing_to_a_target_off_the_record() -> None:
    x, log = ak.Variable(2.0), ak.Variable(0.0)
    with ak.GradientTape() as tape:
        held = ak.stop_gradient(x * 2.0)
        broke = _line_above()
        log.assign(x)
        y = held + 1.0
    assert tape.gradient(y, x) is None
    assert (tape.explain(y, x).kind, tape.explain(y, x).line) == ("stopped", broke)


def test_an_assignment_that_was_refused_overwrites_nothing() -> None:
    w, b = ak.Variable(2.0), ak.Variable(0.0)
    with ak.GradientTape() as tape:
        b.assign(w * 3.0)
        with pytest.raises(ak.errors.ShapeError):
            b.assign([1.0, 2.0])
        b.assign(b)
        y = b * 2.0
    assert tape.gradient(y, w) is None
    assert tape.explain(y, w).kind == "state"
