"""What a notebook could use up or disturb outside of its own processes: all of it is refused, bounded, or counted."""

from __future__ import annotations

import itertools
import os
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from autodiff_kit.grade import sandbox as sandbox_module

from ..notebooks import LESSON, answered, with_cell

FULL = float(LESSON.points)

REFUSED = {
    "shared memory without a file": "import mmap; mmap.mmap(-1, 4096)",
    "shared memory of /dev/zero": "import mmap; mmap.mmap(os.open('/dev/zero', os.O_RDWR), 4096)",
    "ends of children that are ignored": "import signal; signal.signal(signal.SIGCHLD, signal.SIG_IGN)",
    "events of aio": "call(206, 65536, ctypes.byref(ctypes.c_ulong()))",
    "inotify": "call(294, 0)",
    "inotify, the older call": "call(253)",
    "a lock on a file that others read": "import fcntl, numpy; fcntl.flock(open(numpy.__file__), fcntl.LOCK_EX)",
    "the list of mounts": "call(458, 0, 0, 0, 0)",
    "a mount's facts": "call(457, 0, 0, 0, 0)",
}
ATTEMPT = """
import ctypes, os
def call(*words):
    if ctypes.CDLL(None, use_errno=True).syscall(*words) < 0:
        raise OSError(ctypes.get_errno(), "refused")
try:
    {attempt}
except OSError as error:
    if error.errno not in (1, 13, 19):
        raise
else:
    raise AssertionError("that was allowed")
"""


@pytest.mark.skipif(os.uname().machine != "x86_64", reason="the numbers of calls are those of x86-64")
def test_what_belongs_to_the_machine_is_refused(hand_in):
    found = answered()
    found["cells"][1:1] = [
        cell for attempt in REFUSED.values() for cell in with_cell(ATTEMPT.format(attempt=attempt))["cells"][2:3]
    ]
    assert hand_in(found).remarks == ()


GROUP = {
    "kill": ("os.kill(0, 9)", "signal 9"),
    "terminate": ("os.kill(0, 15)", "signal 15"),
    "kill init's signals": ("[os.kill(1, n) for n in (1, 2, 3, 10, 12, 14, 15, 17, 24)]", ""),
    "kill the group of init": ("os.killpg(os.getpgid(1), 9)", ""),
}


@pytest.mark.parametrize(("attempt", "said"), GROUP.values(), ids=GROUP)
def test_signals_to_a_process_group_reach_nothing_outside(hand_in, sandbox, attempt, said):
    process = sandbox._process.pid
    result = hand_in(with_cell(f"import os\ntry: {attempt}\nexcept OSError: pass"))
    assert result.status in ("crashed", "graded")
    assert result.score == FULL
    assert said in result.reason
    assert sandbox._process.poll() is None
    assert sandbox._process.pid == process
    assert hand_in(answered(), "next").score == FULL


def test_a_notebook_that_stops_its_group_ends_by_the_clock(hand_in, sandbox, monkeypatch):
    monkeypatch.setattr(sandbox, "limits", replace(sandbox.limits, wall=4.0))
    result = hand_in(with_cell("import os; os.kill(0, 19)"))
    assert (result.status, result.score) == ("timeout", FULL)
    monkeypatch.undo()
    assert hand_in(answered(), "next").score == FULL


def test_a_priority_for_the_group_is_kept_from_the_next_one(hand_in):
    """The processes that supervise belong to no group that a notebook could name."""
    tell = "import os; raise Exception(f'priority {os.getpriority(os.PRIO_PROCESS, 0)}')"
    before = hand_in(with_cell(tell)).remarks
    lower = "import os\nfor kind in (os.PRIO_PGRP, os.PRIO_USER):\n    os.setpriority(kind, 0, 19)"
    assert hand_in(with_cell(lower)).score == FULL
    assert hand_in(with_cell(tell)).remarks == before


CPU = {
    "children of a name with a line feed": """
import ctypes, os, time
for _ in range(4):
    if os.fork() == 0:
        ctypes.CDLL(None).prctl(15, b"a\\nb) R 0 0", 0, 0, 0)
        while time.process_time() < 1.5: pass
        time.sleep(60); os._exit(0)
time.sleep(60)""",
    "children that were waited for": """
import os, time
for _ in range(8):
    if os.fork() == 0:
        while time.process_time() < 0.7: pass
        os._exit(0)
    os.wait()""",
    "children of children": """
import os, time
for _ in range(8):
    if os.fork() == 0:
        if os.fork() == 0:
            while time.process_time() < 0.7: pass
        os._exit(0)
    os.wait()
time.sleep(60)""",
}


@pytest.mark.slow
@pytest.mark.parametrize("source", CPU.values(), ids=CPU)
def test_processor_time_of_all_processes_counts(hand_in, sandbox, monkeypatch, source):
    monkeypatch.setattr(sandbox, "limits", replace(sandbox.limits, cpu=3.0, wall=60.0))
    assert hand_in(with_cell(source)).status == "timeout"


SOCKETS = """
import socket, os, time
kept = []
for _ in range({children}):
    if os.fork() == 0:
        break
while True:
    try:
        a, b = socket.socketpair()
    except OSError:
        break
    a.setblocking(False)
    try:
        while True: a.send(b"x" * 65536)
    except BlockingIOError:
        pass
    kept.append((a, b))
time.sleep(60)
"""


@pytest.mark.parametrize("children", [0, 12])
def test_what_lies_in_sockets_is_bounded_by_their_number(hand_in, children):
    result = hand_in(with_cell(SOCKETS.format(children=children)))
    assert (result.status, result.score) == ("crashed", FULL)
    assert "the limit of sockets" in result.reason


def test_what_a_notebook_may_well_use_it_has(hand_in):
    """Some sockets, terminals, programs and awaiting: an event loop has a pair of sockets, a shell line a terminal."""
    use = """
import asyncio, os, socket, subprocess, numpy as np
await asyncio.sleep(0)
held = [socket.socketpair() for _ in range(8)]
ends = os.openpty()
assert subprocess.run(["ls", "/"], capture_output=True).returncode == 0
!ls / > /tmp/listed
assert "usr" in open("/tmp/listed").read()
np.memmap("/tmp/array", np.uint8, "w+", shape=(4096,))[:] = 1
"""
    result = hand_in(with_cell(use))
    assert (result.status, result.remarks, result.score) == ("graded", (), FULL)


def test_terminals_of_the_machine_are_not_used_up(hand_in):
    many = "import os\nheld = []\ntry:\n    while True: held.append(os.openpty())\nexcept OSError: pass\nassert len(held) <= 8, len(held)"
    assert hand_in(with_cell(many)).remarks == ()


def mounted_from_the_host(words):
    return [Path(source) for option, source in itertools.pairwise(words) if option.startswith("--ro-bind")]


@pytest.mark.parametrize("course", ["course", "course/env"])
def test_an_environment_in_the_folder_of_the_course_shows_nothing_of_the_course(tmp_path, monkeypatch, course):
    """``python -m venv .`` beside the hand-ins: the sandbox once mounted the environment, and with it all of these."""
    prefix = tmp_path / course
    library = prefix / "lib" / "python3" / "site-packages"
    (prefix / "bin").mkdir(parents=True)
    library.mkdir(parents=True)
    (prefix / "pyvenv.cfg").write_text("home = /usr/bin\n")
    (prefix / "bin" / "python").symlink_to(sys.executable)
    paths = {"stdlib": sys.base_prefix, "platstdlib": sys.base_prefix, "purelib": library, "platlib": library}
    monkeypatch.setattr(sys, "prefix", str(prefix))
    monkeypatch.setattr(sys, "executable", str(prefix / "bin" / ".." / "bin" / "python"))
    monkeypatch.setattr(sandbox_module.sysconfig, "get_path", lambda name: str(paths[name]))
    shown = mounted_from_the_host(sandbox_module._mount_arguments())
    assert library in shown
    assert not [place for place in shown if (tmp_path / "course").is_relative_to(place)]
    assert [place for place in shown if place.is_relative_to(tmp_path)] == [prefix / "pyvenv.cfg", library]


def test_nothing_that_is_mounted_holds_an_environment_or_a_users_files():
    shown = mounted_from_the_host(sandbox_module._mount_arguments())
    for private in (sys.prefix, sys.base_prefix, "/usr/src", "/usr/local", "/home", "/etc", Path.home()):
        assert not [place for place in shown if Path(private).resolve().is_relative_to(place)], private
