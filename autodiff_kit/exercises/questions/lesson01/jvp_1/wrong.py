"""Wrong answers to jvp-1, each with the misconception that it must be told; an empty name asks for the plain message."""

import numpy as np


def value(op, a):
    return {
        "add": lambda: a[0] + a[1],
        "sub": lambda: a[0] - a[1],
        "mul": lambda: a[0] * a[1],
        "square": lambda: a[0] ** 2,
        "sin": lambda: np.sin(a[0]),
    }[op]()


def slopes(op, a):
    return {
        "add": lambda: (1.0, 1.0),
        "sub": lambda: (1.0, -1.0),
        "mul": lambda: (a[1], a[0]),
        "square": lambda: (2 * a[0],),
        "sin": lambda: (np.cos(a[0]),),
    }[op]()


def right(op, a, d):
    return sum(s * t for s, t in zip(slopes(op, a), d))


def right_except(op, wrong):
    return lambda name, a: wrong(*a) if name == op else slopes(name, a)


def push_with(rule):
    def push(program, outputs, x, v):
        val, tan = list(x), list(v)
        for op, *ins in program:
            a, d = [val[i] for i in ins], [tan[i] for i in ins]
            val.append(value(op, a))
            tan.append(rule(op, a, d))
        return np.array([val[i] for i in outputs]), np.array([tan[i] for i in outputs])

    return push


def pull_with(overwrite=False, forward=False, seed_over=False, slopes=slopes):
    def pull(program, outputs, x, u):
        val = list(x)
        for op, *ins in program:
            val.append(value(op, [val[i] for i in ins]))
        bar = [0.0] * len(val)
        for i, w in zip(outputs, u):
            bar[i] = w if seed_over else bar[i] + w
        order = list(enumerate(program, len(x)))
        for k, (op, *ins) in order if forward else reversed(order):
            for i, s in zip(ins, slopes(op, [val[j] for j in ins])):
                bar[i] = bar[k] * s if overwrite else bar[i] + bar[k] * s
        return np.array(bar[: len(x)])

    return pull


good_push, good_pull = push_with(right), pull_with()


def pull_of_pushes(program, outputs, x, u):
    return np.array([good_push(program, outputs, x, e)[1] @ u for e in np.eye(len(x))])


def pull_of_all_tangents_at_once(program, outputs, x, u):
    val, tan = list(x), list(np.eye(len(x)))
    for op, *ins in program:
        a = [val[i] for i in ins]
        tan.append(right(op, a, [tan[i] for i in ins]))
        val.append(value(op, a))
    return u @ np.array([tan[i] for i in outputs])


def tangents_multiplied(op, a, d):
    return d[0] * d[1] if op == "mul" else right(op, a, d)


def slope_of_tangent(op, a, d):
    return {"square": lambda: 2 * d[0], "sin": lambda: np.cos(d[0])}.get(op, lambda: right(op, a, d))()


def whole_step(op, a, d):
    return value(op, [p + q for p, q in zip(a, d)]) - value(op, a)


def both_with(op, wrong):
    by = right_except(op, wrong)
    return push_with(lambda name, a, d: sum(s * t for s, t in zip(by(name, a), d))), pull_with(slopes=by)


WRONG = {
    "product of tangents": ((push_with(tangents_multiplied), good_pull), "product-of-tangents"),
    "square' = 2 v": ((push_with(slope_of_tangent), good_pull), "slope-at-the-tangent"),
    "f(x+v) - f(x)": ((push_with(whole_step), good_pull), "finite-step"),
    "overwrite": ((good_push, pull_with(overwrite=True)), "overwrites-at-fan-out"),
    "forward order": ((good_push, pull_with(forward=True)), "runs-downwards"),
    "seed overwritten": ((good_push, pull_with(seed_over=True)), "repeated-output-lost"),
    "sub with plus, pull only": (
        (good_push, pull_with(slopes=right_except("sub", lambda a, b: (1, 1)))),
        "sub-taken-for-add",
    ),
    "sub with plus": (both_with("sub", lambda a, b: (1, 1)), "sub-taken-for-add"),
    "b - a": (both_with("sub", lambda a, b: (-1, 1)), "sub-taken-for-add"),
    "sin' = -cos": (both_with("sin", lambda a: (-np.cos(a),)), "slope-of-sin"),
    "sin' = sin": ((good_push, pull_with(slopes=right_except("sin", lambda a: (np.sin(a),)))), "slope-of-sin"),
    "square' = a": (both_with("square", lambda a: (a,)), "slope-of-square"),
    "square' = 2": (both_with("square", lambda a: (2.0,)), "slope-of-square"),
    "mul's slopes exchanged": (both_with("mul", lambda a, b: (a, b)), "slope-of-mul"),
    "sin' = -cos, overwrite": (
        (both_with("sin", lambda a: (-np.cos(a),))[0], pull_with(overwrite=True)),
        "slope-of-sin and overwrites-at-fan-out",
    ),
    "one push for each input": ((good_push, pull_of_pushes), "pull-of-pushes"),
    "a row of tangents for each value": ((good_push, pull_of_all_tangents_at_once), "pull-of-pushes"),
    "sin' = 2 cos": (both_with("sin", lambda a: (2 * np.cos(a),)), ""),
}
