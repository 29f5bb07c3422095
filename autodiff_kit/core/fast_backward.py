"""The backward pass of ordinary gradients, written for speed: :func:`backward` without its options.

The rules of one and two inputs are called in line; for all others the pass calls :func:`input_cotangents`.
``benchmarks/eager_tape.py`` measures it; ``tests/core/test_fast_paths.py`` compares both passes.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff_kit.core.backward import input_cotangents
from autodiff_kit.core.record import Node
from autodiff_kit.core.sparse_gradient import entries_of, sum_with
from autodiff_kit.core.tensor import Tensor
from autodiff_kit.core.unbroadcast import unbroadcast
from autodiff_kit.errors import ConcretizationError

__all__ = ["FLOAT_ERRORS", "fast_backward"]

FLOAT_ERRORS = (ZeroDivisionError, OverflowError, ValueError, ConcretizationError, TypeError)
"""Python floats raise these where NumPy's give inf or nan, and rules that negate booleans a TypeError; the step is then
repeated by :func:`input_cotangents`."""


def fast_backward(nodes: list[Node]) -> None:  # noqa: C901 - written out for speed
    """Propagate the cotangents that are set on some nodes back to all nodes on which they depend."""
    own: dict[Node, Any] = {}
    for node in reversed(nodes):
        g = node.cotangent
        if g is None:
            continue
        node.cotangent = None
        if own:  # a sum may be large
            own.pop(node, None)
        first, second, has_parameters = node.op.fast_rules
        if first is None:
            _general_step(node, g, own)
            continue
        if second is None:
            n, y, a = node.parts
            try:
                if has_parameters:
                    p = _call_with_parameters(first, g, y, a, node.given)
                else:
                    p = first(g, y, a)
            except FLOAT_ERRORS:  # Python floats raise where NumPy's give inf or nan
                _general_step(node, g, own)
                continue
            if type(p) is not float or type(n) is not Tensor:
                p = unbroadcast(p, n.spec)
            before = n.cotangent
            n.cotangent = p if before is None else before + p if type(p) is float else sum_with(p, n, own)
            continue
        n, m, y, a, b = node.parts
        if n is not None:
            try:
                p = first(g, y, a, b)
            except FLOAT_ERRORS:
                _general_step(node, g, own)
                continue
            if type(p) is not float or type(n) is not Tensor:
                p = unbroadcast(p, n.spec)
            before = n.cotangent
            n.cotangent = p if before is None else before + p if type(p) is float else sum_with(p, n, own)
        if m is not None:
            try:
                p = second(g, y, a, b)
            except FLOAT_ERRORS:
                _general_step(node, g, own, first=1)
                continue
            if type(p) is not float or type(m) is not Tensor:
                p = unbroadcast(p, m.spec)
            before = m.cotangent
            m.cotangent = p if before is None else before + p if type(p) is float else sum_with(p, m, own)


def _call_with_parameters(rule: Any, g: Any, y: Any, a: Any, params: dict[str, Any]) -> Any:
    """Call a rule with parameters on NumPy values, because such rules may use a shape or a dtype."""
    g, a = np.float64(g) if type(g) is float else g, np.float64(a) if type(a) is float else a
    return rule(g, np.float64(y) if type(y) is float else y, a, **params)


def _general_step(node: Node, g: Any, own: dict[Node, Any], first: int = 0) -> None:
    """The step of one node as :func:`backward` does it, for the inputs from index ``first`` on."""
    entries = None if node.op.sparse_vjp is None else entries_of(node, g, whole=False)
    for n, part in input_cotangents(node, g, first=first) if entries is None else [(node.parts[0], entries)]:
        n.cotangent = sum_with(part, n, own)
