"""The README and its companions: their code runs, their links are valid, their commands exist."""

from __future__ import annotations

import doctest
import json
import re
from pathlib import Path

import pytest

from autodiff_kit import cli

TOP = Path(__file__).resolve().parents[1]
PAGES = [
    path.relative_to(TOP).as_posix()
    for kind in ("contributing", "decisions")
    for path in (TOP / "docs" / kind).glob("*.md")
]
DOCUMENTS = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", *sorted(PAGES)]


def test_the_tour_runs() -> None:
    done = doctest.testfile(str(TOP / "README.md"), module_relative=False, optionflags=doctest.ELLIPSIS)
    assert done.attempted > 10
    assert done.failed == 0


def test_the_readme_lists_the_lessons_that_there_are() -> None:
    listed = re.findall(r"^\| (\d\d) \| .* \| (\d+) \|$", (TOP / "README.md").read_text(), re.MULTILINE)
    notebooks = [json.loads(path.read_text("utf-8")) for path in sorted((TOP / "notebooks").glob("*.ipynb"))]
    abouts = [notebook["metadata"]["autodiff_kit"] for notebook in notebooks]
    assert listed == [(about["no"], str(about["minutes"])) for about in abouts]


@pytest.mark.parametrize("name", DOCUMENTS)
def test_links_lead_somewhere(name: str) -> None:
    text = (TOP / name).read_text()
    inside = [link for link in re.findall(r"\]\(([^)\s]+)\)", text) if not link.startswith(("http", "#"))]
    assert [link for link in inside if not ((TOP / name).parent / link.split("#")[0]).exists()] == []


@pytest.mark.parametrize("name", DOCUMENTS)
def test_commands_exist(name: str) -> None:
    text = (TOP / name).read_text()
    makefile = (TOP / "Makefile").read_text()
    known = set(re.findall(r"^([a-z-]+):", makefile, re.MULTILINE))
    quoted = set(re.findall(r"[`$] ?make ([a-z-]+)", text))
    assert quoted <= known


@pytest.mark.parametrize("name", DOCUMENTS)
def test_subcommands_exist(name: str) -> None:
    named = set(re.findall(r"`autodiff-kit ([a-z]+)", (TOP / name).read_text()))
    parser = cli._parser()
    for word in sorted(named):
        assert word in parser.format_help()


@pytest.mark.parametrize("name", DOCUMENTS)
def test_files_that_are_named_are_there(name: str) -> None:
    inside = r"`((?:autodiff_kit|tests|notebooks|exercises|binder|docs|website|benchmarks)/[\w./-]*)`"
    named = re.findall(inside, (TOP / name).read_text())
    # NN_slug is a placeholder for a new lesson; make docs builds the rest.
    made = ("NN_", "docs/_build")
    assert [path for path in named if not any(part in path for part in made) and not (TOP / path).exists()] == []


def test_the_first_days_page_can_be_finished() -> None:
    assert (TOP / "CONTRIBUTING.md").stat().st_size <= 12_000
    assert (TOP / "CHANGELOG.md").stat().st_size <= 15_000
