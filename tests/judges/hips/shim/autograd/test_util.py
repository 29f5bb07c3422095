"""Gradients against differences, in both modes and to second order; cases with complex numbers are left out."""

from itertools import product

import numpy as np

from autodiff_kit.pytree import flatten

from .core import make_jvp, make_vjp, vspace
from .wrap_util import get_name, unary_to_nary

TOL = RTOL = EPS = 1e-6


def scalar_close(a, b):
    a, b = float(a), float(b)
    return abs(a - b) < TOL or abs(a - b) / abs(a + b) < RTOL


def _measured(f, x, v):
    space = vspace(x)
    up, down = (f(space.add(x, space.scalar_mul(v, side * EPS / 2))) for side in (1.0, -1.0))
    out = vspace(up)
    return out.scalar_mul(out.add(up, out.scalar_mul(down, -1.0)), 1.0 / EPS)


def check_vjp(f, x):
    vjp, y = make_vjp(f, x)
    xs, ys = vspace(x), vspace(y)
    v, u = xs.randn(), ys.randn()
    pulled = vjp(u)
    assert vspace(pulled) == xs
    exact, numeric = xs.inner_prod(v, pulled), ys.inner_prod(u, _measured(f, x, v))
    assert scalar_close(numeric, exact), (
        f"Derivative (VJP) check of {get_name(f)} failed with arg {x}:\nanalytic: {exact}\nnumeric:  {numeric}"
    )


def check_jvp(f, x):
    v = vspace(x).randn()
    check_equivalent(make_jvp(f, x)(v)[1], _measured(f, x, v))


def check_equivalent(x, y):
    assert vspace(x) == vspace(y), f"{vspace(x).shapes} and {vspace(y).shapes}"
    v = vspace(x).randn()
    a, b = vspace(x).inner_prod(x, v), vspace(y).inner_prod(y, v)
    assert scalar_close(a, b), f"Value mismatch:\nx: {x}\ny: {y}"


@unary_to_nary
def check_grads(f, x, modes=("fwd", "rev"), order=2):
    for mode in modes:
        (check_jvp if mode == "fwd" else check_vjp)(f, x)
        if order > 1:

            def slope(x, v, mode=mode):
                return make_jvp(f, x)(v)[1] if mode == "fwd" else make_vjp(f, x)[0](v)

            slope.__name__ = f"{'jvp' if mode == 'fwd' else 'vjp'}_{get_name(f)}"
            v = vspace(x).randn() if mode == "fwd" else vspace(f(x)).randn()
            check_grads(slope, (0, 1), modes, order=order - 1)(x, v)


def _is_complex(args):
    return any(np.iscomplexobj(leaf) for leaf in flatten(list(args)))


def combo_check(f, *argnums, **options):
    def run(*args, **kwargs):
        for chosen in product(*args):
            if not _is_complex(chosen):
                for values in product(*kwargs.values()):
                    check_grads(f, *argnums, **options)(*chosen, **dict(zip(kwargs, values, strict=True)))

    return run
