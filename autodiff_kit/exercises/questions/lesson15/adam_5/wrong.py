"""Wrong answers to adam-5, each with the misconception that it must be told; an empty name asks for the plain message."""

WRONG = {
    "zero": ((lambda S, g, b1: 0 * g,), "zero-gradient-means-still"),
    "-g": ((lambda S, g, b1: -g,), "opposite-of-the-last-gradient"),
    "-m": ((lambda S, g, b1: -S["m"],), "opposite-of-m"),
    "-b1 m": ((lambda S, g, b1: -b1 * S["m"],), "forgets-the-1-b1"),
    "-b1 g": ((lambda S, g, b1: -b1 * g,), "last-gradient-for-m"),
    "None": ((lambda S, g, b1: [None][0],), "None-is-only-a-pause"),
    "-m/(1 - b1)": ((lambda S, g, b1: -S["m"] / (1 - b1),), "forgets-the-decay-of-m"),
    "corrected m": (
        (lambda S, g, b1: -b1 * S["m"] / (1 - b1 ** S["t"]) / (1 - b1),),
        "corrected-m",
    ),
    "sign": ((lambda S, g, b1: b1 * S["m"] / (1 - b1),), "wrong-sign"),
    "m/b1": ((lambda S, g, b1: -S["m"] / b1,), ""),
}
