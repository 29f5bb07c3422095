"""Sound programs of JAX that look suspicious: each gives the tape and the path that is asked."""

from __future__ import annotations

import functools
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

_X = jnp.linspace(-1.0, 1.0, 12).reshape(4, 3)
_Y = jnp.array([0.5, -0.3, 0.2, 0.9])
_MLP = {
    "w1": jnp.sin(jnp.arange(15.0)).reshape(3, 5),
    "b1": jnp.full(5, 0.1),
    "w2": jnp.cos(jnp.arange(5.0)),
    "b2": jnp.zeros(()),
}


def _mlp(p, x):
    return jnp.tanh(x @ p["w1"] + p["b1"]) @ p["w2"] + p["b2"]


def mlp_all_parameters(record):
    return record(lambda p: jnp.mean((_mlp(p, _X) - _Y) ** 2), _MLP), ()


def mlp_of_jit(record):
    return record(jax.jit(lambda p, x, y: jnp.mean((_mlp(p, x) - y) ** 2)), _MLP, _X, _Y), (0, "w1")


def target_network(record):
    def loss(online, target):
        wanted = lax.stop_gradient(_mlp(target, _X))
        return jnp.mean((_mlp(online, _X) - wanted) ** 2)

    return record(loss, _MLP, jax.tree_util.tree_map(lambda a: a + 0.1, _MLP)), ()


def target_from_the_same_parameters(record):
    def loss(p):
        return jnp.mean((_mlp(p, _X) - 0.9 * lax.stop_gradient(_mlp(p, _X + 1.0)) - _Y) ** 2)

    return record(loss, _MLP), ()


def captured_target_parameters(record):
    frozen = _MLP["w1"]

    def loss(p):
        return jnp.mean((jnp.tanh(_X @ p["w1"]) - jnp.cos(_X @ frozen)) ** 2)

    return record(loss, {"w1": _MLP["w1"]}), ()


def straight_through_round(record):
    def loss(w):
        return jnp.sum((w + lax.stop_gradient(jnp.round(w) - w)) ** 2)

    return record(loss, jnp.array([0.7, 1.4])), 0


def metrics_beside_the_loss(record):
    def loss(w):
        scores = _X @ w
        accuracy = jnp.mean((scores > 0) == (_Y > 0))
        return jnp.mean((scores - _Y) ** 2), {"accuracy": accuracy}

    return record(loss, jnp.ones(3), has_aux=True), 0


def aux_is_told_by_the_program(record):
    def loss(w):
        scores = _X @ w
        return jnp.mean((scores - _Y) ** 2), scores

    gradients, _ = jax.grad(loss, has_aux=True)(jnp.ones(3))
    assert gradients.shape == (3,)
    return record(loss, jnp.ones(3)), 0


def accuracy_that_is_not_used(record):
    def loss(w):
        scores = _X @ w
        accuracy = jnp.mean(jnp.argmax(scores) == 0)
        assert accuracy.shape == ()
        return jnp.mean((scores - _Y) ** 2)

    return record(loss, jnp.ones(3)), 0


def debug_print(record):
    def loss(w):
        jax.debug.callback(lambda value: None, jnp.sum(w))
        return jnp.sum(w**2)

    return record(loss, jnp.ones(3)), 0


def scan_recurrent(record):
    def loss(p):
        def cell(h, x):
            h = jnp.tanh(p["u"] @ h + p["v"] * x)
            return h, h

        _, hs = lax.scan(cell, jnp.zeros(2), jnp.arange(5.0))
        return jnp.mean(hs**2)

    return record(loss, {"u": 0.3 * jnp.eye(2), "v": jnp.array([0.5, -0.5])}), ()


def scan_reversed(record):
    def loss(w, xs):
        return lax.scan(lambda c, x: (c * w + x, c), jnp.float32(0.0), xs, reverse=True)[0]

    return record(loss, jnp.float32(0.9), jnp.arange(4.0)), 0


def scan_with_a_counter(record):
    def loss(w):
        def body(state, _):
            total, k = state
            return (total + w**2 * k, k + 1), None

        (total, _), _ = lax.scan(body, (jnp.float32(0.0), jnp.int32(0)), None, length=4)
        return total

    return record(loss, jnp.float32(0.5)), 0


def truncated_recurrence(record):
    def loss(w):
        h = jnp.float32(0.1)
        for _ in range(3):
            h = jnp.tanh(w * lax.stop_gradient(h) + 1.0)
        return h

    return record(loss, jnp.float32(0.5)), 0


def fori_with_plain_bounds(record):
    return record(lambda w: lax.fori_loop(0, 4, lambda k, x: x * w + k, jnp.float32(1.0)), jnp.float32(0.5)), 0


def while_loop_on_the_data_only(record):
    def loss(w, n):
        scale = lax.while_loop(lambda s: s < n, lambda s: s * 2, jnp.float32(1.0))
        return jnp.sum(w * scale)

    return record(loss, jnp.ones(3), jnp.float32(5.0)), 0


def while_loop_behind_stop_gradient(record):
    def loss(w):
        root = lax.while_loop(lambda s: s * s < 9.0, lambda s: s + 1.0, lax.stop_gradient(jnp.sum(w)))
        return jnp.sum(w**2) * root

    return record(loss, jnp.full(3, 0.2)), 0


def cond_on_the_parameter(record):
    def loss(w):
        return lax.cond(jnp.sum(w) > 0, lambda w: jnp.sum(w**2), lambda w: -jnp.sum(w), w)

    return record(loss, jnp.ones(3)), 0


def switch(record):
    def loss(w, which):
        return lax.switch(which, [jnp.sin, jnp.cos, jnp.tanh], w)

    return record(loss, jnp.float32(0.3), 1), 0


def where_with_two_wheres(record):
    def loss(w):
        safe = jnp.where(w > 0, w, 1.0)
        return jnp.sum(jnp.where(w > 0, jnp.sqrt(safe), 0.0))

    return record(loss, jnp.array([0.0, 4.0])), 0


def where_with_an_infinity(record):
    def loss(w):
        masked = jnp.where(jnp.arange(4) < 2, w, -jnp.inf)
        return -jax.nn.log_softmax(masked)[0]

    return record(loss, jnp.array([0.1, 0.2, 0.3, 0.4])), 0


def attention_with_a_mask(record):
    def loss(p):
        q, k = _X @ p["q"], _X @ p["k"]
        scores = jnp.where(jnp.tril(jnp.ones((4, 4), bool)), q @ k.T, -jnp.inf)
        return jnp.mean((jax.nn.softmax(scores) @ _X) ** 2)

    return record(loss, {"q": jnp.eye(3), "k": 0.5 * jnp.eye(3)}), ()


def relu_partly_dead(record):
    return record(lambda w: jnp.sum(jax.nn.relu(w)), jnp.array([-1.0, 2.0])), 0


def maximum_partly(record):
    return record(lambda a, b: jnp.sum(jnp.maximum(a, b)), jnp.array([1.0, 3.0]), jnp.array([2.0, 2.0])), 0


def clip_partly(record):
    return record(lambda w: jnp.sum(jnp.clip(w, 0.0, 1.0)), jnp.array([0.5, 2.0])), 0


def mask_partly(record):
    return record(lambda w, m: jnp.sum(w * m), jnp.ones(3), jnp.array([1.0, 0.0, 0.0])), 0


def dropout(record):
    def loss(w, key):
        keep = jax.random.bernoulli(key, 0.5, w.shape)
        return jnp.sum(jnp.where(keep, w / 0.5, 0.0))

    return record(loss, jnp.ones(64), jax.random.PRNGKey(0)), 0


def new_style_key(record):
    def loss(w, key):
        return jnp.mean((w + jax.random.normal(key, w.shape)) ** 2)

    return record(loss, jnp.ones(8), jax.random.key(1)), 0


def reparametrized_sample(record):
    def loss(p, key):
        z = p["mean"] + jnp.exp(p["log_std"]) * jax.random.normal(key, (3,))
        return jnp.sum(z**2) - jnp.sum(p["log_std"])

    return record(loss, {"mean": jnp.zeros(3) + 0.1, "log_std": jnp.zeros(3)}, jax.random.PRNGKey(3)), ()


def policy_gradient(record):
    def loss(w, key):
        logits = _X @ w
        action = jax.random.categorical(key, logits)
        return -jnp.mean(jax.nn.log_softmax(logits)[jnp.arange(4), action] * _Y)

    return record(loss, jnp.ones((3, 2)) * jnp.array([1.0, 0.3]), jax.random.PRNGKey(1)), 0


def cross_entropy_with_labels(record):
    def loss(p, x, labels):
        logits = x @ p["w"]
        return -jnp.mean(jnp.take_along_axis(jax.nn.log_softmax(logits), labels[:, None], axis=1))

    return record(loss, {"w": jnp.ones((3, 4))}, _X, jnp.array([0, 1, 2, 3])), (0, "w")


def one_hot_labels(record):
    def loss(w, labels):
        return -jnp.sum(jax.nn.one_hot(labels, 2) * jax.nn.log_softmax(_X @ w))

    return record(loss, jnp.ones((3, 2)), jnp.array([0, 1, 1, 0])), 0


def embedding_lookup(record):
    return record(lambda table, ids: jnp.sum(table[ids] ** 2), jnp.ones((5, 2)), jnp.array([1, 3])), 0


def custom_vjp_clips_the_gradient(record):
    @jax.custom_vjp
    def clipped(x):
        return x

    clipped.defvjp(lambda x: (x, None), lambda _, g: (jnp.clip(g, -1.0, 1.0),))
    return record(lambda w: jnp.sum(clipped(w) ** 3), jnp.ones(3)), 0


def custom_vjp_without_gradient_for_indices(record):
    @jax.custom_vjp
    def pick(table, index):
        return table[index]

    def backward(saved, g):
        shape, index = saved
        return jnp.zeros(shape).at[index].set(g), None

    pick.defvjp(lambda t, i: (t[i], (t.shape, i)), backward)
    return record(lambda t: pick(t, jnp.int32(1)) ** 2, jnp.arange(1.0, 4.0)), 0


def custom_jvp_of_a_stable_function(record):
    @jax.custom_jvp
    def log1pexp(x):
        return jnp.log(1.0 + jnp.exp(x))

    @log1pexp.defjvp
    def rule(primals, tangents):
        (x,), (t,) = primals, tangents
        return log1pexp(x), t * (1 - 1 / (1 + jnp.exp(x)))

    return record(lambda w: log1pexp(w), jnp.float32(3.0)), 0


def straight_through_by_custom_jvp(record):
    @jax.custom_jvp
    def hard(x):
        return (x > 0).astype(x.dtype)

    hard.defjvp(lambda primals, tangents: (hard(*primals), tangents[0]))
    return record(lambda w: jnp.sum(hard(w) * 2), jnp.array([0.3, -0.2])), 0


def checkpointed(record):
    layer = jax.checkpoint(lambda h, w: jnp.tanh(h @ w))

    def loss(ws):
        h = _X
        for w in ws:
            h = layer(h, w)
        return jnp.mean(h**2)

    return record(loss, [0.5 * jnp.eye(3), 0.3 * jnp.eye(3)]), ()


def vmapped(record):
    return record(lambda w: jnp.mean(jax.vmap(lambda x, y: (x @ w - y) ** 2)(_X, _Y)), jnp.ones(3)), 0


def inner_gradient(record):
    def loss(w):
        inner = jax.grad(lambda v: jnp.sum(jnp.tanh(v * w) ** 2))(jnp.ones(3))
        return jnp.sum((w - 0.1 * inner) ** 2)

    return record(loss, jnp.array([0.3, 0.2, 0.1])), 0


def gradient_penalty(record):
    def loss(p):
        slopes = jax.vmap(jax.grad(lambda x: _mlp(p, x)))(_X)
        return jnp.mean((jnp.linalg.norm(slopes, axis=1) - 1) ** 2)

    return record(loss, {k: v for k, v in _MLP.items() if k != "b2"} | {"b2": jnp.zeros(())}), (0, "w1")


def shared_weights(record):
    return record(lambda w: jnp.mean((jnp.tanh(_X @ w) @ w.T - _X) ** 2), 0.4 * jnp.eye(3)), 0


def update_that_is_bound(record):
    def loss(w):
        x = jnp.zeros(3)
        x = x.at[0].set(w)
        return jnp.sum(x**2)

    return record(loss, jnp.float32(2.0)), 0


def updates_in_a_loop(record):
    def loss(w):
        table = jnp.zeros(4)
        for k in range(4):
            table = table.at[k].add(w[k] * k)
        return jnp.sum(table**2)

    return record(loss, jnp.ones(4)), 0


def pairwise_distances(record):
    def loss(x):
        d = x[:, None] - x[None, :]
        return jnp.sum(jnp.tanh(d**2))

    return record(loss, jnp.array([0.1, 0.5, 0.9])), 0


def distances_to_centers(record):
    def loss(centers, x):
        return jnp.mean(jnp.min((x[:, None] - centers) ** 2, axis=1))

    return record(loss, jnp.array([0.1, 0.5, 0.9]), jnp.array([0.2, 0.6, 0.7])), 0


def column_minus_column(record):
    return record(lambda w: jnp.mean((_X @ w - _Y[:, None]) ** 2), jnp.ones((3, 1))), 0


def normalized_by_mean_of_rows(record):
    def loss(w):
        h = _X @ w
        return jnp.mean(((h - h.mean(axis=1, keepdims=True)) / (h.std(axis=1, keepdims=True) + 1e-3)) ** 3)

    return record(loss, jnp.array([[1.0, 0.5], [0.2, 0.9], [0.4, 0.1]])), 0


def flag_in_python(record):
    def loss(w, training):
        return jnp.sum(w**2) if training else jnp.sum(w)

    return record(loss, jnp.ones(3), True), 0


def number_of_steps_in_python(record):
    def loss(w, steps):
        for _ in range(steps):
            w = jnp.sin(w)
        return w

    return record(loss, jnp.float32(0.5), 3), 0


def data_that_numpy_looks_at(record):
    def loss(w, x):
        middle = float(np.median(np.asarray(x)))
        return jnp.sum(w * (x - middle - 0.1))

    return record(loss, jnp.ones(4), jnp.arange(4.0)), 0


def data_masked_by_its_values(record):
    return record(lambda w, x: jnp.sum(jnp.where(x > 0, w * x, 0.0)), jnp.float32(1.5), jnp.arange(-2.0, 4.0)), 0


def names_and_strings(record):
    def loss(p, activation):
        return jnp.sum({"tanh": jnp.tanh, "sin": jnp.sin}[activation](p["w"]))

    return record(loss, {"w": jnp.ones(3)}, "tanh"), (0, "w")


def no_bias(record):
    def loss(p):
        h = _X @ p["w"]
        return jnp.mean(h**2 if p["b"] is None else (h + p["b"]) ** 2)

    return record(loss, {"w": jnp.ones(3), "b": None}), (0, "w")


class _State(NamedTuple):
    weight: jax.Array
    scale: jax.Array


def named_tuple(record):
    return record(lambda s: jnp.sum(s.weight * s.scale), _State(jnp.ones(3), jnp.float32(2.0))), (0, "scale")


def second_argument_is_asked_for(record):
    return record(lambda x, p: jnp.mean(x @ p["w"]), _X + 1.0, {"w": jnp.ones(3)}, argnums=1), (1, "w")


def both_arguments(record):
    tape = record(lambda a, b: jnp.sum(a * b), jnp.ones(2), jnp.full(2, 2.0), argnums=(0, 1))
    return tape, (1,)


def negative_argnums(record):
    return record(lambda a, b: jnp.sum(a * b), jnp.ones(2), jnp.full(2, 2.0), argnums=-1), 1


def partial_function(record):
    return record(functools.partial(lambda scale, w: jnp.sum(w**2) * scale, 2.0), jnp.ones(3)), 0


def gaussian_likelihood(record):
    def loss(p):
        return -jnp.mean(jax.scipy.stats.norm.logpdf(_Y, _X @ p["w"], jax.nn.softplus(p["s"])))

    return record(loss, {"w": jnp.ones(3), "s": jnp.float32(0.3)}), ()


def convolution(record):
    def loss(kernel, image):
        out = lax.conv_general_dilated(image, kernel, (1, 1), "SAME")
        return jnp.mean(jax.nn.relu(out) ** 2)

    return record(loss, jnp.ones((2, 1, 3, 3)), jnp.ones((1, 1, 5, 5))), 0


def solve(record):
    return record(lambda a: jnp.sum(jnp.linalg.solve(a + 2 * jnp.eye(2), jnp.ones(2))), jnp.ones((2, 2)) * 0.3), 0


def sorted_quantile(record):
    return record(lambda w: jnp.sort(w)[1] ** 2, jnp.array([3.0, 1.0, 2.0])), 0


def logsumexp(record):
    return record(lambda w: jax.scipy.special.logsumexp(w), jnp.array([1.0, 2.0, -jnp.inf])[:2]), 0


def softplus_at_large(record):
    return record(lambda w: jnp.sum(jax.nn.softplus(w)), jnp.array([50.0, -3.0])), 0


def gradient_is_huge(record):
    return record(lambda w: jnp.exp(w) * 1e6, jnp.float32(9.0)), 0


def an_adam_step_by_hand(record):
    def loss(w):
        g = jax.grad(lambda v: jnp.sum(v**2))(w)
        m, v = 0.1 * g, 0.001 * g**2
        return jnp.sum((w - 0.1 * m / (jnp.sqrt(v) + 1e-8)) ** 2)

    return record(loss, jnp.array([0.5, 1.0])), 0


def bfloat16(record):
    return record(lambda w: jnp.sum((w * 2) ** 2), jnp.ones(3, jnp.bfloat16)), 0


def complex_numbers(record):
    return record(lambda w: jnp.sum(jnp.abs(jnp.fft.fft(w) + 0.3) ** 2), jnp.array([1.0, 2.0, 4.0])), 0


def result_as_a_list_of_one(record):
    return record(lambda w: jnp.sum(jnp.stack([jnp.sum(w), jnp.prod(w)])), jnp.ones(3)), 0
