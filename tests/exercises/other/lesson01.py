"""Other right answers to lesson 01's questions."""

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


def row_by_name(kit, f, x, i):
    y, pull = kit.vjp(f, x)
    u = np.zeros(y.shape)
    u[i] = 1
    return pull(ak.constant(u)).numpy()


def column_of_a_sum(kit, f, x, j):
    v = np.zeros_like(x)
    v[j] = 1.0
    _, tangent = kit.jvp(f, x, v)
    return tangent.numpy()


def tape_gradient(kit, f, x):
    with ak.GradientTape() as tape:
        start = ak.constant(x)
        tape.watch(start)
        y = f(start)
    return tape.gradient(y, start)


def through_a_lambda(kit, f, x, v):
    y, pull = kit.vjp(f, x)
    _, again = kit.vjp(lambda u: 1.0 * pull(u), np.ones(y.shape))
    return again(ak.constant(v))


def preallocated(n, m, push, pull):
    if n < m:
        columns = [push(e) for e in np.eye(n)]
        J = np.empty((m, n), columns[0].dtype)
        for j, column in enumerate(columns):
            J[:, j] = column
        return J
    return np.array([pull(e) for e in np.eye(m)])


def compared_as_matrices(ops, rng):
    found = set()
    for name, (push, pull, x, m) in ops.items():
        forwards = np.array([push(x, e) for e in np.eye(x.size, dtype=x.dtype)], float).T
        backwards = np.array([pull(x, e) for e in np.eye(m, dtype=x.dtype)], float)
        scale = np.abs(forwards).max()
        if np.abs(forwards - backwards).max() > 100 * np.finfo(x.dtype).eps * scale:
            found.add(name)
    return found


def masked_columns(push, n, k):
    stride = min(2 * k + 1, n)
    near = np.abs(np.arange(n)[:, None] - np.arange(n)) <= k
    answers = np.array([push((np.arange(n) % stride == s).astype(float)) for s in range(stride)])
    return np.where(near, answers[np.arange(n) % stride].T, 0.0)


OTHER = {
    "jvp-1": (
        stepwise_push,
        pull_of_pushes,
    ),
    "jvp-2": (
        row_by_name,
        column_of_a_sum,
        tape_gradient,
    ),
    "jvp-3": (through_a_lambda,),
    "jvp-4": (preallocated,),
    "jvp-5": (compared_as_matrices,),
    "jvp-6": (masked_columns,),
}
