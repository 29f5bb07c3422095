"""Where the project lives stands in one place, and a fork sets its own with one command."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from website import address, front_page
from website.address import Address

TOP = address.TOP
WRITTEN = ("pyproject.toml", "README.md", "CITATION.cff")
SUFFIXES = {".cff", ".html", ".ipynb", ".js", ".json", ".md", ".mjs", ".py", ".rst", ".toml", ".ts", ".txt", ".yml"}
FOLDERS = (".github", "autodiff_kit", "benchmarks", "binder", "docs", "exercises", "notebooks", "tests", "website")
MADE = r"^docs/(_build|lessons|reference)/|node_modules/|/lab/(lib|labextension)/|__pycache__"
FORK = Address.of_fork("Someone/own_kit")


def sources() -> list[Path]:
    """The project's own texts, without what is made of them."""
    inside = [path for folder in FOLDERS for path in (TOP / folder).rglob("*")]
    texts = [path for path in (*TOP.iterdir(), *inside) if path.suffix in SUFFIXES and path.is_file()]
    return [path for path in texts if not re.search(MADE, path.relative_to(TOP).as_posix())]


@pytest.fixture
def fork(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The files that hold an address, as they are in a fork that has set its own."""
    for name in WRITTEN:
        shutil.copy(TOP / name, tmp_path / name)
    address.write(FORK, tmp_path)
    monkeypatch.setattr(address, "TOP", tmp_path)
    return tmp_path


def test_no_other_file_names_an_address() -> None:
    known = address.read()
    found = sources()
    assert len(found) > 1000
    places = {known.repository, known.site.removeprefix("https://").strip("/")}
    named = {path for path in found if any(place in path.read_text(encoding="utf-8") for place in places)}
    assert named == {TOP / name for name in WRITTEN}


def test_what_is_written_follows_from_one_place(tmp_path: Path) -> None:
    for name in WRITTEN:
        shutil.copy(TOP / name, tmp_path / name)
    address.write(address.read(), tmp_path)
    assert [name for name in WRITTEN if (tmp_path / name).read_bytes() != (TOP / name).read_bytes()] == []


def test_a_fork_names_itself_everywhere(fork: Path, tmp_path: Path) -> None:
    original = address.read(Path(address.__file__).resolve().parents[1])
    assert address.read() == FORK
    assert (FORK.source, FORK.site) == ("https://github.com/Someone/own_kit", "https://someone.github.io/own_kit/")
    page = tmp_path / "site"
    page.mkdir()
    front_page.write(page, "engine", [])
    texts = {name: (fork / name).read_text(encoding="utf-8") for name in WRITTEN}
    texts["the first page"] = (page / "index.html").read_text(encoding="utf-8")
    for name, text in texts.items():
        assert "Someone/own_kit" in text, name
        assert original.repository not in text, name
        assert original.site not in text, name


@pytest.mark.parametrize(
    ("arguments", "site"),
    [
        (["you/kit"], "https://you.github.io/kit/"),
        (["You/you.github.io"], "https://you.github.io/"),
        (["you/kit", "--site", "https://kit.example.org"], "https://kit.example.org/"),
    ],
)
def test_one_command_sets_it(fork: Path, arguments: list[str], site: str, capsys: Any) -> None:
    assert address.main(arguments) == 0
    assert address.read(fork).site == site
    assert site in capsys.readouterr().out


def test_a_site_of_ones_own_stays_where_the_repository_is_the_same(fork: Path) -> None:
    address.main(["you/kit", "--site", "https://kit.example.org"])
    address.main(["you/kit"])
    assert address.read(fork).site == "https://kit.example.org/"


def test_what_is_no_repository_is_refused(capsys: Any) -> None:
    with pytest.raises(SystemExit):
        address.main(["https://github.com/you/kit"])
    assert "owner/name" in capsys.readouterr().err
