"""Grading of other people's notebooks, in a box.

command, batch, store, late
    ``autodiff-kit grade``: many submissions, kept one by one, on the processors of a machine or of several.
files, submission, looks
    What was handed in, read without running it.
box, group, inside
    Where a notebook runs: bubblewrap outside, and what happens within.
wire, talk, session
    The conversation with a box: plain values, bounded, that nothing can be run from.
grading, results
    From cells to marks; one line of ``results.jsonl``.
pages, similar, table, lms, gradebook
    What learners, teachers and other systems are given.
"""

from __future__ import annotations

from .results import Mark, Result, read_results, write_results

__all__ = ["Mark", "Result", "read_results", "write_results"]
