"""The base class of gradient optimizers: slots, sparse row updates, frozen elements, constraints, checkpoints."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from os import PathLike
from typing import Any, ClassVar, Self

import numpy as np

from autodiff_kit.core.numpy_protocol import canonical
from autodiff_kit.core.record import open_records
from autodiff_kit.core.tape import GradientTape
from autodiff_kit.core.tensor import Tensor
from autodiff_kit.core.tracer import SymbolicValue, as_array, suspend_tracing
from autodiff_kit.core.validation import check_callable, check_text, describe
from autodiff_kit.core.variable import Variable
from autodiff_kit.errors import (
    ArgumentError,
    AutodiffError,
    ConcretizationError,
    DtypeError,
    ShapeError,
    StructureError,
    UnknownGradientError,
)
from autodiff_kit.ops.row_gradient import RowGradient
from autodiff_kit.optim import checkpoint
from autodiff_kit.optim.constraints import apply_constraint
from autodiff_kit.optim.inplace import HALF, OwnedSlots, Slots, add_to_value, in_step_precision, writable_array
from autodiff_kit.optim.validation import (
    gradient_for_variable,
    gradient_pairs,
    mask_for_variable,
    non_negative,
    real_array,
    variable_list,
)
from autodiff_kit.transforms.lost_gradients import warn_of_lost_gradients
from autodiff_kit.transforms.reverse_mode import collects_afterwards, last_gradient

__all__ = ["Optimizer"]

Pair = tuple[Any, Variable]
Settings = dict[str, Callable[[str, Any], Any]]

TURN = threading.RLock()
"""Held by a thread while it steps: threads may share optimizers and variables, and a step reads before it writes."""

_SETTINGS_ELSEWHERE = frozenset((
    "alpha", "amsgrad", "beta1", "beta2", "beta_1", "beta_2", "betas", "centered", "dampening", "decay", "eps",
    "epsilon", "initial_accumulator", "lazy", "lr", "momentum", "nesterov", "rho", "weight_decay",
))  # fmt: skip
"""Settings of another optimizer, or of another library: on one that has none of that name they would do nothing."""


class Optimizer:
    """Base class of optimizers: steps variables against their gradients, and keeps slots between steps.

    A subclass defines ``_initial_slots``, the slots of a variable before its first step, and ``_update``, which puts
    new values into the slots and returns what is added to the variable. ``_settings`` has a check for each setting,
    which may be set at any time.

    Notes
    -----
    Slots have the dtype of their variable. Those of a float16 variable are float32, and so is the arithmetic of its
    steps, because float16 holds neither the squares of common gradients nor an epsilon of 1e-8: it rounds both to 0,
    and the step would be 0/0. Only the update is rounded to float16.

    Copy and pickle an optimizer together with its variables, as in ``copy.deepcopy((model, optimizer))``: the slots of
    a copy belong to the variables that were copied with it.
    """

    _slots: tuple[str, ...] = ()
    _settings: ClassVar[Settings] = {"learning_rate": non_negative}
    _supports_row_updates = False

    def __init__(self, learning_rate: float) -> None:
        self.learning_rate = learning_rate
        self._state: dict[int, tuple[Variable, Slots]] = {}  # in the order of first steps
        self._last: dict[int, Any] = {}  # the last update: an array, a function that computes it, or None
        self._frozen: dict[int, Any] = {}
        self._pending: dict[str, checkpoint.SavedSlots] = {}  # loaded, of variables that have not stepped yet
        self._strict = True
        self._copied = False
        if open_records.trace is not None:
            open_records.trace.made.append(self)

    def __setattr__(self, name: str, value: Any) -> None:
        """Set an attribute; a setting is checked, and becomes a number of Python: NumPy's widen steps of float32."""
        if name in self._settings:
            if open_records.trace is not None and name in vars(self):
                raise ConcretizationError(
                    f"{type(self).__name__}.{name} is set inside a function that ak.compile traces, which would happen "
                    f"once, not at each call. Set it before the call; a new learning_rate needs no new trace."
                )
            value = self._settings[name](name, value[()] if isinstance(value, np.ndarray) else value)
        elif name in _SETTINGS_ELSEWHERE:
            raise ArgumentError(f"{type(self).__name__} has no setting {name!r}; it has {', '.join(self._settings)}")
        super().__setattr__(name, value)

    # ------------------------------------------------------------------------------------- what a subclass implements
    def _initial_slots(self, like: Any) -> Slots:
        """Slots of a variable before its first step; ``like`` is its value."""
        raise NotImplementedError

    def _update(self, w: Any, g: Any, slots: Slots) -> Any:
        """Change the slots in place, and return what is added to the value ``w`` for the gradient ``g``."""
        raise NotImplementedError

    # ------------------------------------------------------------------------------------------------------ gradients
    def compute_gradients(self, loss_fn: Callable[[], Any], variables: Iterable[Variable]) -> list[Pair]:
        """Gradients of a loss, as pairs that can be inspected or changed before :meth:`apply_gradients`.

        Parameters
        ----------
        loss_fn : callable
            Takes no arguments and returns the loss.
        variables : iterable of Variable

        Returns
        -------
        list of (Tensor, RowGradient or None, Variable)
        """
        return self._value_and_pairs(loss_fn, variables)[1]

    @collects_afterwards
    def _value_and_pairs(self, loss_fn: Callable[[], Any], variables: Iterable[Variable]) -> tuple[Any, list[Pair]]:
        several, loss_fn = variable_list(variables), check_callable("loss_fn", loss_fn)
        with GradientTape(persistent=True) as tape:
            loss = loss_fn()
        warn_of_lost_gradients(tape._record, several, loss)
        return loss, list(zip(last_gradient(tape, loss, several), several, strict=True))

    def minimize(self, loss_fn: Callable[[], Any], variables: Iterable[Variable]) -> Tensor:
        """One step: compute gradients and apply them; returns the loss before the step."""
        loss, pairs = self._value_and_pairs(loss_fn, variables)
        self.apply_gradients(pairs)
        out: Tensor = loss
        return out

    def apply_gradients(self, pairs: Iterable[Pair]) -> None:
        """Step each variable against its gradient.

        Parameters
        ----------
        pairs : iterable of (gradient, Variable)
            A gradient has the shape of its variable: a tensor, an array, a :class:`RowGradient`, or a number for a
            variable of shape (). None is no step for that variable: its value, its slots and its step count stay.

        Raises
        ------
        StructureError
            If every gradient is None, a variable occurs twice, or a loaded state does not have a variable.
        ShapeError
            If a gradient does not have the shape of its variable.
        DtypeError
            If the argument is not a list of pairs, or a variable has an integer dtype.

        Notes
        -----
        **Cost.** Slots are updated in place, and so is a value that has no other reference: no tensor, no array from
        ``.numpy()`` and no open tape. Otherwise the value is copied first, so that other references do not change.
        Steps of several threads run one after the other. While one thread steps a variable, no other may read it or
        take its ``.numpy()``.
        """
        with TURN:
            self._apply_gradients(pairs)

    def _apply_gradients(self, pairs: Iterable[Pair]) -> None:
        trace, known = open_records.trace, list(gradient_pairs(pairs))
        if self._pending:
            with suspend_tracing():
                self._take_loaded([w for _, w in known if id(w) not in self._state and w.dtype.kind == "f"])
        ready = [(self._own_slots(w), gradient_for_variable(g, w), w) for g, w in known if g is not None]
        if not ready:
            raise StructureError(
                "every gradient is None: no variable is connected to the loss. tape.explain(loss, variable) says why."
            )
        for _, g, w in ready:  # every pair is validated before the first one steps
            if isinstance(g, SymbolicValue):
                g.check_assignment(w)
        for slots, g, w in ready:
            if trace is not None:
                trace.optimizer_steps.record(self, w, g)
            elif self._frozen or w.constraint is not None:
                self._step_with_mask_or_constraint(w, g, slots)
            else:
                self._last[id(w)] = (self._step_rows if type(g) is RowGradient else self._step)(w, g, slots)

    def _compute_update(self, w: Any, g: Any, slots: Slots) -> Any:
        """What is added to a value, in its dtype."""
        if getattr(w, "dtype", None) != HALF:
            return self._update(w, g, slots)
        return as_array(self._update(in_step_precision(w), in_step_precision(g), slots), HALF)

    def _step(self, variable: Variable, g: Any, slots: OwnedSlots) -> Any:
        """Step a variable; returns what was added, or a function that computes it."""
        delta = self._compute_update(variable._value, g, slots)
        add_to_value(variable, delta)
        return delta

    def _step_rows(self, variable: Variable, g: RowGradient, slots: OwnedSlots) -> Any:
        """Step only the rows that have a gradient, if the method allows it."""
        ids, dtype = g.ids, variable.dtype
        if not self._supports_row_updates:
            return self._step(variable, np.asarray(g, dtype), slots)
        part = {name: x[ids] if type(x) is np.ndarray else x for name, x in slots.items()}
        rows = variable._value[ids]
        delta = self._compute_update(rows, g.rows.astype(dtype, copy=False), part)
        for name, x in part.items():
            if type(x) is np.ndarray:
                slots[name][ids] = x
            else:
                slots[name] = x
        writable_array(variable)[ids] = rows + delta
        return g._scaled(delta)

    def _step_with_mask_or_constraint(self, variable: Variable, g: Any, slots: OwnedSlots) -> None:
        """Step, then restore masked elements and apply the constraint."""
        step = self._step_rows if type(g) is RowGradient else self._step
        mask = self._frozen.get(id(variable))
        # A second reference, so that the step does not write into it.
        before: Any = None if mask is None and variable.constraint is None else variable._value
        if mask is None or not mask.any():
            self._last.pop(id(variable), None)  # it may refer to the value, which would then be copied
            self._last[id(variable)] = apply_constraint(variable, before, step(variable, g, slots))
        elif mask.all():
            self._last[id(variable)] = None
        else:
            old = {name: np.array(x) for name, x in slots.items() if type(x) is np.ndarray}
            apply_constraint(variable, before, step(variable, g, slots))
            for name, x in old.items():
                np.copyto(slots[name], x, where=mask)
            variable._value = after = np.where(mask, before, variable._value)
            self._last[id(variable)] = after - before

    # ---------------------------------------------------------------------------------------------------------- slots
    def _slots_of(self, variable: Variable) -> Slots:
        """Slots of a variable; inside a function that ``ak.compile`` traces, symbolic ones."""
        if open_records.trace is not None:
            return open_records.trace.optimizer_steps.slots(self, variable)  # type: ignore[no-any-return]
        known = self._state.get(id(variable))
        if known is None:
            known = self._state[id(variable)] = (variable, self._create_slots(variable))
        return known[1]

    def _own_slots(self, variable: Variable) -> OwnedSlots:
        """Slots that may be updated in place."""
        known = self._state.get(id(variable))
        if known is not None and type(known[1]) is OwnedSlots and open_records.trace is None:
            return known[1]
        slots = self._slots_of(variable)
        if type(slots) is not OwnedSlots:
            slots = _own_copies(slots)
            self._state[id(variable)] = (variable, slots)
        return slots

    def _new_slots(self, variable: Variable) -> OwnedSlots:
        return _own_copies(self._initial_slots(in_step_precision(variable._value)))

    def _create_slots(self, variable: Any) -> OwnedSlots:
        """Slots of a variable from a loaded state, or initial ones."""
        if not isinstance(variable, Variable):
            raise DtypeError(f"an optimizer needs variables, got a {type(variable).__name__}")
        if variable.dtype.kind != "f":
            raise DtypeError(
                f"an optimizer updates variables of a floating dtype, got {variable.dtype}; write 1.0 for 1"
            )
        if self._copied and self._slots and all(_references(kept) <= _SOLE_REFERENCE for kept in self._state.values()):
            raise StructureError(
                f"this {type(self).__name__} is a copy, and its slots belong to copies of variables that nothing else "
                "refers to: other variables would begin with new slots. Copy both together, as in "
                "copy.deepcopy((model, optimizer)), or load the state_dict() into a new optimizer."
            )
        if self._pending:
            self._take_loaded([variable])
            if id(variable) in self._state:
                return self._state[id(variable)][1]  # type: ignore[return-value]
            if self._strict:
                key = checkpoint.variable_keys([*self._stepped(), variable])[-1]
                raise StructureError(
                    f"the loaded state has no variable {key!r}; it has {', '.join(map(repr, self._pending))}. "
                    "Use the same names as before, or step variables in the same order, or load with strict=False."
                )
        return self._new_slots(variable)

    def _stepped(self) -> list[Variable]:
        """The variables that have slots, in the order of their first steps."""
        return [variable for variable, _ in self._state.values()]

    def _take_loaded(self, variables: list[Variable]) -> None:
        """Give the slots of a loaded state to new variables, as far as it has them."""
        for key, variable in checkpoint.match_variables(self._stepped(), variables, self._pending).items():
            kept = checkpoint.load_slots(variable, key, self._pending[key].slots)
            slots = self._new_slots(variable)
            slots.update({name: x for name, x in kept.items() if name in slots})  # a setting may have changed since
            self._state[id(variable)] = (variable, slots)
            del self._pending[key]

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
        self._refuse_while_traced("get_slot")
        return np.array(self._slots_of(variable)[self._slot_key(name)])

    def set_slot(self, variable: Variable, name: str, value: Any) -> None:
        """Set a slot to a copy of a value, which must have the shape of the slot."""
        self._refuse_while_traced("set_slot")
        slots, key = self._own_slots(variable), self._slot_key(name)
        old, new = slots[key], real_array(f"slot {name!r}", value)
        if new.shape != np.shape(old):
            raise ShapeError(f"slot {name!r} has shape {np.shape(old)}, the new value {new.shape}")
        self._last[id(variable)] = self._last_update_of(variable)  # it may have to be computed from the slots
        if type(old) is np.ndarray:
            old[...] = new
        else:
            slots[key] = int(new) if key == "t" else canonical(new.astype(np.asarray(old).dtype))

    def _refuse_while_traced(self, method: str) -> None:
        """Raise an error inside a function that ``ak.compile`` traces: its slots have no numbers yet."""
        if open_records.trace is not None:
            raise ConcretizationError(
                f"ak.compile runs this function once, so {type(self).__name__}.{method} would not run at each call. "
                "Use it outside, between calls of the compiled function."
            )

    def _slot_key(self, name: str) -> str:
        if check_text("a slot", name) not in self._slots:
            raise UnknownGradientError(
                f"{type(self).__name__} keeps no slot {name!r}; it keeps {', '.join(self._slots) or 'none'}"
            )
        return name

    def last_update(self, variable: Variable) -> np.ndarray[Any, Any]:
        """The last update of a variable: what the last step added to it; zeros before its first step."""
        if not isinstance(variable, Variable):
            raise DtypeError(f"last_update is asked of a variable, not of {describe(variable)}")
        self._refuse_while_traced("last_update")
        return np.array(self._last_update_of(variable))

    def _last_update_of(self, variable: Variable) -> Any:
        last = self._last.get(id(variable))
        last = last() if callable(last) else last
        return np.zeros(variable.shape, variable.dtype) if last is None else last

    @contextmanager
    def frozen(self, masks: dict[Variable, Any]) -> Iterator[None]:
        """Freeze elements of variables inside a ``with`` block: neither value nor slots change, bit for bit.

        Parameters
        ----------
        masks : dict of Variable to array_like of bool
            True freezes an element. A mask of all True freezes the whole variable, including its step count.
        """
        if not isinstance(masks, dict):
            raise DtypeError(f"frozen takes a dict of variable to mask, not a {type(masks).__name__}")
        before = self._frozen
        new = dict(before)
        for variable, mask in masks.items():
            self._slots_of(variable)
            new[id(variable)] = mask_for_variable(variable, mask)
        self._frozen = new
        try:
            yield
        finally:
            self._frozen = before

    # --------------------------------------------------------------------------------------------- copying and saving
    def __getstate__(self) -> dict[str, Any]:
        """For copies and pickles: what is kept by a variable's id, in the order of the variables."""
        self._refuse_while_traced("__getstate__ (of a copy or pickle)")
        stepped = list(self._state.values())
        return vars(self) | {
            "_state": stepped,
            "_last": [self._last_update_of(variable) for variable, _ in stepped],
            "_frozen": [self._frozen.get(id(variable)) for variable, _ in stepped],
        }

    def __copy__(self) -> Self:
        """A copy that steps the same variables, with slots of its own: steps write into slots."""
        state = self.__getstate__()
        state["_state"] = [(variable, _own_copies(slots)) for variable, slots in state["_state"]]
        twin = type(self).__new__(type(self))
        twin.__setstate__(state | {"_pending": dict(self._pending), "_frozen": [None] * len(self._state)})
        return twin

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Copies of variables have other ids. Copy an optimizer together with its variables: it follows those alone.

        If only the optimizer was copied, its slots belong to copies of variables that nothing else refers to. A step of
        other variables is then refused.
        """
        stepped, last, frozen = state["_state"], state["_last"], state["_frozen"]
        vars(self).update(state)
        ids = [id(variable) for variable, _ in stepped]
        self._copied = bool(ids)
        self._state = dict(zip(ids, stepped, strict=True))
        self._last = dict(zip(ids, last, strict=True))
        self._frozen = {key: mask for key, mask in zip(ids, frozen, strict=True) if mask is not None}

    def state_dict(self) -> dict[str, Any]:
        """The state of the optimizer without the variables: settings and copies of all slots."""
        self._refuse_while_traced("state_dict")
        stepped = dict(zip(checkpoint.variable_keys(self._stepped(), self._pending), self._state.values(), strict=True))
        slots = {key: {name: np.array(kept[name]) for name in self._slots} for key, (_, kept) in stepped.items()}
        values = {key: (variable.name, checkpoint.checksum(variable._value)) for key, (variable, _) in stepped.items()}
        for key, saved in self._pending.items():
            slots[key] = {name: np.array(x) for name, x in saved.slots.items()}
            values[key] = (saved.name, saved.value)  # type: ignore[assignment]
        settings = {name: getattr(self, name) for name in self._settings}
        return {"kind": type(self).__name__, "settings": settings, "slots": slots, "values": values}

    def load_state_dict(self, state: dict[str, Any], strict: bool = True) -> None:
        """Restore a saved state: settings and slots.

        Parameters
        ----------
        state : dict
            From :meth:`state_dict`.
        strict : bool, optional
            Whether a variable that is missing in the state is an error; otherwise it starts with initial slots.

        Raises
        ------
        StructureError
            If it is not a state, or of another class of optimizer. Nothing is changed then.
        ShapeError
            If the slots of a variable do not have its shape.

        Notes
        -----
        Variables are matched by name. Several of one name, such as the kernels of dense layers, and those without a
        name are told apart by the values that they had when the state was saved; where these were not restored, by
        the order of their first steps. A variable that has not stepped yet gets its slots at its first step, so load
        the values before that.
        """
        self._refuse_while_traced("load_state_dict")
        settings, slots = checkpoint.validate_state(state, type(self).__name__, tuple(self._settings))
        settings = {name: self._settings[name](name, value) for name, value in settings.items()}
        names = self._slots_with(settings)
        for key, saved in slots.items():
            if set(saved.slots) != set(names):
                raise StructureError(f"the state of {key!r} has slots {sorted(saved.slots)}, and needs {sorted(names)}")
        variables = self._stepped()
        found = checkpoint.match_variables([], variables, slots)
        matched = set(map(id, found.values()))
        keys = zip(checkpoint.variable_keys(variables), variables, strict=True)
        missing = [key for key, variable in keys if id(variable) not in matched]
        if missing and strict:
            raise StructureError(f"the state knows no variable {missing[0]!r}; it knows {', '.join(map(repr, slots))}")
        loaded = {
            id(variable): checkpoint.load_slots(variable, key, slots[key].slots) for key, variable in found.items()
        }
        for name, value in settings.items():
            setattr(self, name, value)
        self._slots = names
        for variable in variables:
            self._state[id(variable)] = (variable, loaded.get(id(variable)) or self._new_slots(variable))
        self._last = {}
        self._pending = {
            key: saved._replace(slots={name: np.array(x) for name, x in saved.slots.items()})
            for key, saved in slots.items()
            if key not in found
        }
        self._strict = strict

    def _slots_with(self, settings: dict[str, Any]) -> tuple[str, ...]:
        """Names of the slots that the optimizer keeps under other settings."""
        return self._slots

    def save(self, path: str | PathLike[str]) -> None:
        """Write settings and slots to a file, which :meth:`load` reads.

        Parameters
        ----------
        path : str or path
            File name, usually ending in ``.npz``. An existing file is replaced once the new one is complete.

        Raises
        ------
        FileError
            If the file cannot be written.

        Notes
        -----
        Save the variables too (``module.save``): training resumed from both files gives the same bits as training
        without interruption.
        """
        checkpoint.write_state(path, self.state_dict())

    def load(self, path: str | PathLike[str], strict: bool = True) -> None:
        """Restore settings and slots from a file that :meth:`save` wrote.

        Parameters
        ----------
        path : str or path
        strict : bool, optional
            As in :meth:`load_state_dict`.

        Raises
        ------
        FileError
            If the file is missing, or is no file of arrays.
        StructureError, ShapeError, DtypeError
            As in :meth:`load_state_dict`; also if the file is not a checkpoint of an optimizer.
        """
        state = checkpoint.read_state(path)
        try:
            self.load_state_dict(state, strict)
        except AutodiffError as error:
            raise type(error)(f"{str(path)!r}: {error}") from error


def _own_copies(slots: Slots) -> OwnedSlots:
    """Copies of slots, which have no other references."""
    return OwnedSlots({name: np.array(x, order="C") if type(x) is np.ndarray else x for name, x in slots.items()})


def _references(kept: tuple[Any, Any]) -> int:
    """The reference count of a variable that is kept with its slots."""
    return sys.getrefcount(kept[0])


_SOLE_REFERENCE = _references((object(), None))
"""Reference count of a variable that only its optimizer holds, as :func:`_references` sees it."""
