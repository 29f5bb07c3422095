"""The function mode that sees each call on tensors while a block is open, and writes it into a recording."""

from __future__ import annotations

import os
import sys
import threading
import warnings
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import torch
from torch.overrides import TorchFunctionMode

from autodiff_kit.recorders.pytorch.backward_pass import BackwardPass
from autodiff_kit.recorders.pytorch.recording import Operation, Recording
from autodiff_kit.recorders.user_lines import calling_frame

__all__ = ["RecordingMode", "tensors_in"]

_QUIET = frozenset(
    [
        "size",
        "dim",
        "numel",
        "nelement",
        "stride",
        "storage_offset",
        "is_floating_point",
        "is_complex",
        "is_contiguous",
        "is_signed",
        "element_size",
        "is_same_size",
        "is_inference",
        "is_pinned",
        "is_shared",
        "has_names",
        "type_as_",
        "get_device",
        "data_ptr",
        "untyped_storage",
        "storage",
        "__len__",
        "__repr__",
        "__str__",
        "__format__",
        "__hash__",
        "__dir__",
        "_is_view",
        "_parse_to",
        "_has_compatible_shallow_copy_type",
        "result_type",
        "can_cast",
        "promote_types",
        "get_default_dtype",
        "is_tensor",
        "is_storage",
        "is_same",
        "broadcast_shapes",
        "_record_function_enter_new",
        "_record_function_exit",
        "manual_seed",
        "is_grad_enabled",
        "ndimension",
        "__reduce_ex__",
        "_is_zerotensor",
        "is_conj",
        "is_neg",
        "is_set_to",
        "is_autocast_enabled",
    ]
)
"""Functions that ask a tensor something without its numbers."""
_LEAVING = frozenset(
    [
        "item",
        "tolist",
        "numpy",
        "__float__",
        "__int__",
        "__index__",
        "__complex__",
        "__array__",
        "__dlpack__",
        "resolve_neg_",
    ]
)
_DECIDING = frozenset(["__bool__", "is_nonzero", "equal", "allclose", "__contains__"])
_IN_PLACE = frozenset(
    ["__setitem__", "__iadd__", "__isub__", "__imul__", "__itruediv__", "__ifloordiv__", "__imod__", "__ipow__"]
)


def tensors_in(*things: Any) -> list[Any]:
    """The tensors in arguments or results, also inside of lists, tuples and dicts, in their order."""
    found: list[Any] = []
    for thing in things:
        if isinstance(thing, torch.Tensor):
            found.append(thing)
        elif isinstance(thing, (list, tuple)):
            found += tensors_in(*thing)
        elif isinstance(thing, dict):
            found += tensors_in(*thing.values())
    return found


def _version(tensor: Any) -> int:
    try:
        return int(tensor._version)
    except RuntimeError:  # of inference mode, which counts none
        return 0


class RecordingMode(TorchFunctionMode):
    """Sees each call on tensors while a block is open.

    Parameters
    ----------
    recording : Recording
    """

    def __init__(self, recording: Recording) -> None:
        super().__init__()
        self.recording = recording
        self.grad_mode = (
            torch.is_grad_enabled()
        )  # as the user set it; inside of a custom function it is off all the same
        self.in_step = 0  # an optimizer's step is one operation
        self.thread = threading.get_ident()
        self.after_each_step: Callable[[Any], None] | None = None
        self.after_each_pass: Callable[[], None] | None = None
        self.gradients: dict[int, tuple[Any, Any]] = {}  # a .grad that was read, and its tensor
        _open_modes.add(self)

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Run a call, and note it."""
        kwargs = kwargs or {}
        name = getattr(func, "__name__", "")
        if name in ("__get__", "__set__"):
            written = name == "__set__"
            name = f".{func.__self__.__name__}{'=' if written else ''}"
            if name not in _OBSERVED_PROPERTIES:
                return func(*args, **kwargs)
        elif name in _QUIET:
            return func(*args, **kwargs)
        if self.recording.stopped:
            return func(*args, **kwargs)
        special = _SPECIAL.get(name)
        if special is not None:
            return special(self, func, args, kwargs)
        return func(*args, **kwargs) if self.in_step else self._run(name, func, args, kwargs)

    # ------------------------------------------------------------------------------------------------ operations
    def _run(self, name: str, func: Any, args: Any, kwargs: Any) -> Any:
        recording = self.recording
        frame = calling_frame(2)
        recording.last_frame = (frame.f_code, frame.f_lasti)
        try:
            inputs = tensors_in(args, kwargs) if kwargs else tensors_in(args)
            numbers = tuple([recording.input_number(t) for t in inputs])
            versions = [_version(t) for t in inputs]
            if (name[-1:] == "_" and name[-2:] != "__") or name in _IN_PLACE or "out" in kwargs or "inplace" in kwargs:
                for tensor in tensors_in(kwargs["out"]) if "out" in kwargs else inputs[:1]:
                    self.before_write(tensor)
        except Exception as error:  # noqa: BLE001 - what cannot be noted must not stop the user's program
            recording.trouble = recording.trouble or error
            return func(*args, **kwargs)
        out = func(*args, **kwargs)
        try:
            operation = Operation(name, numbers, frame.f_code, frame.f_lasti)
            self._note(operation, args, kwargs, inputs, versions, out)
        except Exception as error:  # noqa: BLE001 - as above
            recording.trouble = recording.trouble or error
        return out

    def before_write(self, tensor: Any) -> None:
        """Keep what is about to be written over: its node of the graph, and a copy of the numbers if there is room."""
        recording = self.recording
        value = recording.values[recording.input_number(tensor)]
        value.grad_fn = tensor.grad_fn
        size = tensor.numel() * tensor.element_size()
        if tensor.layout is torch.strided and recording.held_bytes + size <= recording.max_bytes:
            recording.held_bytes += size
            value.copy = tensor.detach().clone()

    def _note(
        self, operation: Operation, args: Any, kwargs: Any, inputs: list[Any], versions: list[int], out: Any
    ) -> None:
        recording, name = self.recording, operation.name
        outputs = tensors_in(out)
        written = [t for t, version in zip(inputs, versions, strict=True) if _version(t) != version]
        leaves = name in _LEAVING or name in _DECIDING
        if not (outputs or written or leaves):
            return
        if name in ("zero_", "_foreach_zero_"):
            self._note_cleared(inputs)
        operation.grad = torch.is_grad_enabled()
        if not operation.grad and self.grad_mode:
            operation.inference = torch.is_inference_mode_enabled()
            operation.inside_custom = not operation.inference
        if leaves and not outputs:
            operation.left, operation.decides = out, name in _DECIDING
            if name in _LEAVING and type(out) in (float, list, np.ndarray):
                recording.plain[id(out)] = (out, len(recording.operations))
        elif recording.plain:
            operation.numbers = tuple(_plain_sources(recording, (args, kwargs)))
            floats = [x for x in (*args, *kwargs.values()) if type(x) is float]
            operation.foreign = any(f"{x:g}" not in operation.place.text for x in floats)
        written += [b for t in written if (b := t._base) is not None and recording.number_of(b) is not None]
        new = [t for t in outputs if not any(t is i for i in inputs)]
        new += [t for t in written if not any(t is o for o in new)]
        same = [t for t in outputs if not any(t is n for n in new)]
        position = len(recording.operations)
        recording.operations.append(operation)
        kept = [recording.input_number(t) for t in same]
        operation.outputs = (*kept, *(recording.add_value(t, position) for t in new))
        if position + 1 >= recording.max_operations:
            recording.stopped = f"it reached its limit of {recording.max_operations:,} operations"
            warnings.warn(
                f"ak.record_torch stopped recording, because {recording.stopped}. The program runs on, but what comes "
                "later cannot be explained. Record fewer steps, or give max_operations=.",
                RuntimeWarning,
                stacklevel=4,
            )

    def _note_cleared(self, tensors: list[Any]) -> None:
        for tensor in tensors:
            gradient, owner = self.gradients.get(id(tensor), (None, None))
            if gradient is tensor:
                self.recording.add_event("cleared", owner)

    # ------------------------------------------------------------------------------------------------ events
    def _set_grad_mode(self, func: Any, args: Any, kwargs: Any) -> Any:
        out = func(*args, **kwargs)
        on = bool(args[0]) if args else torch.is_grad_enabled()
        if on != self.grad_mode and not self.in_step:
            self.grad_mode = on
            self.recording.add_event("grad_mode", on, _decorated_function())
        return out

    def _run_backward(self, func: Any, args: Any, kwargs: Any) -> Any:
        recording = self.recording
        given = args[0] if args else next(iter(kwargs.values()))
        roots = [t for t in tensors_in(given) if t.requires_grad]
        recording.last_target = next(iter(tensors_in(given)), None)
        frame = calling_frame(2)
        recording.last_frame = (frame.f_code, frame.f_lasti)
        hooked = [e.what for e in recording.events if e.kind == "hook"]
        accumulates = func is not torch.autograd.grad
        done = BackwardPass(roots, accumulates, hooked, recording.max_bytes // 4)
        for earlier in recording.passes:  # of these the sizes are enough
            earlier.cotangents.clear()
        recording.passes.append(done)
        recording.add_event("backward", done, None, frame)
        sources = [] if accumulates else tensors_in(args[1:2], kwargs.get("inputs"))
        with done:
            out = func(*args, **kwargs)
            if sources:
                done.note_results(sources, out if isinstance(out, (list, tuple)) else (out,))
        if not accumulates:
            numbers = tuple(map(recording.input_number, [*roots, *sources]))
            operation = Operation("grad", numbers, frame.f_code, frame.f_lasti)
            position = len(recording.operations)
            recording.operations.append(operation)
            operation.outputs = tuple([recording.add_value(t, position) for t in tensors_in(out)])
        elif self.after_each_pass is not None:
            self.after_each_pass()
        return out

    def _read_grad(self, func: Any, args: Any, kwargs: Any) -> Any:
        found = func(*args, **kwargs)
        if found is not None:
            self.gradients[id(found)] = (found, args[0])
        direct = sys._getframe(2)
        frame = calling_frame(2)
        if direct is frame:  # by the user's own line, not by an optimizer
            self.recording.last_frame = (frame.f_code, frame.f_lasti)
            self.recording.add_event("read_grad", args[0], found is not None, frame)
        return found

    def _write_grad(self, func: Any, args: Any, kwargs: Any) -> Any:
        out = func(*args, **kwargs)
        if not self.in_step:
            self.recording.add_event("cleared" if args[1] is None else "wrote_grad", args[0])
        return out

    def _write_data(self, func: Any, args: Any, kwargs: Any) -> Any:
        self.before_write(args[0])
        out = func(*args, **kwargs)
        frame = calling_frame(2)
        operation = Operation(".data=", tuple(map(self.recording.input_number, args)), frame.f_code, frame.f_lasti)
        operation.outputs = (self.recording.add_value(args[0], len(self.recording.operations)),)
        self.recording.operations.append(operation)
        return out

    def _change_requires_grad(self, func: Any, args: Any, kwargs: Any) -> Any:
        frame = calling_frame(2)
        self.recording.last_frame = (frame.f_code, frame.f_lasti)
        out = func(*args, **kwargs)
        if not self.in_step:
            self.recording.add_event("requires_grad", args[0], bool(args[0].requires_grad), frame)
        return out

    def _register_hook(self, func: Any, args: Any, kwargs: Any) -> Any:
        self.recording.add_event("hook", args[0], args[1] if len(args) > 1 else None)
        return func(*args, **kwargs)

    def _ask_leaf(self, func: Any, args: Any, kwargs: Any) -> Any:
        frame = sys._getframe(2)
        if frame.f_code.co_name == "add_param_group":  # an optimizer is being made, or gets more parameters
            optimizer = frame.f_locals.get("self")
            known = [e.what for e in self.recording.events if e.kind == "made_optimizer"]
            user = calling_frame(2)
            self.recording.last_frame = (user.f_code, user.f_lasti)
            if not any(optimizer is one for one in known):
                self.recording.add_event("made_optimizer", optimizer, None, user)
            self.recording.last_asked = args[0]
        return func(*args, **kwargs)

    # ------------------------------------------------------------------------------------------------ optimizers
    def before_step(self, optimizer: Any, args: Any, kwargs: Any) -> None:
        """Called by PyTorch before an optimizer's step."""
        if self.recording.stopped or threading.get_ident() != self.thread:
            return
        self.in_step = 0  # a step before this one may have raised
        with torch._C.DisableTorchFunction():
            parameters = [p for group in optimizer.param_groups for p in group["params"]]
            state = {id(p): (p.grad is not None, float(group["lr"]) if "lr" in group else None, group.get("initial_lr"))
                     for group in optimizer.param_groups for p in group["params"]}  # fmt: skip
            closure = len(args) > 1 or bool(kwargs)
            self.recording.add_event("step", optimizer, (parameters, state, closure))
            if closure:  # its operations are to be seen
                return
            for p in parameters:
                self.before_write(p)
        self.in_step += 1

    def after_step(self, optimizer: Any, *_: Any) -> None:
        """Called by PyTorch after an optimizer's step."""
        if threading.get_ident() != self.thread or self.recording.stopped:
            return
        if not self.in_step:
            self._step_is_done(optimizer)
            return
        self.in_step -= 1
        recording = self.recording
        frame = calling_frame(2)
        with torch._C.DisableTorchFunction():
            written = [p for group in optimizer.param_groups for p in group["params"] if p.grad is not None]
            numbers = tuple(map(recording.input_number, written))
            operation = Operation(f"{type(optimizer).__name__}.step", numbers, frame.f_code, frame.f_lasti)
            operation.grad = False
            position = len(recording.operations)
            recording.operations.append(operation)
            operation.outputs = tuple([recording.add_value(p, position) for p in written])
        self._step_is_done(optimizer)

    def _step_is_done(self, optimizer: Any) -> None:
        if self.after_each_step is not None:
            self.after_each_step(optimizer)


def _decorated_function() -> Any:
    """The code of the function that is being called through a decorator such as ``@torch.no_grad()``, or None."""
    frame: Any = sys._getframe(3)
    for _ in range(4):
        if frame is None:
            return None
        if frame.f_code.co_name in ("decorate_context", "generator_context"):
            return getattr(frame.f_locals.get("func"), "__code__", None)
        frame = frame.f_back
    return None


def _plain_sources(recording: Recording, arguments: Any) -> Iterator[int]:
    """The operations that gave the plain numbers and arrays among the arguments."""
    for thing in arguments:
        if type(thing) in (tuple, list):
            known = recording.plain.get(id(thing))
            if known is not None:
                yield known[1]
            yield from _plain_sources(recording, thing)
        elif type(thing) is dict:
            yield from _plain_sources(recording, thing.values())
        elif type(thing) is float:
            known = recording.plain.get(id(thing))
            if known is not None:
                yield known[1]
        elif isinstance(thing, np.ndarray):
            for array, operation in recording.plain.values():
                if isinstance(array, np.ndarray) and np.may_share_memory(array, thing):
                    yield operation


_Special = Callable[[RecordingMode, Any, Any, Any], Any]
_SPECIAL: dict[str, _Special] = {
    "_set_grad_enabled": RecordingMode._set_grad_mode,
    "backward": RecordingMode._run_backward,
    "grad": RecordingMode._run_backward,
    ".grad": RecordingMode._read_grad,
    ".grad=": RecordingMode._write_grad,
    ".data=": RecordingMode._write_data,
    ".requires_grad=": RecordingMode._change_requires_grad,
    "requires_grad_": RecordingMode._change_requires_grad,
    "register_hook": RecordingMode._register_hook,
    "register_post_accumulate_grad_hook": RecordingMode._register_hook,
    ".is_leaf": RecordingMode._ask_leaf,
}
_OBSERVED_PROPERTIES = frozenset((*_SPECIAL, ".data", ".T", ".mT", ".H", ".mH", ".real", ".imag"))

_open_modes: weakref.WeakSet[RecordingMode] = weakref.WeakSet()


def _stop_in_child() -> None:
    """A forked process, such as a data loader's worker, does not record."""
    for mode in _open_modes:
        mode.recording.stopped = mode.recording.stopped or "the process was forked"


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_stop_in_child)
