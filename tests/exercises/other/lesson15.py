"""Other right answers to lesson 15's questions."""

import copy

import numpy as np

import autodiff_kit as ak


def step_in_a_copy(w, g, slots, lr, b1, b2, eps):
    new = copy.deepcopy(slots)
    if g is None:
        return w.copy(), new
    new["t"] += 1
    new["m"] += (1 - b1) * (g - new["m"])
    new["v"] += (1 - b2) * (g**2 - new["v"])
    t = new["t"]
    rate = lr * np.sqrt(1 - b2**t) / (1 - b1**t)
    return w - rate * new["m"] / (np.sqrt(new["v"]) + eps * np.sqrt(1 - b2**t)), new


def motion_of_arrays(gradients, kind, lr, b1, b2, eps):
    m, v, t, sums = np.float64(0), np.float64(0), 0, np.zeros(2)
    for g in gradients:
        if g is not None:
            t += 1
            v = {"rmsprop": b1 * v + (1 - b1) * g**2}.get(kind, b2 * v + (1 - b2) * g**2)
            m = {"momentum": b1 * m + g}.get(kind, b1 * m + (1 - b1) * g)
            move = {
                "sgd": g,
                "momentum": m,
                "rmsprop": g / (np.sqrt(v) + eps),
                "adam": m / (1 - b1**t) / (np.sqrt(v / (1 - b2**t)) + eps),
            }[kind]
            sums[int(g == 0)] -= lr * move
    return sums[0], sums[1]


def only_the_free(w, g, slots, mask, **constants):
    free = ~mask
    part = {"m": slots["m"][free], "v": slots["v"][free], "t": slots["t"]}
    moved, new = step_in_a_copy(w[free], g[free], part, **constants)
    w, m, v = w.copy(), slots["m"].copy(), slots["v"].copy()
    w[free], m[free], v[free] = moved, new["m"], new["v"]
    return w, {"m": m, "v": v, "t": new["t"]}


def sums_in_a_dictionary(table, ids, grads, slots, **constants):
    total = {}
    for i, g in zip(ids.tolist(), grads, strict=True):
        total[i] = total.get(i, 0) + g
    table, m, v = table.copy(), slots["m"].copy(), slots["v"].copy()
    for i, g in total.items():
        table[i], new = step_in_a_copy(table[i], g, {"m": m[i], "v": v[i], "t": slots["t"]}, **constants)
        m[i], v[i] = new["m"], new["v"]
    return table, {"m": m, "v": v, "t": slots["t"] + 1}


def brake_of_a_tensor(slots, last_gradient, b1):
    return ak.constant(slots["m"]) * (b1 / (b1 - 1))


def all_then_less(old, shapes):
    new = {name: slots for name, slots in copy.deepcopy(old).items() if name in shapes}
    for name, shape in shapes.items():
        new.setdefault(name, {"m": np.zeros(shape), "v": np.zeros(shape), "t": 0})
    return new


OTHER = {
    "adam-1": (step_in_a_copy,),
    "adam-2": (motion_of_arrays,),
    "adam-3": (only_the_free,),
    "adam-4": (sums_in_a_dictionary,),
    "adam-5": (brake_of_a_tensor,),
    "adam-6": (all_then_less,),
}
