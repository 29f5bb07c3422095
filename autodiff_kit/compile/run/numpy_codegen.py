"""Generate a Python function of NumPy calls from a graph.

It runs until kernels are ready, and is the reference for their results. Each node is a line, and each value is deleted
after its last use.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autodiff_kit.compile.node import PYTHON_OPERATORS, GraphNode, slice_from_bounds
from autodiff_kit.compile.topological_order import live_nodes, view_base
from autodiff_kit.errors import ConcretizationError

__all__ = ["NUMPY_NAMES", "generate_numpy_function", "numpy_expression"]

MAX_FUNCTION_LINES = 1000

_TEMPLATES = {
    "add": "{0} + {1}", "subtract": "{0} - {1}", "multiply": "{0} * {1}", "divide": "{0} / {1}", "negative": "-{0}",
    "strong": "np.float64({0})", "where": "np.where({0}, {1}, {2})[()]", "item": "{0}[{p}]",
    "cast": "np.asarray({0}).astype('{p.str}')[()]", "reshape": "np.reshape({0}, {p})",
    "broadcast": "np.broadcast_to({0}, {p})", "permute": "np.transpose({0}, {p})",
    "sum": "np.sum({0}, axis={p[0]}, dtype='{p[1].str}', keepdims=True)",
    "max": "np.max({0}, axis={p[0]}, keepdims=True)", "min": "np.min({0}, axis={p[0]}, keepdims=True)",
    "concat": "np.concatenate(({all}), axis={p})", "pad": "zero_padded({0}, {shape}, {p})",
}  # fmt: skip
"""The expressions of operations, with the operands by number, or as ``all``, and the parameters as ``p``."""


def generate_numpy_function(
    inputs: list[GraphNode], outputs: list[GraphNode]
) -> tuple[Callable[..., tuple[Any, ...]], str]:
    """A function from input values to output values, and its source."""
    nodes = live_nodes(outputs, set(inputs))
    names: dict[GraphNode, str] = {}
    env: dict[str, Any] = dict(NUMPY_NAMES)
    last: dict[GraphNode, GraphNode] = {a: n for n in nodes for a in n.args}
    kept = set(outputs)
    lines = []
    for k, node in enumerate(inputs):
        names[node] = f"arg{k}"
        if node.dtype == np.float64 and not node.shape and not node.weak and node in last:
            lines.append(f"arg{k} = np.float64(arg{k})")
    for node in nodes:
        if node.op == "const":
            names[node] = repr(node.value) if node.weak and np.isfinite(node.value) else f"const{node.number}"
            env[names[node]] = node.value
        else:
            names[node] = f"n{node.number}"
            lines.append(f"{names[node]} = {numpy_expression(node, names, env)}")
            if node.op == "call" and node.dtype != object:
                lines.append(f"check_form({names[node]}, {node.shape}, {node.dtype.str!r}, {node.params.name!r})")
            done = [
                names[a]
                for a in dict.fromkeys(node.args)
                if last[a] is node and a not in kept and a.op not in ("const", "input")
            ]
            if done:
                lines.append(f"del {', '.join(done)}")
    answers = [
        f"np.array({names[o]})" if view_base(o).op in ("input", "const") and o.shape else names[o] for o in outputs
    ]
    given_names, given_back = ", ".join(names[i] for i in inputs), f"({''.join(f'{a}, ' for a in answers)})"
    source = "\n    ".join([f"def run({given_names}):", *lines, f"return {given_back}\n"])
    if len(lines) > MAX_FUNCTION_LINES:
        return _run_in_parts([names[i] for i in inputs], lines, given_back, env), source
    exec(compile(source, "<autodiff_kit plan>", "exec"), env)
    run: Callable[..., tuple[Any, ...]] = env["run"]
    return run, source


def _run_in_parts(parameters: list[str], lines: list[str], answer: str, env: dict[str, Any]) -> Callable[..., Any]:
    """A function of many lines, compiled part by part: Python takes some kilobytes for each line meanwhile."""
    starts = range(0, len(lines), MAX_FUNCTION_LINES)
    parts = [compile("\n".join(lines[k : k + MAX_FUNCTION_LINES]), "<autodiff_kit plan>", "exec") for k in starts]

    def run(*given: Any) -> Any:
        values = dict(zip(parameters, given, strict=True))
        for part in parts:
            exec(part, env, values)
        return eval(answer, env, values)

    return run


def check_form(value: Any, shape: tuple[int, ...], dtype: Any, name: str) -> Any:
    """The value, after checking that it has the shape that was traced, and numbers that fit the dtype."""
    if np.shape(value) != shape:
        raise ConcretizationError(
            f"the result of {name} has shape {np.shape(value)} here, and had {shape} when the function was traced: the "
            "shape depends on numbers. Compute it outside and pass it as an argument, or do not compile this function."
        )
    if not np.can_cast(found := getattr(value, "dtype", dtype), dtype, "same_kind"):
        raise ConcretizationError(
            f"the result of {name} has dtype {found} here, and had {np.dtype(dtype)} when the function was traced: the "
            f"dtype depends on numbers. Cast the inputs, as in ak.cast(x, {str(found)!r}), or do not compile this "
            "function."
        )
    return value


def numpy_expression(node: GraphNode, names: dict[GraphNode, str], env: dict[str, Any]) -> str:
    """The expression that computes a node."""
    given = ", ".join(names[a] for a in node.args)
    op, params = node.op, node.params
    if op in _TEMPLATES:
        return _TEMPLATES[op].format(*(names[a] for a in node.args), all=given, p=params, shape=node.shape)
    if node.weak and op == "power":
        base, exponent = (names[a] for a in node.args)
        base = f"({base})" if base[0] == "-" else base  # -2 ** x is -(2 ** x)
        return f"{base} ** {exponent}"
    if node.weak:
        env[f"py_{op}"] = PYTHON_OPERATORS[op]
        return f"py_{op}({given})"
    if op == "copy":
        return numpy_expression(params, names, env)
    if op == "slice":
        return f"{given}[{', '.join(_slice_text(p) for p in params)}]"
    if op == "call":
        return str(params.expression([names[a] for a in node.args], env, f"fn{node.number}"))
    return f"np.{op}({given})"


def _zero_padded(x: Any, shape: tuple[int, ...], spans: tuple[tuple[int, int, int], ...]) -> Any:
    out = np.zeros(shape, x.dtype)
    out[tuple(map(slice_from_bounds, spans))] = x
    return out


NUMPY_NAMES: dict[str, Any] = {"np": np, "check_form": check_form, "zero_padded": _zero_padded}
"""What the lines of NumPy calls need among their globals."""


def _slice_text(part: tuple[int, int, int]) -> str:
    """The source text of a slice between brackets."""
    s = slice_from_bounds(part)
    return f"{s.start}:{'' if s.stop is None else s.stop}" + (f":{s.step}" if s.step != 1 else "")
