"""Docstrings are the reference: every public name has one, in the form that the pages need."""

from __future__ import annotations

import inspect
import os
import re
import subprocess
import sys
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import autodiff_kit as ak
from autodiff_kit.core.operation import OPS
from autodiff_kit.ops.docstrings import sections_of

TOP = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "docs"))
import pages  # noqa: E402

sys.path.pop(0)

NAMES = {name.path: name.thing for name in pages.public()}
MEMBERS = {f"{n.path}.{m}": inspect.getattr_static(n.thing, m) for n in pages.public() for m in n.members}
EVERYTHING = NAMES | MEMBERS
PAGES: dict[str, list[str]] = {}  # each page with all names and members that it shows
for _name in pages.public():
    PAGES.setdefault(_name.page, []).extend([_name.path, *(f"{_name.path}.{member}" for member in _name.members)])
SECTIONS = (
    "Parameters", "Attributes", "Returns", "Yields", "Raises", "Warns", "See Also", "Notes", "References", "Examples",
)  # fmt: skip
FIELDS = {"Shapes", "Dtypes", "Gradient", "Cost"}


def sections(thing: Any) -> dict[str, str]:
    """Underlined headings and the text below them."""
    parts = re.split(r"^(\w[\w ]*)\n-{3,}$", inspect.getdoc(thing) or "", flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def documented(text: str) -> list[str]:
    """Names in a section of parameters: at the margin, before a colon or alone, several with commas."""
    lines = re.findall(r"^(\*{0,2}\w[\w, *]*?)(?: ?:.*)?$", text, re.MULTILINE)
    return [name.strip(" *") for line in lines for name in line.split(",")]


def taken(thing: Any) -> list[str]:
    """The parameters that a caller can pass."""
    if not callable(thing) or (inspect.isclass(thing) and issubclass(thing, Exception)):
        return []
    try:
        parameters = inspect.signature(thing).parameters
    except ValueError:
        return []
    return [name for name in parameters if name != "self"]


# -------------------------------------------------------------------------------- the list
def test_every_name_that_a_package_lists_has_its_page() -> None:
    modules = [ak, *(m for name in ak.__all__ if isinstance(m := getattr(ak, name), types.ModuleType))]
    shown = {id(thing) for thing in EVERYTHING.values()}
    missing = [
        f"{module.__name__}.{name}"
        for module in modules
        for name in module.__all__
        if not isinstance(getattr(module, name), types.ModuleType) and id(getattr(module, name)) not in shown
    ]
    assert missing == []


def test_every_name_is_on_one_page() -> None:
    assert sorted(path for paths in PAGES.values() for path in paths) == sorted(EVERYTHING)


def test_no_name_has_two() -> None:
    things = [name.thing for name in pages.public()]
    assert len({id(thing) for thing in things}) == len(things)
    assert not {id(thing) for thing in things} & {id(member) for member in MEMBERS.values()}


def test_views_of_tapes_are_shown_with_the_tape() -> None:
    assert {"autodiff_kit.GradientTape.cost", "autodiff_kit.GradientTape.table"} <= set(MEMBERS)
    assert "autodiff_kit.diagnostics.tape_cost.cost" not in NAMES


def test_what_belongs_to_the_engine_is_not_shown() -> None:
    assert not {f"autodiff_kit.Tensor.{name}" for name in ("parts", "record", "let_go", "node", "cot")} & set(MEMBERS)


def test_pages_are_written_once_and_old_ones_go(tmp_path: Path) -> None:
    (tmp_path / "gone.rst").write_text("Gone\n====\n")
    pages.write(tmp_path)
    written = {path.name: path.stat().st_mtime_ns for path in tmp_path.glob("*.rst")}
    assert "gone.rst" not in written
    assert {f"{name.page}.rst" for name in pages.public()} | {"index.rst"} == set(written)
    pages.write(tmp_path)
    assert {path.name: path.stat().st_mtime_ns for path in tmp_path.glob("*.rst")} == written
    text = "".join(path.read_text() for path in tmp_path.glob("*.rst"))
    assert len(re.findall(r"^\.\. auto(?:function|class|exception)::", text, re.MULTILINE)) == len(NAMES)


# -------------------------------------------------------------------------------- the form
def beginning(path: str) -> Iterator[str]:
    """What is wrong with the first paragraph."""
    text = inspect.getdoc(EVERYTHING[path])
    if not text:
        yield "no docstring"
        return
    summary = text.split("\n\n")[0].strip()
    if summary[-1] not in ".?:":
        yield f"{summary!r} does not end"
    if len(summary) >= 320:
        yield "the first paragraph is a summary"


def order(path: str) -> Iterator[str]:
    """Sections that are not known, not in order or empty, and fields that are not known."""
    found = sections(EVERYTHING[path])
    if list(found) != [section for section in SECTIONS if section in found]:
        yield f"sections {list(found)}"
    yield from (f"{name} is empty" for name, text in found.items() if not text.strip())
    fields = re.findall(r"\*\*(\w+)\.\*\*", found.get("Notes", ""))
    yield from (f"{field} is no field of Notes" for field in fields if field not in FIELDS)


def parameters(path: str) -> Iterator[str]:
    """In order and complete, wherever the section exists; it is required where an argument needs an explanation."""
    told = sections(EVERYTHING[path])
    if "Parameters" in told:
        names = [name for name in documented(told["Parameters"]) if name != "tape"]
        takes = [name for name in taken(EVERYTHING[path]) if name != "tape"]
        if names != takes:
            yield f"documents {names}, takes {takes}"


DERIVED = {id(op.function) for op in OPS.values() if op.function and op.function.__doc__ != op.value.__doc__}
"""Operations whose sections follow from their block."""

SHORT = 2
"""The number of arguments that one sentence can describe."""


def needs_sections(path: str) -> bool:
    """Functions and classes with more arguments than one sentence describes; not results with documented attributes."""
    thing = NAMES[path]
    small = inspect.isclass(thing) and "Attributes" in sections(thing)
    return not small and len(taken(thing)) > SHORT


def explanation(path: str) -> Iterator[str]:
    """Many arguments are explained; a function with parameters says what it returns, and shows it."""
    if path not in NAMES:
        return
    thing, found = NAMES[path], sections(NAMES[path])
    referred = re.search(r"derived from|same as :func:|see :func:|as NumPy's", inspect.getdoc(thing) or "")
    if needs_sections(path) and "Parameters" not in found and not referred:
        yield f"takes {taken(thing)} and does not say what they are"
    if "Parameters" not in found:
        return
    if inspect.isfunction(thing) and not inspect.isgeneratorfunction(inspect.unwrap(thing)) and "Returns" not in found:
        yield "does not say what it gives"
    if "Examples" not in found and id(thing) not in DERIVED:
        yield "shows no example"


FORM = (beginning, order, parameters, explanation)


@pytest.mark.parametrize("page", PAGES)
def test_docstrings_of_a_page_have_their_form(page: str) -> None:
    assert [f"{path}: {fault}" for path in PAGES[page] for part in FORM for fault in part(path)] == []


@pytest.mark.parametrize(
    ("docstring", "faults"),
    [
        (None, ["no docstring"]),
        ("No end", ["'No end' does not end"]),
        ("A. " * 120, ["the first paragraph is a summary"]),
        ("A.\n\nNotes\n-----\nN.\n\nReturns\n-------\nR.", ["sections ['Notes', 'Returns']"]),
        ("A.\n\nNotes\n-----\n**Price.** N.", ["Price is no field of Notes"]),
        ("A.\n\nParameters\n----------\nb : int", [
            "documents ['b'], takes ['a', 'b', 'c']", "does not say what it gives", "shows no example",
        ]),
        ("A.", ["takes ['a', 'b', 'c'] and does not say what they are"]),
    ],
    ids=str,
)  # fmt: skip
def test_each_fault_of_form_is_found(docstring: str | None, faults: list[str], monkeypatch: Any) -> None:
    def example(a: Any, b: Any, c: Any) -> None: ...

    example.__doc__ = docstring
    for names in (NAMES, EVERYTHING):
        monkeypatch.setitem(names, "example", example)
    found = [fault for part in FORM for fault in part("example")]
    assert [fault for fault in found if docstring == "A." or not fault.startswith("takes")] == faults


def test_the_sections_of_a_block_follow_from_it() -> None:
    """Arguments, errors, shapes, dtypes, the gradient with the points at which it is tested, and the cost."""
    assert {"Sin", "Add", "Equal", "Sum", "Argmax"} <= {key for key, op in OPS.items() if id(op.function) in DERIVED}
    found = sections(ak.hypot)
    assert list(found) == ["Parameters", "Returns", "Raises", "Notes"]
    assert "a, b : Tensor or array_like" in found["Parameters"]
    assert "At ``(a, b) = (0, 0)`` it is (0, 0)." in found["Notes"]
    assert set(re.findall(r"\*\*(\w+)\.\*\*", found["Notes"])) == FIELDS
    assert "None" in sections(ak.floor)["Notes"]
    assert documented(sections(ak.argmax)["Parameters"]) == ["x", "axis", "keepdims"]


# -------------------------------------------------------------------------------- sections in common
def _first() -> None:
    """The first function.

    Notes
    -----
    **Gradient.** Of the first.

    Returns
    -------
    int
        A number.

        And a second paragraph.
    """


def _second() -> None:
    """The second function.

    Of two paragraphs.

    Notes
    -----
    **Gradient.** Of the second.
    """


def _copy(function: Any) -> Any:
    return types.FunctionType(function.__code__, {}, function.__name__)


@pytest.mark.parametrize("dedented", [False, True], ids=["as written", "as Python 3.13 compiles it"])
def test_a_docstring_takes_the_sections_that_it_lacks(dedented: bool) -> None:
    """In numpydoc's order; a section of its own stays."""
    first, second = _copy(_first), _copy(_second)
    for function, source in ((first, _first), (second, _second)):
        function.__doc__ = inspect.getdoc(source) if dedented else source.__doc__
    assert sections_of(first)(second) is second
    assert inspect.getdoc(second) == (
        "The second function.\n\nOf two paragraphs.\n\n"
        "Returns\n-------\nint\n    A number.\n\n    And a second paragraph.\n\n"
        "Notes\n-----\n**Gradient.** Of the second."
    )


def test_only_the_sections_that_are_named_are_taken() -> None:
    bare = _copy(_second)
    bare.__doc__ = "A function."
    assert list(sections(sections_of(_first, "Returns")(bare))) == ["Returns"]
    assert "Notes" not in sections(ak.relax.soft_ceil)


@pytest.mark.parametrize(("own", "given"), [(None, None), (None, "Other."), ("Own.", None)])
def test_stripped_docstrings_are_left_alone(own: str | None, given: str | None) -> None:
    first, second = _copy(_first), _copy(_second)
    first.__doc__, second.__doc__ = given, own
    assert sections_of(first)(second).__doc__ == own


# -------------------------------------------------------------------------------- the pages
@pytest.mark.slow
def test_make_docs_builds_every_page_without_a_warning(tmp_path: Path) -> None:
    site, venv = tmp_path / "site", tmp_path / "venv"
    make = ["make", "docs", f"SITE={site}", f"VENV={venv}", f"PYTHON={sys.executable}"]
    done = subprocess.run(make, cwd=TOP, env=os.environ.copy(), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    shown = "".join(path.read_text() for path in (site / "reference").glob("*.html"))
    for path in EVERYTHING:
        assert shown.count(f'<dt class="sig sig-object py" id="{path}">') == 1, path
    for lesson in (TOP / "notebooks").glob("*.ipynb"):
        assert (site / "lessons" / f"{lesson.stem}.html").is_file()
    fetched = re.compile(r"<(?:script|link|img|iframe)\b[^>]*(?:src|href)=\"(?:https?:)?//[^\"]*", re.IGNORECASE)
    assert [found for path in site.rglob("*.html") for found in fetched.findall(path.read_text())] == []
