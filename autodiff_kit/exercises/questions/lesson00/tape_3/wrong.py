"""Wrong answers to tape-3, each with the misconception that it must be told; an empty name asks for the plain message."""

import autodiff_kit as ak

LEFT, TAPES = {}, []


def record(x, persistent=True):
    x = ak.Variable(x)
    with ak.GradientTape(persistent=persistent) as tape:
        y = x**2
        z = y**2
    return tape, x, y, z


def three_once(x):
    tape, x, y, z = record(x, persistent=False)
    return tape.gradient(z, x), tape.gradient(z, y), tape.gradient(y, x)


def three_tapes(x):
    answers = []
    for k in range(3):
        tape, v, y, z = record(x, persistent=False)
        answers.append(tape.gradient([z, z, y][k], [v, y, v][k]))
    return tuple(answers)


def three_kept(x):
    tape, x, y, z = record(x)
    TAPES.append(tape)
    return tape.gradient(z, x), tape.gradient(z, y), tape.gradient(y, x)


def three_mixed(x):
    tape, x, y, z = record(x)
    return tape.gradient(z, x), tape.gradient(y, x), tape.gradient(z, y)


def three_in_one_call(x):
    tape, x, y, z = record(x)
    return tuple(tape.gradient([z, z, y], [x, y, x]))


def three_in_two_calls(x):
    tape, x, y, z = record(x)
    return tape.gradient([z, y], x), tape.gradient(z, y), tape.gradient([z, y], x)


def three_squared_again(x):
    tape, x, y, z = record(x)
    return tape.gradient(z, x), tape.gradient(z, x**2), tape.gradient(y, x)


def three_by_hand(x):
    return 4 * x**3, 2 * x**2, 2 * x


WRONG = {
    "three tapes": ((three_tapes,), "one-tape-for-each"),
    "asked an ordinary tape": ((three_once,), "not-persistent"),
    "tape in a list": ((three_kept,), "tape-kept"),
    "two mixed up": ((three_mixed,), ""),
    "a list of targets": ((three_in_one_call,), "targets-are-added"),
    "a list of two targets": ((three_in_two_calls,), "targets-are-added"),
    "x**2 written again": ((three_squared_again,), "source-computed-again"),
    "by hand": ((three_by_hand,), ""),
}
