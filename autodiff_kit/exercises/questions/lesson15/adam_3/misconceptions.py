"""Adam with frozen entries, as each misconception freezes them."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..shared import Slots, adam_with_mistake
from . import solution


def freeze_zeroing(w: Any, g: Any, slots: Slots, mask: Any, **constants: Any) -> Any:
    """Zero the frozen gradients and hope."""
    return adam_with_mistake(w, np.where(mask, 0, g), slots, **constants)


def freeze_step(w: Any, g: Any, slots: Slots, mask: Any, **constants: Any) -> Any:
    """Keep w, and let the slots decay."""
    moved, new = adam_with_mistake(w, np.where(mask, 0, g), slots, **constants)
    return np.where(mask, w, moved), new


def freeze_value(w: Any, g: Any, slots: Slots, mask: Any, **constants: Any) -> Any:
    """Put w back, and let the slots learn."""
    moved, new = adam_with_mistake(w, g, slots, **constants)
    return np.where(mask, w, moved), new


def freeze_forgetting(w: Any, g: Any, slots: Slots, mask: Any, **constants: Any) -> Any:
    """Freeze w and throw the frozen slots away."""
    moved, new = solution.frozen_step(w, g, slots, mask, **constants)
    return moved, {**new, "m": np.where(mask, 0, new["m"]), "v": np.where(mask, 0, new["v"])}


def freeze_others(w: Any, g: Any, slots: Slots, mask: Any, **constants: Any) -> Any:
    """Freeze where the mask is false."""
    return solution.frozen_step(w, g, slots, ~mask, **constants)


def freeze_by_weights(w: Any, g: Any, slots: Slots, mask: Any, **constants: Any) -> Any:
    """Weigh old and new by the mask as numbers."""
    moved, new = adam_with_mistake(w, g, slots, **constants)
    kept = mask.astype(float)
    m, v = (kept * slots[name] + (1 - kept) * new[name] for name in ("m", "v"))
    return kept * w + (1 - kept) * moved, {"m": m, "v": v, "t": new["t"]}


def freeze_without_counting(w: Any, g: Any, slots: Slots, mask: Any, **constants: Any) -> Any:
    """Freeze rightly, and give the old t back."""
    moved, new = solution.frozen_step(w, g, slots, mask, **constants)
    return moved, {**new, "t": slots["t"]}
