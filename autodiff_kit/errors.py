"""Every error that the kit raises.

::

    AutodiffError
    ├── ShapeError            (ValueError)    shapes that do not fit an operation
    ├── DtypeError            (TypeError)     a dtype that has no gradient, or no meaning here
    ├── ArgumentError         (TypeError)     an argument that an operation does not have, or cannot use
    ├── ConcretizationError     (TypeError)     numbers were asked of what ak.compile is recording
    ├── StructureError        (ValueError)    nests that differ, or an argument outside its range
    ├── FileError             (OSError)       a file that is missing, cannot be written, or is damaged
    ├── AnomalyError          (ArithmeticError) the first nan or infinity, where anomalies are looked for
    ├── TapeError             (RuntimeError)  a tape that is closed or used up
    │   └── OpenTapeError     (ValueError)    a tape that is entered although it is recording
    ├── UnknownGradientError  (LookupError)   a name that no gradient is registered under
    ├── DuplicateNameError    (KeyError)      a name that is registered already
    ├── RangeError            (IndexError)    an index outside its range
    │   └── LabelError        (ValueError)    a label that names no class
    └── GradientCheckError    (AssertionError) gradients that differ from finite differences
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
    "OpenTapeError",
    "RangeError",
    "ShapeError",
    "StructureError",
    "TapeError",
    "UnknownGradientError",
]


class AutodiffError(Exception):
    """Base of all errors of the kit; every subclass is also the built-in error that a caller expects."""

    def __str__(self) -> str:
        # KeyError would show the repr of its message, with quotes and escapes.
        return str(self.args[0]) if self.args else ""


class ShapeError(AutodiffError, ValueError):
    """Shapes do not fit; the message names both and the operation."""


class DtypeError(AutodiffError, TypeError):
    """A dtype does not fit; the message names it and the one that would."""


class ArgumentError(AutodiffError, TypeError):
    """An operation was given too many arguments, too few, or one that it does not have; the message lists its own."""


class ConcretizationError(AutodiffError, TypeError):
    """A function that is being compiled asked a value for its numbers; the message says what to do instead."""

    trace: Any = None


class StructureError(AutodiffError, ValueError):
    """Two nests differ in structure, or an argument is outside its range."""


class FileError(AutodiffError, OSError):
    """A file is missing, cannot be written, or is damaged; what stood there before is still there."""


class AnomalyError(AutodiffError, ArithmeticError):
    """A nan or an infinity has appeared; the message names the operation, its line and the first index."""


class TapeError(AutodiffError, RuntimeError):
    """A tape was asked for something that it no longer, or not yet, can give."""


class OpenTapeError(TapeError, ValueError):
    """A tape or an accumulator is entered although it is recording."""


class UnknownGradientError(AutodiffError, LookupError):
    """No gradient is registered under a name."""


class DuplicateNameError(AutodiffError, KeyError):
    """A name is registered already."""


class RangeError(AutodiffError, IndexError):
    """An index is outside its range; the message names the first such index and its place."""


class LabelError(RangeError, ValueError):
    """A label names no class; the message lists the labels that do not."""


class GradientCheckError(AutodiffError, AssertionError):
    """A gradient differs from its finite difference by more than the tolerance."""
