"""GradientTape: what is recorded, and how gradients are asked of it."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from autodiff_kit.core.backward import Cotangents, needed_for, sweep, through_hooks
from autodiff_kit.core.forward import push
from autodiff_kit.core.indexed_slices import RowGradient
from autodiff_kit.core.modes import turn_page
from autodiff_kit.core.operation import v
from autodiff_kit.core.pytree import flatten, pack_like
from autodiff_kit.core.record import Node, Reading, Record, members, open_records
from autodiff_kit.core.targets import check_unconnected, filled, handed, seed_like, target_of, weights_of
from autodiff_kit.core.tensor import Tensor, Value, Variable, follow_variable, lift, make, normal
from autodiff_kit.core.validation import flag, word
from autodiff_kit.diagnostics.tape_nodes import TapeNode, list_nodes, saved_bytes
from autodiff_kit.errors import DtypeError, OpenTapeError, StructureError, TapeError

__all__ = ["GradientTape", "Onlooker", "look_on", "tape_method"]


class Onlooker(Protocol):
    """Who looks at tapes, such as an inspector. Nobody does unless one is set; it must not raise."""

    def enters(self, tape: GradientTape) -> None:
        """A tape begins to record."""

    def closes(self, tape: GradientTape) -> None:
        """A tape has left its block."""

    def asked(self, tape: GradientTape, targets: list[Any], weights: list[Any], sources: list[Any]) -> None:
        """A tape is asked for derivatives of targets with respect to sources."""

    def lets_go(self, tape: GradientTape) -> None:
        """A tape is about to let go of its values."""


_onlooker: Onlooker | None = None


def look_on(onlooker: Onlooker | None) -> Onlooker | None:
    """Set who looks at tapes from here on; gives who did before."""
    global _onlooker
    before, _onlooker = _onlooker, onlooker
    return before


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
        self._persistent = flag("persistent", persistent)
        self._record = Record(automatic=flag("watch_accessed_variables", watch_accessed_variables))
        self._record.close()
        self._watched: list[Tensor] = []
        self._entered = False
        self._used = False
        self._warned = False

    # ------------------------------------------------------------------------------------------------------- recording
    def __enter__(self) -> GradientTape:
        if self._record in open_records.records:
            raise OpenTapeError("this tape is recording already; leave its block before entering it again")
        self._record.open()
        turn_page(self._record)
        open_records.records.append(self._record)
        self._entered = True
        if _onlooker is not None:
            _onlooker.enters(self)
        return self

    def __exit__(self, *_: object) -> None:
        self._record.close()
        open_records.records.remove(self._record)
        if _onlooker is not None:
            _onlooker.closes(self)

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
            if value.dtype.kind not in "fc":
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
        if self._record.page is None:
            raise TapeError("the tape is not recording, so there is nothing to stop")
        self._record.close()
        try:
            yield
        finally:
            if self._record in open_records.records:
                self._record.open()
                turn_page(self._record)

    def reset(self) -> None:
        """Forget everything that was recorded and watched."""
        old, new = self._record, Record(automatic=self._record.automatic)
        new.keep = old.keep
        if old.page is None:
            new.close()
        turn_page(new)
        if old in open_records.records:
            open_records.records[open_records.records.index(old)] = new
        old.close()  # values that live on belong to no tape any more
        old.release()
        old.forget()
        self._record, self._watched, self._used = new, [], False

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
        check_unconnected(unconnected_gradients)
        targets = list(map(self._goal, flatten(target)))
        weights = weights_of(target, targets, output_gradients)
        flat = flatten(sources)
        try:
            found = self._pull(targets, weights, flat, lead=0)
        finally:
            if not self._persistent:
                self._release()
        return pack_like(sources, filled(found, flat, unconnected_gradients))

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
        if _onlooker is not None:
            _onlooker.asked(self, targets, [None] * len(targets) if lead else weights, sources)
        graph = bool(open_records.records) and any(r.page is not None for r in open_records.records)
        tips, ends = [self._node_of(x) for x in targets], [self._node_of(x) for x in sources]
        leaves = self._leaves()
        if record.mixed:  # tapes side by side: what only another one follows is no source of this one
            own = {*leaves, *record.nodes}
            ends = [n if n in own else None for n in ends]
        starts = {n for n in ends if n is not None}
        inner = {n for n in starts if n.op is not None} or None
        needed = needed_for(record.nodes, starts) if inner or len(starts) < len(leaves) else None
        nodes = list(record.nodes) if graph else record.nodes
        with Cotangents(nodes, (*leaves, *starts, *tips)):
            for node, target, weight in zip(tips, targets, weights, strict=True):
                if node is not None:
                    seed = seed_like(target, weight, lead, graph)
                    node.cot = seed if node.cot is None else node.cot + seed
            sweep(nodes, lead=lead, graph=graph, needed=needed, keep=inner, hooks=record.hooks or None)
            if record.hooks:
                self._hook_leaves(leaves, lead)
            cots = [n.cot if n is not None else None for n in ends]
            if record.mixed:
                _sweep_up(nodes)
        return [handed(g, source) for g, source in zip(cots, sources, strict=True)]

    def _hook_leaves(self, leaves: list[Node], lead: int) -> None:
        """Hooks of sources; those of computed values had their turn in the sweep."""
        hooks = self._record.hooks
        made = set(self._record.nodes)
        for leaf in leaves:
            if leaf in hooks and leaf not in made and leaf.cot is not None:
                dense = leaf.cot.numpy() if type(leaf.cot) is RowGradient else leaf.cot
                leaf.cot = through_hooks(hooks[leaf], dense, leaf, lead)

    def _node_of(self, value: Any) -> Node | None:
        """The node of a value on this tape: None where the tape does not know it."""
        if type(value) is Variable or isinstance(value, Variable):
            hit = self._record.leaves.get(id(value))
            if hit is None:
                return None
            value = hit.first
        if type(value) is Tensor:
            return value if value.record is not None else value._node
        raise DtypeError(
            f"targets and sources are tensors or variables, not {type(value).__name__}; "
            "what left the record (a plain number or array) has no gradient"
        )

    def _goal(self, value: Any) -> Tensor:
        """A target as a tensor of this record; a variable that no operation read depends on itself all the same."""
        if type(value) is Tensor:
            return value
        if not isinstance(value, Variable):
            return target_of(value)
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
        tensors = [reading.first for reading in self._record.leaves.values()] + self._watched
        return [n for t in tensors if (n := t if t.record is not None else t._node) is not None]

    def _release(self) -> None:
        self._used = True
        record = self._record
        if _onlooker is not None:
            _onlooker.lets_go(self)
        record.release()
        if not record.arrays:
            return
        for key, (variable, first, latest) in record.leaves.items():
            value = variable._value
            if type(value) is np.ndarray and value.size > _LARGE:
                record.leaves[key] = Reading(variable, make(None, first.node), make(None, latest.node))

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
        check_unconnected(unconnected_gradients)
        word("mode", mode, "auto", "forward", "reverse")
        goal = self._goal(target)
        flat = flatten(sources)
        for source in flat:
            self._node_of(source)  # says so if it is neither a tensor nor a variable
        try:
            recorded = any(r.page is not None for r in open_records.records)  # a push leaves no record of its own
            columns = sum(s.size for s in flat)
            forward = mode == "forward" or (mode == "auto" and columns < goal.size and not recorded)
            found = [self._columns(goal, s, recorded) for s in flat] if forward else self._rows(goal, flat)
        finally:
            if not self._persistent:
                self._release()
        shapes = [goal.shape + s.shape for s in flat]
        return pack_like(sources, filled(found, flat, unconnected_gradients, shapes))

    def _rows(self, target: Any, sources: list[Any]) -> list[Tensor | None]:
        size = target.size
        eye = np.eye(size, dtype=target.dtype).reshape(size, *target.shape)
        rows = self._pull([target], [eye], sources, lead=1)
        return [None if g is None else g.reshape(target.shape + g.shape[1:]) for g in rows]

    def _columns(self, target: Any, source: Any, graph: bool) -> Tensor | None:
        start, end = self._node_of(source), self._node_of(target)
        if start is None or end is None:
            return None
        eye = np.eye(source.size, dtype=source.dtype).reshape(source.size, *source.shape)
        seeds = {start: lift(eye) if graph else eye}
        columns = push(list(self._record.nodes), seeds, 1, graph).get(end)
        if columns is None:
            return None
        moved = v.permute_dims(columns, axes=(*range(1 - columns.ndim, 0), -columns.ndim))
        found = moved.reshape(target.shape + source.shape)
        return found if type(found) is Tensor else make(normal(found))

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
        self._node_of(source)  # says so if it is neither a tensor nor a variable
        if goal.ndim == 0 or source.shape[:1] != goal.shape[:1]:
            raise StructureError(
                f"batch_jacobian needs one batch axis in both: target {goal.shape}, source {source.shape}"
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
    if TYPE_CHECKING:
        # Filled in by the modules above (see :func:`tape_method`); written here for readers and type checkers.
        explain: Callable[..., Any]
        cost: Callable[..., Any]
        table: Callable[..., Any]

    @property
    def nodes(self) -> tuple[TapeNode, ...]:
        """The recorded operations, in the order in which they ran; they outlive the arrays."""
        return list_nodes(self._record)

    @property
    def nbytes(self) -> int:
        """Bytes of the arrays and numbers that the record holds for the way back; an array held twice counts once."""
        return saved_bytes(self._record)


_LARGE = 1 << 14
"""Entries from which on a used tape lets go of a variable's reading too, so that an optimizer may write in place."""


def tape_method(name: str, function: Callable[..., Any]) -> None:
    """Make ``function`` a method of tapes: the seam that those who look at records fill."""
    setattr(GradientTape, name, function)


def _sweep_up(nodes: list[Node]) -> None:
    """Inputs that belong to other records may have received cotangents; they must not be found later."""
    for node in nodes:
        parts = node.parts
        for n in parts[: len(parts) // 2]:
            if n is not None:
                n.cot = None
