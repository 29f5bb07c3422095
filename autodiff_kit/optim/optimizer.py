"""What all optimizers share: slots, rows, freezing, projections."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from os import PathLike
from typing import Any, ClassVar

import numpy as np

from autodiff_kit.core.indexed_slices import RowGradient
from autodiff_kit.core.record import open_records
from autodiff_kit.core.tape import GradientTape
from autodiff_kit.core.tensor import Tensor, Variable, array, normal, plain
from autodiff_kit.core.validation import function, said, text
from autodiff_kit.errors import AutodiffError, DtypeError, ShapeError, StructureError, UnknownGradientError
from autodiff_kit.optim import checkpoint
from autodiff_kit.optim.inplace import Own, Slots, own_array, zeros
from autodiff_kit.optim.validation import fitting, listed, mask_for, not_negative, numbers, paired, projected

__all__ = ["Optimizer"]

Pair = tuple[Any, Variable]


class Optimizer:
    """Steps variables against their gradients, and keeps slots between steps.

    A subclass gives ``_fresh``, the slots that a variable begins with, and ``_step``, which puts new values into them
    and returns what is to be added to the variable.
    """

    _slots: tuple[str, ...] = ()
    _settings: ClassVar[tuple[str, ...]] = ("learning_rate",)
    _by_rows = False

    def __init__(self, learning_rate: float) -> None:
        self.learning_rate = not_negative("learning_rate", learning_rate)
        self._state: dict[int, tuple[Variable, Slots]] = {}  # in the order of first steps
        self._last: dict[int, Any] = {}  # what was added; or how to work it out, or None for nothing
        self._frozen: dict[int, Any] = {}
        self._pending: dict[str, Slots] = {}
        self._strict = True

    # ------------------------------------------------------------------------------------------- what a subclass gives
    def _fresh(self, like: Any) -> Slots:
        raise NotImplementedError

    def _step(self, w: Any, g: Any, slots: Slots) -> Any:
        raise NotImplementedError

    # ------------------------------------------------------------------------------------------------------ gradients
    def compute_gradients(self, loss_fn: Callable[[], Any], variables: Iterable[Variable]) -> list[Pair]:
        """Gradients of a loss, as pairs to look at or change before :meth:`apply_gradients`.

        Parameters
        ----------
        loss_fn : callable
            Without arguments.
        variables : iterable of Variable

        Returns
        -------
        list of (Tensor, RowGradient or None, Variable)
        """
        return self._value_and_pairs(loss_fn, variables)[1]

    def _value_and_pairs(self, loss_fn: Callable[[], Any], variables: Iterable[Variable]) -> tuple[Any, list[Pair]]:
        many, loss_fn = listed(variables), function("loss_fn", loss_fn)
        with GradientTape() as tape:
            loss = loss_fn()
        return loss, list(zip(tape.gradient(loss, many), many, strict=True))

    def minimize(self, loss_fn: Callable[[], Any], variables: Iterable[Variable]) -> Tensor:
        """One step: compute gradients, apply them, and give the loss before the step."""
        loss, pairs = self._value_and_pairs(loss_fn, variables)
        self.apply_gradients(pairs)
        out: Tensor = loss
        return out

    def apply_gradients(self, pairs: Iterable[Pair]) -> None:
        """Step each variable against its gradient.

        Parameters
        ----------
        pairs : iterable of (gradient, Variable)
            A gradient is a tensor, an array, a number, a :class:`RowGradient`, or None: None is no step at all for
            that variable; nothing moves, nothing decays, no time passes.

        Raises
        ------
        StructureError
            If every gradient is None, a variable is given twice, or a loaded state does not know one.
        ShapeError
            If a gradient has not its variable's shape.
        DtypeError
            If something else than pairs is given, or a variable holds whole numbers.

        Notes
        -----
        **Cost.** Slots are written in place, and so is a value that nobody else holds: no tensor, no array from
        ``.numpy()`` and no open tape. Where somebody does, the value is copied, and what they hold stays as it is.
        """
        recorded = open_records.recorder is not None
        ready = [(self._own_slots(w), fitting(g, w), w) for g, w in paired(pairs) if g is not None]
        if not ready:
            raise StructureError(
                "every gradient is None: no variable is connected to the loss. tape.explain(loss, variable) says why."
            )
        for slots, g, w in ready:  # all are looked at before the first one steps
            if recorded:
                self._record(w, g)
            elif self._frozen or w.constraint is not None:
                self._move_held(w, g, slots)
            else:
                self._last[id(w)] = (self._move_rows if type(g) is RowGradient else self._move)(w, g, slots)

    def _move(self, variable: Variable, g: Any, slots: Own) -> Any:
        """Step a variable, and give what was added, or a function that works it out."""
        w = variable._value
        delta = self._step(w, g, slots)
        variable._value = normal(w + delta)
        return delta

    def _move_rows(self, variable: Variable, g: RowGradient, slots: Own) -> Any:
        """Step the rows that have a gradient, if the method allows it; the others are not so much as read."""
        ids, dtype = g.ids, variable.dtype
        if not self._by_rows:
            return self._move(variable, np.asarray(g, dtype), slots)
        part = {name: x[ids] if type(x) is np.ndarray else x for name, x in slots.items()}
        rows = variable._value[ids]
        delta = self._step(rows, g.rows.astype(dtype, copy=False), part)
        for name, x in part.items():
            if type(x) is np.ndarray:
                slots[name][ids] = x
            else:
                slots[name] = x
        own_array(variable)[ids] = rows + delta
        return g._scaled(delta)

    def _move_held(self, variable: Variable, g: Any, slots: Own) -> None:
        """Step, then put back what a mask holds and a constraint forbids."""
        step = self._move_rows if type(g) is RowGradient else self._move
        mask = self._frozen.get(id(variable))
        before: Any = None if mask is None else variable._value  # held here, so that the step leaves it as it is
        if mask is None or not mask.any():
            self._last.pop(id(variable), None)  # it may hold the value, which would then be copied
            self._last[id(variable)] = projected(variable, step(variable, g, slots))
        elif mask.all():
            self._last[id(variable)] = None
        else:
            old = {name: np.array(x) for name, x in slots.items() if type(x) is np.ndarray}
            projected(variable, step(variable, g, slots))
            for name, x in old.items():
                np.copyto(slots[name], x, where=mask)
            variable._value = after = np.where(mask, before, variable._value)
            self._last[id(variable)] = after - before

    def _record(self, variable: Variable, g: Any) -> None:
        """A step of a compiled function that is being recorded: on stand-ins, so that nothing moves yet."""
        recorder = open_records.recorder
        mask = self._frozen.get(id(variable))
        before, old = variable._value, recorder.slots(self, variable)
        if mask is not None and mask.all():
            recorder.stepped(self, variable, old, before - before)
            return
        new = dict(old)
        after = before + self._step(before, g, new)
        if variable.constraint is not None:
            after = plain(variable.constraint(normal(after)))
        if mask is not None and mask.any():
            after = np.where(mask, before, after)
            new = {name: x if name == "t" else np.where(mask, old[name], x) for name, x in new.items()}
        variable._value = after = array(after, variable.dtype)
        recorder.stepped(self, variable, new, after - before)

    # ---------------------------------------------------------------------------------------------------------- slots
    def _slots_of(self, variable: Variable) -> Slots:
        if open_records.recorder is not None:
            recorded: Slots = open_records.recorder.slots(self, variable)
            return recorded
        known = self._state.get(id(variable))
        if known is None:
            known = self._state[id(variable)] = (variable, self._first_slots(variable))
        return known[1]

    def _own_slots(self, variable: Variable) -> Own:
        """Slots that may be written into."""
        known = self._state.get(id(variable))
        if known is not None and type(known[1]) is Own and open_records.recorder is None:
            return known[1]
        slots = self._slots_of(variable)
        if type(slots) is not Own:
            slots = Own({name: np.array(x, order="C") if type(x) is np.ndarray else x for name, x in slots.items()})
            if open_records.recorder is None:
                self._state[id(variable)] = (variable, slots)
        return slots

    def _first_slots(self, variable: Any) -> Own:
        """Those that a loaded state has for a variable, or fresh ones."""
        if not isinstance(variable, Variable):
            raise DtypeError(f"an optimizer keeps slots for variables, not for a {type(variable).__name__}")
        if variable.dtype.kind != "f":
            raise DtypeError(f"an optimizer moves variables of a floating dtype, not {variable.dtype}; write 1.0 for 1")
        if not self._pending:
            return Own(self._fresh(variable._value))
        key = checkpoint.keys([*(other for other, _ in self._state.values()), variable])[-1]
        found = self._pending.get(key)
        if found is None and self._strict:
            raise StructureError(
                f"the loaded state knows no variable {key!r}; it waits for {', '.join(map(repr, self._pending))}. "
                "Name variables as before, or step them in the same order, or load with strict=False."
            )
        slots = Own(self._fresh(variable._value)) if found is None else checkpoint.like(variable, key, found)
        self._pending.pop(key, None)
        return slots

    def slot_names(self) -> tuple[str, ...]:
        """Names of the slots that this optimizer keeps for a variable."""
        return self._slots

    def get_slot(self, variable: Variable, name: str) -> np.ndarray[Any, Any]:
        """A copy of one slot.

        Raises
        ------
        UnknownGradientError
            If the optimizer keeps no slot of that name; it is a LookupError and lists the names.
        """
        return np.array(self._slots_of(variable)[self._named(name)])

    def set_slot(self, variable: Variable, name: str, value: Any) -> None:
        """Put a value into a slot; it is copied and must have the slot's shape."""
        slots, key = self._own_slots(variable), self._named(name)
        old, new = slots[key], numbers(f"slot {name!r}", value)
        if new.shape != np.shape(old):
            raise ShapeError(f"slot {name!r} has shape {np.shape(old)}, the new value {new.shape}")
        self._last[id(variable)] = self._update(variable)  # it may have to be worked out from the slots
        if type(old) is np.ndarray:
            old[...] = new
        else:
            slots[key] = int(new) if key == "t" else normal(new.astype(variable.dtype))

    def _named(self, name: str) -> str:
        if text("a slot", name) not in self._slots:
            raise UnknownGradientError(
                f"{type(self).__name__} keeps no slot {name!r}; it keeps {', '.join(self._slots) or 'none'}"
            )
        return name

    def last_update(self, variable: Variable) -> np.ndarray[Any, Any]:
        """What the last step added to a variable; zeros where it has not stepped."""
        if not isinstance(variable, Variable):
            raise DtypeError(f"last_update is asked of a variable, not of {said(variable)}")
        return np.array(self._update(variable))

    def _update(self, variable: Variable) -> Any:
        last = self._last.get(id(variable))
        last = last() if callable(last) else last
        return zeros(plain(variable)) if last is None else last

    @contextmanager
    def frozen(self, masks: dict[Variable, Any]) -> Iterator[None]:
        """Hold elements still inside a block: value and slots, bit for bit.

        Parameters
        ----------
        masks : dict of Variable to array_like of bool
            True holds an element; True alone the whole variable, whose clock then stands still too.
        """
        if not isinstance(masks, dict):
            raise DtypeError(f"frozen takes a dict of variable to mask, not a {type(masks).__name__}")
        before = self._frozen
        new = dict(before)
        for variable, mask in masks.items():
            self._slots_of(variable)
            new[id(variable)] = mask_for(variable, mask)
        self._frozen = new
        try:
            yield
        finally:
            self._frozen = before

    # --------------------------------------------------------------------------------------------------------- saving
    def state_dict(self) -> dict[str, Any]:
        """Everything that the next step depends on but the variables: plain names, numbers and copies of arrays."""
        known = list(self._state.values())
        slots = {
            key: {name: np.array(kept[name]) for name in self._slots}
            for key, (_, kept) in zip(checkpoint.keys([variable for variable, _ in known]), known, strict=True)
        }
        waiting = {key: {name: np.array(x) for name, x in found.items()} for key, found in self._pending.items()}
        settings = {name: getattr(self, name) for name in self._settings}
        return {"kind": type(self).__name__, "settings": settings, "slots": slots | waiting}

    def load_state_dict(self, state: dict[str, Any], strict: bool = True) -> None:
        """Go on from a saved state: settings and slots.

        Parameters
        ----------
        state : dict
            From :meth:`state_dict`.
        strict : bool, optional
            Whether a variable that the state does not know is an error; else it begins anew.

        Raises
        ------
        StructureError
            If the state is another optimizer's, or is none. Nothing is changed then.
        ShapeError
            If a variable's slots have not its shape.

        Notes
        -----
        Variables are found by their names; those without one by their order among such, which is that of their first
        steps, and their shape. A variable that has not stepped yet gets its slots when it does.
        """
        settings, slots = checkpoint.checked(state, type(self).__name__, self._settings)
        names = self._slots_with(settings)
        for key, found in slots.items():
            if set(found) != set(names):
                raise StructureError(f"the state of {key!r} has slots {sorted(found)}, and needs {sorted(names)}")
        variables = [variable for variable, _ in self._state.values()]
        known = dict(zip(checkpoint.keys(variables), variables, strict=True))
        missing = [key for key in known if key not in slots]
        if missing and strict:
            raise StructureError(f"the state knows no variable {missing[0]!r}; it knows {', '.join(map(repr, slots))}")
        loaded = {key: checkpoint.like(variable, key, slots[key]) for key, variable in known.items() if key in slots}
        for name, value in settings.items():
            setattr(self, name, value)
        self._slots = names
        for key, variable in known.items():
            self._state[id(variable)] = (variable, loaded.get(key) or Own(self._fresh(variable._value)))
        self._last = {}
        self._pending = {key: found for key, found in slots.items() if key not in known}
        self._strict = strict

    def _slots_with(self, settings: dict[str, Any]) -> tuple[str, ...]:
        """Names of the slots under other settings."""
        return self._slots

    def save(self, path: str | PathLike[str]) -> None:
        """Write settings and slots into one file, which :meth:`load` reads.

        Parameters
        ----------
        path : str or path
            A NumPy archive; ``.npz`` is its usual ending. A file that stands there is replaced once the new one is
            complete.

        Raises
        ------
        StructureError
            If the file cannot be written.

        Notes
        -----
        Save the variables beside it (``module.save``): training that goes on from both gives the same bits as
        training that never stopped.
        """
        checkpoint.write(path, self.state_dict())

    def load(self, path: str | PathLike[str], strict: bool = True) -> None:
        """Go on from a file that :meth:`save` wrote.

        Parameters
        ----------
        path : str or path
        strict : bool, optional
            As in :meth:`load_state_dict`.

        Raises
        ------
        StructureError, ShapeError, DtypeError
            As in :meth:`load_state_dict`; also if the file is missing, damaged, or no optimizer's.
        """
        state = checkpoint.read(path)
        try:
            self.load_state_dict(state, strict)
        except AutodiffError as error:
            raise type(error)(f"{str(path)!r}: {error}") from error
