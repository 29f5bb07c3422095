"""Recording a function once, and replaying it: :func:`compile`.

``face`` finds the recording that a call is for. In ``trace``, ``record`` runs the function on ``symbol`` values, whose
``functions`` write a ``graph``; ``guards`` remembers what the function saw. In ``run``, ``plan`` has the graph run as
NumPy calls (``program``) until kernels are there, and ``fast`` puts the ``passes`` one after the other: ``rewrite``
joins products, ``group`` finds what becomes one kernel, ``store`` says where values live, ``loops`` and ``fuse`` write
the kernels. ``load`` compiles them, ``replay`` makes one function of it all (``numbers`` where there are no arrays),
``quick`` a short way into it.
"""

from __future__ import annotations

from autodiff_kit.compile.api import Compiled, compile

__all__ = ["Compiled", "compile"]
