"""The corpus of programs: broken ones with the kind and the line of their cause, and sound ones that look suspicious.

A broken program is a function ``kind__what(record)``. It returns tape, target and source, unless an exception leaves
its block; then the tape's `error` is asked. The line of the cause ends in ``# cause``; where it stands outside of the
function, in ``# cause of`` and the function's name.
"""

from __future__ import annotations

import importlib.util
import inspect
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

HERE = Path(__file__).parent


@dataclass(frozen=True)
class Program:
    name: str
    kind: str
    line: int
    run: Callable[[Any], Any]


@dataclass
class Answer:
    kind: str
    line: int
    told: Any
    tape: Any
    error: BaseException | None


def load(path: Path) -> ModuleType:
    specification = importlib.util.spec_from_file_location(f"corpus_{path.parent.name}_{path.stem}", path)
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


def broken_programs() -> Iterator[Program]:
    for path in sorted((HERE / "broken").glob("*.py")):
        yield from programs_of(path)


def programs_of(path: Path) -> Iterator[Program]:
    """The broken programs of a file."""
    lines = path.read_text().splitlines()
    for name, function in functions_of(path):
        if "__" in name:
            yield Program(name, name.partition("__")[0], _cause(lines, function, name), function)


def functions_of(path: Path) -> Iterator[tuple[str, Callable[[Any], Any]]]:
    """The functions of a file's own that are no helpers."""
    module = load(path)
    for name, function in vars(module).items():
        if not name.startswith("_") and inspect.isfunction(function) and function.__module__ == module.__name__:
            yield name, function


def _cause(lines: list[str], function: Any, name: str) -> int:
    text, first = inspect.getsourcelines(function)
    marked = [first + k for k, line in enumerate(text) if line.rstrip().endswith("# cause")]
    marked += [k + 1 for k, line in enumerate(lines) if line.rstrip().endswith(f"# cause of {name}")]
    assert len(marked) == 1, f"{name} marks {len(marked)} lines"
    return marked[0]


def diagnose(program: Program, record: Any) -> Answer:
    """Run a program and ask what is wrong with it."""
    tapes: list[Any] = []

    def remembering(*args: Any, **options: Any) -> Any:
        tapes.append(record(*args, **options))
        return tapes[-1]

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # PyTorch warns of some of these programs, which is no part of the question
        try:
            tape, target, source = program.run(remembering)
        except Exception as error:  # noqa: BLE001 - the program's own
            told = tapes[-1].error
            return Answer(told.kind if told else "", told.line if told else 0, told, tapes[-1], error)
        told = tape.explain(target, source)
        return Answer(told.kind, told.line, told, tape, None)


def sound_programs() -> Iterator[tuple[str, Callable[[Any], Any]]]:
    """Whole loops, and each loss in three settings: alone, with its backward pass, and in a training loop."""
    for name, function in vars(load(HERE / "sound" / "loops.py")).items():
        if inspect.isfunction(function):
            yield name, function
    module = load(HERE / "sound" / "losses.py")
    for name, make in vars(module).items():
        if inspect.isfunction(make) and make.__module__ == module.__name__:
            for setting in (_alone, _with_backward, _in_training):
                yield f"{name}{setting.__name__}", lambda record, make=make, setting=setting: setting(record, make)  # type: ignore[misc]


def _alone(record: Any, make: Any) -> Any:
    loss_of, _, source = make()
    with record() as tape:
        loss = loss_of()
    return tape, loss, source


def _with_backward(record: Any, make: Any) -> Any:
    loss_of, _, source = make()
    with record() as tape:
        loss = loss_of()
        loss.backward()
    return tape, loss, source


def _in_training(record: Any, make: Any) -> Any:
    import torch

    loss_of, parameters, source = make()
    optimizer = torch.optim.Adam(parameters, lr=0.01)
    with record() as tape:
        for _ in range(2):
            optimizer.zero_grad()
            loss = loss_of()
            loss.backward()
            optimizer.step()
    return tape, loss, source
