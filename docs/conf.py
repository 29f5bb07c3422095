"""How Sphinx builds the book and its reference: `make docs`. Nothing is fetched while it runs, or by its pages."""

from __future__ import annotations

import sys
from dataclasses import is_dataclass
from functools import cache
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parent))

import book
import compile_pictures
import mathml
import pages

from autodiff_kit import __version__
from website import address

project = "autodiff_kit"
author = "The autodiff_kit contributors"
copyright = author
release = version = __version__

extensions = ["sphinx.ext.autodoc", "sphinx.ext.autosummary", "numpydoc", "myst_nb"]
exclude_patterns = ["_build"]
nitpicky = True  # a reference to a name that is not there is an error, like every other warning
autosummary_generate = False
autodoc_typehints = "none"  # the section Parameters says what is taken, in words
autodoc_member_order = "bysource"
numpydoc_show_class_members = False

myst_enable_extensions = ["deflist", "dollarmath", "substitution"]
# Within the site, the site is near; a book alone names where it is published.
first_page = "index.html" if tags.has("site") else address.read().site  # noqa: F821 - Sphinx gives it
myst_substitutions = {**compile_pictures.figures(), "site": f'<a href="{first_page}">the site</a>'}
myst_heading_anchors = 2
nb_execution_mode = "off"  # lessons are shown as they were run, and nbval has compared what they print
html_math_renderer = "mathml"

html_theme = "furo"
html_static_path = ["static"]
html_css_files = ["book.css"]
if tags.has("site"):  # noqa: F821 - Sphinx gives it: the book is part of the static site (`make site`)
    html_js_files = [("../offline.js", {"type": "module"})]
html_title = f"autodiff_kit {version}"
html_copy_source = False
html_show_sourcelink = False
html_show_copyright = False


@cache
def paths() -> list[str]:
    """Every name that has an entry, members among them."""
    return [path for n in pages.public() for path in (n.path, *(f"{n.path}.{member}" for member in n.members))]


def find(app: Any, env: Any, node: Any, contents: Any) -> Any:
    """Docstrings name things as a user does, without their module: the one public name that ends so is meant."""
    found = [path for path in paths() if path.endswith(f".{node.get('reftarget')}")]
    if node.get("refdomain") != "py" or len(found) != 1:
        return None
    python = env.get_domain("py")
    return python.resolve_xref(env, node["refdoc"], app.builder, "obj", found[0], node, contents)


def shorten(app: Any, what: str, name: str, thing: Any, options: Any, signature: str | None, gives: str | None) -> Any:
    """Results are given, not made by hand: their attributes are told, and how they are made is nobody's business."""
    told = what == "class" and is_dataclass(thing) and "Attributes\n" in (thing.__doc__ or "")
    return ("", gives) if told else None


def setup(app: Any) -> None:
    """Write the pages before Sphinx looks for them."""
    pages.write(Path(app.srcdir) / "reference")
    book.write(Path(app.srcdir), site=app.tags.has("site"))
    compile_pictures.write(Path(app.srcdir) / "_build" / "inside")
    app.add_html_math_renderer("mathml", inline_renderers=(mathml.inline, None), block_renderers=(mathml.block, None))
    app.connect("autodoc-process-signature", shorten)
    app.connect("missing-reference", find)
