"""Pausing, resetting, entering again, failing: the states of a tape, and its list of nodes. Row B12 and others."""

from __future__ import annotations

import gc
import threading
import warnings
import weakref
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import autodiff_kit as ak
from autodiff_kit import collector
from autodiff_kit.core.record import open_records
from autodiff_kit.core.tape_observer import set_tape_observer
from autodiff_kit.errors import DtypeError, ShapeError, TapeError


def test_b12_recording_can_pause() -> None:
    """B12: operations in a pause are not recorded."""
    w = ak.Variable(3.0)
    with ak.GradientTape() as tape:
        y = w * w
        with tape.stop_recording():
            z = w * y
        total = y + z
    assert [n.op for n in tape.nodes] == ["multiply", "add"]
    assert float(total) == 36.0
    assert float(tape.gradient(total, w)) == 6.0
    with pytest.raises(TapeError, match="while the tape is recording"), tape.stop_recording():
        pass


def test_recording_goes_on_after_an_exception_in_a_pause() -> None:
    w = ak.Variable(3.0)
    with ak.GradientTape() as tape:
        with pytest.raises(ZeroDivisionError), tape.stop_recording():
            raise ZeroDivisionError
        y = w * w
    assert float(tape.gradient(y, w)) == 6.0


def test_b12_a_record_can_be_reset() -> None:
    """B12: after reset the tape starts again, also a released one; watched values are forgotten."""
    w, x = ak.Variable(3.0), ak.constant(2.0)
    with ak.GradientTape() as tape:
        tape.watch(x)
        y = w * w
        tape.reset()
        z = w * 5.0 * x
    assert tape.gradient([y, z], [w, x])[0].tolist() == 10.0
    tape.reset()
    assert tape.nodes == ()
    with tape:
        z = w * 7.0
    assert float(tape.gradient(z, w)) == 7.0


def test_leaving_and_entering_again_adds_to_the_record() -> None:
    w = ak.Variable(3.0)
    tape = ak.GradientTape()
    with tape:
        y = w * w
    y_outside = y * 100.0
    with tape:
        z = y + w
    assert [n.op for n in tape.nodes] == ["multiply", "add"]
    assert float(tape.gradient(z, w)) == 7.0
    assert float(y_outside) == 900.0


def test_entering_twice_is_an_error() -> None:
    tape = ak.GradientTape()
    with tape, pytest.raises(TapeError, match="already recording"):
        tape.__enter__()
    acc = ak.ForwardAccumulator(ak.constant(1.0), 1.0)
    with acc, pytest.raises(TapeError, match="already running"):
        acc.__enter__()


def test_a_tape_that_never_recorded() -> None:
    with pytest.raises(TapeError, match="nothing was recorded"):
        ak.GradientTape().gradient(ak.constant(1.0), ak.constant(1.0))


def test_an_exception_leaves_no_tape_open() -> None:
    w = ak.Variable(1.0)
    tape = ak.GradientTape()
    acc = ak.ForwardAccumulator(w, 1.0)
    with pytest.raises(ShapeError), tape, acc:
        y = w * 2.0
        ak.matmul(np.ones((2, 3)), np.ones((2, 3)))
    assert open_records.records == []
    z = y * 3.0
    assert [n.op for n in tape.nodes] == ["multiply"]
    assert float(z) == 6.0


def test_a_gradient_inside_the_block_of_a_persistent_tape_warns_once() -> None:
    w = ak.Variable(3.0)
    with ak.GradientTape(persistent=True) as tape:
        y = w**3
        with pytest.warns(UserWarning, match="inside the tape's own block"):
            g = tape.gradient(y, w)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            tape.gradient(y, w)
    assert float(tape.gradient(g, w)) == 18.0


def test_targets_and_sources_that_left_the_record() -> None:
    w = ak.Variable(1.0)
    with ak.GradientTape(persistent=True) as tape:
        y = float(w * 2.0)
    with pytest.raises(DtypeError, match="float.*not on any record"):
        tape.gradient(y, w)
    with pytest.raises(DtypeError, match="targets and sources must be tensors or variables, got float"):
        tape.gradient(w * 2.0, 1.0)


def test_a_target_that_is_a_variable() -> None:
    w = ak.Variable([1.0, 2.0])
    with ak.GradientTape(persistent=True) as tape:
        w.read_value()
    assert tape.gradient(w, w).tolist() == [1.0, 1.0]


def test_nodes_list_operations_and_locations() -> None:
    """Frozen rows: ids of inputs, negative ids for leaves, shape, dtype, and the line of the user's code."""
    w = ak.Variable(np.ones((2, 3), np.float32))
    with ak.GradientTape() as tape:
        y = ak.sin(w)
        z = y.sum(0)
    first, second = tape.nodes
    assert (first.id, first.op, first.inputs, first.shape, first.dtype) == (0, "sin", (-1,), (2, 3), "float32")
    assert (second.inputs, second.shape) == ((0,), (3,))
    assert first.cell == __file__
    assert second.line == first.line + 1
    assert first.code == "test_nodes_list_operations_and_locations"
    assert z.shape == (3,)
    with pytest.raises(AttributeError):
        first.op = "cos"  # type: ignore[misc]


def test_the_location_of_an_operation_inside_the_kit_is_the_users_line() -> None:
    w = ak.Variable([1.0, 2.0, 4.0])
    with ak.GradientTape() as tape:
        ak.std(w)
    assert {node.code for node in tape.nodes} == {"test_the_location_of_an_operation_inside_the_kit_is_the_users_line"}
    assert len({node.line for node in tape.nodes}) == 1


def test_a_closed_record_holds_no_frame() -> None:
    """While it is open it remembers the frame of the last operation; afterwards the caller's locals must be free."""
    x = ak.Variable(1.5)
    with ak.GradientTape(persistent=True) as outer, ak.GradientTape(persistent=True) as inner:
        y = x * x
    records = [outer._record, inner._record]
    joint = {id(s): s for r in records for s in r.joint_records.values()}
    assert [r.frame for r in (*records, *joint.values())] == [None] * 3
    assert float(outer.gradient(y, x)) == 3.0


@pytest.mark.parametrize("how", ["grad", "minimize"])
def test_what_outlives_the_kits_own_tape_holds_no_part_of_its_record(how: str) -> None:
    """The value of a loss, and a value that a list took out of the function."""
    kept: list[Any] = []
    w = ak.Variable([1.0, 2.0])

    def loss(w: Any) -> Any:
        kept.append(w * 3.0)
        return (kept[-1] ** 2).sum()

    if how == "grad":
        kept.append(ak.value_and_grad(loss)(w)[0])
    else:
        kept.append(ak.optim.SGD(0.1).minimize(lambda: loss(w), [w]))
    assert [t.node is None or t.node.parts == (None,) for t in kept] == [True, True]


class OpenedTapes:
    """Weak references to all tapes that open."""

    def __init__(self) -> None:
        self.tapes: list[Any] = []

    def tape_opened(self, tape: Any) -> None:
        self.tapes.append(weakref.ref(tape))

    def ignore(self, *_: Any) -> None: ...

    tape_closed = tape_differentiated = tape_releases = ignore


@pytest.fixture
def opened() -> Iterator[list[Any]]:
    """Weak references to the tapes that open in a test, while the collector is off."""
    observer = OpenedTapes()
    before = set_tape_observer(observer)
    gc.disable()
    yield observer.tapes
    gc.enable()
    set_tape_observer(before)


def test_nested_tapes_are_gone_without_the_collector(opened: list[Any]) -> None:
    """What several of them have recorded must not hold the frame in which they are variables."""
    w = ak.Variable([1.0, 2.0])

    def penalty() -> Any:
        with ak.GradientTape() as tape:
            loss = (w**3).sum()
        return (tape.gradient(loss, w) ** 2).sum()

    ak.grad(lambda x: (ak.grad(lambda x: ak.sin(x).sum())(x) ** 2).sum())([1.0, 2.0])
    ak.optim.SGD(0.1).minimize(penalty, [w])
    assert len(opened) == 4
    assert [tape() for tape in opened] == [None] * 4


def test_an_operation_after_two_tapes_have_closed_notes_no_frame() -> None:
    x = ak.Variable(1.5)
    with ak.GradientTape() as outer, ak.GradientTape() as inner:
        y = x * x
    assert y.node is not None
    assert y.node.record.sink is None
    assert ak.sin(y).node is None
    assert y.node.record.frame is None
    assert float(inner.gradient(y, x)) == float(outer.gradient(y, x)) == 3.0


def test_a_tape_that_is_gone_holds_no_values_of_another() -> None:
    x = ak.constant(np.ones(10))
    gone, tape = ak.GradientTape(), ak.GradientTape()
    with gone, tape:
        gone.watch(x)
        tape.watch(x)
        with gone.stop_recording():
            y = ak.sum(ak.exp(x) * x)
    del gone
    tape.gradient(y, x)
    assert [node.saved for node in tape._record.nodes] == [None] * 3


@pytest.mark.parametrize("how", ["grad", "minimize"])
def test_an_error_in_the_backward_pass_keeps_no_values(how: str, opened: list[Any]) -> None:
    """Its traceback holds the tape, in a notebook until the next error."""

    @ak.custom_gradient
    def broken(x: Any) -> Any:
        def rule(_: Any) -> Any:
            raise ArithmeticError("of the user")

        return x, rule

    w = ak.Variable([1.0, 2.0])
    with pytest.raises(ArithmeticError) as caught:
        if how == "grad":
            ak.grad(lambda x: broken(ak.sin(x) * x).sum())(w)
        else:
            ak.optim.SGD(0.1).minimize(lambda: broken(ak.sin(w) * w).sum(), [w])
    assert caught.tb is not None
    (tape,) = (ref() for ref in opened)
    assert {node.saved for node in tape._record.nodes} == {None}


@pytest.fixture
def thresholds() -> Iterator[tuple[int, int, int]]:
    """The collector's thresholds that a user has set; afterwards those of before."""
    before = gc.get_threshold()
    gc.set_threshold(700, 10, 5)
    yield gc.get_threshold()
    gc.enable()
    gc.set_threshold(*before)


def test_the_collector_looks_less_often_while_a_tape_records(thresholds: tuple[int, int, int]) -> None:
    starts: list[str] = []
    count = lambda phase, _info: starts.append(phase) if phase == "start" else None  # noqa: E731
    x = ak.Variable(1.0)
    gc.callbacks.append(count)
    try:
        with ak.GradientTape() as tape:
            y = x * 1.0
            for _ in range(60_000):
                y = y * 1.0
    finally:
        gc.callbacks.remove(count)
    assert len(starts) < 5
    assert gc.get_threshold() == thresholds
    assert float(tape.gradient(y, x)) == 1.0


def _layers(x: Any) -> Any:
    for _ in range(600):
        x = ak.sin(x) * 1.5
    return ak.sum(x)


@pytest.mark.parametrize("start", [0.5, np.linspace(0.0, 1.0, 3)], ids=["numbers", "arrays"])
@pytest.mark.parametrize("how", ["grad", "value_and_grad", "minimize"])
def test_the_collector_never_looks_at_a_record_that_is_dropped(
    thresholds: tuple[int, int, int], how: str, start: Any
) -> None:
    w, optimizer = ak.Variable(start), ak.optim.SGD(0.0)
    run = {
        "grad": lambda: ak.grad(_layers)(start),
        "value_and_grad": lambda: ak.value_and_grad(_layers)(start),
        "minimize": lambda: optimizer.minimize(lambda: _layers(w), [w]),
    }[how]
    starts: list[str] = []
    count = lambda phase, _info: starts.append(phase) if phase == "start" else None  # noqa: E731
    gc.collect()
    kept = [run(), run()]  # the first fills Python's lists of free tuples, which the collector has emptied
    before = len(gc.get_objects())
    gc.callbacks.append(count)
    try:
        kept += [run() for _ in range(3)]
    finally:
        gc.callbacks.remove(count)
    assert not starts
    assert len(gc.get_objects()) - before < 100  # a loss that is kept holds no part of its record
    assert gc.get_threshold() == thresholds


@pytest.fixture
def nothing_frozen() -> Iterator[None]:
    """No objects that the collector never looks at, such as the collected tests; afterwards there are again."""
    frozen = gc.get_freeze_count()
    gc.unfreeze()
    yield
    if frozen:
        gc.freeze()


def _ages_after(values: Any, times: int) -> bool:
    """Whether a fresh object belongs to the collector's oldest generation after a tape that it was made in."""
    with ak.GradientTape() as tape:
        made: list[Any] = []
        y = x = ak.Variable(values)
        for _ in range(times):
            y = y * 1.0
    old = any(one is made for one in gc.get_objects(generation=2))
    assert tape.gradient(y, x) is not None
    return old


@pytest.mark.usefixtures("nothing_frozen")
def test_what_a_long_record_of_numbers_leaves_counts_as_old(thresholds: tuple[int, int, int]) -> None:
    assert _ages_after(1.0, 2000)
    assert not _ages_after([1.0, 2.0], 2000)  # garbage may hold arrays
    assert not _ages_after(1.0, 3)
    assert gc.get_freeze_count() == 0
    gc.freeze()
    try:
        _ages_after(1.0, 2000)
        assert gc.get_freeze_count() > 1000  # what others have frozen stays frozen
    finally:
        gc.unfreeze()
    assert gc.get_threshold() == thresholds


@pytest.mark.usefixtures("nothing_frozen")
def test_garbage_that_counts_as_old_is_collected_after_some_millions_of_objects(
    thresholds: tuple[int, int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    class Cycle:
        def __init__(self) -> None:
            self.itself = self

    monkeypatch.setattr(collector, "_THRESHOLDS", (5000, 50, 50))
    garbage = weakref.ref(Cycle())
    for _ in range(5):
        _ages_after(1.0, 1000)
    assert garbage() is None
    assert gc.get_threshold() == thresholds


def test_the_thresholds_return_with_the_last_tape(thresholds: tuple[int, int, int]) -> None:
    outer, inner = ak.GradientTape(), ak.GradientTape()
    with outer:
        raised = gc.get_threshold()
        assert all(more >= own for more, own in zip(raised, thresholds, strict=True))
        assert raised[0] > 10_000
        with pytest.raises(ZeroDivisionError), inner:
            _ = 1 / 0
        assert gc.get_threshold() == raised
        with pytest.raises(ak.AutodiffError), outer:
            pass
        assert gc.get_threshold() == raised
    assert gc.get_threshold() == thresholds


def test_tapes_of_several_threads_share_the_thresholds(thresholds: tuple[int, int, int]) -> None:
    opened, closed = threading.Event(), threading.Event()

    def record() -> None:
        with ak.GradientTape():
            opened.set()
            closed.wait(10)

    thread = threading.Thread(target=record)
    with ak.GradientTape():
        thread.start()
        assert opened.wait(10)
    assert gc.get_threshold() != thresholds  # the other tape still records
    closed.set()
    thread.join()
    assert gc.get_threshold() == thresholds


def test_the_users_own_thresholds_win(thresholds: tuple[int, int, int]) -> None:
    gc.set_threshold(10**7, 10, 10**3)
    own = gc.get_threshold()
    with ak.GradientTape():
        assert gc.get_threshold()[::2] == own[::2]
    assert gc.get_threshold() == own
    with ak.GradientTape():
        gc.set_threshold(123, 4, 5)
        own = gc.get_threshold()
    assert gc.get_threshold() == own
    for off in (gc.disable, lambda: gc.set_threshold(0, 10, 10)):
        gc.set_threshold(700, 10, 5)
        off()
        own = gc.get_threshold()
        with ak.GradientTape():
            assert gc.get_threshold() == own
        assert gc.get_threshold() == own
        gc.enable()
