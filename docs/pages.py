"""The pages of the reference, written from the packages' own lists of names; their docstrings are the only text.

A name stands on one page: where ``autodiff_kit`` offers it, on the page of the module that defines it; else on the page
of the subpackage that offers it.
"""

from __future__ import annotations

import importlib
import inspect
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import autodiff_kit as ak
from autodiff_kit.core.numpy_protocol import Value
from autodiff_kit.core.record import Node

SUBJECTS: dict[str, tuple[str, tuple[str, ...]]] = {
    "values": (
        "Tapes and values",
        (
            "core.tape",
            "core.tensor",
            "core.variable",
            "core.constant",
            "transforms.forward_accumulator",
            "ops.row_gradient",
        ),
    ),
    "transformations": ("Transformations", ("transforms", "diagnostics.gradient_check")),
    "compile": ("Compiled functions", ("compile",)),
    "own-gradients": (
        "Gradients of your own, and modes",
        ("ops.custom_gradient", "ops.gradient_override", "ops.zero_absorption", "diagnostics.anomalies"),
    ),
    "looking": (
        "Looking at tapes",
        ("diagnostics.gradient_explanation", "diagnostics.tape_cost", "diagnostics.tape_table", "recorders"),
    ),
    "modules": ("Modules and layers", ("nn.module", "nn.layers")),
    "segment": ("Segments", ("nn.segment",)),
    "relax": ("Relaxations", ("nn.relax",)),
    "nn": ("Neural networks", ("nn",)),
    "optim": ("Optimizers", ("optim",)),
    "errors": ("Errors", ("errors",)),
}
"""Title of each page, and the modules whose names it shows; a module without a subject has a page of its own."""

_ENGINE = {"attach", "node"}  # of values: what the engine asks of them, and no user


class Name(NamedTuple):
    """A public name: where it stands, what it is, and the page and the members that are shown of it."""

    path: str
    thing: Any
    page: str
    members: tuple[str, ...]


def public() -> Iterator[Name]:
    """Every public name, once, in the order of its list."""
    seen: set[int] = set()
    listed = [
        (owner, name, thing)
        for owner, names in _owners()
        for name in names
        if not isinstance(thing := getattr(importlib.import_module(owner), name), types.ModuleType)
    ]
    classes = [thing for _, _, thing in listed if inspect.isclass(thing)]
    for owner, name, thing in listed:
        if id(thing) not in seen:
            members = _members(thing, classes) if inspect.isclass(thing) else ()
            seen.update([id(thing), *(id(inspect.getattr_static(thing, m)) for m in members)])
            yield Name(f"{owner}.{name}", thing, _page(owner, thing), members)


def _owners() -> list[tuple[str, list[str]]]:
    """Packages with the names that they offer: the kit, what it offers as modules, and the views of tapes."""
    # By getattr, since some packages are imported only when they are asked for.
    modules = [m for name in ak.__all__ if isinstance(m := getattr(ak, name), types.ModuleType)]
    views = [importlib.import_module(f"autodiff_kit.{stem}") for stem in SUBJECTS["looking"][1]]
    return [(m.__name__, sorted(m.__all__, key=str.lower)) for m in (ak, *modules, *views)]


def _page(owner: str, thing: Any) -> str:
    defined = (thing.__module__ if owner == "autodiff_kit" else owner).removeprefix("autodiff_kit.")
    if defined.startswith("ops."):
        return "operations-" + defined.removeprefix("ops.")
    inside = (page for page, (_, stems) in SUBJECTS.items() if any(f"{defined}.".startswith(f"{s}.") for s in stems))
    return next(inside, defined.partition(".")[0])


def _members(cls: type, classes: list[type]) -> tuple[str, ...]:
    """Documented members that are no operation, nothing of the engine's, and not shown with a class above it."""
    hidden: set[str] = set().union(*(dir(c) for c in classes if issubclass(cls, c) and c is not cls))
    if issubclass(cls, Node):
        hidden |= set(vars(Node))
    if issubclass(cls, Value):
        operations = {id(getattr(ak, name)) for name in ak.__all__}
        hidden |= _ENGINE | {n for n, thing in vars(Value).items() if n in ak.__all__ or id(thing) in operations}
    ours = {name for base in cls.__mro__ if base.__module__.startswith("autodiff_kit") for name in vars(base)}
    names = [name for name in sorted(ours - hidden) if not name.startswith("_")]
    return tuple(name for name in names if inspect.getdoc(inspect.getattr_static(cls, name)) and _told(cls, name))


def _told(cls: type, name: str) -> bool:
    """Whether a member has a docstring of its own, which a field of a dataclass has not."""
    return isinstance(inspect.getattr_static(cls, name), (types.FunctionType, property, classmethod, staticmethod))


# -------------------------------------------------------------------------------- writing
def write(folder: Path) -> None:
    """Write one page for each subject, and the list of them; pages that have no name any more go."""
    pages: dict[str, list[Name]] = {}
    for name in public():
        pages.setdefault(name.page, []).append(name)
    folder.mkdir(parents=True, exist_ok=True)
    wanted = {f"{page}.rst": _text(page, names) for page, names in pages.items()}
    wanted["index.rst"] = _contents(pages)
    for path in folder.glob("*.rst"):
        if path.name not in wanted:
            path.unlink()
    for file, text in wanted.items():
        path = folder / file
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


def _contents(pages: dict[str, list[Name]]) -> str:
    ordered = [p for p in SUBJECTS if p in pages]
    families = sorted(p for p in pages if p.startswith("operations-"))
    ordered[1:1] = families
    ordered += sorted(set(pages) - set(ordered))
    listed = "\n".join(f"   {page}" for page in ordered)
    return f"{_heading('Reference')}\n{_every(pages)}\n\n.. toctree::\n   :maxdepth: 1\n\n{listed}\n"


def _every(pages: dict[str, list[Name]]) -> str:
    count = sum(map(len, pages.values()))
    return f"All {count} public names, from their docstrings. The examples run as tests."


def _text(page: str, names: list[Name]) -> str:
    title, intro = _about(page)
    owners = dict.fromkeys(name.path.rpartition(".")[0] for name in names)
    parts = [_part(owner, [name for name in names if name.path.rpartition(".")[0] == owner]) for owner in owners]
    if page == "looking":  # several modules, each with its own beginning
        parts = [
            f"{inspect.getdoc(importlib.import_module(o))}\n\n{part}" for o, part in zip(owners, parts, strict=True)
        ]
    return "\n\n".join([_heading(title), intro, *parts]) + "\n"


def _part(owner: str, names: list[Name]) -> str:
    """A list of names with their first sentences, and below it each in full."""
    listed = "\n".join(f"   {name.path.rpartition('.')[2]}" for name in names)
    entries = "\n\n".join(map(_entry, names))
    return f".. currentmodule:: {owner}\n\n.. autosummary::\n   :nosignatures:\n\n{listed}\n\n{entries}"


def _about(page: str) -> tuple[str, str]:
    """Title and first sentence; of a family of operations, and of a package, from the module itself."""
    title, stems = SUBJECTS.get(
        page, (page.removeprefix("operations-").replace("_", " ").capitalize(), (page.replace("-", "."),))
    )
    stem = stems[0].replace("operations.", "ops.")
    if page.startswith("operations-"):
        title = f"Operations: {title.lower()}"
    about = inspect.getdoc(importlib.import_module(f"autodiff_kit.{stem}")) if len(stems) == 1 else None
    return title, (about or "").split("\n\n")[0].split("::")[0]


def _heading(title: str) -> str:
    return f"{title}\n{'=' * len(title)}\n"


def _entry(name: Name) -> str:
    kind = "function"
    if inspect.isclass(name.thing):
        kind = "exception" if issubclass(name.thing, Exception) else "class"
    lines = [f".. auto{kind}:: {name.path.rpartition('.')[2]}"]
    if name.members:
        lines += [f"   :members: {', '.join(name.members)}", "   :inherited-members:"]
    if kind == "exception":
        lines.append("   :show-inheritance:")
    return "\n".join(lines)
