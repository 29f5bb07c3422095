"""Formulas become MathML when the book is built: browsers draw it themselves, so that no page fetches a script."""

from __future__ import annotations

from typing import Any

from docutils.nodes import Element, SkipNode
from latex2mathml.converter import convert


def inline(translator: Any, node: Element) -> None:
    """Put a formula into a line of text."""
    translator.body.append(convert(node.astext(), display="inline"))
    raise SkipNode


def block(translator: Any, node: Element) -> None:
    """Put a formula on a line of its own."""
    translator.body.append(f'<div class="formula">{convert(node.astext(), display="block")}</div>\n')
    raise SkipNode
