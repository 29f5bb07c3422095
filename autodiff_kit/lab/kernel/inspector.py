"""The kernel's side of the tape inspector: it announces tapes and answers requests about them.

This module does not depend on Jupyter. A :class:`TapeInspector` gets a function that sends a message, and receives
messages; :mod:`autodiff_kit.lab.kernel.comm` connects it to a comm. ``autodiff_kit/lab/messages.json`` is the schema
of the messages.
"""

from __future__ import annotations

import os
import sys
import time
import weakref
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from autodiff_kit.core.source_location import user_frame
from autodiff_kit.core.tape import GradientTape
from autodiff_kit.core.tape_observer import set_tape_observer
from autodiff_kit.errors import AutodiffError
from autodiff_kit.lab.kernel.cells import CellRegistry
from autodiff_kit.lab.kernel.errors import InspectorError, int_argument
from autodiff_kit.lab.kernel.history import GRADIENT_REQUEST, NO_REQUEST, TapeEntry, TapeHistory
from autodiff_kit.lab.kernel.requests import REQUEST_HANDLERS
from autodiff_kit.lab.kernel.tape_view import InspectorContext

__all__ = ["VERSION", "TapeInspector"]

VERSION = 1
_NOTICE_INTERVAL = 0.25  # seconds between two notices
_MAX_UNWATCHED_CELLS = 10  # cells with tapes without a request, after which the inspector counts as closed
_PACKAGE_FOLDER = str(Path(__file__).parents[2]) + os.sep
_MAX_PREPARED_NODES = 20_000  # operations of a tape whose rows are computed before a request; about 50 ms
_MAX_SEED_ENTRIES = 64  # entries of a seed that is saved before an inspector is open

Message = dict[str, Any]
Send = Callable[[Message], None]


class TapeInspector:
    """Observes the tapes of a process, announces them to pages, and answers the pages' requests.

    Parameters
    ----------
    send : callable, optional
        Takes a message, a dict that JSON can carry.
    namespace : callable, optional
        Returns the variables of the notebook, so that values get the same names.
    cells : CellRegistry, optional
        Names of a notebook's cells.
    limit : int, optional
        Largest number of bytes of the values of closed tapes while an inspector is open.
    call_later : callable, optional
        ``call_later(seconds, function)`` calls a function when the process is idle: for a notice that came too early,
        and for work that will be requested. Without it such a notice waits for the next tape or request, or for
        :meth:`send_notice`.
    keeps_latest : bool, optional
        Whether the last tape is kept while no inspector is open, for the one that a page may open later.

    Notes
    -----
    :meth:`start` makes this object the observer of tapes. Where no inspector is open and none is expected, a tape costs
    it a weak reference; otherwise tapes keep every value, and the last few tapes, or the last one, are kept.

    Examples
    --------
    >>> from autodiff_kit.lab.kernel import TapeInspector
    >>> said = []
    >>> with TapeInspector(said.append) as inspector:
    ...     x = ak.Variable(3.0, name="x")
    ...     with ak.GradientTape(persistent=True) as tape:
    ...         y = x * x
    ...     inspector.receive({"v": 1, "id": 7, "ask": "tape.values", "tape": "t1", "a": 0, "b": 2, "what": ["value"]})
    >>> said[0]["type"], said[-1]["rows"][1][0][:3]
    ('tape/new', [9, 9, 9])
    """

    def __init__(
        self,
        send: Send | None = None,
        namespace: Callable[[], dict[str, Any]] = dict,
        cells: CellRegistry | None = None,
        limit: int = 64 << 20,
        call_later: Callable[[float, Callable[[], None]], None] | None = None,
        keeps_latest: bool = False,
    ) -> None:
        self.keeps_latest = keeps_latest
        self.history = TapeHistory(limit)
        self.senders: list[Send] = [] if send is None else [send]
        self.context = InspectorContext(self.history, cells or CellRegistry(), namespace)
        self.watchers: set[Any] = set()
        self.call_later = call_later
        self._last_notice_time = float("-inf")
        self._notice_scheduled = False
        self._pending_notice: tuple[weakref.ref[GradientTape], Any, int] | None = None
        self._unwatched_cells = 0
        self._recorded_in_cell = False
        self._too_large = False  # a tape of this cell had more bytes than are kept
        self._previous_observer: Any = None

    # ------------------------------------------------------------------------------------------ observing tapes
    def start(self) -> TapeInspector:
        """Start observing tapes."""
        self._previous_observer = set_tape_observer(self)
        return self

    def stop(self) -> None:
        """Stop observing tapes, and release all of them."""
        set_tape_observer(self._previous_observer)
        self.watchers.clear()
        for entry in self.history.entries():
            entry.pinned = False
        self.history.release_unpinned()

    def __enter__(self) -> TapeInspector:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()

    @property
    def _keeps_values(self) -> bool:
        return self.keeps_latest or bool(self.watchers)

    def tape_opened(self, tape: GradientTape) -> None:
        """A tape begins: it keeps every value if an inspector is open or expected."""
        if not self._keeps_values:
            return
        frame = sys._getframe(2)
        if not _is_kit_code(frame):
            if not self.watchers:
                self.history.release_retained()  # now, so that two tapes' values are never held at once
            entry = self.history.register(tape, user_frame(frame).f_code, frame.f_lasti)
            if not tape._record.nodes:  # a new one, or one that was reset
                entry.reset(tape)
            tape._record.keep_all = not self._too_large

    def tape_closed(self, tape: GradientTape) -> None:
        """A tape has closed: announce it, and keep it if an inspector is open. The kit's own tapes are ignored."""
        frame = sys._getframe(2)
        if _is_kit_code(frame):
            return
        entry = self.history.entry_of(tape)
        if entry is not None:
            entry.at = time.time()
            entry.cache.clear()
            if self._keeps_values:
                self._retain(entry, tape)
        self._schedule_notice(tape, frame.f_code, frame.f_lasti)

    def tape_differentiated(
        self, tape: GradientTape, targets: list[Any], weights: list[Any], sources: list[Any]
    ) -> None:
        """A tape was asked for derivatives: the target becomes the inspector's target."""
        if tape._record.sink is not None:
            return
        seen = self._keeps_values
        if not seen and any(getattr(weight, "size", 1) > _MAX_SEED_ENTRIES for weight in weights):
            weights = [None] * len(weights)
        times = getattr(tape, GRADIENT_REQUEST, NO_REQUEST)[3] + 1
        setattr(tape, GRADIENT_REQUEST, (list(map(tape._node_of, targets)), weights, sources if seen else (), times))
        if self.history.entry_of(tape) is not None:
            self._schedule_notice(tape, None, 0)

    def tape_releases(self, tape: GradientTape) -> None:
        """Before a tape releases its values: the history saves them if an inspector is open."""
        entry = self.history.entry_of(tape)
        if entry is not None and (self._keeps_values or entry.pinned) and entry.saved_parts is None:
            self._retain(entry, tape)

    def _retain(self, entry: TapeEntry, tape: GradientTape) -> None:
        try:
            self.history.retain(entry, tape)
            self._too_large |= entry.released_because == "large"
        except Exception:  # noqa: BLE001 - what cannot be shown must not stop the user's code
            self.history.release(entry)

    def register_known_tapes(self) -> None:
        """Register tapes that were not announced: the pending one, and those that variables of the notebook hold."""
        if self._pending_notice is not None:
            self._register_pending(*self._pending_notice)
        for name, value in list(self.context.namespace().items()):
            if isinstance(value, GradientTape) and value._entered and self.history.entry_of(value) is None:
                nodes = value._record.nodes
                code, lasti = (nodes[0].code, nodes[0].lasti) if nodes else (None, 0)
                entry = self.history.register(value, code, lasti)
                entry.name, entry.at = name, time.time()

    def _register_pending(self, ref: weakref.ref[GradientTape], code: Any, lasti: int) -> TapeEntry | None:
        tape = ref()
        if tape is None:
            return None
        entry = self.history.register(tape, code, lasti)
        entry.at = entry.at or time.time()
        return entry

    # ------------------------------------------------------------------------------------------ notices
    def _schedule_notice(self, tape: GradientTape, code: Any, lasti: int) -> None:
        """Remember the newest tape to announce, and send the notice if its time has come."""
        self._pending_notice, self._recorded_in_cell = (weakref.ref(tape), code, lasti), True
        self._send_notice_if_due()

    def _send_notice_if_due(self) -> None:
        """Send the pending notice if the interval has passed, otherwise schedule it."""
        if self._pending_notice is None:
            return
        wait = self._last_notice_time + _NOTICE_INTERVAL - time.monotonic()
        if wait <= 0:
            self.send_notice()
        elif self.call_later is not None and not self._notice_scheduled:
            self._notice_scheduled = True
            self.call_later(wait, self._on_notice_timer)

    def _on_notice_timer(self) -> None:
        self._notice_scheduled = False
        self._send_notice_if_due()

    def send_notice(self) -> None:
        """Send the pending notice, unless its tape no longer exists."""
        waiting, self._pending_notice = self._pending_notice, None
        try:
            entry = self._register_pending(*waiting) if waiting is not None else None
            message = self.context.notice(entry) if entry is not None else None
        except Exception:  # noqa: BLE001 - a tape that cannot be told of must not stop the user's code
            return
        if message is not None:
            self._last_notice_time = time.monotonic()
            self.broadcast({"v": VERSION, "type": "tape/new", **message})

    def cell_ended(self) -> None:
        """A cell has ended: prepare its newest tape, and stop watching if no page sent a request for many cells."""
        if self._recorded_in_cell and self.watchers and self.call_later is not None:
            self.call_later(0.0, self._prepare_newest_view)
        self._unwatched_cells += self._recorded_in_cell
        self._recorded_in_cell = self._too_large = False
        if self._unwatched_cells > _MAX_UNWATCHED_CELLS:
            self._stop_watching()

    def _prepare_newest_view(self) -> None:
        """Build the view of the newest tape before the page that was notified requests it."""
        entries = list(self.history.entries())
        tape = entries[-1].ref() if entries else None
        if tape is not None and len(tape._record.nodes) <= _MAX_PREPARED_NODES:
            with suppress(Exception):  # a later request gets the error
                self.context.view({"tape": entries[-1].id})

    def broadcast(self, message: Message) -> None:
        """Send a message to every page; a comm that fails is removed."""
        for send in list(self.senders):
            self._send(send, message)

    def _send(self, send: Send, message: Message) -> None:
        try:
            send(message)
        except Exception:  # noqa: BLE001 - the other side went away
            self.remove_sender(send)

    # ------------------------------------------------------------------------------------------ requests
    def add_sender(self, send: Send) -> None:
        """Add a page to those that receive notices."""
        self.senders.append(send)

    def remove_sender(self, send: Send) -> None:
        """Remove a page; its requests no longer keep tapes in memory."""
        self.senders = [other for other in self.senders if other != send]
        self._set_watching(send, False)

    def receive(self, message: Any, send: Send | None = None) -> None:
        """Answer a request; invalid requests and errors get a reply too, and nothing is raised.

        Parameters
        ----------
        message : dict
            ``{v, id, ask, ...}``; unknown fields are ignored.
        send : callable, optional
            Receives the answer; by default the first page.
        """
        send = send or next(iter(self.senders), None)
        if send is None:
            return
        sent = message if isinstance(message, dict) else {}
        answer: Message = {"v": VERSION, "id": sent.get("id")}
        try:
            with np.errstate(all="ignore"):  # whatever the notebook's own setting is
                answer |= self._answer(sent, send)
        except InspectorError as error_:
            answer["error"] = error_.message()
        except AutodiffError as error:
            answer["error"] = InspectorError("failed", str(error)).message()
        except KeyboardInterrupt:  # the stop button; a request without an answer would hold up the page for ever
            answer["error"] = InspectorError("failed", "The kernel was interrupted before it answered.").message()
        except Exception as error:  # noqa: BLE001 - the kernel's channel must outlive any mistake
            text = f"the kernel could not answer: {type(error).__name__}: {error}"
            answer["error"] = InspectorError(
                "failed", text, "This is an error in the kit; the notebook is unchanged."
            ).message()
        self._send(send, answer)
        self._send_notice_if_due()

    def _answer(self, message: Message, send: Send) -> Message:
        if not message:
            raise InspectorError("message", "A request is an object {v: 1, id, ask, …}.")
        if message.get("v") != VERSION:
            raise InspectorError(
                "message",
                f"This kernel uses version {VERSION} of the messages.",
                "Update autodiff_kit and reload the page.",
            )
        ask = message.get("ask")
        if ask == "tape.watch":
            return self._answer_watch(message, send)
        answer = REQUEST_HANDLERS.get(ask) if isinstance(ask, str) else None
        if answer is None:
            raise InspectorError(
                "ask", f"{ask!r} is not a request.", f"Requests are {', '.join(['tape.watch', *REQUEST_HANDLERS])}."
            )
        self._set_watching(send, True)
        if ask == "tape.list":
            self.register_known_tapes()
        return answer(self.context, message)

    def _answer_watch(self, message: Message, send: Send) -> Message:
        history = self.history
        history.max_tapes = int_argument(message, "tapes", 1, 1000, history.max_tapes)
        history.max_bytes = int_argument(message, "limit", 0, 1 << 40, history.max_bytes)
        on = message.get("on") is not False
        self._set_watching(send, on)
        self.register_known_tapes()
        history.evict()
        return {"type": "watch", "on": on, "limit": history.max_bytes, "tapes": history.max_tapes}

    def _set_watching(self, send: Send, on: bool) -> None:
        """Mark a page as watching or not; when the last page stops, tapes are released."""
        if on:
            self.watchers.add(send)
            self.history.latest_only = False
            self._unwatched_cells = 0
        elif send in self.watchers:
            self.watchers.discard(send)
            if not self.watchers:
                self._stop_watching()

    def _stop_watching(self) -> None:
        self.watchers.clear()
        self._unwatched_cells = 0
        self.history.latest_only = True
        if self.keeps_latest:
            self.history.evict()
        else:
            self.history.release_unpinned()


def _is_kit_code(frame: Any) -> bool:
    """Whether a tape was opened by the kit's own code, a lesson's widget included."""
    file: str = frame.f_code.co_filename
    return file.startswith(_PACKAGE_FOLDER)
