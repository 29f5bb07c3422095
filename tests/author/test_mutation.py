"""Mutants of a worked answer, and what a check makes of them."""

from __future__ import annotations

import itertools
import textwrap
from dataclasses import replace

import pytest

from autodiff_kit.author import mutation_testing
from autodiff_kit.author.mutation import ENOUGH, Mutant, make_mutants
from autodiff_kit.author.mutation_testing import try_mutants
from autodiff_kit.exercises.check_runner import grade_attempt
from autodiff_kit.exercises.protocol import Call
from autodiff_kit.exercises.questions import LESSONS
from autodiff_kit.exercises.questions.lesson01.jvp_2 import wrong as jvp_2

IDS = [id for no in LESSONS for id in LESSONS.question_ids(no)]
# Answers of one short expression, of which no more are made.
FEWER = {"floor-5": 29, "adam-5": 29, "con-1": 26, "inv-3": 13}


def changes(source):
    return {mutant.change for mutant in make_mutants(textwrap.dedent(source))}


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("a + b", {"`a + b` -> `a`", "`a + b` -> `b`", "`a + b` -> `a - b`"}),
        ("a - b", {"`a - b` -> `b - a`"}),
        ("-a", {"`-a` -> `a`"}),
        ("a < 3", {"`a < 3` -> `a <= 3`", "`a < 3` -> `a > 3`", "`3` -> `4`", "`3` -> `2`"}),
        ("a < b < c", {"`a < b < c` -> `a < b`"}),
        ("op == 'mul'", {"`op == 'mul'` -> `op == 'no such text'`"}),
        ("a and b", {"`a and b` -> `a or b`", "`a and b` -> `a`", "`a and b` -> `b`"}),
        ("a if b else c", {"`a if b else c` -> `a`", "`a if b else c` -> `c`", "`a if b else c` -> `c if b else a`"}),
        ("0.5 * x", {"`0.5` -> `1.0`", "`0.5` -> `-0.5`"}),
        ("f(True)", {"`True` -> `False`"}),
        ("np.sum(x, axis=-1)", {"`np.sum` -> `np.mean`", "`np.sum(x, axis=-1)` -> `np.sum(x)`", "`-1` -> `1`"}),
        ("f(a, b)", {"`f(a, b)` -> `a`", "`f(a, b)` -> `f(a)`", "`f(a, b)` -> `f(b, a)`"}),
        ("x[1:]", {"`x[1:]` -> `x`", "`1:` -> `:`"}),
        ("{'a', 'b'}", {"`{'a', 'b'}` -> `{'a'}`", "`{'a', 'b'}` -> `{'b'}`"}),
        ("[a for a in b if a]", {"`for a in b if a` -> `for a in b`"}),
        ("a += b", {"`a += b` -> `pass`", "`a += b` -> `a = b`", "`a += b` -> `a -= b`"}),
        ("a[0] = b", {"`a[0] = b` -> `pass`"}),
        ("if a:\n    b()", {"`if a:` -> `if not a:`", "`b()` -> `pass`"}),
        ("while a:\n    continue", {"`continue` -> `break`"}),
        ("a @ b", {"`a @ b` -> `a.T @ b`", "`a @ b` -> `a @ b.T`"}),
        ("a.T", {"`a.T` -> `a`"}),
        ("np.max(a)", {"`np.max(a)` -> `np.max(a, axis=0)`"}),
        ("np.max(a, axis=0)", {"`np.max(a, axis=0)` -> `np.max(a, axis=0, keepdims=True)`"}),
        ("range(n)", {"`range(n)` -> `range(n + 1)`", "`range(n)` -> `range(n - 1)`", "`range(n)` -> `range(1, n)`"}),
        ("x[a, b]", {"`(a, b)` -> `(b, a)`"}),
        ("'bi,bo->bio'", {"`'bi,bo->bio'` -> `'bi,bo->oib'`", "`'bi,bo->bio'` -> `'bi,bo->bi'`"}),
        ("lambda a, b: a(b)", {"`a` -> `b`", "`b` -> `-b`", "`lambda a, b: a(b)` -> `lambda a, b: -a(b)`"}),
        ("def f(a):\n    return a", {"`return a` -> `return -a`", "`return a` -> `return None`", "`a` -> `a + 1`"}),
        ("for a in b:\n    c(a)", {"`for a in b:` -> `for a in list(b)[1:]:`", "`for a in b:` -> `pass`"}),
        ("raise a", {"`raise a` -> `pass`"}),
    ],
)  # fmt: skip
def test_a_fault_of_each_kind_is_made(source, expected):
    assert expected <= changes(source)


def test_docstrings_and_imports_stay_and_no_mutant_comes_twice():
    mutants = make_mutants('"""A text."""\nimport math\n\ndef f(x):\n    """Another."""\n    return x + x\n')
    assert len({mutant.source for mutant in mutants}) == len(mutants) > 2
    assert all(mutant.line == 6 and "A text" in mutant.source and "Another" in mutant.source for mutant in mutants)


def test_the_source_itself_is_not_among_them():
    source = "def f(x):\n    return x"
    assert source not in {mutant.source for mutant in make_mutants(source)}


def question_with(check, solution):
    return replace(
        LESSONS.load_question("msg-3"), writes=("f",), starter="def f(x):\n    ...\n", check=check, solution=solution
    )


def test_a_mutant_that_computes_the_same_is_not_counted_and_one_that_is_missed_is():
    def check(a, rng):
        x = float(rng.integers(1, 5))
        reply = yield Call("f", (x,))
        a.case(min(reply.value, 3.0), min(abs(x) + 1, 3.0))  # what is above 3 is not looked at

    results = try_mutants(question_with(check, "def f(x):\n    return abs(x) + 1"), 10)
    by_change = {result.mutant.change: result for result in results}
    assert not by_change["`abs(x)` -> `x`"].differs
    assert by_change["`abs(x)` -> `x`"].shares == (1.0,) * 10
    assert not by_change["`abs(x)` -> `x`"].is_missed
    missed = by_change["`1` -> `2`"]
    assert missed.is_missed
    assert len(missed.shares) == 200, "its points were not the same on all of the ten, so it gets more draws"
    assert 0.3 < missed.passed < 0.8
    assert str(missed) == f"line 2, `1` -> `2`, passes on {round(200 * missed.passed)} of 200 draws"


def test_the_share_is_the_same_in_a_check_that_ends_when_no_points_are_left():
    found = set()
    for id, wrong in (("tape-4", {}), ("jvp-2", jvp_2.WRONG), ("msg-3", {})):
        question = LESSONS.load_question(id)
        mutants = (Mutant(question.solution, 0, ""), *make_mutants(question.solution)[::5])
        answers = [mutation_testing._functions(question, mutant.source) for mutant in mutants]
        answers += [dict(zip(question.writes, functions, strict=True)) for functions, _ in wrong.values()]
        for place, functions in enumerate(answers):
            share = mutation_testing._share(question, functions, 3)
            assert share == grade_attempt(question, functions, 3).share, (id, place)
            found.add(share)
    assert found == {0.0, 0.5, 1.0}


def test_a_fault_whose_points_depend_on_the_draw_is_missed():
    def check(a, rng):
        reply = yield Call("f", (3.0,))
        a.behave(reply.value == 3.0, half=bool(rng.random() < 0.5))

    by_change = {r.mutant.change: r for r in try_mutants(question_with(check, "def f(x):\n    return x"), 20)}
    lucky = by_change["`return x` -> `return -x`"]
    assert len(lucky.shares) == 200
    assert lucky.passed == 0
    assert lucky.is_missed
    assert "has 0 or 0.5 of the points" in str(lucky)


def test_a_thorough_check_tells_another_right_answer_from_a_wrong_one():
    def check(a, rng, most=1):
        for x in range(1, most + 1):
            reply = yield Call("f", (x,))
            a.behave(x <= reply.value <= x + 2, half=False)

    def thorough(a, rng):
        yield from check(a, rng, 9)

    question = question_with(check, "def f(x):\n    return x + 1")
    found = {}
    for told in (question, replace(question, thorough=thorough)):
        for result in try_mutants(told, 3):
            found.setdefault(result.mutant.change, []).append(result.is_missed)
    assert found["`1` -> `2`"] == [True, False], "x + 2 is within the bounds too"
    assert found["`x + 1` -> `1`"] == [True, True], "1 is within them for the first x alone"
    assert found["`x + 1` -> `x - 1`"] == [False, False]


def test_a_mutant_without_an_end_does_not_pass(monkeypatch):
    monkeypatch.setattr(mutation_testing, "SECONDS_FOR_A_MUTANT", 0.05)
    begun = []

    def check(a, rng):
        begun.append(1)
        reply = yield Call("f", (3,))
        a.case(reply.value, 0.0)

    solution = "def f(x):\n    while x > 0:\n        x -= 1\n    return x"
    endless = Mutant(solution.replace("x -= 1", "pass"), 3, "")
    monkeypatch.setattr(mutation_testing, "make_mutants", lambda source: [endless])
    (result,) = try_mutants(question_with(check, solution), 1000)
    assert result.passed == 0
    assert len(begun) < 50, "it is tried on ten draws, and does not hold up the others"


def test_a_draw_that_took_too_long_on_a_busy_machine_is_tried_again_with_more_time(monkeypatch):
    tried = []

    def share(_question, _functions, seed, seconds=0.0):
        tried.append((seed, seconds))
        return 0.0 if seed == 1 and not seconds else 1.0

    monkeypatch.setattr(mutation_testing, "_share", share)
    monkeypatch.setattr(mutation_testing, "perf_counter", itertools.count(0, 2).__next__)  # each draw takes two seconds
    assert mutation_testing._shares(None, {}, 3) == (1.0, 1.0, 1.0)
    assert tried == [(0, 0.0), (1, 0.0), (1, 10.0), (2, 0.0)]


def test_an_answer_that_stops_outside_of_its_functions_is_left_out():
    def check(a, rng):
        a.behave(True)
        yield from ()

    solution = "n = 1 / 1\n\ndef f(x):\n    return x"
    stopped = {mutant for mutant in make_mutants(solution) if "1 / 0" in mutant.source}
    tried = {result.mutant for result in try_mutants(question_with(check, solution), 1)}
    assert stopped
    assert tried == set(make_mutants(solution)) - stopped


@pytest.mark.parametrize("id", IDS)
def test_thirty_faults_are_made_of_each_worked_answer(id):
    least = FEWER.get(id, ENOUGH)
    assert len(make_mutants(LESSONS.load_question(id).solution)) >= least


def test_the_kits_open_questions_take_other_right_answers_and_miss_no_fault():
    for id, right, wrong in (
        ("floor-2", "`np.log` -> `np.log1p`", "`K + 1` -> `K`"),
        ("floor-5", "`1.0` -> `2.0`", "`20 ** (i / (steps - 1))` -> `20`"),
        ("val-3", "`101` -> `102`", "`F(x)` -> `x`"),
        ("jvp-5", "`50` -> `49`", "`50 * eps` -> `eps`"),
    ):
        question = LESSONS.load_question(id)
        mutants = {mutant.change: mutant for mutant in make_mutants(question.solution)}
        for change, is_right in ((right, True), (wrong, False)):
            functions = mutation_testing._functions(question, mutants[change].source)
            assert [mutation_testing._share(question, functions, seed) for seed in range(3)] == [float(is_right)] * 3


@pytest.mark.slow
@pytest.mark.parametrize("id", IDS)
def test_no_fault_passes_or_has_points_by_luck_on_more_than_two_draws_of_200(id):
    results = try_mutants(LESSONS.load_question(id), 200)
    assert all(len(result.shares) == 200 for result in results)
    assert any(result.differs for result in results)
    assert not [str(result) for result in results if result.is_missed]
