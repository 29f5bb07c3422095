"""Wrong answers to state-1, each with the misconception that it must be told; an empty name asks for the plain message."""


def six(a, b, **other):
    """The right answers, with others in their places: p1=(value, gradient)."""
    found = [
        ((a + b) ** 2, None),
        ((a + b) ** 2, 2 * (a + b)),
        (a * a, a),
        (a * b, b),
        (b * b, 2 * b),
        (a * a * (a + 1), 2 * a * (a + 1) + a * a),
    ]
    for name, pair in other.items():
        found[int(name[1]) - 1] = pair
    return found


def as_a_path(a, b):
    return six(a, b, p1=((a + b) ** 2, 2 * (a + b)), p3=(a * a, 2 * a), p5=(b * b, None))


def stale(a, b):
    return six(a, b, p1=(b * b, None), p3=(a * b, b), p5=(a * a, 2 * a), p6=(a**3, 3 * a * a))


def all_connected(a, b):
    return [(value, 0.0 if gradient is None else gradient) for value, gradient in six(a, b)]


def late(a, b):
    """Reads variables when the gradient is asked."""
    return six(a, b, p4=(a * b, a))


def both(a, b):
    return six(a, b, p1=((a + b) ** 2, 2 * (a + b)), p3=(a * b, b))


WRONG = {
    "assign as a path": ((as_a_path,), "assign-is-a-path"),
    "before the assignment": ((stale,), "stale-value"),
    "all connected": ((all_connected,), "zero-for-None"),
    "read when asked": ((late,), "read-too-late"),
    "None for program 5": ((lambda a, b: six(a, b, p5=(b * b, None)),), "assigned-has-no-gradient"),
    "first reading only": ((lambda a, b: six(a, b, p6=(a * a * (a + 1), 2 * a * (a + 1))),), "counts-one-reading"),
    "second reading only": ((lambda a, b: six(a, b, p6=(a * a * (a + 1), a * a)),), "counts-one-reading"),
    "None for program 6": ((lambda a, b: six(a, b, p6=(a * a * (a + 1), None)),), "assigned-has-no-gradient"),
    "None for program 2": ((lambda a, b: six(a, b, p2=((a + b) ** 2, None)),), "assignment-removes-all"),
    "None everywhere": ((lambda a, b: [(value, None) for value, _ in six(a, b)],), "assignment-removes-all"),
    "a² for program 4": ((lambda a, b: six(a, b, p4=(a * a, 2 * a)),), "read-too-late"),
    "wrong power": ((lambda a, b: six(a, b, p2=((a + b) ** 3, a)),), ""),
    "one of each": ((both,), ""),
}
