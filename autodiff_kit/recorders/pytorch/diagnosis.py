"""Why the gradient of a target with respect to a source is what it is: :class:`Diagnosis`.

A gradient that is None is a path by value that is no path by gradient: the last operation where they part is the cause.
Where there is a path by gradient, a backward pass tells where the cotangents first become zero or nan. What happened to
a gradient that is sound, in hooks, in further passes and in the optimizer, comes last.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from autodiff_kit.core.source_location import SourceLocation
from autodiff_kit.diagnostics.gradient_explanation import GradientExplanation
from autodiff_kit.errors import DtypeError, TapeError
from autodiff_kit.recorders.finding import Finding, explanation
from autodiff_kit.recorders.pytorch import after_the_pass, bad_cotangents, missing_paths
from autodiff_kit.recorders.pytorch.backward_pass import BackwardPass
from autodiff_kit.recorders.pytorch.cotangents import Edge, Graph, run_pass
from autodiff_kit.recorders.pytorch.names import name_of
from autodiff_kit.recorders.pytorch.value_paths import ValuePaths

if TYPE_CHECKING:
    from autodiff_kit.recorders.pytorch.tape import TorchTape

__all__ = ["Diagnosis"]


class Diagnosis:
    """Explains the gradient of one target with respect to any number of sources.

    Parameters
    ----------
    tape : TorchTape
    target : object
    frame : frame
        The user's frame, for names and for the text of the program.
    """

    def __init__(self, tape: TorchTape, target: Any, frame: Any) -> None:
        self.tape, self.target, self.frame, self.recording = tape, target, frame, tape.recording
        if not self.recording.operations and not self.recording.events:
            raise TapeError(
                "nothing was recorded: put the forward pass inside of `with ak.record_torch() as tape:`"
                + (f" (the recording stopped because {self.recording.stopped})" if self.recording.stopped else "")
            )
        self.file, self.line = tape.file, tape.line
        self.target_name = self.name(target, "the target")
        self.paths: ValuePaths | None = None
        self.graph: Graph | None = None
        self._pass: BackwardPass | None = None
        self.trouble = ""
        if isinstance(target, torch.Tensor):
            self._check_target()
        elif isinstance(target, (torch.nn.Module, torch.optim.Optimizer)) or not isinstance(
            target, (int, float, complex, np.ndarray, np.generic)
        ):
            raise DtypeError(f"the target must be a tensor, such as the loss, got {type(target).__name__}")

    def _check_target(self) -> None:
        number = self.recording.number_of(self.target)
        if number is not None:
            self.paths = ValuePaths(self.recording, number)
        elif self.target.grad_fn is None:
            raise TapeError(
                "the target was not computed in this block: compute the loss inside of `with ak.record_torch()`, and "
                "ask the tape of that block"
            )
        if self.target.grad_fn is not None:
            self.graph = Graph(self.recording, self.target)

    def name(self, tensor: Any, otherwise: str) -> str:
        """The user's name for a tensor."""
        known, name = self.tape._names.get(id(tensor), (None, ""))
        return name if known is tensor else name_of(self.frame, tensor, otherwise)

    def explain(self, source: Any) -> GradientExplanation:
        """The explanation for one source."""
        if isinstance(source, (torch.nn.Module, torch.optim.Optimizer)):
            raise DtypeError(
                f"a source must be a tensor, got {type(source).__name__}; tape.report(loss, model) takes a model"
            )
        source_name = self.name(source, "the source")
        return explanation(self._find(source, source_name), self.target_name, source_name)

    def _find(self, source: Any, source_name: str) -> Finding:
        if not isinstance(source, torch.Tensor):
            return missing_paths.plain_value(self, source, source_name, "source")
        if not isinstance(self.target, torch.Tensor):
            return missing_paths.plain_value(self, self.target, self.target_name, "target")
        if source is self.target:
            return Finding("connected", detail="The source is the target itself.")
        edges = self.graph.edges_of(source) if self.graph is not None and source.requires_grad else []
        if not edges:
            return missing_paths.missing_path(self, source, source_name)
        assert self.graph is not None
        return (
            missing_paths.not_a_leaf(self, source, source_name)
            or self._bad_gradient(source, edges, source_name)
            or after_the_pass.after_the_pass(self, source, source_name)
            or Finding("connected", detail=self._connection(source_name, edges))
        )

    def _bad_gradient(self, source: Any, edges: list[Edge], source_name: str) -> Finding | None:
        done = self.backward_pass(source)
        if done is None:
            return bad_cotangents.from_stored_gradient(self, source, source_name)
        sizes = [done.largest[edge] for edge in edges if edge in done.largest]
        if not sizes:
            return bad_cotangents.no_cotangent(self, done, edges, source_name)
        nan = bad_cotangents.nan_target(self)
        if nan is not None:
            return nan
        hook = bad_cotangents.changed_by_hook(self, done, edges, source)
        if hook is not None:
            return hook
        if any(not math.isfinite(size) for size in sizes):
            return bad_cotangents.first_nan(self, done, edges, source_name)
        if not any(sizes):
            return bad_cotangents.first_zero(self, done, edges, source_name)
        return None

    def backward_pass(self, source: Any) -> BackwardPass | None:
        """A finished pass from the target: one of the block's, or else a new one, whose graph is kept."""
        for done in reversed(self.recording.passes):
            if done.finished and done.accumulates and any(root is self.target for root in done.roots):
                return done
        if self._pass is None or not source.is_leaf:
            try:
                self._pass = run_pass(self.recording, self.target, [source])
            except RuntimeError as error:  # it was freed, or a value was written over
                self.trouble = str(error)
                target_node = self.target.grad_fn
                return next((p for p in reversed(self.recording.passes) if p.finished and target_node in p.nodes), None)
        return self._pass

    def largest_gradient(self, source: Any) -> float | None:
        """The largest magnitude of a source's gradient; None without one."""
        edges = self.graph.edges_of(source) if self.graph is not None and source.requires_grad else []
        done = self.backward_pass(source) if edges else None
        return None if done is None else max((done.largest[e] for e in edges if e in done.largest), default=None)

    def place(self, fn: Any) -> SourceLocation:
        """The user's line of a node of PyTorch's graph."""
        k = self.graph.operation.get(fn) if self.graph is not None else None
        return SourceLocation("", 0, "") if k is None else self.recording.operations[k].place

    def _connection(self, source_name: str, edges: list[Edge]) -> str:
        assert self.graph is not None
        count = len({self.graph.operation.get(fn) for fn in self.graph.between(edges)} - {None})
        steps = "1 operation leads" if count == 1 else f"{count} operations lead"
        stopped = f" The recording stopped, because {self.recording.stopped}." if self.recording.stopped else ""
        return f"{steps} from {source_name} to {self.target_name}.{stopped}"
