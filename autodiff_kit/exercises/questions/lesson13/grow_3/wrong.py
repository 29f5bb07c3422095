"""Wrong answers to grow-3, each with the misconception that it must be told; an empty name asks for the plain message."""

import math

WORK = {"+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b, "sin": math.sin}


def dis(e, commute="+*", fold=True):
    seen = {}

    def key(part):
        if not isinstance(part, tuple):
            return part
        op, *keys = part[0], *map(key, part[1:])
        if fold and all(isinstance(one, int | float) for one in keys):
            return WORK[op](*keys)
        keys = sorted(keys, key=repr) if op in commute else keys
        return ("node", seen.setdefault((op, *keys), len(seen)))

    key(e)
    return len(seen)


def places(e):
    if not isinstance(e, tuple) or all(isinstance(one, int | float) for one in e[1:]):
        return 0
    return 1 + sum(places(one) for one in e[1:])


def sin_not_folded(expression):
    found, values = set(), {"+": sum, "*": math.prod, "-": lambda keys: keys[0] - keys[1]}

    def key(part):
        if not isinstance(part, tuple):
            return part
        op, keys = part[0], [key(one) for one in part[1:]]
        if op in values and all(isinstance(one, int | float) for one in keys):
            return values[op](keys)
        found.add((op, *(sorted(keys, key=repr) if op in "+*" else keys)))
        return (op, *(sorted(keys, key=repr) if op in "+*" else keys))

    key(expression)
    return len(found)


WRONG = {
    "sorts all": ((lambda e: dis(e, commute="+*-"),), "order-blind"),
    "occurrences": ((places,), "counts-occurrences"),
    "no commuting": ((lambda e: dis(e, commute=""),), "misses-commuted"),
    "no folding": ((lambda e: dis(e, fold=False),), "constant-is-a-node"),
    "one more": ((lambda e: dis(e) + 1,), ""),
    "sin of a number counted": ((sin_not_folded,), "constant-is-a-node"),
}
