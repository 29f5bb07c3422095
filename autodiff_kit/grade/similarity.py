"""Similarity of answers: groups that share more code than the question explains.

Source is tokenized; comments are removed, and names, numbers and strings are replaced by placeholders. What is compared
is a *fingerprint* of an answer: the smallest hashes of its token n-grams, without those of the starter. It is made in
the grader's process that reads the notebook, so that a comparison sees numbers alone, and as many of each answer.
Fingerprints are compared by their Jaccard similarity, exactly for answers of fewer n-grams than a fingerprint holds. An
answer is compared with the first of each group only, and of those with the few that share its rarest hashes: the time
grows with the number of answers and not with its square, whatever they are.
"""

from __future__ import annotations

import hashlib
import heapq
import keyword
import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from autodiff_kit.exercises.question import Question

from .exercise_lookup import find_exercise
from .submission import MAX_FINGERPRINT, Submission

__all__ = ["SimilarGroup", "answer_fingerprints", "fingerprint", "jaccard_similarity", "similar_groups"]

NGRAM_LENGTH: Final = 6
MIN_TOKENS: Final = 20  # shorter answers are often equal without copying
MIN_SIMILARITY: Final = 0.8
MAX_ANSWER: Final = 50_000  # characters; nobody writes more for one question
HASH_BYTES: Final = 8
MAX_COMPARED: Final = 50
"""First answers with which an answer is compared, those that share the most of its rare hashes."""
MAX_HOLDERS: Final = 100
"""First answers that are found by one hash: a hash that more of them have is not rare."""
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
        The submissions, with the fingerprints of their answers.

    Returns
    -------
    list of SimilarGroup
        The most similar groups first.
    """
    answers: dict[tuple[str, str], dict[str, frozenset[int]]] = defaultdict(dict)
    for one in submissions:
        for question, hashes in one.fingerprints:
            answers[one.exercise, question][one.learner] = hashes
    found: list[SimilarGroup] = []
    for (slug, id), by_learner in answers.items():
        found.extend(_similar_groups_of(_find_question(slug, id), dict(sorted(by_learner.items()))))
    return sorted(found, key=lambda group: (-group.similarity, group.question, group.learners))


def jaccard_similarity(first: frozenset[int], second: frozenset[int]) -> float:
    """The Jaccard similarity of two sets: size of the intersection divided by size of the union.

    Of a full fingerprint the larger hashes are not known. Then the smallest ones of the union are a sample of it.
    """
    union, shared = first | second, first & second
    if max(len(first), len(second)) < MAX_FINGERPRINT:
        return len(shared) / max(1, len(union))
    sample = heapq.nsmallest(MAX_FINGERPRINT, union)
    return sum(one in shared for one in sample) / len(sample)


def answer_fingerprints(one: Submission) -> tuple[tuple[str, frozenset[int]], ...]:
    """Question id and fingerprint of each answer of a submission whose cells are known."""
    return tuple(
        (question.id, fingerprint(text, question.starter)) for question, text in _answer_sources(one) if text.strip()
    )


def fingerprint(source: str, starter: str = "") -> frozenset[int]:
    """The smallest hashes of a source's token n-grams that the starter does not have; names, numbers and strings are
    placeholders in them.
    """
    ngrams = _token_ngrams(source) - _token_ngrams(starter)
    return frozenset(heapq.nsmallest(MAX_FINGERPRINT, map(_hashed, ngrams)))


def _hashed(ngram: str) -> int:
    return int.from_bytes(hashlib.blake2b(ngram.encode("utf-8", "replace"), digest_size=HASH_BYTES).digest(), "big")


def _token_ngrams(source: str) -> frozenset[str]:
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
    """A group while it is collected: the fingerprint of its first answer, and its learners with their similarities."""

    hashes: frozenset[int]
    members: dict[str, float] = field(default_factory=dict)
    worked: bool = False


def _similar_groups_of(question: Question, answers: Mapping[str, frozenset[int]]) -> Iterator[SimilarGroup]:
    holders = Counter(one for own in answers.values() for one in own)
    few = max(4, len(answers) // 10)  # what many answers share is no evidence of copying
    groups = _GroupFinder(holders)
    groups.add("", fingerprint(question.solution, question.starter), worked=True)
    for learner, own in answers.items():
        groups.add(learner, own, alone=not any(holders[one] <= few for one in own))
    for group in groups.found:
        if group.worked:
            yield from _same_slips(question, group, answers, few)
        if len(group.members) > (not group.worked):
            least = round(min(group.members.values()), 3)
            yield SimilarGroup(question.id, tuple(group.members), least, group.worked)


def _same_slips(
    question: Question, worked: _Group, answers: Mapping[str, frozenset[int]], few: int
) -> Iterator[SimilarGroup]:
    """Groups of a few equal answers that are like the worked one, and not equal to it."""
    equal: dict[frozenset[int], list[str]] = defaultdict(list)
    for learner, similarity in worked.members.items():
        if similarity < 1:
            equal[answers[learner]].append(learner)
    for learners in equal.values():
        if 1 < len(learners) <= few:
            yield SimilarGroup(question.id, tuple(learners), 1.0)


class _GroupFinder:
    """Puts each answer into the group of the most similar first answer, or makes a group of it.

    Two sets whose similarity is at least t share one of the rarest ``n - t n`` elements of the smaller one: only groups
    found by those of an answer are compared with it.

    Parameters
    ----------
    holders : mapping
        How many answers have a hash.
    """

    def __init__(self, holders: Mapping[int, int]) -> None:
        self.found: list[_Group] = []
        self._holders = holders
        self._by_hash: dict[int, list[int]] = defaultdict(list)
        self._same: dict[frozenset[int], _Group] = {}

    def add(self, learner: str, hashes: frozenset[int], *, worked: bool = False, alone: bool = False) -> None:
        """Add an answer; one with nothing rare in it (``alone``) is compared with the worked answer only."""
        if not hashes:
            return
        group, similarity = self._group_of(hashes)
        if group is None:
            if not alone:
                self._begin(learner, hashes, worked=worked)
        elif group.worked or not alone:
            group.members[learner] = similarity

    def _group_of(self, hashes: frozenset[int]) -> tuple[_Group | None, float]:
        if hashes in self._same:
            return self._same[hashes], 1.0
        near = Counter(place for one in self._rarest(hashes) for place in self._by_hash.get(one, ()))
        candidates = (self.found[place] for place, _ in near.most_common(MAX_COMPARED))
        best = max(candidates, key=lambda group: jaccard_similarity(group.hashes, hashes), default=None)
        similarity = jaccard_similarity(best.hashes, hashes) if best else 0.0
        return (best, similarity) if similarity >= MIN_SIMILARITY else (None, 0.0)

    def _begin(self, learner: str, hashes: frozenset[int], *, worked: bool) -> None:
        group = _Group(hashes, {} if worked else {learner: 1.0}, worked)
        for one in self._rarest(hashes):
            if len(self._by_hash[one]) < MAX_HOLDERS:
                self._by_hash[one].append(len(self.found))
        self._same[hashes] = group
        self.found.append(group)

    def _rarest(self, hashes: frozenset[int]) -> list[int]:
        count = len(hashes) - math.ceil(MIN_SIMILARITY * len(hashes)) + 1
        return heapq.nsmallest(count, hashes, key=lambda one: (self._holders.get(one, 0), one))
