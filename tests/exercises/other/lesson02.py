"""Other right answers to lesson 02's questions."""

import numpy as np

import autodiff_kit as ak


def diagnosed_backwards(program, target, source):
    """From the target to what it reads, always by the last line that made a name."""
    cuts = ({"numpy", "stop_gradient"}, {"floor", "round", "sign", "greater"}, {"assign", "assign_add"})
    tape = next(k for k, (_, op, _) in enumerate(program) if op == "tape")

    def last(name, before, writes=True):
        made = (k for k, (n, op, _) in enumerate(program[:before]) if n == name and (writes or op not in cuts[2]))
        return max(made, default=None)

    def seek(name, before):
        k = last(name, before)
        if k is None:
            return (5, None)
        _, op, inputs = program[k]
        if k == last(source, len(program), writes=False):
            return (0, None) if op == "variable" or k > tape else (1, k)
        best = min((seek(one, k) for one in inputs), key=lambda way: way[0], default=(5, None))
        lost = [cause for cause, ops in enumerate(cuts, start=2) if op in ops]
        return (lost[0], k) if lost and best[0] == 0 else best

    return list(seek(target, len(program)))


def connected_forwards(nodes, target, sources):
    found = []
    for source in sources:
        made = {source}
        for k, (op, *inputs) in enumerate(nodes):
            if op not in ("floor", "cast", "greater", "convert") and made & set(inputs):
                made.add(k)
        found.append(target in made)
    return found


def filled_with_tensors(grads, sources):
    if isinstance(sources, dict):
        return {name: filled_with_tensors(grads[name], sources[name]) for name in sources}
    if isinstance(sources, list | tuple):
        return type(sources)(map(filled_with_tensors, grads, sources))
    return ak.constant(np.zeros(sources.shape, sources.dtype)) if grads is None else grads


OTHER = {
    "none-1": (diagnosed_backwards,),
    "none-2": (connected_forwards,),
    "none-3": (filled_with_tensors,),
}
