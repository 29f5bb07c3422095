"""GradientTape: what is recorded, and how gradients are asked of it."""

from __future__ import annotations

import warnings
from bisect import bisect_right
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from itertools import count
from typing import Any

import numpy as np

from autodiff_kit.core.forward import push
from autodiff_kit.core.nest import flatten, flatten_like, pack_like
from autodiff_kit.core.record import Like, Node, Reading, Record, members, open_records
from autodiff_kit.core.sweep import SCALAR, Cotangents, fit, needed_for, sweep
from autodiff_kit.core.tensor import Tensor, Value, Variable, follow_variable, lift, make, plain
from autodiff_kit.errors import DtypeError, StructureError, TapeError

__all__ = ["GradientTape", "TapeNode", "seed_like", "zeros_like"]


@dataclass(frozen=True)
class TapeNode:
    """One recorded operation, as ``tape.nodes`` gives it.

    Attributes
    ----------
    id : int
        Its place on the tape.
    op : str
        Name of the operation.
    inputs : tuple of int
        Ids of the nodes that it reads; a leaf (a source or a constant) has a negative id.
    shape, dtype : tuple of int, str
        Of the answer.
    cell, line, code : str, int, str
        File or cell, line, and name of the function that ran the operation.
    """

    id: int
    op: str
    inputs: tuple[int, ...]
    shape: tuple[int, ...]
    dtype: str
    cell: str
    line: int
    code: str


class GradientTape:
    """Record operations, then ask for derivatives.

    Parameters
    ----------
    persistent : bool, optional
        Whether more than one gradient may be asked. A tape that is not persistent lets go of its arrays after the
        first; what it can still tell is which operations ran, where, and on which shapes.
    watch_accessed_variables : bool, optional
        Whether trainable variables are followed as soon as they are read.

    Notes
    -----
    **Cost.** One reverse sweep costs two to four times the recorded operations; each operation on a scalar adds about
    a third of a microsecond while recording. The record holds only what the rules need.

    References
    ----------
    .. [1] Griewank and Walther, *Evaluating Derivatives*, 2nd ed., SIAM, 2008, ch. 3.

    Examples
    --------
    >>> w1, w2 = ak.Variable(5.0), ak.Variable(3.0)
    >>> with ak.GradientTape() as tape:
    ...     z = 3 * w1**2 + 2 * w1 * w2
    >>> [float(g) for g in tape.gradient(z, [w1, w2])]
    [36.0, 10.0]
    """

    def __init__(self, persistent: bool = False, watch_accessed_variables: bool = True) -> None:
        self._persistent = persistent
        self._record = Record(automatic=watch_accessed_variables)
        self._record.close()
        self._watched: list[Tensor] = []
        self._entered = False
        self._used = False
        self._warned = False

    # ------------------------------------------------------------------------------------------------------- recording
    def __enter__(self) -> GradientTape:
        if self._record in open_records.records:
            raise TapeError("this tape is recording already; leave its block before entering it again")
        self._record.open()
        open_records.records.append(self._record)
        self._entered = True
        return self

    def __exit__(self, *_: object) -> None:
        self._record.close()
        open_records.records.remove(self._record)

    def __del__(self) -> None:
        # Tensors that live on hold nodes, and nodes hold the record: it must not keep the arrays with it.
        record = getattr(self, "_record", None)
        if record is not None:
            record.close()
            record.release()
            record.forget()

    def watch(self, nest: Any) -> None:
        """Follow tensors or variables from here on.

        Parameters
        ----------
        nest : Tensor, Variable, or any nesting of lists, tuples and dicts of them

        Raises
        ------
        TapeError
            If the tape is not recording.
        DtypeError
            If something else than a tensor or a variable is given.

        Notes
        -----
        **Dtypes.** Floating; an integer has no derivative, which is said in a warning, and its gradient is None.
        """
        record = self._record
        if record not in open_records.records:
            raise TapeError("watch(x) works inside the tape's block: with GradientTape() as tape: tape.watch(x)")
        for value in flatten(nest):
            if not isinstance(value, Value):
                raise DtypeError(
                    f"a tape watches tensors and variables, not {type(value).__name__}; use ak.constant(x)"
                )
            if not np.issubdtype(value.dtype, np.inexact):
                warnings.warn(
                    f"watching a value of dtype {value.dtype}: whole numbers have no derivative, its gradient will be "
                    "None. Write 5.0 instead of 5, or ak.cast(x, 'float64').",
                    stacklevel=2,
                )
                continue
            self._follow(value)

    def _follow(self, value: Value) -> None:
        record = self._record
        if isinstance(value, Variable):
            follow_variable(value, record)
        elif isinstance(value, Tensor):
            value.follow(record)
            self._watched.append(value)

    @contextmanager
    def stop_recording(self) -> Iterator[None]:
        """Compute inside this block without being recorded."""
        record = self._record
        if record.page is None:
            raise TapeError("the tape is not recording, so there is nothing to stop")
        record.close()
        try:
            yield
        finally:
            record.open()

    def reset(self) -> None:
        """Forget everything that was recorded and watched."""
        self._record.release()
        self._record.forget()
        self._record.released = False
        self._watched = []
        self._used = False

    def watched_variables(self) -> tuple[Variable, ...]:
        """The variables that this tape follows, in the order of their first use."""
        record = self._record
        return tuple(
            reading.variable
            for reading in record.leaves.values()
            if (node := reading.first.node) is not None and record in members(node.record)
        )

    # ------------------------------------------------------------------------------------------------------- gradients
    def gradient(
        self,
        target: Any,
        sources: Any,
        output_gradients: Any = None,
        unconnected_gradients: str = "none",
    ) -> Any:
        """The gradient of the sum of all target elements with respect to each source.

        Parameters
        ----------
        target : Tensor, Variable, or nest
            What is differentiated. Not a scalar: the gradient of the sum of its elements; several: of all together.
        sources : Tensor, Variable, or nest
            With respect to what; intermediate values may be among them.
        output_gradients : nest, optional
            A weight for each target element, shaped like the targets; None stands for ones.
        unconnected_gradients : {"none", "zero"}
            What a source without a path to the target gets.

        Returns
        -------
        nest of Tensor or None
            In the structure of ``sources``.

        Raises
        ------
        TapeError
            If the tape has given its one set of gradients, or is still recording and not persistent.
        StructureError
            If ``output_gradients`` does not match the targets.

        Notes
        -----
        **Shapes.** Each gradient has its source's shape. **Dtypes.** And its dtype. **Cost.** One reverse sweep.

        Examples
        --------
        >>> x = ak.constant([1.0, 3.0])
        >>> with ak.GradientTape(persistent=True) as tape:
        ...     tape.watch(x)
        ...     y = x * x
        ...     z = y * y
        >>> tape.gradient(z, x).numpy(), tape.gradient(z, y).numpy()
        (array([  4., 108.]), array([ 2., 18.]))
        """
        self._ready()
        _check_unconnected(unconnected_gradients)
        targets = list(map(self._goal, flatten(target)))
        weights = _weights(target, targets, output_gradients)
        flat = flatten(sources)
        try:
            found = self._pull(targets, weights, flat, lead=0)
        finally:
            if not self._persistent:
                self._release()
        return pack_like(sources, _fill(found, flat, unconnected_gradients))

    def _ready(self) -> None:
        record = self._record
        if self._used and not self._persistent:
            raise TapeError(
                "this tape has given its gradients and let go of what it held. "
                "Use GradientTape(persistent=True) to ask more than once, or record again."
            )
        if not self._entered:
            raise TapeError("nothing was recorded: run the computation inside `with ak.GradientTape() as tape:`")
        if record.page is not None and self._persistent and not self._warned:
            self._warned = True
            warnings.warn(
                "gradient inside the tape's own block records the gradient's operations too, which is slower and "
                "holds more; ask after the block unless you want a gradient of it.",
                stacklevel=3,
            )

    def _pull(self, targets: list[Any], weights: list[Any], sources: list[Any], lead: int) -> list[Tensor | None]:
        """Cotangents of the sources; the sweep is recorded where another tape stands open."""
        record = self._record
        graph = bool(open_records.records) and any(r.page is not None for r in open_records.records)
        tips = list(map(self._node_of, targets))
        ends = list(map(self._node_of, sources))
        leaves = self._leaves()
        if record.mixed:  # tapes side by side: what only another one follows is no source of this one
            own = {*leaves, *record.nodes}
            ends = [n if n in own else None for n in ends]
        starts: set[Any] = set(ends)
        starts.discard(None)
        inner = None if starts.issubset(leaves) else {n for n in starts if n.op is not None}
        prune = bool(inner) or len(starts) < len(leaves)
        nodes = list(record.nodes) if graph else record.nodes
        needed = needed_for(nodes, starts) if prune else None
        with Cotangents(nodes, (*leaves, *starts, *tips)):
            for node, target, weight in zip(tips, targets, weights, strict=True):
                if node is not None:
                    seed = seed_like(target, weight, lead, graph)
                    node.cot = seed if node.cot is None else node.cot + seed
            sweep(nodes, lead=lead, graph=graph, needed=needed, keep=inner or None, hooks=record.hooks or None)
            cots = [n.cot if n is not None else None for n in ends]
            if record.mixed:
                _sweep_up(nodes)
        return [g if g is None or type(g) is Tensor else make(g) for g in cots]

    def _node_of(self, value: Any) -> Node | None:
        """The node of a value on this tape: None where the tape does not know it."""
        if type(value) is Tensor:
            return value if value.record is not None else value._node
        if isinstance(value, Variable):
            hit = self._record.leaves.get(id(value))
            return hit.first.node if hit is not None else None
        raise DtypeError(
            f"targets and sources are tensors or variables, not {type(value).__name__}; "
            "what left the record (a plain number or array) has no gradient"
        )

    def _goal(self, value: Any) -> Tensor:
        """A target as a tensor of this record; a variable that no operation read depends on itself all the same."""
        if type(value) is Tensor:
            return value
        if not isinstance(value, Variable):
            return _target(value)
        record = self._record
        hit = record.leaves.get(id(value))
        if hit is not None:
            latest: Tensor = hit.latest
            return latest
        tensor = make(value._value)
        if record.automatic and value.trainable:
            tensor.follow(record)
            record.leaves[id(value)] = Reading(value, tensor, tensor)
        return tensor

    def _leaves(self) -> list[Node]:
        firsts = [reading.first for reading in self._record.leaves.values()]
        return [n for t in (*firsts, *self._watched) if (n := t.node) is not None]

    def _release(self) -> None:
        self._used = True
        self._record.release()

    # ------------------------------------------------------------------------------------------------ whole Jacobians
    def jacobian(self, target: Any, sources: Any, unconnected_gradients: str = "none", mode: str = "auto") -> Any:
        """The Jacobian of one target with respect to each source, between any two values of the record.

        Parameters
        ----------
        target : Tensor or Variable
            Of shape ``(...)``.
        sources : Tensor, Variable, or nest
        unconnected_gradients : {"none", "zero"}
        mode : {"auto", "forward", "reverse"}
            Forward takes as many columns as the source has elements, reverse as many rows as the target has; "auto"
            takes the cheaper.

        Returns
        -------
        nest of Tensor or None
            Each of shape ``target.shape + source.shape``.

        Notes
        -----
        **Cost.** One pass over the record with a leading axis, not one pass for each element.

        Examples
        --------
        >>> x = ak.constant([1.0, 2.0, 3.0])
        >>> with ak.GradientTape() as tape:
        ...     tape.watch(x)
        ...     y = ak.sin(x) * ak.sum(x)
        >>> tape.jacobian(y, x).numpy()[0].round(6)
        array([4.083285, 0.841471, 0.841471])
        """
        self._ready()
        _check_unconnected(unconnected_gradients)
        if mode not in ("auto", "forward", "reverse"):
            raise StructureError(f'mode is "auto", "forward" or "reverse", not {mode!r}')
        goal = self._goal(target)
        flat = flatten(sources)
        try:
            recorded = any(r.page is not None for r in open_records.records)  # a push leaves no record of its own
            columns = sum(s.size for s in flat)
            forward = mode == "forward" or (mode == "auto" and columns < goal.size and not recorded)
            found = [self._columns(goal, s) for s in flat] if forward else self._rows(goal, flat)
        finally:
            if not self._persistent:
                self._release()
        shapes = [goal.shape + s.shape for s in flat]
        return pack_like(sources, _fill(found, flat, unconnected_gradients, shapes))

    def _rows(self, target: Any, sources: list[Any]) -> list[Tensor | None]:
        size = target.size
        eye = np.eye(size, dtype=target.dtype).reshape(size, *target.shape)
        rows = self._pull([target], [eye], sources, lead=1)
        return [None if g is None else g.reshape(target.shape + g.shape[1:]) for g in rows]

    def _columns(self, target: Any, source: Any) -> Tensor | None:
        start, end = self._node_of(source), self._node_of(target)
        if start is None or end is None:
            return None
        eye = np.eye(source.size, dtype=source.dtype).reshape(source.size, *source.shape)
        columns = push(self._record.nodes, {start: eye}, lead=1).get(end)
        if columns is None:
            return None
        return make(np.moveaxis(columns, 0, -1).reshape(target.shape + source.shape))

    def batch_jacobian(self, target: Any, source: Any) -> Tensor | None:
        """The Jacobian of each row of the target with respect to the same row of the source.

        Parameters
        ----------
        target, source : Tensor
            With the same first axis, ``(b, ...)``; row i of the target depends on row i of the source only.

        Returns
        -------
        Tensor or None
            Of shape ``(b, *target.shape[1:], *source.shape[1:])``.

        Notes
        -----
        **Cost.** One pass with as many leading entries as a row of the target has elements.
        """
        self._ready()
        goal = self._goal(target)
        if goal.ndim == 0 or np.shape(plain(source))[:1] != goal.shape[:1]:
            raise StructureError(
                f"batch_jacobian needs one batch axis in both: target {goal.shape}, source {np.shape(plain(source))}"
            )
        row = goal.shape[1:]
        size = int(np.prod(row))
        eye = np.eye(size, dtype=goal.dtype).reshape(size, 1, *row)
        seed = np.broadcast_to(eye, (size, *goal.shape))
        try:
            (g,) = self._pull([goal], [seed], [source], lead=1)
        finally:
            if not self._persistent:
                self._release()
        if g is None:
            return None
        batch = g.shape[1]
        return g.swapaxes(0, 1).reshape((batch, *row, *g.shape[2:]))

    # ---------------------------------------------------------------------------------------------------------- looking
    @property
    def nodes(self) -> tuple[TapeNode, ...]:
        """The recorded operations, in the order in which they ran; they outlive the arrays."""
        ids: dict[Node, int] = {node: k for k, node in enumerate(self._record.nodes)}
        leaves = count(-1, -1)
        for node in self._record.nodes:
            for n in node.inputs:
                if n is not None and n not in ids:
                    ids[n] = next(leaves)
        return tuple(_tape_node(node, k, ids) for k, node in enumerate(self._record.nodes))

    @property
    def nbytes(self) -> int:
        """Bytes of the arrays and numbers that the record holds for the way back; an array held twice counts once."""
        if self._record.released:
            return 0
        held = {id(v): v for node in self._record.nodes for v in _held(node)}
        return sum(8 if type(v) in (float, int) else v.nbytes for v in held.values())


def _tape_node(node: Node, place: int, ids: dict[Node, int]) -> TapeNode:
    like = node.like or SCALAR
    cell, line, code = where(node)
    inputs = tuple(ids[n] for n in node.inputs if n is not None)
    return TapeNode(place, node.op.name, inputs, like.shape, str(like.dtype), cell, line, code)


def where(node: Node) -> tuple[str, int, str]:
    """File or cell, line and function of a node, worked out from the code object and the instruction."""
    if node.code is None:
        return "", 0, ""
    starts, lines = _lines(node.code)
    return node.code.co_filename, lines[bisect_right(starts, node.lasti) - 1], node.code.co_name


@lru_cache(maxsize=256)
def _lines(code: Any) -> tuple[list[int], list[int]]:
    """Where each run of instructions of a code object begins, and its line."""
    runs = [(start, line or code.co_firstlineno) for start, _, line in code.co_lines()]
    return [start for start, _ in runs], [line for _, line in runs]


def _held(node: Node) -> list[Any]:
    """What a node holds for the way back; of numbers, which are kept in any case, those that its rules use."""
    if node.saved is None:
        return []
    holds = node.op.holds(tuple(n is not None for n in node.inputs))
    return [v for v, used in zip(node.saved, holds, strict=True) if used and type(v) is not Like]


def _sweep_up(nodes: list[Node]) -> None:
    """Inputs that belong to other records may have received cotangents; they must not be found later."""
    for node in nodes:
        for n in node.inputs:
            if n is not None:
                n.cot = None


def _target(value: Any) -> Tensor:
    if isinstance(value, Tensor):
        return value
    raise DtypeError(
        f"the target is a {type(value).__name__}, which is not on any record. Compute it inside the tape's block, and "
        "do not convert it to a plain number or array before."
    )


def _weights(nest: Any, targets: list[Any], given: Any) -> list[Any]:
    """A weight for each target, None where ones are meant."""
    if given is None:
        return [None] * len(targets)
    try:
        flat = flatten_like(nest, given)
    except StructureError as error:
        raise StructureError(f"output_gradients must have the structure of the targets: {error}") from None
    flat = [np.asarray(w, float) if isinstance(w, (list, tuple)) else w for w in flat]
    for k, (target, weight) in enumerate(zip(targets, flat, strict=True)):
        if weight is not None and np.shape(plain(weight)) != target.shape:
            raise StructureError(
                f"output_gradients of target {k} has shape {np.shape(plain(weight))}, the target {target.shape}"
            )
    return flat


def seed_like(target: Any, weight: Any, lead: int, graph: bool) -> Any:
    """The cotangent that a target starts from: its weights, or ones."""
    like = None if type(target._value) is float else Like(target.shape, target.dtype)
    if weight is None and like is None:
        return lift(1.0) if graph else 1.0
    if weight is None:
        weight = np.ones(target.shape, target.dtype)
    seed = fit(weight if graph else plain(weight), like, lead)
    return lift(seed) if graph and type(seed) is not Tensor else seed


def zeros_like(value: Any, shape: tuple[int, ...] | None = None) -> Tensor:
    """Zeros in a value's shape, or another, and its dtype."""
    zeros = np.zeros(value.shape if shape is None else shape, value.dtype)
    return make(0.0 if zeros.ndim == 0 and zeros.dtype == np.float64 else zeros)


def _fill(
    found: list[Tensor | None], sources: list[Any], policy: str, shapes: list[tuple[int, ...]] | None = None
) -> list[Tensor | None]:
    if policy == "none":
        return found
    wanted = shapes or [s.shape for s in sources]
    return [zeros_like(s, shape) if g is None else g for g, s, shape in zip(found, sources, wanted, strict=True)]


def _check_unconnected(policy: str) -> None:
    if policy not in ("none", "zero"):
        raise StructureError(f'unconnected_gradients is "none" or "zero", not {policy!r}')
