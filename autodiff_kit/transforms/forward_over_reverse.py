"""The Hessian times a vector: a tangent runs along with a function, and then back through its gradient."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff_kit.core.backward import TROUBLE, fit, pull_node, through_hooks
from autodiff_kit.core.dual import Dual, NeedsTensorsError
from autodiff_kit.core.forward import Pushing
from autodiff_kit.core.operation import Op
from autodiff_kit.core.record import NOTHING, Node
from autodiff_kit.core.targets import zeros_like
from autodiff_kit.core.tensor import Tensor, make, normal, plain

__all__ = ["Course"]


class Course(Pushing):
    """An accumulator that remembers its steps, so that the gradient can be pulled back along them.

    :meth:`bend` calls the reverse rules on values that carry their tangents, and what comes out is the gradient with
    its own tangent: nothing is recorded twice. A rule that needs tensors gets them, and what it computes is pushed
    through at once.
    """

    __slots__ = ("tangents",)

    def __init__(self) -> None:
        super().__init__()
        self.private = True
        self.steps = []
        self.tangents: dict[Node | None, Any] = {}

    def tangent(self, node: Node | None) -> Any:
        """The tangent of a node; None where it has none."""
        found = super().tangent(node)
        return self.tangents.get(node) if found is None else found

    def set_tangent(self, node: Node, tangent: Any) -> None:
        """Put a tangent on a node."""
        self.tangents[node] = tangent

    def bend(self, target: Tensor, sources: list[Tensor]) -> list[Tensor]:
        """How the gradient of the target moves: for each source the tangent of its cotangent."""
        steps, self.steps = self.steps or [], None
        cots: dict[Any, Any] = {target.node: 1.0 if type(target._value) is float else np.ones((), target.dtype)}
        while steps:
            step = steps.pop()
            g = cots.pop(step[1], None)
            if g is None:
                continue
            for n, part in self._parts(g, *step):
                like = n.like
                if type(part) is not Dual:
                    part = fit(part, like)
                elif (value := fit(part._value, like)) is not part._value:
                    part = Dual(value, fit(part.tangent, like))
                before = cots.get(n)
                cots[n] = part if before is None else before + part
        moves = [(source, cots.get(source.node)) for source in sources]
        return [make(g.tangent) if type(g) is Dual else zeros_like(source) for source, g in moves]

    def _parts(
        self, g: Any, op: Op, node: Node, nodes: Any, saved: Any, tangents: Any, params: Any
    ) -> list[tuple[Node, Any]]:
        """What a node hands to each of its inputs; the rules run on values with their tangents."""
        if op.users or (self.hooks and node in self.hooks):
            return self._on_tensors(g, node, nodes, saved, params)
        arguments = [g, *saved]
        for k, t in enumerate(tangents, 1):
            if t is not None:
                arguments[k] = Dual(arguments[k], t)
        if op.family != "elementwise" and (type(g) is float or float in map(type, saved)):
            arguments = list(map(_strict, arguments))
        try:
            return _called(op, nodes, arguments, params)
        except TROUBLE:  # Python floats raise where NumPy's give inf or nan
            return _called(op, nodes, list(map(_strict, arguments)), params)
        except (NeedsTensorsError, TypeError):
            return self._on_tensors(g, node, nodes, saved, params)

    def _on_tensors(self, g: Any, node: Node, nodes: Any, saved: Any, params: Any) -> list[tuple[Node, Any]]:
        """The same; the rules run on tensors that this accumulator follows."""
        if node.parts is NOTHING:
            node.parts = (*nodes, *saved)
            node.put("params", params)
        own = make(normal(plain(g)))
        if type(g) is Dual:
            self.start(own, g.tangent)
        with self:
            given = through_hooks(self.hooks[node], own, node, 0) if node in self.hooks else own
            return [(n, self._dual(part)) for n, part in pull_node(node, given, 0, True, None)]

    def _dual(self, value: Any) -> Any:
        """A tensor's value, with its tangent where it has one."""
        if type(value) is not Tensor:
            return value
        tangent = self.tangent(value.node)
        return value._value if tangent is None else Dual(value._value, plain(tangent))


def _called(op: Op, nodes: Any, arguments: list[Any], params: dict[str, Any]) -> list[tuple[Node, Any]]:
    if op.vjps is None:
        found = (op.vjp_all or _tensors_needed)(*arguments, **params)
        return [(n, part) for n, part in zip(nodes, found, strict=True) if n is not None and part is not None]
    if len(nodes) == 1:
        return [(nodes[0], op.vjps[0](*arguments, **params))]
    return [(n, rule(*arguments, **params)) for n, rule in zip(nodes, op.vjps, strict=True) if n is not None]


def _tensors_needed(*_: Any, **__: Any) -> Any:
    raise NeedsTensorsError("there is no rule; the ordinary sweep says so")


def _strict(value: Any) -> Any:
    """The same with NumPy's floats in place of Python's."""
    if type(value) is float:
        return np.float64(value)
    if type(value) is Dual and type(value._value) is float:
        return Dual(np.float64(value._value), np.float64(value.tangent))
    return value
