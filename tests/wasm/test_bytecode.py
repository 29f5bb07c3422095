"""Wheels with bytecode: the modules are the same, and nothing is compiled when they are imported."""

from __future__ import annotations

import io
import subprocess
import sys
import zipfile
from pathlib import Path

from website.bytecode import compiler_of, with_bytecode

SOURCE = """
import sys
KNOWN = sys.platform in {"linux", "darwin", "emscripten"}

def where():
    return sys._getframe().f_code.co_filename
"""


def wheel(**files: str) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as file:
        for name, text in files.items():
            file.writestr(f"kit/{name}.py", text)
        file.writestr("kit-1.data/scripts/run.py", "print()")
    return made.getvalue()


def test_a_version_that_is_not_here_has_no_compiler() -> None:
    assert compiler_of("2.1") is None
    assert compiler_of(".".join(map(str, sys.version_info[:2]))) == sys.executable


def test_bytecode_is_imported_in_place_of_the_source(tmp_path: Path) -> None:
    made = with_bytecode(wheel(__init__="", one=SOURCE, template="def {name}(:"), sys.executable)
    assert made == with_bytecode(wheel(__init__="", one=SOURCE, template="def {name}(:"), sys.executable)
    with zipfile.ZipFile(io.BytesIO(made)) as file:
        file.extractall(tmp_path)
    compiled = [path.name.partition(".")[0] for path in (tmp_path / "kit" / "__pycache__").iterdir()]
    assert sorted(compiled) == ["__init__", "one"]
    assert not (tmp_path / "kit-1.data" / "scripts" / "__pycache__").exists()

    one = tmp_path / "kit" / "one.py"
    assert one.read_text() == SOURCE
    one.write_text(SOURCE.replace("co_filename", "co_name"))  # never read
    code = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); from kit import one; print(one.where())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == str(one)


def test_bytecode_without_a_source_names_the_place_that_it_is_made_for(tmp_path: Path) -> None:
    made = with_bytecode(wheel(__init__="", one=SOURCE), sys.executable, keep_sources=False, folder="/lib/there")
    with zipfile.ZipFile(io.BytesIO(made)) as file:
        file.extractall(tmp_path)
    code = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); from kit import one; print(one.where())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "/lib/there/kit/one.py"
