"""Answers that are alike, beyond what the question itself makes alike.

Names, numbers, spaces and comments are taken out; what is left is cut into runs of a few words, and two
answers are compared by the runs that they share and that few others have.
"""

from __future__ import annotations

import keyword
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from autodiff_kit.exercises.question import Question

from .submission import Submission, named_lesson

__all__ = ["Pair", "alike", "runs_of", "similar_pairs"]

RUN = 6
SHORTEST = 20  # words: below that, honest answers are the same too
ALIKE = 0.8
WORKED = "(the worked answer)"
WORD = re.compile(r"\"\"\".*?\"\"\"|'''.*?'''|\"[^\"\n]*\"|'[^'\n]*'|#[^\n]*|[^\W\d]\w*|\d[\w.]*|\S", re.DOTALL)


@dataclass(frozen=True)
class Pair:
    """Two answers to one question, and how alike they are: 1 is the same but for names."""

    question: str
    first: str
    second: str
    share: float


def similar_pairs(submissions: Iterable[Submission]) -> list[Pair]:
    """Pairs of answers that are alike, for every question of every exercise.

    Parameters
    ----------
    submissions : iterable of Submission
        As they were read.

    Returns
    -------
    list of Pair
        The most alike first. A pair with the worked answer has that in the place of the second name.
    """
    answers: dict[tuple[str, str], dict[str, str]] = defaultdict(dict)
    for one in submissions:
        for question, text in _answers(one):
            answers[one.exercise, question.id][one.learner] = text
    found = [pair for (slug, id), texts in answers.items() for pair in _pairs(_question(slug, id), texts)]
    return sorted(found, key=lambda pair: (-pair.share, pair.question, pair.first, pair.second))


def alike(first: frozenset[str], second: frozenset[str]) -> float:
    """Shared runs as a part of all runs of both."""
    return len(first & second) / max(1, len(first | second))


def runs_of(source: str) -> frozenset[str]:
    """The runs of a text: every few words in a row, with names and numbers made equal."""
    words = [_plain(word) for word in WORD.findall(source) if not word.startswith(("#", '"""', "'''"))]
    if len(words) < SHORTEST:
        return frozenset()
    return frozenset(" ".join(words[i : i + RUN]) for i in range(len(words) - RUN + 1))


def _plain(word: str) -> str:
    if word[0] in "\"'":
        return "text"
    if word[0].isdigit():
        return "number"
    return "name" if word.isidentifier() and not keyword.iskeyword(word) else word


def _answers(one: Submission) -> Iterator[tuple[Question, str]]:
    if not one.exercise or not one.cells:
        return
    sources = dict(one.cells)
    for question in named_lesson(one.exercise).questions:
        parts = [sources[place] for place, id in one.questions if id == question.id and (place, id) not in one.checks]
        yield question, "\n".join(parts)


def _question(slug: str, id: str) -> Question:
    return next(question for question in named_lesson(slug).questions if question.id == id)


def _pairs(question: Question, texts: Mapping[str, str]) -> Iterator[Pair]:
    given = runs_of(question.starter)
    runs = {name: runs_of(text) - given for name, text in sorted(texts.items())}
    worked = runs_of(question.solution) - given
    for first, second in _candidates(runs):
        share = alike(runs[first], runs[second])
        if share >= ALIKE:
            yield Pair(question.id, first, second, round(share, 3))
    for name, own in runs.items():
        if own and worked and alike(own, worked) >= ALIKE:
            yield Pair(question.id, name, WORKED, round(alike(own, worked), 3))


def _candidates(runs: Mapping[str, frozenset[str]]) -> Iterator[Sequence[str]]:
    """Pairs that may be alike: those that share a run which few have; where all write the same, none stands out."""
    holders: dict[str, list[str]] = defaultdict(list)
    for name, own in runs.items():
        for run in own:
            holders[run].append(name)
    few = max(4, len(runs) // 10)
    rare = (names for names in holders.values() if 2 <= len(names) <= few)
    return iter(sorted({pair for names in rare for pair in combinations(names, 2)}))
