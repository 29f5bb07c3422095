"""JupyterLite: the lessons and exercises as its contents, its kernel on the site's own Pyodide."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from string import Template
from typing import Final

from autodiff_kit.lab.server import panel_data
from autodiff_kit.lab.server.catalog import lesson_catalog
from autodiff_kit.lab.server.folder import WorkingFolder
from autodiff_kit.lessons.notebook_file import read_notebook, strip_outputs
from website.distribution import LOCK
from website.publish import WORKER

HERE: Final = Path(__file__).resolve().parent
TOP: Final = HERE.parent
KERNEL_PLUGIN: Final = "@jupyterlite/pyodide-kernel-extension:kernel"
# It says how long ago the last checkpoint was, which here would be the age of the site's files.
CHECKPOINT_PLUGIN: Final = "@jupyter-notebook/notebook-extension:checkpoints"
# What a lesson's own page does without, and "Open all in the lab" has: editors of other files and of cells' metadata,
# consoles, logs, suggestions while typing, and language servers, of which a site has none. docs/decisions/site.md says
# what that saves. An entry without a colon stands for all plugins of an extension.
LEFT_TO_THE_LAB: Final = (
    "@jupyter-notebook/console-extension",
    "@jupyterlab/celltags-extension",
    "@jupyterlab/completer-extension:inline-completer",
    "@jupyterlab/completer-extension:inline-completer-factory",
    "@jupyterlab/completer-extension:inline-history",
    "@jupyterlab/console-extension",
    "@jupyterlab/fileeditor-extension",
    "@jupyterlab/logconsole-extension",
    "@jupyterlab/lsp-extension",
    "@jupyterlab/metadataform-extension",
    "@jupyterlab/notebook-extension:code-console",
    "@jupyterlab/notebook-extension:language-server",
    "@jupyterlab/notebook-extension:log-output",
    "@jupyterlab/notebook-extension:update-raw-mimetype",  # of the editor of metadata
    "@jupyterlab/tooltip-extension:consoles",
    "@jupyterlab/tooltip-extension:files",
    "@jupyterlite/application-extension:lsp-connection-manager",
)
# On a lesson's own page: signs of JupyterLab's that tell a learner nothing, and a page for which there is no room.
LEFT_OUT_OF_LESSONS: Final = (
    "@jupyter-notebook/notebook-extension:kernel-logo",
    "@jupyter-notebook/notebook-extension:trusted",
    "autodiff-kit:welcome",
)
# In the logos' place stands the way back to the site (`lab/src/plugins/siteLinks.ts`).
LOGOS: Final = ("@jupyterlite/application-extension:logo", "@jupyterlite/notebook-application-extension:logo")
SETTINGS: Final[dict[str, dict[str, object]]] = {
    "@jupyterlab/apputils-extension:themes": {"adaptive-theme": True},  # light or dark, as the rest of the site
    "@jupyterlab/docmanager-extension:plugin": {"autosaveInterval": 10},  # s; nothing leaves the browser
}
# Extensions of this environment that the site has, beside the kit's own; others that are installed stay out.
KERNEL: Final = "@jupyterlite/pyodide-kernel-extension"
EXTENSIONS: Final = ("@jupyter-widgets/jupyterlab-manager", KERNEL, "anywidget")
START: Final = "start.mjs"
APPS: Final = ("lab", "notebooks")
# Pages, schemas and archives that nobody opens here.
LEFT_OUT: Final = (
    "jupyterlite.schema.v0.json",
    "package.json",
    "lab/tree",
    "lab/workspaces",
    "bin",
)


def labextensions() -> Path:
    """Return the folder in which this environment keeps JupyterLab's extensions."""
    return Path(sys.prefix) / "share" / "jupyter" / "labextensions"


def write_contents(folder: Path) -> None:
    """Write lessons and exercises as a learner gets them: without outputs, for the kernel of the browser."""
    for kind in ("notebooks", "exercises"):
        for path in sorted((TOP / kind).rglob("*")):
            to = folder / kind / path.relative_to(TOP / kind)
            if (
                not path.is_file()
                or path.name == "README.md"
                or any(part[:1] in "._" for part in to.relative_to(folder).parts)
            ):
                continue
            to.parent.mkdir(parents=True, exist_ok=True)
            to.write_bytes(_learner_copy(path.read_bytes()) if path.suffix == ".ipynb" else path.read_bytes())


def _learner_copy(source: bytes) -> bytes:
    notebook = strip_outputs(read_notebook(source))
    notebook["metadata"]["kernelspec"] = {"display_name": "Python (Pyodide)", "language": "python", "name": "python"}
    return json.dumps(notebook, indent=1, ensure_ascii=False).encode() + b"\n"


def build(work: Path, output: Path) -> None:
    """Build JupyterLite's pages into a folder, from an empty folder for what the build needs."""
    write_contents(work / "contents")
    extensions = [labextensions() / name for name in EXTENSIONS] + [TOP / "autodiff_kit" / "lab" / "labextension"]
    about = {
        "LiteBuildConfig": {
            "apps": list(APPS),
            "contents": [str(work / "contents")],
            "federated_extensions": [str(path) for path in extensions],
            "ignore_sys_prefix": ["federated_extensions"],
            "no_libarchive": True,
            "no_sourcemaps": True,
            "no_unused_shared_packages": True,
            "output_dir": str(output),
            "source_date_epoch": 315532800,
        }
    }
    (work / "jupyter_lite_config.json").write_text(json.dumps(about), encoding="utf-8")
    lite = [sys.executable, "-m", "jupyterlite_core.app", "build", "--lite-dir", str(work)]
    done = subprocess.run(lite, cwd=work, capture_output=True, text=True, check=False)
    if done.returncode:
        print(done.stdout[-3000:], done.stderr[-3000:], sep="\n", file=sys.stderr)
        done.check_returncode()
    for name in LEFT_OUT:
        _remove(output / name)
    for app in APPS:
        _remove(output / app / "package.json")
    for left in [*output.rglob("*.map"), *output.rglob("rspack.config*")]:
        left.unlink()


def configure(output: Path, engine: str, archives: dict[str, list[str]], environment: dict[str, str]) -> None:
    """Say where the kernel finds Pyodide, and what it loads.

    Parameters
    ----------
    output : Path
        The folder of JupyterLite's pages.
    engine : str
        The folder of Pyodide, relative to ``output``.
    archives : dict
        What the kernel loads before it runs: the packages in each archive, by its name.
    environment : dict
        Environment variables of the kernel.
    """
    path = output / "jupyter-lite.json"
    config = json.loads(path.read_bytes())
    data = config["jupyter-config-data"]
    data["appName"] = "autodiff_kit"
    data["exposeAppInBrowser"] = True  # a page of somebody else, or a test, may look at the running application
    data["autodiffKitSyllabus"] = "syllabus.json"
    data.setdefault("disabledExtensions", []).extend([CHECKPOINT_PLUGIN, *LOGOS])
    data.setdefault("settingsOverrides", {}).update(SETTINGS)
    data.setdefault("litePluginSettings", {})[KERNEL_PLUGIN] = {
        "pyodideUrl": f"./{engine}/{START}",
        "disablePyPIFallback": True,
        # The kernel need not install them; START loads them.
        "loadPyodideOptions": {"packages": [name for names in archives.values() for name in names]},
    }
    path.write_text(json.dumps(config, indent=1) + "\n", encoding="utf-8")
    _disable(output / "notebooks" / "jupyter-lite.json", (*LEFT_TO_THE_LAB, *LEFT_OUT_OF_LESSONS))
    _write_start(output / engine, archives, environment)
    to_worker = Path(os.path.relpath(output / WORKER, output / engine)).as_posix()
    _fill_in(
        HERE / "kernel" / "own_service_worker.js",
        output / engine,
        version=data["appVersion"],
        worker=f"{to_worker}?enableCache=false",  # as JupyterLite names it
    )
    for app in APPS:
        _first_script(output, app, output / engine / "own_service_worker.js")
    _start_early(output, output / engine)
    _lead_back(output)


def _disable(path: Path, plugins: tuple[str, ...]) -> None:
    """Switch plugins of one of JupyterLite's pages off."""
    config = json.loads(path.read_bytes())
    config["jupyter-config-data"].setdefault("disabledExtensions", []).extend(plugins)
    path.write_text(json.dumps(config, indent=1) + "\n", encoding="utf-8")


def _write_start(engine: Path, archives: dict[str, list[str]], environment: dict[str, str]) -> None:
    """Write the modules that start Pyodide and tell how much of it has come."""
    # Modules are imported, which nothing here can count.
    counted = [path for path in engine.iterdir() if path.suffix in (".wasm", ".zip", ".json") or path.name in archives]
    size = sum(path.stat().st_size for path in counted)
    names = json.dumps(list(archives))
    _fill_in(HERE / "kernel" / START, engine, total=size, archives=names, environment=json.dumps(environment))
    version = ".".join(json.loads((engine / LOCK).read_bytes())["info"]["python"].split(".")[:2])
    site = f"/lib/python{version}/site-packages"
    _fill_in(HERE / "kernel" / "unpack.mjs", engine, archives=json.dumps(archives), site=site)


def _start_early(output: Path, engine: Path) -> None:
    """Let the page of a notebook start Python before JupyterLite is loaded."""
    [worker] = (output / "extensions" / KERNEL / "static").glob("comlink.worker.*.js")
    to_worker = Path(os.path.relpath(worker, engine)).as_posix()
    _fill_in(HERE / "kernel" / "early_worker.mjs", engine, worker=to_worker)
    _fill_in(HERE / "kernel" / "early_page.js", engine, worker=worker.name, early="./early_worker.mjs")
    for app in APPS:
        _first_script(output, app, engine / "early_page.js")


def _lead_back(output: Path) -> None:
    """Let each page show a title and a way back from its first moment; write that to which its links lead."""
    titles = {entry.slug: f"{entry.no} · {entry.title.replace('`', '')}" for entry in lesson_catalog().values()}
    opening = Template((HERE / "kernel" / "opening.html").read_text(encoding="utf-8"))
    for app in APPS:
        page = output / app / "index.html"
        text = page.read_text(encoding="utf-8")
        body = re.search(r"<body\b[^>]*>", text)
        assert body is not None, page
        shown = opening.safe_substitute(titles=json.dumps(titles, ensure_ascii=False))
        page.write_text(f"{text[: body.end()]}\n{shown}{text[body.end() :]}", encoding="utf-8")
    (output / "tree").mkdir(exist_ok=True)
    shutil.copy(HERE / "kernel" / "tree.html", output / "tree" / "index.html")


def _first_script(output: Path, app: str, script: Path) -> None:
    """Let a page of JupyterLite run a script before its own."""
    page = output / app / "index.html"
    source = f"../{script.relative_to(output).as_posix()}"
    text = page.read_text(encoding="utf-8")
    page.write_text(
        text.replace("<head>", f'<head>\n    <script type="module" src="{source}"></script>', 1), encoding="utf-8"
    )


def _fill_in(template: Path, folder: Path, **values: object) -> None:
    """Write a script of the site into a folder, with the values that only the build knows."""
    text = Template(template.read_text(encoding="utf-8"))
    (folder / template.name).write_text(text.safe_substitute(values), encoding="utf-8")


def write_syllabus(output: Path) -> None:
    """Write what the syllabus panel asks a server for: the lessons, and the progress of somebody who has not begun."""
    with tempfile.TemporaryDirectory() as folder:
        nobody = WorkingFolder(Path(folder).resolve(), Path(folder).resolve())
        (output / "syllabus.json").write_text(json.dumps(panel_data.syllabus(nobody)), encoding="utf-8")


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
