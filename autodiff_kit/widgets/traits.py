"""Trait declarations of a widget: inputs, view state and outputs.

A widget declares each synchronised trait once, with its role; the base class derives from the roles which traits an
answer depends on, and tells the front end which traits to redraw for.
"""

from __future__ import annotations

from typing import Any, TypeVar

import traitlets

from autodiff_kit.widgets.json_encoding import encode

__all__ = ["Input", "Output", "ViewState", "names_by_role"]

Trait = TypeVar("Trait", bound="traitlets.TraitType[Any, Any]")
ROLES = ("input", "view", "output")


def Input(trait: Trait) -> Trait:
    """A trait that the outputs depend on: a change of it is answered with new outputs.

    Parameters
    ----------
    trait : traitlets.TraitType
        The trait with its default value and bounds, such as ``traitlets.Float(1.0, min=0.0)``.

    Returns
    -------
    traitlets.TraitType
        The same trait, synchronised with the front end.
    """
    trait.tag(sync=True, role="input")
    return trait


def ViewState(trait: Trait) -> Trait:
    """A trait that says what is shown, such as the step of an animation: the front end redraws, nothing is computed.

    Parameters
    ----------
    trait : traitlets.TraitType

    Returns
    -------
    traitlets.TraitType
        The same trait, synchronised with the front end.
    """
    trait.tag(sync=True, role="view")
    return trait


def Output(default: Any = None) -> Any:
    """A trait that the kernel computes and the front end draws.

    Parameters
    ----------
    default : object, optional

    Returns
    -------
    traitlets.Any
        Sent as JSON: arrays as lists, nan and infinities as words (:func:`encode`).
    """
    return traitlets.Any(default).tag(sync=True, role="output", to_json=lambda value, _widget: encode(value))


def names_by_role(cls: type) -> dict[str, list[str]]:
    """The names of a class's declared traits for each role, base classes first, in the order of their definition."""
    found: dict[str, str] = {}
    for base in reversed(cls.__mro__):
        for name, trait in vars(base).items():
            if isinstance(trait, traitlets.TraitType) and trait.metadata.get("role") in ROLES:
                found[name] = trait.metadata["role"]
    return {role: [name for name, its_role in found.items() if its_role == role] for role in ROLES}
