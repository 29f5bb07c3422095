"""Tornado handlers of the routes: authentication, size limits and errors; the work runs in threads."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final

from jupyter_server.auth.decorator import authorized
from jupyter_server.base.handlers import APIHandler
from jupyter_server.utils import url_path_join
from tornado import web

from autodiff_kit.lab.server import backups, panel_data, search, submissions
from autodiff_kit.lab.server.display_language import set_language_of_kernels
from autodiff_kit.lab.server.errors import RequestError, as_request_error
from autodiff_kit.lab.server.export import export
from autodiff_kit.lab.server.folder import MAX_BYTES, find_working_folder

PREFIX: Final = "autodiff-kit"
NUMBER_PATTERN: Final = r"([0-9]{1,4})"
NAME_PATTERN: Final = r"([^/]+)"


class Services:
    """State shared by all handlers of one server: the folder that it shows, and its reader and writer threads.

    Parameters
    ----------
    server_root : Path
        The folder that the server shows.
    """

    def __init__(self, server_root: Path) -> None:
        self.server_root = server_root
        # One thread for changes, so that they run one after the other, and a change that waits for another process's
        # lock does not block readers.
        self._readers = ThreadPoolExecutor(max_workers=4, thread_name_prefix=f"{PREFIX}-read")
        self._writer = ThreadPoolExecutor(max_workers=1, thread_name_prefix=f"{PREFIX}-write")

    async def read(self, work: Callable[..., Any], *facts: Any) -> Any:
        """Run ``work(folder, *facts)`` in a reader thread."""
        return await asyncio.get_running_loop().run_in_executor(self._readers, self._run, work, facts)

    async def write(self, work: Callable[..., Any], *facts: Any) -> Any:
        """Run ``work(folder, *facts)`` in the writer thread, one change after the other."""
        return await asyncio.get_running_loop().run_in_executor(self._writer, self._run, work, facts)

    def _run(self, work: Callable[..., Any], facts: tuple[Any, ...]) -> Any:
        return work(find_working_folder(self.server_root), *facts)


@web.stream_request_body
class JsonHandler(APIHandler):
    """A handler with JSON bodies, replies and errors; base of all routes."""

    auth_resource = PREFIX

    def initialize(self, services: Services) -> None:
        """Take the services that the handlers share."""
        self.services = services
        self._chunks: list[bytes] = []
        self._size = 0

    def data_received(self, chunk: bytes) -> None:
        """Collect the body; a body that is too long is read and dropped, so that the client gets the reply."""
        self._size += len(chunk)
        if self._size <= MAX_BYTES:
            self._chunks.append(chunk)
        else:
            self._chunks.clear()

    def json_body(self) -> Mapping[str, Any]:
        """Return the JSON object in the body; an empty body is an empty object."""
        if self._size > MAX_BYTES:
            raise RequestError(413, "too_large", "The request is over 10 MB.", "Send less.")
        data = b"".join(self._chunks).strip()
        try:
            found = json.loads(data) if data else {}
        except (ValueError, RecursionError):
            found = None
        if not isinstance(found, dict):
            raise RequestError(400, "bad_body", "The body must be a JSON object.", "Send an object, or nothing.")
        return found

    def send_json(self, found: Any, status: int = 200) -> None:
        """Send a reply as JSON."""
        self.set_status(status)
        self.finish(json.dumps(found, ensure_ascii=False, allow_nan=False))

    def write_error(self, status_code: int, **kwargs: Any) -> None:
        """Send an error as ``{error: {code, text, do}, message}``."""
        error = kwargs.get("exc_info", (None, None, None))[1]
        known = as_request_error(error) if error is not None else None
        known = known or _error_of_status(status_code, error)
        self.set_status(known.status)
        if self._body_is_unread():
            # Tornado then closes the connection, which a proxy would otherwise use for somebody's next request.
            self.set_header("Connection", "close")
        self.finish(json.dumps(known.as_json(), ensure_ascii=False))

    def _body_is_unread(self) -> bool:
        """Whether a request is refused before its body was received."""
        length = self.request.headers.get("Content-Length", "")
        return self._size < int(length) if length.isdecimal() else "Transfer-Encoding" in self.request.headers

    def log_exception(self, typ: Any, value: Any, tb: Any) -> None:
        """Log only bugs of the kit; other errors are replies."""
        if value is None or as_request_error(value) is None:
            super().log_exception(typ, value, tb)


def _error_of_status(status: int, error: object) -> RequestError:
    if status == 403:
        text = "This request has no valid login, or its user may not do this."
        return RequestError(403, "login", text, "Reload the page, or open the server's address with its token.")
    if status == 404:
        return RequestError(404, "no_route", "There is nothing at this address.", "Update autodiff-kit.")
    if status == 405:
        return RequestError(405, "bad_method", "This address does not support that method.", "Update autodiff-kit.")
    if status < 500 and isinstance(error, web.HTTPError):
        return RequestError(
            status, "bad_body", error.log_message or error.reason or "Bad request.", "Send the request again."
        )
    return RequestError(500, "failed", "Something went wrong in the server.", "See the server log, then try again.")


class SyllabusHandler(JsonHandler):
    """GET ``syllabus``: all lessons, and the next step."""

    @web.authenticated
    @authorized
    async def get(self) -> None:
        """Send the syllabus. A page that was loaded anew may have another language, so kernels get it here."""
        set_language_of_kernels()
        self.send_json(await self.services.read(panel_data.syllabus))


class ProgressHandler(JsonHandler):
    """GET ``progress``: the learner's progress."""

    @web.authenticated
    @authorized
    async def get(self) -> None:
        """Send progress, or 304 if the page already has this revision."""
        found = await self.services.read(
            panel_data.progress, _revision_argument(self.get_query_argument("since", None))
        )
        if found is None:
            self.set_status(304)
            self.finish()
        else:
            self.send_json(found)


class LessonProgressHandler(JsonHandler):
    """PATCH ``progress/NO``: the step or state of one lesson."""

    @web.authenticated
    @authorized
    async def patch(self, no: str) -> None:
        """Record a step or a state."""
        self.send_json(await self.services.write(panel_data.patch_lesson, no, self.json_body()))


class ResetHandler(JsonHandler):
    """POST ``progress/reset``: delete progress after a backup."""

    @web.authenticated
    @authorized
    async def post(self) -> None:
        """Back up, then delete."""
        self.send_json(await self.services.write(backups.reset_progress, self.json_body()))


class OpenNotebookHandler(JsonHandler):
    """POST ``lessons/NO/open``: the learner's copy of a notebook."""

    @web.authenticated
    @authorized
    async def post(self, no: str) -> None:
        """Create the copy if it is missing, and send its path."""
        self.send_json(await self.services.write(panel_data.open_notebook, no, self.json_body()))


class SearchHandler(JsonHandler):
    """GET ``search``: lessons that contain some words."""

    @web.authenticated
    @authorized
    async def get(self) -> None:
        """Send the places that contain the words."""
        self.send_json(await self.services.read(search.search, self.get_query_argument("q", "")))


class ExercisesHandler(JsonHandler):
    """GET ``exercises``: the questions of a notebook."""

    @web.authenticated
    @authorized
    async def get(self) -> None:
        """Send the questions with the learner's attempts."""
        path, no = (self.get_query_argument(name, None, strip=False) for name in ("path", "no"))
        if path is None and no is None:
            raise RequestError(400, "bad_query", "The query needs `path` or `no`.", "Send the request again.")
        self.send_json(await self.services.read(panel_data.exercises, path, no))


class QuestionHandler(JsonHandler):
    """PATCH ``exercises/ID``: show a hint or the solution of one question."""

    @web.authenticated
    @authorized
    async def patch(self, id: str) -> None:
        """Record that a hint or the solution was shown, and send it."""
        self.send_json(await self.services.write(panel_data.patch_question, id, self.json_body()))


class SubmissionsHandler(JsonHandler):
    """GET and POST ``handin``: list submissions, and submit a notebook."""

    @web.authenticated
    @authorized
    async def get(self) -> None:
        """Send the submissions, newest first."""
        exercise = self.get_query_argument("exercise", None)
        self.send_json({"handed": await self.services.read(submissions.list_submissions, exercise)})

    @web.authenticated
    @authorized
    async def post(self) -> None:
        """Submit a notebook."""
        body = self.json_body()
        self.send_json(await self.services.write(submissions.hand_in, body.get("path"), body.get("sha256")), 201)


class BackupsHandler(JsonHandler):
    """GET and POST ``backups``: list backups, and create one."""

    @web.authenticated
    @authorized
    async def get(self) -> None:
        """Send the backups, newest first."""
        self.send_json({"backups": await self.services.read(backups.list_backups)})

    @web.authenticated
    @authorized
    async def post(self) -> None:
        """Create a backup."""
        self.send_json(await self.services.write(backups.create_backup, self.json_body().get("what")), 201)


class RestoreBackupHandler(JsonHandler):
    """POST ``backups/ID/restore``: restore a backup."""

    @web.authenticated
    @authorized
    async def post(self, id: str) -> None:
        """Restore its progress and notebooks."""
        self.json_body()
        self.send_json(await self.services.write(backups.restore_backup, id))


class ExportHandler(JsonHandler):
    """GET ``export``: progress as a file."""

    @web.authenticated
    @authorized
    async def get(self) -> None:
        """Send the file."""
        name, media, text = await self.services.read(export, self.get_query_argument("format", "json"))
        self.set_header("Content-Disposition", f'attachment; filename="{name}"')
        self.finish(text, set_content_type=media)


class NotFoundHandler(JsonHandler):
    """Every other path below the prefix: 404 with a code, unlike a server without this extension."""

    @web.authenticated
    @authorized
    async def get(self) -> None:
        """Send 404."""
        raise web.HTTPError(404)

    head = post = patch = put = delete = get


def _revision_argument(text: str | None) -> int | None:
    if text is None:
        return None
    if not text.isdecimal() or len(text) > 16:
        raise RequestError(400, "bad_query", "`since` must be a revision, an integer.", "Read the progress again.")
    return int(text)


def routes(app: Any) -> list[tuple[str, type[JsonHandler], dict[str, Any]]]:
    """Return the routes of a server, below its own base address.

    Parameters
    ----------
    app : jupyter_server.serverapp.ServerApp
        The server; its contents say which folder it shows.
    """
    server_root = getattr(app.contents_manager, "root_dir", "") or app.root_dir
    services = Services(Path(server_root).expanduser().resolve())
    table: tuple[tuple[str, type[JsonHandler]], ...] = (
        ("syllabus", SyllabusHandler),
        ("progress", ProgressHandler),
        ("progress/reset", ResetHandler),
        (f"progress/{NUMBER_PATTERN}", LessonProgressHandler),
        (f"lessons/{NUMBER_PATTERN}/open", OpenNotebookHandler),
        ("search", SearchHandler),
        ("exercises", ExercisesHandler),
        (f"exercises/{NAME_PATTERN}", QuestionHandler),
        ("handin", SubmissionsHandler),
        ("backups", BackupsHandler),
        (f"backups/{NAME_PATTERN}/restore", RestoreBackupHandler),
        ("export", ExportHandler),
        (".*", NotFoundHandler),
    )
    base = app.web_app.settings["base_url"]
    return [(url_path_join(base, PREFIX, path), handler, {"services": services}) for path, handler in table]
