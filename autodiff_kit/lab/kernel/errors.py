"""The inspector's error replies, and the validation of a request's arguments."""

from __future__ import annotations

from typing import Any

from autodiff_kit.errors import AutodiffError

__all__ = ["InspectorError", "error_text", "int_argument"]


class InspectorError(Exception):
    """A request that cannot be answered; the reply is ``error: {code, text, do}``, and nothing is raised to the user.

    Parameters
    ----------
    code : str
        One word for the front end: "message", "ask", "tape", "released", "node", "argument", "none", "failed".
    text, do : str
        The error, and what to do.
    """

    def __init__(self, code: str, text: str, do: str = "") -> None:
        super().__init__(text)
        self.code, self.text, self.do = code, text, do

    def message(self) -> dict[str, str]:
        """The error as in a reply."""
        return {"code": self.code, "text": self.text, "do": self.do}


def error_text(error: Exception) -> str:
    """The text of an error that a rule or hook raised, with its class if it is not an error of the kit."""
    return str(error) if isinstance(error, AutodiffError) else f"{type(error).__name__}: {error}"


def int_argument(message: dict[str, Any], name: str, least: int, most: int, otherwise: int | None = None) -> int:
    """An integer argument of a request, checked against its bounds.

    Raises
    ------
    InspectorError
        If it is missing, not an integer, or out of its bounds.
    """
    value = message.get(name, otherwise)
    value = otherwise if value is None else value
    if type(value) is not int or not least <= value <= most:
        code = "node" if name in ("node", "target", "source") else "argument"
        raise InspectorError(code, f"{name} must be an integer from {least} to {most}, got {value!r}.")
    return value
