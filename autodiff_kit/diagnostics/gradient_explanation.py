"""Why is this gradient None? The record knows, together with the light marks beside it.

Nothing here runs until somebody asks. A gradient is None for one of five causes:

1. the source is a tensor that no tape follows, such as a variable that ``x = x + 1`` replaced;
2. the value left the record: it became a plain array or number, or ``stop_gradient`` ended the path;
3. the path goes through something without a slope: whole numbers, truth values, rounding, positions;
4. the value went through state: it was assigned to a variable, which keeps numbers and no history;
5. the target does not depend on the source, as far as the tape saw.
"""

from __future__ import annotations

import ast
import html
import linecache
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from autodiff_kit.core.backward import needed_for
from autodiff_kit.core.pytree import flatten
from autodiff_kit.core.record import Mark, Node
from autodiff_kit.core.source_location import NOWHERE, Place, cells_before, place_of, title_of, user_frame
from autodiff_kit.core.tape import GradientTape, tape_method
from autodiff_kit.core.tensor import Value, Variable
from autodiff_kit.diagnostics.unconnected_reasons import REASONS, remark

__all__ = ["Explanation", "Explanations", "explain"]

Runs = tuple[tuple[int, int], ...]


@dataclass(frozen=True, repr=False)
class Explanation:
    """How a target depends on a source, or why it does not.

    Attributes
    ----------
    target, source : str
        Their names, or what the caller's code calls them.
    connected : bool
        Whether a gradient flows.
    cause : int
        1 to 5 as in the list above; 0 where they are connected.
    kind : str
        The case in a word: "connected"; "replaced", "unwatched_tensor"; "left", "stopped", "plain", "target"; "whole",
        "no_slope"; "state"; "decided", "unwatched", "unread", "cousin", "unrelated".
    node : int or None
        Place on the tape of the operation that cuts the path.
    cell, line, code : str, int, str
        File or cell, line, and text of the line where the path broke; empty and 0 where no line is to blame.
    headline, because, fix : str
        What happened, why it has this effect, what to do.
    reached, needed : tuple of (int, int)
        Runs of node ids: what the source reaches, and what the target is made of.
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
    reached: Runs = ()
    needed: Runs = ()

    @property
    def place(self) -> str:
        """The line where the path broke, as a reader names it; empty where no line is to blame."""
        return f"{title_of(self.cell)}, line {self.line}" if self.line else ""

    def __str__(self) -> str:
        where = f"\n  {self.place}: {self.code}" if self.line else ""
        what = f"\n  What to do: {self.fix}" if self.fix else ""
        verdict = "flows" if self.connected else "is None"
        return f"d {self.target} / d {self.source} {verdict}: {self.headline}{where}\n  {self.because}{what}"

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return Explanations([self])._repr_html_()


class Explanations(tuple[Explanation, ...]):
    """One :class:`Explanation` for each source, in their order; prints as text, in a notebook as a small table."""

    __slots__ = ()

    def __str__(self) -> str:
        return "\n\n".join(map(str, self))

    __repr__ = __str__

    def _repr_html_(self) -> str:
        head = "".join(
            f"<th style='text-align:left'>{name}</th>" for name in ("gradient", "why", "where", "what to do")
        )
        return f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(map(_row, self))}</tbody></table>"


def _row(e: Explanation) -> str:
    where = f"{e.place}<br><code>{html.escape(e.code)}</code>" if e.line else "–"
    gradient = f"∂ {html.escape(e.target)} / ∂ {html.escape(e.source)}{'' if e.connected else ': None'}"
    why = f"<b>{html.escape(e.headline)}</b><br>{html.escape(e.because)}"
    cells = (gradient, why, where, html.escape(e.fix) or "–")
    return f"<tr>{''.join(f'<td style={_CELL!r}>{cell}</td>' for cell in cells)}</tr>"


_CELL = "text-align:left;vertical-align:top"


def explain(tape: GradientTape, target: Any, sources: Any) -> Explanation | Explanations:
    """Say how a target depends on sources, and if it does not, where the path broke and what to do.

    Parameters
    ----------
    tape : GradientTape
        Also a used one: a record keeps its operations when it lets go of arrays.
    target : Tensor, Variable, or nest
        What was, or is to be, differentiated. Anything else is explained too.
    sources : Tensor, Variable, or nest

    Returns
    -------
    Explanation, or Explanations
        One for a single source, a tuple of them for several.

    Notes
    -----
    **Cost.** A few passes over the record. Recording pays nothing for it but a mark where a value leaves the record or
    is assigned. Where a value left the record, the tape cannot see whether the target was computed from it; the line
    is then the last one that fits.

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
    case = _Case(tape, flatten(target), frame)
    found = Explanations([case.explain(source) for source in flat])
    return found[0] if len(found) == 1 and flat[0] is sources else found


tape_method("explain", explain)


class _Case:
    """One target on one tape, and what is known of both."""

    def __init__(self, tape: GradientTape, targets: list[Any], frame: Any) -> None:
        self.tape, self.targets, self.frame = tape, targets, frame
        self.record = tape._record
        self.nodes = list(self.record.nodes)
        self.ids = {node: k for k, node in enumerate(self.nodes)}
        self.known = {*self.ids, *tape._leaves()}
        self.tips = {n for t in targets if (n := self._node(t)) is not None}
        self.made_of = _ancestors(self.nodes, self.tips)
        self.flows_from = _ancestors(self.nodes, self.tips, _passes)

    def _node(self, value: Any) -> Node | None:
        node = self.tape._node_of(value) if isinstance(value, Value) else None
        return node if node in self.known else None

    def explain(self, source: Any) -> Explanation:
        self.source = source
        self.start = self._node(source)
        self.reached = needed_for(self.nodes, {self.start}) if self.start is not None else set()
        return self._connected() or self._cut() or self._marked() or self._unfollowed() or self._apart()

    # ------------------------------------------------------------------------------------------------------- the causes
    def _connected(self) -> Explanation | None:
        if self.start not in self.flows_from:
            return None
        steps = sum(n in self.ids for n in self.reached & self.flows_from)
        return self._say("connected", steps=f"{steps} operation{'s lead' if steps != 1 else ' leads'}")

    def _cut(self) -> Explanation | None:
        """Cause 3: the path is there, and goes through something without a slope."""
        if isinstance(self.source, Value) and self.source.dtype.kind not in "fc":
            return self._say("whole", dtype=self.source.dtype)
        alive = {self.start} if self.start in self.made_of else set()
        for node in self.nodes:
            if any(n in alive for n in node.inputs if n is not None):
                if _passes(node):
                    alive.add(node)
                elif node in self.made_of:
                    return self._say("no_slope", node, op=node.op.name, remark=remark(node.op.name))
        return None

    def _marked(self) -> Explanation | None:
        """Causes 4 and 2, and branches: the path leads to a mark beside the record."""
        mine = [m for m in self.record.marks if m.what is self.source or m.what in self.reached]
        if not self.tips:  # the target is on no record: the last thing that happened to the source tells why
            mine = [m for m in mine if m.kind != "decided"][-1:] or mine
        for kind in ("assigned", "stopped", "left", "decided"):
            fitting = [m for m in mine if m.kind == kind and self._comes_back(m)]
            if fitting and kind == "assigned":
                return self._say("state", fitting[0], variable=self._called(fitting[0].variable, "the variable"))
            if fitting:
                return self._say(kind, fitting[-1])
        return None

    def _unfollowed(self) -> Explanation | None:
        """Cause 1, and variables that the tape was not asked to follow, or never met."""
        if not isinstance(self.source, Value):
            return self._say("plain", type=type(self.source).__name__)
        if self.start is not None:
            return None
        if isinstance(self.source, Variable):
            asked = self.record.automatic and self.source.trainable
            return self._say("unread" if asked and id(self.source) not in self.record.leaves else "unwatched")
        line = _replaced(self.frame, self._called(self.source, ""))
        return self._say("replaced", line) if line else self._say("unwatched_tensor")

    def _apart(self) -> Explanation:
        """Cause 5: the source is known, and nothing leads from it to the target."""
        if not self.tips:
            return self._say("target", type=type(self.targets[0]).__name__ if self.targets else "nothing")
        if self.start is None or self.start.op is None:
            return self._say("unrelated")
        shared = [n for n in _ancestors(self.nodes, {self.start}) & self.made_of if n.op is None]
        names = [name for n in shared if (name := self._leaf_name(n))]
        return self._say("cousin", self.start, shared=names[0]) if names else self._say("unrelated", self.start)

    # --------------------------------------------------------------------------------------------------- what is known
    def _reads(self, variable: Variable) -> bool:
        """Whether the target is made of a variable."""
        hit = self.record.leaves.get(id(variable))
        return hit is not None and hit.first.node in self.made_of

    def _comes_back(self, mark: Mark) -> bool:
        """Whether the target takes in a plain value after a mark: only then can the mark be the reason."""
        if mark.kind == "assigned":
            return self._reads(mark.variable) or not self.tips
        later = (n for n in self.nodes[mark.at :] if n in self.made_of)
        return mark.kind == "decided" or not self.tips or any(n is None for node in later for n in node.inputs)

    def _called(self, value: Any, otherwise: str) -> str:
        """A value's own name, or what the caller's code calls it."""
        if getattr(value, "name", None):
            return str(value.name)
        for scope in (self.frame.f_locals, self.frame.f_globals):
            for name, held in scope.items():
                if held is value and not name.startswith("_"):
                    return str(name)
        return otherwise

    def _leaf_name(self, node: Node) -> str:
        known = [(r.variable, r.first) for r in self.record.leaves.values()] + [(t, t) for t in self.tape._watched]
        return next((self._called(value, "") for value, tensor in known if tensor.node is node), "")

    def _runs(self, nodes: Iterable[Node]) -> Runs:
        return _runs(sorted(self.ids[n] for n in nodes if n in self.ids))

    def _say(self, kind: str, at: Mark | Node | Place | None = None, **words: Any) -> Explanation:
        place = _place(at)
        node = at if isinstance(at, Node) else getattr(at, "what", None)
        names = {
            "target": self._called(self.targets[0], "the target") if self.targets else "the target",
            "source": self._called(self.source, "the source"),
        }
        cause, *texts = REASONS[kind]
        headline, because, fix = (text.format(**names, **words) for text in texts)
        return Explanation(
            **names, connected=cause == 0, cause=cause, kind=kind,
            node=self.ids.get(node) if isinstance(node, Node) else None,
            cell=place.cell, line=place.line, code=place.text, headline=headline, because=because, fix=fix,
            reached=self._runs(self.reached), needed=self._runs(self.made_of),
        )  # fmt: skip


def _place(at: Mark | Node | Place | None) -> Place:
    if isinstance(at, Node):
        return place_of(at.code, at.lasti)
    return at.place if isinstance(at, Mark) else at or NOWHERE


def _passes(node: Node) -> bool:
    return node.op is not None and (node.op.vjps is not None or node.op.vjp_all is not None)


def _ancestors(nodes: list[Node], tips: set[Node], through: Callable[[Node], bool] = lambda node: True) -> set[Node]:
    """The nodes that some nodes are made of, themselves included, by way of nodes that let a path through."""
    found = set(tips)
    for node in reversed(nodes):
        if node in found and through(node):
            found.update(n for n in node.inputs if n is not None)
    return found


def _runs(ids: list[int]) -> Runs:
    """Whole numbers in order, as runs from first to last."""
    known = set(ids)
    starts, ends = [k for k in ids if k - 1 not in known], [k for k in ids if k + 1 not in known]
    return tuple(zip(starts, ends, strict=True))


# ------------------------------------------------------------------------------------------------------------ x = x + 1
def _replaced(frame: Any, name: str) -> Place | None:
    """The line that put a tensor where the code had a variable, found by reading the code; None without evidence."""
    lines = [(cell, node) for cell in cells_before(frame.f_code.co_filename) for node in _assignments(cell, name)]
    was_variable = any(_makes_variable(node) for _, node in lines)
    others = [(cell, node.lineno) for cell, node in lines if not _makes_variable(node)]
    return Place(*others[-1], frame.f_code.co_name) if was_variable and others else None


def _assignments(cell: str, name: str) -> list[ast.Assign | ast.AnnAssign | ast.AugAssign]:
    try:
        tree = ast.parse("".join(linecache.getlines(cell)))
    except SyntaxError:  # a cell with a magic command in it
        return []
    found = [n for n in ast.walk(tree) if isinstance(n, (ast.Assign, ast.AnnAssign, ast.AugAssign))]
    return [n for n in found if name in _targets(n)]


def _targets(node: ast.Assign | ast.AnnAssign | ast.AugAssign) -> list[str]:
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    return [n.id for target in targets for n in ast.walk(target) if isinstance(n, ast.Name)]


def _makes_variable(node: ast.Assign | ast.AnnAssign | ast.AugAssign) -> bool:
    calls = [n for n in ast.walk(node) if isinstance(n, ast.Call)]
    return any(getattr(call.func, "attr", getattr(call.func, "id", "")) == "Variable" for call in calls)
