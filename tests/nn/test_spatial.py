"""Convolution and pooling, beyond the cases of tests/rules."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import autodiff_kit as ak
from autodiff_kit import kernels
from autodiff_kit.core.operation import OPS
from autodiff_kit.diagnostics.operation_cost import forward_flops
from autodiff_kit.errors import DtypeError, ShapeError, StructureError
from autodiff_kit.ops import convolution_pooling


def gradient(f: Any, x: Any) -> Any:
    x = ak.constant(x)
    with ak.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    return tape.gradient(y, x).numpy()


def test_one_channel_is_a_cross_correlation() -> None:
    from scipy import signal  # takes half a second, and only one worker needs it

    rng = np.random.default_rng(0)
    x, k = rng.normal(size=(7, 6)), rng.normal(size=(3, 2))
    for padding, mode in (("valid", "valid"), (((2, 2), (1, 1)), "full")):
        y = ak.nn.conv2d(x[..., None], k[..., None, None], padding=padding)[..., 0]
        np.testing.assert_allclose(y, signal.correlate2d(x, k, mode), rtol=1e-12, atol=1e-12)


def test_same_leaves_one_window_for_each_stride_begun() -> None:
    """As in TensorFlow: an odd zero goes to the bottom and to the right."""
    x, k = np.arange(1.0, 6.0).reshape(1, 5, 1), np.ones((1, 2, 1, 1))
    assert ak.nn.conv2d(x, k, padding="same").numpy().ravel().tolist() == [3.0, 5.0, 7.0, 9.0, 5.0]
    assert ak.nn.conv2d(x, k, stride=2, padding="same").numpy().ravel().tolist() == [3.0, 7.0, 5.0]
    for n in range(1, 9):
        for stride in (1, 2, 3):
            image = np.ones((n, n, 1))
            assert ak.nn.conv2d(image, np.ones((3, 2, 1, 1)), stride, "same").shape == (-(-n // stride),) * 2 + (1,)


@given(data=st.data())
def test_settings_at_random_are_exact_transposes(data: st.DataObject) -> None:
    """<g, conv(x, k)> = <pull of x, x> = <pull of k, k>: bilinear, whatever the stride, dilation, padding, groups."""
    few = st.integers(1, 3)
    groups, height, width = data.draw(few), data.draw(st.integers(1, 7)), data.draw(st.integers(1, 7))
    c, d = groups * data.draw(st.integers(1, 2)), groups * data.draw(st.integers(1, 2))
    size, stride, dilation = ((data.draw(few), data.draw(few)) for _ in range(3))
    reach = [(n - 1) * by + 1 for n, by in zip(size, dilation, strict=True)]
    pads = [[data.draw(st.integers(0, 3)) for _ in range(2)] for _ in range(2)]
    for pad, n, need in zip(pads, (height, width), reach, strict=True):
        pad[1] += max(need - n - sum(pad), 0)  # so that a window fits
    front = data.draw(st.sampled_from([(), (2,), (0,), (2, 1)]))
    rng = np.random.default_rng(0)
    x, k = rng.normal(size=(*front, height, width, c)), rng.normal(size=(*size, c // groups, d))
    xs = [ak.constant(x), ak.constant(k)]
    with ak.GradientTape() as tape:
        tape.watch(xs)
        y = ak.nn.conv2d(*xs, stride, pads, dilation, groups)
    g = rng.normal(size=y.shape)
    gx, gk = tape.gradient(y, xs, g)
    assert (gx.shape, gk.shape) == (x.shape, k.shape)
    value = np.sum(g * y.numpy())
    np.testing.assert_allclose([np.sum(gx.numpy() * x), np.sum(gk.numpy() * k)], value, rtol=1e-10, atol=1e-10)


@given(data=st.data())
def test_the_transposed_convolution_at_random(data: st.DataObject) -> None:
    """<g, conv(x, k)> = <transposed(g, k), x>, and the size of x comes back with the output padding."""
    few = st.integers(1, 3)
    groups, image = data.draw(few), [data.draw(st.integers(1, 7)) for _ in range(2)]
    c, d = groups * data.draw(st.integers(1, 2)), groups * data.draw(st.integers(1, 2))
    size, stride, dilation = ([data.draw(few) for _ in range(2)] for _ in range(3))
    pads = [[data.draw(st.integers(0, 3)) for _ in range(2)] for _ in range(2)]
    extra = []
    for axis in range(2):
        reach = (size[axis] - 1) * dilation[axis] + 1
        pads[axis][1] += max(reach - image[axis] - sum(pads[axis]), 0)  # so that a window fits
        extra.append((image[axis] + sum(pads[axis]) - reach) % stride[axis])
    front = data.draw(st.sampled_from([(), (2,), (0,), (2, 1)]))
    rng = np.random.default_rng(0)
    x, k = rng.normal(size=(*front, *image, c)), rng.normal(size=(*size, c // groups, d))
    y = ak.nn.conv2d(x, k, stride, pads, dilation, groups).numpy()
    g = rng.normal(size=y.shape)
    back = ak.nn.conv2d_transpose(g, k, stride, pads, extra, dilation, groups).numpy()
    assert back.shape == x.shape
    np.testing.assert_allclose(np.sum(back * x), np.sum(g * y), rtol=1e-10, atol=1e-10)


def test_transposed_sizes_and_its_gradient() -> None:
    """The size by the formula of PyTorch's documentation; "same" gives the stride times the size, as in TensorFlow."""
    k = np.random.default_rng(0).normal(size=(3, 2, 1))
    for n, stride, pad, more, dilation in np.ndindex(4, 3, 2, 2, 3):
        if more <= stride:
            x = np.ones((n + 2, 1))
            y = ak.nn.conv1d_transpose(x, k, stride + 1, pad, more, dilation + 1)
            assert y.shape == ((n + 1) * (stride + 1) - 2 * pad + (dilation + 1) * (3 - 1) + more + 1, 2)
            same = ak.nn.conv1d_transpose(x, k, stride + 1, "same", dilation=dilation + 1)
            assert same.shape == ((n + 2) * (stride + 1), 2)
    g = np.random.default_rng(1).normal(size=(9, 2))
    found = gradient(lambda t: ak.nn.conv1d_transpose(t, k, 2) * g, np.ones((4, 1)))
    np.testing.assert_allclose(found, ak.nn.conv1d(g, k, 2).numpy(), rtol=1e-13)


def test_one_channel_of_a_sequence_is_numpys() -> None:
    """conv1d correlates; its transpose convolves, and adds more rows."""
    rng = np.random.default_rng(3)
    x, k = rng.normal(size=9), rng.normal(size=4)
    y = ak.nn.conv1d(x[:, None], k[:, None, None])
    np.testing.assert_allclose(y.numpy()[:, 0], np.correlate(x, k, "valid"), rtol=1e-12)
    y = ak.nn.conv1d_transpose(x[:, None], k[:, None, None])
    np.testing.assert_allclose(y.numpy()[:, 0], np.convolve(x, k), rtol=1e-12, atol=1e-14)
    causal = ak.nn.conv1d(x[:, None], k[:, None, None], padding=(3, 0)).numpy()[:, 0]
    np.testing.assert_allclose(causal, np.convolve(x, k[::-1])[:9], rtol=1e-12, atol=1e-14)


def test_the_same_image_alone_in_a_batch_and_in_a_stack() -> None:
    rng = np.random.default_rng(2)
    x, k = rng.normal(size=(2, 3, 5, 4, 2)), rng.normal(size=(2, 3, 2, 3))
    for f in (
        lambda t: ak.nn.conv2d(t, k, 2, "same"),
        lambda t: ak.nn.conv2d_transpose(t, k.swapaxes(-1, -2), 2, "same"),
        lambda t: ak.nn.conv1d(t, k[0], 2, "same"),
        lambda t: ak.nn.conv1d_transpose(t, k[0].swapaxes(-1, -2), 2, "same"),
        lambda t: ak.nn.max_pool2d(t, 2),
        lambda t: ak.nn.avg_pool2d(t, 2),
    ):
        whole = f(x).numpy()
        for place in np.ndindex(2, 3):
            np.testing.assert_allclose(whole[place], f(x[place]).numpy(), rtol=1e-12, atol=1e-14)


def test_max_pooling_chooses_the_first_of_equal_entries() -> None:
    """As in PyTorch and TensorFlow; nan is larger than all numbers, and padding never is the largest."""
    x = np.array([[2.0, 2.0], [2.0, 1.0]])[..., None]
    assert gradient(lambda t: ak.nn.max_pool2d(t, 2), x)[..., 0].tolist() == [[1.0, 0.0], [0.0, 0.0]]
    x[1, 1] = np.nan
    assert gradient(lambda t: ak.nn.max_pool2d(t, 2), x)[..., 0].tolist() == [[0.0, 0.0], [0.0, 1.0]]
    assert ak.nn.max_pool2d(np.full((2, 2, 1), -5.0), 2, padding=1).numpy().ravel().tolist() == [-5.0] * 4
    assert ak.nn.max_pool2d(np.full((2, 2, 1), -np.inf), 2, padding=1).numpy().ravel().tolist() == [-np.inf] * 4
    assert ak.nn.max_pool2d(np.array([[[-7], [-8]]]), (1, 2), padding=((0, 0), (1, 1))).dtype == np.int64


def test_average_pooling_counts_only_image_entries() -> None:
    x = np.ones((3, 3, 1))
    assert ak.nn.avg_pool2d(x, 2, 1, "same").numpy().ravel().tolist() == [1.0] * 9
    np.testing.assert_allclose(gradient(lambda t: ak.nn.avg_pool2d(t, 2, padding="same"), x)[..., 0],
                               [[0.25, 0.25, 0.5], [0.25, 0.25, 0.5], [0.5, 0.5, 1.0]])  # fmt: skip
    half = np.full((40, 40, 1), 300.0, np.float16)  # their sum is beyond float16
    assert ak.nn.avg_pool2d(half, 40).numpy().ravel().tolist() == [300.0]
    assert ak.nn.avg_pool2d(np.array([[[1], [2]]]), (1, 2)).tolist() == [[[1.5]]]


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_the_compiled_loop_agrees_with_numpy(dtype: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Any stride, padding and dilation, with groups and with leading axes."""
    pytest.importorskip("numba")
    from autodiff_kit.kernels.eager_loops import LOOPS

    rng = np.random.default_rng(4)
    x, k = rng.normal(size=(2, 7, 6, 4)).astype(dtype), rng.normal(size=(3, 2, 2, 4)).astype(dtype)
    settings = ((1, "same", 1), ((2, 3), 1, 1), (1, ((0, 2), (1, 0)), (2, 1)), (2, "valid", (1, 2)))
    pools: tuple[tuple[Any, ...], ...] = ((2,), (3, 2), ((2, 3), 1, 1))
    tied = np.round(x)
    tied[0, 1, 2] = np.nan
    answers: list[list[Any]] = []
    for table in ({}, LOOPS):
        monkeypatch.setattr(kernels, "_loops", dict(table))
        answers.append([gradient(lambda t, s=s: ak.nn.conv2d(t, k, *s, groups=2) ** 2, x) for s in settings])
        answers[-1] += [gradient(lambda t, s=s: ak.nn.max_pool2d(t, *s) ** 2, tied) for s in pools]
    for plain, compiled in zip(*answers, strict=True):
        eps = 10 * np.finfo(dtype).eps
        assert compiled.dtype == dtype
        np.testing.assert_allclose(plain, compiled, rtol=eps, atol=eps * np.nanmax(np.abs(plain)))


def test_b21_cost_is_that_of_the_product() -> None:
    """B21: two operations for each entry of the output and of the kernel."""
    x, k = np.ones((2, 6, 5, 4)), np.ones((3, 2, 2, 8))
    y = ak.nn.conv2d(x, k, groups=2).numpy()
    assert forward_flops(OPS["Convolution"], y, x, k) == 2 * y.size * 3 * 2 * 2
    back = ak.nn.conv2d_transpose(y, k, groups=2).numpy()
    assert forward_flops(OPS["TransposedConvolution"], back, y, k) == 2 * y.size * 3 * 2 * 2


@pytest.mark.parametrize("shape", [(0, 4, 4, 2), (0, 3, 4, 4, 2)])
def test_a_batch_of_none(shape: tuple[int, ...]) -> None:
    k = ak.Variable(np.ones((2, 2, 2, 3)))
    with ak.GradientTape() as tape:
        y = ak.nn.conv2d(np.zeros(shape), k)
    assert y.shape == (*shape[:-3], 3, 3, 3)
    assert not tape.gradient(y, k).numpy().any()
    assert ak.nn.max_pool2d(np.zeros(shape), 2).shape == (*shape[:-3], 2, 2, 2)


def test_a_small_network_learns_to_tell_bars_apart() -> None:
    """Convolution, pooling and a readout together: vertical and horizontal bars, with noise."""
    rng = np.random.default_rng(0)
    images, labels = rng.normal(size=(60, 6, 6, 1)) * 0.3, np.arange(60) % 2
    for image, label in zip(images, labels, strict=True):
        line = rng.integers(6)
        image[(slice(None), line) if label else line] += 1.5
    w = ak.Variable(rng.normal(size=(3, 3, 1, 4)) * 0.3)
    u = ak.Variable(rng.normal(size=(4, 2)) * 0.3)
    optimizer = ak.optim.Adam(0.05)
    for _ in range(60):
        with ak.GradientTape() as tape:
            seen = ak.nn.relu(ak.nn.max_pool2d(ak.nn.conv2d(images, w), 4)).reshape(60, 4)
            loss = ak.mean(ak.nn.sparse_softmax_cross_entropy(labels, seen @ u))
        optimizer.apply_gradients(zip(tape.gradient(loss, [w, u]), [w, u], strict=True))
    assert np.mean(np.argmax((seen @ u).numpy(), -1) == labels) >= 0.95


IMAGE, KERNEL, BACK = np.ones((4, 4, 2)), np.ones((3, 3, 2, 1)), np.ones((3, 3, 1, 2))
NAN: Any = float("nan")


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: ak.nn.conv2d(np.ones((4, 4)), KERNEL), ShapeError, r"three axes.*or more; got \(4, 4\)"),
        (lambda: ak.nn.conv2d(IMAGE, np.ones((3, 3))), ShapeError, r"channels out\), got \(3, 3\)"),
        (lambda: ak.nn.conv2d(IMAGE, np.ones((0, 3, 2, 1))), ShapeError, "the kernel"),
        (lambda: ak.nn.conv2d(IMAGE, np.ones((5, 3, 2, 1))), ShapeError, r"over \(5, 3\) does not fit .* \(4, 4\)"),
        (lambda: ak.nn.conv2d(IMAGE, KERNEL, dilation=2), ShapeError, r"over \(5, 5\).*\(4, 4\) with padding"),
        (lambda: ak.nn.conv2d(IMAGE, np.ones((3, 3, 3, 1))), ShapeError, "2 channels in 1 groups needs a kernel of 2"),
        (lambda: ak.nn.conv2d(IMAGE, np.ones((3, 3, 1, 3)), groups=2), ShapeError, "multiple of 2 channels out"),
        (lambda: ak.nn.conv2d(IMAGE, KERNEL, groups=0), StructureError, "groups must be 1 or more"),
        (lambda: ak.nn.conv2d(IMAGE, KERNEL, stride=0), StructureError, "stride must be 1 or more, got 0"),
        (lambda: ak.nn.conv2d(IMAGE, KERNEL, stride=1.5), DtypeError, "stride must be an integer"),
        (lambda: ak.nn.conv2d(IMAGE, KERNEL, stride=(1, 1, 1)), StructureError, "pair"),
        (lambda: ak.nn.conv2d(IMAGE, KERNEL, dilation=(1, None)), DtypeError, "dilation"),
        (lambda: ak.nn.conv2d(IMAGE, KERNEL, padding="full"), StructureError, '"valid", "same"'),
        (lambda: ak.nn.conv2d(IMAGE, KERNEL, padding=-1), StructureError, "padding must be 0 or more"),
        (lambda: ak.nn.conv2d(IMAGE, KERNEL, padding=NAN), DtypeError, "padding"),
        (lambda: ak.nn.conv2d(IMAGE, KERNEL, padding=(1, 2, 3)), StructureError, "pair"),
        (lambda: ak.nn.conv2d("image", KERNEL), DtypeError, "number"),
        (lambda: ak.nn.conv1d(np.ones(4), np.ones((3, 1, 1))), ShapeError, r"conv1d: a sequence has two axes.*\(4,\)"),
        (lambda: ak.nn.conv1d(IMAGE, KERNEL), ShapeError, r"conv1d: the kernel must be \(size, .*\(3, 3, 2, 1\)"),
        (lambda: ak.nn.conv1d(IMAGE, np.ones((5, 2, 1))), ShapeError, r"over \(5,\) does .* a sequence of \(4,\)"),
        (lambda: ak.nn.conv1d(IMAGE, np.ones((3, 2, 1)), stride=(1, 1)), DtypeError, "stride must be an integer, got"),
        (lambda: ak.nn.conv1d(IMAGE, np.ones((3, 3, 1))), ShapeError, r"a sequence with 2.*\(3, 3, 1\)"),
        (lambda: ak.nn.conv1d(IMAGE, np.ones((0, 2, 1))), ShapeError, r"got \(0, 2, 1\)"),
        (lambda: ak.nn.conv1d(IMAGE, np.ones((3, 2, 1)), padding=(1, 2, 3)), StructureError, r"pair \(before, after\)"),
        (lambda: ak.nn.conv1d(IMAGE, np.ones((3, 2, 1)), 1.5), DtypeError, "stride must be an integer, got 1.5"),
        (lambda: ak.nn.conv1d(IMAGE, np.ones((3, 2, 1)), padding="full"), StructureError, "conv1d.* or a pair, got"),
        (lambda: ak.nn.conv1d_transpose(IMAGE, BACK[0], 2, "same", 1), StructureError, "no output_padding, got 1"),
        (lambda: ak.nn.conv2d(IMAGE, KERNEL, groups=1.5), DtypeError, "groups must be an integer, got 1.5"),
        (lambda: ak.nn.conv2d_transpose(np.ones((4, 4)), KERNEL), ShapeError, "three axes"),
        (lambda: ak.nn.conv2d_transpose(IMAGE, KERNEL), ShapeError, "needs a kernel of 2 channels in"),
        (lambda: ak.nn.conv2d_transpose(IMAGE, np.ones((3, 3))), ShapeError, r"channels in\), got \(3, 3\)"),
        (lambda: ak.nn.conv2d_transpose(IMAGE, BACK, output_padding=1), StructureError, "less than the stride"),
        (lambda: ak.nn.conv2d_transpose(IMAGE, BACK, 2, "same", 1), StructureError, "no output_padding, got 1"),
        (lambda: ak.nn.conv2d_transpose(IMAGE, BACK, padding=3), ShapeError, r"would give one of \(0, 0\); pad less"),
        (lambda: ak.nn.conv2d_transpose(IMAGE[:0], BACK), ShapeError, r"an image of \(0, 4\)"),
        (lambda: ak.nn.conv2d_transpose(IMAGE, BACK, groups=3), ShapeError, "a multiple of 3"),
        (lambda: ak.nn.conv1d_transpose(IMAGE, BACK), ShapeError, r"\(size, channels out / groups, channels in\)"),
        (lambda: ak.nn.conv1d_transpose(IMAGE, BACK[0], padding=(2, 4)), ShapeError, r"a sequence of \(4,\).*\(0,\)"),
        (lambda: ak.nn.conv1d_transpose(IMAGE, BACK[0], output_padding=-1), StructureError, "output_padding must be 0"),
        (lambda: ak.nn.max_pool2d(IMAGE, 5), ShapeError, "does not fit"),
        (lambda: ak.nn.max_pool2d(IMAGE, 2, padding=2), ShapeError, "padding only"),
        (lambda: ak.nn.avg_pool2d(np.ones((0, 2, 1)), 2, padding=1), ShapeError, "padding only"),
        (lambda: ak.nn.avg_pool2d(IMAGE, "2"), DtypeError, "window's size"),
        (lambda: ak.nn.max_pool2d(IMAGE > 0, 2), DtypeError, "booleans"),
    ],
)  # fmt: skip
def test_errors_name_what_was_given(call: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words) as caught:
        call()
    assert isinstance(caught.value, ak.AutodiffError)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("part", [1, 2000, 1 << 18], ids=["rows of images", "some images", "all images"])
def test_a_convolution_in_parts_is_that_of_the_whole_batch(
    part: int, dtype: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both gradients and the transpose too, with rows that no window covers, and images in several layouts."""
    pytest.importorskip("numba")
    from autodiff_kit.kernels.eager_loops import LOOPS

    rng = np.random.default_rng(3)
    x, k = rng.normal(size=(5, 9, 8, 3)).astype(dtype), rng.normal(size=(3, 2, 3, 4)).astype(dtype)
    settings = [(1, "same", 1), ((2, 3), "valid", 1), (1, ((0, 2), (1, 0)), (2, 1)), (2, "valid", (1, 2))]

    def answers(x: Any, setting: Any) -> list[Any]:
        x, kernel = ak.constant(x), ak.constant(k)
        with ak.GradientTape() as tape:
            tape.watch([x, kernel])
            y = ak.nn.conv2d(x, kernel, *setting)
            z = ak.nn.conv2d_transpose(y, kernel, setting[0], dilation=setting[2])
        return [t.numpy() for t in (y, z, *tape.gradient([y * 1.0, z], [x, kernel], [y, z]))]

    monkeypatch.setattr(convolution_pooling, "_PART", part)
    for setting in settings:
        for images in (x, np.asfortranarray(x)):
            monkeypatch.setattr(kernels, "_loops", dict(LOOPS))
            found = answers(images, setting)
            monkeypatch.setattr(kernels, "_loops", {})
            for a, b in zip(found, answers(images, setting), strict=True):
                assert a.dtype == b.dtype == dtype
                scale = 20 * np.finfo(dtype).eps
                np.testing.assert_allclose(a, b, rtol=scale, atol=scale * np.abs(b).max())


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("groups", [1, 2])
def test_numpy_takes_a_large_batch_in_parts(groups: int, dtype: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(3)
    x, k = rng.normal(size=(5, 6, 7, 4)).astype(dtype), rng.normal(size=(3, 2, 4 // groups, 6)).astype(dtype)
    weight = rng.normal(size=(5, 4, 6, 6)).astype(dtype)
    both = ak.value_and_grad(lambda x, k: ak.sum(ak.nn.conv2d(x, k, groups=groups) * weight), (0, 1))
    seen, patches = [], convolution_pooling._write_patches
    monkeypatch.setattr(kernels, "_loops", {})
    monkeypatch.setattr(
        convolution_pooling, "_write_patches", lambda out, *a: (seen.append(len(out)), patches(out, *a))
    )
    found = []
    for most in (1 << 20, 1):
        monkeypatch.setattr(convolution_pooling, "_BATCH", most)
        value, slopes = both(x, k)
        found.append([value.numpy(), *(s.numpy() for s in slopes)])
    assert seen == [5, 5, *[1] * 10]
    for a, b in zip(*found, strict=True):
        assert a.dtype == b.dtype == dtype
        np.testing.assert_allclose(b, a, rtol=50 * np.finfo(dtype).eps, atol=50 * np.finfo(dtype).eps * np.abs(a).max())


def test_no_part_of_a_convolution_is_larger_than_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Unless a single row of windows, or the kernel, is."""
    seen: list[tuple[int, ...]] = []
    monkeypatch.setattr(kernels, "compiled_loop", lambda _: lambda *_, sizes: seen.append(sizes))
    for most in (1 << 12, 1 << 14, 1 << 16):
        monkeypatch.setattr(convolution_pooling, "_PART", most)
        ak.nn.conv2d(np.zeros((4, 20, 10, 2)), np.zeros((3, 3, 2, 1)), (2, 1), ((1, 1), (0, 0)))
        images, rows = seen.pop()[-2:]
        assert images * rows * 8 * 18 * 8 <= most
        assert 2 * images * rows * 8 * 18 * 8 > most or (images, rows) == (4, 10)
