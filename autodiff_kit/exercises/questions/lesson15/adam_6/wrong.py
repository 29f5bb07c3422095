"""Wrong answers to adam-6, each with the misconception that it must be told; an empty name asks for the plain message."""

import numpy as np


def new(shape=()):
    return {"m": np.zeros(shape), "v": np.zeros(shape), "t": 0}


def copied(S):
    return {"m": S["m"].copy(), "v": S["v"].copy(), "t": S["t"]}


def moved(old, shapes):
    return {n: copied(old[n]) if n in old and old[n]["m"].shape == s else new(s) for n, s in shapes.items()}


def by_position(old, shapes):
    found = list(old.values())
    return {n: copied(found[i]) if i < len(found) else new(s) for i, (n, s) in enumerate(shapes.items())}


def clock_for_all(old, shapes):
    t = max(S["t"] for S in old.values())
    return {n: {**S, "t": t} for n, S in moved(old, shapes).items()}


def sizes_compared(old, shapes):
    return {
        name: {
            "m": old[name]["m"].reshape(shape).copy(),
            "v": old[name]["v"].reshape(shape).copy(),
            "t": old[name]["t"],
        }
        if name in old and old[name]["m"].size == np.prod(shape)
        else {"m": np.zeros(shape), "v": np.zeros(shape), "t": 0}
        for name, shape in shapes.items()
    }


WRONG = {
    "by position": ((by_position,), "by-position"),
    "fresh": (
        (lambda old, shapes: {n: new(s) for n, s in shapes.items()},),
        "a-new-optimizer-remembers-nothing",
    ),
    "t lost": (
        (lambda old, shapes: {n: {**S, "t": 0} for n, S in moved(old, shapes).items()},),
        "forgets-the-clock",
    ),
    "t kept for a changed shape": (
        (lambda old, shapes: {n: {**S, "t": old[n]["t"] if n in old else 0} for n, S in moved(old, shapes).items()},),
        "old-clock-for-a-changed-shape",
    ),
    "m lost": (
        (lambda old, shapes: {n: {**S, "m": 0 * S["m"]} for n, S in moved(old, shapes).items()},),
        "forgets-m",
    ),
    "v lost": (
        (lambda old, shapes: {n: {**S, "v": 0 * S["v"]} for n, S in moved(old, shapes).items()},),
        "forgets-v",
    ),
    "newcomer gets t": ((clock_for_all,), "old-clock-for-a-newcomer"),
    "whatever the shape": (
        (lambda old, shapes: {n: copied(old[n]) if n in old else new(s) for n, s in shapes.items()},),
        "slots-of-the-old-shape",
    ),
    "alias": (
        (
            lambda old, shapes: {
                n: old[n] if n in old and old[n]["m"].shape == s else new(s) for n, s in shapes.items()
            },
        ),
        "shares-memory",
    ),
    "sizes compared": ((sizes_compared,), "slots-of-the-old-shape"),
}
