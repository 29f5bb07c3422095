"""What all optimizers share: slots, freezing, saving."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from autodiff_kit.core.tape import GradientTape
from autodiff_kit.core.tensor import Tensor, Value, Variable, normal, plain
from autodiff_kit.errors import DtypeError, ShapeError, StructureError, UnknownGradientError
from autodiff_kit.optim.rows import RowGradient

__all__ = ["Optimizer", "Slots"]

Slots = dict[str, Any]
Pair = tuple[Any, Variable]


class Optimizer:
    """Steps variables against their gradients, and keeps slots between steps.

    A subclass gives :meth:`_fresh`, the slots that a variable begins with, and :meth:`_step`, which returns new slots
    and what is to be added to the value. Slots are never written to in place: a copy that somebody saved stays.
    """

    _slots: tuple[str, ...] = ()

    def __init__(self, learning_rate: float) -> None:
        self.learning_rate = _positive("learning_rate", learning_rate)
        self._state: dict[int, tuple[Variable, Slots]] = {}
        self._last: dict[int, Any] = {}
        self._frozen: dict[int, Any] = {}
        self._pending: dict[str, Slots] = {}

    # ------------------------------------------------------------------------------------------- what a subclass gives
    def _fresh(self, like: Any) -> Slots:
        raise NotImplementedError

    def _step(self, w: Any, g: Any, slots: Slots) -> tuple[Slots, Any]:
        raise NotImplementedError

    def _step_rows(self, w: Any, g: RowGradient, slots: Slots) -> tuple[Slots, Any]:
        return self._step(w, np.asarray(g), slots)

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
        list of (Tensor or None, Variable)
        """
        return self._value_and_pairs(loss_fn, variables)[1]

    def _value_and_pairs(self, loss_fn: Callable[[], Any], variables: Iterable[Variable]) -> tuple[Any, list[Pair]]:
        many = list(variables)
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
            If every gradient is None, or a variable is given twice.
        ShapeError
            If a gradient has not its variable's shape.
        """
        given = [(g, w) for g, w in pairs]
        for _, variable in given:
            if not isinstance(variable, Variable):
                raise DtypeError(
                    f"pairs are (gradient, variable), in this order; got a {type(variable).__name__} second"
                )
        if len({id(w) for _, w in given}) < len(given):
            raise StructureError("a variable is given twice; add its gradients and give it once")
        todo = [(g, w) for g, w in given if g is not None]
        if not todo:
            raise StructureError(
                "every gradient is None: no variable is connected to the loss. tape.explain(loss, variable) says why."
            )
        ready = [(_checked(g, w), w) for g, w in todo]  # all are looked at before the first one steps
        for g, w in ready:
            self._apply(g, w)

    def _apply(self, g: Any, variable: Variable) -> None:
        before, slots = variable._value, self._slots_of(variable)
        step = self._step_rows if isinstance(g, RowGradient) else self._step
        new, delta = step(before, g, slots)
        after = before + delta
        if variable.constraint is not None:
            after = plain(variable.constraint(normal(after)))
        mask = self._frozen.get(id(variable))
        if mask is not None:
            after, new = _held(mask, before, after), self._held_slots(mask, slots, new)
        after = normal(np.asarray(after, variable.dtype))
        self._last[id(variable)] = after - before if mask is not None or variable.constraint else delta
        variable._value = after
        self._state[id(variable)] = (variable, new)

    def _held_slots(self, mask: Any, old: Slots, new: Slots) -> Slots:
        whole = bool(np.all(mask))
        return {
            name: (old[name] if whole else value) if name == "t" else _held(mask, old[name], value)
            for name, value in new.items()
        }

    # ---------------------------------------------------------------------------------------------------------- slots
    def _slots_of(self, variable: Variable) -> Slots:
        known = self._state.get(id(variable))
        if known is None:
            key = self._key(variable, len(self._state))
            slots = self._pending.pop(key, None) or self._fresh(variable._value)
            known = self._state[id(variable)] = (variable, slots)
        return known[1]

    @staticmethod
    def _key(variable: Variable, place: int) -> str:
        return variable.name or f"variable {place}"

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
        slots, key = self._slots_of(variable), self._named(name)
        new = np.array(plain(value), dtype=np.asarray(slots[key]).dtype)
        if new.shape != np.shape(slots[key]):
            raise ShapeError(f"slot {name!r} has shape {np.shape(slots[key])}, the new value {new.shape}")
        self._state[id(variable)] = (variable, {**slots, key: _own(new)})

    def _named(self, name: str) -> str:
        if name not in self._slots:
            raise UnknownGradientError(
                f"{type(self).__name__} keeps no slot {name!r}; it keeps {', '.join(self._slots) or 'none'}"
            )
        return name

    def last_update(self, variable: Variable) -> np.ndarray[Any, Any]:
        """What the last step added to a variable; zeros where it has not stepped."""
        return np.array(self._last.get(id(variable), np.zeros(variable.shape, variable.dtype)))

    @contextmanager
    def frozen(self, masks: dict[Variable, Any]) -> Iterator[None]:
        """Hold elements still inside a block: value and slots, bit for bit.

        Parameters
        ----------
        masks : dict of Variable to array_like of bool
            True holds an element; True alone the whole variable, whose clock then stands still too.
        """
        before = self._frozen
        new = dict(before)
        for variable, mask in masks.items():
            shaped = np.asarray(plain(mask))
            if shaped.dtype != np.bool_:
                raise DtypeError(f"a mask is True where an element is held, got dtype {shaped.dtype}")
            try:
                new[id(variable)] = np.broadcast_to(shaped, variable.shape)
            except ValueError as error:
                raise ShapeError(
                    f"a mask of shape {shaped.shape} does not fit a variable of shape {variable.shape}"
                ) from error
            self._slots_of(variable)
        self._frozen = new
        try:
            yield
        finally:
            self._frozen = before

    # --------------------------------------------------------------------------------------------------------- saving
    def state_dict(self) -> dict[str, Any]:
        """Everything that the next step depends on, as plain names and arrays."""
        slots = {
            self._key(variable, k): {name: np.array(value) for name, value in slots.items()}
            for k, (variable, slots) in enumerate(self._state.values())
        }
        return {"kind": type(self).__name__, "slots": slots | {k: dict(s) for k, s in self._pending.items()}}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Go on from a saved state; variables are found by their name, or by the order of their first step.

        Raises
        ------
        StructureError
            If the state is another optimizer's.
        """
        if state.get("kind") != type(self).__name__:
            raise StructureError(f"this is the state of {state.get('kind')}, not of {type(self).__name__}")
        pending = {key: {n: _own(np.array(x)) for n, x in slots.items()} for key, slots in state["slots"].items()}
        for k, (variable, _) in enumerate(list(self._state.values())):
            found = pending.pop(self._key(variable, k), None)
            if found is not None:
                self._state[id(variable)] = (variable, found)
        self._pending = pending


def _own(value: Any) -> Any:
    return normal(value)


def _held(mask: Any, old: Any, new: Any) -> Any:
    return normal(np.where(mask, old, new)) if np.shape(new) == np.shape(mask) else new


def _positive(name: str, value: float) -> float:
    if not value >= 0:
        raise StructureError(f"{name} must not be below 0, got {value}")
    return value


def _checked(g: Any, variable: Variable) -> Any:
    if isinstance(g, RowGradient):
        if g.shape != variable.shape:
            raise ShapeError(
                f"the gradient is of a table {g.shape}, the variable {variable.name or ''} has {variable.shape}"
            )
        return g
    value = normal(plain(g) if isinstance(g, Value) else g)
    if np.shape(value) != variable.shape:
        raise ShapeError(
            f"the gradient has shape {np.shape(value)}, variable {variable.name or ''} {variable.shape}; "
            "a gradient has the shape of its variable"
        )
    kind = variable.dtype
    return value if type(value) is float and kind == np.float64 else normal(np.asarray(value, kind))
