"""Another right answer to none-2."""


def connected_forwards(nodes, target, sources):
    found = []
    for source in sources:
        made = {source}
        for k, (op, *inputs) in enumerate(nodes):
            if op not in ("floor", "cast", "greater", "convert") and made & set(inputs):
                made.add(k)
        found.append(target in made)
    return found


OTHER = (connected_forwards,)
