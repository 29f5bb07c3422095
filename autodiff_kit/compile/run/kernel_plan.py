"""A plan with kernels: its passes one after the other, and the memory that it binds to.

Variables and slots are written over in place. The array of a variable is the plan's own: should somebody else hold it,
or put another one in its place, the plan takes a copy first, so that what others hold never changes.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from autodiff_kit.compile.graph import Graph
from autodiff_kit.compile.node import Node, scalar
from autodiff_kit.compile.passes.fusion import Units, group, ordered
from autodiff_kit.compile.passes.memory_plan import Store, copied
from autodiff_kit.compile.passes.vector_loops import schedule
from autodiff_kit.compile.run.buffer_binding import Answers, Binder
from autodiff_kit.compile.run.codegen import Replay
from autodiff_kit.compile.run.program import numpy_program
from autodiff_kit.compile.run.scalar import Machine
from autodiff_kit.compile.topological_order import live, root
from autodiff_kit.compile.trace.inputs import Argument, Slot
from autodiff_kit.compile.trace.tracer import Leaf, Recording
from autodiff_kit.core.tensor import make, normal

__all__ = ["Fast", "worth"]


def worth(nodes: list[Node]) -> bool:
    """Whether kernels can run a graph; what has no entries, or is all numbers, is left to others."""
    return all(n.size and n.dtype.kind in "fiubO" for n in nodes) and any(
        n.size > 1 and n.dtype.char in "fd" for n in nodes
    )


class Fast:
    """A recording in kernels, or as a program of single numbers.

    Attributes
    ----------
    run : callable
        ``run(given)``: what the function returns, for a list of what the caller gave.
    """

    def __init__(self, recording: Recording, compiler: Callable[[str], int], numbers: bool) -> None:
        self.recording = recording
        updates = [(optimizer, variable, _delta(recording.graph, n)) for optimizer, variable, n in recording.updates]
        assigned = [node for _, node in recording.assigned]
        there = set(live([*recording.given, *assigned]))
        kept = [_later(node, assigned, there) for _, _, node in updates]
        now = [node for (_, _, node), how in zip(updates, kept, strict=True) if how is None]
        outputs = [*recording.given, *assigned, *now]
        nodes = live(outputs)
        self.used = set(nodes)
        self.before = {s.key: node for s, node in recording.inputs if not isinstance(s, Argument)}
        self.states: dict[Node, Node] = {}
        self.homes: dict[Node, tuple[str, Any]] = {}
        self.replay: Any = Machine(nodes, outputs) if numbers else self._planned(nodes, outputs, compiler)
        self._write(updates, kept)

    def _planned(self, nodes: list[Node], outputs: list[Node], compiler: Callable[[str], int]) -> Replay:
        """The passes, one after the other."""
        self.copies = copied(nodes)
        self.units, unit = group(nodes, outputs)
        self.states = self._states(nodes, unit)
        self.units = ordered(self.units, unit, _readers_first(self.units, unit, self.states))
        self.store = Store(self.units, unit, outputs, self.states, schedule)
        self.homes = self.store.homes
        inputs = [(node, f"a{s.place}") for s, node in self.recording.inputs if isinstance(s, Argument)]
        return Replay(self.store, inputs, compiler)

    def __str__(self) -> str:
        return "\n".join([*self.replay.heads(), self.source, *self.replay.texts()])

    def _states(self, nodes: list[Node], unit: dict[Node, Any]) -> dict[Node, Node]:
        """New values that can be written over old ones: new -> old."""
        found: dict[Node, Node] = {}
        there = set(nodes)
        for source, new in self.recording.assigned:
            old = self.before.get(source.key)
            fits = old in there and new in unit and new not in found and not scalar(new)
            if fits and old is not None and old.shape == new.shape and old.dtype == new.dtype and new.dtype != object:
                found[new] = old
        return found

    # ----------------------------------------------------------------------------------------------------- the function
    def _write(self, updates: list[Any], kept: list[Any]) -> None:
        recording, replay = self.recording, self.replay
        self.env = replay.env
        self.env |= {"normal": normal, "make": make, "fixed": [leaf.fixed for leaf in recording.leaves]}
        self.binder = Binder(self.env, replay.bound, replay.moved)
        self.answers = Answers(self.env, self.binder.answer)
        self.takes: dict[int, Callable[[str], list[str]]] = {}  # lines that take in what the caller gives
        head = self._head()
        tail = [*self._put_back(), *self._put_updates(updates, kept)]
        outs = self._outs()
        places = iter(range(len(recording.given)))
        texts = [
            f"fixed[{k}]" if leaf.node is None else self._answer(leaf, leaf.node, next(places), outs, tail)
            for k, leaf in enumerate(recording.leaves)
        ]
        self.lines = [*head, *replay.first, *outs, *replay.lines, *tail, f"return {self.packed(texts)}"]
        self.answers.begin()
        first = [line for place in self.takes for line in self.take(place, f"given[{place}]")]
        self.source = "def run(given):\n" + "".join(f"    {line}\n" for line in [*first, *self.lines])
        exec(compile(self.source, "<autodiff_kit plan>", "exec"), self.env)
        self.run: Callable[[list[Any]], Any] = self.env["run"]

    def packed(self, texts: list[str]) -> str:
        """What the function returns, as an expression."""
        parts = iter(texts)

        def written(nest: Any) -> str:
            kind = type(nest)
            if kind in (tuple, list) and nest:
                inside = ", ".join(written(x) for x in nest)
                return f"({inside},)" if kind is tuple else f"[{inside}]"
            if kind is dict and all(type(k) in (str, int) for k in nest):
                return "{" + ", ".join(f"{k!r}: {written(x)}" for k, x in nest.items()) + "}"
            if isinstance(nest, (tuple, list, dict)):
                raise TypeError
            return next(parts)

        try:
            return written(self.recording.skeleton)
        except TypeError:
            self.env["pack"] = self.recording.pack
            return f"pack([{', '.join(texts)}])"

    def _head(self) -> list[str]:
        """Take the inputs in, and see that what is bound is still there."""
        lines: list[str] = []
        written = set(self.states.values())
        for source, node in self.recording.inputs:
            if node not in self.used and node not in written:
                continue
            if isinstance(source, Argument):
                self.takes[source.place] = self._take(node, source.place)
            elif scalar(node):
                more, text = self.binder.number(node, source)
                lines += [*more, self.replay.take(node, text)]
            elif isinstance(source, Slot):
                lines += self.binder.slot(node, source)
            else:
                lines.append(self.binder.variable(node, source.owner, node in written))
        return lines

    def take(self, place: int, text: str) -> list[str]:
        """The lines that take in number ``place`` of what the caller gives."""
        return self.takes[place](text) if place in self.takes else []

    def _take(self, node: Node, place: int) -> Callable[[str], list[str]]:
        name = f"a{place}"
        if scalar(node):
            return lambda text: [self.replay.take(node, text)]
        shown = self.binder.argument(place, node)
        if not node.shape:  # it may be one of NumPy's numbers
            return lambda text: [f"{name} = np.array({text})", shown]
        settled = f"if {name}.flags.num & 0x101 != 0x101: {name} = np.array({name}, order='C')"
        return lambda text: [f"{name} = {text}", settled, shown]

    # ----------------------------------------------------------------------------------------------- what is given away
    def _answer(self, leaf: Leaf, node: Node, k: int, outs: list[str], tail: list[str]) -> str:
        tensor = leaf.kind == "tensor"
        if self.homes.get(root(node)) == ("out", k):
            line, text = self.answers.array(k, node, tensor)
            outs.append(line)
            return text
        if tensor and scalar(node) and node.shape == ():
            lines, text = self.answers.number(k, self.replay.python(node))
            tail += lines
            return text
        text = self.replay.value(node)
        return f"make({text})" if tensor else text

    def _outs(self) -> list[str]:
        """Lines for what is assigned, or added by a step, and has memory of its own."""
        leaves = len(self.recording.given)
        homes = [(home[1], node) for node, home in self.homes.items() if home[0] == "out"]
        return [self.answers.array(k, node, False)[0] for k, node in homes if k >= leaves]

    def _put_back(self) -> list[str]:
        """Put back what was assigned."""
        lines = []
        for number, (source, node) in enumerate(self.recording.assigned):
            if node in self.states and self.states[node] is self.before.get(source.key):
                continue
            text = self.replay.value(node)
            if isinstance(source, Slot):
                name, _ = self.binder.slots(source)
                lines.append(f"{name}[{source.name!r}] = {text if node.weak else f'normal({text})'}")
                lines += [] if node.weak else [f"bind_slots({name[1:]})"]
            else:
                self.env[f"G{number}"] = source.owner
                lines.append(f"G{number}.{source.name} = normal({text})")
        return lines

    def _put_updates(self, updates: list[Any], kept: list[Any]) -> list[str]:
        """Leave what each step added, or how to work it out from what it left."""
        lines = []
        latest: dict[tuple[Node, ...], list[Any]] = {}  # numbers from which updates are worked out
        for number, ((optimizer, variable, node), how) in enumerate(zip(updates, kept, strict=True)):
            self.env |= {f"U{number}": optimizer, f"H{number}": id(variable)}
            if how is None:
                text = f"normal({self.replay.value(node)})"
            else:
                run, places, numbers = how
                given = latest.setdefault(tuple(numbers), [])
                self.env[f"L{number}"] = partial(self._work_out, run, places, given)
                text = f"L{number}"
            lines.append(f"U{number}._last[H{number}] = {text}")
        for number, (numbers, given) in enumerate(latest.items()):
            self.env[f"Z{number}"] = given
            lines.append(f"Z{number}[:] = [{', '.join(map(self.replay.number, numbers))}]")
        return lines

    def _work_out(self, run: Callable[..., Any], places: list[int], numbers: list[Any]) -> Any:
        """What the last step added, from what it left."""
        return normal(run(*[self.recording.assigned[k][0].read() for k in places], *numbers)[0])


def _delta(graph: Graph, node: Node) -> Node:
    """What a step added: of ``(w + d) - w`` it is d."""
    if node.op == "subtract" and node.args[0].op in ("add", "subtract"):
        after, before = node.args
        if after.op == "add" and before in after.args:
            return after.args[0] if after.args[1] is before else after.args[1]
        if after.op == "subtract" and after.args[0] is before:
            return graph.entries("negative", after.args[1])
    return node


def _later(
    node: Node, assigned: list[Node], there: set[Node]
) -> tuple[Callable[..., Any], list[int], list[Node]] | None:
    """How to work out a node from what was assigned and single numbers, if that is all it takes.

    A function, the places of what was assigned, and the numbers, in the order of its arguments.
    """
    places = {n: k for k, n in enumerate(assigned)}
    todo, seen, numbers = [node], set(), []
    while todo:
        n = todo.pop()
        if n in places or n in seen or n.op == "const":
            continue
        if scalar(n) and n in there:
            numbers.append(n)
            seen.add(n)
            continue
        if n.op == "input":
            return None
        seen.add(n)
        todo.extend(n.args)
    if node in places or scalar(node):
        return None
    numbers = list(dict.fromkeys(numbers))
    used = [n for n in places if any(n in m.args for m in seen if m not in numbers)]
    run, _ = numpy_program([*used, *numbers], [node], {*used, *numbers})
    return run, [places[n] for n in used], numbers


def _readers_first(units: Units, unit: dict[Node, Any], states: dict[Node, Node]) -> list[tuple[Any, Any]]:
    """Whoever reads an old value runs before the unit that writes the new one over it."""
    writers = {old: unit[new] for new, old in states.items()}
    return [(u, w) for u in units for a in u.ext if (w := writers.get(root(a))) is not None and w is not u]
