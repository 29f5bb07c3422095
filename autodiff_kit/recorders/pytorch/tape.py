"""The recording of a block as a program that can be asked: :class:`TorchTape`."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import torch
from torch.optim import optimizer as torch_optimizer

from autodiff_kit.core.source_location import SourceLocation
from autodiff_kit.diagnostics.recorded_program import Contribution
from autodiff_kit.diagnostics.tape_nodes import TapeNode
from autodiff_kit.errors import ArgumentError, OpenTapeError, TapeError
from autodiff_kit.recorders.finding import add_notes
from autodiff_kit.recorders.pytorch.backward_pass import BackwardPass
from autodiff_kit.recorders.pytorch.flops import operation_flops
from autodiff_kit.recorders.pytorch.names import named_tensors
from autodiff_kit.recorders.pytorch.recording import Recording
from autodiff_kit.recorders.pytorch.recording_mode import RecordingMode
from autodiff_kit.recorders.pytorch.tensor_values import as_numpy, saved_bytes
from autodiff_kit.recorders.recorded_tape import RecordedTape
from autodiff_kit.recorders.user_lines import callers_of, calling_frame, is_users_file, variables_of

if TYPE_CHECKING:
    from autodiff_kit.diagnostics.gradient_explanation import GradientExplanation
    from autodiff_kit.recorders.gradient_report import GradientReport

__all__ = ["TorchTape"]

_open = threading.local()


class TorchTape(RecordedTape):
    """What PyTorch computed in a block; made by :func:`autodiff_kit.record_torch`.

    Attributes
    ----------
    error : GradientExplanation or None
        The explanation of the exception that left the block, if it was about a gradient.
    recording : Recording
        Operations and events, as they were written down.
    file, line : str, int
        Where the block stands: the text of the program around it is looked at for what happened before.
    callers : list of SourceLocation
        The lines that were running when the block began, the innermost first.
    """

    library = "torch"

    def __init__(self, optimizer: Any, max_operations: int, max_bytes: int) -> None:
        given = [] if optimizer is None else list(optimizer) if isinstance(optimizer, (list, tuple)) else [optimizer]
        for one in given:
            if not hasattr(one, "param_groups"):
                raise ArgumentError(
                    f"optimizer must be an optimizer of PyTorch or a list of them, got {type(one).__name__}"
                )
        self.optimizers = given
        self.recording = Recording(max_operations, max_bytes)
        self.error: GradientExplanation | None = None
        self.mode: RecordingMode | None = None
        self._entered = False
        self._names: dict[int, tuple[Any, str]] = {}
        self.optimizer_names: dict[int, str] = {}
        self.file, self.line = "", 0  # of the block
        self.callers: list[SourceLocation] = []
        self._handles: list[Any] = []

    def __enter__(self) -> TorchTape:
        if getattr(_open, "tape", None) is not None:
            raise OpenTapeError(
                "a block of ak.record_torch is open already in this thread; close it first, or record everything in one"
            )
        if self._entered:
            raise TapeError("this tape has recorded its block; call ak.record_torch() again for another one")
        self._entered = True
        self.mode = mode = RecordingMode(self.recording)
        self._handles = [
            torch_optimizer.register_optimizer_step_pre_hook(mode.before_step),
            torch_optimizer.register_optimizer_step_post_hook(mode.after_step),
        ]
        frame = calling_frame(1)
        self.stand_at(frame)
        self.callers = callers_of(frame)
        self.recording.older = {id(tensor): tensor for _, tensor in named_tensors(frame)}
        mode.__enter__()
        _open.tape = self
        return self

    def __exit__(self, kind: Any, error: BaseException | None, traceback: Any) -> None:
        assert self.mode is not None
        self.mode.__exit__(kind, error, traceback)
        _open.tape = None
        for handle in self._handles:
            handle.remove()
        self._handles, self.mode = [], None
        frame = calling_frame(1)
        if is_users_file(frame.f_code.co_filename):
            self.stand_at(frame)
        self.take_names(frame)
        if isinstance(error, Exception):
            self.explain_error(error, frame)

    def stand_at(self, frame: Any) -> None:
        """Look at the text of the program around a frame's present line for what the block did not see."""
        self.file, self.line = frame.f_code.co_filename, frame.f_lineno

    def take_scope(self, scope: dict[str, Any]) -> None:
        """Note the names of tensors and optimizers in a namespace."""
        self.take_names(SimpleNamespace(f_locals=scope, f_globals=scope))

    def begin_again(self) -> None:
        """Forget what was recorded, while the block goes on: the next turn of a loop begins."""
        self.optimizers += [o for o in self._seen_optimizers() if not any(o is known for known in self.optimizers)]
        self.recording.forget()

    def _seen_optimizers(self) -> list[Any]:
        return [e.what for e in self.recording.events if e.kind in ("step", "made_optimizer") and e.what is not None]

    def knows_optimizers(self) -> bool:
        """Whether an optimizer was given, made or used."""
        return bool(self.optimizers or self._seen_optimizers())

    @property
    def last_target(self) -> Any:
        """What the last finished backward pass began at; None without one."""
        return next((p.roots[0] for p in reversed(self.recording.passes) if p.finished and p.roots), None)

    def parameters(self) -> list[tuple[str, Any]]:
        """Names and tensors of the parameters that optimizers hold; without optimizers, of all leaves with a name."""
        held = [p for o in (*self.optimizers, *self._seen_optimizers()) for g in o.param_groups for p in g["params"]]
        named = [(name, tensor) for tensor, name in self._names.values() if tensor.is_leaf]
        known = {id(tensor): name for name, tensor in named}
        if not held:
            return [(name, tensor) for name, tensor in named if tensor.requires_grad]
        unique = {id(p): p for p in held}
        return [(known.get(key, f"parameter {k}"), p) for k, (key, p) in enumerate(unique.items())]

    def take_names(self, frame: Any) -> None:
        """Note the names of tensors and optimizers in a frame."""
        for name, tensor in named_tensors(frame):
            self._names.setdefault(id(tensor), (tensor, name))
        for name, value in variables_of(frame).items():
            if isinstance(value, torch.optim.Optimizer):
                self.optimizer_names[id(value)] = name

    def add_name(self, tensor: Any, name: str) -> None:
        """Let a tensor have a name in what is told of it."""
        self._names[id(tensor)] = (tensor, name)

    def explain_error(self, error: BaseException, frame: Any) -> None:
        """Explain an exception of the block, and add what was found to it as notes."""
        from autodiff_kit.recorders.pytorch.exceptions import explain_error

        try:
            self.error = explain_error(self, error, frame)
        except Exception as trouble:  # noqa: BLE001 - the user's own error is what has to be seen
            self.recording.trouble = self.recording.trouble or trouble
        if self.error is not None:
            add_notes(error, self.error)

    def __repr__(self) -> str:
        count = len(self.recording.operations)
        stopped = f", stopped because {self.recording.stopped}" if self.recording.stopped else ""
        return f"<TorchTape: {count:,} operation{'' if count == 1 else 's'}{stopped}>"

    # ------------------------------------------------------------------------------------------ the recorded program
    @property
    def nodes(self) -> Sequence[TapeNode]:
        """The operations in execution order; of several outputs, shape and dtype are those of the first."""
        found: list[TapeNode] = []
        for k, operation in enumerate(self.recording.operations):
            shape, dtype = (
                self._shape_and_dtype(operation.outputs[0]) if operation.outputs else ((), _plain(operation.left))
            )
            inputs = tuple(map(self._node_id, operation.inputs))
            found.append(TapeNode(k, operation.name, inputs, shape, dtype, *operation.place))
        return found

    @property
    def leaves(self) -> Sequence[TapeNode]:
        """Parameters and inputs, in the order of their first use."""
        found: list[TapeNode] = []
        for number in self._leaf_numbers:
            value = self.recording.values[number]
            kind = "parameter" if isinstance(value.tensor, torch.nn.Parameter) else "input"
            found.append(TapeNode(-1 - len(found), kind, (), *self._shape_and_dtype(number), "", 0, ""))
        return found

    @property
    def _leaf_numbers(self) -> list[int]:
        return [k for k, value in enumerate(self.recording.values) if value.operation < 0]

    def _shape_and_dtype(self, number: int) -> tuple[tuple[int, ...], str]:
        value = self.recording.values[number]
        return tuple(value.shape), str(value.dtype).removeprefix("torch.")

    def _node_id(self, number: int) -> int:
        operation = self.recording.values[number].operation
        return operation if operation >= 0 else -1 - self._leaf_numbers.index(number)

    def _number(self, node_id: int) -> int | None:
        """The number of a node's first output, or of a leaf."""
        if node_id < 0:
            return self._leaf_numbers[-1 - node_id]
        outputs = self.recording.operations[node_id].outputs
        return outputs[0] if outputs else None

    def id_of(self, value: Any) -> int | None:
        """The id of a tensor's present value."""
        number = self.recording.number_of(value)
        return None if number is None else self._node_id(number)

    def name(self, node_id: int) -> str:
        """The name of the variable, or the path of the parameter, that held a tensor when the block ended."""
        number = self._number(node_id)
        tensor = None if number is None else self.recording.values[number].tensor
        known, name = self._names.get(id(tensor), (None, ""))
        return name if known is tensor and tensor is not None else ""

    def value(self, node_id: int) -> Any:
        """A value as it was computed; None where it is not held, or was written over and not copied."""
        number = self._number(node_id)
        if number is None:
            return self.recording.operations[node_id].left
        value = self.recording.values[number]
        if value.copy is not None:
            return as_numpy(value.copy)
        tensor = value.tensor
        return as_numpy(tensor) if tensor is not None and self.recording.number_of(tensor) == number else None

    def held_bytes(self, node_id: int) -> int:
        """Bytes of the tensors that the operation's node of the graph has saved; 0 after the graph was freed."""
        number = self._number(node_id)
        tensor = None if number is None or node_id < 0 else self.recording.values[number].tensor
        return 0 if tensor is None else saved_bytes(tensor)

    def flops(self, target: Any = None) -> Sequence[tuple[int, int]]:
        """Operations of each call: exact for products and convolutions, one for each entry otherwise."""
        needed = None if target is None else self._needed_by(target)
        return [
            operation_flops(self.recording, operation, needed is None or k in needed)
            for k, operation in enumerate(self.recording.operations)
        ]

    def _needed_by(self, target: Any) -> set[int]:
        found: set[int] = set()
        number = self.recording.number_of(target)
        todo = [] if number is None else [self.recording.values[number].operation]
        while todo:
            k = todo.pop()
            if k >= 0 and k not in found:
                found.add(k)
                todo += [self.recording.values[n].operation for n in self.recording.operations[k].inputs]
        return found

    def contributions(self, target: Any, seed: Any = None) -> Sequence[Contribution]:
        """The parts of all cotangents, by a backward pass whose graph is kept."""
        from autodiff_kit.recorders.pytorch.cotangents import contributions

        return contributions(self, target, seed)

    def explain_sources(self, target: Any, sources: Sequence[Any], frame: Any) -> list[GradientExplanation]:
        """An explanation for each source."""
        from autodiff_kit.recorders.pytorch.diagnosis import Diagnosis

        if self.recording.stopped == "" and self.mode is not None:
            raise TapeError("ask the tape after its block has ended: leave the `with` statement first")
        self.take_names(frame)
        diagnosis = Diagnosis(self, target, frame)
        return [diagnosis.explain(source) for source in sources]

    def report(self, loss: Any, model: Any) -> GradientReport:
        """What gradient each parameter gets from a loss, and what is wrong with it.

        Parameters
        ----------
        loss : Tensor
        model : Module, or iterable of (name, parameter)

        Returns
        -------
        GradientReport
            A row for each parameter; prints as text, and as a table in a notebook.
        """
        from autodiff_kit.recorders.pytorch.report import report

        frame = calling_frame(1)
        self.take_names(frame)
        return report(self, loss, model, frame)

    def report_of_passes(self) -> GradientReport:
        """What each parameter that an optimizer holds got from the last backward pass that reached it."""
        from autodiff_kit.recorders.pytorch.report import report_of_passes

        return report_of_passes(self)

    @property
    def passes(self) -> list[BackwardPass]:
        """The backward passes of the block."""
        return self.recording.passes


def _plain(value: Any) -> str:
    return type(value).__name__
