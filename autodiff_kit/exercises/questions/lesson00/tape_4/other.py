"""Another right answer to tape-4."""


def held_by_kinds(program, n):
    """Counts instead of sets: a value is kept once, whoever uses it."""
    used = {i for op, *inputs in program if op in ("mul", "square", "sin") for i in inputs}
    used |= {i for i, (op, *_) in enumerate(program, 2) if op == "exp"}
    return n * (8 * len(used) + sum(op == "relu" for op, *_ in program))


OTHER = (held_by_kinds,)
