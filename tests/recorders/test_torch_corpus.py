"""Programs of PyTorch, broken and sound: kind and line of what is wrong, and silence where nothing is."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="make test-all runs these where PyTorch is installed")

sys.path.insert(0, str(Path(__file__).parent))
import corpus  # noqa: E402

import autodiff_kit as ak  # noqa: E402

BROKEN = list(corpus.broken_programs())
SOUND = list(corpus.sound_programs())


@pytest.fixture(autouse=True)
def _the_same_numbers() -> Any:
    torch.manual_seed(0)
    before = torch.is_grad_enabled()
    yield
    torch.set_grad_enabled(before)


def test_there_are_as_many_programs_as_were_promised() -> None:
    families = {program.kind for program in BROKEN}
    assert len(BROKEN) >= 120
    assert len(SOUND) >= 200
    assert families == {
        "frozen", "not_leaf", "replaced", "left", "detached", "no_grad", "no_slope", "zero_slope", "nan", "unused",
        "accumulated", "optimizer", "custom", "inplace_error", "second_backward_error", "hook_changes", "loop_state",
        "broadcast",
    }  # fmt: skip


@pytest.mark.parametrize("program", BROKEN, ids=lambda program: program.name)
def test_a_broken_program_is_told_its_cause_and_its_line(program: corpus.Program) -> None:
    answer = corpus.diagnose(program, ak.record_torch)
    assert (answer.kind, answer.line) == (program.kind, program.line), str(answer.told)
    assert answer.tape.recording.trouble is None
    assert answer.told.code, "the line's text"
    assert answer.told.fix
    assert answer.told.link.startswith("https://")
    if answer.error is not None:  # it is raised as it was, with a note
        assert any(f"line {program.line}" in note for note in answer.error.__notes__)


@pytest.mark.parametrize(("name", "run"), SOUND, ids=[name for name, _ in SOUND])
def test_a_sound_program_is_told_so(name: str, run: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tape, target, source = run(ak.record_torch)
        told = tape.explain(target, source)
    assert told.kind == "connected", str(told)
    assert told.connected
    assert tape.recording.trouble is None
