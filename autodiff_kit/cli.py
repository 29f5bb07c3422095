"""The command line ``autodiff-kit``: ``lab``, ``status``, ``reset``, ``grade`` and others, see ``autodiff-kit --help``.

Building the argument parser imports none of the commands' dependencies (Jupyter, SQLite, exercises, numba): each
command imports its own modules when it runs.

Exit codes: 0 for success, 1 for an error (the reason is on stderr), 2 for a command line that cannot be parsed.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from autodiff_kit import extras
from autodiff_kit.author import commands as author_commands
from autodiff_kit.errors import AutodiffError
from autodiff_kit.grade import command as grade_command
from autodiff_kit.recorders import command as explain_command

if TYPE_CHECKING:
    from autodiff_kit.lessons.progress import Progress

__all__ = ["jupyterlab_command", "main", "next_notebook"]


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code.

    Parameters
    ----------
    argv : sequence of str, optional
        The arguments after the program's name; by default ``sys.argv[1:]``.

    Returns
    -------
    int
        0 for success, 1 for an error. For arguments that it cannot parse, argparse exits with 2.
    """
    parser = _parser()
    options, more = parser.parse_known_args(argv)
    if options.run is _lab:
        options.jupyter = [word for word in more if word != "--"]
    elif "arguments" in options:  # those of a script, after --
        options.arguments = more[1:] if more[:1] == ["--"] else more
    elif more:
        parser.error(f"unrecognized arguments: {' '.join(more)}")
    try:
        code: int = options.run(options)
    except AutodiffError as error:
        print(f"autodiff-kit: {error}", file=sys.stderr)
        return 1
    return code


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="autodiff-kit", description="A teaching kit for automatic differentiation.")
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    folder = argparse.ArgumentParser(add_help=False)
    folder.add_argument(
        "--dir",
        type=Path,
        default=None,
        metavar="FOLDER",
        help="your working folder (default: the one around the current folder, otherwise ./work)",
    )

    lab = commands.add_parser(
        "lab",
        parents=[folder],
        help="open JupyterLab on the lessons, in your own folder",
        epilog="Every other option is passed on to JupyterLab, such as --IdentityProvider.token=WORD.",
        allow_abbrev=False,
    )
    lab.add_argument("--port", type=int, default=None, help="port of the server (default: 8888 or the next free)")
    lab.add_argument("--no-browser", action="store_true", help="print the address, do not open a browser")
    lab.add_argument("--prepare-only", action="store_true", help="fill the folder, do not start the server")
    lab.set_defaults(run=_lab)

    status = commands.add_parser("status", parents=[folder], help="show what you have done so far")
    status.set_defaults(run=_status)

    reset = commands.add_parser("reset", parents=[folder], help="start a lesson again; your copy is backed up")
    reset.add_argument("lesson", metavar="NN", help="the lesson's number")
    reset.add_argument("--yes", action="store_true", help="do not ask")
    reset.add_argument("--keep-progress", action="store_true", help="reset only the notebooks")
    reset.set_defaults(run=_reset)

    export = commands.add_parser("export-progress", parents=[folder], help="save your progress as one file")
    export.add_argument("file", type=Path, metavar="FILE", help="where to; an existing file is replaced")
    export.set_defaults(run=_export_progress)

    adopt = commands.add_parser("import-progress", parents=[folder], help="add the progress that such a file holds")
    adopt.add_argument(
        "file", type=Path, metavar="FILE", help="saved by export-progress, or by export_progress() in a cell"
    )
    adopt.set_defaults(run=_import_progress)

    author_commands.add_author_commands(commands)
    grade_command.add_grade_command(commands)

    explain_command.add_explain_command(commands)

    warm = commands.add_parser("warm", help="compile the kernels now, so that no lesson has to wait for it")
    warm.set_defaults(run=_warm)
    return parser


def _lab(options: argparse.Namespace) -> int:
    from autodiff_kit.lessons import workspace

    root = _folder(options)
    for line in workspace.prepare_working_folder(root).lines():
        print(line, file=sys.stderr)
    if options.prepare_only:
        return 0
    extras.require("jupyterlab", "lab", "Opening the lessons")
    command = jupyterlab_command(root, options.port, options.no_browser, options.jupyter)
    os.environ["AUTODIFF_KIT_DIR"] = str(root)
    os.environ["JUPYTER_CONFIG_PATH"] = _search_path(Path(__file__).parent / "lessons" / "jupyter")
    return _exec(command)


def _exec(command: list[str]) -> NoReturn:
    """Replace this process by the server, which then receives its signals and sets its exit code."""
    sys.stdout.flush()
    sys.stderr.flush()
    os.execv(command[0], command)


def jupyterlab_command(root: Path, port: int | None, no_browser: bool, more: Sequence[str]) -> list[str]:
    """Return the command that opens JupyterLab on the next lesson of a working folder.

    The first time JupyterLab opens with the launcher and the syllabus instead, as an overview.

    Parameters
    ----------
    root : Path
        The working folder; the server shows nothing outside it.
    port : int or None
        The port, or None for JupyterLab's own choice.
    no_browser : bool
        Whether to open no browser.
    more : sequence of str
        Further options for JupyterLab; a later one overrides an earlier one.

    Returns
    -------
    list of str
        The program and its arguments. Token authentication stays on.
    """
    from autodiff_kit.lessons.progress import Progress

    command = [sys.executable, "-m", "jupyterlab", f"--ServerApp.root_dir={root}"]
    path = next_notebook(root) if Progress(root).summary().lessons else None
    if path is not None:
        command.append(f"--LabApp.default_url=/lab/tree/{path}")
    if port is not None:
        command.append(f"--ServerApp.port={port}")
    if no_browser:
        command.append("--no-browser")
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        # In a container the only user is often root, which the server refuses by default.
        command.append("--allow-root")
    return [*command, *more]


def next_notebook(root: Path) -> str | None:
    """Return the path of the next notebook of the syllabus inside the folder; None if all are done."""
    from autodiff_kit.lab.server.folder import WorkingFolder
    from autodiff_kit.lab.server.panel_data import progress

    there = root.resolve()
    found = progress(WorkingFolder(there, there))
    path: str | None = found["next"]["path"] if found is not None else None
    return path


def _status(options: argparse.Namespace) -> int:
    from autodiff_kit.lab.server.catalog import lesson_catalog
    from autodiff_kit.lab.server.folder import WorkingFolder
    from autodiff_kit.lab.server.progress import lesson_as_json, read_learner_progress, totals
    from autodiff_kit.lab.server.progress_db import read_progress_db

    root = _existing_folder(options)
    learner, _ = read_progress_db(WorkingFolder(root, root), read_learner_progress)
    entries = {no: entry for no, entry in lesson_catalog().items() if not entry.coming}
    width = max(len(f"{no} {entry.title}") for no, entry in entries.items())
    print(f"{'lesson':<{width}} {'read':>6} {'predicted':>10} {'right':>6} {'solved':>7} {'points':>8}")
    for no, entry in entries.items():
        one = lesson_as_json(entry, learner)
        read, predicted = f"{one['read']}/{one['prompts']}", f"{one['predicted']}/{one['prompts']}"
        solved, points = f"{one['solved']}/{one['questions']}", f"{one['score']:g}/{one['max']:g}"
        print(f"{f'{no} {entry.title}':<{width}} {read:>6} {predicted:>10} {one['right']:>6} {solved:>7} {points:>8}")
    whole = totals(entries, learner)
    print(
        f"Read: {whole['read']:g} of {whole['lessons']:g} lessons. "
        f"Predicted: {whole['predicted']:g} of {whole['prompts']:g} results. "
        f"Solved: {whole['solved']:g} of {whole['questions']:g} questions, "
        f"{whole['score']:g} of {whole['max']:g} points."
    )
    return 0


def _reset(options: argparse.Namespace) -> int:
    from autodiff_kit.lessons import workspace
    from autodiff_kit.lessons.progress import Progress

    root = _existing_folder(options)
    number = workspace.lesson_number(options.lesson)
    what = "notebooks" if options.keep_progress else "notebooks, predictions and points"
    if not options.yes and not _confirmed(f"Start lesson {number} again? Your {what} are moved to a backup. [y/N] "):
        print("Nothing was changed.", file=sys.stderr)
        return 1
    mine = Progress(root)
    if not options.keep_progress and not _can_write(mine):
        return _failed("nothing was reset, because the progress file cannot be written; the warning says why")
    backup = workspace.reset_lesson(root, number)
    if not options.keep_progress:
        mine.reset(number, backup.path)
    print(f"Lesson {number} starts again. Your former files are in {backup.path}.")
    return 0


def _export_progress(options: argparse.Namespace) -> int:
    from autodiff_kit.lessons.progress import Progress

    try:
        size = Progress(_existing_folder(options)).store.backup(options.file)
    except OSError as error:
        return _failed(f"the progress could not be saved: {error}")
    print(f"Your progress is in {options.file} ({size / 1024:.0f} kB).")
    return 0


def _import_progress(options: argparse.Namespace) -> int:
    from autodiff_kit.lessons.progress import Progress

    mine = Progress(_existing_folder(options))
    if not _can_write(mine):
        return _failed("nothing was added, because the progress file cannot be written; the warning says why")
    try:
        mine.merge(options.file.read_bytes())
    except OSError as error:
        return _failed(f"the progress could not be read: {error}")
    print(f"The progress in {options.file} was added to yours; `autodiff-kit status` shows it.")
    return 0


def _can_write(mine: Progress) -> bool:
    """Whether changes of the progress reach its file; a kernel would go on in memory, and a command ends with it."""
    mine.rev()
    return not mine.store.in_memory


def _failed(reason: str) -> int:
    print(f"autodiff-kit: {reason}", file=sys.stderr)
    return 1


def _warm(_options: argparse.Namespace) -> int:
    from autodiff_kit.lab import precompile

    extras.require("numba", "lab", "Compiling kernels")
    return precompile.main()


def _folder(options: argparse.Namespace) -> Path:
    from autodiff_kit.lessons import workspace

    try:
        folder: Path = options.dir or workspace.find_working_folder() or Path("work")
        return folder.expanduser().resolve()
    except (OSError, RuntimeError) as error:  # the current folder is gone, or a name begins with ~ and nobody's
        reason = str(error).rstrip(".")
        raise workspace.WorkspaceError(f"No working folder was found ({reason}). Name one: --dir FOLDER.") from error


def _existing_folder(options: argparse.Namespace) -> Path:
    """Return the working folder, which must exist: commands that only read do not create it."""
    from autodiff_kit.lessons import workspace

    root = _folder(options)
    if not (root / workspace.KIT_FOLDER).is_dir():
        raise workspace.WorkspaceError(
            f"{root} is not a working folder yet. `autodiff-kit lab` makes one; --dir chooses another."
        )
    return root


def _confirmed(question: str) -> bool:
    try:
        return input(question).strip().lower() in ("y", "yes")
    except (EOFError, KeyboardInterrupt):
        return False


def _search_path(first: Path) -> str:
    """Prepend a folder to those that Jupyter reads its settings from."""
    known = os.environ.get("JUPYTER_CONFIG_PATH", "")
    return os.pathsep.join(filter(None, (str(first), known)))
