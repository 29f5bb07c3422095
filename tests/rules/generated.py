"""Cases that are generated from the blocks of operations: those without parameters that are elementwise or have no
gradient. Such an operation needs no line in the tests.

The expected value is, in this order: the formula in ``REFERENCES``; NumPy's function of the same name; the
operation's own value, whose derivative is still compared with finite differences.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from scipy import special

from autodiff_kit.core.operation import OPS, Op

from .case import Array, Case, draw_inputs

# Formulas that are independent of the kit's own.
REFERENCES: dict[str, Callable[..., Any]] = {
    "Logaddexp": lambda a, b: np.log(np.exp(a) + np.exp(b)), "Logaddexp2": lambda a, b: np.log2(2.0**a + 2.0**b),
    "Xlogy": special.xlogy, "Sigmoid": special.expit, "Logit": special.logit,
    "Softplus": lambda x: np.log1p(np.exp(x)), "LogSigmoid": lambda x: -np.log1p(np.exp(-x)),
    "Exp2": lambda x: 2.0**x, "Rsqrt": lambda x: x**-0.5, "Sinc": lambda x: np.sin(np.pi * x) / (np.pi * x),
    "Degrees": lambda x: x * (180 / np.pi), "Radians": lambda x: x * (np.pi / 180),
    "Relu": lambda x: x * (x > 0),
    "Gelu": lambda x: 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3))),
    "ExactGelu": lambda x: x * special.ndtr(x),
    "Erf": special.erf, "Erfc": special.erfc, "Lgamma": special.gammaln, "Digamma": special.digamma,
    "Elu": lambda x: np.where(x > 0, x, np.exp(x) - 1), "Argsort": lambda x: np.argsort(x, kind="stable"),
}  # fmt: skip

# For functions that need more than the domain of their block: quotients away from integers, where a remainder jumps.
INPUTS: dict[str, Callable[[np.random.Generator, tuple[int, ...], tuple[int, ...]], tuple[Array, ...]]] = {
    "Mod": lambda rng, a, b: (rng.uniform(5.2, 5.8, a), rng.uniform(1.95, 2.05, b))
}

# Without a gradient, and not for floating inputs: their tests are in test_gradient_free.py.
INTEGER_INPUTS = {"BitwiseAnd", "BitwiseOr", "BitwiseXor", "BitwiseInvert"}

_ONE_INPUT = (((),), ((4,),), ((2, 3),), ((1,),))
_TWO_INPUTS = (((), ()), ((3,), (3,)), ((3, 1), (1, 4)), ((), (2, 3)), ((2, 1, 3), (4, 1)), ((1,), (5,)))


def arity(op: Op) -> int:
    """The number of arrays of a generated case: the arguments without a default."""
    return sum(p.default is p.empty for p in inspect.signature(op.value).parameters.values())


def is_elementwise(op: Op) -> bool:
    """Whether cases are generated: the operation is elementwise and takes only arrays."""
    return op.family == "elementwise" and len(inspect.signature(op.value).parameters) == len(op.vjps or ())


def elementwise_operations() -> list[str]:
    return [key for key, op in OPS.items() if is_elementwise(op)]


def expected_value(op: Op) -> Callable[..., Any]:
    return REFERENCES.get(op.key) or getattr(np, op.name, op.value)


def elementwise_cases(op: Op) -> Iterator[Case]:
    """One input in four shapes, two inputs in shapes that broadcast."""
    for shapes in _TWO_INPUTS if arity(op) == 2 else _ONE_INPUT:
        yield Case(op.key, str(shapes), _drawer(op, shapes), op.function, expected_value(op))  # type: ignore[arg-type]


def _drawer(op: Op, shapes: tuple[tuple[int, ...], ...]) -> Callable[..., tuple[Array, ...]]:
    special_inputs = INPUTS.get(op.key)
    if special_inputs is not None:
        return lambda rng: special_inputs(rng, *shapes)
    return lambda rng: draw_inputs(rng, op.domain, *shapes)
