"""Another right answer to none-1."""


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


OTHER = (diagnosed_backwards,)
