"""Functions of the kit that a question is to be answered without: they refuse while the learner's function runs.

The code of each function is replaced for as long as a call lasts. So neither an alias nor a wrapper gets around it, nor
another function of the kit that calls it, and what is not called costs nothing.
"""

from __future__ import annotations

from contextlib import contextmanager
from functools import cache
from types import FunctionType
from typing import TYPE_CHECKING, Any

import autodiff_kit
from autodiff_kit.errors import StructureError
from autodiff_kit.lessons.translation import translate

from .protocol import LearnerCodeError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import CodeType

__all__ = ["DERIVATIVES", "WithheldFunctions", "find_functions", "format_names", "functions_given_back", "refuse"]

DERIVATIVES = ("ak.GradientTape", "ak.grad", "ak.vjp", "ak.jvp", "ak.ForwardAccumulator")
"""What a question withholds that asks for a derivative as a formula."""


class WithheldFunctions:
    """Context manager in which functions of the kit refuse to run.

    The block then ends in a :class:`LearnerCodeError`, even if the learner's code has caught the refusal.

    Parameters
    ----------
    names : tuple of str
        Functions or classes, such as ``ak.nn.masked_softmax``.
    """

    def __init__(self, names: tuple[str, ...]) -> None:
        self.names = names
        self.refusal: LearnerCodeError | None = None
        self._codes = [
            (function, function.__code__, refusing_code(name, function))
            for name in names
            for function in find_functions(name)
        ]

    def __enter__(self) -> WithheldFunctions:
        open_blocks.append(self)
        self.withhold()
        return self

    def __exit__(self, *_: object) -> None:
        self.give_back()
        open_blocks.remove(self)
        if self.refusal is not None:
            raise self.refusal

    def withhold(self) -> None:
        """Let the functions refuse."""
        for function, _, refusal in self._codes:
            function.__code__ = refusal

    def give_back(self) -> None:
        """Let the functions run."""
        for function, own, _ in self._codes:
            function.__code__ = own


open_blocks: list[WithheldFunctions] = []


@contextmanager
def functions_given_back() -> Iterator[None]:
    """A block of the check's own code inside of a learner's function: what is withheld from the learner runs in it."""
    blocks = list(open_blocks)
    for block in reversed(blocks):
        block.give_back()
    try:
        yield
    finally:
        for block in blocks:
            block.withhold()


def find_functions(name: str) -> list[FunctionType]:
    """The kit's function of a name such as ``ak.nn.masked_softmax``; of a class, its own methods.

    Raises
    ------
    StructureError
        If the kit has no function or class of this name.
    """
    found: Any = autodiff_kit
    for part in name.removeprefix("ak.").split("."):
        found = getattr(found, part, None)
    methods = vars(found).items() if isinstance(found, type) else [(name, found)]
    functions = [one for key, one in methods if isinstance(one, FunctionType) and key != "__del__"]
    if not (name.startswith("ak.") and functions):
        raise StructureError(
            f"A question is to be answered without {name!r}, which is no function or class of the kit. Give the name "
            "as learners write it, such as 'ak.nn.masked_softmax'."
        )
    return functions


@cache
def refusing_code(name: str, function: FunctionType) -> CodeType:
    """Code for the place of a function's own, with as many free variables as Python asks for there."""
    free = ", ".join(f"variable{i}" for i, _ in enumerate(function.__code__.co_freevars))
    source = f"""
def outer({free}):
    def refused(*_, **__):
        {free or None}
        from {__name__} import refuse
        refuse({name!r})
    return refused
"""
    made: dict[str, Any] = {}
    exec(compile(source, __file__, "exec"), made)
    code: CodeType = made["outer"](*free.split(", ") if free else ()).__code__
    return code


def refuse(name: str) -> None:
    """Refuse a call of a withheld function, and note it for the end of the block."""
    block = open_blocks[-1]
    text = translate("Your code calls `{name}`. This question is to be answered without {names}.")
    block.refusal = LearnerCodeError(text.format(name=name, names=format_names(block.names)))
    raise block.refusal


def format_names(names: tuple[str, ...]) -> str:
    """Names as words: ``a``, ``b`` and ``c``."""
    *others, last = (f"`{name}`" for name in names)
    return translate("{names} and {last}").format(names=", ".join(others), last=last) if others else last
