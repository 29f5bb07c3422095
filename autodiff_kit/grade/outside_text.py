"""Text from outside: names of files, messages of exceptions, words of a sandbox. Cleaned once, at the border.

What is cleaned can be written as UTF-8, stands on the lines that it seems to stand on, reads in the order in which it
is written, and has a bounded length. Names stay distinct: what cannot be shown is spelled out, not replaced.
"""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Iterable
from typing import Final

__all__ = ["clean_name", "clean_text", "file_names", "name_order"]

MAX_NAME: Final = 120
MAX_FILE_NAME_BYTES: Final = 100
# Control, format (direction marks, zero width), surrogate, private and unassigned characters; separators of lines.
UNSEEN: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
JOINERS: Final = "\u200c\u200d"  # letters of some scripts and emoji are joined by them; harmless within a text
UNSAFE_IN_FILE_NAMES: Final = frozenset('/\\:*?"<>|%')


def clean_text(value: object, most: int) -> str:
    """Text for a message: unseen characters become U+FFFD, and what is longer than ``most`` is cut.

    Parameters
    ----------
    value : object
        Text; for anything else the empty string, because no method of an unknown object is called.
    most : int
        Largest length in characters.

    Returns
    -------
    str
        Line breaks stay, as line feeds.
    """
    if type(value) is not str:
        return ""
    cut = value[: most + 1]
    found = "".join(map(_seen, cut.replace("\r\n", "\n").replace("\r", "\n")))
    return found if len(cut) <= most else f"{found[: most - 1]}…"


def _seen(c: str) -> str:
    if c in "\n\t" or c in JOINERS or unicodedata.category(c) not in UNSEEN:
        return c
    return "\ufffd"


def clean_name(name: str) -> str:
    """A learner's name as it can be shown; different names stay different.

    Parameters
    ----------
    name : str
        The name of a file or folder, which may hold surrogates, control characters and marks of direction.

    Returns
    -------
    str
        Unseen characters are spelled ``⟨U+202E⟩``; a name of more than 120 characters ends in a hash of all of it.
    """
    shown = "".join(f"⟨U+{ord(c):04X}⟩" if _must_be_spelled(c) else c for c in name)
    if len(shown) <= MAX_NAME:
        return shown
    return f"{shown[: MAX_NAME - 14]}…{_short_hash(name)}"


def _must_be_spelled(c: str) -> bool:
    return c in "⟨…" or unicodedata.category(c) in UNSEEN


def file_names(names: Iterable[str]) -> dict[str, str]:
    """A file name, without suffix, for each name; no two are equal, also where case is ignored.

    Parameters
    ----------
    names : iterable of str
        Names of learners.

    Returns
    -------
    dict of str to str
        The name itself where it can be a file's name everywhere; otherwise a part of it and a hash.
    """
    found: dict[str, str] = {}
    taken: set[str] = set()
    for name in sorted(set(names), key=lambda one: (one != one.casefold(), one)):  # a capital takes nobody's file
        unique = plain = _plain_file_name(name)
        if plain != name or plain.casefold() in taken:
            unique = f"{plain}-{_short_hash(name)}"
        while unique.casefold() in taken:  # somebody is named like another's hash
            unique = f"{plain}-{_short_hash(unique)}"
        taken.add(unique.casefold())
        found[name] = unique
    return found


def name_order(name: str) -> tuple[str, str]:
    """The place of a name in a list that people read: accents and case count last.

    Examples
    --------
    >>> sorted(["Zoe", "Åberg", "adams", "Murphy", "Müller"], key=name_order)
    ['Åberg', 'adams', 'Müller', 'Murphy', 'Zoe']
    """
    letters = (c for c in unicodedata.normalize("NFKD", name) if not unicodedata.combining(c))
    return "".join(letters).casefold(), name


def _plain_file_name(name: str) -> str:
    """The characters of a name that a file name may have on every system, at most 100 bytes of them."""
    safe = "".join("_" if c in UNSAFE_IN_FILE_NAMES or unicodedata.category(c) in UNSEEN else c for c in name)
    safe = safe.encode("utf-8", "replace")[:MAX_FILE_NAME_BYTES].decode("utf-8", "ignore")
    return safe.strip(" .") or "learner"


def _short_hash(name: str) -> str:
    return hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:12]
