"""Writing exercises: one master notebook, from which everything else is made.

master, shipped
    What a master holds, and the masters of the kit's own exercises.
release, course, otter, key
    The learner's notebook, nbgrader's course folder, otter's tests, and what the author keeps.
validate
    What would go wrong in class, found before class.
new
    A first master that works.
"""

from __future__ import annotations

from .master_notebook import Master, MasterError, read
from .validate import Problem, validate

__all__ = ["Master", "MasterError", "Problem", "read", "validate"]
