"""Each reading is a number; those that are readings of x0 are what the gradient counts."""


def six(a, b):
    return [
        ((a + b) ** 2, None),  # x1 received a + b as a number
        ((a + b) ** 2, 2 * (a + b)),  # s is on the record; what x1 receives later does not matter
        (a * a, a),  # x0 read once, times the number a in x1
        (a * b, b),  # read before the assignment
        (b * b, 2 * b),  # x0 is read after it: it holds b
        (a * a * (a + 1), 2 * a * (a + 1) + a * a),  # two readings, at a and at a + 1
    ]
