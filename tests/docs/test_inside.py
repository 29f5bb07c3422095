"""*Inside the engine*: its examples run, its files exist, and its figures are true."""

from __future__ import annotations

import ast
import doctest
import io
import re
import tokenize
from pathlib import Path

import numpy as np

import autodiff_kit as ak

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "inside.md").read_text(encoding="utf-8")
CORE = ROOT / "autodiff_kit" / "core"
LAYOUT = {tokenize.NL, tokenize.NEWLINE, tokenize.COMMENT, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}


def code_lines(path: Path) -> int:
    """Lines with code: no comments, no docstrings, no blank lines."""
    source = path.read_text(encoding="utf-8")
    docstrings = {
        line
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
        for line in range(node.lineno, (node.end_lineno or 0) + 1)
    }
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    lines = {n for t in tokens if t.type not in LAYOUT for n in range(t.start[0], t.end[0] + 1)}
    return len(lines - docstrings)


def test_its_examples_run() -> None:
    test = doctest.DocTestParser().get_doctest(PAGE, {"ak": ak, "np": np}, "inside.md", "inside.md", 0)
    assert len(test.examples) > 5
    assert doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(test).failed == 0


def test_reverse_mode_is_six_files_of_fewer_than_a_thousand_lines() -> None:
    files = re.findall(r"^\| \d \| `(autodiff_kit/core/\w+\.py)`", PAGE, re.MULTILINE)
    assert len(files) == 6
    assert sum(len((ROOT / file).read_text(encoding="utf-8").splitlines()) for file in files) < 1000


def test_every_file_that_it_names_is_there() -> None:
    for name in re.findall(r"`((?:autodiff_kit/)?(?:core/|ops/)?\w+\.py)`", PAGE):
        place = name.removeprefix("autodiff_kit/")
        assert (CORE.parent / (place if "/" in place else f"core/{place}")).is_file(), name


def test_the_core_stays_small() -> None:
    assert sum(map(code_lines, CORE.glob("*.py"))) <= 1800
