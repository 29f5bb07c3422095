"""A kernel in a browser imports the kit before a page asks for anything; its comm opens with the first cell."""

from __future__ import annotations

import subprocess
import sys

PROGRAM = """
import comm
from IPython.core.interactiveshell import InteractiveShell
from autodiff_kit.lab.kernel.comm import InspectorComm

class KernelWithoutACell:
    def get_parent(self):
        raise AttributeError("_parent_header")

def create_comm(target_name, **more):
    print("opened", target_name)
    return comm.DummyComm(target_name=target_name, **more)

comm.create_comm = create_comm
shell = InteractiveShell.instance()
shell.kernel = KernelWithoutACell()
InspectorComm(shell)
print("imported")
shell.run_cell("print('first cell')")
shell.run_cell("print('second cell')")
"""


def test_the_comm_opens_with_the_first_cell() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, timeout=60, check=False)
    assert done.stdout.splitlines() == ["imported", "opened autodiff_kit:tape", "first cell", "second cell"], (
        done.stderr
    )
