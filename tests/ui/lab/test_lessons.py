from __future__ import annotations

from typing import Any


def test_lesson_01(notebook: Any) -> None:
    book = notebook("notebooks/01_jacobian_vector_products.ipynb")
    book.shot("01-before")
    book.run_before('predict("vector-target")')
    box = book.cell('predict("vector-target")').locator(".ak-predict")
    box.locator("label:has-text('the 3×3 matrix')").click()
    box.locator("button:text-is('Commit my answer')").click()
    box.locator("text=Locked: the 3×3 matrix").wait_for()
    book.shot("01-committed")
    book.run_after('predict("vector-target")')
    assert book.errors() == []
    assert book.not_run() == 0
    book.shot("01-run")
    print(book.printed('reveal("jv"'), box.inner_text())
    print(book.complaints)
