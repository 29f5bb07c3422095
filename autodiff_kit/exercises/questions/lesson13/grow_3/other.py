"""Another right answer to grow-3."""

import numpy as np


def distinct_by_text(expression):
    """Canonical text in place of numbers; one pass, children first."""
    seen = set()

    def text(part):
        if not isinstance(part, tuple):
            return part
        op, *parts = part[0], *map(text, part[1:])
        if not any(isinstance(one, str) for one in parts):
            a, b = (*parts, 0)[:2]
            return {"+": a + b, "-": a - b, "*": a * b, "sin": np.sin(a)}[op]
        parts = [str(one) for one in parts]
        made = f"{op}({','.join(sorted(parts) if op in '+*' else parts)})"
        seen.add(made)
        return made

    text(expression)
    return len(seen)


OTHER = (distinct_by_text,)
