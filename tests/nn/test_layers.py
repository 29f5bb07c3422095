"""Layers: outputs, initial values, training, and errors for wrong inputs. Row B46."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import autodiff_kit as ak
from autodiff_kit.errors import AutodiffError, DtypeError, RangeError, ShapeError, StructureError
from autodiff_kit.nn import layers
from autodiff_kit.nn.layers.arguments import ACTIVATIONS

RNG = np.random.default_rng(0)


def gradients_agree(layer: Any, *inputs: Any) -> None:
    """The gradient of every variable of a layer, compared with central differences."""
    weight = np.random.default_rng(1).normal(size=layer(*inputs).shape)
    with ak.GradientTape() as tape:
        loss = (layer(*inputs) * weight).sum()
    for w, g in zip(layer.variables, tape.gradient(loss, layer.variables), strict=True):
        start, numeric = w.numpy().copy(), np.zeros(w.shape)
        for place in np.ndindex(w.shape):
            sides = []
            for step in (1e-6, -1e-6):
                moved = start.copy()
                moved[place] += step
                w.assign(moved)
                sides.append(float((layer(*inputs) * weight).sum()))
            numeric[place] = (sides[0] - sides[1]) / 2e-6
        w.assign(start)
        np.testing.assert_allclose(g.numpy(), numeric, rtol=1e-6, atol=1e-7, err_msg=w.name)


# --------------------------------------------------------------------------------------------------------------- dense
def test_dense_is_a_product_and_a_bias() -> None:
    layer = layers.Dense(2, inputs=3, seed=0)
    layer.bias.assign([0.5, -1.0])
    x = RNG.normal(size=(4, 5, 3))
    np.testing.assert_allclose(layer(x).numpy(), x @ layer.kernel.numpy() + [0.5, -1.0], rtol=1e-14)
    assert layer(x[0, 0]).shape == (2,)
    assert layer(x[:0]).shape == (0, 5, 2)
    assert {n: w.shape for n, w in layer.named_variables().items()} == {"kernel": (3, 2), "bias": (2,)}
    gradients_agree(layer, x)


def test_b46_names_of_a_model() -> None:
    """B46: variables with the names and shapes of the row."""

    class Model(ak.Module):
        def __init__(self) -> None:
            self.dense = layers.Dense(2, inputs=3)

    assert {n: w.shape for n, w in Model().named_variables().items()} == {"dense/kernel": (3, 2), "dense/bias": (2,)}
    assert [w.name for w in Model().variables] == ["dense/kernel", "dense/bias"]
    assert [w.name for w in layers.Dense(1, inputs=1, name="last").variables] == ["last/kernel", "last/bias"]


@pytest.mark.parametrize("name", sorted(ACTIVATIONS))
def test_activations_by_name_and_by_function(name: str) -> None:
    x = RNG.normal(size=(4, 3))
    function = getattr(ak.nn, name, None) or getattr(ak, name)
    one, two = (layers.Dense(2, a, inputs=3, seed=0) for a in (name, function))
    bare = layers.Dense(2, inputs=3, seed=0)
    np.testing.assert_allclose(one(x).numpy(), two(x).numpy(), rtol=1e-14)
    np.testing.assert_allclose(one(x).numpy(), function(bare(x)).numpy(), rtol=1e-14)


def test_the_kernel_is_made_at_the_first_call_and_stays() -> None:
    layer = layers.Dense(2, use_bias=False, seed=7)
    assert "kernel is created at the first call" in repr(layer)
    for ask in (lambda: layer.variables, lambda: layer.trainable_variables, layer.named_variables):
        with pytest.raises(StructureError, match=r"kernel is created at the first call.*inputs="):
            ask()
    layer(np.ones((1, 3)))
    first = layer.kernel
    layer(np.ones((8, 3)))
    assert layer.kernel is first
    assert np.array_equal(first.numpy(), layers.Dense(2, inputs=3, seed=7).kernel.numpy())


def test_a_variable_created_inside_a_tape_is_watched() -> None:
    layer = layers.Dense(2)
    with ak.GradientTape() as tape:
        loss = layer(np.ones((4, 3))).sum()
    assert tape.gradient(loss, layer.kernel).numpy().tolist() == [[4.0, 4.0]] * 3


def test_glorot_initialization() -> None:
    kernel = layers.Dense(300, inputs=200, seed=1).kernel.numpy()
    limit = np.sqrt(6 / 500)
    assert -limit <= kernel.min() < -0.99 * limit
    assert 0.99 * limit < kernel.max() <= limit
    assert abs(kernel.var() * 500 / 2 - 1) < 0.01


@pytest.mark.parametrize("dtype", [np.float16, np.float32, "float64"])
def test_dtypes(dtype: Any) -> None:
    layer = layers.Dense(2, inputs=3, dtype=dtype)
    assert layer(np.ones((1, 3), dtype)).dtype == np.dtype(dtype)
    assert {w.dtype for w in layer.variables} == {np.dtype(dtype)}


def test_integers_are_valid_inputs() -> None:
    assert layers.Dense(1, inputs=2)([[1, 2]]).dtype == np.float64


# ------------------------------------------------------------------------------------------------------- seeds
MAKERS = {
    "dense": lambda seed: layers.Dense(3, inputs=4, seed=seed),
    "embedding": lambda seed: layers.Embedding(5, 3, seed=seed),
    "attention": lambda seed: layers.Attention(4, heads=2, inputs=3, seed=seed),
    "conv2d": lambda seed: layers.Conv2D(2, 3, inputs=1, seed=seed),
    "conv1d_transpose": lambda seed: layers.Conv1DTranspose(2, 3, inputs=1, seed=seed),
    "gru": lambda seed: layers.GRU(3, inputs=2, seed=seed),
}


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_a_seed_decides_the_start(make: Any) -> None:
    def start(seed: Any) -> list[Any]:
        return [w.numpy().tolist() for w in make(seed).variables]

    assert start(3) == start(3)
    assert start(3) != start(4)
    assert start(None) != start(None)
    assert start(np.random.default_rng(3)) == start(3)
    shared = np.random.default_rng(3)
    assert start(shared) != start(shared)


# ------------------------------------------------------------------------------------------------------- embedding
def test_embedding() -> None:
    layer = layers.Embedding(5, 3, seed=0)
    assert np.array_equal(layer([[4, 0], [0, 1]]).numpy(), layer.table.numpy()[[[4, 0], [0, 1]]])
    assert layer(2).shape == (3,)
    with ak.GradientTape() as tape:
        loss = layer([1, 1, 4]).sum()
    assert np.asarray(tape.gradient(loss, layer.table)).tolist() == [
        [0.0] * 3,
        [2.0] * 3,
        [0.0] * 3,
        [0.0] * 3,
        [1.0] * 3,
    ]
    with pytest.raises(RangeError, match="5"):
        layer([0, 5])
    assert abs(np.linalg.norm(layers.Embedding(2000, 16, seed=0).table.numpy(), axis=1).mean() - 1) < 0.05


# ------------------------------------------------------------------------------------------------------- attention
def by_hand(layer: Any, x: Any, context: Any, keep: Any) -> Any:
    """Attention computed head by head and query by query."""
    width = layer.size // layer.heads
    out = np.zeros((len(x), layer.size))
    for h in range(layer.heads):
        cut = slice(h * width, (h + 1) * width)
        q, k, v = (
            (rows @ part.kernel.numpy() + part.bias.numpy())[:, cut]
            for part, rows in ((layer.query, x), (layer.key, context), (layer.value, context))
        )
        for n in range(len(x)):
            seen = np.flatnonzero(keep[n])
            weights = np.exp(k[seen] @ q[n] / np.sqrt(width))
            out[n, cut] = weights @ v[seen] / weights.sum() if seen.size else 0.0
    return out @ layer.output.kernel.numpy() + layer.output.bias.numpy()


@pytest.mark.parametrize("heads", [1, 2, 6])
def test_attention_head_by_head(heads: int) -> None:
    layer = layers.Attention(6, heads, seed=0)
    x, context = RNG.normal(size=(2, 4, 3)), RNG.normal(size=(2, 5, 7))
    keep = np.arange(5) < np.array([[3], [5]])
    found = layer(x, context, keep[:, None, :]).numpy()
    for b in range(2):
        np.testing.assert_allclose(found[b], by_hand(layer, x[b], context[b], [keep[b]] * 4), rtol=1e-12, atol=1e-14)
    assert [w.shape for w in layer.variables[::2]] == [(3, 6), (7, 6), (7, 6), (6, 6)]


def test_causal_attention_sees_only_earlier_positions() -> None:
    layer, x = layers.Attention(4, 2, seed=0), RNG.normal(size=(5, 3))
    past = np.tri(5, dtype=bool)
    np.testing.assert_allclose(layer(x, mask=past).numpy(), by_hand(layer, x, x, past), rtol=1e-12, atol=1e-14)
    later = x.copy()
    later[3:] += 1.0
    np.testing.assert_allclose(layer(later, mask=past).numpy()[:3], layer(x, mask=past).numpy()[:3], rtol=1e-12)
    np.testing.assert_allclose(layer(x[None], mask=past[None]).numpy()[0], layer(x, mask=past).numpy(), rtol=1e-12)


def test_attention_gradients_and_padding() -> None:
    layer, x = layers.Attention(4, 2, inputs=3, seed=0), RNG.normal(size=(2, 3, 3))
    keep = np.array([[True, True, False], [True, False, False]])
    gradients_agree(layer, x, None, keep[:, None, :])
    context = ak.Variable(x)
    with ak.GradientTape() as tape:
        loss = (layer(x, context, keep[:, None, :]) ** 2).sum()
    g = tape.gradient(loss, context).numpy()
    assert np.abs(g[keep]).min() > 0
    assert np.all(g[~keep] == 0)


def test_attention_modes_are_passed_through() -> None:
    x, nothing = RNG.normal(size=(3, 4)), np.zeros((3, 3), dtype=bool)
    for options, expected in (({}, 0.0), ({"empty": "nan"}, np.nan)):
        layer = layers.Attention(4, inputs=4, seed=0, **options)
        np.testing.assert_array_equal(layer(x, mask=nothing).numpy(), np.full((3, 4), expected))
    layer = layers.Attention(4, inputs=4, seed=0, mode="additive", additive=-2.0)
    q, k, v = (part(x) for part in (layer.query, layer.key, layer.value))
    expected = layer.output(ak.nn.attention(q, k, v, np.tri(3, dtype=bool), "additive", -2.0)).numpy()
    np.testing.assert_allclose(layer(x, mask=np.tri(3, dtype=bool)).numpy(), expected, rtol=1e-12)
    with pytest.raises(AutodiffError, match="sideways"):
        layers.Attention(4, inputs=4, mode="sideways")(x, mask=nothing)
    for wrong in ({"mode": "sideways"}, {"empty": "one"}):  # also without a mask, which would need neither
        with pytest.raises(StructureError, match="must be"):
            ak.nn.attention(x, x, x, **wrong)


def test_attention_broadcasts_a_shared_context() -> None:
    layer = layers.Attention(4, 2, seed=0)
    x, context = RNG.normal(size=(3, 2, 5)), RNG.normal(size=(6, 4))
    found = layer(x, context)
    assert found.shape == (3, 2, 4)
    np.testing.assert_allclose(found.numpy()[1], layer(x[1], context).numpy(), rtol=1e-13)
    assert layer(x[0], np.stack([context, context])).shape == (2, 2, 4)


# ------------------------------------------------------------------------------------------------------- convolution
def test_conv2d() -> None:
    layer = layers.Conv2D(4, (3, 2), stride=(1, 2), padding="same", groups=2, seed=0)
    x = RNG.normal(size=(2, 5, 6, 2))
    found = layer(x)
    layer.bias.assign([1.0, 2.0, 3.0, 4.0])
    assert {n: w.shape for n, w in layer.named_variables().items()} == {"kernel": (3, 2, 1, 4), "bias": (4,)}
    np.testing.assert_allclose(layer(x).numpy(), found.numpy() + [1.0, 2.0, 3.0, 4.0], rtol=1e-13)
    expected = ak.nn.conv2d(x, layer.kernel, (1, 2), "same", groups=2)
    np.testing.assert_allclose(found.numpy(), expected.numpy(), rtol=1e-13)
    assert found.shape == (2, 5, 3, 4)
    gradients_agree(layer, x)
    assert layer(x[0]).shape == (5, 3, 4)
    limit = np.sqrt(6 / (6 * (1 + 4)))
    assert np.abs(layer.kernel.numpy()).max() <= limit


def test_conv2d_activation_and_no_bias() -> None:
    layer = layers.Conv2D(2, 1, "relu", use_bias=False, inputs=1, seed=0, dtype=np.float32)
    found = layer(np.ones((3, 3, 1), np.float32))
    assert (len(layer.variables), found.dtype, float(found.min())) == (1, np.float32, 0.0)


def test_conv2d_errors_name_its_channels() -> None:
    layer = layers.Conv2D(2, 3, name="first")
    assert "kernel is created at the first call" in repr(layer)
    layer(np.ones((4, 4, 3)))
    with pytest.raises(ShapeError, match=r"first was made for images of 3 channels, got shape \(3, 4, 4\)"):
        layer(np.ones((3, 4, 4)))
    with pytest.raises(ShapeError, match=r"first takes images .*\(4, 4\)"):
        layer(np.ones((4, 4)))
    with pytest.raises(ShapeError, match="does not fit"):
        layer(np.ones((2, 2, 3)))


@pytest.mark.parametrize("kind", [layers.Conv1D, layers.Conv1DTranspose, layers.Conv2DTranspose])
def test_convolution_layers(kind: Any) -> None:
    """The kernel's layout, the function of the layer's name with its settings, the bias, and the gradients."""
    transposed, images = "Transpose" in kind.__name__, "2D" in kind.__name__
    settings: dict[str, Any] = {"stride": 2, "padding": 1, "dilation": 2, "groups": 2}
    settings |= {"output_padding": 1} if transposed else {}
    layer = kind(6, 3, "tanh", inputs=4, seed=0, **settings)
    window = (3, 3) if images else (3,)
    assert layer.kernel.shape == (*window, *((3, 4) if transposed else (2, 6)))
    layer.bias.assign(RNG.normal(size=6))
    x = RNG.normal(size=(2, 5, 5, 4)[0 if images else 1 :])
    name = layer.name
    expected = ak.tanh(getattr(ak.nn, name)(x, layer.kernel, **settings) + layer.bias)
    np.testing.assert_allclose(layer(x).numpy(), expected.numpy(), rtol=1e-13)
    gradients_agree(kind(2, 3, inputs=2, seed=1, **settings), x[..., :2])
    with pytest.raises(ShapeError, match=rf"{name} was made for {'images' if images else 'sequences'} of 4 channels"):
        layer(x[..., :2])
    with pytest.raises(ShapeError, match=f"{name} takes {'images' if images else 'sequences'}"):
        layer(np.ones(4))
    with pytest.raises(StructureError, match="cannot both be divided into 2 groups"):
        kind(6, 3, groups=2)(x[..., :3])
    with pytest.raises(StructureError, match="size must be an integer or one for each of"):
        kind(6, (3, 3, 3))


# ------------------------------------------------------------------------------------------------------- recurrent
def gru_by_hand(cell: Any, x: Any, h: Any) -> Any:
    """One step as PyTorch's documentation of GRUCell writes it, gate by gate."""
    (w_r, w_z, w_n), (u_r, u_z, u_n) = (np.split(k.numpy(), 3, -1) for k in (cell.kernel, cell.recurrent_kernel))
    (b_r, b_z, b_n), (c_r, c_z, c_n) = (np.split(b.numpy(), 3) for b in (cell.bias, cell.recurrent_bias))
    r = 1 / (1 + np.exp(-(x @ w_r + b_r + h @ u_r + c_r)))
    z = 1 / (1 + np.exp(-(x @ w_z + b_z + h @ u_z + c_z)))
    n = np.tanh(x @ w_n + b_n + r * (h @ u_n + c_n))
    return (1 - z) * n + z * h


def gru_with_biases(units: int = 4) -> layers.GRU:
    layer = layers.GRU(units, inputs=3, seed=0)
    for bias in (layer.cell.bias, layer.cell.recurrent_bias):
        bias.assign(np.random.default_rng(bias.size).normal(size=bias.shape))
    return layer


def test_gru_step_by_step() -> None:
    layer, x, h = gru_with_biases(), RNG.normal(size=(2, 5, 3)), RNG.normal(size=(2, 4))
    found = layer(x, h).numpy()
    for step in range(5):
        one = layer.cell(x[:, step], h).numpy()
        h = gru_by_hand(layer.cell, x[:, step], h)
        np.testing.assert_allclose(one, h, rtol=1e-12, atol=1e-15)
        np.testing.assert_allclose(found[:, step], h, rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(layer(x[0]).numpy(), layer(x[0], np.zeros(4)).numpy(), rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(layer(x[:, None]).numpy()[:, 0], layer(x).numpy(), rtol=1e-12, atol=1e-15)
    assert (layer(x[:, :0]).shape, layer(x[:0]).shape) == ((2, 0, 4), (0, 5, 4))


def test_gru_gradients_compiled_too() -> None:
    layer, x, h = gru_with_biases(2), RNG.normal(size=(2, 3, 3)), ak.Variable(RNG.normal(size=(2, 2)))
    gradients_agree(layer, x, h)
    ak.check_gradients(layer.cell, (x[0, 0], h.numpy()[0]), order=2).raise_if_failed()
    sources = [*layer.variables, h]

    def gradient() -> Any:
        with ak.GradientTape() as tape:
            loss = (layer(x, h) ** 2).sum()
        return tape.gradient(loss, sources)

    for one, other in zip(gradient(), ak.compile(gradient)(), strict=True):
        np.testing.assert_allclose(other.numpy(), one.numpy(), rtol=1e-12, atol=1e-14)


def test_gru_variables_and_errors() -> None:
    layer = layers.GRU(4, use_bias=False, seed=0, dtype=np.float32, name="reader")
    assert "kernel is created at the first call" in repr(layer)
    assert layer(np.ones((2, 3), np.float32)).dtype == np.float32
    assert {n: w.shape for n, w in layer.named_variables().items()} == {
        "cell/kernel": (3, 12),
        "cell/recurrent_kernel": (4, 12),
    }
    assert [w.name for w in layer.variables] == ["reader/cell/kernel", "reader/cell/recurrent_kernel"]
    assert np.abs(layer.cell.kernel.numpy()).max() <= np.sqrt(6 / (3 + 4))
    with pytest.raises(ShapeError, match=r"reader/cell was made for vectors of 3 entries, got .*\(5,\)"):
        layer(np.ones((3, 5)))
    with pytest.raises(ShapeError, match=r"reader/cell: a state has 4 entries along its last axis, got shape \(3,\)"):
        layer(np.ones((2, 3)), np.zeros(3))
    with pytest.raises(ShapeError, match=r"reader takes rows of vectors"):
        layer(np.ones(2))


def test_gru_learns_to_remember_the_first_sign() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(64, 6, 1))
    y = np.sign(x[:, 0])
    layer, readout = layers.GRU(6, seed=0), layers.Dense(1, seed=1)
    layer(x), readout(layer(x))  # creates the variables
    opt, variables = ak.optim.Adam(0.03), [*layer.trainable_variables, *readout.trainable_variables]
    step = ak.compile(lambda: opt.minimize(lambda: ((readout(layer(x)[:, -1]) - y) ** 2).mean(), variables))
    for _ in range(120):
        loss = step()
    assert float(loss) < 0.1


# ------------------------------------------------------------------------------------------------------- norms, dropout
NORMS = [(layers.LayerNorm, ak.nn.layer_norm), (layers.InstanceNorm, ak.nn.instance_norm)]


@pytest.mark.parametrize(("kind", "function"), NORMS, ids=["layer", "instance"])
def test_norms(kind: Any, function: Any) -> None:
    layer, x = kind(epsilon=1e-3), RNG.normal(size=(2, 4, 3))
    assert "scale is created at the first call" in repr(layer)
    np.testing.assert_allclose(layer(x).numpy(), function(x, epsilon=1e-3).numpy(), rtol=1e-13)
    assert {n: w.numpy().tolist() for n, w in layer.named_variables().items()} == {
        "scale": [1.0] * 3,
        "offset": [0.0] * 3,
    }
    layer.scale.assign([2.0, 3.0, 4.0])
    layer.offset.assign([0.5, 0.0, -0.5])
    expected = function(x, epsilon=1e-3).numpy() * [2.0, 3.0, 4.0] + [0.5, 0.0, -0.5]
    np.testing.assert_allclose(layer(x).numpy(), expected, rtol=1e-13)
    gradients_agree(layer, x)
    with pytest.raises(ShapeError, match=r"_norm was made for vectors of 3 entries, got an input of shape \(2, 4, 5\)"):
        layer(np.ones((2, 4, 5)))
    with pytest.raises(AutodiffError, match="epsilon"):
        kind(epsilon=-1.0)(x)
    single = kind(inputs=3, dtype=np.float32)
    assert single(x.astype(np.float32)).dtype == np.float32


def test_dropout_draws_a_new_mask_each_time_and_needs_training() -> None:
    layer, x = layers.Dropout(0.25, seed=0), np.ones(4000)
    first, second = layer(x, training=True).numpy(), layer(x, training=True).numpy()
    assert set(first) == {0.0, 1 / 0.75}
    assert abs(np.mean(first == 0) - 0.25) < 0.03
    assert not np.array_equal(first, second)
    assert np.array_equal(layers.Dropout(0.25, seed=0)(x, training=True).numpy(), first)
    assert np.array_equal(layer(x, training=False).numpy(), x)
    with pytest.raises(StructureError, match=r"dropout is active in training only.*training=True or training=False"):
        layer(x)
    assert layer.variables == []


def test_sequential_passes_training_to_dropout() -> None:
    inner = layers.Sequential(layers.Dropout(1.0), lambda x: x + 1.0)
    model, x = layers.Sequential(np.negative, inner), np.ones(3)
    assert model(x, training=True).tolist() == [1.0] * 3
    assert model(x, training=False).tolist() == [0.0] * 3
    with pytest.raises(StructureError, match="active in training only"):
        model(x)


# ------------------------------------------------------------------------------------------------------- sequential
def test_sequential() -> None:
    model = layers.Sequential(layers.Embedding(4, 3, seed=0), lambda x: x.mean(axis=1), layers.Dense(2, "relu", seed=1))
    assert model([[0, 1], [2, 3], [0, 0]]).shape == (3, 2)
    assert list(model.named_variables()) == ["layers/0/table", "layers/2/kernel", "layers/2/bias"]
    assert layers.Sequential()(3.0).numpy() == 3.0
    model.layers.append(layers.Dense(1, inputs=2))
    assert model([[0, 1]]).shape == (1, 1)


def test_a_small_net_learns_xor_and_its_file_gives_the_same_outputs(tmp_path: Path) -> None:
    def net(seed: int) -> layers.Sequential:
        draw = np.random.default_rng(seed)
        return layers.Sequential(layers.Dense(8, "tanh", inputs=2, seed=draw), layers.Dense(1, inputs=8, seed=draw))

    model, optimizer = net(0), ak.optim.Adam(0.05)
    x, y = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]), np.array([[0.0], [1.0], [1.0], [0.0]])
    for _ in range(200):
        loss = optimizer.minimize(lambda: ((model(x) - y) ** 2).mean(), model.trainable_variables)
    assert float(loss) < 1e-3
    model.save(tmp_path / "xor.npz")
    other = net(1)
    other.load(tmp_path / "xor.npz")
    assert np.array_equal(other(x).numpy(), model(x).numpy())


# ------------------------------------------------------------------------------------------------------- wrong inputs
def test_a_wrong_last_axis_names_the_layer_and_its_width() -> None:
    layer = layers.Dense(2, inputs=3, name="head")
    with pytest.raises(
        ShapeError, match=r"head was made for vectors of 3 entries, got an input of shape \(5, 4\).* is 4"
    ):
        layer(np.ones((5, 4)))
    with pytest.raises(ShapeError, match="head takes vectors along the last axis, got a single number"):
        layer(1.0)
    attention = layers.Attention(4, inputs=3)
    with pytest.raises(ShapeError, match=r"attention/query was made for vectors of 3 entries, got .*\(2, 5\)"):
        attention(np.ones((2, 5)))
    with pytest.raises(ShapeError, match=r"attention takes rows of vectors.*\(3,\)"):
        attention(np.ones(3))
    with pytest.raises(ShapeError, match=r"mask of shape \(2, 5\) .*\(2, 4, 5\).*keep\[:, None, :\]"):
        attention(np.ones((2, 4, 3)), np.ones((2, 5, 3)), np.ones((2, 5), dtype=bool))
    with pytest.raises(ShapeError, match="batch"):
        attention(np.ones((2, 4, 3)), np.ones((3, 4, 3)), np.ones((1, 1, 4), dtype=bool))


@pytest.mark.parametrize(
    "make",
    [
        lambda: layers.Dense(0),
        lambda: layers.Dense(2.5),
        lambda: layers.Dense(True),
        lambda: layers.Dense("2"),
        lambda: layers.Dense(2, inputs=-1),
        lambda: layers.Dense(2, "reluu"),
        lambda: layers.Dense(2, []),
        lambda: layers.Dense(2, 3),
        lambda: layers.Dense(2, seed="x"),
        lambda: layers.Dense(2, seed=-1),
        lambda: layers.Dense(2, seed=1.5),
        lambda: layers.Dense(2, dtype=int),
        lambda: layers.Dense(2, dtype="number"),
        lambda: layers.Embedding(0, 2),
        lambda: layers.Embedding(2, None),
        lambda: layers.Attention(6, heads=4),
        lambda: layers.Attention(6, heads=0),
        lambda: layers.Sequential(layers.Dense(1), 3),
        lambda: layers.Sequential([layers.Dense(1)]),
        lambda: layers.Dropout(1.5),
        lambda: layers.Dropout("a"),
        lambda: layers.Dropout(0.5, seed=-1),
        lambda: layers.GRU(0),
        lambda: layers.GRU(2, dtype=int),
        lambda: layers.GRUCell(2, inputs=2.5),
        lambda: layers.LayerNorm(inputs=2.5),
        lambda: layers.LayerNorm()(1.0),
        lambda: layers.InstanceNorm()(np.ones((2, 3))),
        lambda: layers.Conv2D(0, 3),
        lambda: layers.Conv2D(2, 0),
        lambda: layers.Conv2D(2, (3, 3, 3)),
        lambda: layers.Conv2D(2, None),
        lambda: layers.Conv2D(3, 2, groups=2, inputs=2),
        lambda: layers.Conv2D(2, 2, padding="sideways")(np.ones((4, 4, 1))),
        lambda: layers.Dense(2, inputs=3)("text"),
        lambda: layers.Dense(2, inputs=3)(None),
        lambda: layers.Embedding(2, 3)(0.5),
    ],
)
def test_wrong_arguments_are_errors_of_the_kit(make: Any) -> None:
    with pytest.raises(AutodiffError) as caught:
        make()
    assert isinstance(caught.value, (StructureError, DtypeError, ShapeError))


JUNK: list[Any] = [
    None, True, -1, 0, 2, 3, 2.5, float("nan"), 10**30, "x", b"x", [], [1, 2], (2, 2), {}, object(), np.ones((2, 3)),
    np.ones((2, 4, 3)), np.zeros((0, 3)), np.ones((1, 4, 4, 2), np.float16), np.array("a"), np.array([None]), 1j, print,
]  # fmt: skip
JUNK_MAKERS = {
    "dense": lambda a, b, c: layers.Dense(a, inputs=b, seed=c),
    "dense with": lambda a, b, c: layers.Dense(2, activation=a, dtype=b, name=c),
    "embedding": lambda a, b, c: layers.Embedding(a, b, seed=c),
    "attention": lambda a, b, c: layers.Attention(a, b, inputs=c),
    "conv2d": lambda a, b, c: layers.Conv2D(a, b, stride=c),
    "conv2d with": lambda a, b, c: layers.Conv2D(2, 2, padding=a, dilation=b, groups=c),
    "conv1d": lambda a, b, c: layers.Conv1D(2, a, padding=b, stride=c),
    "conv1d_transpose": lambda a, b, c: layers.Conv1DTranspose(2, a, padding=b, output_padding=c, stride=2),
    "conv2d_transpose": lambda a, b, c: layers.Conv2DTranspose(2, 2, a, padding=b, groups=c),
    "gru": lambda a, b, c: layers.GRU(a, inputs=b, seed=c),
    "gru with": lambda a, b, c: lambda x: layers.GRU(2, name=b, dtype=c)(x, a),
    "layer_norm": lambda a, b, c: layers.LayerNorm(a, inputs=b, dtype=c),
    "instance_norm": lambda a, b, c: layers.InstanceNorm(a, inputs=b, dtype=c),
    "dropout": lambda a, b, c: lambda x: layers.Dropout(a, seed=b)(x, training=c),
    "sequential": lambda a, b, c: layers.Sequential(*(part for part in (a, b, c) if part is not print)),
}


@pytest.mark.parametrize("make", JUNK_MAKERS.values(), ids=JUNK_MAKERS)
@given(data=st.data())
def test_wrong_arguments_raise_only_errors_of_the_kit(make: Any, data: Any) -> None:
    junk = st.sampled_from(JUNK)
    try:
        layer = make(data.draw(junk), data.draw(junk), data.draw(junk))
        found = layer(data.draw(junk))
    except AutodiffError:
        return
    assert isinstance(found, ak.Tensor)


def test_the_activations_are_listed() -> None:
    with pytest.raises(StructureError, match=r"no activation 'reluu'.*relu.*tanh"):
        layers.Dense(2, "reluu")


# ------------------------------------------------------------------------------------------------------- other modes
def small_net() -> layers.Sequential:
    draw = np.random.default_rng(0)
    return layers.Sequential(
        layers.Dense(4, "tanh", inputs=3, seed=draw),
        layers.LayerNorm(inputs=4),
        layers.Attention(4, heads=2, inputs=4, seed=draw),
        layers.GRU(4, inputs=4, seed=draw),
        layers.Dense(1, inputs=4, seed=draw),
    )


def test_second_order_through_layers() -> None:
    """The gradient of a penalty on the input's gradient, compared with differences of that penalty."""
    net, x = small_net(), RNG.normal(size=(2, 3))

    def penalty() -> Any:
        inner = ak.constant(x)
        with ak.GradientTape() as tape:
            tape.watch(inner)
            y = net(inner).sum()
        return (tape.gradient(y, inner) ** 2).sum()

    for w in (net.layers[0].kernel, net.layers[1].scale, net.layers[2].query.kernel):
        with ak.GradientTape() as outer:
            loss = penalty()
        g, start = outer.gradient(loss, w).numpy(), w.numpy().copy()
        way = np.random.default_rng(2).normal(size=w.shape)
        sides = []
        for step in (1e-5, -1e-5):
            w.assign(start + step * way)
            sides.append(float(penalty()))
        w.assign(start)
        np.testing.assert_allclose((g * way).sum(), (sides[0] - sides[1]) / 2e-5, rtol=1e-6)


def test_forward_mode_agrees_with_reverse_through_layers() -> None:
    net, x, t = small_net(), RNG.normal(size=(2, 3)), RNG.normal(size=(2, 3))
    value, tangent = ak.jvp(net, (x,), (t,))
    back, pull = ak.vjp(net, x)
    np.testing.assert_allclose(value.numpy(), back.numpy(), rtol=1e-13)
    g = RNG.normal(size=value.shape)
    np.testing.assert_allclose((tangent.numpy() * g).sum(), (np.asarray(pull(g)) * t).sum(), rtol=1e-10)


def test_gradients_of_each_example_through_layers() -> None:
    net, x = small_net(), RNG.normal(size=(5, 2, 3))
    variables = net.trainable_variables
    found = ak.per_example_gradients(lambda batch: (net(batch) ** 2).sum(axis=(1, 2)), variables, x)
    for k in range(len(x)):
        with ak.GradientTape() as tape:
            loss = (net(x[k]) ** 2).sum()
        for g, each in zip(tape.gradient(loss, variables), found, strict=True):
            np.testing.assert_allclose(np.asarray(each)[k], g.numpy(), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: layers.Conv1D(2, 3, stride=0), "stride must be 1 or more"),
        (lambda: layers.Conv1D(2, 3, padding="full"), "padding is"),
        (lambda: layers.Conv2D(2, 3, padding=-1), "padding must be 0 or more"),
        (lambda: layers.Conv2D(2, 3, dilation=(1, 0)), "dilation must be 1 or more"),
        (lambda: layers.Conv2D(2, 3, groups=4), "2 output channels cannot be divided into 4 groups"),
        (lambda: layers.Conv1DTranspose(2, 3, stride=2, output_padding=2), "less than the stride"),
        (lambda: layers.Conv2DTranspose(2, 3, stride=2, padding="same", output_padding=1), "no output_padding"),
        (lambda: layers.Attention(4, mode="renormalise"), "mode must be"),
        (lambda: layers.Attention(4, empty="one"), "empty must be"),
    ],
)
def test_an_argument_out_of_range_is_told_when_the_layer_is_made(make: Any, words: str) -> None:
    with pytest.raises(StructureError, match=words):
        make()
