"""Wrong answers to none-2, each with the misconception that it must be told; an empty name asks for the plain message."""


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


WRONG = {
    "through cuts": ((lambda n, t, s: found(n, t, s, cuts=()),), "walks-through-a-cut"),
    "zero is None": ((lambda n, t, s: found(n, t, s, zero=True),), "zero-taken-for-None"),
    "not itself": ((found_but_not_itself,), "target-is-not-its-own-source"),
    "earlier": ((lambda n, t, s: [k <= t for k in s],), "earlier-means-connected"),
    "the opposite": ((lambda n, t, s: [not c for c in found(n, t, s)],), ""),
    "inputs of the target": ((lambda n, t, s: [k in n[t][1:] for k in s],), "direct-inputs-only"),
    "the target and its inputs": ((lambda n, t, s: [k in (t, *n[t][1:]) for k in s],), "direct-inputs-only"),
    "the wrong way": ((found_after,), ""),
}
