"""What each slope uses, in a set: an array that two lines hold is there once."""


def held(program, n):
    arrays, masks = set(), 0
    for i, (op, *inputs) in enumerate(program, start=2):
        if op in ("mul", "square", "sin"):
            arrays.update(inputs)
        elif op == "exp":
            arrays.add(i)
        elif op == "relu":
            masks += 1
    return 8 * n * len(arrays) + n * masks
