"""Timestamps: the present moment in UTC as text, and the parser of ISO 8601 text."""

from __future__ import annotations

from datetime import UTC, datetime

__all__ = ["parse_timestamp", "timestamp_for_file_name", "utc_now"]


def utc_now() -> str:
    """Return the present moment as ISO 8601 text in UTC, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def timestamp_for_file_name() -> str:
    """Return the present moment for use in a file's name, such as ``20261121-134501`` (UTC)."""
    return datetime.now(UTC).strftime("%Y%m%d-%H%M%S")


def parse_timestamp(text: str) -> datetime:
    """Parse an ISO 8601 timestamp and convert it to UTC.

    Parameters
    ----------
    text : str
        Such as ``2026-11-30T23:59+01:00``. A time without a zone is taken as UTC. The zone may also be written
        as ``UTC`` or ``GMT`` after a blank, as nbgrader does.

    Returns
    -------
    datetime
        With the zone UTC.

    Raises
    ------
    ValueError
        If the text is not such a timestamp.

    Examples
    --------
    >>> parse_timestamp("2026-11-30T23:59+01:00").isoformat()
    '2026-11-30T22:59:00+00:00'
    """
    found = datetime.fromisoformat(text.replace(" UTC", "+00:00").replace(" GMT", "+00:00"))
    return (found if found.tzinfo else found.replace(tzinfo=UTC)).astimezone(UTC)
