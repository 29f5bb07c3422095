"""Names whose module is imported when they are first asked for: a first gradient needs few of the kit's modules."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

__all__ = ["LazyAttribute", "lazy_names"]


def lazy_names(package: str, modules: Mapping[str, str]) -> Callable[[str], Any]:
    """The ``__getattr__`` of a package whose names are imported on demand.

    Parameters
    ----------
    package : str
        The package's ``__name__``.
    modules : mapping of str to str
        The module of each name, below the package. A module of the same name is itself what the name stands for.

    Returns
    -------
    callable
        It sets the package's attribute, so that Python calls it once for each name.
    """

    def get(name: str) -> Any:
        if name not in modules:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module = import_module(f"{package}.{modules[name]}")
        found = module if name == modules[name] else getattr(module, name)
        setattr(import_module(package), name, found)
        return found

    return get


class LazyAttribute:
    """An attribute of a class that a module sets when it is imported, which happens at the first access.

    Parameters
    ----------
    module : str
        Its import replaces this object.
    name : str
        The attribute's name.
    """

    def __init__(self, module: str, name: str) -> None:
        self.module, self.name = module, name

    def __get__(self, instance: Any, owner: type) -> Any:
        import_module(self.module)
        return getattr(owner if instance is None else instance, self.name)
