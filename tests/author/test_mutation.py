"""Mutants of a worked answer, and what a check makes of them."""

from __future__ import annotations

import textwrap
from dataclasses import replace

import pytest

from autodiff_kit.author import mutation
from autodiff_kit.author.commands import MOST_SURVIVORS
from autodiff_kit.author.mutation import ENOUGH, Mutant, largest_surviving_share, make_mutants, try_mutants
from autodiff_kit.cli import main
from autodiff_kit.exercises.protocol import Call
from autodiff_kit.exercises.questions import LESSONS

IDS = [id for no in LESSONS for id in LESSONS.question_ids(no)]
# What these ask for can be done in many ways: another number of points, another schedule, another bound that holds.
OPEN = ("floor-2", "floor-5", "val-3")
# How large rounding can become has no sharp bound: with another factor nearly every draw has the same verdicts.
OPEN_CHANGES = {"jvp-5": ("`50 * eps` -> `eps`", "`50` -> `49`", "`50` -> `51`")}
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
    assert by_change["`abs(x)` -> `x`"].passed == 10
    assert by_change["`1` -> `2`"].differs
    assert 0 < by_change["`1` -> `2`"].passed < 10
    assert largest_surviving_share(results, 10) == by_change["`1` -> `2`"].passed / 10 > MOST_SURVIVORS
    assert by_change["`1` -> `2`"].depends_on_the_draw
    assert not by_change["`abs(x)` -> `x`"].depends_on_the_draw


def test_whether_an_answer_passes_is_the_same_in_a_check_that_ends_at_the_first_failure():
    found = set()
    for id in ("tape-4", "jvp-2", "msg-3"):
        question = LESSONS.load_question(id)
        for mutant in (Mutant(question.solution, 0, ""), *make_mutants(question.solution)[::5]):
            functions = mutation._functions(question, mutant.source)
            passes = mutation._passes(question, functions, 3)
            assert passes == (mutation._share(question, functions, 3)[0] == 1.0), mutant
            found.add(passes)
    assert found == {True, False}


def test_a_mutant_without_an_end_does_not_pass(monkeypatch):
    monkeypatch.setattr(mutation, "SECONDS_FOR_A_MUTANT", 0.05)
    begun = []

    def check(a, rng):
        begun.append(1)
        reply = yield Call("f", (3,))
        a.case(reply.value, 0.0)

    solution = "def f(x):\n    while x > 0:\n        x -= 1\n    return x"
    endless = Mutant(solution.replace("x -= 1", "pass"), 3, "")
    monkeypatch.setattr(mutation, "make_mutants", lambda source: [endless])
    (result,) = try_mutants(question_with(check, solution), 1000)
    assert result.passed == 0
    assert len(begun) < 50, "it is tried on ten draws, and does not hold up the others"


def test_an_answer_that_stops_outside_of_its_functions_is_left_out():
    def check(a, rng):
        a.behave(True)
        yield from ()

    solution = "n = 1 / 1\n\ndef f(x):\n    return x"
    stopped = {mutant for mutant in make_mutants(solution) if "1 / 0" in mutant.source}
    tried = {result.mutant for result in try_mutants(question_with(check, solution), 1)}
    assert stopped
    assert tried == set(make_mutants(solution)) - stopped


def test_the_command_tells_what_a_check_misses(capsys):
    assert main(["author", "mutants", "22", "--draws", "1"]) in (0, 1)
    out = capsys.readouterr().out
    assert "msg-3: " in out
    assert "change an answer" in out
    assert "Questions with more than 1%: " in out


@pytest.mark.parametrize("id", IDS)
def test_thirty_faults_are_made_of_each_worked_answer(id):
    least = FEWER.get(id, ENOUGH)
    assert len(make_mutants(LESSONS.load_question(id).solution)) >= least


@pytest.mark.slow
@pytest.mark.parametrize("id", [id for id in IDS if id not in OPEN])
def test_no_fault_passes_on_more_than_one_draw_in_a_hundred(id):
    found = try_mutants(LESSONS.load_question(id), 200)
    results = [result for result in found if result.mutant.change not in OPEN_CHANGES.get(id, ())]
    assert any(result.differs for result in results)
    assert largest_surviving_share(results, 200) <= MOST_SURVIVORS, [r for r in results if r.differs and r.passed]
    assert not [r for r in results if r.depends_on_the_draw], "the same answer has the same points under any secret"
