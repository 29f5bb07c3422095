"""Exercise notebooks in the browser: a right answer passes, an untouched one is told kindly what to do."""

from __future__ import annotations

import inspect
import re
from typing import Any

import pytest

from autodiff_kit.exercises.questions.lesson01.jvp_1 import solution as jvp_1
from autodiff_kit.exercises.questions.lesson06.floor_1 import solution as floor_1
from autodiff_kit.exercises.questions.lesson09.mask_1 import solution as mask_1
from autodiff_kit.exercises.questions.lesson15.adam_1 import solution as adam_1

RIGHT = {
    "01_jacobian_vector_products": jvp_1,
    "06_relaxing_floor": floor_1,
    "09_attention_masking": mask_1,
    "15_adam_slots": adam_1,
}
ALL_POINTS = r"Passed: (\d) of \1 points"


def solved(notebook: Any, slug: str) -> tuple[str, str]:
    """What a question's check says of the notebook as it comes, and of the worked answer."""
    book = notebook(f"exercises/{slug}.ipynb")
    book.run_before("q1.check()")
    untouched = book.cell("q1.check()").locator(".jp-OutputArea").inner_text()
    assert book.errors() == []
    book.shot(f"exercise-{slug[:2]}-untouched")
    starter = book.starter_of("q1.check()")
    book.write(starter, inspect.getsource(RIGHT[slug]))
    book.run_before("q1.check()")
    answered = book.cell("q1.check()").locator(".jp-OutputArea").inner_text()
    assert book.errors() == []
    book.shot(f"exercise-{slug[:2]}-solved")
    return untouched, answered


@pytest.mark.slow
def test_a_right_answer_passes(notebook: Any) -> None:
    untouched, answered = solved(notebook, "01_jacobian_vector_products")
    assert "Nothing to check yet" in untouched
    assert re.search(ALL_POINTS, answered)


@pytest.mark.slow
@pytest.mark.parametrize("slug", [slug for slug in RIGHT if not slug.startswith("01")])
def test_in_the_other_notebooks_too(notebook: Any, slug: str) -> None:
    untouched, answered = solved(notebook, slug)
    assert "Nothing to check yet" in untouched
    assert re.search(ALL_POINTS, answered)
