"""What learners do to a notebook without changing an answer; one edit is a function of a :class:`HandIn`."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from autodiff_kit.exercises.question import Lesson

from .notebooks import answered, code, notebook

EDITS: dict[str, Callable[[HandIn], None]] = {}


@dataclass
class HandIn:
    """A learner's folder: the notebook of an exercise with worked answers, and what lies beside it."""

    lesson: Lesson
    rng: random.Random
    notebook: dict[str, Any] = field(init=False)
    name: str = field(init=False)
    files: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.notebook, self.name = answered(self.lesson), f"{self.lesson.slug}.ipynb"

    @property
    def cells(self) -> list[dict[str, Any]]:
        """The cells of the notebook."""
        return self.notebook["cells"]

    def some_question(self) -> tuple[str, Any]:
        """A question and its variable."""
        place = self.rng.randrange(len(self.lesson.questions))
        return f"q{place + 1}", self.lesson.questions[place]

    def place_of(self, id: str) -> int:
        """The place of the cell with an id; the last place if an edit has taken it away."""
        return next((place for place, cell in enumerate(self.cells) if cell.get("id") == id), len(self.cells) - 1)

    def cell(self, id: str) -> dict[str, Any]:
        """The cell with an id, or a new one at the end."""
        found = [cell for cell in self.cells if cell.get("id") == id and cell["cell_type"] == "code"]
        if not found:
            self.cells.append(code("pass"))
            found = self.cells[-1:]
        return found[0]

    def source(self, id: str) -> str:
        """The source of a cell."""
        return "".join(self.cell(id)["source"])

    def add(self, source: str, after: str = "") -> None:
        """Add a cell, after another or at the end."""
        self.cells.insert(self.place_of(after) + 1 if after else len(self.cells), code(source))

    def write(self, folder: Any) -> None:
        """Write all into a folder."""
        folder.mkdir(parents=True)
        for name, text in {**self.files, self.name: json.dumps(self.notebook)}.items():
            (folder / name).write_text(text, encoding="utf-8")


def edit(change: Callable[[HandIn], None]) -> Callable[[HandIn], None]:
    """Add an edit to the list."""
    EDITS[change.__name__] = change
    return change


CHECKS = (
    "r = {q}.check()\nr", "assert {q}.check()", "%%capture\n{q}.check()", "%%time\n{q}.check()", "%time {q}.check()",
    "%timeit -n1 -r1 {q}.check()", "for _ in range(3): {q}.check()", "{q}.check().score", "s = 3\n{q}.check(seed=s)",
    "{q}.check?", "import numpy as np\n{q}.check()", '"""My check."""\n{q}.check()', "{q}.check()\npass",
    "if True:\n    {q}.check()", "print({q}.check())", "try:\n    {q}.check()\nexcept Exception:\n    pass",
    "results = [{q}.check() for _ in range(2)]", "{q}.check(); {q}.hint()", "def again():\n    return {q}.check()\nagain()",
    "import matplotlib.pyplot as plt\n{q}.check()\nplt.plot([1, 2]);", "{q}.check({names})", "x = 1", "", "{q}",
    "{q}.graded()", "from IPython.display import display\ndisplay({q}.check())", "with open('log', 'w') as f: f.write(str({q}.check()))",
    "assert {q}.check().outcome != 'error'", "lambda: {q}.check()", "# {q}.check()", "{q}.example\n{q}.check()",
    "{q}.check() and {q}.solution()",
)  # fmt: skip


@edit
def another_check(hand_in: HandIn) -> None:
    q, question = hand_in.some_question()
    source = hand_in.rng.choice(CHECKS).format(q=q, names=", ".join(question.writes))
    hand_in.cell(f"{question.id}-check")["source"] = source


@edit
def no_checks(hand_in: HandIn) -> None:
    hand_in.notebook["cells"] = [cell for cell in hand_in.cells if not cell.get("id", "").endswith("-check")]


@edit
def a_check_as_markdown(hand_in: HandIn) -> None:
    _, question = hand_in.some_question()
    cell = hand_in.cell(f"{question.id}-check")
    cell["cell_type"] = "markdown"
    cell.pop("outputs", None)
    cell.pop("execution_count", None)


@edit
def the_answer_in_the_check_cell(hand_in: HandIn) -> None:
    _, question = hand_in.some_question()
    answer, check = hand_in.cell(question.id), hand_in.cell(f"{question.id}-check")
    check["source"] = "".join(answer["source"]) + "\n\n" + "".join(check["source"])
    answer["source"] = question.starter


@edit
def an_answer_in_a_cell_of_its_own(hand_in: HandIn) -> None:
    q, question = hand_in.some_question()
    source = hand_in.source(question.id)
    hand_in.cell(question.id)["source"] = question.starter
    hand_in.add(f"{source}\n{hand_in.rng.choice(['', f'{q}.check()'])}", after=hand_in.rng.choice([question.id, ""]))


@edit
def the_starter_copied_below(hand_in: HandIn) -> None:
    _, question = hand_in.some_question()
    if hand_in.place_of(f"{question.id}-check") < len(hand_in.cells) - 1 or hand_in.source(question.id):
        hand_in.cells.append({**hand_in.cell(question.id), "source": question.starter, "id": "copied"})


@edit
def an_answer_copied_below(hand_in: HandIn) -> None:
    _, question = hand_in.some_question()
    hand_in.cells.append({**hand_in.cell(question.id), "id": "copied-2"})


@edit
def the_checks_at_the_end(hand_in: HandIn) -> None:
    checks = [cell for cell in hand_in.cells if cell.get("id", "").endswith("-check")]
    hand_in.notebook["cells"] = [cell for cell in hand_in.cells if cell not in checks] + checks


@edit
def the_first_cell_twice(hand_in: HandIn) -> None:
    hand_in.add(hand_in.source("begin"))


@edit
def no_cell_names(hand_in: HandIn) -> None:
    for cell in hand_in.cells:
        cell["metadata"] = {}


@edit
def names_used_again(hand_in: HandIn) -> None:
    _, question = hand_in.some_question()
    name = hand_in.rng.choice(question.writes)
    after = hand_in.rng.choice([f"{question.id}-check", ""])
    again = ("for {} in range(3): pass", "{} = 3.0", "{} = None", "del {}", "class {}: pass", "import math as {}")
    hand_in.add(hand_in.rng.choice(again).format(name), after=after)


@edit
def a_star_import(hand_in: HandIn) -> None:
    hand_in.add("from numpy import *")


@edit
def a_helper_of_the_same_name(hand_in: HandIn) -> None:
    """Two answers have a helper of one name; each check sees its own."""
    for k, question in enumerate(hand_in.lesson.questions):
        wrapped = "\n".join(
            f"def {name}(*args, **kwargs):\n    assert helper() == {k}\n    return _own_{k}_{name}(*args, **kwargs)"
            for name in question.writes
        )
        cell = hand_in.cell(question.id)
        kept = "\n".join(f"_own_{k}_{name} = {name}" for name in question.writes)
        if all(f"def {name}" in "".join(cell["source"]) for name in question.writes):
            cell["source"] = "".join(cell["source"]) + f"\n{kept}\ndef helper():\n    return {k}\n{wrapped}\n"


MAGICS = (
    "%autosave 60", "%clear", "%connect_info", "%man ls", "%store x", "%matplotlib inline", "%pwd", "%cd .", "%who",
    "%config InlineBackend.figure_format = 'retina'", "%load_ext autoreload\n%autoreload 2", "%xmode Plain",
    "%precision 3", "!ls", "%lsmagic", "In[1]", "1 + 1\nOut", "%env HOME", "%pinfo print", "%qtconsole", "%less x",
    "get_ipython().run_line_magic('autosave', '60')", "files = !ls", "%alias_magic t timeit", "%%javascript\nalert(1)",
    "%%html\n<b>x</b>", "%%bash\necho x", "%%latex\n$x$", "%%markdown\n*x*", "%%writefile own.py\nx = 1",
    "%reload_ext autoreload", "%subshell", "%pip --version", "%colors NoColor", "%timeit -n1 -r1 1 + 1", "%%script true\nx",
)  # fmt: skip


@edit
def a_magic(hand_in: HandIn) -> None:
    hand_in.add(hand_in.rng.choice(MAGICS), after=hand_in.rng.choice(["begin", ""]))


@edit
def a_magic_above_an_answer(hand_in: HandIn) -> None:
    _, question = hand_in.some_question()
    magic = hand_in.rng.choice(
        ["%%time", "%%capture", "%%capture said", "%autosave 60", "%matplotlib inline", "%clear"]
    )
    cell = hand_in.cell(question.id)
    cell["source"] = f"{magic}\n{''.join(cell['source'])}" if "%%" not in "".join(cell["source"]) else cell["source"]


@edit
def the_examples_tried(hand_in: HandIn) -> None:
    q, question = hand_in.some_question()
    tried = f"for value in vars({q}.example).values():\n    repr(value), callable(value)\n{q}.example"
    hand_in.add(tried, after=hand_in.rng.choice([question.id, "begin", ""]))


@edit
def a_thread_beside(hand_in: HandIn) -> None:
    q, _ = hand_in.some_question()
    tried = f"thread = threading.Thread(target=lambda: [repr({q}.example) for _ in range(20)])"
    hand_in.add(f"import threading\n{tried}\nthread.start()", after="begin")
    hand_in.add("thread.join()")


@edit
def a_pool_of_threads(hand_in: HandIn) -> None:
    q, _ = hand_in.some_question()
    hand_in.add(
        "from concurrent.futures import ThreadPoolExecutor\nwith ThreadPoolExecutor(4) as pool:\n"
        f"    list(pool.map(lambda k: repr({q}.example), range(12)))"
    )


@edit
def a_process(hand_in: HandIn) -> None:
    hand_in.add(
        hand_in.rng.choice(
            [
                "import subprocess, sys\nsubprocess.run([sys.executable, '-c', 'pass'], check=True)",
                "import os\nchild = os.fork()\nif not child: os._exit(0)\nos.waitpid(child, 0)",
                "import subprocess\nassert subprocess.check_output(['echo', 'x']) == b'x\\n'",
            ]
        )
    )


@edit
def a_file_beside(hand_in: HandIn) -> None:
    hand_in.files["helper.py"] = "def helped():\n    return 3\n"
    hand_in.add("from helper import helped\nassert helped() == 3", after="begin")
    _, question = hand_in.some_question()
    if "%%" not in hand_in.source(question.id):
        hand_in.cell(question.id)["source"] = f"import helper\n{hand_in.source(question.id)}\nhelper.helped()"


@edit
def other_files(hand_in: HandIn) -> None:
    hand_in.files |= {"notes.md": "x", "data.csv": "1,2", f"{hand_in.lesson.slug}.py": "x = 1", "Untitled.ipynb": "{}"}


@edit
def a_copy_beside_the_starter(hand_in: HandIn) -> None:
    starter = f"{hand_in.lesson.slug}.ipynb"
    hand_in.files[starter] = json.dumps(notebook(hand_in.lesson))
    mark = hand_in.rng.choice([" (1)", "-Copy1", " copy", "_final", " - Copy", "-Copy1-Copy1", "(2)"])
    hand_in.name = starter.replace(".ipynb", f"{mark}.ipynb")


@edit
def vs_code(hand_in: HandIn) -> None:
    hand_in.notebook["metadata"]["vscode"] = {"interpreter": {"hash": "0"}}
    hand_in.notebook["nbformat_minor"] = 2
    for cell in hand_in.cells:
        cell["metadata"] = {**cell["metadata"], "vscode": {"languageId": "python"}}
        cell["source"] = "".join(cell["source"]).splitlines(keepends=True)


@edit
def colab(hand_in: HandIn) -> None:
    hand_in.notebook["metadata"]["colab"] = {"provenance": []}
    hand_in.notebook["metadata"]["language_info"] = {"name": "python"}
    for place, cell in enumerate(hand_in.cells):
        cell["metadata"] = {**cell["metadata"], "id": f"{place:012d}", "outputId": "0"}


@edit
def another_kernel(hand_in: HandIn) -> None:
    name = hand_in.rng.choice(["R", "julia", "SageMath", "python3", ""])
    hand_in.notebook["metadata"]["language_info"] = {"name": name} if name else {}
    hand_in.notebook["metadata"]["kernelspec"] = {"name": "ir", "display_name": name}


@edit
def odd_metadata(hand_in: HandIn) -> None:
    for cell in hand_in.cells:
        about = cell["metadata"].get("autodiff_kit", {})
        if "points" in about:
            about["points"] = hand_in.rng.choice([1, 100, "3", None])
        cell["metadata"]["tags"] = ["x"]


@edit
def other_line_ends(hand_in: HandIn) -> None:
    for cell in hand_in.cells:
        cell["source"] = "".join(cell["source"]).replace("\n", "\r\n")


@edit
def outputs_and_counts(hand_in: HandIn) -> None:
    for place, cell in enumerate(hand_in.cells):
        if cell["cell_type"] == "code":
            cell["execution_count"] = place
            cell["outputs"] = [{"output_type": "stream", "name": "stdout", "text": ["x\n"] * 20}]


@edit
def an_endless_loop_below_an_answer(hand_in: HandIn) -> None:
    """Nobody waits for it: stopped by hand, it leaves the function there. It costs a run of the grader."""
    _, question = hand_in.some_question()
    hand_in.cell(question.id)["source"] = f"{hand_in.source(question.id)}\nimport os\nos._exit(3)\n"


@edit
def a_cell_that_fails(hand_in: HandIn) -> None:
    hand_in.add(hand_in.rng.choice(["1 / 0", "import torch", "def broken(:", "undefined_name", "stray text"]))
