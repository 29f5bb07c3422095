"""Arguments for the tests of bad input: sensible ones by parameter name, and nonsense for every parameter."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import autodiff_kit as ak

Make = Callable[[], Any]
HUGE = 2**70


class UsersError(Exception):
    """An error that a caller's own function raises; it must pass through."""


def raises(*args: Any, **kwargs: Any) -> Any:
    raise UsersError("on purpose")


def generator() -> Iterator[float]:
    yield 1.0
    yield 2.0


def closed_tensor() -> ak.Tensor:
    """A value of a record whose gradient has been computed."""
    x = ak.Variable([1.0, 2.0])
    with ak.GradientTape() as tape:
        y = x * x
    tape.gradient(y, x)
    return y


FUNCTIONS: list[Make] = [
    lambda: lambda x: x * x,
    lambda: lambda x: ak.sum(x * x),
    lambda: lambda *args: args[0] if args else ak.constant(1.0),
    lambda: lambda: ak.constant([1.0, 2.0]),
    lambda: lambda x: [x, {"a": x}],
    lambda: lambda a, b: a * b,
    lambda: lambda x: (x * 2.0, lambda g: g * 2.0),
]

BAD_FUNCTIONS: list[Make] = [
    lambda: raises,
    lambda: lambda x: None,
    lambda: lambda: None,
    lambda: lambda x: "text",
    lambda: lambda x: float(np.sum(np.asarray(x))),
    lambda: lambda x: np.asarray(x),
    lambda: lambda a, b, c, d, e: a,
    lambda: lambda x: [[1.0], [1.0, 2.0]],
    lambda: lambda x: x > 0,
    lambda: lambda x: ak.cast(x, "int64"),
    lambda: lambda g, ans, x: np.ones(7),
]

NONSENSE: list[Make] = [
    lambda: None,
    lambda: "text",
    lambda: "",
    lambda: b"bytes",
    object,
    lambda: {1, 2},
    lambda: {"a": 1.0},
    lambda: {"a": [ak.constant(1.0)], 2: "b"},
    lambda: [[1.0, 2.0], [3.0]],
    list,
    lambda: (),
    dict,
    lambda: [None, 1.0],
    lambda: ["a", "b"],
    lambda: float("nan"),
    lambda: float("inf"),
    lambda: HUGE,
    lambda: -HUGE,
    lambda: 10**18,
    lambda: -7,
    lambda: 99,
    lambda: 2.5,
    lambda: True,
    lambda: 1j,
    lambda: np.array([1.0, 2.0j]),
    lambda: np.array([1.0, None], dtype=object),
    lambda: np.array([HUGE, 1]),
    lambda: np.array(["2020-01-01"], dtype="datetime64[D]"),
    lambda: np.array([1, 2], dtype="timedelta64[s]"),
    lambda: np.zeros(2, dtype=[("a", "f8"), ("b", "i4")]),
    lambda: np.array(["a", "b"]),
    lambda: np.array(3.0),
    lambda: np.zeros(0),
    lambda: np.zeros((2, 0)),
    lambda: np.zeros((1, 2, 1, 2, 1)),
    lambda: np.array([np.nan, np.inf]),
    lambda: np.array([True, False]),
    lambda: np.arange(3, dtype=np.uint8),
    lambda: np.float16(1.5),
    lambda: np.longdouble(1.5),
    lambda: np.ma.masked_array([1.0, 2.0], [True, False]),
    generator,
    lambda: iter([1.0]),
    lambda: range(3),
    lambda: slice(None),
    lambda: Ellipsis,
    lambda: np.dtype("float64"),
    closed_tensor,
    lambda: ak.Variable([1.0, 2.0]),
    lambda: ak.Variable([1, 2]),
    lambda: ak.Variable(1.0, trainable=False),
    lambda: ak.constant(3),
    lambda: ak.GradientTape(),
    lambda: ak.Variable,
    lambda: ak.RowGradient([0, 1], np.ones((2, 2)), (4, 2)),
    *BAD_FUNCTIONS,
    *FUNCTIONS,
]

ARRAYS: list[Make] = [
    lambda: 0.5,
    lambda: 2,
    lambda: [1.0, 2.0],
    lambda: np.array([0.5, -1.5]),
    lambda: np.array([[1.0, 2.0], [3.0, 4.5]]),
    lambda: np.array([[2.0, 0.5], [0.5, 1.0]], np.float32),
    lambda: np.array([1.0, 2.0], np.float16),
    lambda: ak.constant([0.5, 1.5]),
    lambda: ak.constant(0.5),
    lambda: ak.Variable([[1.0, 2.0], [0.5, 3.0]]),
    lambda: np.arange(24.0).reshape(2, 3, 4),
    lambda: np.ones((1, 2, 3, 2)),
    lambda: np.array([1, 0]),
]
AXES: list[Make] = [lambda: 0, lambda: -1, lambda: 1, lambda: (0, 1), lambda: (0, 0), lambda: None, lambda: [0]]
SMALL: list[Make] = [lambda: 0, lambda: 1, lambda: 2, lambda: 3, lambda: -1, lambda: (2, 2), lambda: np.int64(2)]
FLAGS: list[Make] = [lambda: True, lambda: False]
RATES: list[Make] = [lambda: 0.1, lambda: 0.9, lambda: 0.0, lambda: 1.0, lambda: 2.0, lambda: -0.5, lambda: 1]
LABELS: list[Make] = [lambda: [0, 1], lambda: np.array([1, 0]), lambda: 1, lambda: [0, 5], lambda: [[0], [1]]]
NESTS: list[Make] = [
    lambda: ak.Variable([1.0, 2.0]),
    lambda: [ak.Variable([1.0, 2.0]), ak.Variable(3.0)],
    lambda: {"w": ak.Variable([1.0, 2.0]), "b": (ak.constant(1.0),)},
    lambda: ([1.0, 2.0],),
    lambda: (np.array([1.0, 2.0]), 0.5),
    *ARRAYS,
]
TEXTS: dict[str, list[str]] = {
    "mode": ["auto", "forward", "reverse", "renormalize", "additive", "where", "reduced", "complete", "r"],
    "dtype": ["float32", "int64", "float64", "bool", "complex128", "no such dtype"],
    "padding": ["valid", "same"],
    "kernel": ["triangle", "box"],
    "empty": ["zero", "nan"],
    "unconnected_gradients": ["none", "zero"],
    "method": ["product", "difference"],
    "by": ["line", "op", "node"],
    "activation": ["relu", "tanh"],
    "name": ["a", "Fresh", "Identity", "momentum", "m"],
    "path": ["weights.npz", "no/such/folder/w.npz", "."],
}


def choices(*groups: tuple[str, list[Make]]) -> dict[str, list[Make]]:
    return {name: makes for names, makes in groups for name in names.split()}


SENSE: dict[str, list[Make]] = {
    **choices(
        ("axis axes axis1 axis2 axisa axisb axisc source destination", AXES),
        ("shape size stride dilation sections shift k n ord ndim offset order argnums probes num_bits groups", SMALL),
        ("units heads inputs filters num_segments num_classes num_partitions rows columns max_iterations top", SMALL),
        ("keepdims trainable training nesterov lazy full_matrices persistent narrow_range use_bias", FLAGS),
        ("rate rcond step seed epsilon learning_rate momentum decay beta1 beta2 ddof temperature width slope", RATES),
        ("damping cost_limit tolerance weight_decay additive delta initial_accumulator", RATES),
        ("labels ids indices partitions index segment_ids", LABELS),
        ("f loss_fn residual_fn true_fn false_fn function constraint", FUNCTIONS),
        ("variables sources source target targets primals tangents args nest variable var", NESTS),
        ("mapping", [lambda: {"Floor": "Identity"}, lambda: {"Floor": "No"}, lambda: {1: 2}]),
        ("pairs", [lambda: [([1.0, 1.0], ak.Variable([1.0, 2.0]))], lambda: [(None, ak.Variable(1.0))]]),
        ("steps", [lambda: (1, 5), lambda: (5, 1), lambda: (0.5, 2)]),
        ("modes", [lambda: ("reverse",), lambda: ("forward", "reverse"), lambda: ("sideways",)]),
        ("mask pred condition", [lambda: [True, False], lambda: True, lambda: np.array([0, 1]), lambda: 0.5]),
        ("arrays data operands", [lambda: [[1.0, 2.0], [3.0, 4.0]], lambda: [np.ones((2, 2)), ak.constant(1.0)]]),
    ),
    **{name: [lambda text=text: text for text in texts] for name, texts in TEXTS.items()},
}
