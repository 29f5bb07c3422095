"""Hypothesis strategies for what a learner might hand in: names, trees of files, notebooks, and words on the wire."""

from __future__ import annotations

import copy
import io
import json
import os
import warnings
import zipfile
from dataclasses import dataclass
from pathlib import Path

from hypothesis import strategies as st

from ..notebooks import LESSON, answered, code

LETTERS = "ab ._-=+@;,\"'<&%?:*|\\\u202e\u200b\u2028\u0301字é🙂\t\x1b\r\n" + os.fsdecode(b"\xff")
NUMBERS = (0, -1, 1, 4, 2**63, 10**400, 0.5, -1e308, 1e999, float("nan"))
MOMENTS = (0, 1, -(10**9), 1_700_000_000, 2**33, 10**11)
MAX_NAME_BYTES = 200
# What both sides of the connection say, and what stands in it; the tags of values; descriptions of arrays.
KINDS = ("run", "cell", "error", "ready", "call", "reply", "slip", "ask", "answer", "raise", "end")
FIELDS = (
    "place", "text", "memory", "states", "login", "function", "name", "how", "number", "token", "type", "warning",
    "changed", "shared", "error", "tapes", "peak", "nodes",
)  # fmt: skip
TAGS = ("complex", "array", "tensor", "tuple", "set", "dict", "rng", "foreign", "namespace", "remote", "mine", "yours")
DTYPES = ("<f8", "<i4", "|b1", "<c16", "|O", ">f8", "<U3")
STATES = {name: "there" for question in LESSON.questions for name in question.writes}

letters = st.sampled_from(LETTERS)
pieces = st.text(st.sampled_from(LETTERS + "0123456789 \ud800"), max_size=30)
# Long texts repeat a short one: Hypothesis chooses a few dozen letters, not thousands.
texts = st.one_of(pieces, st.text(max_size=30), st.builds(lambda one, n: one * n, pieces, st.sampled_from((40, 400))))
numbers = st.sampled_from(NUMBERS)
leaves = st.one_of(st.none(), st.booleans(), numbers, st.integers(-2, 9), texts)
values = st.recursive(
    leaves, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(pieces, inner, max_size=4), max_leaves=12
)


def _as_file_name(drawn: str) -> str:
    shown = drawn.replace("/", "").replace("\0", "")
    while len(os.fsencode(shown)) > MAX_NAME_BYTES:
        shown = shown[:-1]
    return shown.strip(".") or "x"


plain_names = st.text(letters, min_size=1, max_size=60).map(_as_file_name)
# Names that platforms give, with numbers of an enrolled learner, of nobody, and too large ones; and what looks like it.
platform_names = st.builds(
    lambda form, who, number: _as_file_name(form.format(who=who, number=number)),
    st.sampled_from(
        ("{who}_{number}_90_x", "{who}_LATE_{number}_91_x-2", "{who}_{number}_assignsubmission_file_", "{who}_{number}")
    ),
    st.text(letters, min_size=1, max_size=8).map(lambda text: text.replace("_", "") or "b"),
    st.sampled_from((7, 70, 10**17, 10**30)),
)
# Only the platform writes numbers that count: these end in those of the honest.
borrowed_names = st.builds(lambda who, number: f"{who}_{number}", st.sampled_from(("b", "a b", "é")), st.integers(1, 3))
names = st.one_of(plain_names, platform_names, borrowed_names)


# -------------------------------------------------------------------------------------------- words on the wire
wire_values = st.recursive(
    leaves | st.integers(0, 3).map(lambda place: {"array": place}),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(TAGS), inner, min_size=1, max_size=2),
    max_leaves=8,
)
arrays = st.one_of(
    st.tuples(st.sampled_from(DTYPES), st.lists(st.integers(0, 3), max_size=3)).map(list), values.map(lambda one: [one])
)


@st.composite
def messages(draw: st.DrawFn) -> bytes:
    """One line of the protocol: with a kind that is known, and any of its fields, values and arrays."""
    kind = draw(st.sampled_from(KINDS) | pieces)
    fields = draw(st.dictionaries(st.sampled_from(FIELDS), values, max_size=6) | values)
    if kind == "reply" and draw(st.booleans()):
        whole = {"warning": "", "place": "", "changed": [], "shared": [], "error": "", "tapes": [0, 0], "peak": 0}
        fields = {**whole, "nodes": 0, **(fields if type(fields) is dict else {})}
    if kind == "ready" and draw(st.booleans()):
        fields = {"states": STATES, "login": draw(texts)}
    line = {"kind": kind, "fields": fields, "values": draw(st.lists(wire_values, max_size=3)), "arrays": []}
    if draw(st.booleans()):
        line["arrays"] = draw(st.lists(arrays, max_size=2))
    return (json.dumps(line) + "\n").encode("utf-8", "replace") + draw(st.binary(max_size=24))


READY = json.dumps({"kind": "ready", "fields": {"states": STATES, "login": ""}, "values": [], "arrays": []}) + "\n"
WRITE = """import os
for d in range(3, 40):
    try: os.write(d, {said!r})
    except OSError: pass
"""


def _says(lines: list[bytes], *, in_turn: bool) -> str:
    return WRITE.format(said=(READY.encode() if in_turn else b"") + b"".join(lines))


# ------------------------------------------------------------------------------------------------- notebooks
def _returns(value: object) -> str:
    shown = repr(value).replace("inf", "1e999").replace("nan", "(1e999 - 1e999)")
    return f"def brake(*a): return {shown}"


sources = st.one_of(
    texts,
    st.sampled_from(
        (
            "1 / 0",
            "import os; os._exit(3)",
            "def brake(*a): return brake",
            "brake = type('T' * 5000, (), {})()",
            "import builtins; builtins.len = lambda *a: 3",
            "from autodiff_kit.exercises import exercise; exercise('15', login='\\udc80' * 300)",
        )
    ),
    texts.map(lambda text: f"raise Exception({text[:200]!r})"),
    values.map(_returns),
    st.builds(_says, st.lists(messages(), min_size=1, max_size=4), in_turn=st.booleans()),
)


def _change_part(found: dict, draw: st.DrawFn) -> None:
    found[draw(st.sampled_from(sorted(found)))] = draw(values)


def _change_cell(found: dict, draw: st.DrawFn) -> None:
    cell = draw(st.sampled_from(_cells(found)))
    cell[draw(st.sampled_from(sorted(cell)))] = draw(values)


def _name_a_question(found: dict, draw: st.DrawFn) -> None:
    cell = draw(st.sampled_from(_cells(found)))
    names_ = st.sampled_from([question.id for question in LESSON.questions]) | values
    cell["metadata"] = {"autodiff_kit": {"question": draw(names_), "points": draw(values), "part": draw(values)}}


def _forge_the_exercise(found: dict, draw: st.DrawFn) -> None:
    exercises = st.sampled_from((LESSON.slug, "01_jacobian_vector_products", "my_slope", "../x", "15")) | values
    found["metadata"] = {"autodiff_kit": draw(st.fixed_dictionaries({"exercise": exercises, "learner": values}))}


def _change_metadata(found: dict, draw: st.DrawFn) -> None:
    found["metadata"] = {"autodiff_kit": draw(values)}


def _shuffle(found: dict, draw: st.DrawFn) -> None:
    found["cells"] = draw(st.permutations(_cells(found)))


def _insert(found: dict, draw: st.DrawFn) -> None:
    cells = _cells(found)
    cells.insert(draw(st.integers(0, len(cells))), code(draw(sources)))


CHANGES = (
    _change_part, _change_cell, _name_a_question, _forge_the_exercise, _change_metadata, _shuffle, _insert, _insert,
)  # fmt: skip


def _cells(found: dict) -> list:
    cells = found["cells"] if type(found.get("cells")) is list else []
    found["cells"] = [cell for cell in cells if type(cell) is dict and cell] or [code("1")]
    return found["cells"]


def notebooks(bases: tuple[dict, ...]) -> st.SearchStrategy[bytes]:
    """A notebook of which parts were replaced, another value, or damaged bytes."""

    @st.composite
    def drawn(draw: st.DrawFn) -> bytes:
        if draw(st.integers(0, 7)) == 0:
            return json.dumps(draw(values)).encode()
        found = copy.deepcopy(bases[draw(st.integers(0, len(bases) - 1))])
        for change in draw(st.lists(st.sampled_from(CHANGES), min_size=1, max_size=3)):
            change(found, draw)
        data = json.dumps(found).encode()
        if draw(st.integers(0, 9)) == 0:
            place = draw(st.integers(0, len(data)))
            data = data[:place] + draw(st.binary(min_size=1, max_size=9)) + data[place:]
        return data

    return drawn()


# ----------------------------------------------------------------------------------------------- trees of files
@dataclass(frozen=True)
class Odd:
    """A file that is no file, or points elsewhere."""

    kind: str

    def write(self, path: Path) -> None:
        """Make it, unless the name is taken."""
        if os.path.lexists(path):
            return
        makers = {
            "pipe": os.mkfifo, "folder": Path.mkdir, "empty": Path.touch,
            "endless": lambda one: one.symlink_to("/dev/zero"), "loop": lambda one: one.symlink_to(one.parent),
            "itself": lambda one: one.symlink_to(one.name), "secret": lambda one: one.symlink_to("/etc/passwd"),
        }  # fmt: skip
        makers[self.kind](path)


def _bundle(members: list[tuple[str, bytes]]) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as bundle, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # two files of one name
        for name, data in members:
            bundle.writestr(name, data)
    return made.getvalue()


@dataclass(frozen=True)
class HandIn:
    """What one learner hands in: a file or a tree of them, under a name, with a time."""

    name: str
    content: object
    moment: int

    def write(self, folder: Path, prefix: str = "") -> None:
        """Write it into the folder of all hand-ins; of several with one name each is a learner's."""
        path = folder / f"{prefix}{self.name}"
        if os.path.lexists(path):
            path = folder / f"{prefix}{sum(1 for _ in folder.iterdir())}{self.name}"
        _write(path, self.content)
        if path.is_file() and not path.is_symlink():
            os.utime(path, (self.moment, self.moment))


def _write(path: Path, content: object) -> None:
    if isinstance(content, Odd):
        content.write(path)
    elif isinstance(content, dict):
        if path.exists() and not path.is_dir():
            return
        path.mkdir(exist_ok=True)
        for name, inner in content.items():
            _write(path / name, inner)
    elif not path.is_dir() and not path.is_fifo() and not path.is_symlink():
        path.write_bytes(content)


def hand_ins(bases: tuple[dict, ...]) -> st.SearchStrategy[HandIn]:
    """What a learner hands in, made of these notebooks."""
    files = notebooks(bases)
    members = st.sampled_from(("notebook.ipynb", "../x.ipynb", "a/b.ipynb")) | pieces.map(ascii)
    bundles = st.lists(st.tuples(members, files), min_size=1, max_size=3).map(_bundle)
    odd = st.sampled_from(("pipe", "folder", "empty", "endless", "loop", "itself", "secret")).map(Odd)
    notes = texts.map(lambda text: text[:60].encode("utf-8", "replace")) | st.sampled_from(
        (b"0001-01-01T00:00:00+23:59", b"2026-01-01", b"9999-12-31T23:59:59-23:59")
    )
    notebook_names = plain_names.map(lambda name: f"{name}.ipynb") | st.just(f"{LESSON.slug}.ipynb")
    inside = st.one_of(
        st.tuples(notebook_names, files | odd),
        st.tuples(plain_names.map(lambda name: f"{name}.zip"), bundles),
        st.tuples(st.just("timestamp.txt"), notes | odd),
        st.tuples(plain_names, odd | notes),
        st.just((".git", {"HEAD": b"ref"})),
    )
    tree = st.lists(inside, max_size=3).map(dict)
    trees = st.recursive(
        tree,
        lambda inner: st.builds(lambda one, name, deep: {**one, name: deep}, tree, plain_names, inner),
        max_leaves=4,
    )
    return st.one_of(
        st.builds(HandIn, names.map(lambda name: f"{name}.ipynb"), files, st.sampled_from(MOMENTS)),
        st.builds(HandIn, names.map(lambda name: f"{name}.zip"), bundles, st.sampled_from(MOMENTS)),
        st.builds(HandIn, names, trees | odd | notes, st.sampled_from(MOMENTS)),
    )


BASES = (*(answered(),) * 4, answered(leave=("adam-1",)))
