"""A graph as a straight-line Python function of NumPy calls: what runs until kernels are ready, and what they equal.

Each node is a line, and a value is let go after the line that reads it last.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autodiff_kit.compile.node import PYTHON, Node, slice_of
from autodiff_kit.compile.topological_order import live, root

__all__ = ["expect", "expression", "numpy_program"]


_SIGNS = {"add": "{} + {}", "subtract": "{} - {}", "multiply": "{} * {}", "divide": "{} / {}", "negative": "-{}"}


def numpy_program(
    inputs: list[Node], outputs: list[Node], given: set[Node] | None = None
) -> tuple[Callable[..., tuple[Any, ...]], str]:
    """A function from the inputs' values to the outputs', and its source."""
    nodes = live(outputs, given)
    names: dict[Node, str] = {}
    env: dict[str, Any] = {"np": np}
    last: dict[Node, Node] = {a: n for n in nodes for a in n.args}
    kept = set(outputs)
    lines = []
    for k, node in enumerate(inputs):
        names[node] = f"a{k}"
        if node.dtype == np.float64 and not node.shape and not node.weak and node in last:
            lines.append(f"a{k} = np.float64(a{k})")
    for node in nodes:
        if node.op == "const":
            names[node] = repr(node.value) if node.weak and np.isfinite(node.value) else f"c{node.number}"
            env[names[node]] = node.value
        elif node.op != "input":
            names[node] = f"n{node.number}"
            lines.append(f"{names[node]} = {expression(node, names, env)}")
            if node.op == "call" and node.dtype != object:
                lines.append(f"expect({names[node]}, {node.shape}, {names[node]!r})")
            done = [
                names[a]
                for a in dict.fromkeys(node.args)
                if last[a] is node and a not in kept and a.op not in ("const", "input")
            ]
            if done:
                lines.append(f"del {', '.join(done)}")
    env["expect"] = expect
    answers = [f"np.array({names[o]})" if root(o).op in ("input", "const") and o.shape else names[o] for o in outputs]
    body = "".join(f"    {line}\n" for line in lines)
    given_names, given_back = ", ".join(names[i] for i in inputs), "".join(f"{a}, " for a in answers)
    source = f"def run({given_names}):\n{body}    return ({given_back})\n"
    exec(compile(source, "<autodiff_kit plan>", "exec"), env)
    run: Callable[..., tuple[Any, ...]] = env["run"]
    return run, source


def expect(value: Any, shape: tuple[int, ...], name: str) -> Any:
    """The value, if it has the shape that was recorded."""
    if np.shape(value) != shape:
        raise ValueError(f"{name} has shape {np.shape(value)} and was recorded with {shape}")
    return value


def expression(node: Node, names: dict[Node, str], env: dict[str, Any]) -> str:  # noqa: C901 - a table
    """The line of a node."""
    given = ", ".join(names[a] for a in node.args)
    op, kw = node.op, node.kw
    if op in _SIGNS:
        return _SIGNS[op].format(*(names[a] for a in node.args))
    if node.weak:
        env[f"py_{op}"] = PYTHON[op]
        return f"py_{op}({given})"
    if op == "copy":
        return expression(kw, names, env)
    if op == "strong":
        return f"np.float64({given})"
    if op == "where":
        return f"np.where({given})[()]"
    if op == "cast":
        return f"np.asarray({given}).astype('{kw.str}')[()]"
    if op in ("sum", "max", "min"):
        axes, dtype = kw
        more = f", dtype='{dtype.str}'" if op == "sum" else ""
        return f"np.{op}({given}, axis={axes}{more}, keepdims=True)"
    if op in ("reshape", "broadcast"):
        return f"np.{'reshape' if op == 'reshape' else 'broadcast_to'}({given}, {kw})"
    if op == "permute":
        return f"np.transpose({given}, {kw})"
    if op == "slice":
        return f"{given}[{', '.join(_slice_text(p) for p in kw)}]"
    if op == "concat":
        return f"np.concatenate(({given}), axis={kw})"
    if op == "pad":
        env["padded"] = _padded
        return f"padded({given}, {node.shape}, {kw})"
    if op == "item":
        return f"{given}[{kw}]"
    if op == "call":
        env[f"f{node.number}"] = kw
        return f"f{node.number}({given})"
    return f"np.{op}({given})"


def _padded(x: Any, shape: tuple[int, ...], spans: tuple[tuple[int, int, int], ...]) -> Any:
    out = np.zeros(shape, x.dtype)
    out[tuple(map(slice_of, spans))] = x
    return out


def _slice_text(part: tuple[int, int, int]) -> str:
    """A slice as it stands between brackets."""
    s = slice_of(part)
    return f"{s.start}:{'' if s.stop is None else s.stop}" + (f":{s.step}" if s.step != 1 else "")
