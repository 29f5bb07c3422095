"""Why is this gradient None? ``tape.explain`` finds where the path from a source to a target is broken.

The tape itself and the marks that it keeps (where a value left it, was assigned, or decided a branch) are enough;
nothing runs until ``explain`` is called. A gradient is None for one of five causes:

1. the source is a tensor that the tape does not watch, such as a variable that ``x = x + 1`` replaced;
2. the value left the tape: it became a plain array or number, or ``stop_gradient`` ended the path;
3. the path goes through an operation without a derivative (integers, booleans, rounding, positions such as argmax), or
   whose rule, which the user wrote, gave None;
4. the value went through state: it was assigned to a variable, which keeps the numbers but not their history;
5. the target does not depend on the source, as far as the tape has recorded.
"""

from __future__ import annotations

import html
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any

from autodiff_kit.core.backward import reachable
from autodiff_kit.core.numpy_protocol import Value
from autodiff_kit.core.path_breaks import PathBreak
from autodiff_kit.core.record import Node
from autodiff_kit.core.source_location import (
    UNKNOWN_LOCATION,
    SourceLocation,
    display_name,
    location_of,
    user_frame,
)
from autodiff_kit.core.tape import GradientTape, add_tape_method
from autodiff_kit.core.tensor import Tensor
from autodiff_kit.core.variable import Variable
from autodiff_kit.diagnostics.state_flow import assignment_on_path
from autodiff_kit.diagnostics.unconnected_reasons import LESSON_OF_NONE, LESSONS, REASONS, missing_derivative_remark
from autodiff_kit.diagnostics.user_code import is_discarded, rebinding_line
from autodiff_kit.pytree import flatten

__all__ = ["GradientExplanation", "GradientExplanations", "explain"]

_BOOK = "https://autodiff-kit.github.io/autodiff_kit/lessons/"
_MAX_ENDS = 3  # ends of a source's paths that are named

Ranges = tuple[tuple[int, int], ...]


@dataclass(frozen=True, repr=False)
class GradientExplanation:
    """How a target depends on a source, or why it does not.

    Attributes
    ----------
    target, source : str
        Their names, or the names of the caller's variables that hold them.
    connected : bool
        Whether a gradient flows.
    cause : int
        0 if they are connected. Else why they are not: 1, the source is a tensor that the tape does not watch; 2, the
        value left the tape; 3, an operation has no derivative; 4, the value went through state; 5, the target does not
        depend on the source.
    kind : str
        The cause in a word: "connected"; "replaced", "unwatched_tensor"; "left", "stopped", "aside", "plain", "target";
        "whole", "no_slope", "refused"; "state"; "decided", "chose", "unwatched", "unread", "left_only", "cousin",
        "closure", "unrelated", "unused".
    node : int or None
        Position on the tape of the operation that breaks the path.
    cell, line, code : str, int, str
        File or cell, line, and text of the line that breaks the path; empty and 0 if there is no such line.
    headline, because, fix : str
        What happened, why the gradient is None for it, and what to do.
    reached, needed : tuple of (int, int)
        Ranges of node ids, ends included: nodes that depend on the source, and nodes that the target depends on.
    gradient : {"flows", "None", "zero", "nan", ""}
        What becomes of the gradient; empty if an error was raised in its place.
    also : tuple of str
        Other kinds that hold too, and would show if this cause were gone.
    lesson : str
        The name of the lesson's notebook that explains this kind; empty if they are connected.
    """

    target: str
    source: str
    connected: bool
    cause: int
    kind: str
    node: int | None
    cell: str
    line: int
    code: str
    headline: str
    because: str
    fix: str
    reached: Ranges = ()
    needed: Ranges = ()
    gradient: str = ""
    also: tuple[str, ...] = ()
    lesson: str = ""

    @property
    def link(self) -> str:
        """The address of the lesson in the book; empty without one."""
        return f"{_BOOK}{self.lesson}.html" if self.lesson else ""

    @property
    def place(self) -> str:
        """Cell or file and line where the path is broken, in words; empty if there is no such line."""
        return f"{display_name(self.cell)}, line {self.line}" if self.line else ""

    def __str__(self) -> str:
        where = f"\n  {self.place}: {self.code}" if self.line else ""
        what = f"\n  What to do: {self.fix}" if self.fix else ""
        also = f"\n  Also: {', '.join(self.also)}." if self.also else ""
        more = f"\n  Lesson: {self.link}" if self.lesson else ""
        state = {"": "", "flows": " flows"}.get(self.gradient, f" is {self.gradient}")
        gradient = f"d {self.target} / d {self.source}{state}"
        return f"{gradient}: {self.headline}{where}\n  {self.because}{what}{also}{more}"

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return GradientExplanations([self])._repr_html_()


class GradientExplanations(tuple[GradientExplanation, ...]):
    """A tuple with an :class:`GradientExplanation` for each source; prints as text, and as a table in a notebook."""

    __slots__ = ()

    def __str__(self) -> str:
        return "\n\n".join(map(str, self))

    __repr__ = __str__

    def _repr_html_(self) -> str:
        head = "".join(
            f"<th style='text-align:left'>{name}</th>" for name in ("gradient", "why", "where", "what to do")
        )
        return f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(map(_html_row, self))}</tbody></table>"


def _html_row(e: GradientExplanation) -> str:
    where = f"{html.escape(e.place)}<br><code>{html.escape(e.code)}</code>" if e.line else "–"
    state = "" if e.gradient in ("flows", "") else f": {e.gradient}"
    gradient = f"∂ {html.escape(e.target)} / ∂ {html.escape(e.source)}{state}"
    why = f"<b>{html.escape(e.headline)}</b><br>{html.escape(e.because)}"
    lesson = f"<br><a href='{e.link}'>{html.escape(e.lesson[:2])}: the lesson</a>" if e.lesson else ""
    cells = (gradient, why, where, (html.escape(e.fix) or "–") + lesson)
    return f"<tr>{''.join(f'<td style={_CELL!r}>{cell}</td>' for cell in cells)}</tr>"


_CELL = "text-align:left;vertical-align:top"


def explain(tape: GradientTape, target: Any, sources: Any) -> GradientExplanation | GradientExplanations:
    """Explain how a target depends on sources; if a gradient is None, which line breaks the path and what to do.

    Parameters
    ----------
    tape : GradientTape
        Recording, closed, or released after its gradient: the operations stay on it.
    target : Tensor, Variable, or pytree
        What was, or is to be, differentiated. For a value of another type the explanation says what is wrong with it.
    sources : Tensor, Variable, or pytree

    Returns
    -------
    GradientExplanation, or GradientExplanations
        One explanation for a single source, a tuple of them for several.

    Notes
    -----
    **Cost.** A few passes over the tape. While recording, the only cost is a mark where a value leaves the tape or is
    assigned. If a value left the tape, the tape cannot know whether the target was computed from it; the explanation
    then names the last line at which that is possible.

    Examples
    --------
    >>> x = ak.Variable(1.7, name="x")
    >>> with ak.GradientTape() as tape:
    ...     y = ak.floor(x) * 2.0
    >>> tape.gradient(y, x) is None
    True
    >>> tape.explain(y, x).headline
    'floor has no slope.'
    """
    flat = flatten(sources)
    frame = user_frame(sys._getframe(1))
    analysis = DependencyAnalysis(tape, flatten(target), frame)
    found = GradientExplanations([analysis.explain(source) for source in flat])
    return found[0] if len(found) == 1 and flat[0] is sources else found


add_tape_method("explain", explain)


class DependencyAnalysis:
    """The nodes on which a target depends; :meth:`explain` compares them with those that depend on a source.

    Parameters
    ----------
    tape : GradientTape
    targets : list
        Leaves of the target.
    frame : frame
        The caller's frame, for names of variables and for the code that was run.
    """

    def __init__(self, tape: GradientTape, targets: list[Any], frame: Any) -> None:
        self.tape, self.targets, self.frame = tape, targets, frame
        self.record = tape._record
        self.nodes = list(self.record.nodes)
        self.ids = {node: k for k, node in enumerate(self.nodes)}
        self.known = {*self.ids, *tape._leaves()}
        self.target_nodes = {n for t in targets if (n := self._node(t)) is not None}
        self.ancestors = _ancestors(self.nodes, self.target_nodes)
        self.differentiable_ancestors = _ancestors(self.nodes, self.target_nodes, _gradient_inputs)

    def _node(self, value: Any) -> Node | None:
        node = self.tape._node_of(value) if isinstance(value, Value) else None
        return node if node in self.known else None

    def explain(self, source: Any) -> GradientExplanation:
        """The explanation for one source: the first cause that applies."""
        self.source = source
        self.source_node = self._node(source)
        self.reached = reachable(self.nodes, {self.source_node}) if self.source_node is not None else set()
        return (
            self._explain_connection()
            or self._explain_missing_derivative()
            or self._explain_mark()
            or self._explain_unwatched_source()
            or self._explain_independence()
        )

    # ------------------------------------------------------------------------------------------------------- the causes
    def _explain_connection(self) -> GradientExplanation | None:
        if self.source_node not in self.differentiable_ancestors:
            return None
        path = [n for n in self.reached & self.differentiable_ancestors if n in self.ids]
        steps = f"{len(path)} operation{'s lead' if len(path) != 1 else ' leads'}"
        untried = [n.op.name for n in path if n.op.user_defined and n.get_extra("given") is None]
        doubt = f" The rule of {untried[0]} has not run yet; if it gives None, so will the gradient." if untried else ""
        return self._explanation("connected", steps=steps, doubt=doubt)

    def _explain_missing_derivative(self) -> GradientExplanation | None:
        """Cause 3: the path goes through an operation without a derivative."""
        if isinstance(self.source, Value) and self.source.dtype.kind not in "fc":
            return self._explanation("whole", dtype=self.source.dtype)
        alive = {self.source_node} if self.source_node in self.ancestors else set()
        for node in self.nodes:
            if any(n in alive for n in _gradient_inputs(node)):
                alive.add(node)
            elif node in self.ancestors and any(n in alive for n in node.inputs if n is not None):
                kind, name = "refused" if _is_differentiable(node) else "no_slope", node.op.name
                return self._explanation(kind, node, op=name, remark=missing_derivative_remark(name))
        return None

    def _explain_mark(self) -> GradientExplanation | None:
        """Causes 4 and 2, and branches: the path ends at a mark (assigned, stopped, left, or decided a branch)."""
        mine = self._marks()
        if not self.target_nodes:  # the target is on no tape: the last mark of the source explains it
            left = [m for m in mine if m.kind != "decided"]
            mine = _last_kept([m for m in left if self._was_read(m)], sure=True) or _last_kept(left) or mine
        if assigned := self._assignment(mine):
            return self._explanation("state", assigned, variable=self._display_name(assigned.variable, "the variable"))
        chose = [m for m in mine if m.kind == "chose" and self._is_used(m)]
        left = [m for m in mine if m.kind in ("stopped", "left", "chose") and self._can_be_cause(m)]
        decided = [m for m in mine if m.kind == "decided"]
        sure = bool(self.target_nodes)
        found = chose[-1:] or _last_kept(left, sure) or _last_kept(decided, sure)
        return self._explanation(found[0].kind, found[0]) if found else None

    def _assignment(self, mine: list[PathBreak]) -> PathBreak | None:
        """The assignment that carried the source's numbers to the target."""
        if not self.target_nodes:
            return next((m for m in mine if m.kind == "assigned"), None)
        variables = [t for t in self.targets if isinstance(t, Variable)]
        return assignment_on_path(self.record, self.reached, self.source, [*variables, *self.target_nodes])

    def _explain_unwatched_source(self) -> GradientExplanation | None:
        """Cause 1, and variables that the tape does not watch or that were never used on it."""
        if not isinstance(self.source, Value):
            return self._explanation("plain", type=type(self.source).__name__)
        if self.source_node is not None:
            return None
        if isinstance(self.source, Variable):
            asked = self.record.watches_variables and self.source.trainable
            if not asked or id(self.source) in self.record.readings:
                return self._explanation("unwatched")
            return self._explain_side_effect() or self._explanation("unread")
        line = rebinding_line(self.frame, self._display_name(self.source, ""))
        return self._explanation("replaced", line) if line else self._explanation("unwatched_tensor")

    def _explain_independence(self) -> GradientExplanation:
        """Cause 5: the source is on the tape, and no path leads from it to the target."""
        if not self.target_nodes:
            return self._explanation("target", type=type(self.targets[0]).__name__ if self.targets else "nothing")
        if self.source_node is None or self.source_node.op is None:
            return self._explain_unrelated()
        shared = [n for n in _ancestors(self.nodes, {self.source_node}) & self.ancestors if n.op is None]
        names = [name for n in shared if (name := self._leaf_name(n))]
        return self._explanation("cousin", self.source_node, shared=names[0]) if names else self._explain_unrelated()

    def _explain_unrelated(self) -> GradientExplanation:
        """Cause 5 for a source without a common origin: name the operations at which its paths end."""
        users = [n for n in self.nodes if n in self.reached and n is not self.source_node]
        if elsewhere := self._explain_closure(users) or self._explain_side_effect():
            return elsewhere
        read = {i for n in users for i in n.inputs}
        ends = [n for n in users if n not in read]
        if not ends:
            return self._explanation("unused", self.source_node)
        shown = [self._operation_text(n) for n in ends[:_MAX_ENDS]]
        if len(ends) > _MAX_ENDS:
            shown.append(f"{len(ends) - _MAX_ENDS} more")
        used = shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"
        it = "that" if len(ends) == 1 else "any of them"
        return self._explanation("unrelated", ends[-1], used=used, it=it)

    def _explain_closure(self, users: list[Node]) -> GradientExplanation | None:
        """Cause 5: a function with a gradient of its own uses the source, which is none of its arguments."""
        owners = {n.op.name for n in self.ancestors if n.op is not None and n.op.user_defined}
        inside = [n for n in users if n.code is not None and n.code.co_name.strip("<>_") in owners]
        if not inside:
            return None
        return self._explanation("closure", inside[-1], op=inside[-1].code.co_name.strip("<>_"))

    def _explain_side_effect(self) -> GradientExplanation | None:
        """Causes 2 and 5: numbers of the source left the tape, and at most decided what was computed."""
        mine = self._marks()
        own = [k for k, n in enumerate(self.nodes) if n in self.ancestors]
        last = own[-1] if own else len(self.nodes)
        if aside := _last_kept([m for m in mine if m.kind == "left" and m.at <= last], sure=True):
            return self._explanation("aside", aside[0])
        return self._explanation("left_only", mine[-1]) if mine and self.source_node is None else None

    def _operation_text(self, node: Node) -> str:
        """An operation with the name of its result, if a variable of the caller holds it, and its line."""
        name = next((name for name, value in self._named_values() if value.node is node), "")
        line = location_of(node.code, node.lasti).line
        return f"{name} ({node.op.name}, line {line})" if name else f"{node.op.name} on line {line}"

    def _named_values(self) -> list[tuple[str, Tensor]]:
        scopes = [*self.frame.f_locals.items(), *self.frame.f_globals.items()]
        return [(name, value) for name, value in scopes if isinstance(value, Tensor) and not name.startswith("_")]

    # --------------------------------------------------------------------------------------------------- what is known
    def _marks(self) -> list[PathBreak]:
        """The marks at which numbers of the source left the tape, in their order."""
        mine = (m for m in self.record.path_breaks if m.what is self.source or m.what in self.reached)
        return [m for m in mine if m.kind != "overwritten"]

    def _was_read(self, mark: PathBreak) -> bool:
        """Whether a variable was read on the tape, if a mark is its assignment."""
        return mark.kind != "assigned" or id(mark.variable) in self.record.readings

    def _can_be_cause(self, mark: PathBreak) -> bool:
        """Whether the target uses a constant after a mark: only then can the mark be the cause."""
        later = (n for n in self.nodes[mark.at :] if n in self.ancestors)
        return not self.target_nodes or any(n is None for node in later for n in node.inputs)

    def _is_used(self, mark: PathBreak) -> bool:
        """Whether the target depends on the operation that was called with the condition or index of a mark."""
        next_ones = self.nodes[mark.at : mark.at + 2]  # it may be recorded as two operations
        return any(n in self.ancestors and (n.code, n.lasti) == (mark.code, mark.lasti) for n in next_ones)

    def _display_name(self, value: Any, otherwise: str) -> str:
        """The name of a value, or of the caller's variable that holds it."""
        if getattr(value, "name", None):
            return str(value.name)
        for scope in (self.frame.f_locals, self.frame.f_globals):
            for name, held in scope.items():
                if held is value and not name.startswith("_"):
                    return str(name)
        return otherwise

    def _leaf_name(self, node: Node) -> str:
        known = [(r.variable, r.first) for r in self.record.readings.values()] + [(t, t) for t in self.tape._watched]
        return next((self._display_name(value, "") for value, tensor in known if tensor.node is node), "")

    def _node_ranges(self, nodes: Iterable[Node]) -> Ranges:
        return _ranges(sorted(self.ids[n] for n in nodes if n in self.ids))

    def _explanation(
        self, kind: str, at: PathBreak | Node | SourceLocation | None = None, **words: Any
    ) -> GradientExplanation:
        place = _place_of(at)
        node = at if isinstance(at, Node) else getattr(at, "what", None)
        names = {
            "target": self._display_name(self.targets[0], "the target") if self.targets else "the target",
            "source": self._display_name(self.source, "the source"),
        }
        cause, *texts = REASONS[kind]
        headline, because, fix = (text.format(**names, **words) for text in texts)
        return GradientExplanation(
            target=names["target"], source=names["source"], connected=cause == 0, cause=cause, kind=kind,
            node=self.ids.get(node) if isinstance(node, Node) else None,
            cell=place.cell, line=place.line, code=place.text, headline=headline, because=because, fix=fix,
            reached=self._node_ranges(self.reached), needed=self._node_ranges(self.ancestors),
            gradient="None" if cause else "flows", lesson=LESSONS.get(kind, LESSON_OF_NONE) if cause else "",
        )  # fmt: skip


def _place_of(at: PathBreak | Node | SourceLocation | None) -> SourceLocation:
    if isinstance(at, (Node, PathBreak)):
        return location_of(at.code, at.lasti)
    return at or UNKNOWN_LOCATION


def _last_kept(marks: list[PathBreak], sure: bool = False) -> list[PathBreak]:
    """The last mark whose result the code uses further, in a list; if there is none, the last one unless ``sure``."""
    discarded = cache(is_discarded)  # a loop leaves many marks at one place
    kept = next((m for m in reversed(marks) if not discarded(_place_of(m))), None)
    return [kept] if kept is not None else [] if sure else marks[-1:]


def _is_differentiable(node: Node) -> bool:
    return node.op is not None and (node.op.vjps is not None or node.op.vjp_all is not None)


def _gradient_inputs(node: Node) -> list[Node]:
    """The inputs that a node passes a gradient to: none without rules, and not those for which a rule gave None."""
    if not _is_differentiable(node):
        return []
    given = node.get_extra("given") or [True] * len(node.inputs)
    return [n for n, passes in zip(node.inputs, given, strict=True) if n is not None and passes]


def _recorded_inputs(node: Node) -> list[Node]:
    return [n for n in node.inputs if n is not None]


def _ancestors(
    nodes: list[Node], tips: set[Node], inputs_of: Callable[[Node], list[Node]] = _recorded_inputs
) -> set[Node]:
    """All nodes that some nodes depend on, themselves included, along the inputs that ``inputs_of`` gives."""
    found = set(tips)
    for node in reversed(nodes):
        if node in found:
            found.update(inputs_of(node))
    return found


def _ranges(ids: list[int]) -> Ranges:
    """Sorted integers as ranges ``(first, last)``, both ends included."""
    known = set(ids)
    starts, ends = [k for k in ids if k - 1 not in known], [k for k in ids if k + 1 not in known]
    return tuple(zip(starts, ends, strict=True))
