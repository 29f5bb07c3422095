"""Modules: the variables they find, their order and names, and saved files. Row B46."""

from __future__ import annotations

import copy
import gc
import weakref
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import autodiff_kit as ak
from autodiff_kit.errors import AutodiffError, DtypeError, FileError, StructureError


class Dense(ak.Module):
    def __init__(self, n: int = 3, m: int = 2, start: float = 0.0) -> None:
        self.kernel = ak.Variable(np.arange(n * m, dtype=float).reshape(n, m) + start)
        self.bias = ak.Variable(np.full(m, start))

    def __call__(self, x: Any) -> Any:
        return x @ self.kernel + self.bias


class Model(ak.Module):
    def __init__(self, start: float = 0.0) -> None:
        self.dense = Dense(start=start)
        self.blocks = [Dense(2, 2, start), {"in": Dense(2, 1, start), 7: ak.Variable(start)}]
        self.count = ak.Variable(int(start), trainable=False)
        self.pair = (ak.Variable(np.float32([start])), "not a variable", 3)


NAMES = [
    "dense/kernel", "dense/bias", "blocks/0/kernel", "blocks/0/bias", "blocks/1/in/kernel", "blocks/1/in/bias",
    "blocks/1/7", "count", "pair/0",
]  # fmt: skip


# -------------------------------------------------------------------------------------------- which variables, and how
def test_names_shapes_and_order() -> None:
    model = Model()
    named = model.named_variables()
    assert list(named) == NAMES
    assert (named["dense/kernel"].shape, named["dense/bias"].shape) == ((3, 2), (2,))
    assert [id(w) for w in model.variables] == [id(w) for w in named.values()]
    assert [id(w) for w in model.trainable_variables] == [id(w) for n, w in named.items() if n != "count"]
    assert model.parameter_count == 6 + 2 + 4 + 2 + 2 + 1 + 1 + 1 + 1


def test_variables_follow_the_order_of_assignment_and_removal() -> None:
    model = Model()
    model.extra = ak.Variable(1.0)
    del model.blocks
    assert list(model.named_variables()) == ["dense/kernel", "dense/bias", "count", "pair/0", "extra"]


def test_shared_variables_count_once_under_their_first_name() -> None:
    model = Model()
    model.again = model.dense
    model.tied = [model.dense.kernel, model.blocks]
    assert list(model.named_variables()) == NAMES
    assert len(model.variables) == len(NAMES)


def test_cyclic_references_are_visited_once() -> None:
    model, other = Model(), ak.Module()
    model.other, other.back = other, model
    other.ring = [other]
    other.ring.append(other.ring)
    other.own = ak.Variable(1.0)
    assert list(model.named_variables()) == [*NAMES, "other/own"]
    assert next(iter(other.named_variables())) == "back/dense/kernel"


def test_a_long_chain_needs_no_deep_stack() -> None:
    first = link = ak.Module()
    for k in range(5000):
        link.w = ak.Variable(float(k))
        link.next = ak.Module()
        link = link.next
    assert [float(w) for w in first.variables] == [float(k) for k in range(5000)]


def test_a_subclass_needs_no_base_init_and_attributes_stay_what_they_are() -> None:
    model = Model()
    assert type(model.blocks) is list
    assert type(model.pair) is tuple
    assert set(vars(model)) == {"dense", "blocks", "count", "pair"}
    assert ak.Module().variables == []


def test_two_variables_of_one_name_are_an_error_and_both_still_train() -> None:
    model = ak.Module()
    model.table = {1: ak.Variable(1.0), "1": ak.Variable(2.0)}
    assert len(model.trainable_variables) == 2
    with pytest.raises(StructureError, match="both called 'table/1'"):
        model.named_variables()


def test_gradients_and_steps_reach_every_variable() -> None:
    model = Model(1.0)
    optimizer = ak.optim.SGD(0.1)
    before = {n: w.numpy().copy() for n, w in model.named_variables().items()}

    def loss() -> Any:
        middle = model.blocks[0](model.dense(np.ones((4, 3))))
        last = model.blocks[1]["in"](middle) * model.blocks[1][7]
        return last.sum() + model.pair[0].sum()

    optimizer.minimize(loss, model.trainable_variables)
    moved = {n for n, w in model.named_variables().items() if not np.array_equal(w.numpy(), before[n])}
    assert moved == set(NAMES) - {"count"}


def test_a_copy_has_separate_variables() -> None:
    model = Model(1.0)
    twin = copy.deepcopy(model)
    twin.dense.bias.assign([9.0, 9.0])
    assert model.dense.bias.numpy().tolist() == [1.0, 1.0]
    assert list(twin.named_variables()) == NAMES


def test_printed() -> None:
    text = repr(Model())
    assert text.splitlines()[:3] == [
        "Model: 20 parameters in 9 variables",
        "  dense/kernel        (3, 2)  float64  6",
        "  dense/bias          (2,)    float64  2",
    ]
    assert "count               ()      int64    1  fixed" in text
    wide = ak.Module()
    wide.many = [ak.Variable(0.0) for _ in range(100)]
    assert repr(wide).splitlines()[-1] == "  and 70 more"
    assert repr(ak.Module()) == "Module: 0 parameters in 0 variables"


# ------------------------------------------------------------------------------------------------------------ the file
def values(model: ak.Module) -> dict[str, Any]:
    return {n: (w.numpy().tolist(), w.dtype, w.shape) for n, w in model.named_variables().items()}


def test_save_and_load(tmp_path: Path) -> None:
    first, second = Model(3.0), Model(5.0)
    first.save(tmp_path / "model.npz")
    variables = second.variables
    assert second.load(tmp_path / "model.npz") == NAMES
    assert values(second) == values(first)
    assert [id(w) for w in second.variables] == [id(w) for w in variables]
    assert second.dense(np.ones((1, 3))).numpy().tolist() == first.dense(np.ones((1, 3))).numpy().tolist()


def test_every_dtype_and_shape_comes_back_bit_for_bit(tmp_path: Path) -> None:
    start = [np.float16(1.1), np.float32([[]]), 0.1, np.nan, -0.0, np.arange(6).reshape(1, 2, 3), True]
    one, two = ak.Module(), ak.Module()
    one.file = [ak.Variable(x) for x in start]
    two.file = [ak.Variable(np.zeros_like(x)) for x in start]
    one.save(str(tmp_path / "without ending"))
    two.load(str(tmp_path / "without ending"))
    for a, b in zip(one.variables, two.variables, strict=True):
        assert (a.numpy().tobytes(), a.dtype, a.shape) == (b.numpy().tobytes(), b.dtype, b.shape)
    assert type(two.variables[2].read_value()._value) is float


def test_names_with_a_meaning_in_numpys_file_format(tmp_path: Path) -> None:
    model, other = ak.Module(), ak.Module()
    for k, one in enumerate((model, other)):
        for name in ("file", "allow_pickle", "args", "x", "x.npy", "größe", "a b"):
            setattr(one, name, ak.Variable(float(k + len(name))))
    model.save(tmp_path / "m.npz")
    other.load(tmp_path / "m.npz")
    assert values(other) == values(model)


def test_the_file_is_one_that_numpy_reads(tmp_path: Path) -> None:
    Model(2.0).save(tmp_path / "m.npz")
    with np.load(tmp_path / "m.npz", allow_pickle=False) as kept:
        assert set(kept) == {*NAMES, "autodiff_kit.format"}
        assert kept["dense/bias"].tolist() == [2.0, 2.0]
        assert int(kept["autodiff_kit.format"]) == 1


def test_all_differences_are_listed_and_nothing_is_changed(tmp_path: Path) -> None:
    other = Model(3.0)
    del other.pair
    other.dense.kernel = ak.Variable(np.zeros((4, 2)))
    other.dense.bias = ak.Variable(np.zeros(2, np.float32))
    other.more = ak.Variable([1.0])
    other.save(tmp_path / "m.npz")
    model = Model(5.0)
    before = values(model)
    with pytest.raises(StructureError) as caught:
        model.load(tmp_path / "m.npz")
    for line in (
        "pair/0 (1,): only the module has it",
        "more (1,): only the file has it",
        "dense/kernel: the module has shape (3, 2), the file has (4, 2)",
        "dense/bias: the module has dtype float64, the file has float32",
        "nothing was changed",
    ):
        assert line in str(caught.value)
    assert values(model) == before
    with pytest.raises(ValueError, match="dense/kernel") as loose:
        model.load(tmp_path / "m.npz", strict=False)
    assert "more" not in str(loose.value)
    assert values(model) == before


def test_not_strict_skips_unknown_names(tmp_path: Path) -> None:
    other, model = Model(3.0), Model(5.0)
    del other.pair
    other.more = ak.Variable([1.0])
    other.save(tmp_path / "m.npz")
    assert model.load(tmp_path / "m.npz", strict=False) == NAMES[:-1]
    assert float(model.blocks[1][7]) == 3.0
    assert model.pair[0].numpy().tolist() == [5.0]


def test_a_saved_file_is_replaced_only_when_the_new_one_is_complete(tmp_path: Path, monkeypatch: Any) -> None:
    path = tmp_path / "m.npz"
    Model(3.0).save(path)
    written = np.lib.format.write_array
    calls = []

    def fails(file: Any, array: Any, **options: Any) -> None:
        calls.append(1)
        if len(calls) == 3:
            raise OSError("no space left on device")
        written(file, array, **options)

    monkeypatch.setattr(np.lib.format, "write_array", fails)
    with pytest.raises(FileError, match="no space left"):
        Model(4.0).save(path)
    monkeypatch.undo()
    assert [p.name for p in tmp_path.iterdir()] == ["m.npz"]
    model = Model()
    model.load(path)
    assert model.dense.bias.numpy().tolist() == [3.0, 3.0]
    Model(4.0).save(path)
    model.load(path)
    assert model.dense.bias.numpy().tolist() == [4.0, 4.0]


def test_every_damaged_byte_gives_an_error_of_the_kit_or_the_same_values(tmp_path: Path) -> None:
    model, path = ak.Module(), tmp_path / "m.npz"
    model.w = ak.Variable([1.5, 2.5])
    model.save(path)
    whole = path.read_bytes()
    refused = 0
    for k in range(len(whole)):
        path.write_bytes(whole[:k] + bytes([whole[k] ^ 0x41]) + whole[k + 1 :])
        try:
            model.load(path)
        except AutodiffError:
            refused += 1
        assert model.w.numpy().tolist() == [1.5, 2.5]
    assert refused > len(whole) / 2
    for k in range(0, len(whole), 7):
        path.write_bytes(whole[:k])
        with pytest.raises((FileError, StructureError)):
            model.load(path)


def test_foreign_files(tmp_path: Path) -> None:
    model, path = Model(), tmp_path / "m.npz"
    with pytest.raises(FileError, match="there is no file"):
        model.load(path)
    np.savez(path, **{"dense/kernel": np.zeros((3, 2))})
    with pytest.raises(StructureError, match="was not saved by a module"):
        model.load(path)
    np.savez(path, **{"autodiff_kit.format": 2})
    with pytest.raises(StructureError, match="format 2, but this kit reads format 1"):
        model.load(path)
    np.savez(path, **{"autodiff_kit.format": 1, "dense/kernel": np.array([print], dtype=object)})
    with pytest.raises(FileError, match="damaged"):
        model.load(path)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("readme.txt", "hello")
    with pytest.raises(FileError, match="damaged"):
        model.load(path)
    huge = b"\x93NUMPY\x01\x00" + b"v\x00" + b"{'descr': '<f8', 'fortran_order': False, 'shape': (999999999999999,), }"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("w.npy", huge.ljust(127) + b"\n")
    with pytest.raises(FileError, match="damaged"):
        model.load(path)
    with pytest.raises(FileError):
        model.load(tmp_path)


def test_unbuilt_modules_are_neither_saved_nor_loaded(tmp_path: Path) -> None:
    first, second = (ak.layers.Sequential(ak.layers.Dense(2, seed=seed)) for seed in (0, 1))
    with pytest.raises(StructureError, match="layers/0/kernel is created at the first call"):
        first.save(tmp_path / "m.npz")
    assert not list(tmp_path.iterdir())
    first(np.ones((1, 3)))
    first.save(tmp_path / "m.npz")
    with pytest.raises(StructureError, match="call"):
        second.load(tmp_path / "m.npz")
    second(np.ones((1, 3)))
    second.load(tmp_path / "m.npz")
    assert np.array_equal(first.layers[0].kernel.numpy(), second.layers[0].kernel.numpy())


@pytest.mark.parametrize("path", [None, 3, 1.5, [], b"name"])
def test_a_path_is_a_path(path: Any) -> None:
    with pytest.raises(DtypeError, match="a path must be a string"):
        Model().save(path)
    with pytest.raises(DtypeError, match="a path must be a string"):
        Model().load(path)


def test_a_folder_that_is_missing_and_a_name_with_a_null() -> None:
    for path in ("/no/such/folder/m.npz", "a\0b"):
        with pytest.raises(FileError):
            Model().save(path)
        with pytest.raises(FileError):
            Model().load(path)


def test_the_name_of_the_format_is_reserved() -> None:
    model = ak.Module()
    setattr(model, "autodiff_kit.format", ak.Variable(1.0))
    with pytest.raises(StructureError, match="is reserved"):
        model.save("never written.npz")


def test_loading_keeps_open_tapes_correct_and_holds_no_reference(tmp_path: Path) -> None:
    Model(3.0).save(tmp_path / "m.npz")
    model = Model(1.0)
    with ak.GradientTape() as tape:
        before = model.dense(np.ones((1, 3))).sum()
        model.load(tmp_path / "m.npz")
        after = model.dense(np.ones((1, 3))).sum()
    assert float(after) == float(before) + 6 * 2 + 2 * 2
    assert tape.gradient(after, model.dense.bias).numpy().tolist() == [1.0, 1.0]
    alive = weakref.ref(tape)
    del tape, before, after
    gc.collect()
    assert alive() is None
