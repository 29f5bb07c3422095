"""GradientTape: record operations inside a block, then compute gradients by a backward pass over the record."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from autodiff_kit.core import gradient_request
from autodiff_kit.core.backward import backward, reachable
from autodiff_kit.core.cotangent_scope import CotangentScope
from autodiff_kit.core.fast_backward import fast_backward
from autodiff_kit.core.hooks import apply_leaf_hooks
from autodiff_kit.core.modes import modes
from autodiff_kit.core.record import Node, open_records
from autodiff_kit.core.recording import Recording
from autodiff_kit.core.tape_observer import observers
from autodiff_kit.core.tensor import Tensor, wrap
from autodiff_kit.core.validation import check_choice, check_flag
from autodiff_kit.core.variable import Variable, VariableReading, watches_by_itself
from autodiff_kit.errors import DtypeError, TapeError
from autodiff_kit.pytree import flatten, unflatten_like

__all__ = ["GradientTape", "add_tape_method"]


class GradientTape(Recording):
    """Record operations, then compute derivatives.

    Parameters
    ----------
    persistent : bool, optional
        Whether more than one gradient may be computed. A tape that is not persistent releases its arrays after the
        first; it still knows the operations, their lines and their shapes.
    watch_accessed_variables : bool, optional
        Whether trainable variables are watched as soon as they are read.

    Notes
    -----
    **Cost.** A backward pass costs two to four times the recorded operations; recording adds about a third of a
    microsecond to each operation on a scalar. The record holds only the values that the rules need.

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
        super().__init__(watch_accessed_variables)
        self._persistent = check_flag("persistent", persistent)
        self._used = False
        self._warned = False

    def reset(self) -> None:
        """Drop everything that was recorded and watched."""
        super().reset()
        self._used = False

    def gradient(
        self, target: Any, sources: Any, output_gradients: Any = None, unconnected_gradients: str = "none"
    ) -> Any:
        """The gradient of the sum of all target elements with respect to each source.

        Parameters
        ----------
        target : Tensor, Variable, or nest
            What is differentiated. For a target that is not a scalar, the gradient of the sum of its elements; for
            several targets, of the sum of all of them.
        sources : Tensor, Variable, or nest
            With respect to what; intermediate values are allowed.
        output_gradients : nest, optional
            A weight for each target element, in the structure of the targets; None stands for ones.
        unconnected_gradients : {"none", "zero"}
            The gradient of a source without a path to the target: None or zeros.

        Returns
        -------
        nest of Tensor or None
            In the same structure as ``sources``.

        Raises
        ------
        TapeError
            If a tape that is not persistent has already computed its gradients, or if nothing was recorded.
        StructureError
            If ``output_gradients`` does not match the targets.

        Notes
        -----
        **Shapes.** Each gradient has the shape of its source. **Dtypes.** And its dtype. **Cost.** One backward pass.

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
        self._check_usable()
        check_choice("unconnected_gradients", unconnected_gradients, "none", "zero")
        targets = list(map(self._target_tensor, flatten(target)))
        weights = gradient_request.check_output_gradients(target, targets, output_gradients)
        flat = flatten(sources)
        ends = [self._node_of(x) for x in flat]  # of a wrong source, the error leaves the tape as it is
        try:
            found = self._cotangents(targets, weights, flat, ends)
        finally:
            if not self._persistent:
                self._release()
        return unflatten_like(sources, gradient_request.fill_unconnected(found, flat, unconnected_gradients))

    def _check_usable(self) -> None:
        if self._used and not self._persistent:
            raise TapeError(
                "this tape has given its gradients and released the values that it kept. "
                "Use GradientTape(persistent=True) to ask more than once, or record again."
            )
        if not self._entered:
            raise TapeError("nothing was recorded; run the computation inside `with ak.GradientTape() as tape:`")
        if self._record.sink is not None and self._persistent and not self._warned:
            self._warned = True
            warnings.warn(
                "calling tape.gradient inside the tape's own block also records the backward pass, which is slower and "
                "takes more memory; call it after the block unless you want a gradient of the gradient.",
                stacklevel=3,
            )

    def _cotangents(
        self, targets: list[Any], weights: list[Any], sources: list[Any], ends: list[Node | None], lead: int = 0
    ) -> list[Tensor | None]:
        """Cotangents of the sources, whose nodes are ``ends``, by one backward pass, which open tapes record."""
        record = self._record
        for observer in observers:
            observer.tape_differentiated(self, targets, [None] * len(targets) if lead else weights, sources)
        graph = any(r.sink is not None for r in open_records.records)
        target_nodes = [self._node_of(x) for x in targets]
        leaves = self._leaves()
        if record.shares_nodes:  # leaves that only another open tape watches are not sources of this one
            own = {*leaves, *record.nodes}
            ends = [n if n in own else None for n in ends]
        source_nodes = {n for n in ends if n is not None}
        computed = {n for n in source_nodes if n.op is not None} or None
        # The pass visits only nodes between sources and targets; if every leaf is a source, these are all nodes.
        through = reachable(record.nodes, source_nodes) if computed or len(source_nodes) < len(leaves) else None
        nodes = list(record.nodes) if graph else record.nodes  # the pass may append to the record
        with CotangentScope(nodes, (*leaves, *source_nodes, *target_nodes)):
            for node, target, weight in zip(target_nodes, targets, weights, strict=True):
                if node is not None:
                    seed = gradient_request.initial_cotangent(target, weight, lead, graph)
                    node.cotangent = seed if node.cotangent is None else node.cotangent + seed
            if lead or graph or computed or record.hooks or through is not None or modes.active():
                backward(nodes, lead=lead, graph=graph, through=through, keep=computed, hooks=record.hooks or None)
            else:
                fast_backward(nodes)
            if record.hooks:
                apply_leaf_hooks(record, leaves, lead)
            found = [None if n is None else n.cotangent for n in ends]
            if record.shares_nodes:
                _clear_input_cotangents(nodes)
        return [gradient_request.as_result(g, source) for g, source in zip(found, sources, strict=True)]

    def _node_of(self, value: Any) -> Node | None:
        """The node of a value on this tape; None if the value is not on it."""
        if type(value) is not Tensor and isinstance(value, Variable):
            reading = self._record.readings.get(id(value))
            if reading is None:
                return None
            value = reading.first
        if type(value) is Tensor:
            return value if value.record is not None else value._node
        raise DtypeError(
            f"targets and sources must be tensors or variables, got {type(value).__name__}; "
            "a plain number or array is not on the record and has no gradient"
        )

    def _target_tensor(self, value: Any) -> Tensor:
        """A target as a tensor; a variable that no operation has read still depends on itself."""
        if not isinstance(value, Variable):
            return gradient_request.check_target(value)
        record = self._record
        reading = record.readings.get(id(value))
        if reading is not None:
            return reading.latest  # type: ignore[no-any-return]
        tensor = wrap(value._value)
        if watches_by_itself(record, value):
            tensor.attach(record)
            record.readings[id(value)] = VariableReading(value, tensor, tensor)
        return tensor

    def _release(self) -> None:
        """Release the values of a tape that is not persistent after its one gradient."""
        self._used = True
        record = self._record
        for observer in observers:
            observer.tape_releases(self)
        record.release()
        if not record.has_arrays:
            return
        for key, (variable, first, latest) in record.readings.items():
            value = variable._value
            if type(value) is np.ndarray and value.size > _LARGE:
                record.readings[key] = VariableReading(variable, wrap(None, first.node), wrap(None, latest.node))

    if TYPE_CHECKING:  # set by the packages above (see :func:`add_tape_method`)
        jacobian: Callable[..., Any]
        batch_jacobian: Callable[..., Any]
        explain: Callable[..., Any]
        cost: Callable[..., Any]
        table: Callable[..., Any]
        nodes: tuple[Any, ...]
        nbytes: int


_LARGE = 1 << 14
"""A released tape also drops its reading of a variable this large, so that an optimizer can write in place."""


def add_tape_method(name: str, function: object) -> None:
    """Make ``function`` a method of tapes: Jacobians and diagnostics are defined in higher packages."""
    setattr(GradientTape, name, function)


def _clear_input_cotangents(nodes: list[Node]) -> None:
    """Clear cotangents on nodes of other records, so that a later pass does not find them."""
    for node in nodes:
        for n in node.inputs:
            if n is not None:
                n.cotangent = None
