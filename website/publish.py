"""The last step: the list of all files by their hashes, and the service workers that keep them."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from string import Template
from typing import Final

WORKER: Final = "service-worker.js"
COMPILER: Final = "compile-worker.js"
SCRIPT: Final = '<script type="module" src="{root}offline.js"></script>'


def publish(out: Path) -> None:
    """Write the list of files and the service workers of the book and of JupyterLite."""
    for page in (out / "lite").rglob("*.html"):
        root = "../" * len(page.relative_to(out).parts[:-1])
        text = page.read_text(encoding="utf-8").replace("<head>", f"<head>\n    {SCRIPT.format(root=root)}", 1)
        page.write_text(text, encoding="utf-8")
    (out / ".nojekyll").touch()  # else GitHub leaves out folders whose names begin with an underscore
    jupyterlite = (out / "lite" / WORKER).read_text(encoding="utf-8")
    (out / "lite" / WORKER).unlink()
    files = {
        path.relative_to(out).as_posix(): _hash(path.read_bytes()) for path in sorted(out.rglob("*")) if path.is_file()
    }
    text = json.dumps(files, separators=(",", ":"))
    name = f"files-{_hash(text.encode())}.json"
    (out / name).write_text(text, encoding="utf-8")
    worker = Template((Path(__file__).with_name("service_worker.js")).read_text(encoding="utf-8"))
    compiler = Template((Path(__file__).with_name("compile_worker.js")).read_text(encoding="utf-8"))
    (out / COMPILER).write_text(compiler.safe_substitute(list=name), encoding="utf-8")
    own = [
        Path(__file__).with_name(name).read_text(encoding="utf-8") for name in ("progress_lock.js", "drive_answer.js")
    ]
    for folder, root in ((out, "./"), (out / "lite", "../")):
        # Each has JupyterLite's worker below ours: a page of the lab may still be in the hands of the book's.
        text = "".join([worker.safe_substitute(root=root, list=name), *own, jupyterlite])
        (folder / WORKER).write_text(text, encoding="utf-8")


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:16]
