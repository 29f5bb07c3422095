"""The kernel's side of the tape inspector: notices unasked, and an answer to each request.

Nothing here knows of Jupyter. An :class:`Inspector` is given a function that sends a message, and is handed messages;
:mod:`autodiff_kit.lab.kernel.comm` ties it to a comm. Messages are those of ``autodiff_kit/lab/messages.json``.
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

from autodiff_kit.core.source_location import user_frame
from autodiff_kit.core.tape import GradientTape, look_on
from autodiff_kit.errors import AutodiffError
from autodiff_kit.lab.kernel.cells import Cells
from autodiff_kit.lab.kernel.errors import Refusal, asked_int
from autodiff_kit.lab.kernel.history import ASKED, NOTHING, Entry, Ring
from autodiff_kit.lab.kernel.requests import ANSWERS
from autodiff_kit.lab.kernel.tape_view import Desk

__all__ = ["VERSION", "Inspector"]

VERSION = 1
_PAUSE = 0.25  # seconds between two notices
_PATIENCE = 10  # cells with tapes that nobody asks about, after which the inspector counts as closed
_HOME = str(Path(__file__).parents[2]) + os.sep
_PREPARED = 20_000  # operations of a tape whose rows are worked out before they are asked for; some 50 ms
_LITTLE = 64  # entries of a seed that is remembered before anybody looks

Message = dict[str, Any]
Send = Callable[[Message], None]


class Inspector:
    """Knows the tapes of a process and answers for them.

    Parameters
    ----------
    send : callable, optional
        Takes a message, a dict that JSON can carry.
    namespace : callable, optional
        Gives the user's names, so that values are called what the notebook calls them.
    cells : Cells, optional
        Names of a notebook's cells.
    limit : int, optional
        Bytes that the values of closed tapes may take while an inspector is open.
    later : callable, optional
        ``later(seconds, function)`` calls a function when the process is at leisure: for a notice that came too
        early, and for work that will be asked for.
        Without it such a notice waits for the next tape or request, or for :meth:`flush`.

    Notes
    -----
    :meth:`start` makes it the one who looks at tapes. Before any inspector was seen, a tape costs it a weak reference;
    while one is open, tapes keep every value, and the last few are held.

    Examples
    --------
    >>> from autodiff_kit.lab.kernel import Inspector
    >>> said = []
    >>> with Inspector(said.append) as inspector:
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
        cells: Cells | None = None,
        limit: int = 64 << 20,
        later: Callable[[float, Callable[[], None]], None] | None = None,
    ) -> None:
        self.ring = Ring(limit)
        self.senders: list[Send] = [] if send is None else [send]
        self.desk = Desk(self.ring, cells or Cells(), namespace)
        self.watching: set[Any] = set()
        self.later = later
        self._last = float("-inf")
        self._due = False
        self._waiting: tuple[weakref.ref[GradientTape], Any, int] | None = None
        self._idle = 0
        self._fresh = False
        self._before: Any = None

    # ------------------------------------------------------------------------------------------ looking at tapes
    def start(self) -> Inspector:
        """Look at tapes from here on."""
        self._before = look_on(self)
        return self

    def stop(self) -> None:
        """Look at no tape any more, and let go of all."""
        look_on(self._before)
        self.watching.clear()
        for entry in self.ring.entries():
            entry.pinned = False
        self.ring.clear()

    def __enter__(self) -> Inspector:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()

    def enters(self, tape: GradientTape) -> None:
        """A tape begins: it keeps every value if somebody looks."""
        if not self.watching:
            return
        frame = sys._getframe(2)
        if not _of_the_kit(frame):
            entry = self.ring.enter(tape, user_frame(frame).f_code, frame.f_lasti)
            if not tape._record.nodes:  # a new one, or one that was reset
                entry.begin(tape)
            tape._record.keep = True

    def closes(self, tape: GradientTape) -> None:
        """A tape has closed: tell, and hold it if somebody looks. Those of the kit's own functions are passed by."""
        frame = sys._getframe(2)
        if _of_the_kit(frame):
            return
        entry = self.ring.of(tape)
        if entry is not None:
            entry.at = time.time()
            entry.work.clear()
            if self.watching:
                self._hold(entry, tape)
        self._tell(tape, frame.f_code, frame.f_lasti)

    def asked(self, tape: GradientTape, targets: list[Any], weights: list[Any], sources: list[Any]) -> None:
        """A tape was asked for derivatives: what of becomes the inspector's target."""
        if tape._record.page is not None:
            return
        seen = bool(self.watching)
        if not seen and any(getattr(weight, "size", 1) > _LITTLE for weight in weights):
            weights = [None] * len(weights)
        times = getattr(tape, ASKED, NOTHING)[3] + 1
        setattr(tape, ASKED, (list(map(tape._node_of, targets)), weights, sources if seen else (), times))
        if self.ring.of(tape) is not None:
            self._tell(tape, None, 0)

    def lets_go(self, tape: GradientTape) -> None:
        """Before a tape lets go of its values: they pass to the ring if somebody looks."""
        entry = self.ring.of(tape)
        if entry is not None and (self.watching or entry.pinned) and entry.kept is None:
            self._hold(entry, tape)

    def _hold(self, entry: Entry, tape: GradientTape) -> None:
        try:
            self.ring.hold(entry, tape)
        except Exception:  # noqa: BLE001 - what cannot be shown must not stop the user's code
            self.ring.drop(entry)

    def adopt(self) -> None:
        """Give ids to tapes that nobody was told of: the one that waits, and those that the user holds."""
        if self._waiting is not None:
            self._entry(*self._waiting)
        for name, value in list(self.desk.namespace().items()):
            if isinstance(value, GradientTape) and value._entered and self.ring.of(value) is None:
                nodes = value._record.nodes
                code, lasti = (nodes[0].code, nodes[0].lasti) if nodes else (None, 0)
                entry = self.ring.enter(value, code, lasti)
                entry.name, entry.at = name, time.time()

    def _entry(self, ref: weakref.ref[GradientTape], code: Any, lasti: int) -> Entry | None:
        tape = ref()
        if tape is None:
            return None
        entry = self.ring.enter(tape, code, lasti)
        entry.at = entry.at or time.time()
        return entry

    # ------------------------------------------------------------------------------------------ notices
    def _tell(self, tape: GradientTape, code: Any, lasti: int) -> None:
        """Send a notice, or remember that one is due: the last one wins."""
        self._waiting, self._fresh = (weakref.ref(tape), code, lasti), True
        self._hurry()

    def _hurry(self) -> None:
        """Send the notice that waits if its time has come, or have it sent when it has."""
        if self._waiting is None:
            return
        wait = self._last + _PAUSE - time.monotonic()
        if wait <= 0:
            self.flush()
        elif self.later is not None and not self._due:
            self._due = True
            self.later(wait, self._overdue)

    def _overdue(self) -> None:
        self._due = False
        self._hurry()

    def flush(self) -> None:
        """Send the notice that waits; of a tape that is gone there is nothing to tell."""
        waiting, self._waiting = self._waiting, None
        try:
            entry = self._entry(*waiting) if waiting is not None else None
            message = self.desk.notice(entry) if entry is not None else None
        except Exception:  # noqa: BLE001 - a tape that cannot be told of must not stop the user's code
            return
        if message is not None:
            self._last = time.monotonic()
            self.broadcast({"v": VERSION, "type": "tape/new", **message})

    def cell_ended(self) -> None:
        """A cell has ended: see whether anybody still looks at the tapes that it recorded."""
        if self._fresh and self.watching and self.later is not None:
            self.later(0.0, self._prepare)
        self._idle += self._fresh
        self._fresh = False
        if self._idle > _PATIENCE:
            self._close_all()

    def _prepare(self) -> None:
        """Work out the rows of the newest tape while the page that was told of it makes up its mind to ask for them."""
        entries = list(self.ring.entries())
        tape = entries[-1].ref() if entries else None
        if tape is not None and len(tape._record.nodes) <= _PREPARED:
            with suppress(Exception):  # whoever asks for it is told
                self.desk.view({"tape": entries[-1].id})

    def broadcast(self, message: Message) -> None:
        """Send a message to all who listen; one that cannot be reached is dropped."""
        for send in list(self.senders):
            self._send(send, message)

    def _send(self, send: Send, message: Message) -> None:
        try:
            send(message)
        except Exception:  # noqa: BLE001 - the other side went away
            self.leave(send)

    # ------------------------------------------------------------------------------------------ requests
    def join(self, send: Send) -> None:
        """Let somebody listen."""
        self.senders.append(send)

    def leave(self, send: Send) -> None:
        """Somebody listens no more."""
        self.senders = [other for other in self.senders if other != send]
        self._watch(send, False)

    def receive(self, message: Any, send: Send | None = None) -> None:
        """Answer a request; whatever it holds, nothing is raised.

        Parameters
        ----------
        message : dict
            ``{v, id, ask, ...}``; fields that are not known are ignored.
        send : callable, optional
            Who is answered; by default the first who listens.
        """
        send = send or next(iter(self.senders), None)
        if send is None:
            return
        sent = message if isinstance(message, dict) else {}
        answer: Message = {"v": VERSION, "id": sent.get("id")}
        try:
            answer |= self._answer(sent, send)
        except Refusal as refusal:
            answer["error"] = refusal.message()
        except AutodiffError as error:
            answer["error"] = Refusal("failed", str(error)).message()
        except Exception as error:  # noqa: BLE001 - the kernel's channel must outlive any mistake
            text = f"the kernel could not answer: {type(error).__name__}: {error}"
            answer["error"] = Refusal(
                "failed", text, "This is a mistake of the kit's; the notebook is not touched."
            ).message()
        self._send(send, answer)
        self._hurry()

    def _answer(self, message: Message, send: Send) -> Message:
        if not message:
            raise Refusal("message", "A request is an object {v: 1, id, ask, …}.")
        if message.get("v") != VERSION:
            raise Refusal(
                "message", f"This kernel speaks version {VERSION}.", "Update autodiff_kit and reload the page."
            )
        ask = message.get("ask")
        if ask == "tape.watch":
            return self._watch_asked(message, send)
        answer = ANSWERS.get(ask) if isinstance(ask, str) else None
        if answer is None:
            raise Refusal("ask", f"{ask!r} cannot be asked.", f"Ask one of {', '.join(['tape.watch', *ANSWERS])}.")
        self._watch(send, True)
        if ask == "tape.list":
            self.adopt()
        return answer(self.desk, message)

    def _watch_asked(self, message: Message, send: Send) -> Message:
        ring = self.ring
        ring.most = asked_int(message, "tapes", 1, 1000, ring.most)
        ring.limit = asked_int(message, "limit", 0, 1 << 40, ring.limit)
        on = message.get("on") is not False
        self._watch(send, on)
        self.adopt()
        ring.shrink()
        return {"type": "watch", "on": on, "limit": ring.limit, "tapes": ring.most}

    def _watch(self, send: Send, on: bool) -> None:
        """An inspector is open while it asks; it closes with its channel, by saying so, or by silence."""
        if on:
            self.watching.add(send)
            self._idle = 0
        elif send in self.watching:
            self.watching.discard(send)
            if not self.watching:
                self._close_all()

    def _close_all(self) -> None:
        self.watching.clear()
        self._idle = 0
        self.ring.clear()


def _of_the_kit(frame: Any) -> bool:
    """Whether a tape stands in one of the kit's own functions; in a lesson's widget too."""
    file: str = frame.f_code.co_filename
    return file.startswith(_HOME)
