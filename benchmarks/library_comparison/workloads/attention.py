"""Attention with a mask, and a complete transformer block."""

from __future__ import annotations

from typing import Any

import numpy as np

import autodiff_kit as ak
from benchmarks.library_comparison.setting import Setting
from benchmarks.library_comparison.systems import HAND, PRODUCTS, System, Systems, gradients, limit, torch_run

SDPA = "PyTorch fused attention"
FAR = -1e9


def attention(b: int, h: int, t: int, d: int) -> Any:
    """d: softmax(q kᵀ / √d, causal) v, and its gradients."""

    def build(s: Setting) -> Systems:
        shape = s.sized((b, h, t, d), (2, 2, 5, 4))
        rng = np.random.default_rng(0)
        q, k, v, w = (s.normal(rng, *shape) for _ in range(4))
        keep = np.tril(np.ones(shape[-2:-1] * 2, bool))
        losses = _losses(s, w, keep, float(shape[-1] ** -0.5))
        systems = gradients(s, [q, k, v], range(3), **losses)
        systems[HAND] = System(lambda: _by_hand(q, k, v, w, keep))
        if s.torch is not None:
            weight, fused = s.torch.tensor(w), s.torch.nn.functional.scaled_dot_product_attention
            loss = lambda q, k, v: (fused(q, k, v, is_causal=True) * weight).sum()  # noqa: E731
            systems[SDPA] = System(torch_run(s, loss, [q, k, v], (0, 1, 2)))
        return systems | {PRODUCTS: limit(_products(q, k, v, w))}

    return build


def _losses(s: Setting, w: Any, keep: Any, scale: float) -> dict[str, Any]:
    mask, weight, far = ak.constant(keep), ak.constant(w), np.where(keep, 0, FAR).astype(w.dtype)

    def kit(q: Any, k: Any, v: Any) -> Any:
        scores = (q @ k.swapaxes(-1, -2)) * scale
        return (ak.nn.masked_softmax(scores, mask) @ v * weight).sum()

    losses: dict[str, Any] = {"kit": kit}
    if s.torch is not None:
        tw, off = s.torch.tensor(w), ~s.torch.tensor(keep)

        def torch(q: Any, k: Any, v: Any) -> Any:
            scores = (q @ k.transpose(-1, -2) * scale).masked_fill(off, FAR)
            return (s.torch.softmax(scores, -1) @ v * tw).sum()

        losses["torch"] = torch
    if s.jax is not None:
        jnp = s.jax.numpy
        jw, jkeep = jnp.asarray(w), jnp.asarray(keep)
        losses["jax"] = lambda q, k, v: (
            s.jax.nn.softmax(jnp.where(jkeep, q @ k.swapaxes(-1, -2) * scale, FAR), -1) @ v * jw
        ).sum()
    if s.autograd is not None:
        anp = s.autograd.numpy

        def autograd(q: Any, k: Any, v: Any) -> Any:
            scores = anp.matmul(q, anp.swapaxes(k, -1, -2)) * scale + far
            scores = anp.exp(scores - anp.max(scores, -1, keepdims=True))
            return anp.sum(anp.matmul(scores / anp.sum(scores, -1, keepdims=True), v) * w)

        losses["autograd"] = autograd
    if s.mygrad is not None:
        mg = s.mygrad
        losses["mygrad"] = lambda q, k, v: (
            mg.matmul(mg.nnet.activations.softmax(mg.matmul(q, mg.swapaxes(k, -1, -2)) * scale + far), v) * w
        ).sum()
    if s.tensorflow is not None:
        tf = s.tensorflow
        losses["tensorflow"] = lambda q, k, v: tf.reduce_sum(
            (tf.nn.softmax(tf.matmul(q, k, transpose_b=True) * scale + far) @ v) * w
        )
    return losses


def _by_hand(q: Any, k: Any, v: Any, w: Any, keep: Any) -> Any:
    scale = np.asarray(q.shape[-1] ** -0.5, q.dtype)
    scores = np.where(keep, (q @ k.swapaxes(-1, -2)) * scale, -np.inf)
    p = np.exp(scores - scores.max(-1, keepdims=True))
    p /= p.sum(-1, keepdims=True)
    dp = w @ v.swapaxes(-1, -2)
    ds = p * (dp - (dp * p).sum(-1, keepdims=True)) * scale
    return (p @ v * w).sum(), [ds @ k, ds.swapaxes(-1, -2) @ q, p.swapaxes(-1, -2) @ w]


def _products(q: Any, k: Any, v: Any, w: Any) -> Any:
    """The six matrix products, into preallocated memory."""
    scores, out = np.empty((*q.shape[:-1], k.shape[-2]), q.dtype), np.empty_like(q)

    def run() -> None:
        np.matmul(q, k.swapaxes(-1, -2), out=scores)
        np.matmul(scores, v, out=out)
        np.matmul(scores.swapaxes(-1, -2), w, out=out)
        np.matmul(w, v.swapaxes(-1, -2), out=scores)
        np.matmul(scores, k, out=out)
        np.matmul(scores.swapaxes(-1, -2), q, out=out)

    return run


def block(b: int, t: int, d: int, heads: int) -> Any:
    """j: layer norm, attention of some heads, layer norm, two dense layers with GELU; 13 gradients."""

    def build(s: Setting) -> Systems:
        shape = s.sized((b, t, d), (2, 4, 8))
        n = s.sized(heads, 2)
        args = _block_arguments(s, shape)
        keep = np.tril(np.ones((shape[1], shape[1]), bool))
        losses = {"kit": _kit_block(n, keep)}
        if s.torch is not None:
            losses["torch"] = _torch_block(s, n, keep)
        if s.jax is not None:
            losses["jax"] = _jax_block(s, n, keep)
        return {**gradients(s, args, range(13), **losses), PRODUCTS: limit(_block_products(args, n))}

    return build


def _block_arguments(s: Setting, shape: tuple[int, int, int]) -> list[Any]:
    rng, d = np.random.default_rng(0), shape[-1]
    one = np.asarray(1, s.dtype)
    norm1 = [one + s.normal(rng, d, scale=0.1), s.normal(rng, d, scale=0.1)]
    x, maps = s.normal(rng, *shape), [s.normal(rng, d, d, scale=d**-0.5) for _ in range(4)]
    norm2 = [one + s.normal(rng, d, scale=0.1), s.normal(rng, d, scale=0.1)]
    dense = [s.normal(rng, d, 4 * d, scale=d**-0.5), s.normal(rng, 4 * d, scale=0.1),
             s.normal(rng, 4 * d, d, scale=(4 * d) ** -0.5), s.normal(rng, d, scale=0.1)]  # fmt: skip
    return [x, *norm1, *maps, *norm2, *dense, s.normal(rng, *shape)]


def _kit_block(heads: int, keep: Any) -> Any:
    mask = ak.constant(keep)

    def loss(x: Any, g1: Any, b1: Any, wq: Any, wk: Any, wv: Any, wo: Any, g2: Any, b2: Any,
             w1: Any, c1: Any, w2: Any, c2: Any, w: Any) -> Any:  # fmt: skip
        b, t, d = x.shape
        h = ak.nn.layer_norm(x, g1, b1)
        q, k, v = (ak.permute_dims((h @ m).reshape((b, t, heads, d // heads)), (0, 2, 1, 3)) for m in (wq, wk, wv))
        p = ak.nn.masked_softmax((q @ k.swapaxes(-1, -2)) * (d // heads) ** -0.5, mask)
        x = x + ak.permute_dims(p @ v, (0, 2, 1, 3)).reshape((b, t, d)) @ wo
        h = ak.nn.layer_norm(x, g2, b2)
        return ((x + ak.nn.gelu(h @ w1 + c1) @ w2 + c2) * w).sum()

    return loss


def _torch_block(s: Setting, heads: int, keep: Any) -> Any:
    torch, f, mask = s.torch, s.torch.nn.functional, s.torch.tensor(keep)

    def loss(x: Any, g1: Any, b1: Any, wq: Any, wk: Any, wv: Any, wo: Any, g2: Any, b2: Any,
             w1: Any, c1: Any, w2: Any, c2: Any, w: Any) -> Any:  # fmt: skip
        b, t, d = x.shape
        h = f.layer_norm(x, (d,), g1, b1)
        q, k, v = ((h @ m).view(b, t, heads, d // heads).transpose(1, 2) for m in (wq, wk, wv))
        o = f.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        x = x + o.transpose(1, 2).reshape(b, t, d) @ wo
        h = torch.addmm(c1, f.layer_norm(x, (d,), g2, b2).view(-1, d), w1)
        x = x + torch.addmm(c2, f.gelu(h, approximate="tanh"), w2).view(b, t, d)
        return (x * w).sum()

    return loss


def _jax_block(s: Setting, heads: int, keep: Any) -> Any:
    jax, jnp = s.jax, s.jax.numpy

    def norm(x: Any, g: Any, b: Any) -> Any:
        centred = x - x.mean(-1, keepdims=True)
        return centred * jax.lax.rsqrt((centred**2).mean(-1, keepdims=True) + 1e-5) * g + b

    def loss(x: Any, g1: Any, b1: Any, wq: Any, wk: Any, wv: Any, wo: Any, g2: Any, b2: Any,
             w1: Any, c1: Any, w2: Any, c2: Any, w: Any) -> Any:  # fmt: skip
        b, t, d = x.shape
        h = norm(x, g1, b1)
        q, k, v = ((h @ m).reshape(b, t, heads, d // heads).swapaxes(1, 2) for m in (wq, wk, wv))
        p = jax.nn.softmax(jnp.where(keep, q @ k.swapaxes(-1, -2) * (d // heads) ** -0.5, FAR), -1)
        x = x + (p @ v).swapaxes(1, 2).reshape(b, t, d) @ wo
        h = norm(x, g2, b2)
        return ((x + jax.nn.gelu(h @ w1 + c1, approximate=True) @ w2 + c2) * w).sum()

    return loss


def _block_products(args: list[Any], heads: int) -> Any:
    """All matrix products of a block, forward and backward: for each X @ W also X Wᵀ and Xᵀ W of the same sizes."""
    x, wq, w1, w2 = args[0], args[3], args[9], args[11]
    b, t, d = x.shape
    rows, wide = x.reshape(-1, d), np.empty((b * t, 4 * d), x.dtype)
    out, square = np.empty_like(rows), np.empty_like(wq)
    up, down = np.empty_like(w1), np.empty_like(w2)
    q = np.ascontiguousarray(x.reshape(b, t, heads, d // heads).swapaxes(1, 2))
    inner = _products(q, q, q, q)

    def run() -> None:
        for _ in range(4):
            np.dot(rows, wq, out=out)
            np.dot(rows, wq.T, out=out)
            np.dot(rows.T, rows, out=square)
        np.dot(rows, w1, out=wide)
        np.dot(wide, w2, out=out)
        np.dot(wide.T, rows, out=down)
        np.dot(rows, w2.T, out=wide)
        np.dot(rows.T, wide, out=up)
        np.dot(wide, w1.T, out=out)
        inner()

    return run
