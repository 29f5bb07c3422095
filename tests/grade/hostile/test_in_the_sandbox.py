"""Attacks of a notebook while it runs: each gets a result and a reason, and honest questions get their points."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import pytest

from ..notebooks import LESSON, answered, with_cell

FULL = float(LESSON.points)
POINTS = {question.id: float(question.points) for question in LESSON.questions}


def honest_next(hand_in):
    """The sandbox is unchanged for the next submission."""
    assert hand_in(answered(), "next").score == FULL


def test_an_endless_loop_in_a_cell(hand_in, one_second):
    result = hand_in(with_cell("while True:\n    pass"))
    assert (result.status, result.score) == ("timeout", FULL)
    assert "The cell `while True:` exceeded the limit of processor time" in result.reason
    honest_next(hand_in)


@pytest.mark.parametrize("body", ["while True: os.fork()", "while True: subprocess.Popen(['sleep', '99'])"])
def test_a_function_that_starts_processes_costs_its_own_question_only(hand_in, body):
    first, *others = LESSON.questions
    [name] = first.writes
    bomb = f"import os, subprocess\n\n\ndef {name}(*args, **kwargs):\n    {body}"
    result = hand_in(answered(**{first.id.replace("-", "_"): bomb}))
    assert [mark.points for mark in result.marks] == [0, *(question.points for question in others)]
    honest_next(hand_in)


def test_many_functions_that_end_python_cost_their_own_questions_only(hand_in):
    ends = {
        question.id.replace("-", "_"): "\n".join(
            f"def {name}(*args, **kwargs):\n    import os; os._exit(3)" for name in question.writes
        )
        for question in LESSON.questions[:-1]
    }
    result = hand_in(answered(**ends))
    assert [mark.points for mark in result.marks[:-1]] == [0] * len(ends)
    assert result.marks[-1].points == LESSON.questions[-1].points
    assert "q1: a function of yours ended Python (exit code 3)" in result.reason


def test_an_endless_loop_in_an_answer_fails_only_that_question(hand_in, one_second):
    loop = "def brake(slots, last_gradient, b1):\n    while True:\n        pass"
    result = hand_in(answered(adam_5=loop))
    assert result.status == "timeout"
    assert "q5: a function of yours" in result.reason
    assert result.score == FULL - POINTS["adam-5"]


def test_a_sleep(hand_in, sandbox, monkeypatch):
    monkeypatch.setattr(sandbox, "limits", replace(sandbox.limits, wall=1.5))
    result = hand_in(with_cell("import time; time.sleep(1000)"))
    assert (result.status, result.score) == ("timeout", FULL)
    assert "did not end within the time limit" in result.reason


@pytest.mark.slow
def test_a_loop_that_catches_everything(hand_in):
    stubborn = """
import signal
for number in range(1, 32):
    try:
        signal.signal(number, signal.SIG_IGN)
    except (OSError, ValueError):
        pass
while True:
    try:
        while True:
            pass
    except BaseException:
        pass
"""
    assert hand_in(with_cell(stubborn)).status == "timeout"


@pytest.mark.parametrize(
    "bomb",
    [
        "held = [bytearray(10_000_000) for _ in range(100_000)]",
        "import numpy as np\nheld = [np.ones(1_000_000) for _ in range(100_000)]",
        "import numpy as np\nheld = np.ones(10**13)",
        """import os, mmap, time
for _ in range(8):
    if os.fork() == 0:
        m = mmap.mmap(-1, 200 << 20, mmap.MAP_PRIVATE)
        for i in range(0, 200 << 20, 4096):
            m[i] = 1
        time.sleep(100)
os.wait()""",
        """import ctypes, time
ctypes.CDLL(None).prctl(4, 0, 0, 0, 0)  # PR_SET_DUMPABLE: its memory map cannot be read
held = b"x" * (500 << 20)
time.sleep(5)""",
    ],
    ids=["lists", "arrays", "one array", "of children", "unreadable"],
)
def test_a_memory_bomb(hand_in, bomb):
    result = hand_in(with_cell(bomb))
    assert (result.status, result.score) == ("memory", FULL)


def test_memory_that_no_process_maps_is_limited(hand_in):
    tried = "import os\ndescriptor = os.memfd_create('x')\nraise SystemExit('it was made')"
    result = hand_in(with_cell(tried))
    assert "PermissionError" in " ".join(result.remarks)


def test_a_fork_bomb(hand_in):
    before = len(list(Path("/proc").iterdir()))
    result = hand_in(
        with_cell("import os\nwhile True:\n    try:\n        os.fork()\n    except OSError:\n        pass")
    )
    assert (result.status, result.score) == ("crashed", FULL)
    assert "the limit of processes" in result.reason
    time.sleep(0.3)
    assert len(list(Path("/proc").iterdir())) < before + 30
    honest_next(hand_in)


def test_a_copy_of_the_process_does_not_answer_a_second_time(hand_in):
    result = hand_in(with_cell("import os, time\nif os.fork() == 0:\n    time.sleep(0.2)"))
    assert (result.status, result.score, result.reason) == ("graded", FULL, "")
    everybody = hand_in(with_cell("import os\ntry:\n    while True: os.fork()\nexcept OSError: pass"))
    assert everybody.status != "tampered", everybody.reason


def test_threads_without_end(hand_in):
    threads = (
        "import threading, time\nfor _ in range(100_000):\n    threading.Thread(target=time.sleep, args=(60,)).start()"
    )
    result = hand_in(with_cell(threads))
    assert "can't start new thread" in " ".join(result.remarks) or result.status != "graded"
    honest_next(hand_in)


@pytest.mark.parametrize(
    ("end", "said"),
    [
        ("import os; os._exit(0)", "closed the connection"),
        ("import os; os._exit(3)", "exit code 3"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", "signal 9"),
        ("import ctypes; ctypes.string_at(0)", "signal 11"),
    ],
    ids=["os._exit(0)", "os._exit(3)", "killed kernel", "crash"],
)
def test_a_notebook_that_ends_python(hand_in, end, said):
    result = hand_in(with_cell(end))
    assert (result.status, result.score) == ("crashed", FULL)
    assert said in result.reason
    honest_next(hand_in)


def test_killing_all_processes_affects_no_other_process(hand_in):
    result = hand_in(with_cell("import os; os.kill(os.getppid(), 9); os.kill(1, 9); os.kill(-1, 9)"))
    assert (result.status, result.score) == ("graded", FULL)
    honest_next(hand_in)


def test_sys_exit_is_an_error_like_any_other(hand_in):
    result = hand_in(with_cell("import sys; sys.exit('bye')"))
    assert (result.status, result.score) == ("graded", FULL)
    assert "SystemExit" in result.remarks[0]


def test_an_output_flood(hand_in):
    flood = "import os\nfor _ in range(300):\n    print('x' * 1_000_000)\n    os.write(1, b'y' * 1_000_000)\n    os.write(2, b'z' * 1_000_000)"
    result = hand_in(with_cell(flood))
    assert (result.status, result.score) == ("graded", FULL)


def test_noise_on_stderr(hand_in):
    noise = (
        "import sys, warnings\nprint('noise', file=sys.stderr)\nwarnings.warn('noise')\nsys.stderr.write('\\x00\\xff')"
    )
    result = hand_in(with_cell(noise))
    assert (result.status, result.score, result.remarks) == ("graded", FULL, ())


def test_a_huge_file(hand_in):
    huge = "with open('/tmp/huge', 'wb') as file:\n    for _ in range(100_000):\n        file.write(bytes(1_000_000))"
    result = hand_in(with_cell(huge))
    assert (result.status, result.score) == ("graded", FULL)
    assert "OSError" in result.remarks[0]


def test_many_files(hand_in):
    many = "for i in range(1_000_000):\n    open(f'/tmp/{i}', 'w').close()"
    result = hand_in(with_cell(many))
    assert "No space left" in result.remarks[0]
    assert result.score == FULL


def test_the_disk_is_bounded_for_all_files_together(hand_in):
    many = "for i in range(100):\n    with open(f'/tmp/{i}', 'wb') as file:\n        file.write(bytes(10_000_000))"
    result = hand_in(with_cell(many))
    assert "No space left" in result.remarks[0] or result.status == "memory"


def test_submissions_do_not_see_files_of_earlier_ones(hand_in):
    hand_in(with_cell("open('/tmp/left', 'w').write('the answers')\nimport numpy as np\nnp.left = 1"))
    look = "import os, numpy as np\nassert 'left' not in os.listdir('/tmp'), os.listdir('/tmp')\nassert not hasattr(np, 'left')"
    assert hand_in(with_cell(look), "bob").remarks == ()


@pytest.mark.parametrize("place", ["/usr/x", "/x", "/etc/x", "/dev/x", "/dev/shm/x", "/proc/x", "/home/x"])
def test_nothing_can_be_written_but_tmp(hand_in, place):
    result = hand_in(with_cell(f"open({place!r}, 'w').write('x')"))
    assert any(word in result.remarks[0] for word in ("PermissionError", "FileNotFoundError", "OSError"))


def test_the_network_is_not_there(hand_in):
    calls = """
import socket
for family in (socket.AF_INET, socket.AF_INET6, socket.AF_NETLINK, socket.AF_PACKET):
    try:
        socket.socket(family, socket.SOCK_RAW if family in (16, 17) else socket.SOCK_STREAM)
    except PermissionError:
        continue
    raise AssertionError(family)
"""
    assert hand_in(with_cell(calls)).remarks == ()


def test_tests_other_submissions_and_the_grader_are_out_of_sight(hand_in, tmp_path):
    look = f"""
import os, autodiff_kit
home = os.path.dirname(autodiff_kit.__file__)
for name in ("grade", "exercises/questions"):
    assert os.listdir(os.path.join(home, name)) == [], name
assert not os.path.exists(os.path.join(home, os.pardir, "tests"))
assert not os.path.exists({str(tmp_path)!r})
assert not os.path.exists("/etc/shadow") and not os.path.exists("/root/.ssh") and os.listdir("/proc") == []
try:
    from autodiff_kit.exercises.questions import LESSONS
except ImportError:
    pass
else:
    raise AssertionError("the checks can be imported")
"""
    assert hand_in(with_cell(look)).remarks == ()


def test_the_notebook_runs_as_an_unprivileged_user(hand_in):
    look = """
import os, ctypes, subprocess
libc = ctypes.CDLL(None, use_errno=True)
assert os.getuid() != 0 and os.getpid() < 10
for call in (lambda: os.setuid(0), lambda: os.chroot("/tmp"), lambda: os.setgroups([0])):
    try:
        call()
    except OSError:
        continue
    raise AssertionError("that was allowed")
assert libc.unshare(0x10000000) == -1 and ctypes.get_errno() == 1      # a new space of users
assert libc.mount(b"x", b"/tmp", b"tmpfs", 0, None) == -1 and ctypes.get_errno() == 1
assert libc.ptrace(0, 0, 0, 0) == -1 and ctypes.get_errno() == 1
assert subprocess.run(["unshare", "-r", "true"], capture_output=True).returncode != 0
"""
    assert hand_in(with_cell(look)).remarks == ()


@pytest.mark.slow
def test_a_notebook_in_which_everything_hangs_has_an_end(hand_in, sandbox, monkeypatch):
    hang = "def {}(*args, **kwargs):\n    while True:\n        pass"
    hanging = {question.id.replace("-", "_"): hang.format(question.writes[0]) for question in LESSON.questions}
    monkeypatch.setattr(sandbox, "limits", replace(sandbox.limits, wall=1.5))
    result = hand_in(answered(**hanging))
    assert (result.status, result.score) == ("timeout", 0)
    reached = ["not reached" not in mark.message for mark in result.marks]
    assert 1 <= sum(reached) <= 4  # a new run begins within three times the limit only
    assert reached == sorted(reached, reverse=True)
