"""*Inside the engine*, both parts: the examples run, the files exist, and figures and pictures are true."""

from __future__ import annotations

import ast
import doctest
import io
import itertools
import re
import sys
import tokenize
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest

import autodiff_kit as ak

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "docs"))
import compile_pictures as pictures  # noqa: E402

sys.path.pop(0)
SECOND = (ROOT / "docs" / "inside_compile.md").read_text(encoding="utf-8")
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
    assert sum(map(code_lines, CORE.glob("*.py"))) <= 1900


# ------------------------------------------------------------------------------------------ the second part: ak.compile
def test_examples_of_the_second_part_run() -> None:
    names = {"ak": ak, "np": np, "attend": pictures.attend, **dict(zip("qkv", pictures.arguments(), strict=True))}
    test = doctest.DocTestParser().get_doctest(SECOND, names, "inside_compile.md", "inside_compile.md", 0)
    assert len(test.examples) > 5
    flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    assert doctest.DocTestRunner(optionflags=flags).run(test).failed == 0


def test_the_second_part_takes_its_figures_and_places_from_this_tree() -> None:
    assert set(re.findall(r"\{\{ (\w+) \}\}", SECOND)) == set(pictures.figures())
    for folder in re.findall(r"`(compile/\S+)`", SECOND):
        assert (ROOT / "autodiff_kit" / folder).is_dir(), folder
    typed = re.sub(r"```.*?```|\{\{.*?\}\}|`[^`\n]*`|float32", "", SECOND, flags=re.DOTALL)
    assert re.findall(r"\d+", typed) == []


def test_figures_agree_with_arithmetic_and_with_the_printed_plan() -> None:
    n = {name: int(text.replace(",", "")) for name, text in pictures.figures().items()}
    rows, columns = n["rows"], n["columns"]
    square, row = rows * rows * 4, rows * 4
    assert n["operations"] == 10
    assert n["nodes"] == n["operations"] - sum(place != k for k, (_, place) in enumerate(pictures.operations())) == 8
    assert n["eager_bytes"] == 6 * square + 2 * row + rows * columns * 4  # the transpose is a view
    assert (n["arena"], n["row_bytes"], n["output"]) == (square, row, rows * columns * 4)
    for compiled, kind in ((pictures.forward(), ""), (pictures.gradient(), "gradient_")):
        printed = str(compiled.plan)
        assert f"shared memory: {n[f'{kind}arena']} bytes" in printed
        kernels = len(compiled.kernels)
        assert len(re.findall(r"^# kernel\d+:", printed, re.MULTILINE)) == kernels == printed.count("def kernel(")
        assert n[f"{kind}units"] - kernels == printed.partition("def kernel")[0].count(" @ ")
    assert (len(pictures.forward().kernels), len(pictures.gradient().kernels)) == (1, n["gradient_kernels"])
    assert n["gradient_blocks"] < n["gradient_values"]
    assert n["gradient_arena"] < n["gradient_sum"]


def test_the_kernel_is_what_is_compiled_and_replaces_the_scores() -> None:
    f = pictures.forward()
    assert any(f.kernel(0) in source for source in f.written)
    assert "def kernel(in0, row0):" in f.kernel(0)
    assert "sort_key32" in f.kernel(0)
    assert [block.names for block in f.blocks()] == [["matmul", "divide"]]


@pytest.mark.parametrize("compiled", [pictures.forward, pictures.gradient])
def test_values_that_live_at_the_same_time_do_not_share_memory(compiled: object) -> None:
    blocks = compiled().blocks()  # type: ignore[operator]
    for a, b in itertools.combinations(blocks, 2):
        apart_in_time = a.last < b.first or b.last < a.first
        assert apart_in_time or a.offset + a.size <= b.offset or b.offset + b.size <= a.offset


@pytest.mark.parametrize("draw", [pictures.draw_nodes, pictures.draw_units, pictures.draw_memory])
def test_a_picture_is_told_in_words_and_fits_a_telephone(draw: object) -> None:
    picture = ET.fromstring(str(draw()))  # type: ignore[operator]
    assert picture.get("role") == "img"
    assert len(picture.get("aria-label", "")) > 80
    _, _, width, height = map(float, picture.get("viewBox", "").split())
    assert width <= 340
    for text in picture.iter("{http://www.w3.org/2000/svg}text"):
        said, x = text.text or "", float(text.get("x", "nan"))
        long = len(said) * 7.25  # of a letter of the code font, the widest
        left = x - long * {"start": 0, "middle": 0.5, "end": 1}[text.get("text-anchor", "")]
        assert 0 <= left <= left + long <= width, said
        assert 0 < float(text.get("y", "nan")) <= height


def test_pictures_and_sources_are_written(tmp_path: Path) -> None:
    pictures.write(tmp_path)
    shown = re.findall(r"_build/inside/(\w+\.\w+)", SECOND)
    assert sorted(shown) == sorted(path.name for path in tmp_path.iterdir())
    assert all(len(line) <= 90 for line in (tmp_path / "call.py").read_text("utf-8").splitlines())
