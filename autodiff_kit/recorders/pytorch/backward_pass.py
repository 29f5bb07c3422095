"""One backward pass of PyTorch, watched: the size of each cotangent, the leaves that got one, and what hooks changed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

import torch

__all__ = ["BackwardPass", "HookEffect", "graph_nodes", "node_of"]

_FLUSH_BYTES = 64 << 20  # cotangents that wait for their sizes to be computed


def node_of(tensor: Any) -> Any:
    """The node of a tensor in PyTorch's graph; of a leaf the one that accumulates its gradient. None without one."""
    if tensor.grad_fn is not None or not tensor.requires_grad:
        return tensor.grad_fn
    with torch.enable_grad():
        view = tensor.view_as(tensor)  # the one way to a leaf's node that all versions have
    return view.grad_fn.next_functions[0][0] if view.grad_fn is not None else None


def graph_nodes(roots: Iterable[Any]) -> list[Any]:
    """The nodes of the graph behind some nodes, those included."""
    found = dict.fromkeys(fn for fn in roots if fn is not None)
    todo = list(found)
    while todo:
        for fn, _ in todo.pop().next_functions:
            if fn is not None and fn not in found:
                found[fn] = None
                todo.append(fn)
    return list(found)


class HookEffect:
    """What a user's hook made of a gradient: its largest magnitude before and after, and whether it changed."""

    def __init__(self, tensor: Any, hook: Any, before: float, after: float, changed: bool) -> None:
        self.tensor, self.hook, self.before, self.after, self.changed = tensor, hook, before, after, changed


class BackwardPass:
    """Watches a backward pass while it is used in a ``with`` statement, and leaves the graph as it was.

    Parameters
    ----------
    roots : list of Tensor
        What is differentiated.
    accumulates : bool
        Whether the pass adds to `.grad`, as ``backward()`` does.
    hooked : list of Tensor
        Tensors inside of the graph on which the user registered hooks.
    max_bytes : int
        Bytes of cotangents that are kept; of the others only the size is known.
    edges : bool, optional
        Whether to keep what each node hands to each other node.

    Attributes
    ----------
    nodes : list
        The nodes of the graph.
    largest : dict
        The largest magnitude of each cotangent, by node and output; nan where it has a nan.
    cotangents : dict
        Those that are kept.
    leaves : dict
        By the id of each leaf that got a gradient: the leaf, and whether its `.grad` had one before.
    hook_effects : list of HookEffect
    parts : list of (node, position, tensor)
        What each node hands on, in order, if ``edges``.
    """

    def __init__(
        self, roots: list[Any], accumulates: bool, hooked: list[Any], max_bytes: int, edges: bool = False
    ) -> None:
        self.roots, self.accumulates, self.max_bytes, self.edges = roots, accumulates, max_bytes, edges
        self.hooked = hooked
        self.nodes = graph_nodes([root.grad_fn for root in roots])
        self.largest: dict[tuple[Any, int], float] = {}
        self.cotangents: dict[tuple[Any, int], Any] = {}
        self.leaves: dict[int, tuple[Any, bool]] = {}
        self.hook_effects: list[HookEffect] = []
        self.parts: list[tuple[Any, int, Any]] = []
        self.finished = False
        self.asked: list[Any] = []  # the sources of torch.autograd.grad
        self._waiting: list[tuple[tuple[Any, int], Any]] = []
        self._waiting_bytes = self._kept_bytes = 0
        self._undo: list[Callable[[], Any]] = []

    def __enter__(self) -> BackwardPass:
        for fn in self.nodes:
            self._undo.append(fn.register_prehook(self._watcher_of(fn)).remove)
            if self.edges:
                self._undo.append(fn.register_hook(self._part_watcher_of(fn)).remove)
            variable = getattr(fn, "variable", None)
            if variable is not None:
                self.leaves[id(variable)] = (variable, variable.grad is not None and _is_not_zero(variable.grad))
                self._watch_hooks(variable, "_backward_hooks")
                self._watch_hooks(variable, "_post_accumulate_grad_hooks")
        for tensor in self.hooked:
            if tensor.grad_fn is not None:
                self._watch_hooks(tensor, "_backward_hooks")
        return self

    def __exit__(self, kind: Any, *_: object) -> None:
        for undo in reversed(self._undo):
            undo()
        self._undo.clear()
        self.finished = kind is None
        self._flush()

    def _watcher_of(self, fn: Any) -> Callable[[Any], None]:
        def watch(cotangents: Any) -> None:
            for k, cotangent in enumerate(cotangents):
                if cotangent is not None:
                    self.note((fn, k), cotangent)

        return watch

    def _part_watcher_of(self, fn: Any) -> Callable[[Any, Any], None]:
        def watch(handed: Any, _: Any) -> None:
            self.parts += [(fn, k, part.detach()) for k, part in enumerate(handed) if part is not None]

        return watch

    def note(self, key: tuple[Any, int], cotangent: Any) -> None:
        """Note a cotangent; its size is computed later, with many others at once."""
        self._waiting.append((key, cotangent.detach()))
        self._waiting_bytes += cotangent.numel() * cotangent.element_size()
        if self._waiting_bytes > _FLUSH_BYTES:
            self._flush()

    def note_results(self, sources: list[Any], gradients: Sequence[Any]) -> None:
        """Note what ``torch.autograd.grad`` gave: it takes the gradients of leaves before they reach their nodes."""
        accumulators = {id(fn.variable): fn for fn in self.nodes if hasattr(fn, "variable")}
        self.asked = sources
        for source, gradient in zip(sources, gradients, strict=False):
            key = (accumulators[id(source)], 0) if id(source) in accumulators else (source.grad_fn, source.output_nr)
            if gradient is not None:
                self.note(key, gradient)

    def _flush(self) -> None:
        for (key, cotangent), size in zip(
            self._waiting, largest_magnitudes([c for _, c in self._waiting]), strict=True
        ):
            self.largest[key] = size
            nbytes = cotangent.numel() * cotangent.element_size()
            if self._kept_bytes + nbytes <= self.max_bytes:
                self._kept_bytes += nbytes
                self.cotangents[key] = cotangent
        self._waiting, self._waiting_bytes = [], 0

    # ------------------------------------------------------------------------------------------------ the user's hooks
    def _watch_hooks(self, tensor: Any, attribute: str) -> None:
        """Put a watcher in the place of each hook of a tensor, until the pass is over."""
        hooks: Any = getattr(tensor, attribute, None) or {}
        for key, hook in list(hooks.items()):
            make = self._watched_hook if attribute == "_backward_hooks" else self._watched_leaf_hook
            hooks[key] = make(tensor, hook)
            self._undo.append(partial(_put_back, hooks, key, hook))

    def _watched_hook(self, tensor: Any, hook: Any) -> Callable[[Any], Any]:
        def watched(gradient: Any) -> Any:
            before = gradient.detach().clone()
            given = hook(gradient)
            self._note_effect(tensor, hook, before, gradient if given is None else given)
            return given

        return watched

    def _watched_leaf_hook(self, tensor: Any, hook: Any) -> Callable[[Any], Any]:
        def watched(leaf: Any) -> Any:
            before = None if leaf.grad is None else leaf.grad.detach().clone()
            given = hook(leaf)
            if (
                before is not None and leaf.grad is not None
            ):  # a hook that takes it away has used it, such as for a step
                self._note_effect(tensor, hook, before, leaf.grad)
            return given

        return watched

    def _note_effect(self, tensor: Any, hook: Any, before: Any, after: Any) -> None:
        with torch.no_grad():
            after = after.detach()
            same = before.shape == after.shape and bool(torch.allclose(before, after.to(before.dtype), equal_nan=True))
            sizes = [largest_magnitudes([one])[0] for one in (before, after)]
        self.hook_effects.append(HookEffect(tensor, hook, sizes[0], sizes[1], not same))


def _put_back(hooks: Any, key: int, hook: Any) -> None:
    """Put a hook back in its place, unless it was removed meanwhile."""
    if key in hooks:
        hooks[key] = hook


def _is_not_zero(gradient: Any) -> bool:
    with torch.no_grad():
        return gradient.layout is not torch.strided or bool(gradient.any())


def largest_magnitudes(tensors: list[Any]) -> list[float]:
    """The largest magnitude in each tensor; nan where it has a nan, 0 where it has no entries."""
    with torch.no_grad():
        found = [0.0] * len(tensors)
        plain = [k for k, t in enumerate(tensors) if t.layout is torch.strided and t.numel() and t.is_floating_point()]
        try:
            sizes = torch._foreach_norm([tensors[k] for k in plain], float("inf")) if plain else []
        except RuntimeError:  # tensors of a transform, which have no numbers of their own
            return [_largest_magnitude(t) for t in tensors]
        for k, size in zip(plain, torch.stack([s.double() for s in sizes]).tolist() if plain else [], strict=True):
            found[k] = size
        for k in set(range(len(tensors))) - set(plain):
            found[k] = _largest_magnitude(tensors[k])
    return found


def _largest_magnitude(tensor: Any) -> float:
    try:
        values = tensor.coalesce().values() if tensor.layout is not torch.strided else tensor
        return float(values.abs().max()) if values.numel() else 0.0
    except RuntimeError:
        return 1.0  # unknown: neither zero nor nan is claimed
