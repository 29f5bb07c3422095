"""What a block of PyTorch leaves behind, what it refuses, and where its limits are."""

from __future__ import annotations

import contextlib
import gc
import os
import subprocess
import sys
import threading
import weakref
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="make test-all runs these where PyTorch is installed")
from torch import nn  # noqa: E402
from torch.nn import functional as F  # noqa: E402, N812
from torch.optim import optimizer as torch_optimizer  # noqa: E402

import autodiff_kit as ak  # noqa: E402
from autodiff_kit.errors import ArgumentError, DtypeError, OpenTapeError, TapeError  # noqa: E402


def _state(w: Any) -> tuple[Any, ...]:
    return (
        torch._C._len_torch_function_stack(),
        torch.is_grad_enabled(),
        torch.is_inference_mode_enabled(),
        dict(torch_optimizer._global_optimizer_pre_hooks),
        dict(torch_optimizer._global_optimizer_post_hooks),
        dict(w._backward_hooks or {}),
        None if w.grad is None else w.grad.clone().tolist(),
        torch.get_rng_state().tolist(),
        sys.getprofile(),
        sys.gettrace(),
        torch.Tensor.backward,
        torch.autograd.grad,
    )


@pytest.mark.parametrize("fails", [False, True])
def test_leaving_the_block_leaves_pytorch_as_it_was(fails: bool) -> None:
    w = nn.Parameter(torch.ones(3))
    w.register_hook(lambda g: g * 2)
    before = _state(w)
    with contextlib.suppress(ZeroDivisionError), ak.record_torch():
        torch.exp(w)
        if fails:
            raise ZeroDivisionError
    assert _state(w) == before


@pytest.mark.parametrize("fails", [False, True])
def test_a_block_with_passes_and_steps_changes_what_it_would_without_recording(fails: bool) -> None:
    def train(record: Any) -> tuple[Any, ...]:
        torch.manual_seed(3)
        w = nn.Parameter(torch.ones(3))
        w.register_hook(lambda g: g * 2)
        optimizer = torch.optim.Adam([w])
        try:
            with record:
                for _ in range(3):
                    optimizer.zero_grad()
                    loss = (F.dropout(w, 0.3) ** 2).sum()
                    loss.backward()
                    optimizer.step()
                if fails:
                    raise ZeroDivisionError
        except ZeroDivisionError:
            pass
        return w.detach().clone().tolist(), *_state(w)[:5], _state(w)[6:], w._version

    plain, recorded = train(contextlib.nullcontext()), train(ak.record_torch())
    assert recorded == plain


def test_explaining_changes_nothing() -> None:
    w = nn.Parameter(torch.ones(3))
    with ak.record_torch() as tape:
        loss = (F.dropout(w) ** 2).sum()
    before = _state(w)
    tape.explain(loss, w), tape.table(), tape.cost(), tape.stepper(loss), tape.report(loss, {"w": w})
    assert _state(w) == before
    loss.backward()  # the graph is still there
    assert w.grad is not None


def test_a_tape_that_is_dropped_holds_no_tensor() -> None:
    w = nn.Parameter(torch.ones(3))
    with ak.record_torch() as tape:
        hidden = torch.exp(w)
        loss = hidden.sum()
        loss.backward()
    kept = weakref.ref(hidden)
    del hidden, loss, tape
    gc.collect()
    assert kept() is None


# ------------------------------------------------------------------------------------------------------- bad input
def test_two_records_nested() -> None:
    with ak.record_torch(), pytest.raises(OpenTapeError, match="open already"), ak.record_torch():
        pass


def test_a_tape_records_one_block() -> None:
    tape = ak.record_torch()
    with tape:
        pass
    with pytest.raises(TapeError, match="again"), tape:
        pass


def test_an_empty_block() -> None:
    w = nn.Parameter(torch.ones(3))
    with ak.record_torch() as tape:
        pass
    with pytest.raises(TapeError, match="nothing was recorded"):
        tape.explain(w.sum(), w)


def test_a_target_of_another_block() -> None:
    w = nn.Parameter(torch.ones(3))
    with ak.record_torch():
        other = (w.detach() * 2).sum()
    with ak.record_torch() as tape:
        (w * 2).sum()
    with pytest.raises(TapeError, match="not computed in this block"):
        tape.explain(other, w)


@pytest.mark.parametrize("target", [None, "loss", nn.Linear(1, 1)])
def test_a_target_that_is_no_tensor(target: Any) -> None:
    w = nn.Parameter(torch.ones(3))
    with ak.record_torch() as tape:
        (w * 2).sum()
    with pytest.raises(DtypeError, match="must be a tensor"):
        tape.explain(target, w)


def test_a_model_is_no_source() -> None:
    model = nn.Linear(2, 1)
    with ak.record_torch() as tape:
        loss = model(torch.ones(3, 2)).sum()
    with pytest.raises(DtypeError, match="report"):
        tape.explain(loss, model)


def test_a_source_that_the_block_never_saw() -> None:
    w, other = nn.Parameter(torch.ones(3)), nn.Parameter(torch.ones(3))
    with ak.record_torch() as tape:
        loss = (w * 2).sum()
    told = tape.explain(loss, other)
    assert (told.kind, told.gradient) == ("unused", "None")
    assert "No operation of the block read other" in told.because


def test_asking_inside_the_block() -> None:
    w = nn.Parameter(torch.ones(3))
    with ak.record_torch() as tape:
        loss = (w * 2).sum()
        with pytest.raises(TapeError, match="after its block"):
            tape.explain(loss, w)


def test_an_optimizer_that_is_none() -> None:
    with pytest.raises(ArgumentError, match="optimizer"):
        ak.record_torch(optimizer=3)


def test_several_sources_give_several_explanations() -> None:
    a, b = nn.Parameter(torch.ones(3)), nn.Parameter(torch.ones(3))
    with ak.record_torch() as tape:
        loss = (a * 2).sum() + b.detach().sum()
    told = tape.explain(loss, [a, b])
    assert [one.kind for one in told] == ["connected", "detached"]
    assert "<table>" in told._repr_html_()


# ------------------------------------------------------------------------------------------------------- limits
def test_recording_stops_at_its_limit_and_says_so() -> None:
    w = nn.Parameter(torch.ones(3))
    tape = ak.record_torch(max_operations=10)
    with tape:
        for _ in range(4):
            (w * 2).sum()
        w.exp()
        with pytest.warns(RuntimeWarning, match="limit of 10 operations"):
            loss = w.exp()
        loss = (loss * 2).sum()
        loss.backward()
    assert len(tape.recording.operations) == 10
    assert w.grad is not None
    assert "limit of 10" in repr(tape)


def test_values_over_the_limit_are_let_go_and_causes_are_still_found() -> None:
    w = nn.Parameter(torch.ones(1000))
    with ak.record_torch(max_bytes=8000) as tape:
        for _ in range(50):
            y = torch.exp(w * 0.01)
        y = y.detach()
        loss = y.sum()
    assert tape.recording.held_bytes <= 8000
    assert tape.explain(loss, w).kind == "detached"
    gc.collect()
    alive = sum(value.tensor is not None for value in tape.recording.values)
    assert alive < 10


# ------------------------------------------------------------------------------------------------ other machinery
def test_another_thread_is_not_recorded() -> None:
    w = nn.Parameter(torch.ones(3))
    found: list[Any] = []
    with ak.record_torch() as tape:
        thread = threading.Thread(target=lambda: found.append((w * 3).sum()))
        thread.start()
        thread.join()
        loss = (w * 2).sum()
    assert [node.op for node in tape.nodes] == ["mul", "sum"]
    assert tape.explain(loss, w).kind == "connected"
    assert tape.explain(found[0], w).kind == "connected"  # PyTorch's graph knows what the recording does not


def test_threads_record_at_the_same_time() -> None:
    kinds: list[str] = []

    def work(cut: bool) -> None:
        w = nn.Parameter(torch.ones(3))
        with ak.record_torch() as tape:
            h = w * 2
            loss = (h.detach() if cut else h).sum()
        kinds.append(tape.explain(loss, w).kind)

    threads = [threading.Thread(target=work, args=(k % 2 == 0,)) for k in range(4)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    assert sorted(kinds) == ["connected", "connected", "detached", "detached"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="workers are forked")
def test_workers_of_a_data_loader_do_not_record() -> None:
    data = torch.utils.data.TensorDataset(torch.randn(8, 3), torch.randn(8, 1))
    model = nn.Linear(3, 1)
    loader = torch.utils.data.DataLoader(data, batch_size=4, num_workers=1, multiprocessing_context="fork")
    with ak.record_torch() as tape:
        for x, y in loader:
            loss = F.mse_loss(model(x), y)
    assert tape.explain(loss, model.weight).kind == "connected"
    assert tape.recording.trouble is None


def test_torch_func_and_vmap() -> None:
    w, x = torch.randn(3), torch.randn(4, 3)
    with ak.record_torch() as tape:
        per_example = torch.vmap(torch.func.grad(lambda w, x: torch.tanh(w @ x)), (None, 0))(w, x)
        assert per_example.shape == (4, 3)
        p = nn.Parameter(w.clone())
        loss = torch.vmap(lambda row: (row * p).sin().sum())(x).sum()
    assert tape.explain(loss, p).kind == "connected"
    assert tape.recording.trouble is None


def test_autocast_is_recorded() -> None:
    model = nn.Linear(4, 2)
    with ak.record_torch() as tape:
        with torch.autocast("cpu", dtype=torch.bfloat16):
            out = model(torch.randn(3, 4))
        loss = out.float().detach().sum()
    assert "bfloat16" in str(tape.table())
    assert tape.explain(loss, model.weight).kind == "detached"


def test_a_compiled_function_runs_eagerly_or_is_one_operation() -> None:
    """In a process of its own, because it imports the compiler."""
    script = """
import torch, autodiff_kit as ak
w = torch.nn.Parameter(torch.ones(3))
f = torch.compile(lambda w: (w * 2).sin().sum(), backend="eager")
f(w)
with ak.record_torch() as tape:
    loss = f(w)
    cut = f(w.detach())
print(tape.explain(loss, w).kind, tape.explain(cut, w).kind)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False, timeout=300)
    assert done.stdout.split() == ["connected", "detached"], done.stderr


# ------------------------------------------------------------------------------------------------ table, cost, stepper
def test_the_table_shows_operations_values_and_lines() -> None:
    w = nn.Parameter(torch.tensor([1.0, 2.0]))
    with ak.record_torch() as tape:
        y = w * 3
        z = y.sum()
    assert float(z.detach()) == 9
    table = tape.table()
    assert [(row.id, row.op, row.inputs, row.value) for row in table.rows] == [
        (0, "mul", (-1,), "[3 6]"),
        (1, "sum", (0,), "9"),
    ]
    assert [(row.id, row.op, row.name, row.shape) for row in table.sources] == [(-1, "parameter", "w", (2,))]
    assert {row.cell for row in table.rows} == {__file__}
    assert table.rows[1].name == "z"
    assert "z" in str(table)
    assert "mul" in table._repr_html_()


def test_values_are_those_of_before_a_write() -> None:
    w = nn.Parameter(torch.tensor([1.0, 2.0]))
    with ak.record_torch() as tape:
        x = torch.zeros(2)
        x.add_(5)
        (w * x).sum()
        with torch.no_grad():
            w.mul_(10)
    values = {row.op: row.value for row in tape.table().rows}
    assert (values["zeros"], values["add_"], values["mul"]) == ("[0 0]", "[5 5]", "[5 10]")
    assert tape.table().sources[0].value == "[1 2]"


def test_the_cost_of_a_product_is_exact() -> None:
    x, w = torch.ones(32, 5), nn.Parameter(torch.ones(7, 5))
    with ak.record_torch() as tape:
        F.linear(x, w)
    cost = tape.cost()
    assert (cost.forward, cost.backward) == (2 * 32 * 5 * 7, 2 * 32 * 5 * 7)
    kit_w = ak.Variable(np.ones((5, 7)))
    with ak.GradientTape() as kit:
        np.ones((32, 5)) @ kit_w
    assert (kit.cost().forward, kit.cost().backward) == (cost.forward, cost.backward)


def test_the_stepper_hands_on_what_pytorch_does() -> None:
    w = nn.Parameter(torch.tensor([1.0, 2.0]))
    with ak.record_torch() as tape:
        y = w * w
        z = (y + w).sum()
    steps = tape.stepper(z)
    np.testing.assert_allclose(steps.cotangent(w), [3.0, 5.0])
    np.testing.assert_allclose(steps.cotangent(y), [1.0, 1.0])
    assert steps.steps[0].row is None
    assert w.grad is None
    assert "hands" in str(steps)


def test_the_stepper_after_the_graph_was_freed() -> None:
    w = nn.Parameter(torch.tensor([1.0, 2.0]))
    with ak.record_torch() as tape:
        z = (w * w).sum()
        z.backward()
    np.testing.assert_allclose(tape.stepper(z).cotangent(w), [2.0, 4.0])


def test_the_report_has_a_row_for_each_parameter() -> None:
    model = nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.Linear(3, 3), nn.Linear(3, 1))
    model[2].requires_grad_(False)
    extra = nn.Parameter(torch.ones(1))
    optimizer = torch.optim.SGD(model[0].parameters(), lr=0.1)
    with ak.record_torch(optimizer=optimizer) as tape:
        loss = model(torch.ones(4, 2)).mean() * 1e5
        loss.backward()
        optimizer.step()
    report = tape.report(loss, [*model.named_parameters(), ("extra", extra)])
    states = {row.name: row.state for row in report.rows}
    assert states["2.weight"] == "frozen"
    assert states["3.weight"] == "not in the optimizer"
    assert states["extra"] == "None"
    assert states["0.weight"] in ("huge", "flows")
    assert {row.name for row in report.problems} >= {"3.weight", "3.bias", "extra"}
    assert "not in the optimizer" in str(report)
    assert "<table>" in report._repr_html_()


# ------------------------------------------------------------------------------------------------ scripts and notebooks
SCRIPT = """
import sys, torch
from torch import nn
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))
optimizer = torch.optim.Adam(net.parameters())
for turn in range(50):
    optimizer.zero_grad()
    hidden = net[1](net[0](torch.randn(8, 3)))
    if "--cut" in sys.argv:
        hidden = hidden.detach()
    loss = net[2](hidden).square().mean()
    loss.backward()
    if "--fail" in sys.argv:
        loss.backward()
    optimizer.step()
    print("turn", turn)
"""


@pytest.mark.parametrize(("words", "code", "shown"), [
    ([], 0, "all are sound"),
    (["--", "--cut"], 1, "line 11: hidden = hidden.detach()"),
    (["--step", "1", "--", "--cut"], 1, "after 1 steps"),
    (["--", "--fail"], 1, "The graph was used a second time"),
])  # fmt: skip
def test_the_command_explains_a_script(tmp_path: Path, capsys: Any, words: list[str], code: int, shown: str) -> None:
    from autodiff_kit.cli import main

    script = tmp_path / "train.py"
    script.write_text(SCRIPT)
    arguments = list(sys.argv)
    assert main(["explain", str(script), *words]) == code
    out = capsys.readouterr().out
    assert shown in out
    assert "turn 3" not in out, "it stops"
    assert sys.argv == arguments


def test_the_command_needs_a_script(tmp_path: Path, capsys: Any) -> None:
    from autodiff_kit.cli import main

    assert main(["explain", str(tmp_path / "none.py")]) == 1
    assert "there is no script" in capsys.readouterr().err


GAN = """
import torch
from torch import nn
torch.manual_seed(0)
G, D = nn.Linear(2, 3), nn.Linear(3, 1)
optimizer_d, optimizer_g = torch.optim.Adam(D.parameters()), torch.optim.Adam(G.parameters())
for turn in range(9):
    fake = G(torch.randn(4, 2))
    optimizer_d.zero_grad()
    (D(fake.detach()).mean() - D(torch.randn(4, 3)).mean()).backward()
    optimizer_d.step()
    optimizer_g.zero_grad()
    (-D(fake).mean()).backward()
    optimizer_g.step()
"""


def test_each_parameter_of_a_script_is_asked_about_its_own_loss(tmp_path: Path, capsys: Any) -> None:
    from autodiff_kit.cli import main

    script = tmp_path / "gan.py"
    script.write_text(GAN)
    assert main(["explain", str(script)]) == 0, capsys.readouterr().out


def test_the_magic_reports_below_a_cell(capsys: Any) -> None:
    interactive = pytest.importorskip("IPython.core.interactiveshell")
    shell = interactive.InteractiveShell.instance()
    try:
        shell.run_line_magic("load_ext", "autodiff_kit")
        shell.run_cell("import torch\nfrom torch import nn\nnet = nn.Linear(3, 1)\nhead = nn.Linear(1, 1)")
        shell.run_cell("%%gradients\nh = net(torch.ones(2, 3)).detach()\nloss = head(h).sum()\nloss.backward()")
        out = capsys.readouterr().out
        assert "net.weight" in out
        assert "The graph was cut off here" in out
        shell.run_cell("%%gradients loss head\nloss = head(torch.ones(2, 1)).sum()")
        assert "all are sound" in capsys.readouterr().out
    finally:
        interactive.InteractiveShell.clear_instance()
