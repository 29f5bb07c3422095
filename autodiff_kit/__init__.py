"""autodiff_kit: tape automatic differentiation to see, try and learn from.

``import autodiff_kit as ak``; then record a computation on a tape and ask for its gradient::

    x = ak.Variable(3.0)
    with ak.GradientTape() as tape:
        y = x**2
    tape.gradient(y, x)
"""

from __future__ import annotations

import sys as _sys
from types import ModuleType as _ModuleType
from typing import TYPE_CHECKING as _TYPE_CHECKING

from autodiff_kit.collector import relax_collector as _relax_collector
from autodiff_kit.collector import restore_collector as _restore_collector

_relax_collector()  # importing makes no garbage; looking for it took a tenth of the time

# Operations first: they give tensors their operators. "import x as x" marks a public name, to type checkers too.
from autodiff_kit.ops import *  # isort: skip
from autodiff_kit import diagnostics as _diagnostics  # tapes get its methods
from autodiff_kit import errors as errors
from autodiff_kit import transforms as _transforms
from autodiff_kit.compile import automatic as _automatic
from autodiff_kit.compile.api import compile as compile
from autodiff_kit.core.constant import constant as constant
from autodiff_kit.core.tape import GradientTape as GradientTape
from autodiff_kit.core.tensor import Tensor as Tensor
from autodiff_kit.core.variable import Variable as Variable
from autodiff_kit.diagnostics.warning_location import point_warnings_at_user_code as _point_warnings_at_user_code
from autodiff_kit.errors import AutodiffError as AutodiffError
from autodiff_kit.errors import GradientCheckError as GradientCheckError
from autodiff_kit.ops.aliases import *
from autodiff_kit.ops.custom_gradient import custom_gradient as custom_gradient
from autodiff_kit.ops.gradient_override import gradient_override_map as gradient_override_map
from autodiff_kit.ops.gradient_override import register_gradient as register_gradient
from autodiff_kit.ops.row_gradient import RowGradient as RowGradient
from autodiff_kit.ops.zero_absorption import zero_absorbs as zero_absorbs
from autodiff_kit.platform import keep_freed_memory as _keep_freed_memory

_keep_freed_memory()
_point_warnings_at_user_code()

__version__ = "0.2.0"

if _TYPE_CHECKING:
    from autodiff_kit import nn as nn
    from autodiff_kit import optim as optim
    from autodiff_kit.diagnostics import check_gradients as check_gradients
    from autodiff_kit.diagnostics import detect_anomalies as detect_anomalies
    from autodiff_kit.nn import layers as layers
    from autodiff_kit.nn import relax as relax
    from autodiff_kit.nn import segment as segment
    from autodiff_kit.nn.module import Module as Module
    from autodiff_kit.recorders import record_jax as record_jax
    from autodiff_kit.recorders import record_torch as record_torch
    from autodiff_kit.transforms import *
else:
    from autodiff_kit.lazy import lazy_names as _lazy_names
    from autodiff_kit.ops.aliases import __all__ as _aliases

    # Imported when they are first asked for: a first gradient needs neither layers nor optimizers, and one transform.
    _LATER = {"nn": "nn", "optim": "optim", "layers": "nn", "relax": "nn", "segment": "nn", "Module": "nn"}
    _LATER |= {"check_gradients": "diagnostics", "detect_anomalies": "diagnostics"}
    _LATER |= {"record_jax": "recorders", "record_torch": "recorders", "load_ipython_extension": "recorders"}
    _LATER |= dict.fromkeys(_transforms.__all__, "transforms")
    __getattr__ = _lazy_names(__name__, _LATER)

    def __dir__() -> list[str]:
        return sorted({*globals(), *_LATER})

    # Every name above, without the aliases and the packages that Python binds on import.
    __all__ = sorted(  # noqa: PLE0605 - a list
        {
            name
            for name, thing in globals().items()
            if not name.startswith("_") and name not in (*_aliases, "annotations")
            if not isinstance(thing, _ModuleType) or thing is errors
        }
        | {*_LATER} - {"load_ipython_extension"}  # IPython's, for %load_ext
    )

# In a notebook's kernel, also in a browser's: load observers of tapes, such as the inspector.
if {"ipykernel", "pyodide_kernel"} & _sys.modules.keys():
    from importlib.metadata import entry_points as _entry_points

    for _extension in _entry_points(group="autodiff_kit.kernel"):
        _extension.load()()

_restore_collector()
