"""The corpus of programs: broken ones with the kind and the line of their cause, and sound ones that look suspicious.

A broken program is a function ``kind__what(record)``. It returns tape, target and source, unless an exception leaves its
block; then the tape's `error` is asked. The line of the cause ends in ``# cause``; where it stands outside of the
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
    assert specification is not None and specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


def broken_programs() -> Iterator[Program]:
    for path in sorted((HERE / "broken").glob("*.py")):
        module = load(path)
        lines = path.read_text().splitlines()
        for name, function in vars(module).items():
            if "__" in name.strip("_") and inspect.isfunction(function) and function.__module__ == module.__name__:
                yield Program(name, name.partition("__")[0], _cause(lines, function, name), function)


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
