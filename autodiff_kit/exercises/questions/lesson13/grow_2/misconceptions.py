"""A chain of layers whose calls and stored values are counted, for checkpointing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autodiff_kit.exercises.protocol import Callback, CallbackNamespace, LearnerCodeError
from autodiff_kit.lessons.translation import translate

Array = np.ndarray[Any, Any]


# ------------------------------------------------------------------------------------------------------------- grow-2
class InstrumentedLayerChain:
    """Layers y -> sin(c y) + 0.3 y with their slopes, passed as callbacks, and a store that counts what it holds."""

    def __init__(self, rng: np.random.Generator, n: int, k: int = 0) -> None:
        self.k = k  # for a message alone
        self.c = rng.uniform(0.5, 1.5, n)
        self.x = float(rng.uniform(0.2, 1))
        self.kept: dict[int, float] = {}
        self.peak, self.calls, self.strange = 0, 0, ""
        self.calls_of = [0] * n
        self.order: list[int] = []  # the layers whose derivative was asked for
        self.last = self.x  # the one value that may be held beside the store

    def layer(self, i: int, y: float) -> float:
        """The value of layer i at y."""
        return float(np.sin(self.c[i] * y) + 0.3 * y)

    def slope(self, i: int, y: float) -> float:
        """Its slope there."""
        return float(self.c[i] * np.cos(self.c[i] * y) + 0.3)

    def along(self) -> Array:
        """The input of each layer, and the output."""
        y = [self.x]
        for i in range(len(self.c)):
            y.append(self.layer(i, y[-1]))
        return np.array(y)

    def callbacks(self) -> tuple[list[Callback], list[Callback], CallbackNamespace]:
        """Arguments of the learner's function: layers, slopes and the store."""
        n = range(len(self.c))
        fs = [Callback(lambda y, i=i: self._called(i, _require_float(y)), f"fs[{i}]") for i in n]
        slopes = [Callback(lambda y, i=i: self._asked(i, _require_float(y)), f"slopes[{i}]") for i in n]
        members: dict[str, Callable[..., object]] = {"put": self._put, "get": self._get, "drop": self._drop}
        return (
            fs,
            slopes,
            CallbackNamespace("store", {name: Callback(f, f"store.{name}") for name, f in members.items()}),
        )

    def _called(self, i: int, y: float) -> float:
        self._known(y, f"fs[{i}]")
        self.calls += 1
        self.calls_of[i] += 1
        self.last = self.layer(i, y)
        return self.last

    def _asked(self, i: int, y: float) -> float:
        self._known(y, f"slopes[{i}]")
        self.order.append(i)
        return self.slope(i, y)

    def _known(self, y: float, what: str) -> None:
        if y != self.last and y not in self.kept.values() and not self.strange:
            self.strange = what

    def _put(self, key: object, value: object) -> None:
        self.kept[_require_int(key)] = _require_float(value)
        self.peak = max(self.peak, len(self.kept))

    def _get(self, key: object) -> float:
        k = _require_int(key)
        if k not in self.kept:
            text = translate("store.get({k}): there is no value {k} in the store; it has {keys}.", "lesson13")
            words = text.format(k=k, keys=sorted(self.kept))
            if k >= len(self.c) or (self.k and len(self.c) % self.k and k > len(self.c) - len(self.c) % self.k):
                hint = translate("With n = {n} and k = {block} the last block has {rest} layers.", "lesson13")
                words += " " + hint.format(n=len(self.c), block=self.k, rest=len(self.c) % self.k or self.k)
            raise LearnerCodeError(words)
        self.last = self.kept[k]
        return self.last

    def _drop(self, key: object) -> None:
        self.kept.pop(_require_int(key), None)


def _require_float(value: object) -> float:
    return float(np.asarray(value).reshape(()))


def _require_int(value: object) -> int:
    return int(np.asarray(value).reshape(()))
