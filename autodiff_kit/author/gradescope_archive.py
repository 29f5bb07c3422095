"""The archive of an autograder for Gradescope: a set-up script, the command, the exercise, its checks and a secret."""

from __future__ import annotations

import io
import json
import secrets
import tempfile
import zipfile
from pathlib import Path

import autodiff_kit
from autodiff_kit.lessons.atomic_files import write_atomically

from .master_notebook import MasterNotebook
from .release import write_grading_checks

__all__ = ["write_gradescope_archive"]

SETUP = """#!/usr/bin/env bash
# Gradescope runs this once, when it builds the image.
set -euo pipefail
apt-get update -qq
apt-get install -y -qq --no-install-recommends python3 python3-venv bubblewrap util-linux
python3 -m venv /opt/autodiff_kit
/opt/autodiff_kit/bin/pip install --quiet {requirement}
"""
RUN = """#!/usr/bin/env bash
# Gradescope runs this for each submission, as root.
exec /opt/autodiff_kit/bin/python -I -m autodiff_kit.grade.gradescope
"""
FIXED_TIME = (2026, 1, 1, 0, 0, 0)


def write_gradescope_archive(path: Path, master: MasterNotebook, requirement: str = "") -> list[Path]:
    """Write the archive that a teacher uploads as an assignment's autograder.

    Parameters
    ----------
    path : Path
        The archive, such as ``autograder.zip``.
    master : MasterNotebook
        The exercise. Private questions work: the checks are part of the archive, which learners do not see.
    requirement : str, optional
        What pip installs; by default this version of the kit, with the extra ``grade``.

    Returns
    -------
    list of Path
        The archive. It holds a new secret, from which the random draws follow: keep it to grade in the same way again.
    """
    facts = {"exercise": master.lesson.slug, "secret": secrets.token_hex(32)}
    wanted = requirement or f"'autodiff-kit[grade]=={autodiff_kit.__version__}'"
    files = {"setup.sh": SETUP.format(requirement=wanted), "run_autograder": RUN, "autograder.json": json.dumps(facts)}
    with tempfile.TemporaryDirectory() as folder:
        for one in write_grading_checks(Path(folder), master):
            files[f"checks/{one.relative_to(folder).as_posix()}"] = one.read_text(encoding="utf-8")
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            entry = zipfile.ZipInfo(name, FIXED_TIME)
            entry.external_attr = (0o755 if text.startswith("#!") else 0o644) << 16
            archive.writestr(entry, text)
    write_atomically(path, data.getvalue())
    return [path]
