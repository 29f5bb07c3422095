"""The composed programs in JAX: values and gradients beside those of the kit. It runs where JAX is installed.

.venv-bench/bin/python -m tests.compile.composed_in_jax 0 500
"""

from __future__ import annotations

import sys
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.scipy import linalg, special

import autodiff_kit as ak
from tests.compile.composed_programs import KIT, Library, Program

TOLERANCE = 1e-7


def _segments(name: str) -> Any:
    reduce = getattr(jax.ops, f"segment_{name}")
    return lambda data, ids, count: reduce(data, ids, count)


def _segment_mean(data: Any, ids: Any, count: int) -> Any:
    rows = np.bincount(ids, minlength=count)
    return jax.ops.segment_sum(data, ids, count) / rows.reshape(-1, *(1,) * (data.ndim - 1))


def _segment_prod(data: Any, ids: Any, count: int) -> Any:
    """JAX has no gradient of its own."""
    return jnp.stack([jnp.prod(data[ids == k], axis=0) for k in range(count)])


def _convolution(letters: str) -> Any:
    def convolve(x: Any, kernel: Any, stride: int = 1, padding: str = "valid", dilation: int = 1) -> Any:
        spatial = (1,) * len(letters)
        return jax.lax.conv_general_dilated(
            x, kernel, [stride * n for n in spatial], padding.upper(), rhs_dilation=[dilation * n for n in spatial],
            dimension_numbers=(f"N{letters}C", f"{letters}IO", f"N{letters}C"),
        )  # fmt: skip

    return convolve


def _updated(x: Any, index: Any, name: str, new: Any) -> Any:
    """An update; products with several factors for one place are taken one by one, for JAX has no gradient of them."""
    if name != "multiply":
        return getattr(x.at[index], name)(new)
    rows = index if isinstance(index, tuple) else (index,)
    if not any(isinstance(n, np.ndarray) for n in rows):
        return x.at[index].multiply(new, unique_indices=True)
    for k in range(len(rows[0])):
        x = x.at[tuple(n[k] for n in rows)].multiply(new[k], unique_indices=True)
    return x


JAX = Library(
    jnp,
    cholesky=jnp.linalg.cholesky,
    cholesky_solve=lambda low, b: linalg.cho_solve((low, True), b),
    concat=lambda arrays, axis=0: jnp.concatenate(arrays, axis),
    cond=jax.lax.cond,
    conv1d=_convolution("H"),
    conv2d=_convolution("HW"),
    det=jnp.linalg.det,
    digamma=special.digamma,
    eigh=jnp.linalg.eigh,
    erf=special.erf,
    erfc=special.erfc,
    expm=linalg.expm,
    grad=jax.grad,
    inv=jnp.linalg.inv,
    jvp=jax.jvp,
    lgamma=special.gammaln,
    logsumexp=special.logsumexp,
    lstsq=jnp.linalg.lstsq,
    qr=jnp.linalg.qr,
    scan=jax.lax.scan,
    segment_max=_segments("max"),
    segment_mean=_segment_mean,
    segment_min=_segments("min"),
    segment_prod=_segment_prod,
    segment_sum=_segments("sum"),
    slogdet=jnp.linalg.slogdet,
    softmax=jax.nn.softmax,
    softplus=jax.nn.softplus,
    solve=jnp.linalg.solve,
    solve_triangular=lambda a, b, lower=False, transpose=False: linalg.solve_triangular(a, b, int(transpose), lower),
    svd=lambda a: jnp.linalg.svd(a, full_matrices=False),
    updated=_updated,
    vmap=jax.vmap,
)


def results(lib: Library, transform: Any, convert: Any, program: Program) -> list[np.ndarray[Any, Any]]:
    """The value of a program and its gradients, in the names of one library."""
    slope = transform(lambda *given: program.loss(lib, *given), program.arguments)
    value, gradients = slope(*map(convert, program.inputs))
    return [np.asarray(x) for x in (value, *gradients)]


def _compiled_slope(loss: Any, arguments: tuple[int, ...]) -> Any:
    return jax.jit(jax.value_and_grad(loss, arguments))


def differs(seed: int) -> str | None:
    program = Program(seed)
    ours = results(KIT, ak.value_and_grad, ak.constant, program)
    theirs = results(JAX, _compiled_slope, jnp.asarray, program)
    for k, (a, b) in enumerate(zip(ours, theirs, strict=True)):
        told = np.isfinite(b)  # JAX's slope of program 0 has an infinity, where differences agree with the kit
        atol = TOLERANCE * max(1.0, np.abs(b[told]).max(initial=0.0))
        if a.shape != b.shape or not np.allclose(a[told], b[told], rtol=TOLERANCE, atol=atol):
            return f"seed {seed}, {f'gradient {k - 1}' if k else 'value'}: {a.ravel()[:4]} beside {b.ravel()[:4]}"
    return None


def main(start: int, end: int) -> int:
    jax.config.update("jax_enable_x64", True)
    jax.config.update("jax_disable_most_optimizations", True)  # compiling takes most of the time
    with np.errstate(all="ignore"):
        found = [text for text in map(differs, range(start, end)) if text]
    print(*found, f"{end - start} programs, {len(found)} differ", sep="\n")
    return len(found)


if __name__ == "__main__":
    sys.exit(min(main(*map(int, sys.argv[1:])), 1))
