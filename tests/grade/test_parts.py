"""The parts of the grader separately: messages, the system call filter, late rules, similarity, pages."""

from __future__ import annotations

import json
import random
import re
import socket
import struct
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from autodiff_kit.errors import StructureError
from autodiff_kit.exercises import custom
from autodiff_kit.exercises.protocol import (
    Callback,
    CallbackNamespace,
    OpaqueValue,
    ReturnedFunction,
    SeededGenerator,
    bitwise_equal,
)
from autodiff_kit.grade.batch import collect_submissions
from autodiff_kit.grade.csv_table import grades_csv
from autodiff_kit.grade.exercise_lookup import find_known_exercise, use_checks
from autodiff_kit.grade.grading import grade_submission
from autodiff_kit.grade.inside import syscall_filter
from autodiff_kit.grade.inside.limits import ResourceLimits
from autodiff_kit.grade.late_policy import LatePolicy
from autodiff_kit.grade.lms_export import Enrolment
from autodiff_kit.grade.outside_text import clean_name, clean_text, file_names
from autodiff_kit.grade.protocol import (
    ConnectionLost,
    Message,
    MessageSocket,
    MessageTooLarge,
    ProtocolError,
    ResponseTimeout,
)
from autodiff_kit.grade.reports import feedback_html, report_html
from autodiff_kit.grade.results import QuestionGrade, SubmissionResult
from autodiff_kit.grade.rpc import RpcConnection
from autodiff_kit.grade.sandbox import UnsandboxedRunner
from autodiff_kit.grade.similarity import SimilarGroup, fingerprint, jaccard_similarity, similar_groups
from autodiff_kit.grade.submission import CELL_WORDS, Submission
from autodiff_kit.grade.submission_reader import read_submission

from .notebooks import LESSON, answered, with_cell


@pytest.fixture
def pair():
    sockets = socket.socketpair()
    lines = [MessageSocket(one) for one in sockets]
    yield lines[0], lines[1], sockets[0]
    for line in lines:
        line.close()


def there(value, pair):
    here, far, _ = pair
    here.send(Message("x", {}, [value]), RpcConnection(here))
    return far.receive(RpcConnection(far)).values[0]


ARRAYS = [
    np.arange(6.0).reshape(2, 3),
    np.float32([np.nan, np.inf, -0.0]),
    np.zeros((0, 3)),
    np.array(3.5),
    np.array([True, False]),
    np.arange(3)[::-1],
    np.arange(4, dtype=">i4"),
    np.arange(6.0).reshape(2, 3).T,
    np.array([1 + 2j]),
    np.float16([1.5]),
    np.longdouble([1.5]),
    np.uint8([255]),
]


@pytest.mark.parametrize("array", ARRAYS, ids=[f"{a.dtype}{a.shape}" for a in ARRAYS])
def test_arrays_are_sent_bit_for_bit(pair, array):
    got = there(array, pair)
    assert got.shape == array.shape
    assert got.dtype == array.dtype.newbyteorder("=")
    assert np.array_equal(got, array, equal_nan=array.dtype.kind == "f")


PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.complex_numbers(),
    lambda inner: st.lists(inner) | st.tuples(inner, inner) | st.dictionaries(st.text() | st.integers(), inner),
    max_leaves=20,
)


@given(PLAIN)
def test_plain_values_are_sent_unchanged(value):
    sockets = socket.socketpair()
    lines = [MessageSocket(one) for one in sockets]
    try:
        assert bitwise_equal(there(value, (*lines, None)), value)
    finally:
        for line in lines:
            line.close()


@pytest.mark.parametrize("number", [np.float64(0.5), np.float32("nan"), np.int64(-3), np.bool_(True), np.complex64(1j)])
def test_numbers_of_numpy_are_sent_as_such(pair, number):
    """As `rng.choice` and the entries of an array give them: a check hands them on as arguments."""
    (got,) = there([number], pair)
    assert type(got) is type(number)
    assert got.tobytes() == number.tobytes()
    assert there(np.array(["sin"])[0], pair) == "sin"


def test_functions_and_opaque_values_are_sent(pair):
    sent = [
        SeededGenerator(5),
        OpaqueValue("Liar"),
        ReturnedFunction(3, "pull"),
        {"a", "b"},
        CallbackNamespace("kit", {"f": Callback(abs, "f")}),
    ]
    rng, foreign, remote, names, space = there(sent, pair)
    assert (rng, foreign, remote, names) == (
        SeededGenerator(5),
        OpaqueValue("Liar"),
        ReturnedFunction(3, "pull"),
        {"a", "b"},
    )
    assert isinstance(space.members["f"], Callback)


def message(values, arrays=()):
    return json.dumps({"kind": "x", "fields": {}, "values": values, "arrays": list(arrays)}).encode() + b"\n"


LARGE = ("<f8", [1 << 20])
TOO_MUCH = {
    "one array many times": message([[{"array": 0}] * 60], [LARGE]) + bytes(8 << 20),
    "one array as different things": message([{"array": 0}, {"tensor": 0}], [LARGE]) + bytes(8 << 20),
    "one array in nested values": message([{"dict": [["a", {"array": 0}], ["b", {"tuple": [{"array": 0}]}]]}], [LARGE])
    + bytes(8 << 20),
    "a set of equal hashes": message([{"set": [k * (2**61 - 1) for k in range(20_000)]}]),
    "a dictionary of equal hashes": message([{"dict": [[k * (2**61 - 1), 0] for k in range(20_000)]}]),
    "many sets of equal hashes": message([[{"set": [k * (2**61 - 1) for k in range(100)]}] * 400]),
}


@pytest.mark.parametrize("line", TOO_MUCH.values(), ids=TOO_MUCH)
def test_what_a_message_names_is_bounded_however_often_it_names_it(line):
    """What a check makes of the values takes memory for each time, and equal hashes take time by the square."""
    ours, theirs = socket.socketpair()
    heard = MessageSocket(ours)
    writer = threading.Thread(target=theirs.sendall, args=(line,))
    writer.start()
    began = time.process_time()
    with pytest.raises(MessageTooLarge):
        heard.receive(RpcConnection(heard))
    assert time.process_time() - began < 5
    heard.close()
    theirs.close()
    writer.join()


def test_arrays_and_lists_inside_of_arguments_count_as_bytes_of_requests(pair):
    """Each result that a process asks for keeps its record here, with what it was computed from."""
    here, far, _ = pair
    grader, learner = RpcConnection(here), RpcConnection(far)
    grader.send("x", [Callback(lambda rows: 1.0, "f")])
    function = learner.receive("x").values[0]
    row, told = np.ones(100_000), []
    thread = threading.Thread(target=lambda: told.append(_asked(grader)))
    thread.start()
    with pytest.raises(RuntimeError, match="called too often"):
        for _ in range(20):
            function([[row], [row]])
    learner.send("end")
    thread.join()
    assert told == ["end"]


def _asked(connection):
    return connection.receive("end").kind


@pytest.mark.parametrize(
    "line",
    [
        b"no json\n",
        b"[1]\n",
        b"{}\n",
        b'{"kind": "x", "fields": {}, "values": [{"array": 0}], "arrays": []}\n',
        b'{"kind": "x", "fields": {}, "values": [{"array": -1}], "arrays": [["<f8", [1]]]}\n12345678',
        b'{"kind": "x", "fields": {}, "values": [], "arrays": [["O", [1]]]}\n12345678',
        b'{"kind": "x", "fields": {}, "values": [], "arrays": [["<f8", [-1]]]}\n',
        b'{"kind": "x", "fields": {}, "values": [], "arrays": [["<f8", [99999999, 99999999]]]}\n',
        b'{"kind": "x", "fields": {}, "values": [], "arrays": [["<U99999999", [1]]]}\n',
        b'{"kind": "x", "fields": {}, "values": [{"pickle": "x"}], "arrays": []}\n',
        b'{"kind": "x", "fields": {}, "values": [{"scalar": 0}], "arrays": [["|u1", [2]]]}\n12',
        b'{"kind": "x", "fields": {}, "values": [{"yours": 7}], "arrays": []}\n',
        b'{"kind": "x", "fields": {}, "values": [{"set": [[1]]}], "arrays": []}\n',
        b'{"kind": "x", "fields": {}, "values": [{"dict": [[[1], 2]]}], "arrays": []}\n',
        b'{"kind": "x", "fields": {}, "values": [{"tuple": 3, "set": 4}], "arrays": []}\n',
        b'{"kind": "x", "fields": {}, "values": [' + b"[" * 100 + b"]" * 100 + b'], "arrays": []}\n',
        b"[" * 100_000 + b"\n",
        b"9" * 10_000 + b"\n",
        b"x" * (5 << 20),
    ],
)
def test_messages_that_violate_the_format_are_rejected(line):
    ours, theirs = socket.socketpair()
    theirs.setblocking(False)
    import contextlib

    def write():
        theirs.setblocking(True)
        with contextlib.suppress(OSError):
            theirs.sendall(line)
        theirs.close()

    writer = threading.Thread(target=write)
    writer.start()
    heard = MessageSocket(ours)
    with pytest.raises(ProtocolError):
        heard.receive(RpcConnection(heard))
    heard.close()
    writer.join()


def test_timeouts_and_closed_connections_are_distinguished(pair):
    here, far, _ = pair
    here.deadline = 0.0
    with pytest.raises(ResponseTimeout):
        here.receive(RpcConnection(here))
    here.deadline = float("inf")
    far.close()
    with pytest.raises(ConnectionLost):
        here.receive(RpcConnection(here))


def run_filter(code, number, machine, *arguments):
    """The kernel's evaluation of the filter: a machine with one register and forward jumps."""
    memory = {0: number, 4: syscall_filter.ARCHITECTURES.get(machine, 0)}
    memory |= {16 + 8 * place: (*arguments, *[0] * 6)[place] for place in range(6)}
    steps = list(struct.iter_unpack("HBBI", code))
    place = register = 0
    while True:
        op, yes, no, k = steps[place]
        place += 1
        if op == syscall_filter.LOAD:
            register = memory[k]
        elif op == syscall_filter.RETURN:
            return {0x7FFF0000: "yes", 0x80000000: "killed", 0x00050001: "no", 0x00050026: "absent"}[k]
        else:
            said = {
                syscall_filter.IF_EQUAL: register == k,
                syscall_filter.IF_GREATER_EQUAL: register >= k,
                syscall_filter.IF_ANY_BIT: register & k,
            }[op]
            place += yes if said else no


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
def test_the_filter_decides_every_system_call(machine):
    code, column = syscall_filter.filter_program(machine), list(syscall_filter.ARCHITECTURES).index(machine)
    refused = {numbers[column] for numbers in syscall_filter.REFUSED_CALLS.values()}
    by_argument = ("CLONE", "CLONE3", "SOCKET", "IOCTL", "MMAP", "SIGACTION")
    clone, clone3, socket_, ioctl, mmap, sigaction = (getattr(syscall_filter, name)[column] for name in by_argument)
    for number in set(range(500)) - {clone, clone3, socket_, ioctl, mmap, sigaction}:
        assert run_filter(code, number, machine) == ("no" if number in refused else "yes"), number
    assert run_filter(code, clone3, machine) == "absent"
    for flags, answer in ((0x3D0F00, "yes"), (17, "yes"), (0x10000000, "no"), (0x20000011, "no"), (0x40000000, "no")):
        assert run_filter(code, clone, machine, flags) == answer
    for family in range(48):
        assert run_filter(code, socket_, machine, family) == ("yes" if family == 1 else "no")
    for request, answer in ((0x5401, "yes"), (0x5412, "no"), (0x541C, "no")):
        assert run_filter(code, ioctl, machine, 3, request) == answer
    for flags, answer in ((0x22, "yes"), (0x01, "yes"), (0x02, "yes"), (0x21, "no"), (0x23, "no"), (0x8021, "no")):
        assert run_filter(code, mmap, machine, 0, 4096, 3, flags) == answer
    for signal_, answer in ((2, "yes"), (14, "yes"), (17, "no")):
        assert run_filter(code, sigaction, machine, signal_) == answer
    assert run_filter(code, 0, "other") == "killed"
    assert run_filter(syscall_filter.filter_program("x86_64"), 0x40000000, "x86_64") == "killed"
    with pytest.raises(LookupError, match="riscv64"):
        syscall_filter.filter_program("riscv64")


def result(score=10.0, submitted="2026-11-30T12:00:00+00:00", **more):
    return SubmissionResult(
        "ada", "", "graded", marks=(QuestionGrade("q", score, 10, "passed"),), submitted=submitted, **more
    )


@pytest.mark.parametrize(
    ("rule", "late", "penalty"),
    [
        (LatePolicy(), False, 0),
        (LatePolicy("2026-11-30T12:00"), False, 0),
        (LatePolicy("2026-11-30T11:59", per_day=10), True, 1),
        (LatePolicy("2026-11-30T11:59", grace=1, per_day=10), False, 0),
        (LatePolicy("2026-11-28T11:59", per_day=10), True, 3),
        (LatePolicy("2026-11-28T11:59", per_day=40, most=50), True, 5),
        (LatePolicy("2026-11-30T12:30+01:00", per_day=10), True, 1),
        (LatePolicy("2026-11-01T12:00"), True, 0),
    ],
)
def test_late_rules(rule, late, penalty):
    found = rule.apply_to(result())
    assert (found.late, found.penalty) == (late, penalty)


def test_a_score_after_a_penalty_is_the_number_that_a_person_computes():
    """Binary fractions would leave 1.7999999999999998 in every table."""
    found = LatePolicy("2026-11-24T12:00", per_day=10).apply_to(result(4.5))
    assert (found.penalty, found.score) == (2.7, 1.8)


@pytest.mark.parametrize("wrong", [{"due": "soon"}, {"grace": -1}, {"per_day": 101}, {"most": float("nan")}])
def test_invalid_late_rules(wrong):
    with pytest.raises(StructureError):
        LatePolicy(**wrong)


LONG = """def drift(table, ids, grads, slots, lr, b1, b2, eps):
    collected = {}
    for place, row in zip(ids, grads):
        collected[int(place)] = collected.get(int(place), 0.0) + row
    t = slots["t"] + 1
    for place, row in collected.items():
        slots["m"][place] = b1 * slots["m"][place] + (1 - b1) * row
    return table, slots
"""


def test_similarity_ignores_names_numbers_and_comments(tmp_path):
    renamed = (
        LONG.replace("collected", "c").replace("place", "i").replace("0.0", "0").replace("t = ", "# more\n    tt = ")
    )
    other = LONG.replace(
        "for place, row in collected.items():", "while collected:\n        place, row = collected.popitem()"
    )
    other = other.replace("collected.get(int(place), 0.0) + row", "sum((collected.pop(place, 0), row))").replace(
        "b1 *", "-b1 /"
    )
    for name, text in (("ada", LONG), ("bob", renamed), ("cyd", other), ("dan", None)):
        found = answered() if text is None else answered(leave=[f"adam-{i}" for i in (1, 2, 3, 5, 6)], adam_4=text)
        (tmp_path / f"{name}.ipynb").write_text(json.dumps(found), encoding="utf-8")
    found = similar_groups(collect_submissions([tmp_path]))
    of_adam_4 = [(group.learners, group.worked) for group in found if group.question == "adam-4"]
    assert (("ada", "bob"), False) in of_adam_4
    assert (("dan",), True) in of_adam_4
    assert not [names for names, _ in of_adam_4 if "cyd" in names]


def with_answers(sources):
    """Submissions with an answer to one question, as the batch knows them."""
    return [
        Submission(name, LESSON.slug, fingerprints=(("adam-4", fingerprint(source)),))
        for name, source in sources.items()
    ]


def test_similar_answers_of_a_large_class_are_a_few_groups():
    rng = random.Random(0)
    signs = "+-*/%@&|^"

    def line():
        return "    " + " ".join(f"x {rng.choice(signs)}" for _ in range(rng.randrange(3, 9))) + " y\n"

    sources = {f"own {place}": "".join(line() for _ in range(8)) for place in range(300)}
    ring = "".join(line() for _ in range(8))
    sources |= {f"ring {place}": ring.replace("x", f"name{place}") for place in range(8)}
    groups = similar_groups(with_answers(sources))
    assert [group.learners for group in groups] == [tuple(f"ring {place}" for place in range(8))]
    page = report_html([], groups * 99)
    assert page.count("<tr>") < 70
    assert "39 more groups are less alike" in page


def test_nearly_all_answers_that_are_alike_are_listed():
    """Of pairs that are 81 % alike an index once missed three of four."""
    rng = random.Random(1)
    pairs = {}
    for place in range(40):
        tokens = [rng.choice("+-*/%@&|^x(") for _ in range(120)]
        pairs[f"a{place}"] = " ".join(tokens)
        tokens[40] = tokens[80] = "="
        pairs[f"b{place}"] = " ".join(tokens)
    likeness = [jaccard_similarity(*(fingerprint(pairs[f"{who}{place}"]) for who in "ab")) for place in range(40)]
    assert 0.8 < min(likeness) <= max(likeness) < 0.82
    groups = similar_groups(with_answers(pairs))
    assert len([group for group in groups if len(group.learners) == 2]) == 40


def test_of_a_long_answer_a_sample_is_compared():
    rng = random.Random(2)
    tokens = [rng.choice("+-*/%@&|^x(") for _ in range(3000)]
    long = " ".join(tokens)
    for place in range(0, 3000, 250):
        tokens[place] = "="
    changed, other = " ".join(tokens), " ".join(rng.choice("+-*/%@&|^x(") for _ in range(3000))
    assert len(fingerprint(long)) == 256
    assert 0.9 < jaccard_similarity(fingerprint(long), fingerprint(changed)) < 1
    assert jaccard_similarity(fingerprint(long), fingerprint(other)) < 0.1
    assert [group.learners for group in similar_groups(with_answers({"a": long, "b": changed, "c": other}))] == [
        ("a", "b")
    ]


def test_answers_made_to_be_nearly_alike_cost_no_time_by_the_square():
    """Each shares 88 % of its n-grams with all others, so that it is in nobody's group and near to everybody's."""
    rng = random.Random(3)
    common = frozenset(rng.getrandbits(64) for _ in range(200))
    class_of = [
        Submission(f"{k}", LESSON.slug, fingerprints=(("adam-4", common | {rng.getrandbits(64) for _ in range(27)}),))
        for k in range(1200)
    ]
    began = time.process_time()
    assert similar_groups(class_of[:600]) == []
    half = time.process_time() - began
    assert similar_groups(class_of) == []
    assert time.process_time() - began < 5 * half


def test_pages_escape_messages():
    evil = "<script>alert(1)</script>"
    marks = (
        QuestionGrade("jvp-1", 0.0, 3, "not yet", f"`{evil}` & more\nline 2", "loops", 1),
        QuestionGrade("jvp-2", 2.0, 2, "passed"),
    )
    found = SubmissionResult(
        evil, "01_jacobian_vector_products", "tampered", evil, marks, remarks=(f"{CELL_WORDS}{evil}", evil)
    )
    for page in (feedback_html(evil, [found]), report_html([found], [])):
        assert "<script>" not in page
        assert "&lt;script&gt;" in page
        assert page.startswith("<!doctype html>")
    page = feedback_html(evil, [found])
    assert "2 of 5 points" in page
    assert "Push and pull through a list of steps" in page
    assert "<code>loops</code>" in report_html([found], [])


def test_names_and_their_files_stay_distinct():
    odd = [
        "a\u202eb",
        "a\u200bb",
        "a?b",
        "ab",
        "a:b",
        "a_b",
        "A_B",
        "a/b",
        "\udcff",
        "\ufffd",
        "",
        ".",
        "..",
        "x" * 300,
    ]
    odd += [clean_name("x" * 300), "x" * 301, "字" * 81, "⟨U+202E⟩", "a⟨U+202E⟩b", "con\nx", "…"]
    shown = {clean_name(name) for name in odd}
    files = set(file_names(shown).values())
    assert len(shown) == len(odd)
    assert len({found.casefold() for found in files}) == len(odd)
    for found in files:
        assert found.strip(" .")
        assert len(found.encode()) <= 120
        assert not set(found) & set('/\\:*?"<>|')


def test_a_name_in_capitals_takes_nobodys_file():
    assert file_names(["Ada", "ada", "ADA"])["ada"] == "ada"


def test_nobody_takes_anothers_file_by_a_name_like_its_hash():
    [first] = file_names(["a:b"]).values()
    assert len(set(file_names(["a:b", first]).values())) == 2


def test_text_from_outside_is_bounded_and_seen():
    assert clean_text("a\udc80b\u2028c\x1b[31m\u202ed\r\ne\tf", 99) == "a\ufffdb\ufffdc\ufffd[31m\ufffdd\ne\tf"
    assert clean_text("x" * 50, 10) == "x" * 9 + "…"
    assert clean_text(10**5000, 10) == ""


def test_the_histogram_counts_answers_by_misconception():
    found = [
        SubmissionResult(name, "", "graded", marks=(QuestionGrade("jvp-1", 0, 3, "not yet", "", idea),))
        for name, idea in (("a", "loops"), ("b", "loops"), ("c", "sign"))
    ]
    rows = [row for row in report_html(found, []).split("<tr>") if "<code>" in row]
    assert ["loops" in row and ">2 of 3<" in row and "width:66.7%" in row for row in rows] == [True, False]
    assert ">1 of 3<" in rows[1]


def test_pages_name_questions_as_the_notebook_and_learners_as_the_roster():
    marks = (QuestionGrade("jvp-2", 0.0, 2, "not yet", "Wrong.", "loops"), QuestionGrade("jvp-1", 3.0, 3, "passed"))
    found = SubmissionResult(
        "ada_1017",
        "01_jacobian_vector_products",
        "graded",
        "",
        marks,
        "2026-11-30T22:10:00+00:00",
        late=True,
        penalty=0.5,
    )
    enrolment = Enrolment({}, [], [], {"ada_1017": "Lovelace, Ada"})
    page = feedback_html("ada_1017", [found], "Lovelace, Ada")
    assert "Feedback for Lovelace, Ada" in page
    assert re.search(r"<h3>q2 · [^<]+ <span[^>]*>jvp-2</span></h3><p>No points: <strong>0 of 2 points", page)
    assert "Not yet" not in page
    assert "2.5 of 5 points" in page
    group = SimilarGroup("jvp-1", ("ada_1017", "bob"), 1.0)
    report = report_html([found], [group], enrolment)
    link = '<a href="feedback/ada_1017.html">Lovelace, Ada</a>'
    assert f'<td class="name">{link}</td><td class="number">2.5 of 5</td><td class="short">0.5 less</td>' in report
    assert f"{link}; bob" in report
    assert '<td class="short">q2 <span' in report


def test_threads_that_begin_at_once_load_checks_once(monkeypatch):
    """As those of a dask worker do: loading a package takes its modules out of the way first."""
    loaded = []

    def load(_folder, name):
        loaded.append(name)
        time.sleep(0.2)

    monkeypatch.setattr(custom, "load_checks", load)
    use_checks(Path("somewhere"))
    with ThreadPoolExecutor(3) as pool:
        assert list(pool.map(find_known_exercise, ["own"] * 3)) == [None] * 3
    use_checks(None)
    assert loaded == ["own"]


def test_times_of_one_download_are_no_times_of_submission():
    def handed_in(*times):
        return [Submission(f"{k}", submitted=f"2026-11-30T{time}+00:00") for k, time in enumerate(times)]

    policy = LatePolicy("2026-11-30T12:00", grace=5)
    with pytest.raises(StructureError, match="All 3 files have the time 2026-11-30 14:33 UTC"):
        policy.require_different_times(handed_in("14:33:05", "14:33:06", "14:33:20"))
    policy.require_different_times(handed_in("11:33:05", "11:33:06", "11:33:20"))
    policy.require_different_times(handed_in("14:33:05", "14:33:06", "14:39:20"))
    policy.require_different_times(handed_in("14:33:05", "14:33:06"))
    LatePolicy().require_different_times(handed_in("14:33:05", "14:33:06", "14:33:20"))


def test_pages_tell_when_it_was_handed_in_only_where_that_counts():
    found = SubmissionResult("ada", "01_x", "graded", submitted="2026-11-30T22:10:00+00:00")
    assert "Handed in" not in feedback_html("ada", [found])
    assert "Handed in 2026-11-30 22:10:00 UTC" in feedback_html("ada", [found], timed=True)


def test_equal_files_and_a_common_slip_are_in_the_report(tmp_path):
    slip = next(question for question in LESSON.questions if question.id == "adam-1").solution.replace(
        "+ eps)", "- eps)"
    )
    own = answered(leave=["adam-2"])
    for name, found in (("ada", answered(adam_1=slip)), ("bob", answered(adam_1=slip, leave=["adam-6"]))):
        (tmp_path / f"{name}.ipynb").write_text(json.dumps(found), encoding="utf-8")
    for name in ("cyd", "dan"):
        (tmp_path / f"{name}.ipynb").write_text(json.dumps(own), encoding="utf-8")
    submissions = collect_submissions([tmp_path])
    groups = similar_groups(submissions)
    assert SimilarGroup("adam-1", ("ada", "bob"), 1.0) in groups
    assert not [one for one in groups if set(one.learners) >= {"cyd", "dan"} and not one.worked]
    results = [SubmissionResult(one.learner, one.exercise, "graded", sha256=one.sha256) for one in submissions]
    page = report_html(results, groups)
    same = page.partition("<h2>The same file</h2>")[2].partition("<h2>")[0]
    assert "cyd</a>; <a" in same
    assert "ada.html" not in same
    assert "It proves nothing by itself" in page


def test_learners_are_in_the_order_of_their_names_and_strangers_do_not_count():
    marks = (QuestionGrade("jvp-1", 3.0, 3, "passed"),)
    names = {"m1": "Murphy, Al", "m2": "Müller, Bo", "m3": "Åberg, Cy"}
    found = [SubmissionResult(name, "01_x", "graded", marks=marks) for name in (*names, "zed")]
    unread = (QuestionGrade("jvp-1", 0.0, 3, "not attempted"),)
    found.append(SubmissionResult("m4", "01_x", "invalid", "No.", unread))
    report = report_html(found, [], Enrolment({}, [], ["zed"], {**names, "m4": "Young, Di"}))
    scores = report.partition("<h2>Scores</h2>")[2].partition("<h2>")[0]
    assert re.findall(r'class="name"><a[^>]*>([^<]+)', scores) == [
        "Åberg, Cy",
        "Müller, Bo",
        "Murphy, Al",
        "Young, Di",
        "zed",
    ]
    questions = report.partition("<h2>Questions</h2>")[2].partition("<h2>")[0]
    assert [int(n) for n in re.findall(r'"number">(\d+)<', questions)] == [3, 0, 0, 0, 0]
    assert '<a href="feedback/zed.html">zed</a>' in report.partition("Not in the roster")[2].partition("<h2>")[0]


def test_a_long_list_of_learners_is_unfolded_when_asked_for():
    group = SimilarGroup("jvp-1", tuple(f"one{k:02}" for k in range(15)), 1.0)
    assert "<summary>and 3 more</summary>one12; one13; one14</details>" in report_html([], [group])


def test_a_page_of_a_large_class_has_an_end():
    many = [SubmissionResult(f"{i}", "", "invalid", "No.") for i in range(2500)]
    report = report_html(many, [])
    assert report.count("<tr>") < 4100
    assert "500 more are in results.jsonl" in report


def test_no_name_is_a_formula_in_a_spreadsheet():
    for beginning in "=+-@\t＝＋－＠":  # wide letters are taken for the narrow ones where those are usual
        assert f"'{beginning}HYPERLINK(1)" in grades_csv([SubmissionResult(f"{beginning}HYPERLINK(1)", "x", "graded")])
    text = grades_csv([SubmissionResult("=HYPERLINK(1)", "x", "graded")])
    assert text.splitlines()[0].split(",")[0] == '"assignment"'
    assert len(text.splitlines()[0].split(",")) == 11


@pytest.mark.skipif(sys.platform != "linux", reason="whether a process lives is read from /proc")
def test_without_a_sandbox_nothing_that_a_notebook_began_lives_on(tmp_path):
    begin = "import subprocess\nchild = subprocess.Popen(['sleep', '600'])\n"
    found = with_cell(f"{begin}open({str(tmp_path / 'pid')!r}, 'w').write(str(child.pid))")
    (tmp_path / "eve.ipynb").write_text(json.dumps(found), encoding="utf-8")
    grade_submission(read_submission(tmp_path / "eve.ipynb", "eve"), UnsandboxedRunner(ResourceLimits()), "s")
    stat = Path("/proc", (tmp_path / "pid").read_text(), "stat")
    until = time.monotonic() + 10
    while stat.exists() and stat.read_text().rpartition(")")[2].split()[0] not in "ZX":
        assert time.monotonic() < until, "the child lives on"
        time.sleep(0.05)


def test_without_a_sandbox_a_submission_finds_no_module_of_another_or_of_the_teacher(tmp_path, monkeypatch):
    """A file named like a module shadows it: the next submission would run the code of the one before it."""
    (tmp_path / "lecture.py").write_text("")
    monkeypatch.chdir(tmp_path)
    runner, folders = UnsandboxedRunner(ResourceLimits()), []
    for name in ("eve", "ada"):
        source = (
            "import importlib.util, os, pathlib\n"
            "found = [os.getcwd(), *(name for name in ('planted', 'lecture') if importlib.util.find_spec(name))]\n"
            f"pathlib.Path({str(tmp_path / name)!r}).write_text(chr(10).join(found))\n"
            "pathlib.Path('planted.py').write_text('')"
        )
        (tmp_path / f"{name}.ipynb").write_text(json.dumps(with_cell(source)), encoding="utf-8")
        grade_submission(read_submission(tmp_path / f"{name}.ipynb", name), runner, "s")
        folder, *modules = (tmp_path / name).read_text().splitlines()
        assert modules == []
        assert not Path(folder).exists()
        folders.append(folder)
    runner.close()
    assert folders[0] != folders[1]
    assert not (tmp_path / "planted.py").exists()


def test_a_control_group_limits_the_sandbox_where_it_can_be_had(tmp_path):
    from autodiff_kit.grade import cgroup
    from autodiff_kit.grade.sandbox import ResourceLimits

    limits = ResourceLimits(memory=100 << 20, disk=10 << 20)
    assert cgroup.create_control_group(limits, tmp_path) is None  # no cgroup file system is mounted there
    found = cgroup.create_control_group(limits)
    if found is None:
        pytest.skip("this user may make no control group (version 2) with a limit on memory here")
    assert int((found.folder / "memory.max").read_text()) == limits.memory + limits.disk + cgroup.BASE_MEMORY
    bomb = "held = [bytearray(10_000_000) for _ in range(200)]"
    import subprocess
    import sys

    assert subprocess.run([*found.command_prefix(), sys.executable, "-c", bomb], check=False).returncode == -9
    assert found.ran_out_of_memory()
    assert not found.ran_out_of_memory()
    found.close()
    assert not found.folder.exists()
