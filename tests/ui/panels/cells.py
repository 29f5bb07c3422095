"""Cells that the panels are tried on; each records a real tape."""

from __future__ import annotations

SETUP = """
import numpy as np
import autodiff_kit as ak

rng = np.random.default_rng(7)
def var(name, *shape):
    return ak.Variable(rng.normal(size=shape), name=name)

E, W_q, W_k, W_v = var("E", 8, 6), var("W_q", 6, 6), var("W_k", 6, 6), var("W_v", 6, 6)
W_o, W_1, b_1, W_2, b_2 = var("W_o", 6, 6), var("W_1", 6, 12), var("b_1", 12), var("W_2", 12, 6), var("b_2", 6)
gain, shift, W_c, b_c = var("gain", 6), var("shift", 6), var("W_c", 6, 3), var("b_c", 3)
temperature = ak.Variable(1.7, name="temperature")
ids, label = np.array([4, 1, 7, 0]), 2
keep = np.array([1.0, 1.0, 1.0, 0.0])

def softmax(s):
    top = ak.max(s, axis=-1, keepdims=True)
    e = ak.exp(s - top)
    return e / ak.sum(e, axis=-1, keepdims=True)

def normalise(h, gain, shift):
    mu = ak.mean(h, axis=-1, keepdims=True)
    d = h - mu
    var = ak.mean(ak.square(d), axis=-1, keepdims=True)
    return d / ak.sqrt(var + 1e-5) * gain + shift
""".strip()

PUSH = """
x = ak.constant([2.0, 3.0, -1.0], name="x")
with ak.GradientTape(persistent=True) as tape:
    tape.watch(x)
    a = x[0] * x[1]
    b = x[1] * x[2]
    c = x[0] ** 2 + x[2]
    y = ak.stack([a, b, c])
""".strip()

PULL = "tape.gradient(y, x, output_gradients=ak.constant([1.0, -1.0, 2.0]))"

ATTENTION = """
with ak.GradientTape(persistent=True) as attention:
    x = ak.take(E, ids, axis=0)
    q, k, v = x @ W_q, x @ W_k, x @ W_v
    s = q @ k.T / np.sqrt(6)
    s = s / ak.cast(temperature, "int64")
    w = softmax(s) * keep
    w = w / ak.sum(w, axis=-1, keepdims=True)
    h = x + (w @ v) @ W_o
    h = normalise(h, gain, shift)
    m = ak.maximum(h @ W_1 + b_1, 0.0)
    h = h + (m @ W_2 + b_2)
    pooled = (keep / 3) @ h
    logits = pooled @ W_c + b_c
    z = logits - ak.max(logits, axis=-1, keepdims=True)
    loss = ak.log(ak.sum(ak.exp(z))) - z[label]
g = attention.gradient(loss, [W_q, temperature, W_c])
""".strip()

# Not a number: a sentence that is all padding, masked before the softmax.
NAN = """
with ak.GradientTape(persistent=True) as padding:
    x = ak.take(E, ids, axis=0)
    q, k = x @ W_q, x @ W_k
    s = q @ k.T / np.sqrt(6)
    s = ak.where(np.zeros(4) > 0, s, -np.inf)
    loss = ak.sum(softmax(s))
g = padding.gradient(loss, W_q)
""".strip()

# Ten thousand nodes: one layer, again and again.
LONG = """
w0 = ak.Variable(0.5 + 0.01 * rng.normal(size=(4,)), name="w0")
def layer(h, w):
    return ak.tanh(h * w + 0.1)
with ak.GradientTape(persistent=True) as long:
    h = w0 * 1.0
    for _ in range(2500):
        h = layer(h, w0)
    total = ak.sum(h)
g = long.gradient(total, w0)
""".strip()

ONE = """
alone = ak.constant([1.0, 2.0], name="alone")
with ak.GradientTape(persistent=True) as one:
    one.watch(alone)
""".strip()

# A tape that gives its arrays back.
ONCE = """
with ak.GradientTape() as once:
    y1 = W_q @ np.ones(6)
    y2 = ak.sum(y1 * y1)
g = once.gradient(y2, W_q)
""".strip()

# All in one cell: import, tape and gradient, before any page can ask for something.
FIRST = """
import numpy as np
import autodiff_kit as ak
rng = np.random.default_rng(0)
W = ak.Variable(rng.normal(size=(3, 4)), name="W")
x = ak.Variable(4.0, name="x")
lost = ak.Variable(2.0, name="lost")
with ak.GradientTape() as tape:
    side = lost * 3.0
    hidden = ak.tanh(np.ones((2, 3)) @ W + 1.0)
    total = ak.sqrt(x) + ak.sum(hidden)
g = tape.gradient(total, [W, x, lost])
""".strip()

# An answer to jvp-1 whose second half is wrong.
NEARLY = """
from autodiff_kit.exercises.questions.lesson01.jvp_1 import solution
push = solution.push
def pull(*given):
    return 2 * solution.pull(*given)
""".strip()
