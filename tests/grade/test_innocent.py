"""The innocent: what `check()` accepts in the notebook has the same points in the grader, and nobody is accused."""

from __future__ import annotations

import inspect
import json
import os
import random
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from autodiff_kit.exercises.check_runner import question_rng
from autodiff_kit.exercises.in_process import TimeLimitReached
from autodiff_kit.exercises.protocol import Callback
from autodiff_kit.exercises.questions import LESSONS
from autodiff_kit.grade.batch import collect_submissions
from autodiff_kit.grade.grading import grade_submission
from autodiff_kit.grade.protocol import MessageSocket, ProtocolError
from autodiff_kit.grade.rpc import RpcConnection
from autodiff_kit.grade.submission_reader import read_submission

from .harmless_edits import CHECKS, EDITS, HandIn
from .notebooks import answer_cell, answered, code, notebook

PUSH = LESSONS["01"]
FULL = float(PUSH.points)
EDITS_EACH = 3
"""Edits of one generated hand-in: some come only together."""


def graded(found, sandbox):
    """The result of a submission of which the batch has the facts alone, as a grader's process reads it again."""
    own_folder = bool(found.modules_sha256)
    whole = read_submission(Path(found.path), found.learner, found.exercise, own_folder=own_folder)
    return grade_submission(whole, sandbox, "s")


def kind_of(value):
    """What a value is, as far as it is the same in the notebook and in the sandbox."""
    if isinstance(value, dict):
        return {key: kind_of(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [kind_of(item) for item in value]
    return "function" if callable(value) else type(value).__name__


def solution(id):
    return next(question.solution for question in PUSH.questions if question.id == id)


def after_check(found, id, source):
    """The notebook with a cell after a question's check."""
    place = next(place for place, cell in enumerate(found["cells"]) if cell.get("id") == f"{id}-check")
    found["cells"].insert(place + 1, code(source))
    return found


def message_of(result, id):
    return next(mark.message for mark in result.marks if mark.question == id)


THREADS = {
    "a pool": """
        with ThreadPoolExecutor(4) as pool:
            if n <= m:
                return np.stack(list(pool.map(push, np.eye(n))), axis=1)
            return np.stack(list(pool.map(pull, np.eye(m))))""",
    "plain threads": """
        found = {}
        def work(k):
            found[k] = push(np.eye(n)[k]) if n <= m else pull(np.eye(m)[k])
        threads = [threading.Thread(target=work, args=(k,)) for k in range(min(n, m))]
        for thread in threads: thread.start()
        for thread in threads: thread.join()
        return np.stack([found[k] for k in range(min(n, m))], axis=int(n <= m))""",
    "a thread in a thread": """
        def half(k):
            with ThreadPoolExecutor(2) as inner:
                return inner.submit(push, np.eye(n)[k]).result() if n <= m else inner.submit(pull, np.eye(m)[k]).result()
        with ThreadPoolExecutor(3) as pool:
            return np.stack(list(pool.map(half, range(min(n, m)))), axis=int(n <= m))""",
}
HEAD = """import threading
import numpy as np
from concurrent.futures import ThreadPoolExecutor
def jacobian(n, m, push, pull):"""


@pytest.mark.parametrize("how", THREADS)
def test_answers_that_use_threads(hand_in, how):
    result = hand_in(answered(PUSH, jvp_4=HEAD + THREADS[how]))
    assert (result.status, result.score, result.reason) == ("graded", FULL, ""), result.marks


def test_a_thread_that_asks_after_the_answer_was_given(hand_in):
    late = "    threading.Timer(0.02, lambda: [push(np.ones(n)) for _ in range(5)]).start()\n"
    result = hand_in(answered(PUSH, jvp_4=f"{HEAD}\n{late}{THREADS['a pool'].replace('        ', '    ', 1)}"))
    assert (result.status, result.reason) == ("graded", "")
    assert result.score >= FULL - 2  # the late calls may count as sweeps of the next case


@pytest.fixture
def two_ends():
    """Both ends of a connection: the grader's, and the sandbox's."""
    ours, theirs = socket.socketpair()
    ends = RpcConnection(MessageSocket(ours)), RpcConnection(MessageSocket(theirs), BaseException)
    yield ends
    for end in ends:
        end.channel.close()


def test_requests_of_many_threads_also_within_each_other(two_ends):
    """Each asks for a function that calls back, and what is called back asks again from threads of its own."""
    grader, sandbox = two_ends
    twice, plus_one = Callback(lambda f, x: f(f(x)), raw=True), Callback(lambda x: x + 1.0, raw=True)

    def work():
        outer, inner = sandbox.receive("start").values

        def step(x):
            with ThreadPoolExecutor(2) as pool:
                return float(sum(pool.map(inner, [x, 2 * x, 3 * x])))

        with ThreadPoolExecutor(4) as pool:
            found = list(pool.map(lambda x: outer(step, x), [float(x) for x in range(12)]))
        sandbox.send("end", [found])

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    grader.channel.deadline = time.monotonic() + 120
    grader.send("start", [twice, plus_one])
    (found,) = grader.receive("end").values
    thread.join()
    assert found == [6 * (6 * x + 3.0) + 3.0 for x in range(12)]


def test_the_answer_to_a_request_that_was_given_up_is_dropped(two_ends):
    """As where an endless loop over `push` reaches the time limit: what comes next is not taken for its answer."""
    grader, sandbox = two_ends

    def work():
        (slow,) = sandbox.receive("start").values
        answer = sandbox.channel.receive
        sandbox.channel.receive = lambda _: (_ for _ in ()).throw(TimeLimitReached)
        with pytest.raises(TimeLimitReached):
            slow(1.0)
        sandbox.channel.receive = answer
        sandbox.send("end", [slow(2.0)])

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    grader.channel.deadline = time.monotonic() + 120
    grader.send("start", [Callback(lambda x: 10 * x, raw=True)])
    assert grader.receive("end").values == [20.0]
    thread.join()


def test_an_answer_that_nobody_asked_for_is_a_violation(two_ends):
    grader, sandbox = two_ends
    for message in (("answer", {"request": 1}), ("raise", {}), ("answer", {"request": "x"})):
        sandbox.send(message[0], [1.0], **message[1])
        grader.channel.deadline = time.monotonic() + 120
        with pytest.raises(ProtocolError, match="not asked for"):
            grader.receive("ready")


@pytest.mark.parametrize(
    "no", ["01", "21", *(pytest.param(no, marks=pytest.mark.slow) for no in LESSONS if no not in ("01", "21"))]
)
def test_the_example_has_the_same_things_as_in_the_notebook(hand_in, no):
    lesson = LESSONS[no]
    kinds = {
        f"{question.id} {name}": kind_of(value)
        for question in lesson.questions
        for name, value in question.example(question_rng(question.id, "own:guest")).items()
    }
    asked = (
        "kinds = {f'{q.id} {name}': kind_of(value) for q in exercise('01') for name, value in vars(q.example).items()}"
    )
    found = answered(lesson)
    found["cells"].insert(
        2, code(f"{inspect.getsource(kind_of)}\n{asked}\nassert kinds == {kinds!r}, [(k, kinds[k]) for k in kinds]")
    )
    result = hand_in(found)
    assert result.remarks == ()
    assert result.score == lesson.points


def test_the_line_that_the_questions_text_suggests(hand_in):
    tried = f"{solution('jvp-2')}\nassert row(ak, q2.example.f, q2.example.x, 0).shape == q2.example.x.shape"
    other = f"q4.example.push(np.ones(q4.example.n))\n{solution('jvp-4')}"
    rng = f"q5.example.rng.normal(); push, pull, x, m = q5.example.ops['roll']; push(x, x)\n{solution('jvp-5')}"
    result = hand_in(answered(PUSH, jvp_2=tried, jvp_4=other, jvp_5=rng))
    assert (result.status, result.score, result.remarks) == ("graded", FULL, ())


STARTER = next(question.starter for question in PUSH.questions if question.id == "jvp-2")
AGAIN = (
    {
        "jvp-2": ("for row in range(3): pass", "`row` means"),
        "jvp-1": ("push = 3.0", "`push` means"),
        "jvp-4": ("del jacobian", "`jacobian` means"),
    },
    {
        "jvp-2": (STARTER, "`row`, `column`, `gradient` mean"),
        "jvp-1": ("def slopes(*args): return 0", "`slopes` means"),
        "jvp-4": ("def jacobian(*args): return 0", "`jacobian` means"),
    },
    {"jvp-1": ("sum = 3", "`sum` means")},
)
"""Question -> a line below its check, and the names whose new meaning its message tells."""


@pytest.mark.parametrize("below", AGAIN, ids=["values", "functions", "a built-in"])
def test_a_name_that_is_used_again_below_its_check(hand_in, below):
    found = answered(PUSH)
    for id, (source, _) in below.items():
        after_check(found, id, source)
    result = hand_in(found)
    assert (result.status, result.score) == ("graded", FULL), result.marks
    for id, (_, named) in below.items():
        assert f"Further down in the notebook {named} something else" in message_of(result, id)


def test_a_name_that_a_method_of_a_class_uses(hand_in):
    """A class that holds itself is looked at once."""
    own = """
class Table:
    @staticmethod
    def size(push, n): return limit(n)
    @property
    def half(self): return limit(2)
Table.root = Table
def limit(n): return n
plain = jacobian
def jacobian(n, m, push, pull):
    assert Table.root.size(push, n) == n and Table().half == 2
    return plain(n, m, push, pull)
"""
    result = hand_in(after_check(answered(PUSH, jvp_4=solution("jvp-4") + own), "jvp-4", "limit = plain = None"))
    assert (result.status, result.score) == ("graded", FULL), result.marks
    assert "`limit`" in message_of(result, "jvp-4")


def test_a_star_import_below_everything(hand_in):
    found = answered(PUSH)
    found["cells"].append(code("from numpy import *"))
    result = hand_in(found)
    assert (result.status, result.score) == ("graded", FULL), result.marks


def test_an_earlier_pass_counts_as_in_the_notebook_and_a_later_answer_as_well(hand_in):
    wrong, right = "def jacobian(n, m, push, pull):\n    return np.zeros((m, n))", solution("jvp-4")
    for cells in ((right, "q4.check()", wrong, "q4.check()"), (wrong, "q4.check()", right)):
        found = answered(PUSH, jvp_4=cells[0])
        for source in reversed(cells[1:]):
            after_check(found, "jvp-4", source)
        assert hand_in(found).score == FULL
    found = answered(PUSH, jvp_4=wrong)
    assert hand_in(found).score == FULL - 2


def test_a_private_question_is_answered_once(hand_in, monkeypatch):
    """Otherwise four guesses would be tried."""
    from dataclasses import replace

    from autodiff_kit.grade import grading

    private = replace(PUSH, questions=tuple(replace(q, private=q.id == "jvp-4") for q in PUSH.questions))
    monkeypatch.setattr(grading, "find_exercise", lambda _: private)
    wrong = "def jacobian(n, m, push, pull):\n    return np.zeros((m, n))"
    result = hand_in(after_check(answered(PUSH), "jvp-4", wrong))
    assert result.score == FULL - 2


@pytest.mark.parametrize("end", ["while True:\n    pass", "import os\nos._exit(3)"], ids=["endless", "exit"])
def test_what_stands_above_the_line_that_ended_a_cell_counts(hand_in, one_second, end):
    result = hand_in(answered(PUSH, jvp_3=f"{solution('jvp-3')}\n{end}"))
    assert result.score == FULL
    assert result.status in ("timeout", "crashed")
    assert f"(`{end.splitlines()[-1 if 'os' in end else 0]}`)" in result.reason
    assert "of q3, from its line" in result.reason


EACH = len(PUSH.questions)


def test_what_stands_above_counts_in_two_cells_and_what_they_left_behind_costs_nobody(hand_in):
    """Of a cell that left something behind nothing is kept, once that ends the run elsewhere."""
    ends = "\nimport os\nos._exit(3)"
    both = answered(PUSH, jvp_3=solution("jvp-3") + ends, jvp_4=solution("jvp-4") + ends)
    result = hand_in(both)
    assert (result.status, result.score) == ("crashed", FULL)
    assert "of q3, from its line" in result.reason
    assert "of q4, from its line" in result.reason
    later = "import os, threading, time\nthreading.Timer(0.3, lambda: os._exit(5)).start()\ntime.sleep(20)"
    found = after_check(answered(PUSH), "jvp-1", later)
    after_check(found, "jvp-2", "time.sleep(3)")
    result = hand_in(found)
    assert (result.status, result.score) == ("crashed", FULL), (result.reason, result.marks)


@pytest.mark.parametrize("first", range(0, len(CHECKS), EACH))
def test_no_edit_of_a_check_cell_is_tampering(hand_in, first):
    found = answered(PUSH)
    cells = {cell.get("id"): cell for cell in found["cells"]}
    for place, (question, source) in enumerate(zip(PUSH.questions, CHECKS[first:], strict=False), 1):
        cells[f"{question.id}-check"]["source"] = source.format(q=f"q{place}", names=", ".join(question.writes))
    result = hand_in(found)
    assert (result.status, result.score, result.remarks) == ("graded", FULL, ())


def test_a_module_beside_the_notebook_in_the_learners_own_folder(tmp_path, sandbox):
    for name in ("ada", "bob"):
        (tmp_path / "in" / name).mkdir(parents=True)
        found = answered(PUSH, jvp_4="from helper import jacobian")
        (tmp_path / "in" / name / "work.ipynb").write_text(json.dumps(found), encoding="utf-8")
    (tmp_path / "in" / "ada" / "helper.py").write_text(solution("jvp-4"), encoding="utf-8")
    ada, bob = collect_submissions([tmp_path / "in"])
    assert graded(ada, sandbox).score == FULL
    missing = graded(bob, sandbox)
    assert missing.score == FULL - 2
    assert "modules, .py, that lie beside the notebook" in message_of(missing, "jvp-4")
    (tmp_path / "in" / "ada" / "helper.py").write_text("jacobian = 3", encoding="utf-8")
    assert collect_submissions([tmp_path / "in"])[0].key != ada.key, "another helper is another submission"


def test_a_module_in_a_folder_of_many_learners_is_nobodys(tmp_path):
    (tmp_path / "helper.py").write_text("x = 1", encoding="utf-8")
    (tmp_path / "ada.ipynb").write_text(json.dumps(answered(PUSH)), encoding="utf-8")
    for places in ([tmp_path], [tmp_path / "ada.ipynb"]):
        assert [one.modules_sha256 for one in collect_submissions(places)] == [""]


@pytest.mark.parametrize("mark", [" (1)", "-Copy1", " copy", "_mine"])
@pytest.mark.parametrize("clone", [False, True])
def test_the_notebook_with_answers_counts_and_not_the_untouched_starter(tmp_path, mark, clone):
    folder = tmp_path / "ada"
    folder.mkdir()
    for name, found in ((PUSH.slug, notebook(PUSH)), (f"{PUSH.slug}{mark}", answered(PUSH, leave=("jvp-1",)))):
        (folder / f"{name}.ipynb").write_text(json.dumps(found), encoding="utf-8")
    for times in (
        (1_700_000_000, 1_700_000_000),
        (1_700_000_000, 1_600_000_000),
    ):  # copied at once; saved the other way
        for path, second in zip(sorted(folder.glob("*.ipynb"), key=lambda path: len(path.name)), times, strict=True):
            os.utime(path, (second, second))
        if clone and mark != "_mine":
            (folder / ".git").mkdir(exist_ok=True)
        (found,) = collect_submissions([tmp_path])
        name = f"{PUSH.slug}{mark}.ipynb"
        assert Path(found.path).name == name
        assert f"2 notebooks were handed in; {name} counts, the last one with answers in it." in found.remarks


def test_two_answered_notebooks_of_one_time_are_named(tmp_path):
    (tmp_path / "ada").mkdir()
    for name, leave in (("a", ("jvp-1",)), ("b", ("jvp-1", "jvp-2"))):
        path = tmp_path / "ada" / f"{name}.ipynb"
        path.write_text(json.dumps(answered(PUSH, leave=leave)), encoding="utf-8")
        os.utime(path, (1_700_000_000, 1_700_000_000))
    (found,) = collect_submissions([tmp_path])
    assert Path(found.path).name == "a.ipynb"
    assert "b.ipynb has the same time; look which of them is meant." in found.remarks[-1]


def test_a_kernel_of_another_language_with_code_in_python(hand_in):
    found = answered(PUSH)
    found["metadata"]["kernelspec"] = {"name": "ir", "language": "R"}
    found["metadata"]["language_info"] = {"name": "R"}
    assert hand_in(found).score == FULL


def test_a_cell_is_named_by_its_code_and_its_question(hand_in):
    found = answered(PUSH)
    answer = answer_cell(found, "jvp-3")
    answer["source"] = f'"""The pull is linear."""\n# so\n{answer["source"]}\n1 / 0'
    (remark,) = hand_in(found).remarks
    assert remark.startswith("The cell `import numpy as np` of q3 stopped with ZeroDivisionError")


def check_edits(tmp_path, sandbox, no, turn, names):
    lesson = LESSONS[no]
    hand_in = HandIn(lesson, random.Random(f"{no} {turn}"))
    for name in names:
        EDITS[name](hand_in)
    folder = tmp_path / f"{no}-{turn}"
    hand_in.write(folder / "ada")
    (found,) = collect_submissions([folder], no)
    result = graded(found, sandbox)
    said = " ".join([result.reason, *result.remarks, *(mark.message for mark in result.marks)])
    about = (no, turn, names, result.status, result.reason, result.remarks, result.marks)
    assert result.score == result.max_score == lesson.points, about
    assert "wrote to" not in said, about
    ended = "an_endless_loop_below_an_answer" in names
    assert result.status in ("graded", *(["crashed"] if ended else [])), about


def drawn_edits(no, turn):
    return random.Random(f"edits {no} {turn}").sample(sorted(EDITS), EDITS_EACH)


SHUFFLED = random.Random(0).sample(sorted(EDITS), len(EDITS))


@pytest.mark.parametrize("first", range(0, len(EDITS), EDITS_EACH))
def test_every_harmless_edit_keeps_the_points(tmp_path, sandbox, first):
    no = list(LESSONS)[first % len(LESSONS)]
    check_edits(tmp_path, sandbox, no, first, SHUFFLED[first : first + EDITS_EACH])


@pytest.mark.slow
@pytest.mark.parametrize("no", list(LESSONS))
def test_a_thousand_harmless_edits_keep_the_points(tmp_path, sandbox, no):
    for turn in range(-(-1000 // (EDITS_EACH * len(LESSONS)))):
        check_edits(tmp_path, sandbox, no, turn, drawn_edits(no, turn))
