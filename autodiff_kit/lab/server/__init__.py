"""The Jupyter server extension: routes for the syllabus, progress, exercises, submissions and backups.

All routes are under ``<base_url>autodiff-kit/``. They need Jupyter's own login (token or cookie) and, for changes, its
XSRF token. Bodies and responses are JSON. Paths are those of JupyterLab's file browser: relative to the folder that the
server shows, with ``/``. Every path in a request must be in the learner's working folder after links are resolved. That
folder is ``AUTODIFF_KIT_DIR``, otherwise the server's folder or its nearest parent that holds ``.autodiff_kit``,
otherwise ``work`` in the server's folder, which is made by the first request that opens or writes.

=================================  ==============================  =================================================
method, path                       request                         response
=================================  ==============================  =================================================
GET ``syllabus``                                                   ``{v, kit, folder, parts: [{no, title}], lessons:
                                                                   [LESSON], progress: PROGRESS}``, with an ETag
GET ``progress?since=REV``                                         PROGRESS, or 304 when nothing changed since
PATCH ``progress/NO``              ``{rev, step?, state?}``        ``{rev, behind, others, progress: PROGRESS}``
POST ``progress/reset``            ``{scope: "all"|NO,             ``{backup: BACKUP, rev, replaced: [path],
                                   notebooks: false}``             progress: PROGRESS}``
POST ``lessons/NO/open``           ``{what?: "lesson"|             ``{path, cell, made, notices: [NOTICE]}``
                                   "exercise"}``
GET ``search?q=WORDS``                                             ``{q, hits: [{no, title, coming, where, text, cell,
                                                                   notebook}]}``
GET ``exercises?path=PATH``                                        ``{path, no, title, exercise, language, score,
or ``exercises?no=NO``                                             max, questions: [QUESTION], handed:
                                                                   [HANDED]}``
PATCH ``exercises/ID``             ``{hint_seen: 1|2|3}`` or       ``{rev, question: QUESTION}``
                                   ``{solution_seen: true}``
GET ``handin?exercise=SLUG``                                       ``{handed: [HANDED]}``, newest first
POST ``handin``                    ``{path, sha256}``              201 HANDED
GET ``backups``                                                    ``{backups: [BACKUP]}``, newest first
POST ``backups``                   ``{what: "all"|NO}``            201 BACKUP
POST ``backups/ID/restore``        ``{}``                          ``{rev, backup: BACKUP, restored: [path],
                                                                   progress: PROGRESS}``
GET ``export?format=json|csv``                                     a file to save
=================================  ==============================  =================================================

The shapes::

    LESSON    {no, slug, title, goal, minutes, needs: [{lesson: NO|null, text}], summary, keywords: [words], points,
               notebook: path|null, exercise: path|null, coming}
    PROGRESS  {v, rev, saved, lessons: {NO: {state, step, read, predicted, judged, right, prompts, solved,
               questions, score, max, at}}, totals: {read, done, lessons, predicted, prompts, solved, questions,
               score, max}, next: NEXT, notices: [NOTICE]}
    NEXT      {lesson: NO|null, kind: "start"|"predict"|"run"|"finish"|"exercise"|"finished", step, cell, item,
               question, path, heading, minutes}
    QUESTION  {id, label, title, points, state, score, tries, hints, hints_seen, hint_texts: [text], hint_cost,
               solution_seen, solution_open, solution, message, cell}
    HANDED    {receipt, exercise, score, max, sha256, at, path, bytes}
    BACKUP    {id, scope, at, lessons, notebooks: [path], bytes}
    NOTICE    {code, text, do}

``read``, ``predicted`` and ``solved`` of a lesson count results shown, prompts predicted and questions passed; they do
not depend on each other. ``judged`` counts the predictions whose result was shown and can be right or wrong; ``right``
are some of these. ``state`` is ``none``, ``begun``, ``read`` (every result was shown) or ``done`` (read, every
prompt predicted, every question passed); only lessons with a record are listed. ``state`` of a question is ``not
tried``, ``not yet``, ``partial``, ``passed`` or ``error``. ``step`` of a lesson counts the results shown since it was
last begun, as the kernel does; in NEXT it is the step in the cell's metadata. ``points`` of a planned lesson are
planned, and are in no total. A notebook without questions gets ``questions: []`` and the ``path`` of its lesson's
exercise, if there is one. ``notebook`` and ``exercise`` are the path of the learner's copy, or its future path before
it is opened. ``cell`` is a cell's id; ``at`` is ISO 8601 in UTC, or null. The response to ``since`` is always complete,
because a reset deletes rows.

**Two writers.** Kernel and server write the same SQLite file, one transaction at a time; each change increases ``rev``.
A PATCH always sets the fields that it names (a lesson's state only moves forward). ``behind`` says that the sender did
not have the newest revision, and ``others`` names the fields of that lesson that had other values. The response to a
revision that the file never had is 409 ``newer_rev``: the file was started again; read it again.

**Handing in.** ``sha256`` is that of the saved file, which JupyterLab's contents service returns as the model's
``hash`` (``contents.get(path, {content: false, hash: true})``). If the file on disk has another hash, the response is
409 ``save_first``. Where ``AUTODIFF_KIT_HANDIN`` names the course's folder, the bundle is written there and in the
learner's ``handin``; if the first cannot be done, the response is 403 ``undelivered`` and nothing is written.

**Errors** are ``{error: {code, text, do}, message}``; ``message`` repeats ``text`` for JupyterLab's own dialogs.

==========  ========================================================================================================
400         ``bad_body``, ``bad_path``, ``bad_value``, ``bad_query``
403         ``login`` (no or a wrong token, no XSRF token), ``outside``, ``unwritable``, ``undelivered``, ``not_yet``
404         ``no_route``, ``no_lesson``, ``coming``, ``no_question``, ``no_exercise``, ``no_file``, ``no_backup``
405         ``bad_method``
409         ``newer_rev``, ``save_first``, ``damaged_notebook``, ``newer_kit``, ``damaged_backup``, ``folder``
413         ``too_large`` (a body or a notebook over 10 MB)
423         ``locked`` (another process writes for longer than five seconds)
500, 507    ``failed``, ``disk_full``
==========  ========================================================================================================

A 404 without ``error.code`` means that this extension is not installed.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

__all__ = ["load_jupyter_server_extension"]


def load_jupyter_server_extension(app: Any) -> None:
    """Add the routes to a running server, and tell its kernels that there are panels; Jupyter calls this on start.

    Kernels' messages are sent without delay, and those about subshells do not count as activity. A kernel inherits the
    server's environment: its IPython runs ``kernel_startup.py``, unless the learner has a start-up file of their own.

    Parameters
    ----------
    app : jupyter_server.serverapp.ServerApp
        The server.
    """
    from autodiff_kit.lab.environment import PANELS_VARIABLE
    from autodiff_kit.lab.server.handlers import routes
    from autodiff_kit.lab.server.subshell_status import ignore_subshell_status
    from autodiff_kit.lab.server.tcp_nodelay import disable_nagle

    app.web_app.add_handlers(".*$", routes(app))
    disable_nagle(app)
    ignore_subshell_status(app)
    os.environ[PANELS_VARIABLE] = "1"
    os.environ.setdefault("PYTHONSTARTUP", str(Path(__file__).parents[1] / "kernel_startup.py"))


_load_jupyter_server_extension = load_jupyter_server_extension
