"""Checkpoints of optimizers: settings and slots in one ``.npz`` file, without pickled code."""

from __future__ import annotations

import zlib
from collections.abc import Iterable
from os import PathLike
from typing import Any, NamedTuple

import numpy as np

from autodiff_kit.core.numpy_protocol import canonical
from autodiff_kit.core.variable import Variable
from autodiff_kit.errors import DtypeError, ShapeError, StructureError
from autodiff_kit.optim.inplace import OwnedSlots, Slots

__all__ = [
    "SavedSlots",
    "checksum",
    "load_slots",
    "match_variables",
    "read_state",
    "validate_state",
    "variable_keys",
    "write_state",
]

FORMAT = 1
_METADATA_ENTRY = "autodiff_kit.optimizer"


def write_state(path: str | PathLike[str], state: dict[str, Any]) -> None:
    """Write a state to a file; the file is replaced only when the new one is complete."""
    import json

    from autodiff_kit.nn import npz_file

    slots = state["slots"]
    metadata = {"format": FORMAT, "kind": state["kind"], "settings": state["settings"], "variables": list(slots)}
    metadata["values"] = state["values"]
    entries = {_METADATA_ENTRY: np.frombuffer(json.dumps(metadata).encode(), np.uint8)}
    for place, kept in enumerate(slots.values()):
        entries |= {f"{place}/{name}": x for name, x in kept.items()}
    npz_file.write_arrays(path, entries)


def read_state(path: str | PathLike[str]) -> dict[str, Any]:
    """Read a state from a file."""
    from autodiff_kit.nn import npz_file

    source, found = str(path), npz_file.read_arrays(path, "optimizer")
    if _METADATA_ENTRY not in found:
        raise StructureError(
            f"{source!r} is an archive of arrays, but was not saved by an optimizer; read it with np.load"
        )
    return _parse_state(source, found)


def _parse_state(source: str, found: dict[str, Any]) -> dict[str, Any]:
    import json

    try:
        metadata = json.loads(found.pop(_METADATA_ENTRY).tobytes())
        version, kind, settings, variables = (metadata[k] for k in ("format", "kind", "settings", "variables"))
        slots: dict[str, dict[str, Any]] = {str(key): {} for key in variables}
        keys = list(slots)
        for name, x in found.items():
            place, slot = name.split("/", 1)
            slots[keys[int(place)]][slot] = x
    except (ValueError, KeyError, IndexError, TypeError) as error:
        raise StructureError(f"{source!r} is damaged: its metadata do not fit its arrays ({error})") from error
    if version != FORMAT:
        raise StructureError(
            f"{source!r} has format {version}, but this kit reads format {FORMAT}; read it with the version of the "
            "kit that wrote it"
        )
    return {"kind": kind, "settings": settings, "slots": slots, "values": metadata.get("values", {})}


class SavedSlots(NamedTuple):
    """The slots of a variable in a saved state, with what tells it from others.

    Attributes
    ----------
    name : str or None
        The variable's own name, which others may have too; None for one without a name.
    value : int or None
        The checksum of its value when the state was saved; None where the state does not say.
    slots : dict
    """

    name: str | None
    value: int | None
    slots: Slots


def checksum(value: Any) -> int:
    """A number that tells values apart."""
    return zlib.crc32(np.ascontiguousarray(value).tobytes())


def validate_state(state: Any, kind: str, wanted: tuple[str, ...]) -> tuple[dict[str, Any], dict[str, SavedSlots]]:
    """Settings and slots of a valid state of this class of optimizer; otherwise an error."""
    if not isinstance(state, dict) or not isinstance(state.get("kind"), str):
        raise StructureError(f"a state must come from state_dict(); got a {type(state).__name__} without 'kind'")
    if state["kind"] != kind:
        raise StructureError(f"this is the state of {state['kind']}, not of {kind}")
    settings, slots = state.get("settings"), state.get("slots")
    if not isinstance(settings, dict) or set(settings) != set(wanted):
        raise StructureError(f"a state of {kind} must have the settings {', '.join(wanted)}; got {settings!r}")
    if not isinstance(slots, dict) or not all(isinstance(s, dict) for s in slots.values()):
        raise StructureError("the slots of a state must be a dict that maps each variable to a dict of slots")
    for name, value in settings.items():
        if not isinstance(value, (bool, int, float)):
            raise StructureError(f"setting {name!r} of a state must be a number, got {value!r}")
    for key, kept in slots.items():
        _check_slots(key, kept)
    values = state.get("values", {})  # older states have none
    if not isinstance(values, dict) or not all(
        isinstance(pair, (list, tuple)) and len(pair) == 2 for pair in values.values()
    ):
        raise StructureError("the values of a state must be a dict that maps each variable to its name and a checksum")
    saved = {}
    for key, kept in slots.items():
        name, value = values.get(key, (key, None))
        saved[key] = SavedSlots(name, value, kept)
    return settings, saved


def _check_slots(key: str, kept: dict[str, Any]) -> None:
    for name, x in kept.items():
        array = np.asarray(x)
        if array.dtype.kind not in "iuf" or (name == "t" and (array.shape or array.dtype.kind == "f")):
            raise StructureError(f"slot {name!r} of {key!r} is damaged: {array.dtype} of shape {array.shape}")


def variable_keys(variables: Iterable[Variable], taken: Iterable[str] = ()) -> list[str]:
    """Unique keys for variables in a saved state, in the order of their first steps: their names, numbered if equal."""
    used, keys = set(taken), list[str]()
    for k, variable in enumerate(variables):
        name = key = variable.name or f"variable {k}"
        number = 1
        while key in used:
            number += 1
            key = f"{name} ({number})"
        used.add(key)
        keys.append(key)
    return keys


def match_variables(known: list[Variable], new: list[Variable], saved: dict[str, SavedSlots]) -> dict[str, Variable]:
    """The variable of each key of a saved state, among new ones, which step after the known ones.

    Equal names are told apart by the values that the variables had when the state was saved. Where these were not
    restored, variables of one name are taken in the order of their first steps.
    """
    found: dict[str, Variable] = {}
    keys = dict(zip(map(id, new), variable_keys([*known, *new])[len(known) :], strict=True))
    rest = []
    for variable in new:
        value = checksum(variable._value)
        same = [k for k, s in saved.items() if k not in found and s.name == variable.name and s.value == value]
        same = same if keys[id(variable)] not in same else [keys[id(variable)]]
        if same:
            found[same[0]] = variable
        else:
            rest.append(variable)
    for variable in rest:
        own = keys[id(variable)]
        left = [k for k, s in saved.items() if k not in found and (k == own or s.name == variable.name)]
        if left:
            found[own if own in left else left[0]] = variable
    return found


def load_slots(variable: Variable, key: str, found: Slots) -> OwnedSlots:
    """Copies of loaded slots, if they have the shape of their variable and its dtype in steps, else an error."""
    dtype = np.promote_types(variable.dtype, np.float32)
    for name, x in found.items():
        if name != "t" and np.shape(x) != variable.shape:
            raise ShapeError(f"variable {key!r} has shape {variable.shape}, but its slot {name!r} has {np.shape(x)}")
        if name != "t" and np.asarray(x).dtype != dtype:
            raise DtypeError(f"variable {key!r} needs slots of dtype {dtype}, but its slot has {np.asarray(x).dtype}")
    return OwnedSlots(
        {name: int(x) if name == "t" else canonical(np.array(x, order="C")[()]) for name, x in found.items()}
    )
