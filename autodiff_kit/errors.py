"""Every error that the kit raises.

::

    AutodiffError
    ├── ShapeError            (ValueError)    shapes that do not fit an operation
    ├── DtypeError            (TypeError)     a dtype or a type that an operation does not support
    ├── ArgumentError         (TypeError)     an argument that an operation does not have or cannot use
    ├── ConcretizationError   (TypeError)     numbers are needed that ak.compile or ak.vmap does not have
    ├── StructureError        (ValueError)    nested structures that differ, or an argument outside its range
    ├── FileError             (OSError)       a file that is missing, cannot be written, or is damaged
    ├── AnomalyError          (ArithmeticError) the first nan or infinity, where anomalies are detected
    ├── TapeError             (RuntimeError)  a tape that is closed or used up
    │   └── OpenTapeError     (ValueError)    a tape that is entered although it is recording
    ├── UnknownGradientError  (LookupError)   a name that no gradient, operation or slot has
    ├── DuplicateNameError    (KeyError)      a name that is already registered
    ├── RangeError            (IndexError)    an index, an id, a length or a count outside its range
    │   └── LabelError        (ValueError)    a label that names no class
    ├── GradientCheckError    (AssertionError) gradients that differ from finite differences
    └── MissingPackageError   (ImportError)   a package of an extra that is not installed

:class:`LostGradientWarning` is a warning: a derivative lacks a part, and the program goes on.
"""

from __future__ import annotations

from typing import Any

__all__ = [
    "AnomalyError",
    "ArgumentError",
    "AutodiffError",
    "ConcretizationError",
    "DtypeError",
    "DuplicateNameError",
    "FileError",
    "GradientCheckError",
    "LabelError",
    "LostGradientWarning",
    "MissingPackageError",
    "OpenTapeError",
    "RangeError",
    "ShapeError",
    "StructureError",
    "TapeError",
    "UnknownGradientError",
]


class AutodiffError(Exception):
    """Base class of all errors of the kit; every subclass is also the built-in error that a caller expects."""

    def __str__(self) -> str:
        # KeyError would show the repr of its message, with quotes and escapes.
        return str(self.args[0]) if self.args else ""


class ShapeError(AutodiffError, ValueError):
    """Shapes do not fit an operation; the message names the shapes and the operation."""


class DtypeError(AutodiffError, TypeError):
    """A dtype or a type does not fit; the message says what was given and what would fit."""


class ArgumentError(AutodiffError, TypeError):
    """An operation got too many arguments, too few, an unknown one, or one of a type that it cannot use."""


class ConcretizationError(AutodiffError, TypeError):
    """A function inside ``ak.compile`` or ``ak.vmap`` needs numbers that are not there; the message says what to do."""

    trace: Any = None


class StructureError(AutodiffError, ValueError):
    """Two nested structures differ, or an argument is outside its range."""


class FileError(AutodiffError, OSError):
    """A file is missing, cannot be written, or is damaged; its former contents are unchanged."""


class AnomalyError(AutodiffError, ArithmeticError):
    """A nan or an infinity has appeared; the message names the operation, its line and the first index."""


class TapeError(AutodiffError, RuntimeError):
    """A tape cannot give what was asked: it has released its values, or has recorded nothing yet."""


class OpenTapeError(TapeError, ValueError):
    """A tape or an accumulator was entered while it was recording."""


class UnknownGradientError(AutodiffError, LookupError):
    """No gradient is registered under a name, or no operation or slot has it."""


class DuplicateNameError(AutodiffError, KeyError):
    """A name is already registered."""


class RangeError(AutodiffError, IndexError):
    """An index, an id, a length or a count is outside its range; the message names it."""


class LabelError(RangeError, ValueError):
    """A label names no class; the message lists these labels."""


class GradientCheckError(AutodiffError, AssertionError):
    """A gradient differs from its finite difference by more than the tolerance."""


class MissingPackageError(AutodiffError, ImportError):
    """A package of one of the kit's extras is not installed; the message says how to install it."""


class LostGradientWarning(AutodiffError, UserWarning):  # noqa: N818 - it is a warning
    """A value that ``ak.grad`` or a relative differentiates became a plain number, so its gradient lacks a part.

    The message names the line and what to write there. It comes once for each line; not where the number is only
    printed, compared, or used as a position; and not on a tape of your own, which ``tape.explain`` tells about.

    Examples
    --------
    Turn it off, or into an error:

    >>> import math, warnings
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore", ak.errors.LostGradientWarning)
    ...     slope = ak.grad(lambda x: x * math.exp(x))(0.0)
    >>> float(slope), float(ak.grad(lambda x: x * ak.exp(x))(1.0)) > 5.0
    (1.0, True)
    """
