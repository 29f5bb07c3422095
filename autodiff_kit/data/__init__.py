"""Two small data sets that travel with the kit: handwritten digits, and sentences that please or displease.

Everything here is NumPy only and reads files that lie beside it; nothing is fetched.
"""

from __future__ import annotations

from autodiff_kit.data.digits import digits
from autodiff_kit.data.sentences import Sentences, Vocabulary, padded, sentences, tokens

__all__ = ["Sentences", "Vocabulary", "digits", "padded", "sentences", "tokens"]
