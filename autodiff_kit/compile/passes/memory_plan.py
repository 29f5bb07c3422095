"""Where every value lives: one piece of memory for all that is short-lived, each value in it while it is needed.

What a plan gives away has memory of its own, and so have the arrays of variables and slots, which are written over. A
value may be written over another one that ends in the same kernel.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np

from autodiff_kit.compile.node import VIEWS, Node, kind, scalar, slice_of
from autodiff_kit.compile.passes.arena import LINE, packed
from autodiff_kit.compile.passes.fusion import Group, Unit, Units
from autodiff_kit.compile.topological_order import root

__all__ = ["Array", "Store", "copied"]

Array = np.ndarray[Any, Any]


def like(node: Node) -> Array:
    """An array of a node's shape that takes no memory: to ask for strides and offsets."""
    strides = [node.dtype.itemsize] * node.ndim
    for k in range(node.ndim - 2, -1, -1):
        strides[k] = strides[k + 1] * max(node.shape[k + 1], 1)
    return np.lib.stride_tricks.as_strided(np.zeros(1, node.dtype), node.shape, strides)


def looked(array: Array, node: Node) -> Array | None:
    """What a view shows of an array; None where it would have to be copied."""
    if node.op == "reshape":
        return _reshaped(array, node.kw)
    if node.op == "permute":
        return np.transpose(array, node.kw)
    if node.op == "slice":
        return array[tuple(map(slice_of, node.kw))] if all(step > 0 for _, _, step in node.kw) else None
    return np.broadcast_to(array, node.kw)


def _reshaped(array: Array, shape: tuple[int, ...]) -> Array | None:
    try:
        return np.reshape(array, shape, copy=False)
    except ValueError:
        return None


def copied(nodes: list[Node]) -> list[Node]:
    """Turn views that memory cannot show into copies, and give them back; what is one number repeated is filled in."""
    found = []
    shown: dict[Node, Array | None] = {}
    for n in nodes:
        if n.op not in VIEWS or scalar(n):
            continue
        a = n.args[0]
        inner = None if scalar(a) else shown[a] if a.op in VIEWS else like(a)
        seen = shown[n] = None if inner is None else looked(inner, n)
        if seen is None:
            n.kw = Node(n.op, n.args, n.kw, n.shape, n.dtype)
            n.op = "copy"
            found.append(n)
    return found


class Store:
    """Memory of a plan.

    Parameters
    ----------
    units : list of Unit
        In the order in which they run.
    unit : dict
        The unit of each node.
    outputs : list of Node
        What is given away; each gets memory of its own where a unit can write to it.
    states : dict of Node to Node
        What is written over an input: the new value -> the input.
    loops : callable
        ``loops(group)``: the loop in which each node of a kernel is computed.

    Attributes
    ----------
    peak, need : int
        Bytes of the shared memory, and the most that is in use at one moment.
    homes : dict of Node to tuple
        Of each node with memory of its own: ("out", k), ("state", input), or ("arena", offset).
    """

    def __init__(
        self, units: Units, unit: dict[Node, Unit], outputs: list[Node], states: dict[Node, Node],
        loops: Callable[[Group], dict[Node, int]],
    ) -> None:  # fmt: skip
        self.units, self.unit, self.loops = units, unit, loops
        self.life: dict[Node, tuple[int, int]] = {}
        self.over: dict[Node, Node] = {}  # written over
        self._live(outputs)
        self.homes: dict[Node, tuple[str, Any]] = {new: ("state", old) for new, old in states.items()}
        for k, o in enumerate(outputs):
            r = root(o)
            if r in unit and r not in self.homes and not scalar(o) and _whole(o):
                self.homes[r] = ("out", k)
        self.parts: dict[Node, tuple[Node, int | None]] = {}  # what is written into something else, and from where on
        self._join(outputs)
        self._write_over()
        self._keep_apart(states)
        self._pack()
        self._views: dict[Node, Array | None] = {}
        self.arena = _aligned(self.peak)

    def _live(self, outputs: list[Node]) -> None:
        def touch(node: Node, place: int) -> None:
            r = root(node)
            if r in self.unit and not scalar(r):
                low, high = self.life.get(r, (place, place))
                self.life[r] = (min(low, place), max(high, place))

        for u in self.units:
            for n in (*u.outs, *u.ext):
                touch(n, u.place)
        for o in outputs:
            touch(o, len(self.units))

    def final(self, node: Node) -> Node:
        """The node whose memory this one is written to."""
        while node in self.over or node in self.parts:
            node = self.over[node] if node in self.over else self.parts[node][0]
        return node

    def _join(self, outputs: list[Node]) -> None:
        """Let units write pieces into the array that they are to be joined to, and what is copied into its copy."""
        viewed = {root(a) for u in self.units for a in u.ext if a.op in VIEWS} | {root(o) for o in outputs}
        readers = Counter(root(a) for u in self.units for a in u.ext)
        for u in self.units:
            n = u.nodes[0]
            if self.homes.get(n, ("",))[0] == "state":  # the old value may still be read
                continue
            if n.op == "concat":
                once, start = Counter(n.args), 0
                for p in n.args:
                    if once[p] == 1 and self._fits_in(p, n) and (n.kw == 0 or p not in viewed):
                        self.parts[p] = (n, start)
                    start += p.shape[n.kw]
            elif n.op == "copy" and readers[root(n.args[0])] == 1 and self._is_copied_whole(n):
                self.parts[root(n.args[0])] = (n, None)
        for p in self.parts:
            f = self.final(p)
            self.life[f] = (min(self.life[f][0], self.life[p][0]), max(self.life[f][1], self.life[p][1]))
        self.wholes = {n for n, _ in self.parts.values()}

    def _fits_in(self, p: Node, n: Node) -> bool:
        """Whether a piece can be written into what it is joined to from the beginning."""
        u = self.unit.get(p)
        if u is None or scalar(p) or p.dtype != n.dtype or p in self.parts or p in self.homes:
            return False
        return kind(p, u.domain) == "full" if isinstance(u, Group) else n.kw == 0 and p.op in ("matmul", "concat")

    def _is_copied_whole(self, n: Node) -> bool:
        """Whether a copy is all of a product, in another order."""
        p = root(n.args[0])
        free = p.op == "matmul" and p not in self.parts and p not in self.homes and not scalar(p)
        return free and self.life[p][1] == self.unit[n].place and self._within(like(n), n) is not None

    def _within(self, array: Array, n: Node) -> Array | None:
        """What a copy shows, in the place of the copy; None where it shows something else besides."""
        view: Node = n.kw
        found: Array | None = array
        while view.op in VIEWS and found is not None:
            if view.op == "permute":
                found = np.transpose(found, np.argsort(view.kw))
            else:
                found = _reshaped(found, view.args[0].shape) if view.op == "reshape" else None
            view = view.args[0]
        return found

    def _write_over(self) -> None:
        for u in self.units:
            if isinstance(u, Group):
                for o in u.outs:
                    if not scalar(o) and kind(o, u.domain) == "full":
                        self._write_one(u, o)

    def _write_one(self, u: Group, o: Node) -> None:
        """Let ``o`` take the place of something that the kernel reads for the last time."""
        home = self.homes.get(o)
        for a in u.ext:
            if scalar(a) or a.shape != o.shape or a.dtype != o.dtype or a in u.pairs:
                continue
            if o in self.parts or a in self.parts or self.final(a) in self.wholes:
                continue
            if home is not None:
                fits = home == ("state", a)
            else:
                dying = a in self.life and self.life[self.final(a)][1] == u.place and a not in self.homes
                fits = dying and self.final(a) not in self.homes
            if not fits or any(b is not a and not scalar(b) and self.final(root(b)) is self.final(a) for b in u.ext):
                continue  # a second way to the same memory
            loop = self.loops(u)
            if any(a in n.args and loop[n] > loop[o] for n in u.nodes):
                continue  # still to be read after it is overwritten
            u.pairs[a] = o
            if home is None:
                f = self.over[o] = self.final(a)  # the first of a long row, so that nobody has to walk along it
                self.life[f] = (self.life[f][0], max(self.life[f][1], self.life[o][1]))
            return

    def _keep_apart(self, states: dict[Node, Node]) -> None:
        """A unit that still reads an old value, and not in the one way that is safe, does not write over it."""
        for new, old in list(states.items()):
            u = self.unit[new]
            paired = isinstance(u, Group) and u.pairs.get(old) is new
            if not paired and any(root(a) is old for a in u.ext):
                del states[new], self.homes[new]

    def _pack(self) -> None:
        """A place for each value that is free while it lives; how much that takes, and how much is needed at once."""
        own = [n for n in self.life if n not in self.homes and n not in self.over and n not in self.parts]
        sizes = [-(-n.size * n.dtype.itemsize // LINE) * LINE for n in own]
        lives = [self.life[n] for n in own]
        in_use = [0] * (len(self.units) + 2)
        for (low, high), size in zip(lives, sizes, strict=True):
            in_use[low] += size
            in_use[high + 1] -= size
        self.need = int(np.cumsum(in_use).max())
        places = packed(sizes, lives)
        self.homes |= {n: ("arena", place) for n, place in zip(own, places, strict=True)}
        self.peak = max((place + size for place, size in zip(places, sizes, strict=True)), default=0)

    # ------------------------------------------------------------------------------------------------------------ views
    def base(self, node: Node) -> tuple[str, Any]:
        """Whose memory a node is in: ("arena", None), ("const" or "input", node), ("out", k), ("state", input)."""
        r = self.final(root(node))
        home = self.homes.get(r)
        if home is None:
            return (r.op, r)
        return ("arena", None) if home[0] == "arena" else home

    def whole(self, base: tuple[str, Any]) -> Array:
        """An array that stands for all the memory of a base."""
        what, key = base
        if what == "arena":
            return self.arena
        if what == "const":
            return self.at(key)  # type: ignore[return-value]
        node = key
        if what == "out":
            node = next(n for n, home in self.homes.items() if home == base)
        view = self._views.get(node)
        if view is None:
            view = self._views[node] = like(node)
        return view

    def at(self, node: Node) -> Array | None:
        """An array in a node's memory; None for a view that cannot be had without copying."""
        if node not in self._views:
            self._views[node] = self._found(node)
        return self._views[node]

    def _found(self, node: Node) -> Array | None:
        if node.op in VIEWS:
            inner = self.at(node.args[0])
            return None if inner is None else looked(inner, node)
        if node.op == "const":
            return np.ascontiguousarray(node.value).reshape(node.shape)
        if node in self.parts:
            whole, start = self.parts[node]
            if start is None:
                return self._within(self.at(whole), whole)  # type: ignore[arg-type]  # it has memory of its own
            index = [slice(None)] * node.ndim
            index[whole.kw] = slice(start, start + node.shape[whole.kw])
            inner = self.at(whole)
            return None if inner is None else inner[tuple(index)]
        final = self.final(node)
        if final is not node:
            found = self.at(final)
            return None if found is None else found.reshape(node.shape)
        what, key = self.homes.get(node, ("input", node))
        if what == "arena":
            size = node.size * node.dtype.itemsize
            return self.arena[key : key + size].view(node.dtype).reshape(node.shape)
        return self.whole((what, key)).reshape(node.shape)


def _whole(node: Node) -> bool:
    """Whether a node is all of its memory, in order."""
    while node.op in VIEWS:
        if node.op != "reshape":
            return False
        node = node.args[0]
    return True


def _aligned(size: int) -> Array:
    memory = np.zeros(size + LINE, np.uint8)
    start = -memory.ctypes.data % LINE
    return memory[start : start + size]
