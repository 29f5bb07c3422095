"""A widget is two files: its class is found in its module's text, and its traits are listed once."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
import subprocess
import sys
from pathlib import Path

import anywidget
import pytest

from autodiff_kit import widgets
from autodiff_kit.widgets.base import KernelWidget

JS = Path(widgets.__file__).parent / "js"
MOST_LINES = 60
OPENS = re.compile(r"( *)(?:export )?(?:async )?(?:function (\w+)|const (\w+) = (?:\(.*\)|\w+) =>)")
CLOSES = r"[})\]][^{(\[]*;?$"
TINY = '''
from pathlib import Path

import traitlets

from autodiff_kit.lessons.tables import Table
from autodiff_kit.widgets.base import KernelWidget
from autodiff_kit.widgets.traits import Input, Output, ViewState


class SquareRoot(KernelWidget):
    """The square root of a number."""

    _front_end = str(Path(__file__).with_suffix(".js"))
    x = Input(traitlets.Float(4.0))
    zoom = ViewState(traitlets.Float(1.0))
    root = Output()

    def settle_inputs(self):
        self.x = max(0.0, self.x)

    def compute_outputs(self):
        return {"root": self.x**0.5}

    def as_table(self):
        return Table("A root", ("x", "root"), [(str(self.x), self.root)])
'''
FRONT_END = "function render({ model, el }) {\n  el.textContent = model.get('root');\n}\n\nexport default { render };\n"


@pytest.fixture
def tiny(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> type[KernelWidget]:
    (tmp_path / "square_root.py").write_text(TINY, encoding="utf-8")
    (tmp_path / "square_root.js").write_text(FRONT_END, encoding="utf-8")
    monkeypatch.setattr(widgets, "__path__", [*widgets.__path__, str(tmp_path)])
    monkeypatch.setattr(widgets, "_MODULES", widgets.find_widget_modules(*widgets.__path__))
    yield widgets.SquareRoot
    del sys.modules["autodiff_kit.widgets.square_root"]


def test_a_widget_of_two_files_is_found_and_answers(tiny: type[KernelWidget]) -> None:
    assert "SquareRoot" in dir(widgets)
    assert "el.textContent" in tiny._esm
    widget = tiny(x=9.0)
    assert (widget.root, widget.error) == (3.0, "")
    assert widget.trait_roles == {"input": ["x"], "view": ["zoom"], "output": ["root"]}
    assert widget.get_state()["trait_roles"] == widget.trait_roles


def test_inputs_are_settled_before_they_are_answered(tiny: type[KernelWidget]) -> None:
    widget = tiny(x=-1.0)
    assert (widget.x, widget.root) == (0.0, 0.0)
    widget.x = -4.0
    assert (widget.x, widget.root, widget.error) == (0.0, 0.0, "")


def test_every_widget_class_of_the_package_is_listed() -> None:
    classes = set()
    for module in pkgutil.iter_modules(widgets.__path__, f"{widgets.__name__}."):
        found = vars(importlib.import_module(module.name)).values()
        classes |= {
            one.__name__
            for one in found
            if inspect.isclass(one) and one.__module__ == module.name and issubclass(one, anywidget.AnyWidget)
        }
    assert classes == set(widgets.__all__) <= set(dir(widgets))


def test_a_widget_does_not_load_the_others() -> None:
    """A fresh process: this one has loaded them all."""
    code = (
        "import sys; from autodiff_kit.widgets import FloorDescent;"
        "print(*sorted(m for m in sys.modules if m.startswith('autodiff_kit.widgets.lesson')))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["autodiff_kit.widgets.lesson06"]


def test_no_widget_imports_another() -> None:
    folder = Path(widgets.__file__).parent
    imported = {
        path.stem: set(re.findall(r"^(?:from|import) autodiff_kit\.widgets\.(\w+)", path.read_text(), re.MULTILINE))
        for path in folder.glob("*.py")
    }
    assert set().union(*imported.values()) == {"base", "bundle", "json_encoding", "traits"}


def function_lengths(text: str) -> dict[str, int]:
    """Lines of each function at the margin or one level inside a component, without the functions inside it."""
    lengths: dict[str, int] = {}
    inside: list[tuple[int, str]] = []
    for line in text.splitlines():
        if (found := OPENS.match(line)) and len(found[1]) in (0, 2) and not line.endswith(";"):
            inside.append((len(found[1]), found[2] or found[3]))
            lengths[inside[-1][1]] = 0
        if inside:
            lengths[inside[-1][1]] += 1
            if re.match(" " * inside[-1][0] + CLOSES, line):
                inside.pop()
    return lengths


def test_function_lengths_are_counted_without_inner_functions() -> None:
    text = "export function Part() {\n  const el = h();\n  function draw() {\n    put();\n  }\n  return el;\n}\n"
    assert function_lengths(text) == {"Part": 4, "draw": 3}


@pytest.mark.parametrize("path", sorted(JS.rglob("*.js")), ids=lambda path: path.stem)
def test_no_function_of_a_front_end_module_is_long(path: Path) -> None:
    lengths = function_lengths(path.read_text(encoding="utf-8"))
    assert {name: length for name, length in lengths.items() if length > MOST_LINES} == {}
