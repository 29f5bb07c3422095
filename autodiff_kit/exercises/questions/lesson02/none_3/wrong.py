"""Wrong answers to none-3, each with the misconception that it must be told; an empty name asks for the plain message."""

import numpy as np


def filled(grads, sources, zero=np.zeros_like, kept=lambda g: g, tuples=tuple):
    if isinstance(sources, dict):
        return {k: filled(grads[k], sources[k], zero, kept, tuples) for k in sources}
    if isinstance(sources, (list, tuple)):
        build = tuples if isinstance(sources, tuple) else list
        return build([filled(g, s, zero, kept, tuples) for g, s in zip(grads, sources)])
    return zero(sources) if grads is None else kept(grads)


def leaves(nest):
    if not isinstance(nest, (dict, list, tuple)):
        return [nest]
    return [leaf for entry in (nest.values() if isinstance(nest, dict) else nest) for leaf in leaves(entry)]


def all_float64(grads, sources):
    if isinstance(grads, dict):
        return {name: all_float64(grads[name], sources[name]) for name in grads}
    if isinstance(grads, list | tuple):
        return type(grads)(all_float64(*pair) for pair in zip(grads, sources, strict=True))
    return np.zeros_like(sources) if grads is None else np.array(grads, np.float64)


WRONG = {
    "one zero": ((lambda g, s: filled(g, s, zero=lambda x: 0.0),), "one-zero-for-all"),
    "float64": ((lambda g, s: filled(g, s, zero=lambda x: np.zeros(x.shape)),), "everything-float64"),
    "nan_to_num": ((lambda g, s: filled(g, s, kept=np.nan_to_num),), "hides-nan"),
    "unchanged": ((lambda g, s: g,), "leaves-none"),
    "zeros for all": ((lambda g, s: filled(g, s, kept=np.zeros_like),), "zeros-for-all"),
    "lists for tuples": ((lambda g, s: filled(g, s, tuples=list),), "tuples-become-lists"),
    "one flat list": ((lambda g, s: leaves(filled(g, s)),), "flattens-the-nest"),
    "no outer names": ((lambda g, s: list(filled(g, s).values()),), ""),
    "ones": ((lambda g, s: filled(g, s, zero=np.ones_like),), ""),
    "every gradient as float64": ((all_float64,), "converts-the-gradients"),
}
