"""Whole models and one step of Adam: a small language model, and a convolutional network."""

from __future__ import annotations

from typing import Any

import numpy as np

import autodiff_kit as ak
from benchmarks.library_comparison.setting import Setting
from benchmarks.library_comparison.systems import Systems
from benchmarks.library_comparison.workloads.steps import Step, zeros

CHANNELS_LAST, FAR = "PyTorch channels last", -1e9
OF_BLOCK = 10


# ------------------------------------------------------------------------------------------------------- language model
def language_model(s: Setting) -> Systems:
    """A step of a decoder-only transformer: embeddings, blocks of attention and two dense layers, a softmax head."""
    rng = np.random.default_rng(0)
    layers, heads, batch, length, width, words = s.sized((2, 4, 4, 32, 64, 256), (1, 2, 2, 4, 8, 11))
    start = [s.normal(rng, words, width), s.normal(rng, length, width)]
    for _ in range(layers):
        start += _block_parameters(s, rng, width)
    start += [np.ones(width, s.dtype), zeros(s, width), s.normal(rng, width, words, scale=width**-0.5)]
    text = rng.integers(0, words, (batch, length + 1))
    step = Step(start, [text[:, :-1].copy(), text[:, 1:].copy()])
    keep = np.tril(np.ones((length, length), bool))
    mask = ak.constant(keep)

    def model(embed: Any, norm: Any, attend: Any, gelu: Any, loss: Any) -> Any:
        def of(p: Any, ids: Any, following: Any) -> Any:
            x = embed(p[0], ids) + p[1]
            for k in range(2, 2 + OF_BLOCK * layers, OF_BLOCK):
                g1, b1, qkv, out, g2, b2, w1, c1, w2, c2 = p[k : k + OF_BLOCK]
                q, k, v = (_heads(part, heads) for part in _thirds(norm(x, g1, b1) @ qkv))
                x = x + attend(q, k, v).swapaxes(1, 2).reshape((batch, length, width)) @ out
                x = x + gelu(norm(x, g2, b2) @ w1 + c1) @ w2 + c2
            return loss(norm(x, *p[-3:-1]) @ p[-1], following)

        return of

    def kit_attention(q: Any, k: Any, v: Any) -> Any:
        return ak.nn.masked_softmax((q @ k.swapaxes(-1, -2)) * q.shape[-1] ** -0.5, mask) @ v

    kit = model(ak.nn.embedding, ak.nn.layer_norm, kit_attention, ak.nn.gelu,
                lambda scores, words: ak.nn.sparse_softmax_cross_entropy(words, scores).mean())  # fmt: skip

    where = None if s.torch is None else s.torch.tensor(keep)

    def torch(*a: Any) -> Any:
        f = s.torch.nn.functional
        return model(
            lambda table, ids: f.embedding(ids, table),
            lambda x, g, b: f.layer_norm(x, (width,), g, b),
            lambda q, k, v: f.scaled_dot_product_attention(q, k, v, attn_mask=where),
            lambda x: f.gelu(x, approximate="tanh"),
            lambda scores, words: f.cross_entropy(scores.flatten(0, 1), words.flatten()),
        )(*a)

    return step.systems(s, kit, torch, lambda *a: model(*_jax_layers(s, keep))(*a))


def _block_parameters(s: Setting, rng: Any, d: int) -> list[Any]:
    one = np.ones(d, s.dtype)
    return [one, zeros(s, d), s.normal(rng, d, 3 * d, scale=d**-0.5), s.normal(rng, d, d, scale=d**-0.5),
            one.copy(), zeros(s, d), s.normal(rng, d, 4 * d, scale=d**-0.5), zeros(s, 4 * d),
            s.normal(rng, 4 * d, d, scale=(4 * d) ** -0.5), zeros(s, d)]  # fmt: skip


def _thirds(x: Any) -> list[Any]:
    n = x.shape[-1] // 3
    return [x[..., k * n : (k + 1) * n] for k in range(3)]


def _heads(x: Any, heads: int) -> Any:
    b, t, d = x.shape
    return x.reshape((b, t, heads, d // heads)).swapaxes(1, 2)


def _jax_layers(s: Setting, keep: Any) -> tuple[Any, ...]:
    jax, jnp = s.jax, s.jax.numpy

    def norm(x: Any, g: Any, b: Any) -> Any:
        centred = x - x.mean(-1, keepdims=True)
        return centred * jax.lax.rsqrt((centred**2).mean(-1, keepdims=True) + 1e-5) * g + b

    def attend(q: Any, k: Any, v: Any) -> Any:
        return jax.nn.softmax(jnp.where(keep, q @ k.swapaxes(-1, -2) * q.shape[-1] ** -0.5, FAR), -1) @ v

    gelu = lambda x: jax.nn.gelu(x, approximate=True)  # noqa: E731
    return lambda table, ids: table[ids], norm, attend, gelu, lambda *a: _jax_cross_entropy(s, *a)


def _jax_cross_entropy(s: Setting, scores: Any, labels: Any) -> Any:
    return -s.jax.numpy.take_along_axis(s.jax.nn.log_softmax(scores), labels[..., None], -1).mean()


# ------------------------------------------------------------------------------------------------ convolutional network
def convolutional_network(s: Setting) -> Systems:
    """A step of two convolutions with pooling, and a dense layer; images and kernels with their channels last."""
    rng, (batch, size, first, second) = np.random.default_rng(0), s.sized((32, 28, 16, 32), (2, 8, 3, 4))
    rows = (size // 4) ** 2 * second
    start = [s.normal(rng, 3, 3, 1, first, scale=1 / 3), zeros(s, first),
             s.normal(rng, 3, 3, first, second, scale=(9 * first) ** -0.5), zeros(s, second),
             s.normal(rng, rows, 10, scale=rows**-0.5), zeros(s, 10)]  # fmt: skip
    step = Step(start, [s.normal(rng, batch, size, size, 1), rng.integers(0, 10, batch)])

    def model(convolve: Any, relu: Any, pool: Any, loss: Any) -> Any:
        def of(p: Any, x: Any, labels: Any) -> Any:
            x = pool(relu(convolve(x, p[0]) + p[1]))
            x = pool(relu(convolve(x, p[2]) + p[3]))
            return loss(x.reshape((batch, rows)) @ p[4] + p[5], labels)

        return of

    kit = model(lambda x, k: ak.nn.conv2d(x, k, padding="same"), ak.nn.relu, lambda x: ak.nn.max_pool2d(x, 2),
                lambda scores, labels: ak.nn.sparse_softmax_cross_entropy(labels, scores).mean())  # fmt: skip

    def torch(p: Any, x: Any, labels: Any, layout: str = "contiguous_format") -> Any:
        f = s.torch.nn.functional
        x = x.movedim(3, 1).contiguous(memory_format=getattr(s.torch, layout))
        for kernel, offset in (p[:2], p[2:4]):
            x = f.max_pool2d(f.relu(f.conv2d(x, kernel.permute(3, 2, 0, 1), offset, padding=1)), 2)
        return f.cross_entropy(s.torch.addmm(p[5], x.movedim(1, 3).reshape(batch, rows), p[4]), labels)

    def jax(*a: Any) -> Any:
        lax, layout = s.jax.lax, ("NHWC", "HWIO", "NHWC")
        return model(
            lambda x, k: lax.conv_general_dilated(x, k, (1, 1), "SAME", dimension_numbers=layout),
            s.jax.nn.relu,
            lambda x: lax.reduce_window(x, -np.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID"),
            lambda *a: _jax_cross_entropy(s, *a),
        )(*a)

    other = {CHANNELS_LAST: lambda *a: torch(*a, layout="channels_last")}
    return step.systems(s, kit, torch, jax, other)
