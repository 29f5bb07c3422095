"""check, hint and solution in a notebook, and what they store in the learner's progress."""

from __future__ import annotations

import pytest

from autodiff_kit.errors import StructureError
from autodiff_kit.exercises import exercise
from autodiff_kit.exercises.questions import LESSONS
from autodiff_kit.exercises.questions.lesson01.jvp_1 import solution as jvp_1
from autodiff_kit.lessons.progress import progress


def right(slots, last_gradient, b1):
    return -b1 * slots["m"] / (1 - b1)


def wrong(slots, last_gradient, b1):
    return -slots["m"]


def stumbles(slots, last_gradient, b1):
    return slots["q"]


@pytest.fixture
def q(kept):
    return exercise("15").q5


def test_functions_are_found_by_name_where_check_is_called(q):
    brake = right
    assert q.check().outcome == "passed"
    assert brake is right


def test_a_name_that_is_not_there_is_not_an_attempt(q, capsys):
    result = q.check()
    assert (result.outcome, result.score) == ("not attempted", 0)
    assert "no function `brake` yet" in capsys.readouterr().out
    assert progress().question("adam-5").state == "not tried"


STARTER = "def brake(slots, last_gradient, b1): ..."
NOT_YET_NAMED = "def brakes(slots, last_gradient, b1):\n    return -slots['m']"


@pytest.mark.parametrize("name", ["brakes", "brake_of_slots"])
@pytest.mark.parametrize("before", ["", STARTER], ids=["no starter", "the starter was run"])
def test_a_function_of_a_similar_name_is_recognised(q, before, name):
    notebook = {"__name__": "__main__", "q": q}
    exec(f"{before}\n{NOT_YET_NAMED.replace('brakes', name)}\nresult = q.check()", notebook)
    assert notebook["result"].outcome == "not attempted"
    assert notebook["result"].message.startswith(f"You defined `{name}`; the check wants `brake`.")
    assert progress().question("adam-5").tries == 0


@pytest.mark.parametrize(
    "other",
    ["from shutil import move as brakes", "brakes = abs", "brakes = 3", "def hold(): return 1", "brakes = lambda: 1"],
)
def test_what_the_learner_did_not_define_under_a_similar_name_is_not_taken_for_the_answer(q, other):
    notebook = {"__name__": "__main__", "q": q}
    exec(f"{other}\nresult = q.check()", notebook)
    assert "no function `brake` yet" in notebook["result"].message


def test_a_function_of_another_question_is_not_taken_for_the_answer(kept):
    notebook = {"__name__": "__main__", "exercise": exercise}
    code = "def masked_softmax(): return 1\nresult = exercise('09')[{}].check()"
    asked = [question.writes for question in LESSONS["09"].questions]
    exec(code.format(asked.index(("masked_softmax_pull",))), notebook)
    assert "no function `masked_softmax_pull` yet" in notebook["result"].message


def test_a_pass_is_told_and_kept(q, capsys):
    result = q.check(right)
    assert (result.outcome, result.score, result.points, result.misconception) == ("passed", 2, 2, "")
    assert capsys.readouterr().out.startswith("Passed: 2 of 2 points.")
    state = progress().question("adam-5")
    assert (state.best, state.tries, state.state) == (2, 1, "passed")


def test_a_misconception_is_told_and_kept(q, capsys):
    result = q.check(wrong)
    assert (result.outcome, result.score, result.misconception) == ("not yet", 0, "opposite-of-m")
    out = capsys.readouterr().out
    assert out.startswith("Not yet: 0 of 2 points. The new gradient enters m with weight")
    assert f"q5.check(seed={result.seed})" in out
    assert progress().question("adam-5").message == result.message


def test_what_was_looked_at_is_told_by_name_and_kept(kept, capsys):
    q = exercise("01").q1
    good = jvp_1
    result = q.check(good.push, lambda *given: 2 * good.pull(*given))
    told = [str(part) for part in result.parts]
    assert told == ["✓ y from push: 4 of 4", "✓ dy from push: 4 of 4", "– dx from pull: 0 of 4"]
    assert "\n".join(told) in capsys.readouterr().out
    assert progress().question("jvp-1").tests == (
        ("y from push", 4, 4),
        ("dy from push", 4, 4),
        ("dx from pull", 0, 4),
    )
    q.check(good.push, good.pull)
    assert "✓" not in capsys.readouterr().out, "a pass needs no list"


def test_of_a_check_that_stopped_nothing_is_listed(q):
    assert q.check(wrong).parts
    assert q.check(stumbles).parts == ()
    assert progress().question("adam-5").tests == ()


def test_the_draw_changes_with_the_attempt_and_a_seed_repeats_it(q):
    first, second = q.check(wrong), q.check(wrong)
    assert first.seed != second.seed
    again = q.check(wrong, seed=first.seed)
    assert (again.seed, again.message) == (first.seed, first.message)
    assert progress().question("adam-5").tries == 2


def test_a_repeat_is_not_counted_and_says_so(q, capsys):
    q.check(right, seed=123456)
    assert "does not count" in capsys.readouterr().out
    assert progress().question("adam-5").state == "not tried"


def test_an_error_costs_no_try(q, capsys):
    result = q.check(stumbles)
    assert (result.outcome, result.score) == ("error", 0)
    assert 'return slots["q"]' in capsys.readouterr().out
    state = progress().question("adam-5")
    assert (state.tries, state.state) == (0, "error")


def test_hints_come_in_order_and_the_third_is_only_given_when_asked_for(q):
    assert q.hint().text.startswith("Which slot")
    assert q.hint().text.startswith("Write down the rule")
    offer = q.hint()
    assert "costs a quarter of the points (0.5 of 2)" in offer.text
    assert progress().question("adam-5").hints_seen == 2
    assert q.check(right).score == 2
    assert q.hint(3).text.startswith("`-b1 * m / (1 - b1)`")


def test_a_hint_before_any_attempt_says_whose_question_it_is(q):
    q.hint()
    summary = progress().summary()
    assert summary.points == q.points == 2
    kept = progress().store.run(lambda db: db.execute("SELECT notebook, points FROM question").fetchall())
    assert [tuple(row) for row in kept] == [("15_adam_slots", 2.0)]


def test_the_third_hint_costs_a_quarter(q):
    q.hint(3)
    assert q.check(right).score == 1.5
    assert progress().question("adam-5").best == 1.5


def test_the_third_hint_after_a_pass_takes_nothing_away(q):
    q.check(right)
    q.hint(3)
    q.check(right)
    assert progress().question("adam-5").best == 2


def test_there_is_no_fourth_hint(q):
    with pytest.raises(StructureError, match="three hints"):
        q.hint(4)


def test_the_solution_opens_after_two_tries(q):
    assert "two honest tries" in q.solution().text
    q.check(stumbles)
    q.check(wrong)
    assert "one more honest try" in q.solution().text
    assert not progress().question("adam-5").solution_seen
    q.check(wrong)
    assert "def brake(" in q.solution().text
    assert progress().question("adam-5").solution_seen


def test_the_solution_opens_after_a_pass(q):
    q.check(right)
    assert "def brake(" in q.solution().text


def test_half_of_the_points_for_right_values_at_too_high_a_price(kept):
    import numpy as np

    result = exercise("01").q4.check(lambda n, m, push, pull: np.stack([pull(r) for r in np.eye(m)]))
    assert (result.outcome, result.score, result.misconception) == ("partial", 1, "always-reverse")


def test_two_learners_see_different_numbers_and_one_sees_the_same(question, kept, monkeypatch):
    graded = next(g for no in LESSONS for g in exercise(no) if g.id == question.id)
    mine, again = repr(graded.example), repr(graded.example)
    monkeypatch.setenv("AUTODIFF_KIT_LEARNER", "grace")
    assert mine == again
    assert mine != repr(graded.example)
    assert "0x" not in mine


def test_two_learners_are_drawn_different_checks(kept, monkeypatch):
    q = exercise("15").q5
    hers = q.check(wrong).seed
    monkeypatch.setenv("AUTODIFF_KIT_LEARNER", "grace")
    assert exercise("15").q6.check(lambda old, shapes: {}).seed != hers
    from autodiff_kit.exercises.check_runner import attempt_seed

    assert attempt_seed("adam-5", "ada", 1) == hers != attempt_seed("adam-5", "grace", 1)


def test_functions_are_handed_over_all_or_none(kept):
    with pytest.raises(StructureError, match=r"q1\.check\(push, pull\). Got 1"):
        exercise("01").q1.check(right)


def test_an_exercise_unpacks_and_is_asked_by_name(kept):
    ex = exercise("01")
    q1, *others = ex
    n = len(LESSONS.question_ids("01"))
    assert (q1.id, len(others), ex.q6.id, ex[5].id, len(ex)) == ("jvp-1", n - 1, "jvp-6", "jvp-6", n)
    with pytest.raises(AttributeError, match=f"q1 to q{n};"):
        getattr(ex, f"q{n + 1}")


def test_an_exercise_tells_the_score_so_far(kept):
    ex = exercise(15)
    assert repr(ex).startswith("15 · Adam slots: exercises: 0 of 16 points so far")
    ex.q5.check(right)
    assert "2 of 16 points so far" in repr(ex)
    assert "q5  passed        2 of 2  A gradient that stops the weight" in repr(ex)
    assert ex.score == 2


def test_one_point_is_one_point(kept):
    said = [repr(one) for no in LESSONS for one in exercise(no)]
    assert {line.rpartition(", ")[2] for line in said} >= {"1 point", "2 points"}
    assert not any(line.endswith(" 1 points") for line in said)


def test_an_unknown_exercise_says_which_there_are():
    with pytest.raises(StructureError, match=f"there are {', '.join(LESSONS)}"):
        exercise("99")
    with pytest.raises(StructureError, match="There is no exercise ''"):
        exercise("")  # lesson 00 is another one


def test_a_message_is_plain_text_and_quiet_html(q):
    html = q.check(wrong)._repr_html_()
    assert 'role="status"' in html
    assert "<code>q5.hint()</code>" in html
    assert "red" not in html
    assert "✗" not in html


def test_html_is_escaped(q):
    def brake(slots, last_gradient, b1):
        raise ValueError("<script>alert(1)</script>")

    html = q.check(brake)._repr_html_()
    assert "<script>" not in html
    assert "&lt;script&gt;" in html
