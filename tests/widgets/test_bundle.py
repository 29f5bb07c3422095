"""Front-end modules joined into one: order, one name once, nothing missing, and no other host asked for anything."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from autodiff_kit.errors import StructureError
from autodiff_kit.widgets import bundle as home
from autodiff_kit.widgets.bundle import bundle

JS = Path(home.__file__).parent / "js"
ENTRIES = sorted(JS.glob("*.js"))
each_entry = pytest.mark.parametrize("entry", ENTRIES, ids=[path.stem for path in ENTRIES])


def write(folder: Path, **files: str) -> Path:
    for name, text in files.items():
        (folder / f"{name}.js").write_text(text, encoding="utf-8")
    return folder / "main.js"


def test_a_module_stands_after_what_it_imports_and_once(tmp_path: Path) -> None:
    main = write(
        tmp_path,
        main='import { b } from "./b.js";\nimport { c } from "./c.js";\nexport default { b, c };\n',
        b='import { c } from "./c.js";\nexport const b = c + 1;\n',
        c="export const c = 1;\n",
    )
    assert bundle(main).splitlines() == [
        "// c.js",
        "const c = 1;",
        "",
        "// b.js",
        "const b = c + 1;",
        "",
        "// main.js",
        "export default { b, c };",
    ]


def test_a_circle_is_refused(tmp_path: Path) -> None:
    main = write(
        tmp_path,
        main='import { a } from "./a.js";\nexport default { a };\n',
        a='import { b } from "./b.js";\nexport function a() {\n  return b();\n}\n',
        b='import { a } from "./a.js";\nexport function b() {\n  return a;\n}\n',
    )
    with pytest.raises(StructureError, match=r"in a circle: a\.js -> b\.js -> a\.js; move"):
        bundle(main)


def test_a_name_in_two_modules_is_refused(tmp_path: Path) -> None:
    main = write(
        tmp_path,
        main='import { a } from "./a.js";\nconst size = 1;\nexport default { a };\n',
        a="export const a = 2;\nfunction size() {}\n",
    )
    with pytest.raises(StructureError, match=r"main\.js: declared in more than one module: size; rename"):
        bundle(main)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    main = write(tmp_path, main='import { a } from "./gone.js";\nexport default { a };\n')
    with pytest.raises(StructureError, match=r"main\.js imports gone\.js, which is not there"):
        bundle(main)


@each_entry
def test_one_export_is_left_and_no_import(entry: Path) -> None:
    text = bundle(entry)
    assert re.findall(r"^export .*", text, re.MULTILINE) == ["export default { render };"]
    assert not re.search(r"^\s*import\b|\bimport\(", text, re.MULTILINE)


@each_entry
def test_every_kit_module_that_is_named_is_there_once(entry: Path) -> None:
    names = re.findall(r"^// (\w+\.js)$", bundle(entry), re.MULTILINE)
    assert names[-1] == entry.name
    assert len(names) == len(set(names)) > 3


def test_every_kit_module_is_used() -> None:
    used = {name for entry in ENTRIES for name in re.findall(r"^// (\w+\.js)$", bundle(entry), re.MULTILINE)}
    assert {path.name for path in (JS / "kit").glob("*.js")} <= used


@each_entry
def test_nothing_is_asked_of_another_host(entry: Path) -> None:
    """The one address in it is the namespace of SVG, which nobody fetches."""
    text = re.sub(r"^\s*//.*", "", bundle(entry), flags=re.MULTILINE)
    addresses = re.findall(r"(?:https?:)?//[\w.-]+\.\w+[^\s\"'`)]*", text)
    assert set(addresses) <= {"http://www.w3.org/2000/svg"}
    assert not re.search(r"\b(fetch|XMLHttpRequest|WebSocket|EventSource|importScripts|sendBeacon)\b", text)


def test_the_style_sheet_asks_for_nothing() -> None:
    sheet = (JS / "kit" / "kit.css").read_text(encoding="utf-8")
    assert not re.search(r"@import|@font-face|https?:|url\((?!['\"]?#)", sheet)
