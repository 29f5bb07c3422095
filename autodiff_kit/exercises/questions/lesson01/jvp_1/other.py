"""Another right answer to jvp-1."""

import numpy as np

import autodiff_kit as ak


def stepwise_push(program, outputs, x, v):
    values = [(float(a), float(b)) for a, b in zip(x, v, strict=True)]
    rules = {
        "add": lambda p, q: (p[0] + q[0], p[1] + q[1]),
        "sub": lambda p, q: (p[0] - q[0], p[1] - q[1]),
        "mul": lambda p, q: (p[0] * q[0], p[1] * q[0] + p[0] * q[1]),
        "square": lambda p: (p[0] ** 2, 2 * p[0] * p[1]),
        "sin": lambda p: (np.sin(p[0]), np.cos(p[0]) * p[1]),
    }
    for op, *ins in program:
        values.append(rules[op](*(values[i] for i in ins)))
    found = np.array([values[i] for i in outputs])
    return found[:, 0], found[:, 1]


def pull_of_pushes(program, outputs, x, u):
    columns = [stepwise_push(program, outputs, x, e)[1] for e in np.eye(len(x))]
    return ak.constant(np.array(columns) @ u)


OTHER = (
    stepwise_push,
    pull_of_pushes,
)
