"""The operations: one block each, with the value, the derivative, the cost and special test points.

A public operation is a function that one of the modules below defines under a name without a leading underscore.
``__all__``, the top level of the package, NumPy's functions on tensors and the reference are derived from the modules.
A new operation needs no entry in any list; a new module needs one in ``_MODULES`` and one star import.

============================  ===================================================================
:mod:`arithmetic`             sums, products, powers, remainders, maxima of two values
:mod:`elementary_functions`   exponentials, logarithms, trigonometric and hyperbolic functions
:mod:`special_functions`      erf, lgamma, digamma, polygamma
:mod:`rounding`               rounding, sign, step functions
:mod:`comparison`             comparison, logical and bitwise operations
:mod:`selection`              where, clip, stop_gradient, identity
:mod:`control_flow`           cond
:mod:`loops`                  scan
:mod:`dtypes`                 conversion between dtypes
:mod:`creation`               zeros, ones, eye, arange, linspace
:mod:`shape_manipulation`     reshape, expand_dims, squeeze, roll
:mod:`axis_order`             transpose, swapaxes, moveaxis
:mod:`broadcasting`           broadcast_to, atleast_2d, meshgrid
:mod:`indexing`               indexing, take, flip
:mod:`joining`                concat, stack, hstack, append
:mod:`splitting`              split, array_split, unstack
:mod:`tiling`                 tile, repeat
:mod:`padding`                pad
:mod:`sorting`                sort, topk, partition
:mod:`searching`              argmax, nonzero, searchsorted, any, all
:mod:`reductions`             sum, mean, prod, max, min, logsumexp over axes
:mod:`cumulative`             cumulative sums and products
:mod:`differences`            differences of neighbours, slopes
:mod:`norms`                  norms of vectors and matrices
:mod:`statistics`             variance and standard deviation
:mod:`matrix_products`        matmul, dot, tensordot, outer, kron, cross
:mod:`einstein_summation`     einsum
:mod:`diagonals`              diagonals and triangles of matrices
:mod:`linear_systems`         solve, inv, pinv
:mod:`triangular_systems`     solve_triangular, cholesky_solve
:mod:`determinants`           det, slogdet
:mod:`decompositions`         Cholesky, QR, eigenvalues
:mod:`singular_values`        svd, svdvals
:mod:`least_squares`          lstsq
:mod:`matrix_exponential`     expm
============================  ===================================================================

Operations exported by :mod:`autodiff_kit.nn`: :mod:`activations`, :mod:`softmax`, :mod:`normalization`,
:mod:`convolution_pooling`, :mod:`segment_reductions`. Further names: :mod:`aliases`. Shared helpers: :mod:`axes`,
:mod:`promotion`, :mod:`in_place`, :mod:`lapack`. Tensors get their operators and methods from :mod:`tensor_methods`,
``x.at`` from :mod:`indexed_update`, and their NumPy functions from :mod:`numpy_functions`.
"""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, Any

from autodiff_kit.ops import (
    aliases,
    arithmetic,
    axis_order,
    broadcasting,
    comparison,
    control_flow,
    creation,
    cumulative,
    decompositions,
    determinants,
    diagonals,
    differences,
    dtypes,
    einstein_summation,
    elementary_functions,
    indexing,
    joining,
    least_squares,
    linear_systems,
    loops,
    matrix_exponential,
    matrix_products,
    norms,
    padding,
    reductions,
    rounding,
    searching,
    selection,
    shape_manipulation,
    singular_values,
    sorting,
    special_functions,
    splitting,
    statistics,
    tensor_methods,
    tiling,
    triangular_systems,
)  # fmt: skip
from autodiff_kit.ops.numpy_functions import install_numpy_functions

if TYPE_CHECKING:  # for type checkers and editors; the last lines of this file do the same at run time
    from autodiff_kit.ops.arithmetic import *
    from autodiff_kit.ops.axis_order import *
    from autodiff_kit.ops.broadcasting import *
    from autodiff_kit.ops.comparison import *
    from autodiff_kit.ops.control_flow import *
    from autodiff_kit.ops.creation import *
    from autodiff_kit.ops.cumulative import *
    from autodiff_kit.ops.decompositions import *
    from autodiff_kit.ops.determinants import *
    from autodiff_kit.ops.diagonals import *
    from autodiff_kit.ops.differences import *
    from autodiff_kit.ops.dtypes import *
    from autodiff_kit.ops.einstein_summation import *
    from autodiff_kit.ops.elementary_functions import *
    from autodiff_kit.ops.indexing import *
    from autodiff_kit.ops.joining import *
    from autodiff_kit.ops.least_squares import *
    from autodiff_kit.ops.linear_systems import *
    from autodiff_kit.ops.loops import *
    from autodiff_kit.ops.matrix_exponential import *
    from autodiff_kit.ops.matrix_products import *
    from autodiff_kit.ops.norms import *
    from autodiff_kit.ops.padding import *
    from autodiff_kit.ops.reductions import *
    from autodiff_kit.ops.rounding import *
    from autodiff_kit.ops.searching import *
    from autodiff_kit.ops.selection import *
    from autodiff_kit.ops.shape_manipulation import *
    from autodiff_kit.ops.singular_values import *
    from autodiff_kit.ops.sorting import *
    from autodiff_kit.ops.special_functions import *
    from autodiff_kit.ops.splitting import *
    from autodiff_kit.ops.statistics import *
    from autodiff_kit.ops.tiling import *
    from autodiff_kit.ops.triangular_systems import *

_MODULES = (
    arithmetic, axis_order, broadcasting, comparison, control_flow, creation, cumulative, decompositions, determinants,
    diagonals, differences, dtypes, einstein_summation, elementary_functions, indexing, joining, least_squares,
    linear_systems, loops, matrix_exponential, matrix_products, norms, padding, reductions, rounding, searching,
    selection, shape_manipulation, singular_values, sorting, special_functions, splitting, statistics, tiling,
    triangular_systems,
)  # fmt: skip


def _public_functions(module: ModuleType) -> dict[str, Callable[..., Any]]:
    """The functions that a module defines, without those that it imports and those with a leading underscore."""
    return {
        name: thing
        for name, thing in vars(module).items()
        if isinstance(thing, FunctionType) and thing.__module__ == module.__name__ and not name.startswith("_")
    }


_public = {name: function for module in _MODULES for name, function in _public_functions(module).items()}
install_numpy_functions(_public | {name: getattr(aliases, name) for name in aliases.__all__})
if not TYPE_CHECKING:
    globals().update(_public)
    __all__ = list(_public)
