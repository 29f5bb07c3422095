"""Another right answer to state-1."""

import autodiff_kit as ak


def six_by_tape(a, b):
    """Run all six, as text, on the kit's tapes."""
    programs = (
        "x1.assign_add(x0); y = x1**2",
        "s = x1 + x0; y = s**2; x1.assign(s)",
        "x1.assign(x0); y = x0 * x1",
        "y = x0 * x1; x1.assign(x0)",
        "x0.assign(x1); y = x0**2",
        "y = x0**2; x0.assign_add(1.0); y = y * x0",
    )
    found = []
    for program in programs:
        scope = {"x0": ak.Variable(a), "x1": ak.Variable(b)}
        with ak.GradientTape() as tape:
            exec(program, scope)
        gradient = tape.gradient(scope["y"], scope["x0"])
        found.append([scope["y"].numpy(), None if gradient is None else gradient.numpy()])
    return tuple(found)


OTHER = (six_by_tape,)
