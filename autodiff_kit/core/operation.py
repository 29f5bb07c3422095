"""Operations: the engine's description of each one.

An operation is a function of values: Python floats, NumPy arrays, or tensors. On plain values it computes; on tensors
it computes and adds a node to their record. One set of rules therefore serves every mode. Rules that run on arrays give
a gradient; rules that run on tensors are recorded themselves, which gives second derivatives.

A rule is ``rule(g, y, *inputs, **params)``: the cotangent of the output, the output, the inputs, the parameters. The
record does not hold an argument whose name begins with an underscore: the rule uses only its shape and dtype. For
``y = x * z`` the rules are ``lambda g, _y, _x, z: g * z`` and ``lambda g, _y, x, _z: g * x``.

:mod:`autodiff_kit.ops.families` has the decorators that make an operation from its block.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

__all__ = ["OPS", "Op", "camel_case", "v"]

Rule = Callable[..., Any]
Function = Callable[..., Any]

OPS: dict[str, Op] = {}
"""Every operation by its CamelCase name."""

v: Any = SimpleNamespace()
"""Every operation as a function of values, for rules: arrays give arrays, recorded tensors give recorded tensors."""


class Op:
    """One operation: its value, its derivative rules, and how it is tested.

    Attributes
    ----------
    name, key : str
        As a function, ``floor``; ``Floor`` in override maps.
    value : callable
        The output from plain values.
    scalar : callable or None
        The same from Python floats to a Python float, where that is faster; it may raise what Python's math raises.
    vjps : tuple of callable, or None
        A reverse rule for each input.
    vjp_all : callable or None
        One reverse rule for all inputs at once, in place of ``vjps``: custom and registered gradients, many inputs. Or
        beside them, for nodes with all inputs on the record: rules that share most of their work.
    jvp : callable or None
        ``jvp(tangents, y, *inputs, **params)``; a tangent is None where an input has none.
    residual : callable or None
        ``residual(y, *inputs)``: a tuple of what is saved in place of each input, such as a mask. The rules must
        accept it in place of the inputs, also where they run on tensors.
    sparse_vjp : callable or None
        ``sparse_vjp(g, spec, is_leaf, whole, **params)``: a SparseGradient for a leaf that is a large table of which
        few rows were read; an EntriesGradient, unless ``whole``; or None.
    write : callable or None
        ``write(out, *inputs, **params)``: the output, written into an array of its shape and dtype in C order. Where a
        plan of ``ak.compile`` has memory for a large output, it need not be copied there.
    loop : callable or None
        ``loop(*inputs, **params)``: name and sizes of the compiled loop for inputs of these shapes, or None.
    flops, flops_back : callable or None
        Counts for :mod:`autodiff_kit.diagnostics.cost`, where the family's counts are not right.
    domain, points : str, tuple
        Where tests draw inputs ("real", "positive", "above one", "unit": between -1 and 1, "inside": between 0 and 1),
        and the special points ``(inputs, gradients)`` with optional parameters as a third member.
    user_defined : bool
        The user defined the gradient: its rules are called with tensors.
    active : Op
        The operation that is recorded: this one, or its replacement inside a ``gradient_override_map``.
    """

    def __init__(self, name: str, value: Function, **known: Any) -> None:
        self.name, self.key, self.value = name, camel_case(name), value
        self.family: str = known.pop("family", "general")
        self.scalar: Function | None = known.pop("scalar", None)
        self.vjps: tuple[Rule, ...] | None = known.pop("vjps", None)
        self.vjp_all: Rule | None = known.pop("vjp_all", None)
        self.jvp: Function | None = known.pop("jvp", None)
        self.residual: Function | None = known.pop("residual", None)
        self.sparse_vjp: Function | None = known.pop("sparse_vjp", None)
        self.write, self.loop = known.pop("write", None), known.pop("loop", None)
        self.flops, self.flops_back = known.pop("flops", None), known.pop("flops_back", None)
        self.domain: str = known.pop("domain", "real")
        self.points: tuple[Any, ...] = known.pop("points", ())
        self.user_defined: bool = known.pop("user_defined", False)
        self.function: Function | None = None
        self.active: Op = self
        # For the fast paths. The rules that `fast_backward` may call directly (of one input, or of two without
        # parameters; the first is None where none may) and whether there are parameters; whether `jvp` may be called
        # directly.
        self.fast_rules: tuple[Rule | None, Rule | None, bool] = (None, None, False)
        self.fast_jvp = not self.user_defined and self.jvp is not None and self.vjp_all is None
        # Which of `(output, *inputs)` a node must hold for the gradients of the inputs that are followed.
        self.needed_values = functools.cache(self._find_needed_values)
        if known:
            raise TypeError(f"{name}: unknown keywords {sorted(known)}")

    def _find_needed_values(self, followed: tuple[bool, ...]) -> tuple[bool, ...]:
        if self.vjps is None and self.vjp_all is not None:
            return (self.family != "linear",) * (len(followed) + 1)
        rules = [rule for rule, asked in zip(self.vjps or (), followed, strict=False) if asked]
        return tuple(any(_uses_value(rule, k + 1) for rule in rules) for k in range(len(followed) + 1))

    def __repr__(self) -> str:
        return f"Op({self.name})"


def camel_case(name: str) -> str:
    """``floor_mod`` as ``FloorMod``."""
    return "".join(part.capitalize() for part in name.split("_"))


def _uses_value(rule: Rule, place: int) -> bool:
    """Whether a rule uses the value of an argument (0 is ``g``), or only its shape and dtype."""
    code = rule.__code__
    return place >= code.co_argcount or not code.co_varnames[place].startswith("_")
