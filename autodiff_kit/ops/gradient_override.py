"""Named gradients, and blocks inside which an operation uses the gradient of another one."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from autodiff_kit.core.operation import OPS, Op
from autodiff_kit.core.record import ACTIVE_MODES
from autodiff_kit.core.validation import check_callable, check_text, describe
from autodiff_kit.errors import ArgumentError, DuplicateNameError, UnknownGradientError

__all__ = ["gradient_override_map", "register_gradient"]

Rule = Callable[..., Any]

_RULES: dict[str, Rule] = {}
"""Gradients that users registered."""


def register_gradient(name: str) -> Callable[[Rule], Rule]:
    """Register a gradient under a name, for use in :func:`gradient_override_map`.

    Parameters
    ----------
    name : str
        A new name; the name of an operation that has a gradient, such as ``"Identity"``, stands for that gradient.

    Returns
    -------
    callable
        A decorator for ``rule(g, ans, *inputs, **params)``, which returns the gradient of each input, or one value
        for a single input.

    Raises
    ------
    DuplicateNameError
        If the name is already registered (the message says where), or is that of an operation with a gradient.

    Notes
    -----
    A function that a notebook defines again, under the same name, replaces the earlier one, so that a cell can be run
    twice.

    Examples
    --------
    >>> @ak.register_gradient("FiveTimes")
    ... def five_times(g, ans, x):
    ...     return 5.0 * g
    """
    check_text("the name of a gradient", name)

    def decorate(rule: Rule) -> Rule:
        check_callable(f"the gradient {name!r}", rule)
        if name in OPS and _has_gradient(OPS[name]):
            raise DuplicateNameError(f"{name!r} is an operation and stands for its gradient; choose another name")
        if name in _RULES and not _defined_again(_RULES[name], rule):
            raise DuplicateNameError(f"a gradient named {name!r} is registered already, at {_location(_RULES[name])}")
        _RULES[name] = rule
        return rule

    return decorate


def _has_gradient(op: Op) -> bool:
    return op.vjps is not None or op.vjp_all is not None


def _defined_again(old: Rule, new: Rule) -> bool:
    named = [(getattr(rule, "__module__", None), getattr(rule, "__qualname__", None)) for rule in (old, new)]
    return named[0] == named[1] and named[0][0] == "__main__"


def _location(rule: Rule) -> str:
    code = getattr(rule, "__code__", None)
    return f"{code.co_filename}:{code.co_firstlineno}" if code else repr(rule)


def _nearest(name: str) -> str:
    import difflib

    near = difflib.get_close_matches(name, [*OPS, *_RULES], n=1, cutoff=0.0)
    return f"; the nearest name is {near[0]!r}" if near else ""


def _replacement(op: Op, name: str) -> Op:
    """A copy of ``op`` with the gradient that is registered as ``name``."""
    if name in _RULES:
        return Op(op.name, op.value, vjp_all=_RULES[name], user_defined=True, family="general")
    source = OPS.get(name)
    if source is None:
        raise UnknownGradientError(
            f"no gradient is registered as {name!r}{_nearest(name)}. Register one with @ak.register_gradient({name!r})."
        )
    if not _has_gradient(source):
        raise UnknownGradientError(
            f"no gradient is registered as {name!r}, and the operation of that name has none. Name an operation that "
            f"has one, such as 'Identity', or register one with @ak.register_gradient({name!r})."
        )
    _check_fits(op, source)
    return Op(op.name, op.value, vjps=source.vjps, jvp=source.jvp, vjp_all=source.vjp_all, family=source.family)


def _check_fits(op: Op, source: Op) -> None:
    """Raise if the rules of ``source`` cannot take the inputs and parameters of ``op``."""
    names, others = (list(inspect.signature(each.value).parameters) for each in (op, source))
    count = 1 if source.vjps is None else len(source.vjps)
    fits = op.vjps is None or len(op.vjps) == count
    if "arrays" in (names[0], others[0]):  # any number of inputs, with one rule for all
        fits = names == others
    else:
        fits = fits and all(_takes(rule, count, names[count:]) for rule in source.vjps or ())
    if not fits:
        raise ArgumentError(
            f"gradient_override_map: {op.key!r} takes ({', '.join(names)}), and the gradient of {source.key!r} is for "
            f"({', '.join(others)}). Register a rule with @ak.register_gradient and give its name instead."
        )


def _takes(rule: Rule, inputs: int, params: list[str]) -> bool:
    try:
        inspect.signature(rule).bind(*[None] * (2 + inputs), **dict.fromkeys(params))
    except TypeError:
        return False
    return True


@contextmanager
def gradient_override_map(mapping: dict[str, str]) -> Iterator[None]:
    """Replace gradients inside a block: values stay the same, the backward pass changes.

    Parameters
    ----------
    mapping : dict of str to str
        Name of an operation -> name of a registered gradient, or of the operation whose gradient to use.

    Raises
    ------
    UnknownGradientError
        If no operation or gradient has that name; the message suggests the nearest name. If the operation of that name
        has no gradient.
    ArgumentError
        If the gradient is for other inputs or parameters than those of the operation.

    Notes
    -----
    The map belongs to the process, not to a thread: leave the block before other threads compute.

    Examples
    --------
    >>> x = ak.Variable([1.7, 2.3])
    >>> with ak.GradientTape() as tape, ak.gradient_override_map({"Floor": "Identity"}):
    ...     y = ak.floor(x)
    >>> tape.gradient(y, x).numpy()
    array([1., 1.])
    """
    if not isinstance(mapping, dict):
        raise ArgumentError(
            f'gradient_override_map takes a dict such as {{"Floor": "Identity"}}, got {describe(mapping)}'
        )
    for key, name in mapping.items():
        check_text("the name of a gradient", name)
        if check_text("the name of an operation", key) not in OPS:
            raise UnknownGradientError(f"no operation is named {key!r}{_nearest(key)}")
    replacements = {key: _replacement(OPS[key], name) for key, name in mapping.items()}
    before = {key: OPS[key].active for key in mapping}
    ACTIVE_MODES.append(mapping)
    try:
        for key, op in replacements.items():
            OPS[key].active = op
        yield
    finally:
        ACTIVE_MODES.remove(mapping)
        for key, op in before.items():
            OPS[key].active = op
