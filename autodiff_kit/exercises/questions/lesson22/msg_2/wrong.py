"""Wrong answers to msg-2, each with the misconception that it must be told; an empty name asks for the plain message."""

import numpy as np


def matrix(g, edges):
    A = np.zeros((len(g), len(g)))
    for start, end in edges:
        A[end, start] = 1
    return A


def means(g, edges):
    A = matrix(g, edges)
    return A / np.maximum(A.sum(axis=1), 1)[:, None] @ g


def by_sent(g, edges):
    A = matrix(g, edges)
    return A.T @ g / np.maximum(A.sum(axis=0), 1)[:, None]


def by_own_received(g, edges):
    A = matrix(g, edges)
    return A.T @ g / np.maximum(A.sum(axis=1), 1)[:, None]


def fancy_addition(g, edges):
    start, end = edges.T
    out = np.zeros_like(g)
    out[start] += g[end] / np.bincount(end, minlength=len(g))[end][:, None]
    return out


def unguarded(g, edges):
    start, end = edges.T
    out = np.zeros_like(g)
    np.add.at(out, start, (g / np.bincount(end, minlength=len(g))[:, None])[end])
    return out


def unguarded_matrix(g, edges):
    A = matrix(g, edges)
    return (A / A.sum(axis=1, keepdims=True)).T @ g


def unguarded_quietly(g, edges):
    with np.errstate(all="ignore"):
        return unguarded_matrix(g, edges)


WRONG = {
    "forward": ((means,), "forward-again"),
    "no division": ((lambda g, edges: matrix(g, edges).T @ g,), "pull-of-a-sum"),
    "divided by the sender": ((by_sent,), "divides-by-what-it-sends"),
    "divided by what the sender receives": ((by_own_received,), "divides-by-what-the-sender-receives"),
    "out[from] += rows": ((fancy_addition,), "one-message-per-sender"),
    "no guard": ((unguarded,), "divides-by-no-messages"),
    "no guard, matrix": ((unguarded_matrix,), "divides-by-no-messages"),
    "no guard, warnings off": ((unguarded_quietly,), "divides-by-no-messages"),
    "divided by all": ((lambda g, edges: matrix(g, edges).T @ g / len(g),), "divides-by-all-nodes"),
    "g itself": ((lambda g, edges: g + 1,), ""),
}
