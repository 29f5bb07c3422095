"""Lesson 09 widget: attention masks over padded sentences, and the gradient that reaches the padding."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import traitlets

import autodiff_kit as ak
from autodiff_kit.lessons.tables import Table, number
from autodiff_kit.widgets.base import KernelWidget
from autodiff_kit.widgets.traits import Input, Output, ViewState

__all__ = ["MaskedAttention"]

DESIGNS = ("zero", "renorm", "minusinf", "additive")
PAD = "[pad]"
STEP = 0.01  # learning rate of the step that is taken on the shared W


@dataclass(frozen=True)
class PaddedSentence:
    """Words and padding; a score is the logarithm of a small integer, so that weights can be checked by hand."""

    words: tuple[str, ...]
    counts: tuple[int, ...]
    values: tuple[float, ...]

    @property
    def tokens(self) -> list[str]:
        """The words, then padding."""
        return [*self.words, *[PAD] * (len(self.counts) - len(self.words))]

    @property
    def keep(self) -> list[bool]:
        """True at the words."""
        return [token != PAD for token in self.tokens]


SENTENCES = (
    PaddedSentence(("the", "cat", "sat"), (1, 2, 3, 4), (10.0, 20.0, 30.0, 100.0)),
    PaddedSentence(("rain", "again"), (2, 3, 1, 2, 4, 4), (30.0, 10.0, 50.0, 60.0, 80.0, 90.0)),
    PaddedSentence(("we", "missed", "the", "train"), (2, 5, 1, 4, 3, 5), (20.0, 60.0, 10.0, 40.0, 70.0, 90.0)),
    PaddedSentence(("she", "reads", "to", "her", "dog"), (2, 4, 1, 2, 3, 4), (10.0, 50.0, 20.0, 30.0, 40.0, 100.0)),
    PaddedSentence(
        ("nobody", "expects", "snow", "in", "late", "May"), (3, 4, 5, 1, 2, 5), (20.0, 40.0, 80.0, 10.0, 30.0, 60.0)
    ),
)


class MaskedAttention(KernelWidget):
    """Mask positions of a sentence in four designs, and see the gradient of the output into every score.

    Parameters
    ----------
    sentence : int, optional
        Which of the sentences; choosing one keeps its words and masks its padding.
    keep : list of bool, optional
        Which positions count.
    design : {"zero", "renorm", "minusinf", "additive"}, optional
    c : float, optional
        What "additive" adds to the scores that do not count.
    dtype : {"float32", "float64"}, optional
    empty : {"zero", "nan"}, optional
        What "renorm" gives where nothing counts.
    stage : int, optional
        How far the batch below is shown, 0 to 3.

    Notes
    -----
    Weights, outputs and gradients are the kit's, in the chosen dtype, from a recorded tape. The batch is the sentence,
    a shorter one and an empty one; a factor W, shared by all, stands before scores and values, and the loss leaves the
    empty row out with ``where``.
    """

    _front_end = "lesson09.js"

    sentence = Input(traitlets.Int(0, min=0, max=len(SENTENCES) - 1))
    keep: Any = Input(traitlets.List(traitlets.Bool()))
    design = Input(traitlets.Enum(DESIGNS, default_value="zero"))
    c = Input(traitlets.Float(-10.0))
    dtype = Input(traitlets.Enum(("float32", "float64"), default_value="float32"))
    empty = Input(traitlets.Enum(("zero", "nan"), default_value="zero"))
    stage = ViewState(traitlets.Int(0, min=0, max=3))
    sentences: Any = ViewState(traitlets.List([" ".join(s.words) for s in SENTENCES]))

    tokens = Output()
    values = Output()
    before = Output()
    weights = Output()
    grads = Output()
    kept_sum = Output()
    output = Output()
    batch = Output()
    w_grad = Output()
    w_next = Output()

    def __init__(self, **kwargs: Any) -> None:
        self._masked_sentence: int | None = None
        super().__init__(**kwargs)

    def settle_inputs(self) -> None:
        """Mask the padding of a sentence that was just chosen; a mask that was given with the first one stays."""
        sentence = SENTENCES[self.sentence]
        fits = len(self.keep) == len(sentence.counts)
        if not fits or self._masked_sentence not in (None, self.sentence):
            self.keep = sentence.keep
        self._masked_sentence = self.sentence

    def compute_outputs(self) -> dict[str, Any]:
        """The sentence above, the batch below."""
        sentence = SENTENCES[self.sentence]
        shown = {"tokens": sentence.tokens, "values": sentence.values}
        return shown | self._attend(sentence) | self._attend_batch(sentence)

    def _scores(self, sentence: PaddedSentence) -> Any:
        return ak.constant(np.log(np.array(sentence.counts)).astype(self.dtype))

    def _masked_weights(self, scores: Any, keep: Any) -> Any:
        """The weights in the chosen design."""
        if self.design == "zero":
            return ak.nn.softmax(scores) * keep.astype(self.dtype)
        if self.design == "renorm":
            return ak.nn.masked_softmax(scores, keep, empty=self.empty)
        if self.design == "minusinf":
            return ak.nn.masked_softmax(scores, keep, mode="where")
        return ak.nn.masked_softmax(scores, keep, mode="additive", additive=self.c)

    def _attend(self, sentence: PaddedSentence) -> dict[str, Any]:
        keep, scores = np.array(self.keep), self._scores(sentence)
        values = ak.constant(np.array(sentence.values, self.dtype))
        with ak.GradientTape() as tape:
            tape.watch(scores)
            weights = self._masked_weights(scores, keep)
            output = (weights * values).sum()
        return {
            "before": ak.nn.softmax(scores).numpy(),
            "weights": weights.numpy(),
            "grads": tape.gradient(output, scores).numpy() + 0.0,
            "kept_sum": float(weights.numpy()[keep].sum()),
            "output": float(output),
        }

    def _attend_batch(self, sentence: PaddedSentence) -> dict[str, Any]:
        size = len(sentence.counts)
        short = ["stop", "now"]
        rows = [(sentence.tokens, list(self.keep)), (short, [k < 2 for k in range(size)]), ([], [False] * size)]
        keep = np.array([k for _, k in rows])
        shared = ak.Variable(np.ones((), self.dtype), name="W")
        scores, values = self._scores(sentence), np.array(sentence.values, self.dtype)
        with ak.GradientTape(persistent=True) as tape:
            weights = self._masked_weights(ak.broadcast_to(shared * scores, keep.shape), keep)
            outputs = (weights * (shared * values)).sum(-1)
            parts = [outputs[k] for k in range(len(rows))]
            loss = ak.where(keep.any(-1), outputs, 0.0).sum()
        gradient = float(tape.gradient(loss, shared))
        shown = [
            {
                "name": " ".join(t for t in tokens if t != PAD) or "(empty)",
                "tokens": [*tokens, *[PAD] * (size - len(tokens))],
                "keep": kept,
                "weights": weights.numpy()[k],
                "output": float(parts[k]),
                "slope": float(tape.gradient(parts[k], shared)) + 0.0,
            }
            for k, (tokens, kept) in enumerate(rows)
        ]
        return {"batch": shown, "w_grad": gradient, "w_next": 1.0 - STEP * gradient}

    def as_table(self) -> Table:
        """Weights and gradients of the sentence."""
        rows = list(zip(self.tokens, self.keep, self.before, self.weights, self.grads, strict=True))
        caption = (
            f"Design {self.design}, {self.dtype}: kept weights sum to {number(self.kept_sum, 4)}, "
            f"the output is {number(self.output, 4)}"
        )
        return Table(caption, ("token", "kept", "plain weight", "weight", "gradient of score"), [
            (token, bool(kept), *map(float, rest)) for token, kept, *rest in rows
        ])  # fmt: skip

    def static_figure(self) -> Any:
        """Bars and gradients as a still figure."""
        from matplotlib.figure import Figure

        figure = Figure(figsize=(7, 3.2))
        left, right = figure.subplots(1, 2)
        places = np.arange(len(self.tokens))
        shades = ["black" if kept else "0.7" for kept in self.keep]
        left.bar(places, np.nan_to_num(self.weights), color=shades)
        left.bar(places, self.before, fill=False, linestyle="--", edgecolor="0.4")
        left.set_ylabel("weight")
        right.bar(places, np.nan_to_num(self.grads), color="#d55e00")
        right.set_ylabel("gradient of the score")
        for axes in (left, right):
            axes.set_xticks(places, self.tokens, rotation=30)
        return figure
