"""Carry along, for each name, whether it is on a path from the source, or where that path broke."""

CAUSES = {"numpy": 2, "stop_gradient": 2, "floor": 3, "round": 3, "sign": 3, "greater": 3, "assign": 4, "assign_add": 4}


def diagnose(program, target, source):
    known, taping = {}, False  # known: name -> (cause, line); (0, None) is an unbroken path
    for line, (name, op, inputs) in enumerate(program):
        taping = taping or op == "tape"
        if name == source and op not in ("assign", "assign_add"):
            known = {name: (0, None) if taping or op == "variable" else (1, line)}
            continue
        ways = [known[i] for i in inputs if i in known]
        if ways:
            best = min(ways, key=lambda way: way[0])
            known[name] = (CAUSES[op], line) if best[0] == 0 and op in CAUSES else best
    return known.get(target, (5, None))
