"""Systems: the same gradient, computed in the way of each library.

A system is a function that returns numbers, in any nested structure of that library's arrays. ``restart`` resets the
state of a system to its beginning.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import autodiff_kit as ak
from benchmarks.library_comparison.setting import Setting

Function = Callable[..., Any]
EAGER, COMPILED, HELD, HAND = "kit eager", "kit compiled", "kit compiled, kept", "NumPy by hand"
TORCH, JAX, DONATED, TENSORFLOW = "PyTorch", "JAX", "JAX donated", "TensorFlow"
AUTOGRAD, MYGRAD, TORCH_COMPILE = "autograd", "MyGrad", "torch.compile"
TRACED = "PyTorch traced"
PRODUCTS = "limit: its matrix products"


@dataclass
class System:
    """One way to compute a workload."""

    run: Callable[[], Any]
    restart: Callable[[], None] | None = None
    compiled: Any = None  # the result of ak.compile, if there is one
    numbers: bool = True  # whether its numbers are compared; a limit does only a part of the work


Systems = dict[str, System]


def limit(run: Callable[[], Any]) -> System:
    """A part of the work that every library must do: a copy, or only the matrix products."""
    return System(run, numbers=False)


def products(dtype: Any, *shapes: tuple[int, int, int, int]) -> Systems:
    """The matrix products of a step, by NumPy's BLAS into preallocated memory: rows, length, columns, how often."""
    rng = np.random.default_rng(1)
    ready = [
        (rng.random((m, k)).astype(dtype), rng.random((k, n)).astype(dtype), np.empty((m, n), dtype), times)
        for m, k, n, times in shapes
    ]

    def run() -> None:
        for a, b, out, times in ready:
            for _ in range(times):
                np.dot(a, b, out=out)

    return {PRODUCTS: limit(run)}


def arrays(nest: Any) -> list[np.ndarray[Any, Any]]:
    """The arrays in a nested structure, of any library."""
    if isinstance(nest, (list, tuple)):
        return [part for inner in nest for part in arrays(inner)]
    if isinstance(nest, dict):
        return arrays(list(nest.values()))
    if nest is None:
        return []
    if type(nest).__module__.startswith("mygrad"):
        nest = nest.data
    if hasattr(nest, "detach"):
        nest = nest.detach()
    return [np.array(nest.numpy() if hasattr(nest, "numpy") else nest)]


def kit(function: Function, *args: Any) -> Systems:
    """A function of the kit on arguments, eager and compiled."""
    compiled = ak.compile(function)
    return {
        EAGER: System(lambda: function(*args)),
        COMPILED: System(lambda: compiled(*args), compiled=compiled),
    }


def kept(function: Function, *args: Any) -> System:
    """A compiled function whose caller keeps each result until the next one is computed."""
    compiled = ak.compile(function)
    last: list[Any] = [None]

    def run() -> Any:
        last[0] = compiled(*args)
        return last[0]

    return System(run, compiled=compiled)


def jit(s: Setting, function: Function, *args: Any) -> Systems:
    """A function of JAX, compiled."""
    if s.jax is None:
        return {}
    fast = s.jax.jit(function)
    given = [s.jax.numpy.asarray(a) for a in args]
    return {JAX: System(lambda: s.jax.block_until_ready(fast(*given)))}


def gradients(s: Setting, args: Sequence[Any], wrt: Sequence[int], **losses: Function) -> Systems:
    """Value and gradients of a loss; each keyword gives the loss in the notation of one library.

    ``kit``, ``torch``, ``jax``, ``autograd``, ``mygrad`` and ``tensorflow`` take the arguments and return one number.
    """
    makers: dict[str, Callable[..., Systems]] = {
        "kit": _kit, "torch": _torch, "jax": _jax, "autograd": _autograd, "mygrad": _mygrad, "tensorflow": _tensorflow,
    }  # fmt: skip
    systems: Systems = {}
    for name, loss in losses.items():
        if name == "kit" or getattr(s, name) is not None:
            systems |= makers[name](s, loss, list(args), tuple(wrt))
    return systems


def _kit(_: Setting, loss: Function, args: list[Any], wrt: tuple[int, ...]) -> Systems:
    given = [a if isinstance(a, float) else ak.constant(a) for a in args]
    return kit(ak.value_and_grad(loss, wrt), *given)


def torch_run(s: Setting, loss: Function, args: list[Any], wrt: tuple[int, ...]) -> Callable[[], Any]:
    """Value and gradients by PyTorch's ``backward``."""
    given = [s.torch.tensor(a, requires_grad=k in wrt) for k, a in enumerate(args)]
    sources = [given[k] for k in wrt]

    def run() -> Any:
        for x in sources:
            x.grad = None
        value = loss(*given)
        value.backward()
        return value, [x.grad for x in sources]

    return run


def traced(s: Setting, loss: Function, args: Sequence[Any]) -> Function:
    """A loss as a graph of TorchScript: the same operations, without Python between them."""
    found: Function = s.torch.jit.trace(loss, tuple(map(s.torch.tensor, args)), check_trace=False)
    return found


def _torch(s: Setting, loss: Function, args: list[Any], wrt: tuple[int, ...]) -> Systems:
    args = [np.asarray(a) if isinstance(a, float) else a for a in args]
    systems = {TORCH: System(torch_run(s, loss, args, wrt))}
    systems[TRACED] = System(torch_run(s, traced(s, loss, args), args, wrt))
    if "torch.compile" in s.extras:
        systems[TORCH_COMPILE] = System(torch_run(s, s.torch.compile(loss), args, wrt))
    return systems


def _jax(s: Setting, loss: Function, args: list[Any], wrt: tuple[int, ...]) -> Systems:
    return jit(s, s.jax.value_and_grad(loss, wrt), *args)


def _autograd(s: Setting, loss: Function, args: list[Any], wrt: tuple[int, ...]) -> Systems:
    both = s.autograd.value_and_grad(loss, wrt)
    return {AUTOGRAD: System(lambda: both(*args))}


def _mygrad(s: Setting, loss: Function, args: list[Any], wrt: tuple[int, ...]) -> Systems:
    def run() -> Any:
        given = [s.mygrad.tensor(a, copy=False) if k in wrt else a for k, a in enumerate(args)]
        value = loss(*given)
        value.backward()
        return value, [given[k].grad for k in wrt]

    return {MYGRAD: System(run)}


def _tensorflow(s: Setting, loss: Function, args: list[Any], wrt: tuple[int, ...]) -> Systems:
    tf = s.tensorflow
    given = [tf.constant(np.asarray(a)) for a in args]

    def both(*xs: Any) -> Any:
        sources = [xs[k] for k in wrt]
        with tf.GradientTape() as tape:
            tape.watch(sources)
            value = loss(*xs)
        return value, tape.gradient(value, sources)

    fast = tf.function(both)
    return {TENSORFLOW: System(lambda: fast(*given))}
