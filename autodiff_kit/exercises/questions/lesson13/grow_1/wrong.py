"""Wrong answers to grow-1, each with the misconception that it must be told; an empty name asks for the plain message."""

import autodiff_kit as ak

KEPT = []


def loss_of(v, x):
    return ak.mean((v * x - 2.0) ** 2)


def one_tape(w, xs, add=lambda loss: loss):
    v, total = ak.Variable(w), 0.0
    with ak.GradientTape() as tape:
        for x in xs:
            total = total + add(loss_of(v, x))
    return float(total), float(tape.gradient(total, v))


def floats_on_one_tape(w, xs):
    v = ak.Variable(w)
    with ak.GradientTape() as tape:
        losses = [loss_of(v, x) for x in xs]
    return sum(float(loss) for loss in losses), float(tape.gradient(losses, v))


def each(w, xs, keep):
    v, total, slope = ak.Variable(w), 0.0, 0.0
    KEPT.clear()
    for x in xs:
        with ak.GradientTape() as tape:
            loss = loss_of(v, x)
        slope += float(tape.gradient(loss, v))
        total += float(loss)
        KEPT.append(keep(loss, tape))
    return total, slope


def list_of_losses(w, xs):
    v, losses, slope = ak.Variable(w), [], 0.0
    for x in xs:
        with ak.GradientTape() as tape:
            losses.append(loss_of(v, x))
        slope += float(tape.gradient(losses[-1], v))
    return float(sum(losses)), slope


def last(w, xs):
    return one_tape(w, xs[-1:])


def running_total(w, xs):
    v, total = ak.Variable(w), 0.0
    for x in xs:
        with ak.GradientTape() as tape:
            total = total + loss_of(v, x)
    return float(total), float(tape.gradient(total, v))


def by_hand(w, xs):
    return ((w * xs - 2) ** 2).mean(1).sum(), (2 * (w * xs - 2) * xs).mean(1).sum()


def mean(w, xs):
    total, slope = each(w, xs, lambda *_: None)
    return total / len(xs), slope / len(xs)


def all_rows_at_once(w, xs):
    v = ak.Variable(w)
    with ak.GradientTape() as tape:
        total = ak.sum(ak.mean((v * xs - 2.0) ** 2, axis=1))
    return float(total), float(tape.gradient(total, v))


WRONG = {
    "all rows in one array": ((all_rows_at_once,), "all-rows-in-one-array"),
    "total + loss": ((one_tape,), "sum-carries-the-record"),
    "a list on one tape": ((floats_on_one_tape,), "sum-carries-the-record"),
    "list of losses": ((list_of_losses,), "list-holds-the-nodes"),
    "kept losses": ((lambda w, xs: each(w, xs, lambda loss, tape: loss),), "list-holds-the-nodes"),
    "kept tapes": ((lambda w, xs: each(w, xs, lambda loss, tape: tape),), "list-holds-the-nodes"),
    "last tape of a running total": ((running_total,), "last-tape-only"),
    "last": ((last,), "keeps-only-the-last"),
    "mean": ((mean,), ""),
    "by hand": ((by_hand,), ""),
}
