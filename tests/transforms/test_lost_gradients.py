"""Where a followed value becomes a plain number: a derivative is right, or refused, or a warning names the line."""

from __future__ import annotations

import logging
import math
import statistics
import subprocess
import sys
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.fft
import scipy.interpolate
import scipy.linalg
import scipy.ndimage
import scipy.signal
import scipy.sparse
import scipy.special
import scipy.stats

import autodiff_kit as ak
from autodiff_kit.errors import LostGradientWarning

POINT = np.array([0.6, 1.1, 1.9])
SPARSE = scipy.sparse.csr_array(np.array([[1.0, 0.0, 2.0], [0.0, 3.0, 0.0], [0.0, 0.0, 1.0]]))
MATRIX = np.array([[2.0, 0.5, 0.1], [0.5, 3.0, 0.2], [0.1, 0.2, 2.5]])


def _filled(fill: Callable[[Any, Any], Any]) -> Callable[[Any], Any]:
    def run(x: Any) -> Any:
        a = np.zeros(3)
        fill(a, x)
        return ak.sum(a * a)

    return run


def _entry(x: Any) -> Any:
    a = np.zeros(3)
    a[1] = x[0]
    return ak.sum(a * x)


def _slice(x: Any) -> Any:
    a = np.zeros(3)
    a[:] = x
    return ak.sum(a * x)


def _added(x: Any) -> Any:
    a = np.zeros(3)
    a += x
    return ak.sum(a * x)


# Each takes three numbers and gives one; all that a library can do to a tensor without saying so, and what it cannot.
CONSTRUCTS: dict[str, Callable[[Any], Any]] = {
    "np.array of a list": lambda x: ak.sum(np.array([x[0], x[1]]) * x[2]),
    "np.array": lambda x: ak.sum(np.array(x) * x),
    "np.asarray": lambda x: ak.sum(np.asarray(x) * x),
    "np.r_": lambda x: ak.sum(np.r_[x[0], x[1]] * x[2]),
    "np.c_": lambda x: ak.sum(np.c_[x, x] * x[2]),
    "np.full": lambda x: ak.sum(np.full(2, x[0]) * x[2]),
    "np.fromiter": lambda x: ak.sum(np.fromiter((x[0], x[1]), float) * x[2]),
    "an entry of an array": _entry,
    "a part of an array": _slice,
    "an array in place": _added,
    "np.copyto": _filled(lambda a, x: np.copyto(a, x)),
    "ndarray.fill": _filled(lambda a, x: a.fill(x[0])),
    "np.put": _filled(lambda a, x: np.put(a, [0], x[0])),
    "np.add.at": _filled(lambda a, x: np.add.at(a, [0, 1, 2], x)),
    "out=": _filled(lambda a, x: np.multiply(x, x, out=a)),
    "np.sum of a list": lambda x: x[0] + np.sum([x[0] ** 2, x[1]]),
    "np.mean of a list": lambda x: x[0] + np.mean([x[0] ** 2, x[1]]),
    "np.max of a list": lambda x: x[0] + np.max([x[0] ** 2, x[1]]),
    "np.dot of lists": lambda x: x[0] + np.dot([x[0], x[1]], [x[1], x[2]]),
    "np.exp of a list": lambda x: ak.sum(np.exp([x[0], x[1]]) * x[2]),
    "np.add of a list": lambda x: ak.sum(np.add([x[0], x[1]], 1.0) * x[2]),
    "an array and a list": lambda x: ak.sum((np.ones(2) + [x[0], x[1]]) * x[2]),
    "float": lambda x: x[0] * float(x[1]),
    "int": lambda x: x[0] * int(x[1] * 10.0),
    "item": lambda x: x[0] * x[1].item(),
    "tolist": lambda x: x[0] * sum(x.tolist()),
    "numpy": lambda x: ak.sum(x.numpy() * x) if hasattr(x, "numpy") else ak.sum(x * x),
    "math.sin": lambda x: x[0] * math.sin(x[1]),
    "math.fsum": lambda x: x[0] * math.fsum([x[1], x[2]]),
    "statistics.fmean": lambda x: x[0] * statistics.fmean([x[1], x[2]]),
    "round": lambda x: x[0] * round(x[1] * 1.0, 1),
    "complex": lambda x: x[0] * complex(x[1]).real,
    "np.vectorize": lambda x: ak.sum(np.vectorize(lambda t: t * t, otypes=[float])(x) * x),
    "np.apply_along_axis": lambda x: ak.sum(np.apply_along_axis(lambda t: t * t, 0, x) * x),
    "np.polynomial": lambda x: x[0] * np.polynomial.Polynomial([x[1], x[2]])(2.0),
    "np.poly1d": lambda x: x[0] * np.poly1d([1.0, 2.0])(x[1]),
    "np.interp": lambda x: x[0] * np.interp(x[1], [0.0, 3.0], [0.0, 9.0]),
    "a random draw": lambda x: x[0] * np.random.default_rng(0).normal(x[1]),
    "scipy.sparse @ x": lambda x: ak.sum((SPARSE @ x) * 2.0),
    "x @ scipy.sparse": lambda x: ak.sum((x @ SPARSE) * 2.0),
    "scipy.stats": lambda x: x[0] * scipy.stats.norm.pdf(x[0]),
    "scipy.special.logsumexp": lambda x: x[0] + scipy.special.logsumexp(x),
    "scipy.special.softmax": lambda x: ak.sum(scipy.special.softmax(x) * x),
    "scipy.special.erf": lambda x: ak.sum(scipy.special.erf(x) * x),
    "scipy.linalg.expm": lambda x: ak.sum(scipy.linalg.expm(x[0] * MATRIX)),
    "scipy.linalg.cholesky": lambda x: ak.sum(scipy.linalg.cholesky(x[0] * MATRIX)),
    "scipy.linalg.solve_triangular": lambda x: ak.sum(scipy.linalg.solve_triangular(MATRIX, x, lower=True)),
    "scipy.fft": lambda x: ak.sum(scipy.fft.dct(x) * x),
    "scipy.signal": lambda x: ak.sum(scipy.signal.convolve(x, np.ones(2))),
    "scipy.ndimage": lambda x: ak.sum(scipy.ndimage.gaussian_filter1d(x, 1.0) * x),
    "CubicSpline": lambda x: ak.sum(scipy.interpolate.CubicSpline(np.arange(3.0), x)(0.5)),
    "ak.constant of a list": lambda x: ak.sum(ak.constant([x[0], x[1]]) * x[2]),
    "an outside value": lambda x: ak.custom_gradient(lambda y: (y * x[1], lambda g: g * 2.0))(x[0]),
    "an outside value alone": lambda x: x[0] * ak.custom_gradient(lambda y: (x[1], lambda g: g * 0.0))(1.0),
}

MODES: dict[str, Callable[[Any, Any], Any]] = {
    "grad": lambda f, x: ak.grad(f)(x),
    "vjp": lambda f, x: ak.vjp(f, x)[1](1.0),
    "jvp": lambda f, x: ak.jvp(f, (x,), (np.ones(3),)),
    "jacobian": lambda f, x: ak.jacobian(f)(x),
    "hvp": lambda f, x: ak.hvp(f, (x,), (np.ones(3),)),
    "hessian": lambda f, x: ak.hessian(f)(x),
}


def _slope(f: Callable[[Any], Any], k: int) -> float:
    """A derivative of a construct on plain numbers, by central differences."""
    step = np.eye(3)[k] * 1e-5
    return (float(f(POINT + step)) - float(f(POINT - step))) / 2e-5


def _told(run: Callable[[], Any]) -> tuple[Any, list[warnings.WarningMessage]]:
    """A result, or None where the kit refuses, and the warnings about lost gradients."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always", LostGradientWarning)
        try:
            result = run()
        except (ak.AutodiffError, TypeError):
            result = None
    return result, [w for w in found if w.category is LostGradientWarning]


@pytest.mark.parametrize("name", CONSTRUCTS)
def test_no_gradient_is_lost_without_a_word(name: str) -> None:
    """The gradient agrees with differences of the same function, or the kit refuses, or one warning names the line."""
    f = CONSTRUCTS[name]
    slope, told = _told(lambda: ak.grad(f)(POINT))
    if slope is None or not told:
        assert slope is None or np.allclose(slope, [_slope(f, k) for k in range(3)], rtol=1e-6)
        return
    assert len(told) == 1
    parts = [f, *(cell.cell_contents for cell in f.__closure__ or ())]
    assert told[0].filename == __file__
    assert any(0 <= told[0].lineno - part.__code__.co_firstlineno <= 3 for part in parts)
    assert f"line {told[0].lineno}" in str(told[0].message)
    for compiled in (ak.compile(ak.grad(f)), lambda x: ak.vmap(ak.grad(f))(x[None])):
        if "outside" not in name:  # NumPy's own error says that what should be a number is none
            with pytest.raises((ak.errors.ConcretizationError, ValueError)):
                compiled(POINT)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", ["np.array of a list", "scipy.sparse @ x", "an entry of an array", "an outside value"])
def test_every_transform_warns_once(name: str, mode: str) -> None:
    _, told = _told(lambda: MODES[mode](CONSTRUCTS[name], POINT))
    assert len(told) == 1


def _printed(x: Any) -> Any:
    print(float(x), x.numpy(), f"{x:.3f} {float(x)}", "%s" % float(x), repr(x.tolist()))  # noqa: UP031 - as people write
    return x * 2.0


def _compared(x: Any) -> Any:
    assert float(x) > 0
    np.testing.assert_allclose(x, 0.7)
    assert np.isclose(x.numpy(), 0.7)
    if float(x) > 3 or math.isnan(x):
        return x * 5.0
    return (x * 2.0 if x.item() > 0 else x) * 1.0


def _logged(x: Any) -> Any:
    logging.getLogger("lost").debug("%s", float(x))
    return x * 2.0


def _compared_by_name(x: Any) -> Any:
    best = 9.0
    for _ in range(3):
        value = float(x)
        if value < best:
            best = value
    print(best)
    return x * 2.0


def _counted(x: Any) -> Any:
    y = x
    for k in range(int(x * 10.0)):
        y = y + [1.0, 2.0][int(x)] + k
    return y


HISTORY: list[float] = []


def _kept_for_later(x: Any) -> Any:
    HISTORY.append(float(x))
    y = x * 2.0
    if len(HISTORY) > 100:
        print(HISTORY)
    return y


def _the_result_itself(x: Any) -> Any:
    y = x * 2.0
    HISTORY.extend([float(y)])
    return y


def _stopped(x: Any) -> Any:
    return x * float(ak.stop_gradient(x)) * ak.constant(x)


@ak.custom_gradient
def _with_own_gradient(x: Any) -> Any:
    y = scipy.special.erf(x.numpy())
    return y, lambda g: g * 2 / math.sqrt(math.pi) * ak.exp(-x * x)


def _integers(x: Any) -> Any:
    row = int(ak.argmax(ak.stack([x, -x])))
    return x * float(row + 1)


QUIET: list[Callable[[Any], Any]] = [
    _printed, _compared, _logged, _compared_by_name, _counted, _kept_for_later, _the_result_itself, _stopped,
    lambda x: _with_own_gradient(x) * 2.0, _integers,
]  # fmt: skip


@pytest.mark.parametrize("mode", [name for name in MODES if name not in ("hvp", "jvp")])
@pytest.mark.parametrize("f", QUIET, ids=lambda f: f.__name__)
def test_a_value_that_is_only_looked_at_does_not_warn(f: Callable[[Any], Any], mode: str) -> None:
    result, told = _told(lambda: (MODES[mode](f, 0.7), ak.jvp(f, (0.7,), (1.0,)), ak.hvp(f, (0.7,), (1.0,))))
    assert result is not None
    assert not told


def test_a_variable_that_is_not_asked_for_may_leave() -> None:
    w = ak.Variable(3.0)
    assert float(ak.grad(lambda x: x * float(w))(2.0)) == 3.0
    step = ak.optim.SGD(0.1)
    with pytest.warns(LostGradientWarning, match=r"ak\.exp"):
        step.minimize(lambda: w * math.exp(w), [w])


def test_the_warning_can_be_turned_off_or_raised() -> None:
    f = CONSTRUCTS["float"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LostGradientWarning)
        ak.grad(f)(POINT)
    with pytest.raises(LostGradientWarning):  # warnings are errors in tests
        ak.grad(f)(POINT)


PIPED = """
import autodiff_kit as ak, numpy as np
def f(x):
    print(float(x))
    if float(x) > 3:
        x = x * 2
    np.testing.assert_allclose(x, 1.0)
    return x * np.float64(x)
for _ in range(3):
    ak.grad(f)(1.0)
"""


def test_a_line_warns_once_in_a_process_also_without_its_text() -> None:
    found = subprocess.run([sys.executable, "-"], input=PIPED, capture_output=True, text=True, check=True)
    assert found.stderr.count("LostGradientWarning:") == 1
    assert "line 8" in found.stderr
