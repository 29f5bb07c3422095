"""Write ``extreme_values.json``: elementwise operations with their first and second derivatives far out and near 0.

Computed by mpmath, so that nothing of the kit or of NumPy takes part; derivatives are central differences with 400
binary digits and more (see :func:`accuracy`). To add an operation, add its formula
here and run ``python -m tests.rules.extreme_values`` where mpmath is installed; the tests only read the file.

Inputs are numbers of float32 where float32 reaches. Results are decimal numbers of 20 digits, also beyond float64.
"""

from __future__ import annotations

import itertools
import json
import math
from pathlib import Path
from typing import Any

import numpy as np

FILE = Path(__file__).with_suffix(".json")

_NEAR = [1e-300, 1e-30, 1e-10, 0.0117]
_USUAL = [0.3, 1.3, 2.5, 8.75, 19.5]
_FAR = [37.0, 88.0, 700.5, 1e10, 1e30, 1e300]
_EDGE = [1.0 - 2.0**-k for k in (10, 20, 24)]
_POINTS = {
    "positive": _NEAR + _USUAL + _FAR,
    "real": [s * x for x in _NEAR + _USUAL + _FAR for s in (1.0, -1.0)],
    "unit": [s * x for x in [*_NEAR, 0.3, 0.7, *_EDGE] for s in (1.0, -1.0)],
    "inside": [*_NEAR, 0.3, 0.45, 0.9, *_EDGE],
    "above one": [1.0 + 2.0**-23, 1.0 + 2.0**-10, *_USUAL[1:], *_FAR],
    "usual": [s * x for x in _NEAR + _USUAL for s in (1.0, -1.0)],
    "gauss": [s * x for x in _NEAR + _USUAL + _FAR[:1] for s in (1.0, -1.0)],
    "gamma": [*_NEAR, *_USUAL, 37.0, 300.0, 1e10, 1e30],
}
_WIDE = [1e-300, 1e-30, 1e-10, 0.3, 2.5, 1e10, 1e30, 1e300]
_PAIRS = {
    "positive": list(itertools.product(_WIDE[::2], _WIDE[::2])),
    "real": [(s * a, b) for a in _WIDE for b in _WIDE for s in (1.0, -1.0)],
    "power": [(a, b) for a in _WIDE for b in (-2.5, -1.0, 0.0, 0.5, 1.0, 2.0) if b or a > 1e-20],
    "sums": [(s + d, s) for s in (0.0, -30.0, 700.0, 1e6) for d in (-40.0, 0.0, 0.25, 20.0)]
    + [(1e15 + 1.0, 1e15), (1e30, -1e30), (0.0, -700.0), (1e-30, -1e-30)],
}


def formulas() -> dict[str, tuple[str, Any]]:
    """Of each operation the set of its points, and its formula, or those of the value and of two derivatives."""
    from mpmath import mp

    log, exp, sqrt, pi = mp.log, mp.exp, mp.sqrt, mp.pi
    normal = lambda x: mp.erfc(-x / sqrt(2)) / 2  # noqa: E731
    angle = lambda x: sqrt(2 / pi) * (x + mp.mpf("0.044715") * x**3)  # noqa: E731
    return {
        "Multiply": ("real", lambda a, b: a * b), "Divide": ("real", lambda a, b: a / b),
        "Power": ("power", lambda a, b: a**b), "Atan2": ("real", lambda a, b: mp.atan2(a, b)),
        "Hypot": ("real", lambda a, b: sqrt(a * a + b * b)), "Xlogy": ("positive", lambda a, b: a * log(b)),
        "Logaddexp": ("sums", lambda a, b: log(exp(a) + exp(b))),
        "Logaddexp2": ("sums", lambda a, b: log(mp.mpf(2) ** a + mp.mpf(2) ** b) / log(2)),
        "Square": ("real", lambda x: x * x), "Reciprocal": ("real", lambda x: 1 / x), "Exp": ("real", exp),
        "Exp2": ("real", lambda x: mp.mpf(2) ** x), "Expm1": ("real", lambda x: exp(x) - 1), "Log": ("positive", log),
        "Log1p": ("positive", lambda x: log(1 + x)), "Log2": ("positive", lambda x: log(x) / log(2)),
        "Log10": ("positive", lambda x: log(x) / log(10)), "Sqrt": ("positive", sqrt),
        "Rsqrt": ("positive", lambda x: 1 / sqrt(x)),
        "Cbrt": ("real", lambda x: mp.sign(x) * abs(x) ** (mp.mpf(1) / 3)),
        "Sin": ("usual", mp.sin), "Cos": ("usual", mp.cos), "Tan": ("unit", mp.tan), "Asin": ("unit", mp.asin),
        "Acos": ("unit", mp.acos), "Atan": ("real", mp.atan), "Sinh": ("real", mp.sinh), "Cosh": ("real", mp.cosh),
        "Tanh": ("real", mp.tanh), "Asinh": ("real", mp.asinh), "Acosh": ("above one", mp.acosh),
        "Atanh": ("unit", mp.atanh), "OneMinusSquare": ("unit", lambda x: (1 - x) * (1 + x)),
        "Sigmoid": ("real", lambda x: 1 / (1 + exp(-x))),
        "Softplus": ("real", lambda x: log(1 + exp(x))), "LogSigmoid": ("real", lambda x: -log(1 + exp(-x))),
        "Logit": ("inside", lambda x: log(x / (1 - x))), "Sinc": ("usual", lambda x: mp.sin(pi * x) / (pi * x)),
        "Erf": ("gauss", lambda x: mp.erf(x)), "Erfc": ("gauss", lambda x: mp.erfc(x)),
        "Lgamma": ("gamma", (mp.loggamma, lambda x: mp.psi(0, x), lambda x: mp.psi(1, x))),
        "Digamma": ("gamma", tuple(lambda x, k=k: mp.psi(k, x) for k in range(3))),
        "Elu": ("real", lambda x: x if x > 0 else exp(x) - 1),
        "Gelu": ("gauss", lambda x: x / (1 + exp(-2 * angle(x)))), "ExactGelu": ("gauss", lambda x: x * normal(x)),
    }  # fmt: skip


def representable(x: float) -> float:
    """The nearest number of float32, or the number itself where float32 does not reach."""
    with np.errstate(all="ignore"):
        narrow = float(np.float32(x))
    return narrow if abs(x) < 1e38 and abs(x) > 1e-37 else x


def accuracy(point: tuple[float, ...]) -> tuple[int, int]:
    """Binary digits, and the binary logarithm of a step by its argument: enough for 1 - exp(-x²), and for a second
    difference of a number near 1 at a tiny argument; far out for a second derivative that is 0 to 300 digits.
    """
    size = [abs(z) for z in point if z]
    large, tiny = max(size, default=0.0), max(-math.log2(min(size, default=1.0)), 0.0)
    if large > 1000.0:
        return int(4000 + 4 * tiny + 3 * math.log2(large)), -1000
    return int(700 + 4 * tiny + (3 * large**2 if large < 40.0 else 5 * large)), -100


def derivatives(formula: Any, point: tuple[float, ...]) -> list[str]:
    """The value, each first derivative, and each second one: of two inputs by aa, ab and bb."""
    from mpmath import mp

    mp.prec, step = (300, 0) if type(formula) is tuple else accuracy(point)
    x = [mp.mpf(z) for z in point]
    if type(formula) is tuple:
        return [mp.nstr(f(*x), 20) for f in formula]
    h = [mp.ldexp(abs(z) or mp.mpf(1), step) for z in x]

    def at(*steps: int) -> Any:
        return formula(*(z + k * d for z, k, d in zip(x, steps, h, strict=True)))

    axes = [tuple(int(k == j) for k in range(len(x))) for j in range(len(x))]
    minus = lambda steps: tuple(-k for k in steps)  # noqa: E731
    first = [(at(*e) - at(*minus(e))) / (2 * d) for e, d in zip(axes, h, strict=True)]
    second = [(at(*e) - 2 * at(*(0,) * len(x)) + at(*minus(e))) / d**2 for e, d in zip(axes, h, strict=True)]
    if len(x) == 2:
        second.insert(1, (at(1, 1) - at(1, -1) - at(-1, 1) + at(-1, -1)) / (4 * h[0] * h[1]))
    return [mp.nstr(y, 20) for y in (at(*(0,) * len(x)), *first, *second)]


def table() -> dict[str, list[list[Any]]]:
    """For each operation its rows: the inputs, and what :func:`derivatives` gives for them."""
    found = {}
    for key, (points, formula) in formulas().items():
        two = points in ("power", "sums") or getattr(getattr(formula, "__code__", None), "co_argcount", 1) == 2
        given = _PAIRS[points] if two else [(x,) for x in _POINTS[points]]
        chosen = dict.fromkeys(tuple(map(representable, point)) for point in given)
        found[key] = [[list(point), derivatives(formula, point)] for point in chosen]
    return found


if __name__ == "__main__":
    rows = [f"{json.dumps(key)}: [\n" + ",\n".join(map(json.dumps, value)) + "]" for key, value in table().items()]
    FILE.write_text("{" + ",\n".join(rows) + "}\n")
