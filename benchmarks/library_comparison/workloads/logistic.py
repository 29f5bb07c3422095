"""l: logistic regression on a tall matrix."""

from __future__ import annotations

from typing import Any

import numpy as np

import autodiff_kit as ak
from benchmarks.library_comparison.setting import Setting
from benchmarks.library_comparison.systems import HAND, System, Systems, gradients, limit

READS = "limit: two reads"


def logistic(rows: int, columns: int) -> Any:
    """l: the mean of log(1 + exp(-y (X w + b))), and its gradients."""

    def build(s: Setting) -> Systems:
        n, m = s.sized((rows, columns), (30, 4))
        rng = np.random.default_rng(0)
        x, y = s.normal(rng, n, m), np.where(rng.random(n) < 0.5, -1, 1).astype(s.dtype)
        w, b = s.normal(rng, m, scale=0.1), s.normal(rng)
        data, signs = ak.constant(x), ak.constant(y)
        losses: dict[str, Any] = {"kit": lambda w, b: ak.softplus(-(signs * (data @ w + b))).mean()}
        if s.torch is not None:
            tx, ty = s.torch.tensor(x), s.torch.tensor(y)
            losses["torch"] = lambda w, b: s.torch.nn.functional.softplus(-(ty * (tx @ w + b))).mean()
        if s.jax is not None:
            jx, jy = s.jax.numpy.asarray(x), s.jax.numpy.asarray(y)
            losses["jax"] = lambda w, b: s.jax.nn.softplus(-(jy * (jx @ w + b))).mean()
        if s.autograd is not None:
            anp = s.autograd.numpy
            losses["autograd"] = lambda w, b: anp.mean(anp.logaddexp(0, -(y * (anp.dot(x, w) + b))))
        if s.mygrad is not None:
            mg = s.mygrad
            losses["mygrad"] = lambda w, b: mg.mean(mg.logaddexp(np.asarray(0, s.dtype), -(y * (mg.matmul(x, w) + b))))
        if s.tensorflow is not None:
            tf = s.tensorflow
            fx, fy = tf.constant(x), tf.constant(y)
            losses["tensorflow"] = lambda w, b: tf.reduce_mean(tf.nn.softplus(-(fy * (tf.linalg.matvec(fx, w) + b))))
        return {
            **gradients(s, [w, b], (0, 1), **losses),
            HAND: System(lambda: _by_hand(x, y, w, b)),
            READS: limit(_reads(x, w, y)),
        }

    return build


def _by_hand(x: Any, y: Any, w: Any, b: Any) -> Any:
    z = -(y * (x @ w + b))
    back = -y / (1 + np.exp(-z)) / np.asarray(len(y), y.dtype)
    return np.logaddexp(0, z).mean(dtype=y.dtype), [back @ x, back.sum()]


def _reads(x: Any, w: Any, y: Any) -> Any:
    """The two products with the data, each of which reads the data once."""
    scores, slopes = np.empty_like(y), np.empty_like(w)

    def run() -> None:
        np.dot(x, w, out=scores)
        np.dot(y, x, out=slopes)

    return run
