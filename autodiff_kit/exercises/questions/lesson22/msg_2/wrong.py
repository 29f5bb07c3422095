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


WRONG = {
    "a push": ((means,), "forward-again"),
    "no division": ((lambda g, edges: matrix(g, edges).T @ g,), "pull-of-a-sum"),
    "divided by the sender": ((by_sent,), "divides-by-what-it-sends"),
    "divided by all": ((lambda g, edges: matrix(g, edges).T @ g / len(g),), "divides-by-all-nodes"),
    "g itself": ((lambda g, edges: g + 1,), ""),
}
