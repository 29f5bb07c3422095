"""Wrong answers to none-1, each with the misconception that it must be told; an empty name asks for the plain message."""

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


def lines_from_1(program, target, source):
    cause, line = diagnosed(program, target, source)
    return cause, None if line is None else line + 1


def first_assignment(program, target, source):
    cause, line = diagnosed(program, target, source)
    if cause == 1:
        line = next(k for k, (name, op, _) in enumerate(program) if name == source and op != "variable")
    return cause, line


def rounding_as_path(program, target, source):
    rough = ("floor", "round", "sign", "greater")
    return diagnosed([(n, "exp" if op in rough else op, i) for n, op, i in program], target, source)


WRONG = {
    "first assignment": ((first_assignment,), "first-assignment"),
    "floor is a path": ((rounding_as_path,), "rounding-is-a-path"),
    "x - x is no path": ((walk(zero=True),), "zero-is-unconnected"),
    "the line after": ((walk(after=True),), "blames-the-op-after"),
    "assign is a path": ((walk(state=True),), "state-looks-fine"),
    "always cause 5": ((lambda program, target, source: (5, None),), ""),
    "always connected": ((lambda program, target, source: (0, None),), ""),
    "replaced is fine": ((walk(outside=False),), "a-tensor-is-watched"),
    "lines from 1": ((lines_from_1,), "lines-from-1"),
}
