"""The gradient of each parameter of a model of PyTorch (``tape.report``)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import torch

from autodiff_kit.diagnostics.gradient_explanation import GradientExplanation
from autodiff_kit.errors import DtypeError
from autodiff_kit.recorders.gradient_report import GradientReport, GradientReportRow, size_word
from autodiff_kit.recorders.pytorch.diagnosis import Diagnosis

if TYPE_CHECKING:
    from autodiff_kit.recorders.pytorch.tape import TorchTape

__all__ = ["report"]


def report(tape: TorchTape, loss: Any, model: Any, frame: Any) -> GradientReport:
    """A row for each parameter of a module, or of an iterable of names and parameters."""
    named = list(_named_parameters(model))
    for name, parameter in named:
        tape.add_name(parameter, name)
    diagnosis = Diagnosis(tape, loss, frame)
    rows = []
    for name, parameter in named:
        found = diagnosis.explain(parameter)
        size = diagnosis.largest_gradient(parameter)
        rows.append(GradientReportRow(name, _state(found, size), size, found))
    return GradientReport(diagnosis.target_name, tuple(rows))


def _named_parameters(model: Any) -> Iterable[tuple[str, Any]]:
    if isinstance(model, torch.nn.Module):
        return model.named_parameters()
    given = list(model.items() if isinstance(model, dict) else model) if isinstance(model, Iterable) else [model]
    pairs = [one if isinstance(one, tuple) else (f"parameter {k}", one) for k, one in enumerate(given)]
    if not all(isinstance(parameter, torch.Tensor) for _, parameter in pairs):
        raise DtypeError(f"report takes a module, or its named_parameters(), got {type(model).__name__}")
    return pairs


def _state(found: GradientExplanation, size: float | None) -> str:
    kind = found.kind
    if kind == "frozen":
        return "frozen"
    if kind == "accumulated":
        return "stale .grad"
    if kind == "optimizer":
        return (
            "not in the optimizer" if "not among" in found.because or "holds the old" in found.because else "not moved"
        )
    if found.gradient in ("None", "zero", "nan"):
        return found.gradient
    if kind != "connected":
        return f"flows, but {kind}"
    return size_word(size)
