"""The operations: one block each, with its value, its derivative, what it costs and what tests it.

===================  ===================================================================
:mod:`arithmetic`    sums, products, powers, extremes
:mod:`elementary`    exponentials, logarithms, trigonometry
:mod:`choose`        where, clip, cond, stop_gradient, identity
:mod:`rounding`      what has no slope: rounding, comparison, conversion, argmax
:mod:`shaping`       the same entries in other shapes
:mod:`indexing`      entries by their place; sorting, turning round
:mod:`joining`       joining, cutting, repeating, padding
:mod:`creation`      constants, steps along a line
:mod:`reduce`        sums, means, products and extremes over axes
:mod:`scans`         running sums, products and extremes; differences
:mod:`norms`         lengths of vectors
:mod:`statistics`    variance, averages, and what leaves out nan
:mod:`quantiles`     quantiles and medians
:mod:`signals`       interpolation, convolution, polynomials, covariance
:mod:`diagonals`     diagonals and triangles of matrices
:mod:`einsum`        products by labels
:mod:`products`      matrix products
:mod:`linalg`        linear systems and inverses
:mod:`determinants`  determinants
:mod:`factors`       Cholesky, QR, eigenvalues
:mod:`singular`      singular values, norms of matrices
:mod:`aliases`       second names
:mod:`methods`       operators, methods and NumPy's functions of tensors
===================  ===================================================================
"""
