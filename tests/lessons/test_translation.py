"""Prompts, messages and hints in the second language: complete, with the same names in braces, and shown."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from autodiff_kit.exercises.messages import LearnerMessage
from autodiff_kit.lab.server.display_language import display_language
from autodiff_kit.lessons.prediction import judge_prediction, prompt_as_html
from autodiff_kit.lessons.prompts import find_prompt
from autodiff_kit.lessons.translation import LANGUAGES, language, translate
from autodiff_kit.widgets import Predict

from .translatable import CATALOGUES, catalogue, catalogue_names, translatable

NAMES = catalogue_names()
SECOND = [one for one in LANGUAGES if one != "en"]


def in_braces(text: str) -> list[str]:
    return sorted(set(re.findall(r"\{(\w*)[^}]*\}", text)))


def in_code_font(text: str) -> list[str]:
    return sorted(set(re.findall(r"`([^`\n]+)`", text)))


@pytest.mark.parametrize("spoken", SECOND)
@pytest.mark.parametrize("name", NAMES)
def test_a_catalogue_has_every_text_and_no_other(spoken: str, name: str) -> None:
    known = catalogue(spoken, name)
    texts = translatable()[name]
    assert [text for text in texts if not known.get(text)] == []
    assert [text for text in known if text not in texts] == []


@pytest.mark.parametrize("spoken", SECOND)
@pytest.mark.parametrize("name", NAMES)
def test_a_translation_keeps_braces_and_code(spoken: str, name: str) -> None:
    for text, translated in catalogue(spoken, name).items():
        assert in_braces(translated) == in_braces(text), text
        assert in_code_font(translated) == in_code_font(text), text


def test_there_is_no_catalogue_that_nobody_asks_for() -> None:
    assert {path.stem for path in CATALOGUES.rglob("*.json")} <= set(translatable())
    assert {path.name for path in CATALOGUES.iterdir()} == set(SECOND)


@pytest.mark.parametrize(
    ("asked", "spoken"), [("", "en"), ("de", "de"), ("de_DE", "de"), ("de-AT", "de"), ("fr_FR", "en"), ("en_GB", "en")]
)
def test_the_language_is_what_the_environment_asks_for(
    asked: str, spoken: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AUTODIFF_KIT_LANGUAGE", asked)
    assert language() == spoken


def test_a_text_without_a_translation_stays_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AUTODIFF_KIT_LANGUAGE", "de")
    assert translate("Passed") != "Passed"
    assert translate("no such text") == "no such text"
    assert translate("Passed", "no such catalogue") == "Passed"


@pytest.mark.parametrize(
    ("stored", "spoken"),
    [('{"locale": "de_DE"}', "de_DE"), ('// chosen\n{locale: "de_DE",}', "de_DE"), ('{"locale": "default"}', "en"),
     ("{}", "en"), ("[]", "en"), ("{", "en"), (None, "en")],
)  # fmt: skip
def test_the_language_of_jupyterlab_is_read_from_its_settings(stored: str | None, spoken: str, tmp_path: Path) -> None:
    folder = tmp_path / "@jupyterlab" / "translation-extension"
    folder.mkdir(parents=True)
    if stored is not None:
        (folder / "plugin.jupyterlab-settings").write_text(stored)
    assert display_language(tmp_path) == spoken


def test_a_learner_is_asked_and_told_in_german() -> None:
    code = """
from autodiff_kit.learn import predict, reveal, exercise
from autodiff_kit.lessons.prompts import find_prompt
prompt = find_prompt("sweeps")
print(prompt.question)
print(predict("sweeps", 64))
print(reveal("sweeps", 2))
q1 = exercise("01")[0]
print(q1.hint())
"""
    run = [
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "AUTODIFF_KIT_LANGUAGE": spoken},
            capture_output=True, text=True, check=True,
        ).stdout.splitlines()
        for spoken in ("en", "de")
    ]  # fmt: skip
    assert len(run[0]) == len(run[1])
    assert run[0][0] != run[1][0]
    assert any("your answer: 64" in line for line in run[0])
    assert any("deine Antwort: 64" in line for line in run[1])
    assert any("Hinweis 1 von 3" in line for line in run[1])


@pytest.mark.parametrize(("spoken", "attribute"), [("de_DE", ' lang="de"'), ("en", "")])
def test_what_is_said_in_german_says_so(spoken: str, attribute: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The page around it may be in another language, and a screen reader would read it out in that."""
    monkeypatch.setenv("AUTODIFF_KIT_LANGUAGE", spoken)
    prompt = find_prompt("sweeps")
    for shown in (
        prompt_as_html(prompt),
        judge_prediction(prompt, 64.0, 2)._repr_html_(),
        LearnerMessage("Passed", "All right.")._repr_html_(),
    ):
        assert re.match(r"<div( lang=\"\w+\")?", shown)[0] == f"<div{attribute}"  # type: ignore[index]
    assert Predict(question="?").lang == spoken[:2]
