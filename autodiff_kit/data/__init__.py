"""Data sets that travel with the kit: handwritten digits, small graphs, NIST's curves to fit, sentences, and the Nile.

Everything here is NumPy only, is drawn or read from files that lie beside it; nothing is fetched.
"""

from __future__ import annotations

from autodiff_kit.data.digits import digits
from autodiff_kit.data.graphs import Graphs, graphs
from autodiff_kit.data.nile import nile
from autodiff_kit.data.nist import Problem, problem, problems
from autodiff_kit.data.sentences import Sentences, Vocabulary, padded, sentences, tokens

__all__ = [
    "Graphs",
    "Problem",
    "Sentences",
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
