"""The panels' requests, answered in the notebook's kernel where there is no Jupyter server: on a static site.

A page opens a comm, sends what it would ask the server extension (method, path, body), and gets its answers. Both are
the same functions of `lab.server` on the same folder.
"""

from __future__ import annotations

import os
import re
import sys
from base64 import b64decode, b64encode
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final
from urllib.parse import parse_qsl, unquote, urlsplit

from autodiff_kit.errors import AutodiffError
from autodiff_kit.lab.server import backups, export, panel_data, search, submissions
from autodiff_kit.lab.server.errors import RequestError, as_request_error
from autodiff_kit.lab.server.folder import WorkingFolder, find_working_folder, read_file
from autodiff_kit.lab.web_lock import LOCK_VARIABLE, web_lock
from autodiff_kit.lessons import progress_db
from autodiff_kit.lessons.atomic_files import sha256
from autodiff_kit.lessons.progress import Progress
from autodiff_kit.lessons.timestamps import timestamp_for_file_name
from autodiff_kit.platform import HAS_SUBPROCESSES

__all__ = ["COMM_TARGET", "answer", "attach"]

COMM_TARGET: Final = "autodiff_kit:panels"
DRIVE: Final = Path("/drive")

Message = dict[str, Any]
Query = Mapping[str, str]


def _progress(folder: WorkingFolder, query: Query) -> Any:
    since = query.get("since", "")
    return panel_data.progress(folder, int(since) if since.isdecimal() else None)


def _hand_in(folder: WorkingFolder, path: object) -> Message:
    """Submit the file as it stands on the drive: the page saved it, and nobody else writes there."""
    return submissions.hand_in(folder, path, sha256(read_file(folder.requested_file(path))))


def _progress_file(folder: WorkingFolder) -> Message:
    """All progress as a file that another browser, or the kit elsewhere, can add to its own."""
    name = f"autodiff_kit-progress-{timestamp_for_file_name()}.db"
    return {"name": name, "data": b64encode(Progress(folder.root).store.image()).decode()}


def _add_progress(folder: WorkingFolder, body: Message) -> Message | None:
    """Add the progress in such a file; nothing that is here is lost."""
    try:
        Progress(folder.root).merge(b64decode(str(body.get("data"))))
    except (AutodiffError, ValueError) as error:
        raise RequestError(400, "bad_file", str(error), "Choose a file that was saved here.") from None
    return panel_data.progress(folder, None)


def _export(folder: WorkingFolder, query: Query) -> Message:
    name, media, text = export.export(folder, query.get("format", "json"))
    return {"name": name, "media": media, "text": text}


# Method, path, and what is done with the folder, the parts of the path, the query and the body.
_ROUTES: Final[tuple[tuple[str, str, Callable[[WorkingFolder, tuple[str, ...], Query, Message], Any]], ...]] = (
    ("GET", r"progress", lambda f, _p, query, _b: _progress(f, query)),
    ("PATCH", r"progress/(\d+)", lambda f, parts, _q, body: panel_data.patch_lesson(f, parts[0], body)),
    ("GET", r"progress/file", lambda f, _p, _q, _b: _progress_file(f)),
    ("POST", r"progress/file", lambda f, _p, _q, body: _add_progress(f, body)),
    ("POST", r"progress/reset", lambda f, _p, _q, body: backups.reset_progress(f, body)),
    ("GET", r"search", lambda f, _p, query, _b: search.search(f, query.get("q", ""))),
    ("GET", r"exercises", lambda f, _p, query, _b: panel_data.exercises(f, query.get("path"), query.get("no"))),
    ("PATCH", r"exercises/([^/]+)", lambda f, parts, _q, body: panel_data.patch_question(f, parts[0], body)),
    ("POST", r"check", lambda _f, _p, _q, body: _check(str(body.get("label")))),
    ("POST", r"handin", lambda f, _p, _q, body: _hand_in(f, body.get("path"))),
    ("GET", r"backups", lambda f, _p, _q, _b: {"backups": backups.list_backups(f)}),
    ("POST", r"backups/([^/]+)/restore", lambda f, parts, _q, _b: backups.restore_backup(f, parts[0])),
    ("GET", r"export", lambda f, _p, query, _b: _export(f, query)),
)


def answer(method: str, path: str, body: Message | None = None) -> Message:
    """Answer one request: ``{status, body}``, as the server extension would.

    Parameters
    ----------
    method, path : str
        Such as ``GET`` and ``progress?since=3``.
    body : dict, optional
        The body of a change.
    """
    try:
        return {"status": 200, "body": _answer(method, path, body or {})}
    except Exception as error:  # noqa: BLE001 - the comm must outlive any mistake
        known = as_request_error(error)
        if known is None:
            text = f"The kernel could not answer: {type(error).__name__}: {error}"
            known = RequestError(500, "failed", text, "This is an error in the kit; the notebook is unchanged.")
        return {"status": known.status, "body": known.as_json()}


def _answer(method: str, path: str, body: Message) -> Any:
    asked = urlsplit(path)
    for verb, pattern, work in _ROUTES:
        found = re.fullmatch(pattern, asked.path)
        if found and verb == method:
            parts = tuple(map(unquote, found.groups()))
            return work(find_working_folder(DRIVE), parts, dict(parse_qsl(asked.query)), body)
    raise RequestError(404, "no_route", f"{method} {asked.path} needs a Jupyter server.", "Use it on your own machine.")


def _check(label: str) -> Message:
    """Run a question's check in the notebook, as ``q1.check()`` does there; what it says is kept with the progress."""
    from IPython import get_ipython

    question = get_ipython().user_ns.get(label)
    if question is None:
        raise RequestError(409, "not_loaded", f"name {label!r} is not defined", "")
    return {"outcome": question.check().outcome}


def attach(shell: Any = None) -> None:
    """Register the comm in a kernel of the browser; elsewhere the server extension answers the panels."""
    ipython = sys.modules.get("IPython")
    shell = shell or (ipython.get_ipython() if ipython is not None else None)
    if not HAS_SUBPROCESSES and getattr(shell, "kernel", None) is not None:
        from comm import get_comm_manager

        get_comm_manager().register_target(COMM_TARGET, _on_open)
        if LOCK_VARIABLE in os.environ:
            progress_db.exclusive_access = web_lock


def _on_open(comm: Any, _message: Any) -> None:
    def receive(message: Message) -> None:
        asked = message["content"]["data"]
        comm.send({"id": asked["id"], **answer(asked["method"], asked["path"], asked.get("body"))})

    comm.on_msg(receive)
