"""The site as it is built, for the tests of its engine."""

from __future__ import annotations

from tests.built_site import site

__all__ = ["site"]
