"""The README and its companions: their code runs, their links are valid, their commands exist."""

from __future__ import annotations

import doctest
import json
import re
from pathlib import Path

import pytest

from autodiff_kit import cli

TOP = Path(__file__).resolve().parents[1]
DOCUMENTS = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md"]


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
    assert [link for link in inside if not (TOP / link).exists()] == []


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


def test_every_file_named_in_contributing_is_there() -> None:
    inside = r"`((?:autodiff_kit|tests|notebooks|exercises|binder)/[\w./-]*)`"
    named = re.findall(inside, (TOP / "CONTRIBUTING.md").read_text())
    assert named
    # NN_slug is a placeholder for a new lesson.
    assert [path for path in named if "NN_" not in path and not (TOP / path).exists()] == []
