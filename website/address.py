"""Where the project lives, in one place: the URLs of `pyproject.toml`. All other addresses follow from them.

A fork sets its own with one command, `make address REPOSITORY=you/autodiff_kit`. It writes `pyproject.toml`, and the
lines of README.md and CITATION.cff that GitHub shows as they are. The site and the book read them when they are built.
"""

from __future__ import annotations

import argparse
import re
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Final

__all__ = ["Address", "main", "read", "write"]

TOP: Final = Path(__file__).resolve().parents[1]
GITHUB: Final = "https://github.com/"
FIRST_LESSON: Final = "notebooks/00_tape_in_sixty_lines.ipynb"


@dataclass(frozen=True)
class Address:
    """Where the sources lie, and where the site is published.

    Parameters
    ----------
    source : str
        The repository, such as ``https://github.com/you/autodiff_kit``.
    site : str
        The first page of the published site.
    """

    source: str
    site: str

    @classmethod
    def of_fork(cls, repository: str, site: str = "") -> Address:
        """Return the addresses of ``owner/name`` on GitHub; without a site of its own it is that of GitHub Pages."""
        if not re.fullmatch(r"[\w.-]+/[\w.-]+", repository):
            raise ValueError(f"{repository!r} is no repository on GitHub; write owner/name, such as you/autodiff_kit")
        owner, name = repository.split("/")
        host = f"{owner.lower()}.github.io"
        pages = f"https://{host}/" if name.lower() == host else f"https://{host}/{name}/"
        return cls(f"{GITHUB}{repository}", f"{site.rstrip('/')}/" if site else pages)

    @property
    def repository(self) -> str:
        """``owner/name`` on GitHub, where Binder and Colab look for it; empty where the sources lie elsewhere."""
        return self.source.removeprefix(GITHUB).strip("/") if self.source.startswith(GITHUB) else ""

    def binder(self, path: str) -> str:
        """Return the address of a notebook on Binder."""
        return f"https://mybinder.org/v2/gh/{self.repository}/main?urlpath=lab/tree/work/{path}"

    def colab(self, path: str) -> str:
        """Return the address of a notebook in Colab."""
        return f"https://colab.research.google.com/github/{self.repository}/blob/main/{path}"


def read(top: Path | None = None) -> Address:
    """Return the addresses that `pyproject.toml` names.

    Parameters
    ----------
    top : Path, optional
        The folder of the project.
    """
    urls = tomllib.loads(((top or TOP) / "pyproject.toml").read_text(encoding="utf-8"))["project"]["urls"]
    return Address(urls["Source"], urls["Homepage"])


def write(address: Address, top: Path | None = None) -> None:
    """Write the addresses into `pyproject.toml` and the lines that follow from it.

    Parameters
    ----------
    address : Address
        Those to be written.
    top : Path, optional
        The folder of the project.
    """
    for name, lines in _lines(address).items():
        path = (top or TOP) / name
        text = path.read_text(encoding="utf-8")
        for start, line in lines.items():
            text, found = re.subn(rf"^{re.escape(start)}.*$", f"{start}{line}", text, flags=re.MULTILINE)
            if found != 1:
                raise ValueError(f"{name} has {found} lines that begin with {start!r}; one was expected")
        path.write_text(text, encoding="utf-8")


def _lines(address: Address) -> dict[str, dict[str, str]]:
    """By file, the lines that hold an address: how each begins, and what follows."""
    workflow = f"{address.source}/actions/workflows/test.yml"
    return {
        "pyproject.toml": {
            "Homepage = ": f'"{address.site}"',
            "Source = ": f'"{address.source}"',
            "Changelog = ": f'"{address.source}/blob/main/CHANGELOG.md"',
        },
        "README.md": {
            "[site]: ": address.site,
            "[Binder]: ": address.binder(FIRST_LESSON),
            "[tests]: ": workflow,
            "[badge of the tests]: ": f"{workflow}/badge.svg",
        },
        "CITATION.cff": {"repository-code: ": address.source},
    }


def main(arguments: list[str] | None = None) -> int:
    """Read the command line and write the addresses."""
    parser = argparse.ArgumentParser(prog="make address", description=__doc__)
    parser.add_argument("repository", help="owner/name on GitHub")
    parser.add_argument("--site", default="", help="the site's address, where it is not that of GitHub Pages")
    asked = parser.parse_args(arguments)
    try:
        address = Address.of_fork(asked.repository, asked.site)
    except ValueError as error:
        parser.error(str(error))
    known = read()
    if asked.site or known.source != address.source:  # else a site's address of one's own stays
        write(address)
    print(f"Sources: {read().source}\nSite:    {read().site}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
