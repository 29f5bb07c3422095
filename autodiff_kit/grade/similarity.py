"""Similarity of answers: groups that share more code than the question explains.

Source is tokenized; comments are removed, and names, numbers and strings are replaced by placeholders. Two answers are
compared by the Jaccard similarity of their token n-grams, without the n-grams of the starter. MinHash finds the answers
that are worth comparing, and an answer is compared with the first of each group only, so that the time grows with the
number of answers and not with its square.
"""

from __future__ import annotations

import keyword
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from autodiff_kit import extras
from autodiff_kit.exercises.question import Question

from .exercise_lookup import find_exercise
from .submission import Submission

__all__ = ["SimilarGroup", "jaccard_similarity", "similar_groups", "token_ngrams"]

NGRAM_LENGTH = 6
MIN_TOKENS = 20  # shorter answers are often equal without copying
MIN_SIMILARITY = 0.8
MAX_ANSWER = 50_000  # characters; nobody writes more for one question
PERMUTATIONS = 64
LOSSES = (0.01, 0.99)
"""How the index weighs a needless comparison against a pair that it misses, which nobody would see. With equal weights
it finds 36 of 100 pairs that are 80 % alike; with these it finds 99."""
TOKEN = re.compile(r"\"\"\".*?\"\"\"|'''.*?'''|\"[^\"\n]*\"|'[^'\n]*'|#[^\n]*|[^\W\d]\w*|\d[\w.]*|\S", re.DOTALL)


@dataclass(frozen=True)
class SimilarGroup:
    """Learners whose answers to one question are alike.

    Attributes
    ----------
    question : str
        Stored id, such as ``jvp-1``.
    learners : tuple of str
        In the order of their names. One is enough for a group that is like the worked answer.
    similarity : float
        The least similarity to the group's first answer; 1 means equal except for names and numbers.
    worked : bool
        Whether the answers are like the worked answer.
    """

    question: str
    learners: tuple[str, ...]
    similarity: float
    worked: bool = False


def similar_groups(submissions: Iterable[Submission]) -> list[SimilarGroup]:
    """Return the groups of similar answers to each question of each exercise.

    Parameters
    ----------
    submissions : iterable of Submission
        The submissions, as they were read.

    Returns
    -------
    list of SimilarGroup
        The most similar groups first.
    """
    answers: dict[tuple[str, str], dict[str, str]] = defaultdict(dict)
    for one in submissions:
        for question, text in _answer_sources(one):
            answers[one.exercise, question.id][one.learner] = text
    found: list[SimilarGroup] = []
    for (slug, id), texts in answers.items():  # one question at a time, because n-grams need more memory than texts
        ngrams = {learner: token_ngrams(text) for learner, text in sorted(texts.items())}
        found.extend(_similar_groups_of(_find_question(slug, id), ngrams))
    return sorted(found, key=lambda group: (-group.similarity, group.question, group.learners))


def jaccard_similarity(first: frozenset[str], second: frozenset[str]) -> float:
    """The Jaccard similarity of two sets: size of the intersection divided by size of the union."""
    return len(first & second) / max(1, len(first | second))


def token_ngrams(source: str) -> frozenset[str]:
    """The token n-grams of a source, with names, numbers and strings replaced by placeholders."""
    tokens = [_normalized_token(word) for word in TOKEN.findall(source) if not word.startswith(("#", '"""', "'''"))]
    if len(tokens) < MIN_TOKENS:
        return frozenset()
    return frozenset(" ".join(tokens[i : i + NGRAM_LENGTH]) for i in range(len(tokens) - NGRAM_LENGTH + 1))


def _normalized_token(word: str) -> str:
    if word[0] in "\"'":
        return "text"
    if word[0].isdigit():
        return "number"
    return "name" if word.isidentifier() and not keyword.iskeyword(word) else word


def _answer_sources(one: Submission) -> Iterator[tuple[Question, str]]:
    if not one.exercise or not one.cells:
        return
    sources = dict(one.cells)
    for question in find_exercise(one.exercise).questions:
        parts = [sources[place] for place, id in one.questions if id == question.id and (place, id) not in one.checks]
        yield question, "\n".join(parts)[:MAX_ANSWER]


def _find_question(slug: str, id: str) -> Question:
    return next(question for question in find_exercise(slug).questions if question.id == id)


@dataclass
class _Group:
    """A group while it is collected: the n-grams of its first answer, and its learners with their similarities."""

    ngrams: frozenset[str]
    members: dict[str, float] = field(default_factory=dict)
    worked: bool = False


def _similar_groups_of(question: Question, answers: Mapping[str, frozenset[str]]) -> Iterator[SimilarGroup]:
    given = token_ngrams(question.starter)
    holders = Counter(ngram for own in answers.values() for ngram in own - given)
    few = max(4, len(answers) // 10)  # what many answers share is no evidence of copying
    groups = _GroupFinder()
    groups.add("", token_ngrams(question.solution) - given, worked=True)
    for learner, all_ngrams in answers.items():
        own = all_ngrams - given
        groups.add(learner, own, alone=not any(holders[ngram] <= few for ngram in own))
    for group in groups.found:
        if group.worked:
            yield from _same_slips(question, group, answers, given, few)
        if len(group.members) > (not group.worked):
            least = round(min(group.members.values()), 3)
            yield SimilarGroup(question.id, tuple(group.members), least, group.worked)


def _same_slips(
    question: Question, worked: _Group, answers: Mapping[str, frozenset[str]], given: frozenset[str], few: int
) -> Iterator[SimilarGroup]:
    """Groups of a few equal answers that are like the worked one, and not equal to it."""
    equal: dict[frozenset[str], list[str]] = defaultdict(list)
    for learner, similarity in worked.members.items():
        if similarity < 1:
            equal[answers[learner] - given].append(learner)
    for learners in equal.values():
        if 1 < len(learners) <= few:
            yield SimilarGroup(question.id, tuple(learners), 1.0)


class _GroupFinder:
    """Puts each answer into the group of the most similar first answer, or makes a group of it."""

    def __init__(self) -> None:
        extras.require("datasketch", "grade", "Comparing answers")
        from datasketch import MinHashLSH

        self.found: list[_Group] = []
        self._index: Any = MinHashLSH(threshold=MIN_SIMILARITY, num_perm=PERMUTATIONS, weights=LOSSES)
        self._same: dict[frozenset[str], _Group] = {}

    def add(self, learner: str, ngrams: frozenset[str], *, worked: bool = False, alone: bool = False) -> None:
        """Add an answer; one with nothing rare in it (``alone``) is compared with the worked answer only."""
        if not ngrams:
            return
        group, similarity = self._group_of(ngrams)
        if group is None:
            if not alone:
                self._begin(learner, ngrams, worked=worked)
        elif group.worked or not alone:
            group.members[learner] = similarity

    def _group_of(self, ngrams: frozenset[str]) -> tuple[_Group | None, float]:
        if ngrams in self._same:
            return self._same[ngrams], 1.0
        near = [self.found[place] for place in self._index.query(_min_hash(ngrams))]
        best = max(near, key=lambda group: jaccard_similarity(group.ngrams, ngrams), default=None)
        similarity = jaccard_similarity(best.ngrams, ngrams) if best else 0.0
        return (best, similarity) if similarity >= MIN_SIMILARITY else (None, 0.0)

    def _begin(self, learner: str, ngrams: frozenset[str], *, worked: bool) -> None:
        group = _Group(ngrams, {} if worked else {learner: 1.0}, worked)
        self._index.insert(len(self.found), _min_hash(ngrams))
        self._same[ngrams] = group
        self.found.append(group)


def _min_hash(ngrams: frozenset[str]) -> Any:
    from datasketch import MinHash

    found = MinHash(num_perm=PERMUTATIONS, seed=1)
    found.update_batch([ngram.encode("utf-8", "replace") for ngram in sorted(ngrams)])
    return found
