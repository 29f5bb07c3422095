"""Programs whose operations round once at most: eager and compiled results, and errors, are the same to the last bit.

The numbers are those that generators of smooth functions leave out: booleans, small and unsigned integers, float16,
infinities, nan, signed zeros, subnormal numbers; arrays that are reversed, transposed, strided or broadcast.
"""

from __future__ import annotations

import random
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autodiff_kit as ak
from autodiff_kit.compile.run.execution_plan import build_kernels_now
from autodiff_kit.errors import AutodiffError

PROGRAMS = 25  # for each seed
DTYPES = ("?", "i1", "u1", "i4", "i8", "f2", "f4", "f4", "f8", "f8")
NUMBERS = (0.0, -0.0, 1, -1, 2, 0.5, -0.5, 3, np.inf, -np.inf, np.nan, 1e-40, 1e38, 1e300, -7.5, 100, -128, 1e-310)
SHAPES = ((), (1,), (3,), (0,), (2, 3), (3, 1), (1, 3), (2, 3, 3), (40,), (7, 33))
ONE = (
    "abs", "sqrt", "square", "negative", "sign", "floor", "ceil", "trunc", "rint", "reciprocal", "isnan", "isfinite",
    "isinf", "logical_not", "nan_to_num", "fabs",
)  # fmt: skip
TWO = (
    "add", "subtract", "multiply", "divide", "maximum", "minimum", "fmax", "fmin", "mod", "floor_divide", "copysign",
    "greater", "less", "equal", "not_equal", "greater_equal", "less_equal", "logical_and", "logical_or", "logical_xor",
    "bitwise_and", "bitwise_or", "bitwise_xor",
)  # fmt: skip
REDUCTIONS = ("max", "min", "any", "all", "count_nonzero", "argmax", "argmin")
OTHERS: dict[str, Callable[[Any], Any]] = {
    "x.T": lambda x: x.T, "x[::-1]": lambda x: x[::-1], "x[1:]": lambda x: x[1:], "x[None]": lambda x: x[None],
    "x[..., -1]": lambda x: x[..., -1], "reshape": lambda x: ak.reshape(x, -1), "sort": lambda x: ak.sort(x, axis=-1),
    "clip": lambda x: ak.clip(x, -1, 2), "where": lambda x: ak.where(x > 0, x, -1.5), "relu": ak.nn.relu,
    "float32": lambda x: ak.cast(x, "float32"), "int32": lambda x: ak.cast(x, "int32"), "x + 1": lambda x: x + 1,
    "2.5 x": lambda x: 2.5 * x, "1 / x": lambda x: 1 / x, "roll": lambda x: ak.roll(x, 1),
}  # fmt: skip


class Draw:
    """Random programs of one or two inputs, and their inputs."""

    def __init__(self, seed: int) -> None:
        self.pick, self.rng = random.Random(seed), np.random.default_rng(seed)

    def array(self, shape: tuple[int, ...]) -> Any:
        special = self.pick.random() < 0.5
        x = self.rng.choice(np.array(NUMBERS), shape) if special else 30 * self.rng.normal(size=shape)
        x = np.asarray(x).astype(self.pick.choice(DTYPES))
        if not x.ndim:
            return x
        layouts = (
            x,
            x,
            x,
            x[::-1],
            np.asfortranarray(x),
            np.repeat(x, 2, -1)[..., ::2],
            np.broadcast_to(x[:1], x.shape),
        )
        return self.pick.choice(layouts)

    def inputs(self) -> list[Any]:
        shape = self.pick.choice(SHAPES)
        other = self.pick.choice((shape, shape, (), (1,), shape[-1:]))
        return [ak.constant(self.array(s)) for s in (shape, other)]

    def step(self) -> tuple[str, Callable[[Any, Any], Any]]:
        kind = self.pick.choice(("one", "two", "two", "reduction", "other"))
        if kind == "one":
            name = self.pick.choice(ONE)
            return name, lambda x, _: getattr(ak, name)(x)
        if kind == "two":
            name, turned = self.pick.choice(TWO), self.pick.random() < 0.5
            return name, lambda x, y: getattr(ak, name)(*((y, x) if turned else (x, y)))
        if kind == "reduction":
            name, axis, keeps = self.pick.choice(REDUCTIONS), self.pick.choice((None, 0, -1)), self.pick.random() < 0.5
            return f"{name}(axis={axis})", lambda x, _: getattr(ak, name)(x, axis=axis, keepdims=keeps)
        name = self.pick.choice(tuple(OTHERS))
        return name, lambda x, _: OTHERS[name](x)

    def program(self) -> tuple[str, Callable[[Any, Any], Any]]:
        steps = [self.step() for _ in range(self.pick.randint(1, 4))]

        def run(x: Any, y: Any) -> Any:
            for _, step in steps:
                x = step(x, y)
            return x

        return ", ".join(name for name, _ in steps), run


def outcome(f: Callable[..., Any], *inputs: Any) -> Any:
    """The result as an array, or the type of the error."""
    try:
        return f(*inputs).numpy()
    except AutodiffError as error:
        return type(error)


def gradient(f: Callable[..., Any]) -> Callable[..., Any]:
    return ak.grad(lambda x, y: ak.sum(f(x, y)))


def assert_same(found: Any, expected: Any, said: str) -> None:
    if isinstance(expected, type) or isinstance(found, type):
        assert found is expected, said
        return
    assert (found.dtype, found.shape) == (expected.dtype, expected.shape), said
    np.testing.assert_array_equal(found, expected, err_msg=said)


@pytest.mark.parametrize("seed", [*range(2), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(2, 40))])
def test_compiled_programs_agree_to_the_last_bit(seed: int) -> None:
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        compare_programs(Draw(seed))


def compare_programs(draw: Draw) -> None:
    for _ in range(PROGRAMS):
        (said, program), inputs = draw.program(), draw.inputs()
        said += f" of {[(str(x.dtype), x.shape, x.numpy().tolist()) for x in inputs]}"
        for f in (program, gradient(program)) if inputs[0].dtype.kind == "f" else (program,):
            expected, compiled = outcome(f, *inputs), ak.compile(f)
            assert_same(outcome(compiled, *inputs), expected, f"NumPy calls: {said}")
            build_kernels_now(compiled)
            assert_same(outcome(compiled, *inputs), expected, f"kernels: {said}")
