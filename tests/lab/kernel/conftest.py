"""A front end that only sends requests: every message, in both directions, is checked against the schema."""

from __future__ import annotations

import base64
import importlib.util
import itertools
import json
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import jsonschema
import numpy as np
import pytest

from autodiff_kit.lab.kernel import TapeInspector

SCHEMA = json.loads((Path(__file__).parents[3] / "autodiff_kit" / "lab" / "messages.json").read_text(encoding="utf-8"))
VALID = jsonschema.Draft202012Validator(SCHEMA)


def size(message: Any) -> int:
    """The size of a message in bytes, as sent."""
    return len(json.dumps(message, separators=(",", ":"), allow_nan=False).encode())


def unpacked(columns: Any) -> dict[str, Any]:
    """Columns as lists of numbers; the inputs as a list for each row."""
    n = columns["b"] - columns["a"]
    numbers = {
        name: _numbers(columns[name], n).tolist() for name in ("op", "shape", "dtype", "line", "module", "arity")
    }
    ends = np.cumsum([0, *numbers["arity"]])
    read = _numbers(columns["inputs"], int(ends[-1])).tolist()
    return {**numbers, "inputs": [read[a:b] for a, b in itertools.pairwise(ends)]}


def _numbers(text: str, many: int) -> np.ndarray:
    packed = base64.b64decode(text, validate=True)
    return np.frombuffer(packed, f"<u{len(packed) // many if many else 1}")


class Page:
    """A simulated page: sends requests and receives replies."""

    def __init__(self, **options: Any) -> None:
        self.names: dict[str, Any] = {}
        self.told: list[Any] = []
        self.inspector = TapeInspector(self.hear, lambda: self.names, **options)
        self._id = 0

    def hear(self, message: Any) -> None:
        VALID.validate(json.loads(json.dumps(message, allow_nan=False)))
        self.told.append(message)

    def ask(self, ask: str, **more: Any) -> Any:
        self._id += 1
        request = {"v": 1, "id": self._id, "ask": ask, **more}
        self.inspector.receive(request)
        answers = [m for m in self.told if m.get("id") == self._id]
        assert len(answers) == 1, self.told[-1]
        if "error" not in answers[0]:
            VALID.validate(request)
        return answers[0]

    def refused(self, ask: str, **more: Any) -> str:
        """The code of the error reply."""
        answer = self.ask(ask, **more)
        assert "error" in answer, answer
        assert answer["error"]["text"]
        return str(answer["error"]["code"])

    @property
    def notices(self) -> list[Any]:
        return [m for m in self.told if m.get("type") == "tape/new"]

    def last(self) -> str:
        """The id of the newest tape."""
        return str(self.ask("tape.list")["tapes"][-1]["tape"])


@pytest.fixture
def page() -> Iterator[Page]:
    page = Page()
    with page.inspector:
        yield page


@pytest.fixture
def seen(page: Page) -> Page:
    """A page with an open inspector."""
    page.ask("tape.watch")
    return page


def _load(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, Path(__file__).with_name(f"{name}.py"))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def tapes() -> ModuleType:
    return _load("tapes")


@pytest.fixture(scope="session")
def bytes_of() -> Any:
    return size


@pytest.fixture(scope="session")
def make_page() -> type[Page]:
    return Page


@pytest.fixture(scope="session")
def schema() -> Any:
    return SCHEMA
