"""The compiler of kernels: each operator and statement against Python, types, arrays, and what it refuses."""

from __future__ import annotations

import ctypes
import math
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from autodiff_kit.compile.run.kernel_loader import load_kernel, module_source
from autodiff_kit.kernels import vector_math
from autodiff_kit.kernels.llvm_compiler import array_at, llvm_module, parse_functions

DTYPES = (np.float32, np.float64, np.int32, np.int64)
OPERATORS = ("+", "-", "*", "/", "<", "<=", ">", ">=", "==", "!=")
EXPRESSIONS = (
    "-a", "abs(a - b)", "max(a, b)", "min(a, b)", "a if a > b else b", "a + b if a > b else max(a, b) * b", "(a, b)[1]",
    "real(3) + (2 * 7 - 1)", "a != 0 and b > 2", "a == 1 or b == 1", "math.atan2(real(a), real(b))", "np.sqrt(real(b))",
)  # fmt: skip


def compiled(body: str, *dtypes: Any) -> Callable[..., None]:
    """A kernel over arrays ``x0``, ``x1``, ..."""
    names = [f"x{k}" for k in range(len(dtypes))]
    lines = "\n".join(f"    {line}" for line in body.splitlines())
    given = ", ".join(f"load_array(table, {2 * k}, np.{np.dtype(d)})" for k, d in enumerate(dtypes))
    text = module_source(f"def kernel({', '.join(names)}):\n{lines}", f"kernel({given})", np.dtype(float))
    entry = ctypes.CFUNCTYPE(None, ctypes.c_int64)(load_kernel(text))

    def run(*arrays: Any) -> None:
        table = np.array([word for x in arrays for word in (x.ctypes.data, x.size)], np.int64)
        entry(table.ctypes.data)

    return run


def over_pairs(expression: str, dtype: Any, a: Any, b: Any) -> Any:
    """The values of an expression for the entries of two arrays."""
    found = np.empty(a.size)
    body = f"for j in range(x0.shape[0]):\n    a = x0[j]\n    b = x1[j]\n    x2[j] = {expression}"
    compiled(body, dtype, dtype, float)(a, b, found)
    return found


CASES = [(f"a {op} b", d) for op in OPERATORS for d in DTYPES] + [(e, d) for e in EXPRESSIONS for d in DTYPES]
CASES += [(f"a {op} b", d) for op in ("&", "|", "^", "<<", ">>") for d in (np.int32, np.int64)]
CASES += [("a ** b", np.float32), ("a ** b", np.float64)]


@pytest.mark.parametrize(("expression", "dtype"), CASES)
def test_expressions_are_numpys(expression: str, dtype: Any) -> None:
    a, b = np.array([-7, 0, 1, 5, 9], dtype), np.array([2, 3, 1, 4, 6], dtype)
    names = {"np": np, "math": math, "real": np.float64, "max": max, "min": min, "abs": abs}
    with np.errstate(all="ignore"):
        wanted = [float(eval(expression, names, {"a": x, "b": y})) for x, y in zip(a, b, strict=True)]
    np.testing.assert_allclose(over_pairs(expression, dtype, a, b), wanted, rtol=1e-6)


def test_numbers_meet_in_the_wider_type() -> None:
    small, whole, found = np.full(1, 1 / 3, np.float32), np.array([2**30], np.int32), np.empty(3)
    compiled("x2[0] = x0[0] * 3.0\nx2[1] = x0[0] * np.float32(3)\nx2[2] = np.int64(x1[0]) * 8", "f4", "i4", float)(
        small, whole, found
    )
    assert found.tolist() == [float(small[0]) * 3.0, float(small[0] * np.float32(3)), 8.0 * 2**30]


def test_variables_that_change_in_loops_and_branches() -> None:
    body = """total = 0.0
largest = np.int64(-1)
for i in range(x0.shape[0] - 1, 0, 1):
    total += 100.0
for i in range(1, x0.shape[0], 2):
    for k in range(i):
        total += x0[k]
    if x0[i] > 3.0:
        largest = i
    elif x0[i] > 2.0:
        largest = -i
    else:
        total -= 1.0
x1[0] = total
x1[1] = largest
rest = x1[2:]
rest[:3] = 7.0"""
    x, found = np.arange(6.0), np.zeros(6)
    compiled(body, float, float)(x, found)
    assert found.tolist() == [0.0 - 1.0 + (0 + 1 + 2) + (0 + 1 + 2 + 3 + 4), 5.0, 7.0, 7.0, 7.0, 0.0]


def test_truth_values_take_a_byte_each() -> None:
    x, above = np.array([1.0, -2.0, np.nan, 4.0]), np.ones(4, np.bool_)
    compiled("for j in range(4):\n    x1[j] = x0[j] > 0.0", float, np.bool_)(x, above)
    assert above.tolist() == [True, False, False, True]
    compiled("for j in range(4):\n    x0[j] = 1.0 if x1[j] else 0.0", float, np.bool_)(x, above)
    assert x.tolist() == [1.0, 0.0, 0.0, 1.0]


@pytest.mark.parametrize(
    ("body", "error"),
    [("while True:\n    x0[0] = 1.0", NotImplementedError), ("x0[0] = [1.0]", NotImplementedError),
     ("x0[0] = not x0[0]", NotImplementedError), ("x0[0] = unknown", NameError),
     ("x0[0] = abs(x0[0]) if x0[0] > 1.0 else np.float32(x0[1])", NotImplementedError)],
)  # fmt: skip
def test_what_is_outside_the_subset_is_refused(body: str, error: Any) -> None:
    with pytest.raises(error):
        compiled(body, float)


@pytest.mark.parametrize(
    "body",
    ["x0[0] = np.cosh(x0[0])", "x0[0] = np.arctan2(x0[0], x0[0])", "x0[0] = x0[0] // 2.0", "x0[0] = x0[0] % 2.0",
     "x0[0] @= 2.0", "x0[0] = 1.0 if 0.0 < x0[0] < 2.0 else 0.0", "x0[0] = np.sqrt(x0[0], dtype=np.float32)",
     "x0[0] = x0[0].real", "x0.real = 1.0", "x0[0] = x0[0].view(np.int8)", "x0[0] = len(x0)", "x0[0] = 'a'",
     "x0[0] = max(x0[0], 1.0, 2.0)", "x0[0:3:2] = 1.0", "x0[0] = x0[0] is None", "x0[0] = range(3)",
     "for j in enumerate(3):\n    x0[0] = j"],
)  # fmt: skip
def test_what_the_compiler_does_not_know_is_refused_with_its_text(body: str) -> None:
    with pytest.raises(NotImplementedError, match=r"."):
        compiled(body, float)


@pytest.mark.parametrize(("called", "wide"), [("exp64", True), ("sincos64", True), ("np.sqrt", False)])
def test_loops_of_long_functions_have_the_widest_vectors(called: str, wide: bool) -> None:
    names: dict[str, Any] = {"np": np}
    text = f"def kernel(a):\n    x = array_at(a, np.float64)\n    for j in range(64):\n        y = {called}(x[j])\n"
    functions = parse_functions(Path(vector_math.__file__).read_text(encoding="utf-8"), vars(vector_math))
    functions |= parse_functions(text, names | {"array_at": array_at})
    assert ('"prefer-vector-width"="512"' in llvm_module(functions, {"kernel": "kernel"}, False, 0)) == wide


def test_kernels_need_llvm_and_not_numba(tmp_path: Path) -> None:
    script = f"""
import os, sys
os.environ["AUTODIFF_KIT_CACHE"] = {str(tmp_path / "cache")!r}
import numpy as np, autodiff_kit as ak
from autodiff_kit.compile.run.execution_plan import build_kernels_now
f = ak.compile(ak.value_and_grad(lambda x: ak.sum(ak.exp(ak.take(x, [0, 2], axis=0)))))
f(np.ones((3, 4))); build_kernels_now(f)
assert f.plan.ready and f(np.zeros((3, 4)))[0] == 8
assert "llvmlite" in sys.modules and "numba" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", script], check=True, timeout=300)
