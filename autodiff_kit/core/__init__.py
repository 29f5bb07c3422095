"""The engine: values, records, sweeps in both directions, and what an operation is. It names no operation."""
