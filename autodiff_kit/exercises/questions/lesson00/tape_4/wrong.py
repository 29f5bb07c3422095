"""Wrong answers to tape-4, each with the misconception that it must be told; an empty name asks for the plain message."""


def kept(prog, n, every=False, twice=False, relu=False, mask=1, add=False, exp=False, result=False, summed=False):
    found, masks = [], 0
    for i, (op, *ins) in enumerate(prog, 2):
        if every:
            found += [*ins, i]
        elif op in ("mul", "square", "sin") or {"relu": relu, "add": add, "exp": exp, "sum": summed}.get(op):
            found += ins
        elif op == "exp" or (op == "relu" and result):
            found.append(i)
        elif op == "relu":
            masks += 1
    return 8 * n * len(found if twice else set(found)) + mask * n * masks


WRONG = {
    "everything": ((lambda P, n: kept(P, n, every=True),), "keeps-everything"),
    "twice": ((lambda P, n: kept(P, n, twice=True),), "counts-shared-twice"),
    "relu's input": ((lambda P, n: kept(P, n, relu=True),), "relu-keeps-its-input"),
    "add's inputs": ((lambda P, n: kept(P, n, add=True),), "add-keeps-its-inputs"),
    "exp's input": ((lambda P, n: kept(P, n, exp=True),), "exp-keeps-its-input"),
    "no mask": ((lambda P, n: kept(P, n, mask=0),), "relu-keeps-nothing"),
    "relu's result": ((lambda P, n: kept(P, n, result=True),), "relu-keeps-its-result"),
    "sum's input": ((lambda P, n: kept(P, n, summed=True),), "sum-keeps-its-input"),
}
