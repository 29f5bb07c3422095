"""Wrong solutions of lesson 02, each with the misconception that it must be told; an empty name asks for the plain message."""

import numpy as np

LOSES = {"numpy": 2, "stop_gradient": 2, "floor": 3, "round": 3, "sign": 3, "greater": 3, "assign": 4, "assign_add": 4}


def diagnosed(program, target, source, zero=False, state=False, after=False, outside=True):
    """A walk with one thing misunderstood."""
    S, taping = {}, False
    for k, (name, op, inputs) in enumerate(program):
        taping |= op == "tape"
        if name == source and op not in ("assign", "assign_add"):
            S = {name: (0, None) if taping or op == "variable" or not outside else (1, k)}
            continue
        if zero and op == "sub" and inputs[0] == inputs[1]:
            S.pop(name, None)
            continue
        ways = sorted([S[i] for i in inputs if i in S], key=lambda s: s[0])
        if ways:
            cuts = op in LOSES and not (state and op.startswith("assign"))
            S[name] = (LOSES[op], k) if ways[0][0] == 0 and cuts else ways[0]
    cause, line = S.get(target, (5, None))
    if after and line is not None:
        line = next(k for k, (_, _, inputs) in enumerate(program) if k > line and program[line][0] in inputs)
    return cause, line


def walk(**switches):
    return lambda program, target, source: diagnosed(program, target, source, **switches)


def found(nodes, target, sources, cuts=("floor", "cast", "greater", "convert"), zero=False):
    seen = set()

    def visit(k):
        seen.add(k)
        op, *inputs = nodes[k]
        if op in cuts or (zero and op == "sub" and inputs[0] == inputs[1]):
            return
        for i in inputs:
            if i not in seen:
                visit(i)

    visit(target)
    return [s in seen for s in sources]


def found_but_not_itself(nodes, target, sources):
    return [c and s != target for c, s in zip(found(nodes, target, sources), sources)]


def found_after(nodes, target, sources):
    """Everything that comes later and uses the source: the walk goes the wrong way."""
    return [target == s or any(target in n[1:] for n in nodes[s:]) for s in sources]


def filled(grads, sources, zero=np.zeros_like, kept=lambda g: g, tuples=tuple):
    if isinstance(sources, dict):
        return {k: filled(grads[k], sources[k], zero, kept, tuples) for k in sources}
    if isinstance(sources, (list, tuple)):
        build = tuples if isinstance(sources, tuple) else list
        return build([filled(g, s, zero, kept, tuples) for g, s in zip(grads, sources)])
    return zero(sources) if grads is None else kept(grads)


WRONG = {
    "none-1": {
        "x - x is no path": ((walk(zero=True),), "zero-is-unconnected"),
        "the line after": ((walk(after=True),), "blames-the-op-after"),
        "assign is a path": ((walk(state=True),), "state-looks-fine"),
        "always cause 5": ((lambda program, target, source: (5, None),), ""),
        "always connected": ((lambda program, target, source: (0, None),), ""),
        "replaced is fine": ((walk(outside=False),), ""),
        "lines from 1": (
            (lambda *asked: (diagnosed(*asked)[0], (diagnosed(*asked)[1] or 0) + 1),),
            "",
        ),
    },
    "none-2": {
        "through cuts": ((lambda n, t, s: found(n, t, s, cuts=()),), "walks-through-a-cut"),
        "zero is None": ((lambda n, t, s: found(n, t, s, zero=True),), "zero-taken-for-None"),
        "not itself": ((found_but_not_itself,), "target-is-not-its-own-source"),
        "earlier": ((lambda n, t, s: [k <= t for k in s],), "earlier-means-connected"),
        "the opposite": ((lambda n, t, s: [not c for c in found(n, t, s)],), ""),
        "the wrong way": ((found_after,), ""),
    },
    "none-3": {
        "one zero": ((lambda g, s: filled(g, s, zero=lambda x: 0.0),), "one-zero-for-all"),
        "float64": ((lambda g, s: filled(g, s, zero=lambda x: np.zeros(x.shape)),), "everything-float64"),
        "nan_to_num": ((lambda g, s: filled(g, s, kept=np.nan_to_num),), "hides-nan"),
        "lists for tuples": ((lambda g, s: filled(g, s, tuples=list),), ""),
        "ones": ((lambda g, s: filled(g, s, zero=np.ones_like),), ""),
    },
}
