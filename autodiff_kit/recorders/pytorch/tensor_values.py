"""Tensors as NumPy arrays, and the bytes that the graph keeps for them."""

from __future__ import annotations

from typing import Any

import torch

__all__ = ["as_numpy", "saved_bytes"]


def as_numpy(tensor: Any) -> Any:
    """A tensor as a NumPy array; None for one that has no numbers, such as one inside of a transform."""
    try:
        plain = tensor.detach()
        plain = plain.to_dense() if plain.layout is not torch.strided else plain
        return (plain.float() if plain.dtype is torch.bfloat16 else plain).cpu().resolve_conj().numpy()
    except (RuntimeError, TypeError):
        return None


def saved_bytes(tensor: Any) -> int:
    """Bytes of what the graph's node of a tensor has saved for the backward pass."""
    fn, found = tensor.grad_fn, {}
    for name in dir(fn) if fn is not None else ():
        if name.startswith("_saved_"):
            try:
                saved = getattr(fn, name)
            except RuntimeError:  # it was freed
                return 0
            for one in saved if isinstance(saved, (list, tuple)) else [saved]:
                if isinstance(one, torch.Tensor):
                    found[one.data_ptr()] = one.numel() * one.element_size()
    return sum(found.values())
