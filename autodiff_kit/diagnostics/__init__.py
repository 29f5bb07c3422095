"""Diagnostics: finite differences, gradient checks, why a gradient is None, cost, tables, stepping through a tape."""
