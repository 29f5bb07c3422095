"""The operations: one block each, with its value, its derivative, what it costs and what tests it.

=================  =====================================================================
:mod:`arithmetic`  sums, products, powers, extremes
:mod:`elementary`  exponentials, logarithms, trigonometry
:mod:`choose`      where, clip, cond, stop_gradient, identity
:mod:`rounding`    what has no slope: rounding, comparison, conversion, argmax
:mod:`shaping`     views, indexing, gathering, joining
:mod:`reduce`      sums, means, products, extremes and norms along axes
:mod:`products`    matrix products
=================  =====================================================================
"""
