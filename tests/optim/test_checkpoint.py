"""Checkpoints: resumed training gives the same bits; files and states that do not fit are refused with a reason."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import autodiff_kit as ak
from autodiff_kit.errors import AutodiffError, DtypeError, FileError, ShapeError, StructureError

TRAINING = """
import itertools, sys
import numpy as np
import autodiff_kit as ak
from autodiff_kit import kernels
part, *folders = sys.argv[1:]
if kernels.enabled():
    assert kernels.compile_all_loops()
makers = {
    "SGD": lambda: ak.optim.SGD(0.1),
    "momentum": lambda: ak.optim.SGD(0.1, momentum=0.9),
    "Nesterov": lambda: ak.optim.SGD(0.1, momentum=0.9, nesterov=True),
    "Adagrad": lambda: ak.optim.Adagrad(0.1, initial_accumulator=0.1),
    "Adadelta": lambda: ak.optim.Adadelta(decay=0.95),
    "RMSProp": lambda: ak.optim.RMSProp(0.01, momentum=0.5),
    "Adam": lambda: ak.optim.Adam(0.01, beta1=0.8),
    "lazy Adam": lambda: ak.optim.Adam(0.01, lazy=True),
    "AdamW": lambda: ak.optim.AdamW(0.01, weight_decay=0.1),
}
x = np.random.default_rng(0).normal(size=(8, 3)).astype("float32")
for folder, (name, make) in itertools.product(folders, makers.items()):
    rng = np.random.default_rng(1)
    kernel = ak.Variable(rng.normal(size=(3, 4)), dtype="float32", name="kernel")
    scale, half = ak.Variable(0.5), ak.Variable(rng.normal(size=5), dtype="float16")
    table = ak.Variable(rng.normal(size=(7, 4)), name="kernel")
    variables = [kernel, scale, half, table]
    opt = make() if part == "whole" else type(make())(0.5)
    start = 0
    if part == "rest":
        opt.load(f"{folder}/{name}.npz")
        with np.load(f"{folder}/{name} values.npz") as kept:
            for k, v in enumerate(variables):
                v.assign(kept[str(k)])
        start = 30
    for step in range(start, 60):
        ids = np.random.default_rng(step).integers(0, 7, 3)
        with ak.GradientTape() as tape:
            rows = ak.take(table, ids, axis=0)
            y = ak.tanh(ak.constant(x) @ kernel) * scale
            loss = (y * y).mean() + ((half - 1.0) ** 2).sum() + (rows * rows).sum()
        *first, _ = tape.gradient(loss, variables)
        last = ak.RowGradient(ids, 2.0 * table.numpy()[ids], (7, 4))
        opt.apply_gradients(zip([*first, last], variables))
        if step == 29 and part == "whole":
            opt.save(f"{folder}/{name}.npz")
            np.savez(f"{folder}/{name} values.npz", **{str(k): v.numpy() for k, v in enumerate(variables)})
    found = [v.numpy() for v in variables] + [opt.get_slot(v, s) for v in variables for s in opt.slot_names()]
    print(name, [(a.dtype.str, a.shape, a.tobytes().hex()) for a in found])
"""


def trained(part: str, numba: str, *folders: Path) -> list[str]:
    """The states at the end of a training for each folder, one after the other in a fresh process."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", TRAINING, part, *map(str, folders)],
        capture_output=True, text=True, timeout=300, check=False,
        env=os.environ | {"AUTODIFF_KIT_NUMBA": numba},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_b39_training_resumed_in_a_fresh_process_gives_the_same_bits(tmp_path: Path) -> None:
    """Every optimizer, three dtypes, a repeated name, no name, rows; with NumPy, with loops, with both."""
    pytest.importorskip("numba")
    by_numpy, by_loops = tmp_path / "numpy", tmp_path / "loops"
    by_numpy.mkdir()
    by_loops.mkdir()
    whole = trained("whole", "0", by_numpy)
    assert [line.split(" [")[0] for line in whole] == [
        "SGD", "momentum", "Nesterov", "Adagrad", "Adadelta", "RMSProp", "Adam", "lazy Adam", "AdamW",
    ]  # fmt: skip
    assert trained("rest", "0", by_numpy) == whole
    assert trained("whole", "1", by_loops) == whole
    assert trained("rest", "1", by_numpy, by_loops) == whole * 2  # started with NumPy or with loops, ended with loops


def stepped(make: Any = lambda: ak.optim.Adam(0.1), names: Any = ("w", "b")) -> tuple[Any, Any, Any]:
    w, b = ak.Variable(np.ones((2, 3)), name=names[0]), ak.Variable(1.0, name=names[1])
    opt = make()
    opt.apply_gradients([(np.ones((2, 3)), w), (2.0, b)])
    return opt, w, b


def test_a_file_holds_text_and_arrays_only(tmp_path: Path) -> None:
    opt, w, _ = stepped()
    opt.save(tmp_path / "adam.npz")
    with np.load(tmp_path / "adam.npz", allow_pickle=False) as kept:
        head = json.loads(kept["autodiff_kit.optimizer"].tobytes())
        values = head.pop("values")  # a checksum for each variable, by which equal names are told apart
        assert {key: (name, type(sum_)) for key, (name, sum_) in values.items()} == {"w": ("w", int), "b": ("b", int)}
        assert head == {
            "format": 1,
            "kind": "Adam",
            "settings": {"learning_rate": 0.1, "beta1": 0.9, "beta2": 0.999, "epsilon": 1e-8, "lazy": False},
            "variables": ["w", "b"],
        }
        assert kept["0/m"].tobytes() == opt.get_slot(w, "m").tobytes()
        assert kept["1/t"] == 1
    assert [p.name for p in tmp_path.iterdir()] == ["adam.npz"]


def test_settings_come_with_the_state(tmp_path: Path) -> None:
    """So that the resumed training is the same; a rate may be changed after loading."""
    opt, *_ = stepped(lambda: ak.optim.SGD(0.25, momentum=0.5, nesterov=True))
    opt.save(tmp_path / "s")
    other = ak.optim.SGD(0.1)
    other.load(str(tmp_path / "s"))
    assert (other.learning_rate, other.momentum, other.nesterov) == (0.25, 0.5, True)
    assert other.slot_names() == ("momentum",)


def test_a_file_is_replaced_atomically(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opt, w, b = stepped()
    opt.save(tmp_path / "s.npz")
    before = (tmp_path / "s.npz").read_bytes()

    def full(*_: Any) -> None:
        raise OSError("no space left on device")

    opt.apply_gradients([(np.ones((2, 3)), w), (1.0, b)])
    with monkeypatch.context() as patch, pytest.raises(FileError, match="cannot save to .* no space left"):
        patch.setattr(os, "fsync", full)
        opt.save(tmp_path / "s.npz")
    assert (tmp_path / "s.npz").read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["s.npz"]
    with pytest.raises(FileError, match="cannot save"):
        opt.save(tmp_path / "no folder" / "s.npz")


def _foreign(path: Path) -> None:
    np.savez(path, a=np.ones(3))


def _cut(path: Path) -> None:
    stepped()[0].save(path)
    path.write_bytes(path.read_bytes()[:-200])


def _flipped(path: Path) -> None:
    opt, w, _ = stepped()
    opt.save(path)
    data = bytearray(path.read_bytes())
    data[data.index(opt.get_slot(w, "m").tobytes())] ^= 255
    path.write_bytes(bytes(data))


def _head(**changes: Any) -> Any:
    def write(path: Path) -> None:
        head = {"format": 1, "kind": "Adam", "settings": ak.optim.Adam().state_dict()["settings"], "variables": ["w"]}
        text = json.dumps(head | changes).encode()
        np.savez(path, **{"autodiff_kit.optimizer": np.frombuffer(text, np.uint8), "0/m": np.ones(2)})  # type: ignore[arg-type]

    return write


def _pickled(path: Path) -> None:
    np.savez(path, **{"autodiff_kit.optimizer": np.array([{"format": 1}], object)}, allow_pickle=True)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("write", "words"),
    [
        (lambda path: None, "there is no file"),
        (lambda path: path.write_text("hello"), "is damaged, or is not the file of a saved optimizer"),
        (lambda path: path.write_bytes(b""), "is damaged, or is not the file of a saved optimizer"),
        (lambda path: path.mkdir(), "is damaged, or is not the file of a saved optimizer"),
        (_foreign, "was not saved by an optimizer"),
        (_cut, "damaged"),
        (_flipped, "damaged|no optimizer"),
        (_pickled, "damaged"),
        (_head(format=2), "has format 2, but this kit reads format 1"),
        (_head(kind="SGD"), "state of SGD, not of Adam"),
        (_head(settings={}), "must have the settings learning_rate, beta1"),
        (_head(settings=None), "must have the settings"),
        (_head(settings=ak.optim.Adam().state_dict()["settings"] | {"beta1": "x"}), "setting 'beta1'"),
        (_head(variables=[]), "its metadata do not fit its arrays"),
        (_head(variables=3), "its metadata do not fit its arrays"),
        (_head(), r"has slots \['m'\], and needs \['m', 't', 'v'\]"),
    ],
)
def test_invalid_files_are_errors(tmp_path: Path, write: Any, words: str) -> None:
    write(tmp_path / "s.npz")
    opt, w, _ = stepped()
    before = opt.get_slot(w, "m").tobytes()
    with pytest.raises((FileError, StructureError), match=words):
        opt.load(tmp_path / "s.npz")
    assert opt.get_slot(w, "m").tobytes() == before


def state_read(path: Path) -> bytes:
    """The slots of a new optimizer for the first variable, once it has loaded a file."""
    opt, w = ak.optim.Adam(0.1), ak.Variable(np.ones((2, 3)), name="w")
    opt.load(path)
    return b"".join(opt.get_slot(w, name).tobytes() for name in ("m", "v", "t"))


def test_every_byte_may_be_wrong(tmp_path: Path) -> None:
    """A damaged file is either read correctly or rejected with an error of the kit."""
    opt, *_ = stepped()
    opt.save(tmp_path / "s.npz")
    data = (tmp_path / "s.npz").read_bytes()
    right, refused = state_read(tmp_path / "s.npz"), 0
    for place in range(0, len(data), 7):
        bad = bytearray(data)
        bad[place] ^= 0x55
        (tmp_path / "bad.npz").write_bytes(bytes(bad))
        try:
            found = state_read(tmp_path / "bad.npz")
        except AutodiffError:
            refused += 1
        else:
            assert found == right, place
    assert refused > 0


def test_variables_that_do_not_fit(tmp_path: Path) -> None:
    path = tmp_path / "s.npz"
    stepped()[0].save(path)
    with pytest.raises(StructureError, match="state of Adam, not of AdamW"):
        ak.optim.AdamW().load(path)
    opt = ak.optim.Adam()
    opt.load(path)
    stranger, wide = ak.Variable(1.0, name="stranger"), ak.Variable(np.ones((3, 2)), name="w")
    known = ak.Variable(1.0, name="b")
    with pytest.raises(StructureError, match="has no variable 'stranger'; it has 'w'"):
        opt.apply_gradients([(1.0, known), (1.0, stranger)])
    assert float(known) == 1.0
    with pytest.raises(ShapeError, match=r"'w' has shape \(3, 2\), but its slot 'm' has \(2, 3\)"):
        opt.apply_gradients([(np.ones((3, 2)), wide)])
    single = ak.Variable(np.ones((2, 3)), name="w", dtype="float32")
    with pytest.raises(DtypeError, match="dtype float32, but its slot has float64"):
        opt.apply_gradients([(np.ones((2, 3)), single)])
    other = ak.optim.Adam()
    other.apply_gradients([(1.0, stranger)])
    with pytest.raises(StructureError, match="knows no variable 'stranger'; it knows 'w', 'b'"):
        other.load(path)
    other.load(path, strict=False)
    assert other.get_slot(stranger, "t") == 0
    with pytest.raises(DtypeError, match="a path must be a string"):
        other.load(3)  # type: ignore[arg-type]


def test_names_that_occur_twice_and_none_are_kept_apart(tmp_path: Path) -> None:
    """By the order of first steps; two layers both name their weights "kernel"."""
    makers = [(1.0, "kernel"), (2.0, "kernel"), (3.0, None), (4.0, None), (5.0, "kernel")]
    opt = ak.optim.SGD(0.1, momentum=0.9)
    for value, name in makers:
        opt.apply_gradients([(value, ak.Variable(0.0, name=name))])
    assert list(opt.state_dict()["slots"]) == ["kernel", "kernel (2)", "variable 2", "variable 3", "kernel (3)"]
    opt.save(tmp_path / "s")
    again, variables = ak.optim.SGD(0.5), [ak.Variable(0.0, name=name) for _, name in makers]
    again.load(tmp_path / "s")
    again.apply_gradients([(0.0, v) for v in variables])
    assert [float(again.get_slot(v, "momentum")) for v in variables] == [0.9 * value for value, _ in makers]


def test_unused_loaded_slots_are_saved_again(tmp_path: Path) -> None:
    opt, *_ = stepped()
    opt.save(tmp_path / "1")
    again = ak.optim.Adam()
    again.load(tmp_path / "1")
    again.save(tmp_path / "2")
    with zipfile.ZipFile(tmp_path / "1") as one, zipfile.ZipFile(tmp_path / "2") as two:
        assert {n: one.read(n) for n in one.namelist()} == {n: two.read(n) for n in two.namelist()}


@pytest.mark.parametrize(
    "state", [None, 3, {}, {"kind": 3}, {"kind": "SGD"}, {"kind": "SGD", "settings": {}, "slots": 0}]
)
def test_invalid_states_are_errors(state: Any) -> None:
    with pytest.raises(StructureError):
        ak.optim.SGD(0.1).load_state_dict(state)


def test_a_state_with_one_invalid_setting_changes_none() -> None:
    w, opt = ak.Variable([1.0]), ak.optim.Adam(0.1)
    opt.apply_gradients([([1.0], w)])
    state = opt.state_dict()
    state["settings"] |= {"learning_rate": 0.5, "beta1": 2.0}
    with pytest.raises(StructureError, match="beta1 must be at least 0 and below 1"):
        opt.load_state_dict(state)
    assert (opt.learning_rate, opt.beta1) == (0.1, 0.9)


def _dense(seed: int) -> list[ak.Variable]:
    """Two dense layers: all of the kit's name theirs alike."""
    rng = np.random.default_rng(seed)
    shapes = [((3, 3), "dense/kernel"), ((3,), "dense/bias")] * 2
    return [ak.Variable(rng.normal(size=shape), name=name) for shape, name in shapes]


def _step(opt: Any, variables: list[ak.Variable], frozen: range, step: int) -> None:
    grads = [np.random.default_rng([step, k]).normal(size=w.shape) for k, w in enumerate(variables)]
    opt.apply_gradients(
        [(None if k in frozen else g, w) for k, (g, w) in enumerate(zip(grads, variables, strict=True))]
    )


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("steps_of_all", [0, 2])
def test_equal_names_are_told_apart_by_their_values(tmp_path: Path, steps_of_all: int, compiled: bool) -> None:
    """The first layer was frozen in the first steps, so the second one stepped first; both have the same names."""
    opt, variables = ak.optim.Adam(0.1), _dense(0)
    for step in range(3 + steps_of_all):
        _step(opt, variables, range(2) if step < 3 else range(0), step)
    opt.save(tmp_path / "s")
    again, fresh = ak.optim.Adam(0.5), _dense(1)
    again.load(tmp_path / "s", strict=False)
    for w, old in zip(fresh, variables, strict=True):
        w.assign(old)
    if compiled:
        ak.compile(lambda: again.apply_gradients([(w * 0.3, w) for w in fresh]))()
        opt.apply_gradients([(w * 0.3, w) for w in variables])
    else:
        _step(again, fresh, range(0), 9)
        _step(opt, variables, range(0), 9)
    for w, old in zip(fresh, variables, strict=True):
        np.testing.assert_allclose(w.numpy(), old.numpy(), rtol=1e-12)
        np.testing.assert_allclose(again.get_slot(w, "v"), opt.get_slot(old, "v"), rtol=1e-12)
        assert again.get_slot(w, "t") == opt.get_slot(old, "t")


@pytest.mark.parametrize("names", [("w", "w (2)", "w"), ("w (2)", "w", "w"), (None, "variable 0", None, "variable 2")])
def test_names_that_collide_with_numbered_ones_lose_nothing(names: tuple[str | None, ...]) -> None:
    opt, variables = ak.optim.Adam(0.1), [ak.Variable(float(k), name=name) for k, name in enumerate(names)]
    opt.apply_gradients([(float(k + 1), w) for k, w in enumerate(variables)])
    state = opt.state_dict()
    assert len(state["slots"]) == len(names)
    again, fresh = ak.optim.Adam(0.1), [ak.Variable(w.numpy(), name=w.name) for w in variables]
    again.load_state_dict(state)
    order = np.random.default_rng(0).permutation(len(names))
    for k in order:
        assert again.get_slot(fresh[k], "m") == opt.get_slot(variables[k], "m")
        state = again.state_dict()  # what waits and what has stepped do not collide either
        assert len(state["slots"]) == len(names)
    opt.load_state_dict(state)
    for w, new in zip(variables, fresh, strict=True):
        assert opt.get_slot(w, "m") == again.get_slot(new, "m")
