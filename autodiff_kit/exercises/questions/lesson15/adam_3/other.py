"""Another right answer to adam-3."""

from ..adam_1.other import step_in_a_copy


def only_the_free(w, g, slots, mask, **constants):
    free = ~mask
    part = {"m": slots["m"][free], "v": slots["v"][free], "t": slots["t"]}
    moved, new = step_in_a_copy(w[free], g[free], part, **constants)
    w, m, v = w.copy(), slots["m"].copy(), slots["v"].copy()
    w[free], m[free], v[free] = moved, new["m"], new["v"]
    return w, {"m": m, "v": v, "t": new["t"]}


OTHER = (only_the_free,)
