"""The guide's command for collecting hand-ins on a hub: each file once, with the time at which it was collected."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import time
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "hubs.md"


def collecting(hand_ins: Path, collected: Path) -> list[str]:
    """The guide's command, with other folders."""
    [command] = re.findall(r"^\$ (rsync .*)$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    folders = {"/srv/hand-ins/": f"{hand_ins}/", "~/hand-ins/": f"{collected}/"}
    words = [folders.get(word, word) for word in shlex.split(command)]
    assert words[-2:] == [*folders.values()]
    return words


@pytest.mark.skipif(shutil.which("rsync") is None, reason="rsync is not installed")
def test_a_file_is_collected_once_and_has_the_time_of_that(tmp_path: Path) -> None:
    hers, collected = tmp_path / "hand-ins" / "ada", tmp_path / "collected"
    hers.mkdir(parents=True)
    (hers / "01.zip").write_text("first")
    (hers / ".hidden").write_text("no hand-in")
    (hers / "02.zip").symlink_to("/etc/hostname")
    os.utime(hers / "01.zip", (0, 0))
    began = time.time() - 2  # file systems keep coarse times
    for _ in range(2):
        subprocess.run(collecting(tmp_path / "hand-ins", collected), check=True)
        assert [path.name for path in (collected / "ada").iterdir()] == ["01.zip"]
        assert (collected / "ada" / "01.zip").read_text() == "first"
        assert (collected / "ada" / "01.zip").stat().st_mtime >= began
        (hers / "01.zip").write_text("changed after it was collected")
