"""Packing values into one memory arena: values that live at the same time do not overlap, and little is wasted."""

from __future__ import annotations

import numpy as np
import pytest

from autodiff_kit.compile.passes.arena_offsets import offsets_by_size, offsets_by_start, pack_offsets


def need(sizes: list[int], lifetimes: list[tuple[int, int]]) -> int:
    """Bytes in use at the peak."""
    return max(sum(s for s, (a, b) in zip(sizes, lifetimes, strict=True) if a <= t <= b) for t in range(130))


@pytest.mark.parametrize("pack", [offsets_by_size, offsets_by_start])
@pytest.mark.parametrize("seed", range(20))
def test_values_with_overlapping_lifetimes_do_not_overlap(pack: object, seed: int) -> None:
    r = np.random.default_rng(seed)
    begins = r.integers(0, 100, 150)
    lifetimes = [(int(a), int(a + d)) for a, d in zip(begins, r.integers(0, 25, 150), strict=True)]
    sizes = [int(64 * s) for s in r.choice([1, 2, 4, 64], 150)]
    places = pack(sizes, lifetimes)  # type: ignore[operator]
    for i in range(150):
        for j in range(i):
            together = lifetimes[i][0] <= lifetimes[j][1] and lifetimes[j][0] <= lifetimes[i][1]
            apart = places[i] + sizes[i] <= places[j] or places[j] + sizes[j] <= places[i]
            assert apart or not together
    peak = max(p + s for p, s in zip(places, sizes, strict=True))
    assert peak <= (1.3 if pack is offsets_by_start else 1.2) * need(sizes, lifetimes)


@pytest.mark.parametrize("seed", range(20))
def test_short_programs_waste_little_memory(seed: int) -> None:
    r = np.random.default_rng(seed)
    lifetimes = [(int(a), int(a + d)) for a, d in zip(r.integers(0, 30, 20), r.integers(1, 8, 20), strict=True)]
    sizes = [int(64 * s) for s in r.integers(1, 40, 20)]
    places, least = pack_offsets(sizes, lifetimes), need(sizes, lifetimes)
    peak = max(p + s for p, s in zip(places, sizes, strict=True))
    assert peak <= max(p + s for p, s in zip(offsets_by_size(sizes, lifetimes), sizes, strict=True))
    assert peak <= 1.1 * least


def test_a_stack_wastes_no_memory() -> None:
    lifetimes = [(k, 100 - k) for k in range(50)]
    for pack in (offsets_by_size, offsets_by_start):
        places = pack([64] * 50, lifetimes)
        assert max(places) == 49 * 64
