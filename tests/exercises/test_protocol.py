"""Comparing values, copying them to the check, callbacks, and how a misconception is found."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import autodiff_kit as ak
from autodiff_kit.exercises.check_runner import is_stub
from autodiff_kit.exercises.compare import (
    NoneResultError,
    format_distinct,
    format_value,
    require_real_array,
    values_close,
)
from autodiff_kit.exercises.diagnosis import AttemptEvaluation
from autodiff_kit.exercises.in_process import InProcessRunner, run_script
from autodiff_kit.exercises.protocol import (
    MAX_ITEMS,
    Call,
    Callback,
    CallResult,
    LearnerCodeError,
    OpaqueValue,
    ReturnedFunction,
    SeededGenerator,
    bitwise_equal,
    plain_copy,
)
from autodiff_kit.exercises.questions import LESSONS
from autodiff_kit.grade.rpc import to_wire


def remote(function):
    return ReturnedFunction(0)


CLOSE = [
    (1.0, 1.0, True),
    (1.0 + 1e-10, 1.0, True),
    (1.0 + 1e-8, 1.0, False),
    (1, 1.0, True),
    (np.float32(1), 1.0, True),
    (np.ones(3), np.ones((3, 1)), False),
    (np.array([np.nan, 1]), np.array([np.nan, 1]), True),
    (np.array([1, np.nan]), np.array([np.nan, 1]), False),
    (np.array([np.inf, 1]), np.array([np.inf, 1]), True),
    (np.array([-np.inf, 1]), np.array([np.inf, 1]), False),
    (np.array([1e9, 1]), np.array([np.inf, 1]), False),
    (np.zeros(0), np.zeros(0), True),
    ("1.0", 1.0, False),
    (np.array(["1.0"]), np.array([1.0]), False),
    (1 + 0j, 1.0, False),
    ([1.0], np.array([1.0]), False),
    (None, 1.0, False),
    (True, 1.0, True),
]


@pytest.mark.parametrize(("got", "want", "agree"), CLOSE)
def test_close(got, want, agree):
    assert values_close(got, want, 1e-9) is agree


def test_what_is_no_number_is_named_kindly():
    for value, words in [
        (None, "Does it end with return?"),
        ([1.0], "np.array"),
        ((1.0,), "a tuple"),
        ("x", "a value of type str"),
        (OpaqueValue("Banana"), "a value of type Banana"),
        (ReturnedFunction(0), "Was it to be called?"),
        (np.zeros(2, complex), "complex"),
    ]:
        with pytest.raises(LearnerCodeError, match="f returned") as slip:
            require_real_array(value, "f")
        assert words in slip.value.text


def test_short_is_short_and_has_no_minus_zero():
    assert format_value(-0.0) == "0"
    assert format_value(1 / 3) == "0.333333"
    assert format_value([np.float64(1 / 3), np.float32(1 / 3)]) == "[0.333333, 0.333333]"
    assert format_value((np.int64(3), np.True_, np.str_("a"))) == "(3, True, a)"
    assert len(format_value(np.zeros((40, 40)))) < 100


def test_two_numbers_that_differ_are_shown_with_enough_digits():
    assert format_distinct(1 / 3, 0.25) == ("0.333333", "0.25")
    assert format_distinct(1 + 2e-9, 1.0) == ("1.000000002", "1")
    assert format_distinct(2.0, 2.0) == ("2", "2")
    assert len(set(format_distinct(np.nextafter(1.0, 2.0), 1.0))) == 2


@pytest.mark.parametrize(
    ("result", "words"),
    [
        (None, "returned None. Does it end with return?"),
        ((1.0, None), "The result of f is None at entry 1 (entries count from 0)"),
        ({"w": [0.5, {"b": None}]}, "The result of f is None at entry ['w'][1]['b']"),
        (3.0, "The gradient of f is None, where"),
    ],
)
def test_a_none_inside_a_result_is_named_by_its_entry(result, words):
    """Only a result that is None as a whole suggests that the return is missing."""
    with pytest.raises(NoneResultError) as caught:
        require_real_array(None, "The gradient of f,")
    assert words in caught.value.describe_within("f", result)


def test_plain_copies_and_knows_tensors():
    array = np.ones(2)
    assert plain_copy(array, remote) is not array
    assert plain_copy(ak.constant([1.0, 2.0]), remote).tolist() == [1, 2]
    assert plain_copy(ak.Variable(3.0), remote).tolist() == 3
    assert plain_copy({"a": (1, [2.0])}, remote) == {"a": (1, [2.0])}
    assert plain_copy(lambda: 0, remote) == ReturnedFunction(0)
    assert plain_copy(object(), remote) == OpaqueValue("object")
    assert plain_copy(np.array([None]), remote) == OpaqueValue("array of dtype object")


def test_plain_ends_on_a_list_that_holds_itself():
    value = []
    value.append(value)
    assert plain_copy(value, remote) == [OpaqueValue("list that holds itself")]
    value = [1.0]
    for _ in range(10):
        value = [value]
    inner = plain_copy(value, remote)
    while isinstance(inner, list):
        inner = inner[0]
    assert inner == OpaqueValue("deeply nested list")


def _holds_itself() -> list[object]:
    value: list[object] = []
    value += [value] * 8
    return value


def _shares_itself() -> object:
    value: object = 1.0
    for _ in range(7):
        value = [value] * 50
    return value


LARGE = {
    "holds itself eight times": _holds_itself,
    "shares its parts": _shares_itself,
    "shares lists": lambda: [[[0.0] * 1000] * 1000] * 3,
    "shares tuples": lambda: (((0.0,) * 1000,) * 1000,) * 3,
    "shares an array": lambda: [np.zeros(1000)] * 1000,
    "is long": lambda: [0.0] * 10_000_000,
    "is a long tuple in a tuple": lambda: ((0.0,) * 10_000_000,),
}


def _holds_opaque(value: object) -> bool:
    return isinstance(value, OpaqueValue) or (isinstance(value, list | tuple) and any(map(_holds_opaque, value)))


def _count(value: object) -> int:
    """The items of a copy, each as often as it is met: what a comparison, or a message, goes through."""
    if isinstance(value, list | tuple):
        return sum(map(_count, value))
    return value.size if isinstance(value, np.ndarray) else 1


@pytest.mark.parametrize(
    "copy", [lambda value: plain_copy(value, remote), to_wire], ids=["in process", "over the wire"]
)
@pytest.mark.parametrize("name", LARGE)
def test_copies_have_a_budget_of_items(name: str, copy: Callable[[object], object]) -> None:
    found = copy(LARGE[name]())
    assert _count(found) <= 2 * MAX_ITEMS
    assert _holds_opaque(found)


def test_alike_is_bit_for_bit():
    assert bitwise_equal({"a": [np.zeros(2), float("nan")]}, {"a": [np.zeros(2), float("nan")]})
    assert not bitwise_equal(np.zeros(2), np.zeros(2, np.float32))
    assert not bitwise_equal(np.array([0.0]), np.array([-0.0]))
    assert not bitwise_equal([1], (1,))


def test_a_handle_is_counted_and_takes_numbers_only():
    push = Callback(lambda v: 2 * v, "push")
    reply = InProcessRunner({"f": lambda p: p(np.ones(2)) + p(1.0)})(Call("f", (push,)))
    assert (reply.value.tolist(), push.calls) == ([4, 4], 2)
    with pytest.raises(LearnerCodeError, match="push takes arrays; it was given a value of type str"):
        InProcessRunner({"f": lambda p: p("x")})(Call("f", (push,)))


def test_a_handle_gives_copies():
    matrix = np.ones(3)

    def f(read):
        mine = read(0.0)
        mine += 1
        return mine

    InProcessRunner({"f": f})(Call("f", (Callback(lambda _: matrix, "read"),)))
    assert matrix.tolist() == [1, 1, 1]


def test_a_function_that_is_given_back_can_be_called():
    answer = InProcessRunner({"f": lambda x: (x, lambda g: g * x)})
    value, pull = answer(Call("f", (3.0,))).value
    assert value == 3.0
    assert answer(Call(pull, (2.0,))).value == 6.0


def test_a_generator_of_random_numbers_crosses_by_its_seed():
    draw = Call("f", (SeededGenerator(5),))
    functions = {"f": lambda rng: rng.normal(size=2)}
    assert bitwise_equal(InProcessRunner(functions)(draw).value, InProcessRunner(functions)(draw).value)


def test_gradients_come_from_the_tape_or_are_none():
    seed = np.array([1.0, 2.0])
    call = Call("f", (np.array([3.0, 4.0]),), wrt=(0,), seed=seed)
    assert InProcessRunner({"f": lambda x: x * x})(call).gradients[0].tolist() == [6, 16]
    assert InProcessRunner({"f": lambda x: x.numpy()})(call).gradients == (None,)
    assert InProcessRunner({"f": ak.sum})(call).gradients == (None,)


def test_sharing_is_measured():
    call = Call("f", (np.zeros(3), np.zeros(3)), sharing=True)
    assert InProcessRunner({"f": lambda a, b: {"b": b[1:]}})(call).shared == (1,)
    assert InProcessRunner({"f": lambda a, b: a + b})(call).shared == ()


WARNINGS = {
    "overflow encountered in exp": lambda x: np.exp(1000 + x),
    "divide by zero encountered in divide": lambda x: 1 / x,
    "invalid value encountered in sqrt": lambda x: np.sqrt(x - 1),
    "division by zero": lambda x: 1.0 / float(x[0]),
    "Mean of empty slice": lambda x: np.mean(x[:0]),
}


@pytest.mark.parametrize("name", WARNINGS)
def test_a_warning_names_its_op(name):
    reply = InProcessRunner({"f": WARNINGS[name]})(Call("f", (np.zeros(2),)))
    assert name in reply.warning.replace("float division", "division")
    assert reply.place.startswith("line ")


def test_warnings_are_allowed_where_the_call_says_so():
    reply = InProcessRunner({"f": np.log})(Call("f", (np.zeros(2),), quiet=True))
    assert reply.warning == ""
    assert np.isneginf(reply.value).all()


def test_a_misconception_is_named_only_if_it_explains_every_miss():
    attempt = AttemptEvaluation()
    attempt.case(2.0, 1.0, {"double": 2.0, "plus-one": 2.0})
    assert attempt.common_misconceptions == {"double", "plus-one"}
    attempt.case(6.0, 3.0, {"double": 6.0, "plus-one": 4.0})
    assert attempt.common_misconceptions == {"double"}
    attempt.case(7.0, 3.0, {"double": 6.0, "plus-one": 4.0})
    assert attempt.common_misconceptions == frozenset()
    assert attempt.failed_cases[-1].text == "The answer is 7, expected 3."


def test_a_message_shows_the_call_that_its_numbers_belong_to():
    calls = [Call("f", (np.arange(2.0) + k,)) for k in range(3)]
    right = np.array([[0.0, 1.0], [1.0, 2.0], [2.0, 3.0]])
    got = right.copy()
    got[1, 0] = 7.0
    attempt = AttemptEvaluation()
    attempt.case(0.0, 0.0, of="before")
    for call in calls:
        attempt.begin_call(call)
    attempt.case(got, right, of="w after steps", by_call=True)
    for call in calls:
        attempt.begin_call(call)
    attempt.case(1.0, 2.0, of="the sum")
    assert attempt.failed_cases[0].text.splitlines() == [
        "w after steps, call 2, entry 0: got 7, expected 1.", "This is call 2 of 3: `f([1, 2])`",
    ]  # fmt: skip
    assert attempt.failed_cases[1].text.splitlines()[1] == "The last of 3 calls: `f([2, 3])`"


def test_two_misconceptions_are_named_where_each_failed_case_shows_one_of_them():
    attempt = AttemptEvaluation()
    attempt.case(2.0, 1.0, {"double": 2.0, "plus-one": 3.0}, facts={"at": 1})
    assert attempt.explanation == ("double",)
    attempt.case(4.0, 3.0, {"double": 6.0, "plus-one": 4.0}, facts={"at": 3})
    assert attempt.explanation == ("double", "plus-one")
    assert attempt.facts_of("plus-one") == {"at": "3"}
    attempt.case(9.0, 3.0, {"double": 6.0, "plus-one": 4.0})
    assert attempt.explanation == ()


def test_no_pair_is_named_where_another_pair_would_do_as_well():
    attempt = AttemptEvaluation()
    attempt.case(2.0, 1.0, {"double": 2.0, "plus-one": 2.0})
    attempt.case(5.0, 3.0, {"plus-two": 5.0})
    assert attempt.explanation == ()


def two_faults(a, rng):
    """One misconception shows for odd numbers, another for even ones."""
    for drawn, name in ((3, "odd"), (4, "even")):
        reply = yield Call("f", (drawn,))
        a.case(reply.value, 2.0 * drawn, {name: 2.0 * drawn + 1}, facts={"at": drawn})


def test_both_messages_are_told_with_the_facts_of_their_own_cases():
    from dataclasses import replace

    from autodiff_kit.exercises.check_runner import grade_attempt

    messages = {"odd": "One too many at {at}.", "even": "One more at {at}."}
    question = replace(LESSONS["15"].questions[0], check=two_faults, writes=("f",), messages=messages)
    verdict = grade_attempt(question, {"f": lambda x: 2.0 * x + 1}, 1)
    assert verdict.misconception == "odd and even"
    assert verdict.message == "There are two things to change.\n1. One too many at 3.\n2. One more at 4."


def toss(a, rng):
    """Two misconceptions look alike whenever the draw is even."""
    drawn = int(rng.integers(1000))
    reply = yield Call("f", (drawn,))
    a.case(reply.value, 3.0 * drawn + 1, {"doubled": 2.0 * drawn, "rounded": 2.0 * drawn + drawn % 2})


def test_where_two_models_agree_the_check_draws_again():
    from dataclasses import replace

    from autodiff_kit.exercises.check_runner import grade_attempt

    messages = {"doubled": "Doubled.", "rounded": "Rounded."}
    either = replace(LESSONS["15"].questions[0], check=toss, writes=("f",), messages=messages)
    verdicts = [grade_attempt(either, {"f": lambda x: 2.0 * x}, seed) for seed in range(20)]
    named = [verdict.misconception for verdict in verdicts]
    assert named.count("doubled") >= 15
    assert "rounded" not in named


def test_half_marks_need_every_value():
    attempt = AttemptEvaluation()
    attempt.behave(False, "dear")
    assert attempt.share == 0.5
    attempt.case(2.0, 1.0)
    assert attempt.share == 0.0


def test_a_model_that_breaks_explains_nothing():
    attempt = AttemptEvaluation()
    attempt.case(2.0, 1.0, {"broken": lambda: 1 / 0, "not here": None})
    assert attempt.common_misconceptions == frozenset()


def test_a_script_is_closed_when_a_call_fails():
    closed = []

    def script():
        try:
            yield Call("f")
        finally:
            closed.append(True)

    def answer(call):
        raise LearnerCodeError("no")

    with pytest.raises(LearnerCodeError):
        run_script(script(), answer)
    assert closed == [True]


def test_a_check_runs_over_any_carrier(question, solutions):
    """The grader's way: the check on one side, replies that somebody else brings on the other."""
    from autodiff_kit.exercises.check_runner import grade_attempt

    box = InProcessRunner(solutions(question))
    seen = []

    def carry(call):
        seen.append(call.name)
        reply = box(call)
        assert isinstance(reply, CallResult)
        return reply

    assert grade_attempt(question, {}, "a secret seed", carry).outcome == "passed"
    assert seen


def test_untouched_functions():
    def docstring(a):
        """Words."""

    def empty(a):
        pass

    def returns_none(a):
        return None

    def works(a):
        return a

    def raises(a):
        raise NotImplementedError

    assert [is_stub(f) for f in (docstring, empty, returns_none, works, raises, len)] == [True] * 3 + [False] * 3


@pytest.mark.parametrize("lean", [False, True])
def test_a_lean_runner_finds_the_same_without_copies(lean):
    def f(x, table, untouched):
        x[0] = 5.0
        table["a"][0][1] = -1
        return [untouched, x * 2]

    args = (np.arange(3.0), {"a": [np.arange(2)]}, np.ones((2, 2)).T)
    found = InProcessRunner({"f": f}, lean=lean)(Call("f", args, memory=True, sharing=True))
    assert found.changed == (0, 1)
    assert found.shared == (2,)
    assert [value.tolist() for value in found.value] == [[[1, 1], [1, 1]], [10, 2, 4]]
    assert np.shares_memory(found.value[0], args[2]) == lean
    assert (args[0][0] == 5) == lean


def test_numbers_of_numpy_in_a_list_are_not_taken_for_changed():
    given = [np.float64(0.5), np.bool_(True), {"k": np.int64(3)}]
    assert InProcessRunner({"f": lambda values: values[0]})(Call("f", (given,))).changed == ()

    def change(values):
        values[0] = np.float64(0.75)

    assert InProcessRunner({"f": change})(Call("f", (given,))).changed == (0,)
