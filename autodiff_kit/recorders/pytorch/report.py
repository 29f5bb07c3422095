"""The gradient of each parameter of a model of PyTorch (``tape.report``)."""

from __future__ import annotations

from collections.abc import Iterable
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import torch

from autodiff_kit.diagnostics.gradient_explanation import GradientExplanation
from autodiff_kit.errors import DtypeError
from autodiff_kit.recorders.gradient_report import GradientReport, GradientReportRow, size_word
from autodiff_kit.recorders.pytorch.diagnosis import Diagnosis

if TYPE_CHECKING:
    from autodiff_kit.recorders.pytorch.tape import TorchTape

__all__ = ["report", "report_of_passes"]


def report(tape: TorchTape, loss: Any, model: Any, frame: Any) -> GradientReport:
    """A row for each parameter of a module, or of an iterable of names and parameters."""
    named = list(_named_parameters(model))
    for name, parameter in named:
        tape.add_name(parameter, name)
    diagnosis = Diagnosis(tape, loss, frame)
    return GradientReport(diagnosis.target_name, tuple(_row(diagnosis, name, p) for name, p in named))


def report_of_passes(tape: TorchTape) -> GradientReport:
    """A row for each parameter that an optimizer holds, about the last backward pass that reached it.

    So of two losses that are trained in turns, as in a GAN, each parameter is asked about its own.
    """
    frame = SimpleNamespace(f_locals={}, f_globals={})
    finished = [done for done in tape.passes if done.finished and done.roots]
    diagnoses: dict[int, Diagnosis] = {}
    rows = []
    for name, parameter in tape.parameters():
        tape.add_name(parameter, name)
        target = next((d.roots[0] for d in reversed(finished) if id(parameter) in d.leaves), tape.last_target)
        if id(target) not in diagnoses:
            diagnoses[id(target)] = Diagnosis(tape, target, frame)
        rows.append(_row(diagnoses[id(target)], name, parameter))
    return GradientReport(" and ".join(d.target_name for d in diagnoses.values()), tuple(rows))


def _row(diagnosis: Diagnosis, name: str, parameter: Any) -> GradientReportRow:
    found, size = diagnosis.explain(parameter), diagnosis.largest_gradient(parameter)
    return GradientReportRow(name, _state(found, size), size, found)


def _named_parameters(model: Any) -> Iterable[tuple[str, Any]]:
    if isinstance(model, torch.nn.Module):
        return list(model.named_parameters())
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
