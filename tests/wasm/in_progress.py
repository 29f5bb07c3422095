"""Inside the engine: attempts of two kernels in one folder, exported and imported."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any


def main() -> dict[str, Any]:
    from autodiff_kit.lessons.progress import Progress, export_progress

    folder = Path(os.environ["AUTODIFF_KIT_DIR"])
    (folder / ".autodiff_kit").mkdir(parents=True)
    one, two, other = Progress(folder), Progress(folder), Progress()
    attempt = {"notebook": "01_first", "points": 2, "outcome": "not yet", "score": 0, "message": "", "cell_sha": ""}
    one.attempt("jvp-1", ms=1.0, **attempt)
    two.attempt("jvp-1", ms=2.0, **attempt)
    saved = export_progress()
    other.merge(saved.data)
    return {
        "files": sorted(path.name for path in (folder / ".autodiff_kit").iterdir()),
        "tries": one.question("jvp-1").tries,
        "in memory": one.store.in_memory,
        "exported": two.question("jvp-1").tries,
        "imported": other.question("jvp-1").tries,
    }
