"""The user's names of tensors: variables, and paths of a module's parameters."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch

from autodiff_kit.recorders.user_lines import variables_of

__all__ = ["name_of", "named_tensors"]

_MAX_ENTRIES = 200  # of a list or a dict that are looked at


def named_tensors(frame: Any) -> Iterator[tuple[str, Any]]:
    """Tensors that variables of a frame hold, directly, as a module's parameters, or in a list, tuple or dict."""
    for name, value in variables_of(frame).items():
        if not name.startswith("_"):
            yield from _inside(name, value)


def _inside(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, torch.Tensor):
        yield name, value
    elif isinstance(value, torch.nn.Module):
        for path, parameter in value.named_parameters():
            yield f"{name}.{path}", parameter
        yield from _plain_lists_of_layers(name, value)
    elif isinstance(value, (list, tuple)):
        for k, one in enumerate(value[:_MAX_ENTRIES]):
            if isinstance(one, (torch.Tensor, torch.nn.Module)):
                yield from _inside(f"{name}[{k}]", one)
    elif isinstance(value, dict):
        for key, one in list(value.items())[:_MAX_ENTRIES]:
            if isinstance(one, (torch.Tensor, torch.nn.Module)):
                yield from _inside(f"{name}[{key!r}]", one)


def _plain_lists_of_layers(name: str, module: Any) -> Iterator[tuple[str, Any]]:
    """Layers and tensors in a plain list, dict or attribute of a module, which PyTorch does not register."""
    for inner_name, inner in module.named_modules():
        prefix = f"{name}.{inner_name}" if inner_name else name
        for attribute, value in list(vars(inner).items()):
            if not attribute.startswith("_") and isinstance(value, (list, tuple, dict, torch.Tensor)):
                yield from _inside(f"{prefix}.{attribute}", value)


def name_of(frame: Any, tensor: Any, otherwise: str) -> str:
    """The name of a tensor in a frame."""
    return next((name for name, one in named_tensors(frame) if one is tensor), otherwise)
