"""Private questions: the learner gets text, starter and perhaps examples; check and answer stay with the teacher."""

from __future__ import annotations

import compileall
import json
import sys

import pytest

from autodiff_kit.author.commands import build_exercise
from autodiff_kit.author.master_notebook import MasterNotebookError, parse_master, read_master
from autodiff_kit.author.notebook_cells import code_cell, question_metadata
from autodiff_kit.author.variant import write_variant
from autodiff_kit.cli import main
from autodiff_kit.exercises import exercise
from autodiff_kit.exercises.check_runner import grade_attempt
from autodiff_kit.exercises.custom import load_checks
from autodiff_kit.exercises.questions import LESSONS, load_question
from autodiff_kit.grade.results import read_results

QUESTION = "newton-steps-1"
PUBLIC = """
import numpy as np
from autodiff_kit.exercises.protocol import Call

def check(attempt, rng):
    reply = yield Call("slope", (np.array([0.0]),))
    attempt.case(reply.value, np.array([0.0]))
"""
RIGHT = "import numpy as np\ndef slope(x):\n    return np.sin(x) + x * np.cos(x)"
WRONG = "import numpy as np\ndef slope(x):\n    return np.sin(x)"


def make_private(cell):
    cell["metadata"]["autodiff_kit"]["private"] = True


@pytest.fixture
def private(changed):
    """The master of a private question, with or without a public cell."""

    def made(public=""):
        notebook = changed({QUESTION: make_private})
        if public:
            notebook["cells"].append(code_cell("public", public, **question_metadata(QUESTION, "public")))
        return parse_master(notebook)

    return made


@pytest.fixture
def opened(private, tmp_path, importable, monkeypatch):
    """The question as a learner opens it, from the release."""

    def made(public=""):
        build_exercise(private(public), tmp_path, ("release",))
        importable(tmp_path / "release")
        (tmp_path / ".autodiff_kit").mkdir()
        monkeypatch.setenv("AUTODIFF_KIT_DIR", str(tmp_path))
        return exercise("newton_steps")[0]

    return made


def every_byte(folder):
    return b"\n".join(path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file())


def secrets_of(master):
    """Whatever of a master's questions is the teacher's: names, messages, hints, and the lines of code that tell."""
    for question in master.lesson.questions:
        sources = [question.solution, master.author_sources[question.id]]
        sources += [wrong.source for wrong in master.wrong[question.id]]
        lines = {line.strip() for source in sources for line in source.splitlines()}
        told = {line for line in lines if len(line) >= 12 and not line.startswith(HARMLESS)}
        given = f"{question.title}\n{question.starter}\n{question.text}\n{master.public_sources[question.id]}"
        for secret in (*question.messages, *question.messages.values(), *question.hints, *told):
            if secret.replace("\\\\", "\\") not in given:  # a message may be called like a word that the text has
                yield secret
    yield from ("SOLUTION", "HIDDEN")


HARMLESS = ("#", "def ", "import ", "from ", '"""')


def assert_kept_back(master, folder):
    """Nothing of the teacher's is in any file of a folder, however a notebook or a JSON file writes it."""
    given, secrets = every_byte(folder), set(secrets_of(master))
    assert len(secrets) > 5
    for secret in secrets:
        for form in (secret, json.dumps(secret)[1:-1], json.dumps(secret, ensure_ascii=False)[1:-1]):
            assert form.encode() not in given, form


@pytest.mark.parametrize("public", ["", PUBLIC], ids=["without examples", "with examples"])
def test_the_release_holds_nothing_of_check_and_answer(private, tmp_path, public):
    master = private(public)
    build_exercise(master, tmp_path)
    assert not (tmp_path / "course").exists()
    assert not (tmp_path / "otter").exists()
    assert_kept_back(master, tmp_path / "release")
    kept = every_byte(tmp_path / "grading")
    assert b"forgets-the-second" in kept
    assert b"mistakes" in kept


def test_a_release_that_was_built_before_the_question_became_private_holds_nothing_of_it(begun, private, tmp_path):
    build_exercise(read_master(begun), tmp_path, ("release",))
    home = tmp_path / "release" / "newton_steps_checks"
    compileall.compile_dir(home, quiet=1)
    build_exercise(private(), tmp_path, ("release",))
    assert sorted(path.name for path in home.iterdir()) == ["__init__.py", "exercise.json"]


def test_parts_of_an_earlier_build_that_may_tell_a_private_check_are_named(begun, private, tmp_path, capsys):
    build_exercise(read_master(begun), tmp_path / "out", ("course", "otter"))
    (tmp_path / "m.ipynb").write_text(json.dumps(private().notebook), encoding="utf-8")
    assert main(["author", "build", str(tmp_path / "m.ipynb"), "--out", str(tmp_path / "out")]) == 0
    course, otter = capsys.readouterr().err.splitlines()
    assert str(tmp_path / "out" / "course" / "source" / "newton_steps") in course
    assert f"{tmp_path / 'out' / 'otter' / 'newton_steps'} is from an earlier build and may contain the check" in otter


@pytest.mark.parametrize("part", ["course", "otter"])
def test_a_part_that_would_hand_out_a_private_check_is_refused(private, tmp_path, capsys, part):
    (tmp_path / "m.ipynb").write_text(json.dumps(private().notebook), encoding="utf-8")
    assert main(["author", "build", str(tmp_path / "m.ipynb"), "--out", str(tmp_path / "out"), "--only", part]) == 1
    assert f"{part} would give learners the checks of private questions" in capsys.readouterr().err


def test_a_release_with_numbers_for_each_learner_holds_nothing_either(tmp_path):
    assert main(["new-exercise", "my_slope", "--per-learner", "--dir", str(tmp_path)]) == 0
    path = tmp_path / "my_slope.ipynb"
    assert main(["author", "build", str(path), "--out", str(tmp_path)]) == 0
    assert_kept_back(read_master(path), tmp_path / "release")
    assert b"no-inner-slope" in every_byte(tmp_path / "grading")


def test_a_classroom_starter_holds_nothing_either(private, tmp_path):
    assert main(["new-exercise", "my_slope", "--per-learner", "--dir", str(tmp_path)]) == 0
    (tmp_path / "newton_steps.ipynb").write_text(json.dumps(private(PUBLIC).notebook))
    for name in ("my_slope", "newton_steps"):
        out = tmp_path / name
        assert main(["author", "classroom", str(tmp_path / f"{name}.ipynb"), "--out", str(out)]) == 0
        assert (out / ".github" / "workflows" / "classroom.yml").is_file()
        assert_kept_back(read_master(tmp_path / f"{name}.ipynb"), out)


def test_a_learner_is_told_that_the_question_is_graded_later(opened, capsys):
    q1 = opened()
    result = q1.check(lambda x: x)
    assert result.outcome == "graded later"
    assert result.score == 0
    assert "Your teacher grades this question later" in capsys.readouterr().out
    assert q1.check(lambda: None).outcome in ("graded later", "not attempted")
    assert q1.graded() == 0
    assert "no hints" in q1.hint().text
    assert "is not part of this exercise" in q1.solution().text


def test_public_examples_are_checked_at_once(opened):
    q1 = opened(PUBLIC)
    assert "The public examples are right" in q1.check(lambda x: 0 * x).message
    assert q1.check(lambda x: 0 * x + 1).outcome == "not yet"
    assert "Nearly" not in repr(q1.check(lambda x: 0 * x + 1))


def test_the_grader_takes_the_private_part_from_the_teachers_folder(private, tmp_path, sandbox_or_skip, monkeypatch):
    build_exercise(private(PUBLIC), tmp_path, ("release", "grading"))
    handed_in = tmp_path / "in"
    handed_in.mkdir()
    for name, source in (("ada", RIGHT), ("bob", WRONG)):
        notebook = json.loads((tmp_path / "release" / "newton_steps.ipynb").read_text())
        answer = next(cell for cell in notebook["cells"] if cell["id"] == QUESTION)
        answer["source"] = source
        (handed_in / f"{name}.ipynb").write_text(json.dumps(notebook))
    # A package of that name among the submissions, and in the current folder, is not the teacher's.
    (handed_in / "newton_steps_checks").mkdir()
    (handed_in / "newton_steps_checks" / "__init__.py").write_text("raise SystemExit('a learner ran here')")
    monkeypatch.chdir(handed_in)
    words = ["grade", "ada.ipynb", "bob.ipynb", "--out", str(tmp_path / "out"), "--workers", "1"]
    assert main([*words, "--checks", str(tmp_path / "grading")]) == 0
    results = read_results(tmp_path / "out" / "results.jsonl")
    scores = {result.learner: (result.score, result.marks[0].misconception) for result in results}
    assert scores == {"ada": (2.0, ""), "bob": (0.0, "forgets-the-second")}


@pytest.mark.parametrize("public", ["", PUBLIC], ids=["no check", "public examples"])
def test_the_learners_copy_of_the_checks_grades_nobody(private, tmp_path, capsys, public):
    """Without a check every function would have all points."""
    build_exercise(private(public), tmp_path, ("release",))
    words = ["grade", str(tmp_path / "release" / "newton_steps.ipynb"), "--out", str(tmp_path / "out")]
    assert main([*words, "--checks", str(tmp_path / "gradings")]) == 1
    assert "gradings is no folder. Give --checks the folder `grading`" in capsys.readouterr().err
    assert main([*words, "--checks", str(tmp_path / "release")]) == 1
    assert f"without those of the private questions ({QUESTION})" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("module", ["newton_steps_1.py", "__init__.py"])
def test_checks_that_cannot_be_loaded_are_not_the_learners_fault(private, tmp_path, capsys, module):
    build_exercise(private(), tmp_path, ("release", "grading"))
    (tmp_path / "grading" / "newton_steps_checks" / module).write_text("# empty", encoding="utf-8")
    ada = (tmp_path / "release" / "newton_steps.ipynb").rename(tmp_path / "ada.ipynb")
    words = ["grade", str(ada), "--out", str(tmp_path / "out"), "--workers", "1"]
    assert main([*words, "--checks", str(tmp_path / "grading")]) == 1
    assert "newton_steps_checks stop with AttributeError" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("argument", "points", "words"),
    [
        ("rng.choice([0.5, 1.0, 2.0])", 2.0, "Every case is right."),
        (
            "range(3)",
            0.0,
            "the check gives slope an argument that cannot be sent to the sandbox: a value of type range",
        ),
    ],
)
def test_arguments_of_a_check_reach_the_sandbox_or_are_the_checks_fault(
    changed, tmp_path, sandbox_or_skip, argument, points, words
):
    def change(cell):
        source = "".join(cell["source"])
        cell["source"] = source.replace("x = rng.uniform(0.5, 3, n)", f"x = {argument}")

    build_exercise(parse_master(changed({f"{QUESTION}-author": change})), tmp_path, ("grading", "key"))
    words_of_command = ["grade", str(tmp_path / "key"), "--out", str(tmp_path / "out"), "--workers", "1"]
    assert main([*words_of_command, "--checks", str(tmp_path / "grading")]) == 0
    (found,) = read_results(tmp_path / "out" / "results.jsonl")
    assert (found.status, found.score) == ("graded", points)
    assert words in found.marks[0].message


def test_without_the_folder_the_error_names_it(tmp_path, capsys):
    (tmp_path / "ada.ipynb").write_text("{}")
    assert main(["grade", str(tmp_path), "--out", str(tmp_path / "out"), "--exercise", "newton_steps"]) == 1
    assert "--checks FOLDER" in capsys.readouterr().err


def test_checks_are_taken_from_one_folder_only(private, tmp_path):
    build_exercise(private(), tmp_path, ("grading",))
    for name in ("../newton_steps", "newton_steps/x", "", "newton_step", "𝐚" * 80):
        assert load_checks(tmp_path / "grading", name) is None
    assert load_checks(tmp_path / "grading", "newton_steps").questions[0].id == QUESTION
    del sys.modules["newton_steps_checks"]


def test_a_public_cell_without_a_check_is_an_error(private):
    with pytest.raises(MasterNotebookError, match="defines no check"):
        private("x = 1")


def test_a_private_question_is_validated_like_others(private, tmp_path, capsys):
    path = tmp_path / "m.ipynb"
    path.write_text(json.dumps(private().notebook))
    assert main(["author", "validate", str(path), "--seeds", "3", "--mutant-draws", "3"]) == 0


@pytest.mark.parametrize("id", ["jvp-2", "flop-3", "quant-3", "floor-4"])
def test_a_shipped_question_becomes_a_private_master(id, tmp_path, capsys):
    assert main(["author", "variant", id, "my_own", "--dir", str(tmp_path)]) == 0
    master = read_master(tmp_path / "my_own.ipynb")
    [question] = master.lesson.questions
    assert {verdict(question, seed) for seed in range(3)} == {"passed"}
    words = ["author", "validate", str(tmp_path / "my_own.ipynb"), "--seeds", "2", "--mutant-draws", "0"]
    assert main(words) == 1
    assert f"The worked answer of {id}, which learners can see, has points." in capsys.readouterr().out


@pytest.mark.parametrize("no", LESSONS)
def test_every_shipped_question_has_a_variant_that_keeps_back_check_and_answer(no, tmp_path):
    for id in LESSONS.question_ids(no):
        master, shipped = read_master(write_variant(id, f"own_{id.replace('-', '_')}", tmp_path)), load_question(id)
        [question] = master.lesson.questions
        assert question.private
        assert (question.writes, question.points) == (shipped.writes, shipped.points)
        assert verdict(question, 0) == "passed"
        build_exercise(master, tmp_path / id, ("release", "grading"))
        assert_kept_back(master, tmp_path / id / "release")
        assert all(name.encode() in every_byte(tmp_path / id / "grading") for name in shipped.messages)


def verdict(question, seed):
    names = {}
    exec(question.solution, names)
    return grade_attempt(question, {name: names[name] for name in question.writes}, seed).outcome


def test_only_a_shipped_question_has_a_variant(tmp_path, capsys):
    assert main(["author", "variant", "jvp-99", "my_own", "--dir", str(tmp_path)]) == 1
    assert "no question 'jvp-99'" in capsys.readouterr().err
