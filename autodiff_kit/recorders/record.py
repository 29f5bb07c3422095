"""The functions that begin a recording; each asks for its library only when it is called."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from autodiff_kit import extras

if TYPE_CHECKING:
    from autodiff_kit.recorders.jax.tape import JaxTape
    from autodiff_kit.recorders.pytorch.tape import TorchTape

__all__ = ["record_jax", "record_torch"]


def record_torch(optimizer: Any = None, max_operations: int = 100_000, max_bytes: int = 256 << 20) -> TorchTape:
    """Record what PyTorch computes in a block, so that each gradient can be explained.

    Parameters
    ----------
    optimizer : torch.optim.Optimizer, or list of them, optional
        The optimizers that should move the parameters. Those that take a step in the block are found without it.
    max_operations : int, optional
        After so many operations the recording stops, with a warning; the program runs on.
    max_bytes : int, optional
        Bytes of values that are kept alive by the recording; of later ones only shapes and lines are known.

    Returns
    -------
    TorchTape
        Use it in a ``with`` statement.

    Raises
    ------
    MissingPackageError
        If PyTorch is not installed.

    Notes
    -----
    The block may hold forward passes, ``backward()`` and optimizer steps. An exception that leaves it is raised as it
    was, with a note that names cause and line. Only the thread that opened the block is recorded. Of a
    function of ``torch.compile``, gradients are explained as PyTorch's graph has them; take the compiler away to see each
    line. Tried with PyTorch 2.13.

    **Cost.** `benchmarks/recorded_programs.py` measures it.

    Examples
    --------
    >>> import torch  # doctest: +SKIP
    >>> w = torch.ones(3, requires_grad=True)  # doctest: +SKIP
    >>> with ak.record_torch() as tape:  # doctest: +SKIP
    ...     loss = w.detach().sum()
    >>> tape.explain(loss, w).kind  # doctest: +SKIP
    'detached'
    """
    extras.require("torch", "torch", "Recording a PyTorch program")
    from autodiff_kit.recorders.pytorch.tape import TorchTape

    return TorchTape(optimizer, max_operations, max_bytes)


def record_jax(
    f: Callable[..., Any],
    *args: Any,
    argnums: int | tuple[int, ...] = 0,
    has_aux: bool | None = None,
    max_equations: int = 5_000,
) -> JaxTape:
    """Record what a function of JAX computes, so that each gradient of it can be explained.

    Parameters
    ----------
    f : callable
        What would be given to ``jax.grad``: the function itself, or one of ``jax.jit``.
    *args : pytree
        The arguments of a call.
    argnums : int or tuple of int, optional
        The arguments that are differentiated, as for ``jax.grad``.
    has_aux : bool, optional
        Whether the function returns its loss and something else, as for ``jax.grad``. By default it is looked up in the
        text of the program: whether a call says ``has_aux=True`` of this function.
    max_equations : int, optional
        A program of more equations is not evaluated: paths and lines are told, zeros and nans are not looked for, and
        the explanation says so.

    Returns
    -------
    JaxTape

    Raises
    ------
    MissingPackageError
        If JAX is not installed.

    Notes
    -----
    The function is traced, once or twice, and not run; values and cotangents are computed from the jaxpr when they are
    first needed, one equation after the other. An error of a tracer, such as that of ``float(x)``, is raised as it was,
    with notes that name its line and remedy; its attribute `explanation` holds them. Tried with JAX 0.10.2.

    Examples
    --------
    >>> import jax, jax.numpy as jnp  # doctest: +SKIP
    >>> tape = ak.record_jax(lambda p: jnp.sum(jax.lax.stop_gradient(p["w"])), {"w": jnp.ones(3)})  # doctest: +SKIP
    >>> tape.explain((0, "w")).kind  # doctest: +SKIP
    'stop_gradient'
    """
    extras.require("jax", "jax", "Recording a JAX program")
    from autodiff_kit.recorders.jax.tape import record

    return record(f, args, argnums, has_aux, max_equations)
