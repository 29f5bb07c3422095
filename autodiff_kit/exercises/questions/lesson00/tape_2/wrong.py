"""Wrong answers to tape-2, each with the misconception that it must be told; an empty name asks for the plain message."""

LEFT, TAPES = {}, []


def sw(nodes, target, over=False, down=False, bar=None):
    bar = [0.0] * len(nodes) if bar is None else bar
    bar[target] = 1.0
    for i in range(target + 1) if down else range(target, -1, -1):
        for j, s in nodes[i]:
            bar[j] = bar[i] * s if over else bar[j] + bar[i] * s
    return bar


def sw_kept(nodes, target):
    return list(sw(nodes, target, bar=LEFT.setdefault(len(nodes), [0.0] * len(nodes))))


def sw_added(nodes, target):
    kept = LEFT.setdefault(("sum", len(nodes)), [0.0] * len(nodes))
    kept[:] = [a + b for a, b in zip(kept, sw(nodes, target))]
    return list(kept)


def sw_rec(nodes, target):
    bar = [0.0] * len(nodes)

    def go(i, g):
        bar[i] += g
        for j, s in nodes[i]:
            go(j, g * s)

    go(target, 1.0)
    return bar


def sw_reached(nodes, target):
    return [float(b != 0) for b in sw(nodes, target)]


def kept(prog, n, every=False, twice=False, relu=False, mask=1):
    found, masks = [], 0
    for i, (op, *ins) in enumerate(prog, 2):
        if every:
            found += [*ins, i]
        elif op in ("mul", "square", "sin") or (relu and op == "relu"):
            found += ins
        elif op == "exp":
            found.append(i)
        elif op == "relu":
            masks += 1
    return 8 * n * len(found if twice else set(found)) + mask * n * masks


WRONG = {
    "= at fan-out": ((lambda N, t: sw(N, t, over=True),), "overwrites-at-fan-out"),
    "last node": ((lambda N, t: sw(N, len(N) - 1),), "starts-at-the-last-node"),
    "ones everywhere": ((lambda N, t: sw(N, t, bar=[1.0] * len(N)),), "starts-every-node-at-1"),
    "recursion": ((sw_rec,), "recursion"),
    "kept zeros": ((sw_kept,), "second-pull-adds-to-the-first"),
    "added to a kept list": ((sw_added,), "second-pull-adds-to-the-first"),
    "forwards": ((lambda N, t: sw(N, t, down=True),), "runs-downwards"),
    "reached or not": ((sw_reached,), ""),
}
