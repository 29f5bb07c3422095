"""Walk from the target to whatever it was made of, and do not pass a cut."""

CUTS = {"floor", "cast", "greater", "convert"}


def connected(nodes, target, sources):
    found, waiting = set(), [target]
    while waiting:
        node = waiting.pop()
        op, *inputs = nodes[node]
        found.add(node)
        if op not in CUTS:
            waiting.extend(i for i in inputs if i not in found)
    return [source in found for source in sources]
