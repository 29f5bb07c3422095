"""Wrong answers to msg-1, each with the misconception that it must be told; an empty name asks for the plain message."""

import numpy as np


def right(x, edges):
    out = np.zeros_like(x)
    for start, end in edges:
        out[end] += x[start]
    return out


def fancy_addition(x, edges):
    out = np.zeros_like(x)
    out[edges[:, 1]] += x[edges[:, 0]]
    return out


def both_ways(x, edges):
    A = np.zeros((len(x), len(x)))
    A[edges[:, 1], edges[:, 0]] = 1
    A[edges[:, 0], edges[:, 1]] = 1
    return A @ x


def mean(x, edges):
    return right(x, edges) / np.maximum(np.bincount(edges[:, 1], minlength=len(x)), 1)[:, None]


def into_x(x, edges):
    for start, end in edges:
        x[end] += x[start]
    return x


def into_a_copy(x, edges):
    return into_x(x.copy(), edges)


def all_at_once_into_x(x, edges):
    np.add.at(x, edges[:, 1], x[edges[:, 0]])
    return x


def as_many_rows_as_the_largest_number(x, edges):
    out = np.zeros((edges.max() + 1, x.shape[1]))
    np.add.at(out, edges[:, 1], x[edges[:, 0]])
    return out


WRONG = {
    "out[ids] += rows": ((fancy_addition,), "one-message-per-node"),
    "from and to exchanged": ((lambda x, edges: right(x, edges[:, ::-1]),), "edges-reversed"),
    "undirected": ((both_ways,), "both-directions"),
    "undirected, each edge twice": (
        (lambda x, edges: right(x, np.vstack([edges, edges[:, ::-1]])),),
        "both-directions-added",
    ),
    "with itself": ((lambda x, edges: x + right(x, edges),), "keeps-the-own-row"),
    "in place": ((into_x,), "changes-x and adds-to-the-rows-sent"),
    "in a copy": ((into_a_copy,), "adds-to-the-rows-sent"),
    "in place, all at once": ((all_at_once_into_x,), "changes-x and keeps-the-own-row"),
    "mean": ((mean,), "mean-in-place-of-sum"),
    "product": ((lambda x, edges: 2 * right(x, edges),), ""),
    "rows up to the largest number": ((as_many_rows_as_the_largest_number,), ""),
}
