"""With AUTODIFF_KIT_PLAIN=1 the functions that a reader is told about run, with the same results."""

from __future__ import annotations

import os
import subprocess
import sys

PROGRAM = """
import sys
import numpy as np
import autodiff_kit as ak

reached = set()

def look(frame, event, arg):
    if "autodiff_kit/core" in frame.f_code.co_filename.replace("\\\\", "/"):
        reached.add(frame.f_code.co_name)

x, y = ak.Variable(2.0, name="x"), ak.Variable(3.0, name="y")
w = ak.Variable(np.array([1.0, 2.0], "float32"))
tape = ak.GradientTape(persistent=True)
sys.settrace(look)
with tape:
    z = x * y
found = tape.gradient(z, [x, y])
sys.settrace(None)
with tape:
    q = ak.sum(-w * 3 + x * ak.exp(w) / 2.0) + y**2 + ak.sqrt(y)
found += tape.gradient(q, [x, y, w])
print(*sorted(reached & {"apply_op", "record_op", "backward", "fast_backward"}))
print([(str(g.dtype), np.asarray(g).round(5).tolist()) for g in found],)
print(z > 1.0, bool(3.0 < w[1]), tape._record.nodes[0].code.co_name)
"""


def _run(plain: str) -> list[str]:
    env = os.environ | {"AUTODIFF_KIT_PLAIN": plain}
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", PROGRAM], capture_output=True, text=True, check=True, env=env
    ).stdout.splitlines()


def test_the_plain_functions_run_and_give_the_same() -> None:
    plain, fast = _run("1"), _run("0")
    assert plain[0] == "apply_op backward record_op"
    assert fast[0] == "fast_backward"
    assert plain[1:] == fast[1:]
