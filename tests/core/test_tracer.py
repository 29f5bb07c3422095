"""The interface of tracers: who knows of symbolic values, and functions that need numbers."""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import numpy as np
import pytest

import autodiff_kit as ak
from autodiff_kit.core.tracer import concrete_only, opaque

PACKAGE = Path(ak.__file__).parent
# An optimizer keeps slots, which a trace reads and writes; clipping makes rows dense for it; a batch is a tracer;
# a loop and the function of a vmap become one call of a trace, which also learns which rows of a table a gradient has.
BESIDE_THE_COMPILER = {
    "ops/indexing.py", "ops/loops.py", "optim/optimizer.py", "optim/clipping.py", "transforms/batched_array.py",
    "transforms/vectorized_map.py",
}  # fmt: skip
ONES = ak.constant([1.0, 1.0, 1.0])


def test_operations_do_not_ask_whether_a_value_is_symbolic() -> None:
    """Only the engine and the compiler do; an operation says what it needs by a decorator."""
    known = re.compile(r"\b(SymbolicValue|open_records\.trace)\b")
    found = {
        path.relative_to(PACKAGE).as_posix()
        for path in PACKAGE.rglob("*.py")
        if known.search(path.read_text(encoding="utf-8"))
    }
    assert {name for name in found if name.split("/")[0] not in ("core", "compile")} == BESIDE_THE_COMPILER


class Notes(SimpleQueue[Any]):
    """What was noted; a list would be looked at by guards, and the function traced again."""

    def append(self, x: Any) -> None:
        self.put(x)

    def all(self) -> list[Any]:
        found = [self.get() for _ in range(self.qsize())]
        for x in found:
            self.put(x)
        return found


def _compiled_with(decorate: Any, given: Notes, **fixed: Any) -> Any:
    """A compiled function that calls a decorated one, which notes what it is given; guards leave a queue alone."""

    @decorate
    def noted(x: Any) -> Any:
        given.append(x)
        return np.asarray(x) * 2.0

    def f(x: Any) -> Any:
        found = noted(fixed["x"] if fixed else x._value)
        return x if found is None else x + found

    return ak.compile(f)


def test_an_opaque_function_gets_the_numbers_of_each_call() -> None:
    given: Notes = Notes()
    f = _compiled_with(opaque, given)
    for k in (1.0, 2.0, 3.0):
        assert f(ONES * k).tolist() == [3.0 * k] * 3
    assert f.trace_count == 1
    assert [x.tolist() for x in given.all()[-3:]] == [[1.0] * 3, [2.0] * 3, [3.0] * 3]
    assert all(type(x) is np.ndarray for x in given.all())  # also what it was tried on while the function was traced


def test_an_opaque_function_of_numbers_runs_once_unless_it_asks_for_every_call() -> None:
    once: Notes = Notes()
    f = _compiled_with(opaque, once, x=np.ones(3))
    f(ONES), f(ONES)
    assert once.qsize() == 1
    often: Notes = Notes()
    f = _compiled_with(partial(opaque, every_call=True), often, x=np.ones(3))
    f(ONES)
    before = often.qsize()
    f(ONES), f(ONES)
    assert often.qsize() == before + 2


def test_what_is_for_numbers_only_is_left_out_of_a_trace() -> None:
    given: Notes = Notes()
    f = _compiled_with(concrete_only, given)
    assert f(ONES).tolist() == [1.0] * 3
    assert not given.all()
    assert concrete_only(len)([1, 2]) == 2


@pytest.mark.parametrize("compiled", [False, True], ids=["eager", "compiled"])
def test_checks_of_numbers_run_where_there_are_numbers(compiled: bool) -> None:
    """Without the check of a compiled function the derivative has no value where it does not exist."""

    def slope(a: Any) -> Any:
        return ak.grad(lambda x: ak.eigh(x).eigenvectors[0, 0])(a)

    if compiled:
        with np.errstate(all="ignore"):
            assert not np.isfinite(ak.compile(slope)(ak.constant(np.eye(2))).numpy()).all()
    else:
        with pytest.raises(ValueError, match="eigenvalues coincide"):
            slope(ak.constant(np.eye(2)))
