"""What a learner's JupyterLab needs: ``python -m tests.binder.pinned > binder/requirements.txt``.

Binder keeps one layer of an image for the packages that a requirements file names, and makes it again when that file
changes; a file that names the repository itself would be a new layer for every commit. So the packages stand here, and
``binder/postBuild`` installs the kit beside them.
"""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

TOP = Path(__file__).resolve().parents[2]
HEAD = """\
# What a learner's JupyterLab needs, at the tested versions; postBuild adds the kit. Written by tests/binder/pinned.py.
"""
# The image is Linux on a Python of this version, wherever the file is written.
IMAGE = {"sys_platform": "linux", "platform_system": "Linux", "os_name": "posix", "python_version": "3.12"}


def tested_versions() -> dict[str, str]:
    """Exact version of each package in ``tests/constraints.txt``."""
    lines = (TOP / "tests" / "constraints.txt").read_text().splitlines()
    pairs = (line.split("==") for line in lines if "==" in line and not line.startswith("#"))
    return {canonicalize_name(name.strip()): version.split(";")[0].strip() for name, version in pairs}


def required(requirement: Requirement) -> Iterator[Requirement]:
    """What an installed package asks for in the image, with the extras that are asked of it."""
    try:
        asked = distribution(requirement.name).requires or []
    except PackageNotFoundError:
        return
    for one in map(Requirement, asked):
        environments = [{**IMAGE, "extra": extra} for extra in ("", *requirement.extras)]
        if one.marker is None or any(one.marker.evaluate(where) for where in environments):
            yield one


def image_requirements() -> str:
    """Text of ``binder/requirements.txt``."""
    project = tomllib.loads((TOP / "pyproject.toml").read_text())["project"]
    waiting = [Requirement(line) for line in project["dependencies"] + project["optional-dependencies"]["lab"]]
    versions, found = tested_versions(), set()
    while waiting:
        requirement = waiting.pop()
        name = canonicalize_name(requirement.name)
        key = (name, frozenset(requirement.extras))
        if key not in found:
            found.add(key)
            waiting.extend(required(requirement))
    return HEAD + "".join(f"{name}=={versions[name]}\n" for name in sorted({name for name, _ in found}))


if __name__ == "__main__":
    sys.stdout.write(image_requirements())
