"""Which gradient reaches what: PyTorch's graph with its cotangents, and the recorded operation of each of its nodes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import torch

from autodiff_kit.diagnostics.recorded_program import Contribution
from autodiff_kit.errors import TapeError
from autodiff_kit.recorders.pytorch.backward_pass import BackwardPass, graph_nodes
from autodiff_kit.recorders.pytorch.tensor_values import as_numpy

if TYPE_CHECKING:
    from autodiff_kit.recorders.pytorch.recording import Recording
    from autodiff_kit.recorders.pytorch.tape import TorchTape

__all__ = ["Graph", "contributions", "run_pass"]

Edge = tuple[Any, int]


class Graph:
    """The graph behind a target.

    Parameters
    ----------
    recording : Recording
    target : Tensor

    Attributes
    ----------
    nodes : list
        The nodes of PyTorch's graph.
    operation : dict
        The recorded operation of each node; a node inside of a composite function belongs to the function.
    """

    def __init__(self, recording: Recording, target: Any) -> None:
        self.recording, self.target = recording, target
        self.nodes = graph_nodes([target.grad_fn])
        self.consumers: dict[Any, list[Any]] = {}
        for fn in self.nodes:
            for after, _ in fn.next_functions:
                if after is not None:
                    self.consumers.setdefault(after, []).append(fn)
        self.operation = self._operations_of_nodes()

    def _operations_of_nodes(self) -> dict[Any, int]:
        own: dict[Any, int] = {}
        for value in self.recording.values:
            tensor = value.tensor
            fn = value.grad_fn if value.grad_fn is not None else tensor.grad_fn if tensor is not None else None
            if fn is not None and value.operation >= 0:
                own[fn] = min(own.get(fn, value.operation), value.operation)
        for fn in self.nodes:  # from the target on: what computes it comes before what it reads
            if fn not in own:
                above = [own[c] for c in self.consumers.get(fn, ()) if c in own]
                if above:
                    own[fn] = min(above)
        return own

    def edges_of(self, tensor: Any) -> list[Edge]:
        """The places of a tensor in the graph, by node and output; a tensor that was written over may have several."""
        if tensor.is_leaf:
            return [(fn, 0) for fn in self.nodes if getattr(fn, "variable", None) is tensor]
        found = [(tensor.grad_fn, tensor.output_nr)]
        for number in self.recording.numbers_of(tensor):
            fn = self.recording.values[number].grad_fn
            if fn is not None:
                found.append((fn, tensor.output_nr))
        used = {edge for fn in self.nodes for edge in fn.next_functions} | {
            (self.target.grad_fn, self.target.output_nr)
        }
        return [edge for edge in dict.fromkeys(found) if edge in used]

    def between(self, edges: Sequence[Edge]) -> list[Any]:
        """The nodes from the target to these edges, ends included, in the order of ``nodes``."""
        found = {fn for fn, _ in edges}
        todo = list(found)
        while todo:
            for consumer in self.consumers.get(todo.pop(), ()):
                if consumer not in found:
                    found.add(consumer)
                    todo.append(consumer)
        return [fn for fn in self.nodes if fn in found]

    def leaves(self) -> list[Any]:
        """The leaves that get a gradient."""
        return [fn.variable for fn in self.nodes if hasattr(fn, "variable")]


def run_pass(
    recording: Recording, target: Any, sources: Sequence[Any], seed: Any = None, edges: bool = False
) -> BackwardPass:
    """A backward pass for looking: `.grad` stays as it is, and the graph is kept.

    Raises
    ------
    RuntimeError
        PyTorch's own, if the graph was freed or a value in it was written over.
    """
    hooked = [e.what for e in recording.events if e.kind == "hook"]
    done = BackwardPass([target], False, hooked, recording.max_bytes // 4, edges)
    leaves = [fn.variable for fn in done.nodes if hasattr(fn, "variable")]
    asked = [*leaves, *(s for s in sources if not any(s is leaf for leaf in leaves))]
    weights = torch.ones_like(target) if seed is None else torch.as_tensor(seed, dtype=target.dtype).expand_as(target)
    with torch.enable_grad(), done:
        found = torch.autograd.grad([target], asked, [weights], retain_graph=True, allow_unused=True)
        done.note_results(asked, found)
    return done


def contributions(tape: TorchTape, target: Any, seed: Any = None) -> list[Contribution]:
    """The parts of all cotangents, in the order of the backward pass.

    After ``backward()`` freed the graph, the cotangents that the block saw are given, each as one part.
    """
    node_id = tape.id_of(target) if isinstance(target, torch.Tensor) else None
    if node_id is None or target.grad_fn is None:
        raise TapeError("this value has no graph in the block; give a tensor that the block computed from parameters")
    recording = tape.recording
    graph = Graph(recording, target)
    leaves = [(fn, tape.id_of(fn.variable)) for fn in graph.nodes if hasattr(fn, "variable")]
    ids: dict[Edge, int] = {(fn, 0): k for fn, k in leaves if k is not None}
    for value in recording.values:
        tensor = value.tensor
        fn = value.grad_fn if value.grad_fn is not None else tensor.grad_fn if tensor is not None else None
        if fn is not None and value.operation >= 0:
            ids.setdefault((fn, tensor.output_nr if tensor is not None else 0), value.operation)
    try:
        done = run_pass(recording, target, [], seed, edges=True)
    except RuntimeError:
        return _from_finished_pass(recording, graph, target, ids, node_id)
    start = as_numpy(torch.ones_like(target) if seed is None else torch.as_tensor(seed).expand_as(target))
    found = [Contribution(None, node_id, start)]
    for fn, k, part in done.parts:
        edge = fn.next_functions[k]
        if edge in ids and fn in graph.operation:
            found.append(Contribution(graph.operation[fn], ids[edge], as_numpy(part)))
    return found


def _from_finished_pass(
    recording: Recording, graph: Graph, target: Any, ids: dict[Edge, int], end: int
) -> list[Contribution]:
    done = next((p for p in reversed(recording.passes) if any(root is target for root in p.roots)), None)
    if done is None:
        raise TapeError(
            "the graph was freed by a backward pass that this block did not see. Ask before it, keep the graph with "
            "backward(retain_graph=True), or call backward() inside of the block"
        )
    found = []
    for edge, cotangent in done.cotangents.items():
        if edge in ids:
            reader = min(
                (graph.operation[c] for c in graph.consumers.get(edge[0], ()) if c in graph.operation), default=None
            )
            found.append(Contribution(reader, ids[edge], as_numpy(cotangent)))
    return found
