"""Broken programs of JAX: each records a function, and gives the tape and the path that is asked."""

from __future__ import annotations

import functools
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax


# --------------------------------------------------------------------------------------------------------- stop_gradient
def stop_gradient__on_the_hidden_layer(record):
    def loss(w, x):
        h = jnp.tanh(x @ w)
        h = lax.stop_gradient(h)  # cause
        return jnp.sum(h**2)

    return record(loss, jnp.ones((3, 2)), jnp.ones((4, 3))), (0,)


def stop_gradient__of_one_parameter(record):
    def loss(params):
        scale = lax.stop_gradient(params["scale"])  # cause
        return jnp.sum(params["w"] * scale)

    return record(loss, {"w": jnp.ones(3), "scale": jnp.float32(2.0)}), (0, "scale")


@jax.jit
def _frozen_features(w, x):
    h = x @ w
    return jnp.where(h > 0, lax.stop_gradient(h), 0.0)  # cause of stop_gradient__inside_of_a_jitted_function


def stop_gradient__inside_of_a_jitted_function(record):
    return record(lambda w: jnp.mean(_frozen_features(w, jnp.ones((4, 3)))), jnp.ones((3, 2))), 0


def stop_gradient__in_a_scan(record):
    def loss(w):
        def body(state, x):
            state = jnp.tanh(lax.stop_gradient(w) * x + state)  # cause
            return state, state

        last, _ = lax.scan(body, jnp.float32(0.0), jnp.arange(4.0))
        return last

    return record(loss, jnp.float32(0.3)), 0


def stop_gradient__through_tree_map(record):
    def loss(params):
        params = jax.tree_util.tree_map(lax.stop_gradient, params)  # cause
        return sum(jnp.sum(leaf**2) for leaf in jax.tree_util.tree_leaves(params))

    return record(loss, {"a": jnp.ones(2), "b": [jnp.ones(3)]}), (0, "b", 0)


def stop_gradient__in_a_branch(record):
    def loss(w, flag):
        return lax.cond(
            flag > 0,
            lambda w: jnp.sum(lax.stop_gradient(w)),  # cause
            lambda w: jnp.float32(0.0),
            w,
        )

    return record(loss, jnp.ones(3), jnp.float32(1.0)), 0


# --------------------------------------------------------------------------------------------------------------- no_slope
def no_slope__argmax(record):
    def loss(w, x):
        label = jnp.argmax(x @ w, axis=1)  # cause
        return jnp.mean(label.astype(jnp.float32))

    return record(loss, jnp.ones((3, 4)), jnp.ones((5, 3))), 0


def no_slope__accuracy_as_loss(record):
    def loss(params, x, y):
        scores = x @ params["w"]
        right = scores > 0  # cause
        return jnp.mean(jnp.where(right == y, 1.0, 0.0))

    return record(loss, {"w": jnp.ones(3)}, jnp.ones((4, 3)), jnp.ones(4, bool)), (0, "w")


def no_slope__integer_cast(record):
    def loss(w):
        steps = (w * 10).astype(jnp.int32)  # cause
        return jnp.sum(steps / 10)

    return record(loss, jnp.ones(3)), 0


def no_slope__hard_threshold(record):
    def loss(threshold, x):
        spikes = jnp.where(x > threshold, 1.0, 0.0)  # cause
        return jnp.sum(spikes)

    return record(loss, jnp.float32(0.5), jnp.linspace(0.0, 1.0, 7)), 0


def no_slope__index_from_a_parameter(record):
    def loss(p, table):
        index = jnp.int32(p * 3)  # cause
        return table[index] ** 2

    return record(loss, jnp.float32(0.9), jnp.arange(8.0)), 0


def no_slope__argsort(record):
    def loss(w):
        order = jnp.argsort(w)  # cause
        return jnp.sum(jnp.arange(4.0)[order])

    return record(loss, jnp.array([3.0, 1.0, 2.0, 0.5])), 0


def no_slope__result_is_whole(record):
    def loss(w):
        return jnp.argmin(w)  # cause

    return record(loss, jnp.array([3.0, 1.0])), 0


def no_slope__comparison_in_a_cond(record):
    def loss(w):
        positive = jnp.sum(w) > 0  # cause
        return lax.cond(positive, lambda: jnp.float32(1.0), lambda: jnp.float32(2.0))

    return record(loss, jnp.ones(3)), 0


# ------------------------------------------------------------------------------------------------------------- zero_slope
def zero_slope__round(record):
    def loss(w):
        levels = jnp.round(w * 4) / 4  # cause
        return jnp.sum(levels**2)

    return record(loss, jnp.array([0.3, 0.8])), 0


def zero_slope__floor(record):
    def loss(w):
        return jnp.sum(jnp.floor(w) * 2.0)  # cause

    return record(loss, jnp.array([0.3, 1.8])), 0


def zero_slope__sign(record):
    def loss(w, x):
        bits = jnp.sign(w)  # cause
        return jnp.sum(x @ bits)

    return record(loss, jnp.array([0.3, -1.8]), jnp.ones((2, 2))), 0


def zero_slope__dead_relu(record):
    def loss(p, x):
        h = x @ p["w"] + p["b"]
        h = jax.nn.relu(h)  # cause
        return jnp.mean(h @ p["v"])

    params = {"w": jnp.ones((3, 4)), "b": jnp.full(4, -100.0), "v": jnp.ones(4)}
    return record(loss, params, jnp.ones((5, 3))), (0, "w")


def zero_slope__mask_of_zeros(record):
    def loss(w, mask):
        return jnp.sum(w * mask)  # cause

    return record(loss, jnp.ones(3), jnp.zeros(3)), 0


def zero_slope__loser_of_a_maximum(record):
    def loss(a, b):
        best = jnp.maximum(a, b)  # cause
        return jnp.sum(best**2)

    return record(loss, jnp.ones(3), jnp.full(3, 2.0)), 0


def zero_slope__clipped(record):
    def loss(w):
        y = jnp.clip(w, 0.0, 1.0)  # cause
        return jnp.sum((y - 0.5) ** 2)

    return record(loss, jnp.array([3.0, 5.0])), 0


def zero_slope__saturated_sigmoid(record):
    def loss(w):
        p = jax.nn.sigmoid(w * 1e4)  # cause
        return jnp.sum(p)

    return record(loss, jnp.array([3.0, 5.0])), 0


def zero_slope__floor_in_a_scan(record):
    def loss(w):
        def body(total, x):
            return total + jnp.floor(w * x), None  # cause

        return lax.scan(body, jnp.float32(0.0), jnp.arange(1.0, 4.0))[0]

    return record(loss, jnp.float32(0.7)), 0


def zero_slope__weight_of_zero(record):
    def loss(params, x):
        main = jnp.mean(x @ params["w"])
        penalty = 0.0 * jnp.sum(params["v"] ** 2)  # cause
        return main + penalty

    return record(loss, {"w": jnp.ones(3), "v": jnp.ones(2)}, jnp.ones((4, 3))), (0, "v")


def zero_slope__where_never_takes_it(record):
    def loss(w, x):
        return jnp.sum(jnp.where(x > 5.0, x * w, x))  # cause

    return record(loss, jnp.ones(4), jnp.arange(4.0)), 0


def zero_slope__branch_that_does_not_run(record):
    def loss(w, flag):
        def chosen(w):
            return jnp.sum(jnp.floor(w))  # cause

        return lax.cond(flag > 0, chosen, lambda w: jnp.sum(w), w)

    return record(loss, jnp.ones(3) * 1.5, jnp.float32(1.0)), 0


def zero_slope__relu_under_vmap(record):
    def loss(w, x):
        one = lambda row: jax.nn.relu(row @ w - 50.0)  # noqa: E731  # cause
        return jnp.mean(jax.vmap(one)(x))

    return record(loss, jnp.ones(3), jnp.ones((4, 3))), 0


# -------------------------------------------------------------------------------------------------------------- nan, where
def nan__sqrt_at_zero(record):
    def loss(w):
        length = jnp.sqrt(jnp.sum(w**2))  # cause
        return length * 3.0

    return record(loss, jnp.zeros(3)), 0


def nan__norm_at_zero(record):
    def loss(a, b):
        distance = jnp.linalg.norm(a - b)  # cause
        return distance + 1.0

    return record(loss, jnp.ones(3), jnp.ones(3)), 0


def nan__log_of_zero(record):
    def loss(p):
        logs = jnp.log(p)  # cause
        return -jnp.sum(logs)

    return record(loss, jnp.array([0.0, 1.0])), 0


def nan__entropy(record):
    def loss(p):
        q = p / jnp.sum(p)
        return -jnp.sum(q * jnp.log(q))  # cause

    return record(loss, jnp.array([0.0, 1.0, 2.0])), 0


def nan__zero_by_zero(record):
    def loss(w):
        unit = w / jnp.sum(w)  # cause
        return jnp.sum(unit)

    return record(loss, jnp.zeros(3)), 0


def nan__overflowing_softmax(record):
    def loss(w, x):
        e = jnp.exp(x * w)
        p = e / jnp.sum(e)  # cause
        return jnp.sum(p**2)

    return record(loss, jnp.float32(200.0), jnp.array([1.0, 2.0])), 0


def nan__in_a_scan(record):
    def loss(w):
        def body(state, _):
            state = jnp.log(state)  # cause
            return state, None

        return lax.scan(body, w, None, length=3)[0]

    return record(loss, jnp.float32(2.0)), 0


def nan__power_at_zero(record):
    def loss(w):
        return jnp.sum(w**0.5)  # cause

    return record(loss, jnp.array([0.0, 4.0])), 0


def nan__std_of_equal_entries(record):
    def loss(w):
        spread = jnp.std(w)  # cause
        return spread * 2

    return record(loss, jnp.ones(3)), 0


def nan__in_the_data(record):
    def loss(w, x):
        return jnp.sum(x * w)  # cause

    return record(loss, jnp.ones(2), jnp.array([1.0, np.nan])), 0


def where__sqrt_behind_it(record):
    def loss(w):
        root = jnp.sqrt(w)
        return jnp.sum(jnp.where(w > 0, root, 0.0))  # cause

    return record(loss, jnp.array([0.0, 4.0])), 0


def where__log_of_zero(record):
    def loss(params):
        y = jnp.where(params["w"] > 0, jnp.log(params["w"]), 0.0)  # cause
        return jnp.mean(y)

    return record(loss, {"w": jnp.array([0.0, 4.0])}), (0, "w")


def where__division(record):
    def loss(n, d):
        ratio = n / d
        safe = jnp.where(d == 0, 0.0, ratio)  # cause
        return jnp.sum(safe)

    return record(loss, jnp.ones(3), jnp.array([0.0, 1.0, 2.0]), argnums=(0, 1)), 1


def where__in_a_jitted_helper(record):
    @jax.jit
    def safe_norm(x):
        n = jnp.sqrt(jnp.sum(x**2, axis=1))
        return jnp.where(n > 0, n, 0.0)  # cause

    return record(lambda w: jnp.sum(safe_norm(w)), jnp.zeros((2, 3))), 0


def where__select(record):
    def loss(w):
        inverse = 1.0 / w
        return jnp.sum(lax.select(w != 0, inverse, jnp.zeros_like(w)))  # cause

    return record(loss, jnp.array([0.0, 2.0])), 0


# ------------------------------------------------------------------------------------------- unused, closures, at_dropped
def unused__never_read(record):
    def loss(params):  # cause
        return jnp.sum(params["w"])

    return record(loss, {"w": jnp.ones(2), "b": jnp.ones(2)}), (0, "b")


def unused__result_is_not_used(record):
    def loss(params, x):
        h = x @ params["w"]
        gate = jax.nn.sigmoid(x @ params["gate"])  # cause
        assert gate.shape == h.shape
        return jnp.mean(h)

    return record(loss, {"w": jnp.ones((3, 2)), "gate": jnp.ones((3, 2))}, jnp.ones((4, 3))), (0, "gate")


def unused__early_return(record):
    def loss(params, x):
        h = jnp.tanh(x @ params["w"])
        if h.ndim > 1:
            return jnp.mean(h)  # cause
        return jnp.mean(h * params["head"])

    return record(loss, {"w": jnp.ones((3, 2)), "head": jnp.ones(2)}, jnp.ones((4, 3))), (0, "head")


def unused__overwritten_name(record):
    def loss(a, b):
        h = jnp.tanh(a)  # cause
        h = jnp.tanh(b)
        return jnp.sum(h)

    return record(loss, jnp.ones(2), jnp.ones(2)), 0


_PARAMS = {"w": jnp.full(3, 0.5), "b": jnp.zeros(())}


def closure_constant__global_params(record):
    def loss(params, x):
        return jnp.mean((x @ _PARAMS["w"]) ** 2)  # cause

    return record(loss, _PARAMS, jnp.ones((4, 3))), (0, "w")


def closure_constant__outer_variable(record):
    w = jnp.array([1.0, 2.0, 3.0])

    def loss(weights):
        return jnp.sum(w * 2.0)  # cause

    return record(loss, w), 0


def closure_constant__helper_reads_the_global(record):
    params = {"w": jnp.ones((3, 2))}

    def predict(x):
        return jnp.tanh(x @ params["w"])  # cause

    def loss(p, x):
        return jnp.mean(predict(x) ** 2)

    return record(loss, params, jnp.ones((4, 3))), (0, "w")


def closure_constant__old_copy_by_name(record):
    W = jnp.full((3,), 2.0)

    def loss(w):
        return jnp.sum(jnp.sin(W))  # cause

    return record(loss, jnp.zeros(3)), 0


def closure_constant__lambda(record):
    theta = jnp.array([0.1, 0.2])
    return record(lambda t: jnp.sum(theta**2), theta), 0  # cause


def closure_constant__attribute_of_partial(record):
    scale = jnp.array([1.0, 2.0])

    def loss(offset, scale_argument):
        return jnp.sum((scale + offset) ** 2)  # cause

    return record(functools.partial(loss, jnp.zeros(2)), scale), 0


def at_dropped__set(record):
    def loss(w):
        x = jnp.zeros(3)
        x.at[0].set(w)  # cause
        return jnp.sum(x)

    return record(loss, jnp.float32(2.0)), 0


def at_dropped__add_in_a_loop(record):
    def loss(w):
        total = jnp.zeros(4)
        for k in range(4):
            total.at[k].add(w[k] ** 2)  # cause
        return jnp.sum(total)

    return record(loss, jnp.ones(4)), 0


def at_dropped__gradient_flows_anyway(record):
    def loss(x):
        x.at[0].set(0.0)  # cause
        return jnp.sum(x**2)

    return record(loss, jnp.ones(3)), 0


def at_dropped__in_a_jitted_function(record):
    @jax.jit
    def fill(buffer, value):
        buffer.at[1].set(value)  # cause
        return buffer

    return record(lambda v: jnp.sum(fill(jnp.zeros(3), v)), jnp.float32(3.0)), 0


# --------------------------------------------------------------------------------------------------- arguments and results
def argnums__second_argument(record):
    def loss(w, b):
        return jnp.sum(w * b)

    tape = record(loss, jnp.ones(2), jnp.ones(2))  # cause
    return tape, (1,)


def argnums__data_first(record):
    def loss(x, params):
        return jnp.mean(x @ params["w"])

    tape = record(loss, jnp.ones((4, 3)), {"w": jnp.ones(3)})  # cause
    return tape, (1, "w")


def argnums__all_but_one(record):
    def loss(a, b, c):
        return jnp.sum(a * b * c)

    tape = record(loss, jnp.ones(2), jnp.ones(2), jnp.ones(2), argnums=(0, 2))  # cause
    return tape, 1


def int_argument__array(record):
    w = jnp.array([1, 2, 3])  # cause
    return record(lambda w: jnp.sum(w**2), w), 0


def int_argument__python_number(record):
    x = 3  # cause
    return record(lambda x: x**2 * 1.0, x), 0


def int_argument__arange_in_a_dict(record):
    params = {
        "w": jnp.ones(3),
        "b": jnp.arange(3),  # cause
    }
    return record(lambda p: jnp.sum(p["w"] * p["b"]), params), (0, "b")


def int_argument__mask(record):
    mask = jnp.array([True, False])  # cause
    return record(lambda m: jnp.sum(jnp.where(m, 1.0, 0.0)), mask), 0


def pytree_none__bias(record):
    params = {"w": jnp.ones(3), "b": None}  # cause

    def loss(p):
        h = p["w"] * 2
        return jnp.sum(h if p["b"] is None else h + p["b"])

    return record(loss, params), (0, "b")


class _Layer(NamedTuple):
    weight: jax.Array
    bias: jax.Array | None


def pytree_none__named_tuple(record):
    layer = _Layer(weight=jnp.ones(3), bias=None)  # cause
    return record(lambda p: jnp.sum(p.weight), layer), (0, "bias")


def pytree_none__set_later(record):
    params = {"w": jnp.ones(3), "b": jnp.ones(3)}
    params["b"] = None  # cause
    return record(lambda p: jnp.sum(p["w"]), params), (0, "b")


def aux__forgotten(record):
    def loss(w, x):
        prediction = x @ w
        return jnp.mean(prediction**2), prediction  # cause

    return record(loss, jnp.ones(3), jnp.ones((4, 3))), 0


def aux__dictionary_of_metrics(record):
    def loss(w):
        value = jnp.sum(w**2)
        return value, {"norm": jnp.sqrt(value)}  # cause

    return record(loss, jnp.ones(3)), 0


def aux__penalty_only_beside_the_loss(record):
    def loss(params, x):
        penalty = jnp.sum(params["v"] ** 2)
        return jnp.mean(x @ params["w"]), penalty  # cause

    return record(loss, {"w": jnp.ones(3), "v": jnp.ones(2)}, jnp.ones((4, 3)), has_aux=True), (0, "v")


# ------------------------------------------------------------------------------------------------------------ tracer_error
def tracer_error__float(record):
    def loss(w):
        scale = float(w[0])  # cause
        return jnp.sum(w) * scale

    return record(loss, jnp.ones(3)), 0


def tracer_error__if(record):
    def loss(x):
        if x > 0:  # cause
            return x**2
        return -x

    return record(loss, jnp.float32(2.0)), 0


def tracer_error__numpy(record):
    def loss(w):
        y = np.sin(np.array(w))  # cause
        return jnp.sum(y)

    return record(loss, jnp.ones(3)), 0


def tracer_error__item(record):
    def loss(w):
        total = jnp.sum(w)
        print(end=f"{total.item():.3f}"[:0])  # cause
        return total

    return record(loss, jnp.ones(3)), 0


def tracer_error__mask_as_index(record):
    def loss(w):
        positive = w[w > 0]  # cause
        return jnp.sum(positive)

    return record(loss, jnp.ones(3)), 0


def tracer_error__while(record):
    def loss(w):
        while w < 10.0:  # cause
            w = w * 2
        return w

    return record(loss, jnp.float32(1.0)), 0


def tracer_error__range(record):
    def loss(w):
        total = 0.0
        for _ in range(int(w)):  # cause
            total = total + w
        return total

    return record(loss, jnp.float32(3.0)), 0


def tracer_error__in_a_scan(record):
    def loss(w, xs):
        def body(state, x):
            if state > 0:  # cause
                state = state - x
            return state * w, None

        return lax.scan(body, w, xs)[0]

    return record(loss, jnp.float32(1.0), jnp.ones(3)), 0


_STORE = []


def tracer_error__leaked(record):
    @jax.jit
    def keep(w):
        _STORE.append(w * 2)
        return w

    def loss(w):
        keep(w)
        return jnp.sum(_STORE.pop() + w)  # cause

    return record(loss, jnp.ones(2)), 0


# -------------------------------------------------------------------------------------------------- custom_vjp, while_loop
@jax.custom_vjp
def _doubled(x):
    return x * 2


def _doubled_forward(x):
    return x * 2, None


def _doubled_backward(_, g):
    return (None,)  # cause of custom_vjp__returns_none


_doubled.defvjp(_doubled_forward, _doubled_backward)


def custom_vjp__returns_none(record):
    return record(lambda w: jnp.sum(_doubled(w) ** 2), jnp.ones(3)), 0


def custom_vjp__forgets_the_weight(record):
    @jax.custom_vjp
    def layer(x, w):
        return x * w

    def forward(x, w):
        return x * w, (x, w)

    def backward(saved, g):
        _, w = saved
        return g * w, jnp.zeros_like(w)  # cause

    layer.defvjp(forward, backward)
    return record(lambda w, x: jnp.sum(layer(x, w)), jnp.ones(3), jnp.ones(3)), 0


def custom_vjp__zeros_in_a_jvp_rule(record):
    @jax.custom_jvp
    def hard(x):
        return jnp.sin(x)

    @hard.defjvp
    def hard_jvp(primals, tangents):
        (x,), (t,) = primals, tangents
        return hard(x), jnp.zeros_like(t)  # cause

    return record(lambda w: jnp.sum(hard(w)), jnp.ones(3)), 0


def custom_vjp__multiplies_by_zero(record):
    @jax.custom_vjp
    def gate(x):
        return jnp.tanh(x)

    def backward(saved, g):
        slope = saved * 0.0
        return (g * slope,)  # cause

    gate.defvjp(lambda x: (jnp.tanh(x), x), backward)
    return record(lambda w: jnp.mean(gate(w)), jnp.ones(3)), 0


def while_loop__newton(record):
    def loss(a):
        def step(state):
            x, k = state
            return 0.5 * (x + a / x), k + 1

        x, _ = lax.while_loop(lambda s: s[1] < 5, step, (a, 0))  # cause
        return x

    return record(loss, jnp.float32(2.0)), 0


def while_loop__dynamic_fori(record):
    def loss(w, n):
        return jnp.sum(lax.fori_loop(0, n, lambda k, x: x * 1.1, w))  # cause

    return record(loss, jnp.ones(3), jnp.array(4)), 0


def while_loop__in_a_jitted_helper(record):
    @jax.jit
    def settle(x, w):
        return lax.while_loop(lambda x: jnp.abs(x) > 0.1, lambda x: x * w, x)  # cause

    return record(lambda w: settle(jnp.float32(1.0), w), jnp.float32(0.5)), 0


# --------------------------------------------------------------------------------------------------------------- broadcast
def broadcast__column_against_row(record):
    def loss(w, x, y):
        prediction = x @ w
        return jnp.mean((prediction - y) ** 2)  # cause

    return record(loss, jnp.ones((3, 1)), jnp.ones((8, 3)), jnp.arange(8.0)), 0


def broadcast__target_is_a_column(record):
    def loss(w, x, y):
        error = y - x @ w  # cause
        return jnp.mean(error**2)

    return record(loss, jnp.ones(3), jnp.ones((8, 3)), jnp.arange(8.0)[:, None]), 0


def broadcast__absolute_error(record):
    def mae(a, b):
        return jnp.mean(jnp.abs(a - b))  # cause

    x, y = jnp.ones((6, 2)), jnp.arange(6.0)
    return record(lambda p: mae(jnp.tanh(x @ p["w"]) + p["b"], y), {"w": jnp.ones((2, 1)), "b": jnp.zeros(1)}), (0, "b")
