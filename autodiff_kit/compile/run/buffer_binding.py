"""The memory outside of a plan's own: arguments, variables, slots of optimizers, and what is given away.

Each is shown to the plan as arrays under names of its function. Variables and slots are written over in place: the
array of a variable is the plan's own, and should somebody else hold it, or put another one in its place, the plan takes
a copy first, so that what others hold never changes. Slots are never given out.

What a plan gives away is used again once the caller has let go of it. Counting references tells whether anybody still
holds one; a tensor that a tape has seen is left to it. Two of each are enough for a caller who looks at one answer
while the next is computed.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any
from weakref import ref

import numpy as np

from autodiff_kit.compile.node import Node
from autodiff_kit.compile.trace.inputs import Field, Slot
from autodiff_kit.core.tensor import Tensor, make

__all__ = ["Answers", "Binder"]


class Binder:
    """Names of a plan's function that show memory from outside, and the lines that see whether they still do.

    Parameters
    ----------
    env : dict
        Globals of the function.
    bound, moved : dict
        What shows the memory of each base: names, and rows for ``point``.
    """

    def __init__(self, env: dict[str, Any], bound: dict[Any, list[Any]], moved: dict[Any, tuple[float, float]]) -> None:
        from autodiff_kit.kernels.native_calls import point

        self.env, self.bound, self.moved, self.point = env, bound, moved, point
        env |= {"rc": sys.getrefcount, "bind": self._bind, "bind_slots": self._bind_slots}
        self._sources: list[tuple[Node, Any, bool]] = []
        self._kept: dict[tuple[int, int], int] = {}
        self._slots: list[tuple[Any, Any, list[tuple[str, Node]]]] = []

    def _show(self, base: Any, array: Any) -> None:
        for name, shape, dtype, offset, strides in self.bound.get(base, ()):
            self.env[name] = np.ndarray(shape, dtype, array, offset, strides)
        if base in self.moved:
            self.point(*self.moved[base], id(array))

    # ------------------------------------------------------------------------------------------------------- arguments
    def argument(self, place: int, node: Node) -> str:
        """The line that shows an array of the caller's; ``take`` does so too, and remembers it weakly as ``seen``."""
        rows = self.moved.get(("input", node))

        def show(array: Any) -> None:
            if rows is not None:
                self.point(*rows, id(array))
            self.env[f"seen{place}"] = _nothing

        def take(array: Any) -> None:
            show(array)
            self.env[f"seen{place}"] = ref(array)

        self.env |= {f"show{place}": show, f"take{place}": take, f"seen{place}": _nothing}
        return f"show{place}(a{place})"

    # -------------------------------------------------------------------------------------------------------- variables
    def variable(self, node: Node, variable: Any, written: bool) -> str:
        """The line that looks whether a variable still has the array that is shown."""
        k = len(self._sources)
        self._sources.append((node, variable, written))
        self.env |= {f"W{k}": variable, f"A{k}": None, f"C{k}": 0}
        held = f" or rc(A{k}) != C{k}" if written else ""
        return f"if W{k}._value is not A{k}{held}: bind({k})"

    def _bind(self, k: int) -> None:
        node, variable, written = self._sources[k]
        self.env[f"A{k}"] = None
        array = variable._value
        if written or type(array) is not np.ndarray or not array.flags.c_contiguous or not array.flags.aligned:
            array = variable._value = np.array(array, order="C")
        self._show(("input", node), array)
        self._show(("state", node), array)
        self.env[f"A{k}"] = array
        del array
        self.env[f"C{k}"] = sys.getrefcount(self.env[f"A{k}"])

    # ------------------------------------------------------------------------------------------------ numbers and slots
    def number(self, node: Node, source: Field | Slot) -> tuple[list[str], str]:
        """Of a number that is held somewhere: the lines before it is read, and the expression for it."""
        if isinstance(source, Slot):
            name, lines = self.slots(source)
            return lines, f"{name}[{source.name!r}]"
        self.env[f"P{node.number}"] = source.owner
        return [], f"P{node.number}.{source.name}"

    def slots(self, source: Slot) -> tuple[str, list[str]]:
        """The name of a variable's slots, and the line that looks whether they are still those, where it is new."""
        key = (id(source.optimizer), id(source.variable))
        if key in self._kept:
            return f"D{self._kept[key]}", []
        k = self._kept[key] = len(self._slots)
        self._slots.append((source.optimizer, source.variable, []))
        self.env |= {f"T{k}": source.optimizer, f"I{k}": id(source.variable), f"E{k}": None, f"D{k}": None}
        return f"D{k}", [f"if T{k}._state.get(I{k}) is not E{k}: bind_slots({k})"]

    def slot(self, node: Node, source: Slot) -> list[str]:
        """Show the array of a slot; the lines that this takes."""
        _, lines = self.slots(source)
        k = self._kept[id(source.optimizer), id(source.variable)]
        self._slots[k][2].append((source.name, node))
        return lines

    def _bind_slots(self, k: int) -> None:
        optimizer, variable, names = self._slots[k]
        slots = optimizer._own_slots(variable)
        for name, node in names:
            if type(slots[name]) is not np.ndarray or not slots[name].flags.carray:
                slots[name] = np.array(slots[name], order="C")
            self._show(("input", node), slots[name])
            self._show(("state", node), slots[name])
        self.env |= {f"E{k}": optimizer._state[id(variable)], f"D{k}": slots}

    def answer(self, k: int, array: Any) -> None:
        """Show the memory of the k-th answer."""
        self._show(("out", k), array)


def _nothing() -> None:
    """What was seen before the first call."""


class Answers:
    """Names of a plan's function for what it gives away, and the lines that see whether they are free.

    Parameters
    ----------
    env : dict
        Globals of the function.
    show : callable
        Told the number and the array of an answer that is new.
    """

    def __init__(self, env: dict[str, Any], show: Callable[[int, Any], None]) -> None:
        self.env, self.show = env, show
        env |= {"rc": sys.getrefcount, "renew": self._renew}
        self._pairs: dict[int, list[list[Any]]] = {}
        self._like: dict[int, tuple[Any, bool]] = {}

    def array(self, k: int, like: Any, tensor: bool) -> tuple[str, str]:
        """Of an array with a node's shape and dtype: the line before it is written, and the expression for it."""
        self._note(k, like, tensor)
        clean = f"rc(Y{k}) != R{k} or Y{k}._node is not None or Y{k}.record is not None or " if tensor else ""
        return f"if {clean}rc(O{k}) != Q{k}: renew({k})", f"Y{k}" if tensor else f"O{k}.view()"

    def number(self, k: int, text: str) -> tuple[list[str], str]:
        """Of a tensor of one number: the lines when the number is known, and the expression for it."""
        self._note(k, None, True)
        line = f"if rc(Y{k}) != R{k} or Y{k}._node is not None or Y{k}.record is not None: renew({k})"
        return [line, f"Y{k}._value = {text}"], f"Y{k}"

    def _note(self, k: int, like: Any, tensor: bool) -> None:
        self._like[k], self._pairs[k] = (like, tensor), []

    def begin(self) -> None:
        """Make the first ones, when it is known what shows them."""
        for k in self._like:
            self._renew(k)

    def _renew(self, k: int) -> None:
        """What was given is the caller's now; the plan goes on with the other one, or with a new one."""
        (like, tensor), pairs = self._like[k], self._pairs[k]
        self.env |= {f"Y{k}": None, f"O{k}": None}
        place = next((place for place, pair in enumerate(pairs) if _free(pair)), None)
        found = _pair(like, tensor) if place is None else pairs.pop(place)
        pairs[:] = [found, *pairs[:1]]
        self.env |= {f"Y{k}": found[0], f"O{k}": found[1]}
        if found[1] is not None:
            found[1].flags.writeable = True  # whoever looked at it may have closed it
            self.show(k, found[1])
        self.env |= {f"R{k}": sys.getrefcount(found[0]), f"Q{k}": sys.getrefcount(found[1])}


def _pair(like: Any, tensor: bool) -> list[Any]:
    array = None if like is None else np.empty(like.shape, like.dtype)
    return [make(array) if tensor else None, array]


def _free(pair: list[Any]) -> bool:
    """Whether nobody but the pair holds what is in it."""
    clean = type(pair[0]) is not Tensor or (pair[0]._node is None and pair[0].record is None)
    held = 2 if type(pair[0]) is Tensor else 1  # the tensor holds the array too
    return clean and (
        (pair[0] is None or sys.getrefcount(pair[0]) == 2) and (pair[1] is None or sys.getrefcount(pair[1]) == held + 1)
    )
