"""Similarity of answers: pairs that share more code than the question explains.

Source is tokenized; comments are removed, and names, numbers and strings are replaced by placeholders. Two answers are
compared by the Jaccard similarity of their token n-grams, without the n-grams of the starter.
"""

from __future__ import annotations

import keyword
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from autodiff_kit.exercises.question import Question

from .exercise_lookup import find_exercise
from .submission import Submission

__all__ = ["SimilarPair", "jaccard_similarity", "similar_pairs", "token_ngrams"]

NGRAM_LENGTH = 6
MIN_TOKENS = 20  # shorter answers are often equal without copying
MIN_SIMILARITY = 0.8
MAX_ANSWER = 50_000  # characters; nobody writes more for one question
WORKED_ANSWER = "(the worked answer)"
TOKEN = re.compile(r"\"\"\".*?\"\"\"|'''.*?'''|\"[^\"\n]*\"|'[^'\n]*'|#[^\n]*|[^\W\d]\w*|\d[\w.]*|\S", re.DOTALL)


@dataclass(frozen=True)
class SimilarPair:
    """Two answers to one question and their similarity; 1 means equal except for names and numbers."""

    question: str
    first: str
    second: str
    similarity: float


def similar_pairs(submissions: Iterable[Submission]) -> list[SimilarPair]:
    """Return the pairs of similar answers to each question of each exercise.

    Parameters
    ----------
    submissions : iterable of Submission
        The submissions, as they were read.

    Returns
    -------
    list of SimilarPair
        The most similar pairs first. In a pair with the worked answer, its second name says so.
    """
    answers: dict[tuple[str, str], dict[str, str]] = defaultdict(dict)
    for one in submissions:
        for question, text in _answer_sources(one):
            answers[one.exercise, question.id][one.learner] = text
    found = [
        pair for (slug, id), texts in answers.items() for pair in _similar_pairs_of(_find_question(slug, id), texts)
    ]
    return sorted(found, key=lambda pair: (-pair.similarity, pair.question, pair.first, pair.second))


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


def _similar_pairs_of(question: Question, texts: Mapping[str, str]) -> Iterator[SimilarPair]:
    given = token_ngrams(question.starter)
    ngrams = {name: token_ngrams(text) - given for name, text in sorted(texts.items())}
    worked = token_ngrams(question.solution) - given
    for first, second in _candidate_pairs(ngrams):
        similarity = jaccard_similarity(ngrams[first], ngrams[second])
        if similarity >= MIN_SIMILARITY:
            yield SimilarPair(question.id, first, second, round(similarity, 3))
    for name, own in ngrams.items():
        if own and worked and jaccard_similarity(own, worked) >= MIN_SIMILARITY:
            yield SimilarPair(question.id, name, WORKED_ANSWER, round(jaccard_similarity(own, worked), 3))


def _candidate_pairs(ngrams: Mapping[str, frozenset[str]]) -> Iterator[Sequence[str]]:
    """Pairs that share a rare n-gram. N-grams of many answers are no evidence of copying."""
    holders: dict[str, list[str]] = defaultdict(list)
    for name, own in ngrams.items():
        for ngram in own:
            holders[ngram].append(name)
    few = max(4, len(ngrams) // 10)
    rare = (names for names in holders.values() if 2 <= len(names) <= few)
    return iter(sorted({pair for names in rare for pair in combinations(names, 2)}))
