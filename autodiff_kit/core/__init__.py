"""The engine: tensors, records, dispatch, the backward pass and tapes. It names no operation.

Read :mod:`record`, :mod:`tensor`, :mod:`operation`, :mod:`dispatch`, :mod:`backward` and :mod:`tape` in this order:
these modules are reverse mode. The page *Inside the engine* of the book explains them.
"""
