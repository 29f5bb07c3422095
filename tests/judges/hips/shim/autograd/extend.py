from .core import vspace
from .tracer import primitive, primitive_jvps, primitive_vjps


def defvjp(f, *makers, argnums=None):
    primitive_vjps[f] = dict(zip(argnums or range(len(makers)), makers, strict=True))


def defjvp(f, *makers, argnums=None):
    primitive_jvps[f] = dict(zip(argnums or range(len(makers)), makers, strict=True))
