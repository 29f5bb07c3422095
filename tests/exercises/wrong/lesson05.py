"""Wrong solutions of lesson 05, each with the misconception that it must be told; an empty name asks for the plain message."""

import numpy as np

import autodiff_kit as ak


def sigmoid(x):
    e = np.exp(-np.abs(x))
    return np.where(x > 0, 1, e) / (1 + e)


def safe(x, value=None, pull=None):
    y = np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x)))
    return (y if value is None else value), pull or (lambda g: g * sigmoid(x))


def quiet(f):
    def run(*args):
        with np.errstate(all="ignore"):
            return f(*args)

    return run


def composed(x):
    return safe(x, value=np.log(1 + np.exp(x)))


def without_log1p(x):
    return safe(x, value=np.maximum(x, 0) + np.log(1 + np.exp(-np.abs(x))))


def chain_rule(x):
    return safe(x, pull=lambda g: g * np.exp(x) / (1 + np.exp(x)))


def quiet_chain_rule(x):
    return safe(x, pull=quiet(lambda g: g * np.exp(x) / (1 + np.exp(x))))


def always_double(x):
    y, pull = safe(x.astype(np.float64))
    return y, pull


def valve(x, lam, cap, value=None, pull=None):
    return (x if value is None else value), pull or (lambda g: -lam * np.clip(g, -cap, cap))


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


WRONG = {
    "custom-1": {
        "as it is written": ((composed,), "overflows"),
        "as it is written, warnings off": ((quiet(composed),), "overflows"),
        "log for log1p": ((without_log1p,), "loses-the-tail"),
        "chain rule": ((chain_rule,), "stable-value-unstable-slope"),
        "chain rule, warnings off": ((quiet_chain_rule,), "stable-value-unstable-slope"),
        "no g": ((lambda x: safe(x, pull=lambda g: sigmoid(x)),), "ignores-the-cotangent"),
        "sigmoid(-x)": ((lambda x: safe(x, pull=lambda g: g * sigmoid(-x)),), "slope-of-the-wrong-side"),
        "identity": ((lambda x: safe(x, value=x.copy()),), ""),
        "g alone": ((lambda x: safe(x, pull=lambda g: g),), ""),
        "always float64": ((always_double,), ""),
    },
    "custom-2": {
        "forward too": ((lambda x, lam, cap: valve(x, lam, cap, -lam * np.clip(x, -cap, cap)),), "changes-the-forward"),
        "forward turned": ((lambda x, lam, cap: valve(x, lam, cap, -lam * x),), "changes-the-forward"),
        "scale, then clip": (
            (lambda x, lam, cap: valve(x, lam, cap, pull=lambda g: np.clip(-lam * g, -cap, cap)),),
            "clips-after-scaling",
        ),
        "clip(x)": (
            (lambda x, lam, cap: valve(x, lam, cap, pull=lambda g: -lam * np.clip(x, -cap, cap)),),
            "clips-x-not-g",
        ),
        "gate": (
            (lambda x, lam, cap: valve(x, lam, cap, pull=lambda g: -lam * g * (np.abs(g) <= cap)),),
            "gate-not-clip",
        ),
        "no minus": (
            (lambda x, lam, cap: valve(x, lam, cap, pull=lambda g: lam * np.clip(g, -cap, cap)),),
            "forgets-to-turn",
        ),
        "no clip": ((lambda x, lam, cap: valve(x, lam, cap, pull=lambda g: -lam * g),), ""),
        "length clipped": (
            (lambda x, lam, cap: valve(x, lam, cap, pull=lambda g: -lam * g * min(1, cap / np.linalg.norm(g))),),
            "",
        ),
    },
    "custom-3": {
        "after inside": ((both_inside,), "override-leaks"),
        "one record": ((same_twice,), "override-leaks"),
        "the other operation": ((other_value,), "edits-the-forward"),
        "small letters": ((small_letters,), "wrong-name"),
        "recorded before": ((recorded_before,), "recorded-outside"),
        "zero after": ((zero_after,), "zero-taken-for-none"),
        "no error": ((no_error,), "swallows-the-error"),
        "always identity": ((always_identity,), ""),
    },
}
