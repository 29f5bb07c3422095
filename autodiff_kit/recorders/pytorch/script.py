"""A training script, run up to one of its steps and then asked for its gradients: ``autodiff-kit explain``."""

from __future__ import annotations

import runpy
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from autodiff_kit.errors import FileError, TapeError
from autodiff_kit.recorders.gradient_report import GradientReport
from autodiff_kit.recorders.pytorch.tape import TorchTape
from autodiff_kit.recorders.user_lines import calling_frame, is_users_file

__all__ = ["ScriptRun", "run_script"]

_MAX_OPERATIONS, _MAX_BYTES = 200_000, 1 << 30


class _EnoughError(BaseException):
    """Leaves the script after its last step; no ``except Exception`` of the script catches it."""


class ScriptRun:
    """A script that ran up to one of its steps.

    Attributes
    ----------
    tape : TorchTape
        What the last turn did.
    steps, passes : int
        How many there were.
    error : Exception or None
        What ended the script, if it was an error of its own.
    """

    def __init__(self, at: int) -> None:
        self.at = at
        self.tape = TorchTape(None, _MAX_OPERATIONS, _MAX_BYTES)
        self.steps = self.passes = 0
        self.error: BaseException | None = None
        self._first: Any = None  # the optimizer whose steps are counted

    def after_step(self, optimizer: Any) -> None:
        """A step was taken: where it is the first optimizer's, the next turn begins, or the script ends here."""
        self._first = self._first or optimizer
        if optimizer is self._first:
            self.steps += 1
            self._end_of_turn(self.steps)

    def after_pass(self) -> None:
        """A backward pass is done; it ends the turn where no optimizer takes steps."""
        self.passes += 1
        if not self.steps and not self.tape.knows_optimizers():
            self._end_of_turn(self.passes)

    def _end_of_turn(self, count: int) -> None:
        if count >= self.at:
            frame: Any = calling_frame(2)
            self.tape.stand_at(frame)
            while frame is not None:
                if is_users_file(frame.f_code.co_filename):
                    self.tape.take_names(frame)
                frame = frame.f_back
            raise _EnoughError
        self.tape.begin_again()

    def report(self) -> GradientReport:
        """The gradients of all parameters that an optimizer holds, or else of all that got a name."""
        if self.tape.last_target is None:
            raise TapeError("the script called backward() nowhere, so there is no gradient to explain")
        return self.tape.report_of_passes()


def run_script(path: Path, at: int, arguments: Sequence[str]) -> ScriptRun:
    """Run a script as ``python path arguments`` would, up to the end of its step number ``at``.

    Parameters
    ----------
    path : Path
    at : int
        The number of the step, or of the backward pass where no optimizer is used, after which the script ends.
    arguments : sequence of str
        The script's own.
    """
    if not path.is_file():
        raise FileError(f"there is no script {path}")
    run = ScriptRun(at)
    before, folder = sys.argv, str(path.resolve().parent)
    sys.argv = [str(path), *arguments]
    sys.path.insert(0, folder)
    try:
        with run.tape as tape:
            assert tape.mode is not None
            tape.mode.after_each_step, tape.mode.after_each_pass = run.after_step, run.after_pass
            scope = runpy.run_path(str(path), run_name="__main__")
            tape.take_scope(scope)
    except _EnoughError:
        pass
    except SystemExit as end:
        run.error = end if end.code not in (None, 0) else None
    except Exception as error:  # noqa: BLE001 - the script's own, which the command shows
        run.error = error
    finally:
        sys.argv = before
        sys.path.remove(folder)
    return run
