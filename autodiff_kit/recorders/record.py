"""The functions that begin a recording; each asks for its library only when it is called."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from autodiff_kit import extras

if TYPE_CHECKING:
    from autodiff_kit.recorders.pytorch.tape import TorchTape

__all__ = ["record_torch"]


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
