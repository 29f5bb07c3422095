"""The cell magic ``%%gradients``: a cell of the user's own runs as it is, and a report of its gradients follows."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from autodiff_kit import extras
from autodiff_kit.errors import AutodiffError

__all__ = ["load_ipython_extension"]


def load_ipython_extension(shell: Any) -> None:
    """Let ``%load_ext autodiff_kit`` add the magic ``%%gradients``.

    Parameters
    ----------
    shell : IPython.core.interactiveshell.InteractiveShell
    """
    shell.register_magic_function(lambda line, cell: _gradients(shell, line, cell), "cell", "gradients")


def _gradients(shell: Any, line: str, cell: str) -> None:
    """Run a cell, and show what gradient each parameter got. The line may name the loss and the model."""
    from IPython import display as output

    display: Any = output.display

    extras.require("torch", "torch", "%%gradients")
    from autodiff_kit.recorders.record import record_torch

    space = shell.user_ns
    with record_torch() as tape:
        tape.take_scope(space)
        result = shell.run_cell(cell, store_history=False)
    tape.take_scope(space)
    if tape.recording.operations:
        place = tape.recording.operations[-1].place
        tape.stand_at(SimpleNamespace(f_code=SimpleNamespace(co_filename=place.cell), f_lineno=place.line))
    if result.error_in_exec is not None:
        tape.explain_error(result.error_in_exec, SimpleNamespace(f_locals=space, f_globals=space))
        if tape.error is not None:
            display(tape.error)
        return
    names = line.split()
    try:
        if names:
            display(tape.report(space[names[0]], space[names[1]] if len(names) > 1 else tape.parameters()))
        elif tape.last_target is None:
            print("No backward() ran in this cell. Name the loss: %%gradients loss")
        else:
            display(tape.report_of_passes())
    except KeyError as missing:
        print(f"There is no variable {missing}.")
    except AutodiffError as error:
        print(f"No report: {error}")
