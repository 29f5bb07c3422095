"""Wrong solutions of lesson 00, each with the misconception that it must be told; an empty name asks for the plain message."""

import autodiff_kit as ak

LEFT, TAPES = {}, []


def slopes(a, b, p):
    d = p * (a * b) ** (p - 1)
    return d, d * b, d * a


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


def record(x, persistent=True):
    x = ak.Variable(x)
    with ak.GradientTape(persistent=persistent) as tape:
        y = x**2
        z = y**2
    return tape, x, y, z


def three_once(x):
    tape, x, y, z = record(x, persistent=False)
    return tape.gradient(z, x), tape.gradient(z, y), tape.gradient(y, x)


def three_tapes(x):
    answers = []
    for k in range(3):
        tape, v, y, z = record(x, persistent=False)
        answers.append(tape.gradient([z, z, y][k], [v, y, v][k]))
    return tuple(answers)


def three_kept(x):
    tape, x, y, z = record(x)
    TAPES.append(tape)
    return tape.gradient(z, x), tape.gradient(z, y), tape.gradient(y, x)


def three_mixed(x):
    tape, x, y, z = record(x)
    return tape.gradient(z, x), tape.gradient(y, x), tape.gradient(z, y)


def three_by_hand(x):
    return 4 * x**3, 2 * x**2, 2 * x


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
    "tape-1": {
        "dz/dy for all": ((lambda a, b, p: (slopes(a, b, p)[0],) * 3,), "stops-at-the-middle"),
        "dy/da": ((lambda a, b, p: (slopes(a, b, p)[0], b, a),), "forgets-the-outer-slope"),
        "y moved by a": ((lambda a, b, p: (slopes(a, b, p)[1],) + slopes(a, b, p)[1:],), "from-the-wrong-end"),
        "a and b mixed up": ((lambda a, b, p: (slopes(a, b, p)[0], *slopes(a, b, p)[:0:-1]),), ""),
    },
    "tape-2": {
        "= at fan-out": ((lambda N, t: sw(N, t, over=True),), "overwrites-at-fan-out"),
        "last node": ((lambda N, t: sw(N, len(N) - 1),), "starts-at-the-last-node"),
        "recursion": ((sw_rec,), "recursion"),
        "kept zeros": ((sw_kept,), "second-pull-adds-to-the-first"),
        "added to a kept list": ((sw_added,), "second-pull-adds-to-the-first"),
        "forwards": ((lambda N, t: sw(N, t, down=True),), "runs-downwards"),
        "reached or not": ((sw_reached,), ""),
    },
    "tape-3": {
        "three tapes": ((three_tapes,), "one-tape-for-each"),
        "asked an ordinary tape": ((three_once,), "not-persistent"),
        "tape in a list": ((three_kept,), "tape-kept"),
        "two mixed up": ((three_mixed,), ""),
        "by hand": ((three_by_hand,), ""),
    },
    "tape-4": {
        "everything": ((lambda P, n: kept(P, n, every=True),), "keeps-everything"),
        "twice": ((lambda P, n: kept(P, n, twice=True),), "counts-shared-twice"),
        "relu's input": ((lambda P, n: kept(P, n, relu=True),), "relu-keeps-its-input"),
        "no mask": ((lambda P, n: kept(P, n, mask=0),), ""),
    },
}
