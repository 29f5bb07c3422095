"""The block of a tape: open and close its record, and watch values."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Self

from autodiff_kit.collector import relax_collector, restore_collector
from autodiff_kit.core.joint_record import records_of
from autodiff_kit.core.modes import set_sink
from autodiff_kit.core.numpy_protocol import Value
from autodiff_kit.core.record import Node, Record, open_records
from autodiff_kit.core.tape_observer import observers
from autodiff_kit.core.tensor import Tensor
from autodiff_kit.core.validation import check_flag
from autodiff_kit.core.variable import Variable, attach_variable
from autodiff_kit.errors import DtypeError, OpenTapeError, TapeError
from autodiff_kit.pytree import flatten

__all__ = ["Recording"]


class Recording:
    """A ``with`` block in which operations on watched values are written to a record."""

    def __init__(self, watch_accessed_variables: bool) -> None:
        self._record = Record(check_flag("watch_accessed_variables", watch_accessed_variables))
        self._record.close()
        self._watched: list[Tensor] = []
        self._entered = False

    def __reduce__(self) -> Any:
        raise TapeError("a tape cannot be copied or pickled: it refers to the values that it recorded. Record again")

    def __enter__(self) -> Self:
        if self._record in open_records.records:
            raise OpenTapeError("this tape is already recording; leave its block before entering it again")
        self._record.open()
        set_sink(self._record)
        open_records.records.append(self._record)
        self._entered = True
        for observer in observers:
            observer.tape_opened(self)
        relax_collector()
        return self

    def __exit__(self, *_: object) -> None:
        self._record.close()
        open_records.records.remove(self._record)
        restore_collector(not self._record.has_arrays)
        for observer in observers:
            observer.tape_closed(self)

    def __del__(self) -> None:
        # Tensors that are still referenced hold nodes, and nodes hold the record: it must not keep the arrays.
        record = getattr(self, "_record", None)
        if record is not None:
            _discard(record)

    def watch(self, nest: Any) -> None:
        """Record operations on these tensors or variables from here on.

        Parameters
        ----------
        nest : Tensor, Variable, or any nesting of lists, tuples and dicts of them

        Raises
        ------
        TapeError
            If the tape is not recording.
        DtypeError
            If an object is neither a tensor nor a variable.

        Notes
        -----
        **Dtypes.** Floating point. An integer has no derivative: a warning says so, and its gradient is None.
        """
        record = self._record
        if record not in open_records.records:
            raise TapeError(
                "tape.watch(x) must be called inside the tape's block: with GradientTape() as tape: tape.watch(x)"
            )
        for value in flatten(nest):
            if not isinstance(value, Value):
                raise DtypeError(
                    f"a tape watches tensors and variables, got {type(value).__name__}; use ak.constant(x)"
                )
            if value.dtype.kind not in "fc":
                warnings.warn(
                    f"watching a value of dtype {value.dtype}: integers have no derivative, its gradient will be "
                    "None. Write 5.0 instead of 5, or ak.cast(x, 'float64').",
                    stacklevel=2,
                )
            elif type(value) is Tensor:
                value.attach(record)
                self._watched.append(value)
            elif isinstance(value, Variable):
                attach_variable(value, record)

    @contextmanager
    def stop_recording(self) -> Iterator[None]:
        """Do not record the operations inside this block."""
        if self._record.sink is None:
            raise TapeError("stop_recording() must be called while the tape is recording, inside its block")
        sink = self._record.sink
        self._record.close()
        try:
            yield
        finally:
            if self._record in open_records.records:
                self._record.open()
                self._record.sink = sink  # that of a vmap, inside of it
                set_sink(self._record)

    def reset(self) -> None:
        """Drop everything that was recorded and watched."""
        old, new = self._record, Record(self._record.watches_variables)
        new.keep_all = old.keep_all
        if old.sink is None:
            new.close()
        set_sink(new)
        if old in open_records.records:
            open_records.records[open_records.records.index(old)] = new
        _discard(old)  # values that are still referenced no longer belong to a tape
        self._record, self._watched = new, []

    def watched_variables(self) -> tuple[Variable, ...]:
        """The variables that this tape watches, in the order of their first use."""
        record = self._record
        return tuple(
            reading.variable
            for reading in record.readings.values()
            if (node := reading.first.node) is not None and record in records_of(node.record)
        )

    def _leaves(self) -> list[Node]:
        tensors = [reading.first for reading in self._record.readings.values()] + self._watched
        return [n for t in tensors if (n := t if t.record is not None else t._node) is not None]


def _discard(record: Record) -> None:
    record.close()
    record.released = True
    if record.shares_nodes:  # those of other records wait for the last
        record.release()
    record.clear()
