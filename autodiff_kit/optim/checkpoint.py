"""Checkpoints of optimizers: settings and slots in one ``.npz`` file, without pickled code."""

from __future__ import annotations

from collections import Counter
from os import PathLike
from typing import Any

import numpy as np

from autodiff_kit.core.numpy_protocol import canonical
from autodiff_kit.core.variable import Variable
from autodiff_kit.errors import DtypeError, ShapeError, StructureError
from autodiff_kit.optim.inplace import OwnedSlots, Slots

__all__ = ["load_slots", "read_state", "validate_state", "variable_keys", "write_state"]

FORMAT = 1
_METADATA_ENTRY = "autodiff_kit.optimizer"


def write_state(path: str | PathLike[str], state: dict[str, Any]) -> None:
    """Write a state to a file; the file is replaced only when the new one is complete."""
    import json

    from autodiff_kit.nn import npz_file

    slots = state["slots"]
    metadata = {"format": FORMAT, "kind": state["kind"], "settings": state["settings"], "variables": list(slots)}
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
    return {"kind": kind, "settings": settings, "slots": slots}


def validate_state(state: Any, kind: str, wanted: tuple[str, ...]) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
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
    return settings, slots


def _check_slots(key: str, kept: dict[str, Any]) -> None:
    for name, x in kept.items():
        array = np.asarray(x)
        if array.dtype.kind not in "iuf" or (name == "t" and (array.shape or array.dtype.kind == "f")):
            raise StructureError(f"slot {name!r} of {key!r} is damaged: {array.dtype} of shape {array.shape}")


def variable_keys(variables: list[Variable]) -> list[str]:
    """Unique keys for variables in a saved state, in the order of their first steps: their names, numbered if equal."""
    met: Counter[str] = Counter()
    keys = []
    for k, variable in enumerate(variables):
        name = variable.name or f"variable {k}"
        met[name] += 1
        keys.append(f"{name} ({met[name]})" if met[name] > 1 else name)
    return keys


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
