"""Latency of checking an exercise: drawing inputs, running, comparing, storing and displaying, for each question.

``python -m benchmarks.exercise_check_latency [runs]`` prints the median of each question in milliseconds; the target is
100 ms for the median.
"""

from __future__ import annotations

import contextlib
import io
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

from autodiff_kit.exercises.exercise import GradedQuestion
from autodiff_kit.exercises.questions import LESSONS
from tests.exercises.conftest import QUESTIONS, WRONG, solved

AIM = 100.0


def median(graded, functions, runs):
    """Median, worst and first time of a check in milliseconds."""
    times = []
    for _ in range(runs):
        began = time.perf_counter()
        with contextlib.redirect_stdout(io.StringIO()):
            graded.check(*functions)
        times.append(1000 * (time.perf_counter() - began))
    return statistics.median(times), max(times), times[0]


def slowest_wrong(id):
    """The wrong solution whose check takes longest, because all misconceptions are compared."""
    return max(WRONG[id].values(), key=lambda case: median(graded_question(id), case[0], 1)[0])[0]


def graded_question(id):
    """The question as a notebook has it."""
    return GradedQuestion(QUESTIONS[id], "q", LESSONS[LESSONS.lesson_number(id)])


def main(runs):
    """Print the table."""
    medians = []
    print(f"{'question':10} {'right':>8} {'wrong':>8} {'worst':>8} {'first':>8}   (ms, median of {runs})")
    for id, question in QUESTIONS.items():
        graded = graded_question(id)
        right = median(graded, list(solved(question).values()), runs)
        wrong = median(graded, slowest_wrong(id), runs)
        medians += [right[0], wrong[0]]
        print(f"{id:10} {right[0]:8.1f} {wrong[0]:8.1f} {max(right[1], wrong[1]):8.1f} {right[2]:8.1f}")
    every, slowest = statistics.median(medians), max(medians)
    print(f"median of all {every:.1f} ms, slowest median {slowest:.1f} ms, target {AIM:g} ms")
    return int(max(medians) > AIM)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / ".autodiff_kit").mkdir()
        os.environ["AUTODIFF_KIT_DIR"] = folder
        sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 15))
