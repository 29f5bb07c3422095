"""Every public callable, and one call of it with drawn arguments."""

from __future__ import annotations

import inspect
import operator
import random
import re
import signal
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

import autodiff_kit as ak
from autodiff_kit.core.record import Node, open_records
from autodiff_kit.errors import AutodiffError
from autodiff_kit.pytree import flatten

from .values import ARRAYS, NONSENSE, SENSE, Make, UsersError

KIT = str(Path(ak.__file__).parent)
VALUES = str(Path(__file__).with_name("values.py"))


def fed(tape: ak.GradientTape) -> ak.GradientTape:
    with tape:
        x = ak.Variable([1.0, 2.0])
        ak.sum(x * x)
    return tape


def pushed() -> ak.ForwardAccumulator:
    with ak.ForwardAccumulator(ak.constant(1.0), 1.0) as acc:
        pass
    return acc


OBJECTS: dict[str, Make] = {
    "Tensor": lambda: ak.constant([[1.0, 2.0], [3.0, 4.0]]),
    "ScalarTensor": lambda: ak.constant(0.5),
    "WholeTensor": lambda: ak.constant([1, 2]),
    "Variable": lambda: ak.Variable([1.0, 2.0]),
    "ScalarVariable": lambda: ak.Variable(0.5),
    "RowGradient": lambda: ak.RowGradient([0, 1], np.ones((2, 2)), (4, 2)),
    "GradientTape": lambda: fed(ak.GradientTape()),
    "PersistentTape": lambda: fed(ak.GradientTape(persistent=True)),
    "EmptyTape": ak.GradientTape,
    "ForwardAccumulator": pushed,
    "SGD": lambda: ak.optim.SGD(0.1, momentum=0.9),
    "Adagrad": lambda: ak.optim.Adagrad(0.1),
    "Adadelta": ak.optim.Adadelta,
    "RMSProp": lambda: ak.optim.RMSProp(0.1),
    "Adam": lambda: ak.optim.Adam(0.1),
    "AdamW": lambda: ak.optim.AdamW(0.1, lazy=True),
    "LevenbergMarquardt": ak.optim.LevenbergMarquardt,
    "ClassMeans": lambda: ak.segment.ClassMeans(3),
    "Dense": lambda: ak.layers.Dense(2, inputs=2),
    "Fresh Dense": lambda: ak.layers.Dense(2),
    "Attention": lambda: ak.layers.Attention(4, heads=2, inputs=3),
    "Conv2D": lambda: ak.layers.Conv2D(2, 2),
    "Conv1DTranspose": lambda: ak.layers.Conv1DTranspose(2, 2),
    "GRU": lambda: ak.layers.GRU(2),
    "GRUCell": lambda: ak.layers.GRUCell(2, inputs=2),
    "Embedding": lambda: ak.layers.Embedding(3, 2),
    "InstanceNorm": ak.layers.InstanceNorm,
    "Sequential": lambda: ak.layers.Sequential(ak.layers.Dense(2)),
    "Module": ak.Module,
}
ONE = ("neg", "pos", "abs", "invert")
TWO = (
    "add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul",
    "and_", "or_", "lt", "le", "gt", "ge", "eq", "ne",
)  # fmt: skip


def calls() -> dict[str, tuple[Make, tuple[str, ...]]]:
    """Every public callable: a way to get it, and the names of its parameters."""
    found: dict[str, tuple[Make, tuple[str, ...]]] = {}
    for part in (ak, ak.nn, ak.segment, ak.relax, ak.optim, ak.layers):
        for name in part.__all__:
            thing = getattr(part, name)
            # Error classes are raised, not called; a Tensor is made by constant, so its class is not called either.
            if callable(thing) and not (inspect.isclass(thing) and issubclass(thing, (Exception, ak.Tensor))):
                found[f"{part.__name__}.{name}"] = (lambda thing=thing: thing, parameters(thing))
    for kind, make in OBJECTS.items():
        for name in methods(make()):
            names = parameters(getattr(make(), name))
            found[f"{kind}.{name}"] = (lambda make=make, name=name: getattr(make(), name), names)
    for kind in ("Tensor", "ScalarTensor", "Variable", "WholeTensor"):
        for name in (*ONE, *TWO, "getitem"):
            found[f"{kind} {name}"] = (_on_the_left(kind, name), () if name in ONE else ("b",))
        for name in TWO:
            found[f"{name} {kind}"] = (_on_the_right(kind, name), ("b",))
    return found


def methods(thing: Any) -> list[str]:
    """Public methods; those that tensors have as nodes of a record belong to the engine."""
    known = set(dir(thing)) - set(dir(Node)) - {"follow"}
    named = [n for n in sorted(known) if not n.startswith("_") and callable(getattr(type(thing), n, None))]
    return [*named, "__call__"] if callable(thing) else named


def _on_the_left(kind: str, name: str) -> Make:
    return lambda: lambda *other: getattr(operator, name)(OBJECTS[kind](), *other)


def _on_the_right(kind: str, name: str) -> Make:
    return lambda: lambda other: getattr(operator, name)(other, OBJECTS[kind]())


def parameters(thing: Any) -> tuple[str, ...]:
    try:
        return tuple(n for n in inspect.signature(thing).parameters if n not in ("self", "kwargs"))
    except ValueError:
        return ()


CALLS = calls()


# ------------------------------------------------------------------------------------------------- one call
class Draw:
    """Arguments for one call, from a source of random numbers; ``drawn`` lists them afterwards."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.drawn: list[Any] = []

    def one(self, name: str) -> Any:
        sense = SENSE.get(name, ARRAYS)
        value = self.rng.choice(sense if self.rng.random() < 0.65 else NONSENSE)()
        self.drawn.append(value)
        return value

    def arguments(self, names: tuple[str, ...]) -> tuple[list[Any], dict[str, Any]]:
        most = len(names) + (self.rng.random() < 0.1)
        least = min(most, self.rng.choice([0, 1, 2, 3, most, most]))
        args = [self.one(names[k] if k < len(names) else "x") for k in range(least)]
        rest = [n for n in names[least:] if self.rng.random() < 0.3]
        kwargs = {n: self.one(n) for n in rest}
        if self.rng.random() < 0.05:
            kwargs["no_such_name"] = 1
        return args, kwargs


ARITY = re.compile(
    r"positional argument|keyword argument|missing \d+ required|got multiple values|takes no arguments|"
    r"exactly one argument|expected (at least |at most |exactly )?\d+ argument"
)


def allowed(error: BaseException) -> bool:
    """Whether an error is one of the kit's, the caller's own, or Python's about the number and names of arguments."""
    if isinstance(error, (AutodiffError, UsersError)):
        return True
    if type(error) is TypeError and ARITY.search(str(error)) is not None:
        return True
    places, trace = [], error.__traceback__
    while trace is not None:
        places.append(trace.tb_frame.f_code.co_filename)
        trace = trace.tb_next
    if places[-1] == VALUES:  # raised by NumPy inside a function of the caller
        return isinstance(error, Exception) and not isinstance(error, TimeoutError)
    own = max((k for k, place in enumerate(places) if place == VALUES), default=len(places))
    numpys = str(Path(np.__file__).parent)
    if own < len(places) and all(place.startswith((f"{KIT}/compile", numpys)) for place in places[own + 1 :]):
        return True  # the same, if the function computes with symbolic arrays, perhaps by NumPy's operators
    # A structured array on the left of an operator does not try the right operand.
    return isinstance(error, TypeError) and not any(p.startswith(KIT) for p in places) and "structured" in str(error)


def frozen(value: Any) -> Any:
    """The objects that a call must not change: arrays and plain containers."""
    if isinstance(value, np.ndarray) and value.dtype.kind in "biufc":
        return value.shape, value.tobytes()
    if isinstance(value, (list, tuple)):
        return tuple(frozen(v) for v in value)
    if isinstance(value, dict):
        return tuple((str(k), frozen(v)) for k, v in value.items())
    return None


@contextmanager
def in_time(seconds: float) -> Iterator[None]:
    def late(*_: Any) -> None:
        raise TimeoutError(f"more than {seconds} s")

    before = signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def use(result: Any, draw: Draw) -> Any:
    """Use the result of a call: enter a context, call a function."""
    if hasattr(result, "__enter__") and not isinstance(result, (ak.GradientTape, ak.ForwardAccumulator)):
        with result:
            ak.floor(ak.constant(1.5))
    elif inspect.isfunction(result) or type(result).__name__ == "Compiled":
        return result(*[draw.one("x") for _ in range(draw.rng.choice([1, 1, 2]))])
    return result


def differentiated(make: Make, args: list[Any], kwargs: dict[str, Any], draw: Draw) -> None:
    """The call inside a tape, then the gradients and perhaps the Jacobian of the result."""
    sources = [v for v in flatten([args, kwargs]) if isinstance(v, (ak.Tensor, ak.Variable)) and v.dtype.kind == "f"]
    with ak.GradientTape(persistent=True) as tape:
        tape.watch(sources)
        result = use(make()(*args, **kwargs), draw)
    if isinstance(result, ak.Tensor) and result.dtype.kind == "f" and sources:
        tape.gradient(result, sources)
        if result.size < 20 and draw.rng.random() < 0.3:
            tape.jacobian(result, sources, mode=draw.rng.choice(["forward", "reverse"]))


def attempt(name: str, rng: random.Random) -> str:
    """Make one call; return a description of the failure, or an empty text."""
    draw, (make, names) = Draw(rng), CALLS[name]
    args, kwargs = draw.arguments(names)
    given = list(draw.drawn)
    before = frozen(given)
    complaint = ""
    with warnings.catch_warnings(record=True) as caught, np.errstate(all="ignore"), in_time(2.0):
        warnings.simplefilter("always")
        try:
            if draw.rng.random() < 0.5:
                differentiated(make, args, kwargs, draw)
            else:
                use(make()(*args, **kwargs), draw)
        except BaseException as error:  # noqa: BLE001 - whatever escapes is what is looked for
            complaint = "" if allowed(error) else f"{type(error).__name__}: {error}"
            attempt.error = error  # type: ignore[attr-defined]
    if open_records.records:
        open_records.records.clear()
        complaint = complaint or "a tape was left open"
    if frozen(given) != before:
        complaint = complaint or "an argument was changed"
    odd = [w for w in caught if w.category is not UserWarning and not issubclass(w.category, RuntimeWarning)]
    complaint = complaint or "".join(f"{w.category.__name__}: {w.message}" for w in odd)
    return f"{name}({args!r}, {kwargs!r}): {complaint}" if complaint else ""
