"""Memory planning: a location for every value of a plan.

Temporaries share one arena, where values with disjoint lifetimes overlap. Outputs have separate memory. New values
of variables and optimizer slots are written over the old ones where that is safe, and a kernel may write an output over
an input that is not read again.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff_kit.compile.node import VIEW_OPS, GraphNode, is_scalar, slice_from_bounds
from autodiff_kit.compile.passes.arena_offsets import CACHE_LINE, arena_size, pack_offsets
from autodiff_kit.compile.passes.fusion import FusionGroup, Schedule, ScheduledUnit
from autodiff_kit.compile.passes.vector_loop_partition import assign_loops
from autodiff_kit.compile.row_steps import set_rows
from autodiff_kit.compile.topological_order import view_base

__all__ = ["Array", "MemoryPlan", "insert_copies"]

Array = np.ndarray[Any, Any]


def strided_template(node: GraphNode) -> Array:
    """An array with a node's shape and contiguous strides over almost no memory, for computing strides and offsets."""
    strides = [node.dtype.itemsize] * node.ndim
    for k in range(node.ndim - 2, -1, -1):
        strides[k] = strides[k + 1] * max(node.shape[k + 1], 1)
    return np.lib.stride_tricks.as_strided(np.zeros(1, node.dtype), node.shape, strides)


def apply_view(array: Array, node: GraphNode) -> Array | None:
    """The NumPy view for a view node; None if it would need a copy."""
    if node.op == "reshape":
        return _reshaped(array, node.params)
    if node.op == "permute":
        return np.transpose(array, node.params)
    if node.op == "slice":
        return (
            array[tuple(map(slice_from_bounds, node.params))] if all(step > 0 for _, _, step in node.params) else None
        )
    return np.broadcast_to(array, node.params)


def _reshaped(array: Array, shape: tuple[int, ...]) -> Array | None:
    """The array reshaped without copying, or None: a copy would read memory that a template does not have."""
    if array.flags.c_contiguous:
        return np.reshape(array, shape)
    try:
        return np.reshape(array, shape, copy=False)
    except (ValueError, TypeError):  # NumPy 2.0, which some notebooks' services have, knows no copy=False
        return None


def insert_copies(nodes: list[GraphNode], contiguous: set[GraphNode]) -> list[GraphNode]:
    """Turn views that no strided array can express, and strided ones among ``contiguous``, into copies; give these."""
    found = []
    views: dict[GraphNode, Array | None] = {}
    for n in nodes:
        if n.op not in VIEW_OPS or is_scalar(n):
            continue
        a = n.args[0]
        inner = None if is_scalar(a) else views[a] if a.op in VIEW_OPS else strided_template(a)
        seen = views[n] = None if inner is None else apply_view(inner, n)
        if seen is None or (n in contiguous and not seen.flags.c_contiguous):
            n.params = GraphNode(n.op, n.args, n.params, n.shape, n.dtype)
            n.op = "copy"
            found.append(n)
    return found


class MemoryPlan:
    """The memory plan of a schedule.

    Parameters
    ----------
    units : list of ScheduledUnit
        In the order in which they run.
    unit_of : dict
        The unit of each node.
    outputs : list of GraphNode
        Results; each gets separate memory if a unit can write to it directly.
    states : dict of GraphNode to GraphNode
        New values that are written over an input: new value -> input.

    Attributes
    ----------
    arena_bytes, peak_live_bytes : int
        Size of the arena, and the largest number of bytes that are live at one time.
    locations : dict of GraphNode to tuple
        For each node with separate memory: ("out", k), ("state", input), or ("arena", offset).
    """

    def __init__(
        self,
        units: Schedule,
        unit_of: dict[GraphNode, ScheduledUnit],
        outputs: list[GraphNode],
        states: dict[GraphNode, GraphNode],
    ) -> None:
        self.units, self.unit_of = units, unit_of
        self.lifetimes: dict[GraphNode, tuple[int, int]] = {}
        self.reuses: dict[GraphNode, GraphNode] = {}  # node -> node in whose memory it is stored
        self._compute_lifetimes(outputs)
        self.locations: dict[GraphNode, tuple[str, Any]] = {new: ("state", old) for new, old in states.items()}
        for k, o in enumerate(outputs):
            r = view_base(o)
            if r in unit_of and r not in self.locations and not is_scalar(o) and _covers_storage(o):
                self.locations[r] = ("out", k)
        self._reuse_dying_inputs()
        self._protect_state_inputs(states)
        self._assign_offsets()
        self._views: dict[GraphNode, Array] = {}
        self.arena = _aligned_buffer(self.arena_bytes)

    def _compute_lifetimes(self, outputs: list[GraphNode]) -> None:
        """The first and last unit that accesses each value."""

        def touch(node: GraphNode, place: int) -> None:
            r = view_base(node)
            if r in self.unit_of and not is_scalar(r):
                low, high = self.lifetimes.get(r, (place, place))
                self.lifetimes[r] = (min(low, place), max(high, place))

        for u in self.units:
            for n in (*u.outputs, *u.inputs):
                touch(n, u.position)
        for o in outputs:
            touch(o, len(self.units))

    def memory_owner(self, node: GraphNode) -> GraphNode:
        """The node in whose memory this one is stored."""
        return self.reuses.get(node, node)

    def _reuse_dying_inputs(self) -> None:
        """Let kernels write their outputs over inputs that are not read again."""
        for u in self.units:
            if isinstance(u, FusionGroup):
                loop_of = assign_loops(u)
                for o in u.outputs:
                    if not is_scalar(o) and u.role(o) == "full":
                        self._reuse_input_for(u, o, loop_of)

    def _reuse_input_for(self, u: FusionGroup, o: GraphNode, loop_of: dict[GraphNode, int]) -> None:
        """Store ``o`` in the memory of an input that the kernel reads for the last time, if there is one."""
        home = self.locations.get(o)
        for a in u.inputs:
            if is_scalar(a) or a.shape != o.shape or a.dtype != o.dtype or a in u.overwrites:
                continue
            base = view_base(a) if _covers_storage(a) else a
            f = self.memory_owner(base)
            if home is not None:
                fits = home == ("state", a)
            else:
                fits = base in self.lifetimes and f not in self.locations and self.lifetimes[f][1] == u.position
            others = (b for b in u.inputs if b is not a and not is_scalar(b))
            if not fits or any(self.memory_owner(view_base(b)) is f for b in others):
                continue  # the same memory is also read through another view
            if any(a in n.args and loop_of[n] > loop_of[o] for n in u.nodes):
                continue  # read again after the output is written
            u.overwrites[a] = o
            if home is None:
                self.reuses[o] = f
                self.lifetimes[f] = (self.lifetimes[f][0], max(self.lifetimes[f][1], self.lifetimes[o][1]))
            return

    def _protect_state_inputs(self, states: dict[GraphNode, GraphNode]) -> None:
        """Do not write a new state over the old one in a unit that also reads the old one in another way."""
        for new, old in list(states.items()):
            u = self.unit_of[new]
            paired = u.overwrites.get(old) is new if isinstance(u, FusionGroup) else _sets_rows_of(new, old)
            if not paired and any(view_base(a) is old for a in u.inputs):
                del states[new], self.locations[new]

    def _assign_offsets(self) -> None:
        """Assign arena offsets; sets the size of the arena and the peak of live bytes."""
        own = [n for n in self.lifetimes if n not in self.locations and n not in self.reuses]
        sizes = [-(-n.size * n.dtype.itemsize // CACHE_LINE) * CACHE_LINE for n in own]
        lives = [self.lifetimes[n] for n in own]
        in_use = [0] * (len(self.units) + 2)
        for (low, high), size in zip(lives, sizes, strict=True):
            in_use[low] += size
            in_use[high + 1] -= size
        self.peak_live_bytes = int(np.cumsum(in_use).max())
        places = pack_offsets(sizes, lives)
        self.locations |= {n: ("arena", place) for n, place in zip(own, places, strict=True)}
        self.arena_bytes = arena_size(sizes, places)

    # ------------------------------------------------------------------------------------------------------------ views
    def buffer_of(self, node: GraphNode) -> tuple[str, Any]:
        """The buffer that holds a node: ("arena", None), ("const" or "input", node), ("out", k), ("state", input)."""
        r = self.memory_owner(view_base(node))
        home = self.locations.get(r)
        if home is None:
            return (r.op, r)
        return ("arena", None) if home[0] == "arena" else home

    def buffer_array(self, buffer: tuple[str, Any]) -> Array:
        """An array that stands for the whole memory of a buffer."""
        what, key = buffer
        if what == "arena":
            return self.arena
        return self.array_of(next(n for n, home in self.locations.items() if home == buffer) if what == "out" else key)

    def array_of(self, node: GraphNode) -> Array:
        """The array in the memory of a node."""
        if node not in self._views:
            self._views[node] = self._make_array(node)
        return self._views[node]

    def _make_array(self, node: GraphNode) -> Array:
        """Compute :meth:`array_of`."""
        if node.op in VIEW_OPS:
            return apply_view(self.array_of(node.args[0]), node)  # type: ignore[return-value]  # see insert_copies
        if node.op == "const":
            return np.ascontiguousarray(node.value).reshape(node.shape)
        if node in self.reuses:
            return self.array_of(self.reuses[node]).reshape(node.shape)
        what, key = self.locations.get(node, ("input", node))
        if what == "arena":
            size = node.size * node.dtype.itemsize
            return self.arena[key : key + size].view(node.dtype).reshape(node.shape)
        return self.array_of(key) if what == "state" else strided_template(node)


def _sets_rows_of(new: GraphNode, old: GraphNode) -> bool:
    """Whether a value is an input with some rows replaced, by others than its own."""
    if new.op != "call" or new.params.function is not set_rows:
        return False
    return new.args[0] is old and all(view_base(a) is not old for a in new.args[1:])


def _covers_storage(node: GraphNode) -> bool:
    """Whether a node shows all of its memory in order."""
    while node.op in VIEW_OPS:
        if node.op != "reshape":
            return False
        node = node.args[0]
    return True


def _aligned_buffer(size: int) -> Array:
    """Memory that begins at a cache line."""
    memory = np.zeros(size + CACHE_LINE, np.uint8)
    start = -memory.ctypes.data % CACHE_LINE
    return memory[start : start + size]
