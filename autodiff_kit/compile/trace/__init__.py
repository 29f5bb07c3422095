"""Tracing: run a function on symbolic values, and check later that the trace still holds."""
