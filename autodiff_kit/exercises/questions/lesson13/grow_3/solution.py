"""Number the operations by what they do: the op, and the numbers of its parts."""

import math

WORK = {"+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b, "sin": math.sin}


def distinct(expression):
    seen = {}

    def key(part):
        if not isinstance(part, tuple):
            return part
        op, *parts = part
        keys = [key(one) for one in parts]
        if all(isinstance(one, int | float) for one in keys):
            return WORK[op](*keys)
        if op in "+*":
            keys.sort(key=repr)
        return ("operation", seen.setdefault((op, *keys), len(seen)))

    key(expression)
    return len(seen)
