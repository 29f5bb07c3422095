"""The engine: values, records, sweeps in both directions, and what an operation is. It names no operation.

Read in this order: :mod:`tensor` (values), :mod:`record` (what is written down), :mod:`rules` (what an operation is),
:mod:`calling` (how it runs), :mod:`sweep` (reverse), :mod:`forward`, :mod:`tape`; then :mod:`custom`,
:mod:`overrides`, :mod:`nest` and :mod:`steps`.
"""
