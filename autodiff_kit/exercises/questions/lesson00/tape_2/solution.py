"""Zeros, a single 1, and the list backwards: a node is complete when its turn comes."""


def sweep(nodes, target):
    bar = [0.0] * len(nodes)
    bar[target] = 1.0
    for i in range(target, -1, -1):
        for j, slope in nodes[i]:
            bar[j] += bar[i] * slope
    return bar
