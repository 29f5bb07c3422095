"""Wrong answers to custom-3, each with the misconception that it must be told; an empty name asks for the plain message."""

import numpy as np

import autodiff_kit as ak


def both_inside(op, rule, x):
    f, v = getattr(ak, op.lower()), ak.Variable(x)
    with ak.gradient_override_map({op: rule}):
        with ak.GradientTape() as tape:
            y = f(v)
        inside = tape.gradient(y, v)
        with ak.GradientTape() as tape:
            z = f(v)
        return y, inside, tape.gradient(z, v)


def same_twice(op, rule, x):
    f, v = getattr(ak, op.lower()), ak.Variable(x)
    with ak.gradient_override_map({op: rule}), ak.GradientTape(persistent=True) as tape:
        y = f(v)
    return y, tape.gradient(y, v), tape.gradient(y, v)


def other_value(op, rule, x):
    if not hasattr(ak, rule.lower()):
        raise LookupError(rule)
    v = ak.Variable(x)
    with ak.GradientTape() as tape:
        y = getattr(ak, rule.lower())(v)
    return y, tape.gradient(y, v), None


def small_letters(op, rule, x):
    f, v = getattr(ak, op.lower()), ak.Variable(x)
    with ak.gradient_override_map({op.lower(): rule}), ak.GradientTape() as tape:
        y = f(v)
    return y, tape.gradient(y, v), None


def recorded_before(op, rule, x):
    f, v = getattr(ak, op.lower()), ak.Variable(x)
    with ak.GradientTape(persistent=True) as tape:
        y = f(v)
    with ak.gradient_override_map({op: rule}):
        inside = tape.gradient(y, v)
    return y, inside, tape.gradient(y, v)


def right(op, rule, x, unconnected="none"):
    f, v = getattr(ak, op.lower()), ak.Variable(x)
    with ak.gradient_override_map({op: rule}), ak.GradientTape() as tape:
        y = f(v)
    inside = tape.gradient(y, v)
    with ak.GradientTape() as tape:
        z = f(v)
    return y, inside, tape.gradient(z, v, unconnected_gradients=unconnected)


def zero_after(op, rule, x):
    return right(op, rule, x, unconnected="zero")


def no_error(op, rule, x):
    try:
        return right(op, rule, x)
    except LookupError:
        return np.asarray(x), None, None


def always_identity(op, rule, x):
    return right(op, "Identity" if rule != "Identical" else rule, x)


def never_left(op, rule, x):
    """As if the block had not been closed; the open block itself would reach other tests."""
    with ak.gradient_override_map({op: rule}):
        return right(op, rule, x)


def twice_the_slope(op, rule, x):
    y, inside, after = right(op, rule, x)
    return y, 2 * inside, after


def value_summed(op, rule, x):
    y, inside, after = right(op, rule, x)
    return ak.sum(y), inside, after


def exchanged(op, rule, x):
    y, inside, after = right(op, rule, x)
    return y, after, inside


def names_exchanged(op, rule, x):
    v = ak.Variable(x)
    with ak.gradient_override_map({rule: op}), ak.GradientTape() as tape:
        y = getattr(ak, op.lower())(v)
    return y, tape.gradient(y, v), None


WRONG = {
    "after inside": ((both_inside,), "override-leaks"),
    "one record": ((same_twice,), "override-leaks"),
    "the other operation": ((other_value,), "edits-the-forward"),
    "small letters": ((small_letters,), "wrong-name"),
    "recorded before": ((recorded_before,), "recorded-outside"),
    "zero after": ((zero_after,), "zero-taken-for-none"),
    "no error": ((no_error,), "swallows-the-error"),
    "always identity": ((always_identity,), "always-one-rule"),
    "always identity, no error": (
        (lambda op, rule, x: right(op, "Identity", x),),
        "always-one-rule and swallows-the-error",
    ),
    "a block that stays open": ((never_left,), "override-leaks"),
    "the sum as the value": ((value_summed,), "value-is-the-sum"),
    "after before inside": ((exchanged,), "inside-and-after-exchanged"),
    "twice the slope": ((twice_the_slope,), ""),
    "rule before op": ((names_exchanged,), "wrong-name"),
}
