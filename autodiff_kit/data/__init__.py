"""Data sets of the package: handwritten digits, small graphs, NIST's regression problems, sentences, the Nile.

The data are NumPy arrays, generated or read from files of the package; nothing is downloaded.
"""

from __future__ import annotations

from autodiff_kit.data.digits import digits
from autodiff_kit.data.graphs import GraphBatch, graphs
from autodiff_kit.data.nile import nile
from autodiff_kit.data.nist_regression import RegressionProblem, problem, problems
from autodiff_kit.data.sentences import LabelledSentences, Vocabulary, padded, sentences, tokens

__all__ = [
    "GraphBatch",
    "LabelledSentences",
    "RegressionProblem",
    "Vocabulary",
    "digits",
    "graphs",
    "nile",
    "padded",
    "problem",
    "problems",
    "sentences",
    "tokens",
]
