"""The command ``autodiff-kit explain``: why parameters of somebody's training script get no gradient."""

from __future__ import annotations

import argparse
import sys
import traceback
from pathlib import Path
from typing import Any

from autodiff_kit import extras

__all__ = ["add_explain_command"]


def add_explain_command(commands: Any) -> None:
    """Add the command to those of the program.

    Parameters
    ----------
    commands : argparse subparsers
    """
    explain = commands.add_parser(
        "explain",
        help="run a PyTorch training script for a few steps, and say what gradient each parameter gets",
        description="Runs a script up to one of its steps, prints what gradient each parameter gets, and ends it there.",
        epilog="Arguments of the script follow after --. Exit code: 0 if each parameter that an optimizer holds gets a "
        "gradient; 1 if one does not, or if the script failed.",
    )
    explain.add_argument("script", type=Path, metavar="SCRIPT", help="the script, as for python SCRIPT")
    explain.add_argument("--step", type=int, default=3, metavar="N", help="the step to stop after (default: 3)")
    explain.set_defaults(run=_explain, arguments=[])


def _explain(options: argparse.Namespace) -> int:
    extras.require("torch", "torch", "Explaining a PyTorch script")
    from autodiff_kit.recorders.pytorch.script import run_script

    run = run_script(options.script, max(options.step, 1), options.arguments)
    if run.error is not None:
        traceback.print_exception(run.error)
        if run.tape.error is not None:
            print(f"\n{run.tape.error}")
        return 1
    report = run.report()
    counted = f"{run.steps} steps" if run.steps else f"{run.passes} backward passes"
    print(f"{options.script.name}, after {counted}: {report}")
    told: set[tuple[str, str, int]] = set()
    for row in report.problems:
        key = (row.explanation.kind, row.explanation.cell, row.explanation.line)
        if key not in told:
            told.add(key)
            print(f"\n{row.explanation}")
    sys.stdout.flush()
    missing = [row.name for row in report.rows if row.state in ("None", "zero", "nan")]
    return 1 if missing else 0
