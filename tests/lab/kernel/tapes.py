"""Tapes for testing the messages: those of the design mock-up, recorded with the kit."""

from __future__ import annotations

from typing import Any

import numpy as np

import autodiff_kit as ak


def first(seed: Any = (1.0, -1.0, 2.0)) -> tuple[ak.GradientTape, dict[str, Any]]:
    """Three numbers in, three out: the tape of lesson 01, twelve rows."""
    x = ak.constant([2.0, 3.0, -1.0], name="x")
    with ak.GradientTape(persistent=True) as tape:
        tape.watch(x)
        a = x[0] * x[1]
        b = x[1] * x[2]
        c = x[0] ** 2 + x[2]
        y = ak.stack([a, b, c])
    tape.gradient(y, x, output_gradients=list(seed))
    return tape, {"x": x, "a": a, "b": b, "c": c, "y": y}


def softmax(s: Any) -> Any:
    top = ak.max(s, axis=-1, keepdims=True)
    e = ak.exp(s - top)
    return e / ak.sum(e, axis=-1, keepdims=True)


def normalise(h: Any, gain: Any, shift: Any) -> Any:
    mu = ak.mean(h, axis=-1, keepdims=True)
    d = h - mu
    var = ak.mean(ak.square(d), axis=-1, keepdims=True)
    return d / ak.sqrt(var + 1e-5) * gain + shift


def clip_gradient(g: Any) -> Any:
    return ak.clip(g, -0.05, 0.05)


def attention(keep: Any = (1.0, 1.0, 1.0, 0.0), masked: bool = False, persistent: bool = True) -> Any:
    """Attention on a padded sentence, with a value that leaves the tape, one that is cast, and one that is assigned."""
    rng = np.random.default_rng(9)
    shapes = {"E": (8, 6), "W_q": (6, 6), "W_k": (6, 6), "W_v": (6, 6), "W_o": (6, 6), "W_1": (6, 12), "W_2": (12, 6)}
    v: dict[str, Any] = {name: ak.Variable(rng.normal(size=s) * 0.5, name=name) for name, s in shapes.items()}
    for name, value in {"b_1": np.zeros(12), "b_2": np.zeros(6), "b_c": np.zeros(3), "gain": np.ones(6)}.items():
        v[name] = ak.Variable(value, name=name)
    v |= {"shift": ak.Variable(np.zeros(6), name="shift"), "average": ak.Variable(1.0, name="average")}
    temperature = v["temperature"] = ak.Variable(1.7, name="temperature")
    W_c = ak.Variable(rng.normal(size=(6, 3)) * 0.5, name="W_c") * 0.99
    ids, mask = np.array([4, 1, 7, 0]), np.array(keep)
    with ak.GradientTape(persistent=persistent) as tape:
        x = ak.take(v["E"], ids, axis=0)
        q, k, u = x @ v["W_q"], x @ v["W_k"], x @ v["W_v"]
        s = q @ k.T / np.sqrt(6)
        s = s / ak.cast(temperature, "int64")
        if masked:
            s = ak.where(mask > 0, s, -np.inf)
            w = softmax(s)
        else:
            w = softmax(s) * mask
            w = w / ak.sum(w, axis=-1, keepdims=True)
        w.register_hook(clip_gradient)
        h = x + (w @ u) @ v["W_o"]
        h = normalise(h, v["gain"], v["shift"])
        m = ak.nn.relu(h @ v["W_1"] + v["b_1"])
        h = h + (m @ v["W_2"] + v["b_2"])
        pooled = (mask / 3) @ h
        logits = pooled @ W_c + v["b_c"]
        z = logits - ak.max(logits, axis=-1, keepdims=True)
        loss = ak.log(ak.sum(ak.exp(z))) - z[2]
        a = np.asarray(w)
        entropy = -ak.sum(a * ak.log(a + 1e-9))
        v["average"].assign(0.9 * v["average"] + 0.1 * loss)
        trend = v["average"] ** 2
    tape.gradient(loss, [v["W_q"], temperature, W_c])
    names = v | {"W_c": W_c, "x": x, "w": w, "h": h, "loss": loss, "entropy": entropy, "trend": trend, "z": z}
    return tape, names


def training(rows: int = 10_000) -> tuple[ak.GradientTape, dict[str, Any]]:
    """A training loop recorded as a whole, with small matrices."""
    rng = np.random.default_rng(0)
    data, goal = rng.normal(size=(16, 3)), rng.normal(size=(16, 1))
    W_1 = ak.Variable(rng.normal(size=(3, 8)), name="W_1")
    W_2 = ak.Variable(rng.normal(size=(8, 1)), name="W_2")
    with ak.GradientTape(persistent=True) as tape:
        w, u = W_1 * 1.0, W_2 * 1.0
        while len(tape._record.nodes) < rows * 0.75:
            h = ak.tanh(data @ w)
            r = h @ u - goal
            loss = ak.mean(ak.square(r))
            du = h.T @ r
            dw = data.T @ ((r @ u.T) * (1.0 - ak.square(h)))
            w = w - 0.01 * dw
            u = u - 0.01 * du
    return tape, {"W_1": W_1, "W_2": W_2, "loss": loss, "w": w, "u": u}
