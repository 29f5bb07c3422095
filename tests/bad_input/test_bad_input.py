"""Bad input of every public function: for any arguments, the result is a value or a helpful error.

A call takes some sensible arguments and some nonsense. It may return a value, raise an error of the kit, or pass on the
error of a function that the caller wrote. A TypeError of Python is allowed only if a plain function gets too many
arguments, too few, or an unknown name. A call must not hang, change its arguments, leave a tape open, or fill memory.
"""

from __future__ import annotations

import random
import re
import resource
from contextlib import chdir
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autodiff_kit.ops import gradient_override

from .calls import CALLS, OBJECTS, attempt


def test_every_public_name_is_called() -> None:
    """The walk finds the names in the public lists, with methods and operators."""
    assert {
        "autodiff_kit.matmul",
        "autodiff_kit.nn.dropout",
        "PersistentTape.jacobian",
        "Adam.set_slot",
    } <= CALLS.keys()
    assert {"Tensor add", "add Tensor", "Variable.assign", "ForwardAccumulator.jvp", "Dense.__call__"} <= CALLS.keys()
    assert len(CALLS) > 600


FAMILIES = [
    *(f"autodiff_kit.{part}" for part in ("nn", "nn.segment", "nn.relax", "optim", "nn.layers")), *OBJECTS, "operators",
    *("a-c", "d-g", "h-l", "m-n", "o-r", "s", "t-z"),
]  # fmt: skip


def members(family: str) -> list[str]:
    if family == "operators":
        return [name for name in CALLS if " " in name and "." not in name]
    if len(family) <= 3 and family[0].islower():
        first, last = family[0], family[-1]
        top = [name for name in CALLS if re.fullmatch(r"autodiff_kit\.\w+", name)]
        return [name for name in top if first <= name.split(".")[1][0].lower() <= last]
    return [name for name in CALLS if name.rpartition(".")[0] == family]


def test_the_families_cover_all_names() -> None:
    assert sorted(name for family in FAMILIES for name in members(family)) == sorted(CALLS)


@pytest.mark.parametrize("family", FAMILIES)
@given(seed=st.integers(0, 10**9))
def test_nonsense_gives_a_value_or_an_error_of_the_kit(family: str, seed: int, tmp_path_factory: Any) -> None:
    """Each example calls each member once; its arguments depend on its name and the seed only."""
    rules, before = dict(gradient_override._RULES), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with chdir(tmp_path_factory.getbasetemp()):
        found = [c for name in members(family) if (c := attempt(name, random.Random(f"{name} {seed}")))]
    gradient_override._RULES.clear()
    gradient_override._RULES.update(rules)
    assert not found, "\n".join(found)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 500_000, "half a gigabyte for nothing"
