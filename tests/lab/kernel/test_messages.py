"""Every message of the tape inspector, for the tapes of the panels' design."""

from __future__ import annotations

import gc
import json
import math
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import autodiff_kit as ak
from autodiff_kit.core.tape_observer import set_tape_observer
from autodiff_kit.lab.kernel.cells import source_hash

from .conftest import unpacked

WHATS = ["value", "tangent", "cotangent"]


@pytest.fixture
def lesson(seen: Any, tapes: Any) -> Any:
    seen.tape, seen.names = tapes.first()
    return seen


@pytest.fixture
def attention(seen: Any, tapes: Any) -> Any:
    seen.tape, seen.names = tapes.attention()
    return seen


@pytest.fixture(scope="module")
def long(make_page: Any, tapes: Any) -> Any:
    page = make_page()
    with page.inspector:
        page.ask("tape.watch")
        page.tape, page.names = tapes.training()
        yield page


def row_of(page: Any, tape: str, name: str) -> int:
    names = page.ask("tape.head", tape=tape)["names"]
    return next(int(k) for k, n in names.items() if n == name)


# ------------------------------------------------------------------------------------------------------------- notices
def test_a_tape_is_announced_with_or_without_an_open_inspector(page: Any, tapes: Any, bytes_of: Any) -> None:
    _, names = tapes.first()
    (notice,) = page.notices
    assert notice["tape"] == "t1"
    assert notice["n"] == 12
    assert bytes_of(notice) <= 200
    assert not page.inspector.watchers
    assert names


def test_a_notice_stays_short_with_long_names(page: Any, bytes_of: Any) -> None:
    name = "a_function_with_a_name_that_nobody_would_want_to_read_in_a_panel_" * 3
    code = f"def {name}():\n    with ak.GradientTape() as tape:\n        return tape\n"
    space: dict[str, Any] = {"ak": ak}
    exec(compile(code, "/a/very/long/way/" * 20 + "file.py", "exec"), space)
    assert space[name]() is not None
    assert bytes_of(page.notices[0]) <= 200


def test_at_most_four_notices_a_second_and_the_last_one_wins(page: Any) -> None:
    begin = time.monotonic()
    held = []
    while time.monotonic() - begin < 0.6:
        with ak.GradientTape() as tape:
            ak.Variable(1.0) * 2.0
        held.append(tape)
    elapsed = time.monotonic() - begin  # a busy machine can make the last round long
    assert 1 <= len(page.notices) <= 1 + elapsed / 0.25
    page.inspector.send_notice()
    assert page.inspector.history.find(page.notices[-1]["tape"])[1] is held[-1]
    page.names = dict(zip(map(str, range(len(held))), held, strict=True))
    assert len(page.ask("tape.list")["tapes"]) == len(held)


def test_a_notice_that_came_too_early_is_sent_later(make_page: Any, tapes: Any) -> None:
    due: list[Any] = []
    page = make_page(call_later=lambda seconds, function: due.append((seconds, function)))
    with page.inspector:
        kept = [tapes.first(), tapes.first(), tapes.first()]
        assert len(page.notices) == 1
        ((seconds, function),) = due
        assert 0 < seconds <= 0.25
        time.sleep(seconds + 0.01)
        function()
        assert [n["tape"] for n in page.notices] == ["t1", "t2"]
        assert page.inspector.history.find("t2")[1] is kept[-1][0]


def test_rows_are_prepared_later_while_an_inspector_is_open(make_page: Any, tapes: Any) -> None:
    due: list[Any] = []
    page = make_page(call_later=lambda seconds, function: due.append(function))
    with page.inspector:
        first = tapes.first()
        due.clear()
        page.inspector.cell_ended()
        assert due == []  # no inspector is open
        page.ask("tape.watch")
        kept = tapes.first()
        due.clear()  # a notice that came too early
        page.inspector.cell_ended()
        (prepare,) = due
        entry = page.inspector.history.entry_of(kept[0])
        assert "view" not in entry.cache
        prepare()
        view = entry.cache["view"][1]
        assert view.n == 12
        assert page.ask("tape.head", tape=entry.id)["n"] == 12
        assert entry.cache["view"][1] is view
        page.inspector.cell_ended()  # a cell without a tape
        assert len(due) == 1
        assert first is not kept


def test_the_kits_own_tapes_are_not_announced(page: Any) -> None:
    ak.grad(lambda x: x * x)(3.0)
    ak.check_gradients(ak.sin, [[1.0]])
    assert page.notices == []
    assert page.ask("tape.list")["tapes"] == []


def test_a_stopped_inspector_observes_no_tapes(make_page: Any, tapes: Any) -> None:
    before = set_tape_observer(None)
    page = make_page()
    with page.inspector:
        pass
    tapes.first()
    assert page.told == []
    assert set_tape_observer(before) is None


def test_a_cell_is_known_by_the_same_hash_as_in_the_front_end() -> None:
    hashes = json.loads((Path(__file__).parents[1] / "hashes.json").read_text(encoding="utf-8"))
    assert len(hashes) > 5
    assert {text: source_hash(text) for text in hashes} == hashes


# ---------------------------------------------------------------------------------------------------- head and columns
def test_the_head_of_a_small_tape(lesson: Any, bytes_of: Any) -> None:
    head = lesson.ask("tape.head", tape="t1")
    assert head["n"] == 12
    assert head["target"] == 11
    assert head["sources"] == [0]
    assert head["flags"] == {"0": "s"}
    assert head["names"] == {"0": "x", "3": "a", "6": "b", "10": "c", "11": "y"}
    assert head["notes"]["1"] == "[0]"
    assert head["notes"]["8"] == "^2"
    assert lesson.ask("tape.costs", tape="t1")["totals"]["bytes"] == lesson.tape.nbytes
    assert head["bad"] is None
    assert bytes_of(head) <= 1.5 * 1300


def test_head_and_columns_of_81_rows_are_small(attention: Any, bytes_of: Any) -> None:
    head = attention.ask("tape.head", tape="t1")
    assert 70 <= head["n"] <= 90
    columns = attention.ask("tape.columns", tape="t1", a=0, b=head["n"])
    assert bytes_of(head) - bytes_of(head["columns"]) <= 1.5 * 3900
    costs = attention.ask("tape.costs", tape="t1", a=0, b=head["n"])
    assert bytes_of(columns) + bytes_of(costs) <= 1.5 * 2300
    assert {name: columns[name] for name in head["columns"]} == head["columns"]
    found = attention.tape.cost()
    assert costs["totals"] == {
        "flops": found.forward,
        "flops_back": attention.tape.cost(target=attention.names["loss"]).backward,
        "bytes": attention.tape.nbytes,
    }


def test_columns_agree_with_the_tape(attention: Any) -> None:
    head = attention.ask("tape.head", tape="t1")
    columns = unpacked(attention.ask("tape.columns", tape="t1", a=0, b=head["n"]))
    words = {name: [head["tables"][name][k] for k in columns[name]] for name in ("op", "shape", "dtype", "line")}
    rows = [k for k in range(head["n"]) if columns["inputs"][k] or words["op"][k] == "x"]
    nodes = attention.tape.nodes
    assert [words["op"][k] for k in rows] == [node.op for node in nodes]
    assert [tuple(words["shape"][k]) for k in rows] == [node.shape for node in nodes]
    assert [words["line"][k][1] for k in rows] == [node.line for node in nodes]
    assert all(i < k for k in range(head["n"]) for i in columns["inputs"][k])


def test_broken_paths_are_listed(attention: Any) -> None:
    head = attention.ask("tape.head", tape="t1")
    assert set(head["broken"].values()) == {"left", "integer", "state"}
    assert head["broken"][str(row_of(attention, "t1", "w"))] == "left"
    functions = set(head["tables"]["module"])
    assert {"softmax", "normalise"} <= functions


def test_requested_sources_are_in_the_header(attention: Any) -> None:
    head = attention.ask("tape.head", tape="t1")
    asked = [head["names"][str(row)] for row in head["sources"][:3]]
    assert asked == ["W_q", "temperature", "W_c"]  # the last one is no longer a variable, and on no tape
    kinds = letters(attention, "t1", head["n"], "cotangent")
    assert [kinds[row] for row in head["sources"][:3]] == ["v", "n", "n"]


def test_ten_thousand_rows_in_chunks(long: Any, bytes_of: Any) -> None:
    head = long.ask("tape.head", tape="t1")
    assert head["n"] >= 10_000
    chunk = head["chunk"]
    assert (head["columns"]["a"], head["columns"]["b"]) == (0, chunk)
    assert chunk < head["n"]
    assert bytes_of(head) - bytes_of(head["columns"]) <= 1.5 * 24_000
    starts = range(0, head["n"], chunk)
    parts = [long.ask("tape.columns", tape="t1", a=a, b=a + chunk) for a in starts]
    costs = [long.ask("tape.costs", tape="t1", a=a, b=a + chunk) for a in starts]
    assert sum(map(bytes_of, parts + costs)) <= 1.5 * 349_000
    assert sum(part["b"] - part["a"] for part in parts) == head["n"]
    for name in ("flops", "flops_back", "bytes"):
        assert sum(sum(part[name]) for part in costs) == costs[0]["totals"][name]
    count = long.tape.cost()
    assert (count.forward, long.tape.nbytes) == (costs[0]["totals"]["flops"], costs[0]["totals"]["bytes"])
    assert long.ask("tape.columns", tape="t1", a=0, b=head["n"])["b"] == chunk


# ---------------------------------------------------------------------------------------------------- kinds and values
def letters(page: Any, tape: str, n: int, what: str = "value", **more: Any) -> str:
    for _ in range(1000):
        kinds = page.ask("tape.kinds", tape=tape, a=0, b=n, **more)
        if "?" not in kinds["value"] + (kinds["cotangent"] or ""):
            return str(kinds[what])
    raise AssertionError("kinds never became known")


def test_kinds_of_a_small_tape(lesson: Any) -> None:
    assert letters(lesson, "t1", 12) == "v" * 12
    assert letters(lesson, "t1", 12, "cotangent") == "v" * 12
    assert lesson.ask("tape.kinds", tape="t1", a=0, b=12)["tangent"] is None


def test_kinds_of_ten_thousand_come_in_slices_newest_first(long: Any, bytes_of: Any) -> None:
    n = long.ask("tape.head", tape="t1")["n"]
    long.inspector.history._by_id["t1"].cache.clear()
    before = time.perf_counter()
    first = long.ask("tape.kinds", tape="t1", a=0, b=n)
    spent = time.perf_counter() - before
    assert "?" in first["value"]
    assert first["value"] == "?" * (n - len(first["value"].lstrip("?"))) + first["value"].lstrip("?")
    assert bytes_of(first) <= 2 * 1.5 * 10_000
    assert spent < 2
    assert letters(long, "t1", n).count("v") > 0.9 * n
    long.ask("tape.sweep", tape="t1", direction="forward", source=0, steps=1)
    for _ in range(1000):
        kinds = long.ask("tape.kinds", tape="t1", a=0, b=n)
        if "?" not in kinds["tangent"]:
            break
    assert kinds["tangent"].count("v") > n / 3


def test_values_are_those_of_numpy(attention: Any) -> None:
    h, names = attention.ask("tape.head", tape="t1"), attention.names
    rows = attention.ask("tape.values", tape="t1", a=0, b=h["n"], what=["value"])["rows"]
    for name in ("E", "x", "w", "h", "loss", "z"):
        value = names[name].numpy()
        least, most, mean, length, bad, zeros, few, nans = rows[row_of(attention, "t1", name)][0]
        wanted = (value.min(), value.max(), value.mean(), np.sqrt((value**2).sum()))
        np.testing.assert_allclose((least, most, mean, length), wanted, rtol=1e-5)
        assert (bad, zeros, nans) == (0, int((value == 0).sum()), 0)
        np.testing.assert_allclose(few, value.ravel()[:4], rtol=1e-5)


def test_values_of_128_rows_are_small(long: Any, bytes_of: Any) -> None:
    long.ask("tape.sweep", tape="t1", direction="forward", source=0, steps=1)
    rows = long.ask("tape.values", tape="t1", a=500, b=628, what=WHATS)
    assert bytes_of(rows) <= 1.5 * 29_000
    assert len(rows["rows"]) == 128


def test_cotangents_are_those_of_the_gradient(lesson: Any) -> None:
    rows = lesson.ask("tape.values", tape="t1", a=0, b=12, what=WHATS)["rows"]
    assert rows[0][0][6] == [2, 3, -1]
    assert rows[0][1] is None
    assert rows[0][2][6] == [11, 3, -1]
    assert rows[11][2][6] == [1, -1, 2]


def test_tangents_exist_after_an_input_was_seeded(lesson: Any) -> None:
    lesson.ask("tape.sweep", tape="t1", direction="forward", source=0, seed=[1.0, 2.0, -1.0], steps=1)
    assert letters(lesson, "t1", 12, "tangent") == "v" * 12
    rows = lesson.ask("tape.values", tape="t1", a=11, b=12, what=["tangent"])["rows"]
    assert rows[0][0][6] == [7, -5, 3]


def test_another_gradient_changes_only_the_cotangents(lesson: Any) -> None:
    head = lesson.ask("tape.head", tape="t1")
    lesson.ask("tape.sweep", tape="t1", direction="forward", source=0, seed=[1.0, 2.0, -1.0], steps=1)
    assert letters(lesson, "t1", 12, "cotangent") == "v" * 12
    names = lesson.names
    lesson.tape.gradient(names["a"], names["x"])
    lesson.inspector.send_notice()
    assert lesson.notices[-1]["asked"] == head["asked"] + 1 == 2
    news = lesson.ask("tape.asked", tape="t1")
    assert (news["asked"], news["target"], news["sources"], news["n"]) == (2, 3, [0], 12)
    assert letters(lesson, "t1", 12, "cotangent") == "vvvv" + "n" * 8
    rows = lesson.ask("tape.values", tape="t1", a=0, b=12, what=["tangent", "cotangent"])["rows"]
    assert rows[11][0][6] == [7, -5, 3], "the tangents stay"
    assert rows[0][1][6] == [3, 2, 0]
    assert sum(lesson.ask("tape.costs", tape="t1")["flops_back"][4:]) == 0


def test_a_source_that_is_on_no_row_yet_adds_one(lesson: Any) -> None:
    lesson.ask("tape.head", tape="t1")
    far = ak.Variable(1.0, name="far")
    lesson.tape.gradient(lesson.names["y"], [lesson.names["x"], far])
    news = lesson.ask("tape.asked", tape="t1")
    assert news["n"] == 13
    assert lesson.ask("tape.head", tape="t1")["names"]["12"] == "far"


def test_value_requests_do_not_wait_for_a_long_sweep(seen: Any, tapes: Any) -> None:
    seen.tape, seen.names = tapes.training()
    n = seen.ask("tape.head", tape="t1")["n"]
    first = seen.ask("tape.values", tape="t1", a=0, b=2, what=["value", "cotangent"])
    assert first["late"]
    assert [row[0] is not None and row[1] is None for row in first["rows"]] == [True, True]
    assert letters(seen, "t1", n, "cotangent")[0] == "v"
    then = seen.ask("tape.values", tape="t1", a=0, b=2, what=["value", "cotangent"])
    assert not then["late"]
    assert then["rows"][0][1] is not None


def test_one_number_seeds_every_entry_and_a_wrong_count_says_what_is_expected(lesson: Any) -> None:
    lesson.ask("tape.sweep", tape="t1", direction="forward", source=0, seed=[2.0], steps=1)
    rows = lesson.ask("tape.values", tape="t1", a=0, b=1, what=["tangent"])["rows"]
    assert rows[0][0][6] == [2, 2, 2]
    refused = lesson.ask("tape.sweep", tape="t1", direction="forward", source=0, seed=[1.0, 2.0], steps=1)["error"]
    assert "must have 3 numbers, in shape (3,), or a single one" in refused["text"]


def test_an_array_in_full_and_cut(attention: Any) -> None:
    names = attention.names
    whole = attention.ask("tape.array", tape="t1", node=row_of(attention, "t1", "w"), what="value")
    np.testing.assert_array_equal(np.reshape(whole["data"], whole["shape"]), names["w"].numpy())
    assert not whole["cut"]
    cut = attention.ask("tape.array", tape="t1", node=row_of(attention, "t1", "E"), what="value", limit=5)
    assert cut["cut"]
    assert len(cut["data"]) == 5
    row = row_of(attention, "t1", "temperature")
    assert attention.refused("tape.array", tape="t1", node=row, what="cotangent") == "none"


def test_numbers_that_are_not_finite_are_sent_as_strings(seen: Any) -> None:
    x = ak.constant([0.0, -1.0, 1.0])
    with ak.GradientTape(persistent=True) as tape:
        tape.watch(x)
        with np.errstate(all="ignore"):
            y = ak.log(x)
            z = y - y
    n = seen.ask("tape.head", tape="t1")["n"]
    assert letters(seen, "t1", n) == "vNN"
    data = seen.ask("tape.array", tape="t1", node=1, what="value")["data"]
    assert data == ["-inf", "nan", 0.0]
    assert z.shape == (3,)


def test_the_first_nan_is_found_with_its_numbers(seen: Any, tapes: Any) -> None:
    with np.errstate(all="ignore"):
        tape, seen.names = tapes.attention(keep=(0.0, 0.0, 0.0, 0.0), masked=True)
    head = seen.ask("tape.head", tape="t1")
    assert head["bad"] is None
    letters(seen, "t1", head["n"])
    bad = seen.ask("tape.head", tape="t1")["bad"]
    assert bad["text"] == "−∞ − (−∞)"
    assert bad["index"] == [0, 0]
    ops = [head["tables"]["op"][k] for k in unpacked(seen.ask("tape.columns", tape="t1", a=0, b=head["n"]))["op"]]
    assert ops[bad["node"]] == "subtract"
    assert tape is not None


def test_the_first_nan_is_found_where_rows_without_a_value_are_asked_about_again(page: Any) -> None:
    x = ak.Variable([1.0, np.nan], name="x")
    with ak.GradientTape() as tape:
        y = ak.sum(ak.sin(x) @ np.eye(2))
    assert tape.gradient(y, x) is not None  # which releases what the inspector did not save
    n = page.ask("tape.head", tape="t1")["n"]
    for _ in range(3):
        late = page.ask("tape.kinds", tape="t1", a=1, b=n)
    assert "?" in late["value"]
    assert page.ask("tape.kinds", tape="t1", a=0, b=1)["bad"] == {"node": 0, "index": [1], "text": "variable"}


def test_an_inner_tape_ends_at_what_an_outer_one_computed(seen: Any) -> None:
    x, z = ak.Variable([1.0, -1.0], name="x"), ak.Variable([1.0, 2.0], name="z")
    with np.errstate(all="ignore"), ak.GradientTape() as outer:
        middle = ak.sqrt(z - 1.5)
        with ak.GradientTape(persistent=True) as inner:
            inner.watch(middle)
            y = ak.sum(x * middle)
    inner_id = next(one["tape"] for one in seen.ask("tape.list")["tapes"] if one["n"] == 4)
    assert letters(seen, inner_id, 4) == "vNNN"
    assert letters(seen, inner_id, 4, "cotangent") == "Nvvv"
    events = all_events(seen, inner_id, direction="reverse")
    assert [event["sends"] for event in events if event["node"] == 1] == [[]]
    assert seen.ask("tape.head", tape=inner_id)["bad"] == {"node": 1, "index": [0], "text": "watch"}
    assert outer.nodes
    assert y.shape == ()


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_numpys_error_setting_in_a_notebook_stops_no_answer(seen: Any) -> None:
    x = ak.Variable(np.full(100, 1e200), name="x")
    with ak.GradientTape(persistent=True) as tape:
        y = x * x
    with np.errstate(all="raise"):
        assert seen.ask("tape.values", tape="t1", a=0, b=2, what=["value"])["rows"][0][0][3] == 1e201
        assert seen.ask("tape.sweep", tape="t1")["done"]
    assert tape.nodes
    assert y.shape == (100,)


def test_a_tape_inside_vmap_is_shown_without_values(seen: Any) -> None:
    tapes = []

    def slope(z: Any) -> Any:
        with ak.GradientTape(persistent=True) as tape:
            tape.watch(z)
            y = ak.log(z) * z
        tapes.append(tape)
        return tape.gradient(y, z)

    ak.vmap(slope)(np.array([1.0, 2.0]))
    head = seen.ask("tape.head", tape="t1")
    assert [head["tables"]["op"][k] for k in unpacked(head["columns"])["op"]] == ["watch", "log", "multiply"]
    kinds = seen.ask("tape.kinds", tape="t1", a=0, b=3)
    assert (kinds["value"], set(kinds["cotangent"])) == ("???", {"?", "v"})
    assert seen.ask("tape.values", tape="t1", a=0, b=3, what=["value"])["rows"] == [[None]] * 3
    assert all_events(seen, "t1", direction="reverse")
    assert seen.refused("tape.array", tape="t1", node=1) == "none"
    assert "inside ak.vmap" in seen.ask("tape.jacobian", tape="t1", target=2, source=0)["trouble"]
    assert seen.ask("tape.diff", a="t1", b="t1")["changed"] == []
    assert [row.value for row in tapes[0].table().rows] == ["", ""]


def test_a_tape_of_one_row(seen: Any, bytes_of: Any) -> None:
    x = ak.constant(3.0, name="x")
    with ak.GradientTape() as tape:
        tape.watch(x)
    head = seen.ask("tape.head", tape="t1")
    assert head["n"] == 1
    assert head["tables"]["op"] == ["watch"]
    assert bytes_of(head) - len(__file__) <= 1.5 * 483 - len("test_messages.py")  # wherever the clone is
    assert letters(seen, "t1", 1) == "v"
    assert seen.ask("tape.sweep", tape="t1")["done"]


def test_a_tape_without_rows(seen: Any) -> None:
    with ak.GradientTape() as tape:
        pass
    head = seen.ask("tape.head", tape="t1")
    assert head["n"] == 0
    assert head["target"] is None
    assert seen.ask("tape.columns", tape="t1")["inputs"] == ""
    assert seen.ask("tape.kinds", tape="t1")["value"] == ""
    assert seen.refused("tape.sweep", tape="t1") == "node"
    assert seen.ask("tape.cost", tape="t1")["forward"] == 0
    assert tape.nbytes == 0


def test_frozen_variables_and_constants_are_marked(seen: Any) -> None:
    w, frozen = ak.Variable([1.0, 2.0], name="w"), ak.Variable([3.0, 4.0], name="frozen", trainable=False)
    with ak.GradientTape(persistent=True) as tape:
        y = ak.sum(w * frozen) + 2.5
    head = seen.ask("tape.head", tape="t1")
    flags = {head["names"].get(k, k): f for k, f in head["flags"].items()}
    assert flags["w"] == "s"
    assert flags["frozen"] == "kf"
    row = row_of(seen, "t1", "frozen")
    assert letters(seen, "t1", head["n"], "cotangent")[row] == "f"
    assert float(y) == 13.5
    assert tape is not None


# --------------------------------------------------------------------------------------------------------------- sweeps
def all_events(page: Any, tape: str, **more: Any) -> list[Any]:
    events, row = [], None
    while True:
        answer = page.ask("tape.sweep", tape=tape, steps=5, **more, **({} if row is None else {"from": row}))
        events += answer["events"]
        row = answer["next"]
        assert answer["done"] == (row is None)
        if row is None:
            return events


def test_a_reverse_sweep_reports_each_edge(lesson: Any) -> None:
    events = all_events(lesson, "t1", direction="reverse", target=11)
    assert [e["node"] for e in events] == sorted((e["node"] for e in events), reverse=True)
    assert events[0]["sends"] == [
        {"to": to, "part": [g, g, g, abs(g), 0, 0, [g], 0], "sum": [g, g, g, abs(g), 0, 0, [g], 0]}
        for to, g in ((3, 1), (6, -1), (10, 2))
    ]
    sums = [s["sum"][6] for e in events for s in e["sends"] if s["to"] == 0]
    assert len(sums) == 6  # x was read six times
    assert sums[-1] == [11, 3, -1]
    assert events[-1] == {"node": 0, "g": [-1, 11, 4.33333, 11.4455, 0, 0, [11, 3, -1], 0], "sends": []}


def test_a_seed_given_by_the_page(lesson: Any) -> None:
    events = all_events(lesson, "t1", direction="reverse", target=11, seed=[1, 0, 0])
    assert events[-1]["g"][6] == [3, 2, 0]
    assert lesson.refused("tape.sweep", tape="t1", target=11, seed=[1, 0]) == "argument"
    assert lesson.refused("tape.sweep", tape="t1", target=11, seed="x") == "argument"


def test_a_forward_sweep(lesson: Any) -> None:
    events = all_events(lesson, "t1", direction="forward", source=0, seed=[1, 2, -1])
    assert events[-1]["g"][6] == [7, -5, 3]
    assert events[-1]["from"] == [3, 6, 10]
    assert lesson.refused("tape.sweep", tape="t1", direction="sideways") == "argument"


def test_no_operation_runs_twice(seen: Any) -> None:
    runs = []

    @ak.custom_gradient
    def counted(x: Any) -> Any:
        def pull(g: Any) -> Any:
            runs.append(1)
            return g

        return x * 1.0, pull

    x = ak.Variable([1.0, 2.0], name="x")
    with ak.GradientTape(persistent=True) as tape:
        y = counted(x) * counted(x)
    n = seen.ask("tape.head", tape="t1")["n"]
    assert runs == []
    for _ in range(3):
        all_events(seen, "t1", direction="reverse")
        seen.ask("tape.values", tape="t1", a=0, b=n, what=WHATS)
        letters(seen, "t1", n)
    assert len(runs) == 2
    assert tape.gradient(y, x) is not None


def test_hooks_are_shown_before_and_after(attention: Any) -> None:
    row = row_of(attention, "t1", "w")
    assert attention.ask("tape.head", tape="t1")["hooks"] == {
        str(row): {"label": "clip_gradient", "before": None, "after": None}
    }
    events = all_events(attention, "t1", direction="reverse")
    hook = next(e for e in events if e["node"] == row)["hook"]
    assert hook["label"] == "clip_gradient"
    assert hook["before"][1] > 0.05
    assert hook["after"][1] == 0.05
    assert attention.ask("tape.head", tape="t1")["hooks"][str(row)] == hook


def test_a_hook_that_raises_does_not_stop_a_sweep(seen: Any) -> None:
    def broken(g: Any) -> Any:
        raise ValueError("no")

    x = ak.Variable([1.0, 2.0])
    with ak.GradientTape(persistent=True):
        y = x * 2.0
        y.register_hook(broken)
        ak.sum(y)
    events = all_events(seen, "t1", direction="reverse")
    assert events[-1]["g"][6] == [2, 2]
    assert any("ValueError: no" in e.get("trouble", "") for e in events)


def test_a_rule_that_raises_does_not_stop_a_sweep(seen: Any) -> None:
    @ak.custom_gradient
    def broken(x: Any) -> Any:
        def pull(g: Any) -> Any:
            raise ValueError("no slope today")

        return x * 1.0, pull

    x = ak.Variable([1.0, 2.0], name="x")
    with ak.GradientTape(persistent=True) as tape:
        y = ak.sum(broken(x)) + ak.sum(x * 3.0)
    events = all_events(seen, "t1", direction="reverse")
    assert any("ValueError: no slope today" in e.get("trouble", "") for e in events)
    told = seen.ask("tape.jacobian", tape="t1", target=events[0]["node"], source=0)
    assert (told["rows"], told["trouble"]) == (None, "ValueError: no slope today")
    assert events[-1]["g"][6] == [3, 3]
    assert all_events(seen, "t1", direction="reverse") == events
    assert tape.nbytes > 0
    assert y.shape == ()


def test_several_targets_and_one_of_them_twice(seen: Any) -> None:
    x = ak.Variable(3.0, name="x")
    with ak.GradientTape(persistent=True) as tape:
        y, z = x * x, x * 5.0
    wanted = tape.gradient([y, z, y], x, output_gradients=[1.0, 10.0, 2.0])
    rows = seen.ask("tape.values", tape="t1", a=0, b=1, what=["cotangent"])["rows"]
    assert rows[0][0][6] == [float(wanted)] == [68]


def test_stepping_does_not_change_gradients(attention: Any, tapes: Any) -> None:
    all_events(attention, "t1", direction="reverse")
    names = attention.names
    sources = [names[n] for n in ("E", "W_q", "W_v", "gain")]
    watched = attention.tape.gradient(names["loss"], sources)
    before = set_tape_observer(None)
    plain, other = tapes.attention()
    set_tape_observer(before)
    alone = plain.gradient(other["loss"], [other[n] for n in ("E", "W_q", "W_v", "gain")])
    for a, b in zip(watched, alone, strict=True):
        np.testing.assert_array_equal(a.numpy(), b.numpy())
    for name in ("E", "W_q", "W_v", "gain"):
        row = row_of(attention, "t1", name)
        told = attention.ask("tape.array", tape="t1", node=row, what="cotangent")
        wanted = alone[("E", "W_q", "W_v", "gain").index(name)].numpy()
        np.testing.assert_allclose(np.reshape(told["data"], told["shape"]), wanted, rtol=1e-12, atol=1e-15)


# ------------------------------------------------------------------------------------------------------------------ why
@pytest.mark.parametrize(
    ("target", "source", "cause"),
    [("loss", "W_q", 0), ("loss", "temperature", 3), ("trend", "W_q", 4), ("trend", "W_2", 4)],
)
def test_explanations_use_the_names_of_the_notebook(attention: Any, target: str, source: str, cause: int) -> None:
    told = attention.ask("tape.explain", tape="t1", target=target, source=source)
    wanted = attention.tape.explain(attention.names[target], attention.names[source])
    assert told["cause"] == wanted.cause == cause
    assert told["headline"] == wanted.headline
    assert (told["target_name"], told["source_name"]) == (target, source)
    assert told["line"] == (wanted.line or None)
    assert any(a <= told["source"] < b for a, b in told["reached"])
    if told["node"] is not None and cause == 3:
        head = attention.ask("tape.head", tape="t1")
        columns = unpacked(attention.ask("tape.columns", tape="t1", a=0, b=head["n"]))
        assert head["tables"]["op"][columns["op"][told["node"]]] == "to_int"


def test_a_target_that_left_the_record(seen: Any) -> None:
    x = ak.Variable([1.0, 2.0], name="x")
    with ak.GradientTape(persistent=True) as tape:
        w = ak.exp(x)
        entropy = ak.sum(np.asarray(w) * 2.0)
    seen.names = {"entropy": entropy, "x": x, "w": w, "number": 3}
    told = seen.ask("tape.explain", tape="t1", target="entropy", source="x")
    assert told["cause"] == tape.explain(entropy, x).cause == 2
    assert told["target"] is None
    assert told["source"] == 0
    assert told["target_name"] == "entropy"
    assert told["line"] > 0
    assert told["node"] == row_of(seen, "t1", "w")
    assert seen.refused("tape.jacobian", tape="t1", target="entropy", source="x") == "node"
    assert seen.refused("tape.explain", tape="t1", target="number", source="x") == "node"


def test_a_source_that_no_tape_follows_is_explained(attention: Any) -> None:
    row = row_of(attention, "t1", "W_c")
    told = attention.ask("tape.explain", tape="t1", source=row)
    assert told["cause"] == 1
    assert told["target_name"] == "loss"
    assert told["hash"] is None or len(told["hash"]) == 8


def test_any_two_rows(lesson: Any) -> None:
    told = lesson.ask("tape.explain", tape="t1", target=3, source=6)
    assert not told["connected"]
    assert told["cause"] == 5
    assert (told["target_name"], told["source_name"]) == ("a", "b")
    assert lesson.ask("tape.explain", tape="t1", target=11, source=1)["connected"]
    assert lesson.refused("tape.explain", tape="t1", target="nobody", source=0) == "node"


def test_jacobians_between_any_two_rows(lesson: Any) -> None:
    x, y, tape = lesson.names["x"], lesson.names["y"], lesson.tape
    told = lesson.ask("tape.jacobian", tape="t1", target=11, source=0)
    np.testing.assert_array_equal(told["rows"], tape.jacobian(y, x).numpy())
    assert (told["m"], told["n"], told["sweeps"], told["mode"]) == (3, 3, 3, "reverse")
    forward = lesson.ask("tape.jacobian", tape="t1", target=11, source=3)
    assert forward["mode"] == "forward"
    assert forward["rows"] == [[1], [0], [0]]
    apart = lesson.ask("tape.jacobian", tape="t1", target=3, source=6)
    assert apart["rows"] is None
    assert not apart["connected"]
    same = lesson.ask("tape.jacobian", tape="t1", target=3, source=3)
    assert same["rows"] == [[1]]


def test_a_large_jacobian_is_only_counted(attention: Any) -> None:
    told = attention.ask("tape.jacobian", tape="t1", target="w", source="W_q")
    assert told["rows"] is None
    assert (told["m"], told["n"], told["sweeps"]) == (16, 36, 16)
    more = attention.ask("tape.jacobian", tape="t1", target="w", source="W_q", limit=1000)
    names = attention.names
    attention.tape._record.hooks.clear()  # a hook is not part of the derivative
    wanted = attention.tape.jacobian(names["w"], names["W_q"]).numpy().reshape(16, 36)
    np.testing.assert_allclose(more["rows"], wanted, rtol=1e-5, atol=1e-6)


# -------------------------------------------------------------------------------------------------------- cost and diff
@pytest.mark.parametrize("by", ["line", "op", "node"])
def test_cost_is_that_of_the_tape(attention: Any, by: str) -> None:
    told = attention.ask("tape.cost", tape="t1", by=by, top=4)
    wanted = attention.tape.cost(by=by, top=4, target=attention.names["loss"])
    assert (told["forward"], told["backward"]) == (wanted.forward, wanted.backward)
    assert [r["flops"] for r in told["rows"]] == [r.flops for r in wanted.rows]
    assert told["rest"]["nodes"] == wanted.rest.nodes
    assert attention.refused("tape.cost", tape="t1", by="moon") == "failed"


def test_a_tape_compared_with_itself_and_with_another(seen: Any, tapes: Any) -> None:
    kept = [tapes.attention(), tapes.attention(masked=True)]
    n = seen.ask("tape.head", tape="t1")["n"]
    same = seen.ask("tape.diff", a="t1", b="t1")
    assert same["pairs"] == [[k, k] for k in range(n)]
    assert same["changed"] == []
    with np.errstate(all="ignore"):
        other = seen.ask("tape.diff", a="t1", b="t2")
    gone = [p for p in other["pairs"] if p[1] is None]
    new = [p for p in other["pairs"] if p[0] is None]
    assert 0 < len(gone) < 8
    assert 0 < len(new) < 8
    assert other["changed"]
    assert all(None not in other["pairs"][k] for k in other["changed"])
    assert len(kept) == 2


def test_ten_thousand_rows_side_by_side_in_time_that_grows_with_their_number(long: Any, tapes: Any) -> None:
    with ak.GradientTape(persistent=True):
        pass
    tape, _ = tapes.training(rows=9000)
    other = long.last()
    pairs = long.ask("tape.diff", a="t1", b=other)["pairs"]
    n = long.ask("tape.head", tape="t1")["n"]
    assert sum(p[0] is not None for p in pairs) == n
    assert sum(None not in p for p in pairs) >= 8990
    assert tape is not None


# ------------------------------------------------------------------------------------------------------------- refusals
@pytest.mark.parametrize("message", [None, 3, "text", [], {}, {"v": 1}, {"v": 2, "id": 1, "ask": "tape.list"}])
def test_invalid_requests_get_an_error(page: Any, message: Any) -> None:
    page.inspector.receive(message)
    assert page.told[-1]["error"]["code"] in ("message", "ask")


def test_rows_and_arguments_are_validated(lesson: Any) -> None:
    assert lesson.refused("tape.head", tape="t99") == "tape"
    assert lesson.refused("tape.head", tape=["t1"]) == "tape"
    assert lesson.refused("tape.everything", tape="t1") == "ask"
    assert lesson.refused("tape.array", tape="t1", node=12) == "node"
    assert lesson.refused("tape.array", tape="t1", node=True) == "node"
    assert lesson.refused("tape.array", tape="t1", node=1, what="colour") == "argument"
    assert lesson.refused("tape.values", tape="t1", a=5, b=2, what=["value"]) == "argument"
    assert lesson.refused("tape.values", tape="t1", a=0, b=2, what="value") == "argument"
    assert lesson.refused("tape.sweep", tape="t1", target=-1) == "node"
    assert lesson.refused("tape.explain", tape="t1") == "node"


def test_unknown_fields_are_ignored(lesson: Any) -> None:
    assert lesson.ask("tape.head", tape="t1", colour="blue", deep={"er": 1})["n"] == 12


def test_an_error_in_the_kit_gets_a_reply_too(lesson: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(lesson.inspector.context.__dict__, "view", lambda *_: 1 / 0)
    assert lesson.refused("tape.head", tape="t1") == "failed"


# --------------------------------------------------------------------------------------------- letting go, and the ring
def test_requests_for_a_freed_tape_get_the_error_released(page: Any, tapes: Any) -> None:
    tapes.first()
    assert page.refused("tape.head", tape="t1") == "released"


def test_requests_do_not_keep_a_tape_beyond_the_history(seen: Any, tapes: Any) -> None:
    tape, _ = tapes.first()
    for _ in range(6):
        tapes.first()
    assert len(all_events(seen, "t1", direction="reverse")) == 12  # requested, and already evicted
    gc.disable()
    try:
        del tape
        assert seen.refused("tape.head", tape="t1") == "released"
    finally:
        gc.enable()


def test_importing_the_kit_elsewhere_than_in_a_kernel_loads_nothing_of_the_panels() -> None:
    code = "import sys, autodiff_kit; print([m for m in sys.modules if m.startswith('autodiff_kit.lab')])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_without_an_inspector_no_values_are_kept(page: Any, tapes: Any) -> None:
    tape, _ = tapes.attention(persistent=False)
    head = page.ask("tape.head", tape="t1")
    assert head["released"]
    assert head["n"] > 70
    assert page.refused("tape.sweep", tape="t1") == "released"
    assert page.refused("tape.jacobian", tape="t1", source=head["sources"][0]) == "released"
    assert "?" in page.ask("tape.kinds", tape="t1", a=0, b=head["n"])["value"]
    assert page.ask("tape.explain", tape="t1", target=head["target"], source=head["sources"][0])["cause"] >= 0
    assert page.ask("tape.cost", tape="t1")["forward"] > 0
    assert tape.nbytes == 0
    page.ask("tape.watch", on=False)
    x = ak.Variable(np.ones(20_000))
    with ak.GradientTape() as large:
        y = ak.exp(x)
    large.gradient(y, x)
    assert page.refused("tape.values", tape=page.last(), a=0, b=2, what=["value"]) == "released"


def test_where_an_inspector_is_expected_the_latest_tape_is_complete(make_page: Any, tapes: Any) -> None:
    page = make_page(keeps_latest=True, limit=1_000_000)
    with page.inspector:
        for _ in range(2):
            tapes.attention(persistent=False)
        (listed,) = page.ask("tape.list")["tapes"]
        head = page.ask("tape.head", tape=listed["tape"])
        assert not head["released"]
        assert "?" not in letters(page, listed["tape"], head["n"], "value")
        page.ask("tape.watch", on=False)
        x = ak.Variable(np.ones(200_000))
        with ak.GradientTape() as large:
            y = ak.exp(x)
        large.gradient(y, x)
        head = page.ask("tape.head", tape=page.last())
        assert (head["released"], head["released_because"]) == (True, "large")


def test_while_an_inspector_is_open_the_history_saves_values(seen: Any, tapes: Any) -> None:
    tapes.attention(persistent=False)  # no variable of the notebook refers to it
    head = seen.ask("tape.head", tape="t1")
    assert not head["released"]
    rows = seen.ask("tape.values", tape="t1", a=0, b=head["n"], what=["value", "cotangent"])["rows"]
    assert all(row[0] is not None for row in rows)
    assert sum(row[1] is not None for row in rows) > 40
    assert seen.ask("tape.jacobian", tape="t1", target=head["target"], source=head["sources"][0])["connected"]


def test_a_gradient_inside_the_block_loses_no_values(seen: Any) -> None:
    x = ak.Variable([1.0, 2.0, 3.0], name="x")
    with ak.GradientTape() as tape:
        y = ak.sum(ak.exp(x) * x)
        tape.gradient(y, x)
    head = seen.ask("tape.head", tape="t1")
    assert not head["released"]
    seen.names = {"y": y}
    assert [e["node"] for e in all_events(seen, "t1", target=row_of(seen, "t1", "y"))] == [3, 2, 1, 0]


def test_a_tape_from_before_the_inspector_shows_the_available_values(page: Any, tapes: Any) -> None:
    tape, names = tapes.attention()
    head = page.ask("tape.head", tape="t1")
    rows = page.ask("tape.values", tape="t1", a=0, b=head["n"], what=["value"])["rows"]
    assert sum(row[0] is not None for row in rows) > 0.9 * head["n"]  # many values were recomputed from saved ones
    page.names = names
    told = page.ask("tape.array", tape="t1", node=head["target"], what="value")
    np.testing.assert_allclose(told["data"], float(names["loss"]), rtol=1e-12)
    assert tape.nbytes > 0


def test_the_history_holds_five_tapes_and_a_limited_number_of_bytes(make_page: Any, tapes: Any) -> None:
    page = make_page(limit=1_000_000)
    with page.inspector:
        page.ask("tape.watch")
        for _ in range(8):
            tapes.first()
        assert [t["tape"] for t in page.ask("tape.list")["tapes"]] == ["t4", "t5", "t6", "t7", "t8"]
        for _ in range(3):
            with ak.GradientTape():
                ak.exp(ak.Variable(np.zeros(50_000)))
        held = page.ask("tape.list")["tapes"]
        assert held[-1]["tape"] == "t11"
        assert sum(t["bytes"] for t in held) <= 1_000_000
        with ak.GradientTape():
            ak.exp(ak.Variable(np.zeros(500_000)))
        assert [t["tape"] for t in page.ask("tape.list")["tapes"]] == ["t12"]
        assert page.ask("tape.head", tape="t12")["n"] == 2


def test_a_page_can_set_the_size_of_the_history(seen: Any, tapes: Any) -> None:
    assert seen.ask("tape.watch") == {"v": 1, "id": 2, "type": "watch", "on": True, "limit": 64 << 20, "tapes": 5}
    for _ in range(5):
        tapes.first()
    assert seen.ask("tape.watch", tapes=2)["tapes"] == 2
    assert len(seen.ask("tape.list")["tapes"]) == 2
    assert seen.refused("tape.watch", tapes=0) == "argument"
    assert seen.refused("tape.watch", limit="much") == "argument"


def test_pinned_tapes_stay(seen: Any, tapes: Any) -> None:
    tapes.first()
    assert seen.ask("tape.pin", tape="t1", on=True)["pinned"]
    for _ in range(8):
        tapes.first()
    assert seen.ask("tape.head", tape="t1")["pinned"]
    seen.ask("tape.watch", on=False)
    assert [t["tape"] for t in seen.ask("tape.list")["tapes"]] == ["t1"]
    assert letters(seen, "t1", 12, "cotangent") == "v" * 12
    seen.ask("tape.watch", on=False)
    assert not seen.ask("tape.pin", tape="t1", on=False)["pinned"]
    seen.ask("tape.watch", on=False)
    assert seen.refused("tape.head", tape="t1") == "released"


def test_an_inspector_without_requests_counts_as_closed(seen: Any, tapes: Any) -> None:
    for _ in range(12):
        tapes.first()
        seen.inspector.cell_ended()
    assert not seen.inspector.watchers
    assert seen.ask("tape.list")["tapes"] == []


def test_a_tape_that_continues_is_announced_again(seen: Any) -> None:
    x = ak.Variable(2.0, name="x")
    tape = ak.GradientTape(persistent=True)
    with tape:
        y = x * x
    assert seen.ask("tape.head", tape="t1")["n"] == 2
    with tape:
        z = y * x
    assert seen.ask("tape.head", tape="t1")["n"] == 3
    tape.gradient(z, x)
    assert seen.ask("tape.head", tape="t1")["target"] == 2
    tape.reset()
    with tape:
        pass
    assert seen.ask("tape.head", tape="t1")["n"] == 0


def test_an_inspector_does_not_change_the_bytes_of_a_tape(seen: Any, tapes: Any) -> None:
    watched, _ = tapes.attention()
    seen.ask("tape.watch", on=False)
    plain, _ = tapes.attention()
    assert watched.nbytes == plain.nbytes


def test_two_pages_and_one_that_goes(seen: Any, tapes: Any) -> None:
    other: list[Any] = []

    def second(message: Any) -> None:
        other.append(message)

    seen.inspector.add_sender(second)
    tape, _ = tapes.first()
    assert other[-1]["type"] == seen.told[-1]["type"] == "tape/new"
    seen.inspector.receive({"v": 1, "id": "b", "ask": "tape.head", "tape": "t1"}, second)
    assert other[-1]["id"] == "b"
    assert all(m.get("id") != "b" for m in seen.told)
    seen.ask("tape.watch", on=False)
    assert seen.inspector.watchers == {second}
    seen.inspector.remove_sender(second)
    assert not seen.inspector.watchers
    assert tape is not None


def test_a_channel_that_breaks_is_dropped(page: Any, tapes: Any) -> None:
    def broken(message: Any) -> None:
        raise ConnectionError("gone")

    page.inspector.add_sender(broken)
    tapes.first()
    assert page.inspector.senders == [page.hear]


# -------------------------------------------------------------------------------------------------------------- threads
def test_tapes_of_many_threads(seen: Any, tapes: Any) -> None:
    troubles: list[Exception] = []
    held: list[Any] = []

    def work() -> None:
        try:
            held.extend(tapes.first() for _ in range(30))
        except Exception as error:  # noqa: BLE001 - told below, in the thread of the test
            troubles.append(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        for known in seen.ask("tape.list")["tapes"][-3:]:
            answer = seen.ask("tape.head", tape=known["tape"])
            assert "error" not in answer or answer["error"]["code"] == "released"
    for thread in threads:
        thread.join()
    assert troubles == []
    listed = seen.ask("tape.list")["tapes"]
    assert len({t["tape"] for t in listed}) == 120
    assert {t["n"] for t in listed} == {12}


def test_messages_are_json(lesson: Any) -> None:
    for message in lesson.told:
        assert json.loads(json.dumps(message)) == message
    assert math.isfinite(lesson.notices[0]["at"])
