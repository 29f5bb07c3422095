"""Both sweeps: a list of values, and beside it a list of tangents or of cotangents."""

import numpy as np


def value(op, a):
    if op == "add":
        return a[0] + a[1]
    if op == "sub":
        return a[0] - a[1]
    if op == "mul":
        return a[0] * a[1]
    return a[0] ** 2 if op == "square" else np.sin(a[0])


def slopes(op, a):
    """How much the line's value moves for each of its inputs."""
    if op == "add":
        return 1.0, 1.0
    if op == "sub":
        return 1.0, -1.0
    if op == "mul":
        return a[1], a[0]
    return (2 * a[0],) if op == "square" else (np.cos(a[0]),)


def push(program, outputs, x, v):
    values, tangents = list(x), list(v)
    for op, *ins in program:
        a = [values[i] for i in ins]
        tangents.append(sum(s * tangents[i] for s, i in zip(slopes(op, a), ins)))
        values.append(value(op, a))
    return np.array([values[i] for i in outputs]), np.array([tangents[i] for i in outputs])


def pull(program, outputs, x, u):
    values = list(x)
    for op, *ins in program:
        values.append(value(op, [values[i] for i in ins]))
    bar = [0.0] * len(values)
    for i, weight in zip(outputs, u):
        bar[i] += weight  # an output that is listed twice gets both of its weights
    for k, (op, *ins) in reversed(list(enumerate(program, len(x)))):
        for i, s in zip(ins, slopes(op, [values[j] for j in ins])):
            bar[i] += bar[k] * s  # a value that feeds two lines adds both contributions
    return np.array(bar[: len(x)])
