"""Hessian-vector products by forward-over-reverse: a tangent goes through the function, then back through its gradient.

:func:`hvp` is the public function. :class:`ForwardOverReverse` records a function once while it pushes a tangent
through, and then runs the reverse rules on dual numbers.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff_kit.core.backward import input_cotangents
from autodiff_kit.core.fast_backward import FLOAT_ERRORS
from autodiff_kit.core.gradient_request import zeros_like
from autodiff_kit.core.hooks import apply_hooks
from autodiff_kit.core.modes import modes
from autodiff_kit.core.numpy_protocol import canonical, number_beside, unwrap
from autodiff_kit.core.operation import Op
from autodiff_kit.core.record import NO_PARTS, Node, open_records
from autodiff_kit.core.tensor import Tensor, wrap
from autodiff_kit.core.unbroadcast import unbroadcast
from autodiff_kit.pytree import flatten, unflatten_like
from autodiff_kit.transforms.arguments import Function, check_callable, primals_and_tangents, scalar_output
from autodiff_kit.transforms.dual import Dual, NeedsTensorsError
from autodiff_kit.transforms.forward_accumulator import TangentRecord
from autodiff_kit.transforms.forward_mode import jvp, set_tangents
from autodiff_kit.transforms.lost_gradients import warn_of_lost_gradients
from autodiff_kit.transforms.reverse_mode import grad

__all__ = ["ForwardOverReverse", "hvp"]


def hvp(f: Function, primals: Any, tangents: Any) -> Any:
    """The product of the Hessian of ``f`` with a vector, by forward-over-reverse differentiation.

    Parameters
    ----------
    f : callable
        Returns one number (a scalar tensor).
    primals, tangents : array_like or pytree, or tuples of them
        As in :func:`jvp`.

    Returns
    -------
    Tensor or tuple of Tensor
        Shaped like the one primal, or a tuple where there are several.

    Notes
    -----
    **Cost.** About twice a gradient; the Hessian is never built. Each intermediate value is kept with its tangent.

    Examples
    --------
    >>> ak.hvp(lambda x: x[0] ** 2 * x[1], [1.0, 2.0], [1.0, 0.0]).numpy()
    array([4., 2.])
    """
    check_callable(f, "hvp")
    arguments, directions = primals_and_tangents(primals, tangents)
    if open_records.records or modes.active():
        argnums = tuple(range(len(arguments)))
        _, product = jvp(grad(f, argnums), tuple(arguments), tuple(directions))
    else:
        product = _recorded_hvp(f, arguments, directions)
    return product[0] if len(arguments) == 1 else tuple(product)


def _recorded_hvp(f: Function, arguments: list[Any], directions: list[Any]) -> list[Any]:
    """:func:`hvp` where no other tape is recording: ``f`` runs once, and the tangent goes forward and back."""
    with ForwardOverReverse() as accumulator:
        sources = set_tangents(accumulator, arguments, directions)
        value = scalar_output(f(*arguments))
    warn_of_lost_gradients(accumulator, sources, value)
    products = accumulator.gradient_tangents(value, sources)
    return [unflatten_like(a, [next(rest) for _ in flatten(a)]) for rest in (iter(products),) for a in arguments]


class ForwardOverReverse(TangentRecord):
    """A forward accumulator that also records its operations, so that a reverse pass can follow.

    :meth:`gradient_tangents` calls the reverse rules on dual numbers (values with their tangents). The cotangents that
    come out are dual numbers too, and their tangents are the Hessian-vector product. Nothing is recorded twice. A rule
    that works on tensors only is called with tensors, and its tangents are computed by this accumulator.
    """

    __slots__ = ("tangents",)

    def __init__(self) -> None:
        super().__init__()
        self.private = True
        self.history = []
        self.tangents: dict[Node | None, Any] = {}

    def tangent(self, node: Node | None) -> Any:
        """The tangent of a node, or None."""
        found = super().tangent(node)
        return self.tangents.get(node) if found is None else found

    def set_tangent(self, node: Node, tangent: Any) -> None:
        """Store the tangent of a node."""
        self.tangents[node] = tangent

    def gradient_tangents(self, target: Tensor, sources: list[Tensor]) -> list[Tensor]:
        """The tangent of the gradient of ``target`` with respect to each source: one block of the product each."""
        history, self.history = self.history or [], None
        cotangents: dict[Any, Any] = {target.node: 1.0 if type(target._value) is float else np.ones((), target.dtype)}
        while history:
            step = history.pop()
            g = cotangents.pop(step[1], None)
            if g is None:
                continue
            for n, part in self._contributions(g, *step):
                spec = n.spec
                if type(part) is not Dual:
                    part = unbroadcast(part, spec)
                elif (value := unbroadcast(part._value, spec)) is not part._value:
                    part = Dual(value, unbroadcast(part.tangent, spec))
                before = cotangents.get(n)
                cotangents[n] = part if before is None else before + part
        pairs = [(source, cotangents.get(source.node)) for source in sources]
        return [wrap(g.tangent) if type(g) is Dual else zeros_like(source) for source, g in pairs]

    def _contributions(
        self, g: Any, op: Op, node: Node, nodes: Any, saved: Any, tangents: Any, params: Any
    ) -> list[tuple[Node, Any]]:
        """The cotangents that a node adds to its inputs, computed by its rules on dual numbers."""
        if op.user_defined or (self.hooks and node in self.hooks):
            return self._contributions_from_tensors(g, node, nodes, saved, params)
        arguments = [g, *saved]
        for k, t in enumerate(tangents, 1):
            if t is not None:
                x = arguments[k]
                arguments[k] = Dual(x, t if type(t) is type(x) else number_beside(x, t))
        if op.family != "elementwise" and (type(g) is float or float in map(type, saved)):
            arguments = list(map(_with_numpy_floats, arguments))
        try:
            return _apply_rules(op, nodes, arguments, params)
        except FLOAT_ERRORS:  # Python floats raise where NumPy's give inf or nan
            return _apply_rules(op, nodes, list(map(_with_numpy_floats, arguments)), params)
        except (NeedsTensorsError, TypeError):
            return self._contributions_from_tensors(g, node, nodes, saved, params)

    def _contributions_from_tensors(
        self, g: Any, node: Node, nodes: Any, saved: Any, params: Any
    ) -> list[tuple[Node, Any]]:
        """The cotangents that a node adds to its inputs, by rules on tensors that this accumulator follows."""
        if node.parts is NO_PARTS:
            node.parts = (*nodes, *saved)
            node.given = params
        own = wrap(canonical(unwrap(g)))
        if type(g) is Dual:
            self.start(own, g.tangent)
        with self:
            cotangent = apply_hooks(self.hooks[node], own, node, 0) if node in self.hooks else own
            return [(n, self._to_dual(part)) for n, part in input_cotangents(node, cotangent, graph=True)]

    def _to_dual(self, value: Any) -> Any:
        """A tensor as a dual number, or as a plain value if it has no tangent."""
        if type(value) is not Tensor:
            return value
        tangent = self.tangent(value.node)
        return value._value if tangent is None else Dual(value._value, unwrap(tangent))


def _apply_rules(op: Op, nodes: Any, arguments: list[Any], params: dict[str, Any]) -> list[tuple[Node, Any]]:
    """Call the reverse rules of an operation: pairs of an input's node and the cotangent that it receives."""
    if op.vjps is None:
        found = (op.vjp_all or _raise_needs_tensors)(*arguments, **params)
        return [(n, part) for n, part in zip(nodes, found, strict=True) if n is not None and part is not None]
    if len(nodes) == 1:
        return [(nodes[0], op.vjps[0](*arguments, **params))]
    return [(n, rule(*arguments, **params)) for n, rule in zip(nodes, op.vjps, strict=True) if n is not None]


def _raise_needs_tensors(*_: Any, **__: Any) -> Any:
    raise NeedsTensorsError("the operation has no rule on plain values; the ordinary reverse pass raises the error")


def _with_numpy_floats(value: Any) -> Any:
    """The value with Python floats replaced by NumPy's, which divide by zero without raising."""
    if type(value) is float:
        return np.float64(value)
    if type(value) is Dual and type(value._value) is float:
        t = value.tangent  # in a vmap, or while a function is traced, it has no number even where the value has one
        return Dual(np.float64(value._value), np.float64(t) if type(t) is float else t)
    return value
