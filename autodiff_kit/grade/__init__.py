"""Grading of submitted notebooks, each in a sandbox.

command, batch, result_store, late_policy
    ``autodiff-kit grade``: a batch of submissions, on the processors of one machine or of several.
submission_discovery, submission_files, submission_reader, submission, integrity, exercise_lookup, roster, logins
    Reading submissions without running them, and whose they are.
sandbox, cgroup, inside
    The environment in which a notebook runs: bubblewrap, a memory limit, and the code inside the sandbox.
protocol, rpc, submission_session
    The connection to a sandbox: messages of plain data, remote calls, and one submission's calls.
grading, results
    From a submission to the grades of its questions; one line of ``results.jsonl``.
reports, similarity, csv_table, lms_export, assignment, nbgrader_gradebook
    Output for learners, teachers and other systems.
"""

from __future__ import annotations

from .results import QuestionGrade, SubmissionResult, read_results, write_results

__all__ = ["QuestionGrade", "SubmissionResult", "read_results", "write_results"]
