"""HTML reports: feedback for each learner, and a report of the batch for the teacher. One file each, no assets."""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from autodiff_kit.exercises.messages import format_points, format_score
from autodiff_kit.lessons.atomic_files import write_atomically

from .exercise_lookup import find_exercise
from .lms_export import Enrolment
from .outside_text import file_names
from .results import QuestionGrade, SubmissionResult
from .similarity import SimilarGroup

__all__ = ["feedback_html", "report_html", "write_reports"]

OUTCOME_WORDS = {
    "passed": "Passed",
    "partial": "Nearly",
    "not yet": "Not yet",
    "error": "Stopped",
    "not attempted": "Not begun",
}
MAX_GROUPS_SHOWN = 60
MAX_NAMES_SHOWN = 12
STYLE = """
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 46rem; margin: 2rem auto; padding: 0 1rem; }
article { border-left: 4px dashed #777; padding: 0 0 0 1rem; margin: 1.5rem 0; }
article.passed { border-left: 4px solid #1976d2; }
h2 { margin-top: 2.5rem; } h3 { margin: 0; }
pre, code { font: 0.9em/1.4 ui-monospace, monospace; } pre { overflow-x: auto; }
table { border-collapse: collapse; } th, td { text-align: left; padding: .2rem 1rem .2rem 0; vertical-align: top; }
.wide { overflow-x: auto; }
td.bar { width: 14rem; } td.bar span { display: inline-block; height: .8rem; background: #1976d2; }
.quiet { opacity: .75; }
"""


def write_reports(
    folder: Path,
    results: Sequence[SubmissionResult],
    groups: Sequence[SimilarGroup],
    enrolment: Enrolment | None = None,
) -> None:
    """Write ``feedback/<learner>.html`` for each learner, and ``report.html``.

    Parameters
    ----------
    folder : Path
        The output folder.
    results : sequence of SubmissionResult
        Results of the whole batch.
    groups : sequence of SimilarGroup
        Groups of similar answers.
    enrolment : Enrolment, optional
        The results beside the roster.
    """
    by_learner: dict[str, list[SubmissionResult]] = {}
    for result in results:
        by_learner.setdefault(result.learner, []).append(result)
    names = file_names(by_learner)
    for learner, own in by_learner.items():
        page = feedback_html(learner, own).encode("utf-8", "replace")
        write_atomically(folder / "feedback" / f"{names[learner]}.html", page)
    write_atomically(folder / "report.html", report_html(results, groups, enrolment).encode("utf-8", "replace"))


def feedback_html(learner: str, results: Iterable[SubmissionResult]) -> str:
    """The feedback page of a learner: points and message of each question."""
    parts = [_exercise_html(result) for result in sorted(results, key=lambda result: result.exercise)]
    return _html_page(f"Feedback for {learner}", "\n".join(parts))


def report_html(
    results: Sequence[SubmissionResult], groups: Sequence[SimilarGroup], enrolment: Enrolment | None = None
) -> str:
    """The teacher's page: submissions with remarks, misconceptions, outcomes, and similar answers."""
    statuses = Counter(result.status for result in results)
    counted = ", ".join(f"{count} {status}" for status, count in sorted(statuses.items()))
    body = f"<p>{len(results)} submissions: {counted or 'none'}.</p>"
    return _html_page(
        "Report",
        body
        + (_enrolment_html(enrolment) if enrolment else "")
        + _remarks_table(results)
        + _misconceptions_table(results)
        + _outcomes_table(results)
        + _similarity_table(groups),
    )


def _exercise_html(result: SubmissionResult) -> str:
    points = format_score(round(result.score, 2), result.max_score)
    late = f", after {format_points(round(result.penalty, 2))} for being late" if result.penalty else ""
    title = _titles(result).get("", result.exercise or "Your submission")
    head = f"<h2>{_escape(title)}</h2><p><strong>{points}</strong>{late}.</p>"
    if result.status != "graded":
        head += f"<p><strong>{_escape(result.status.capitalize())}.</strong> {_escape(result.reason)}</p>"
    told = [remark for remark in result.remarks if remark.startswith("Cell ")]
    cells = (
        f"<p>While your notebook ran:</p><ul>{''.join(f'<li>{_escape(one)}</li>' for one in told)}</ul>" if told else ""
    )
    titles = _titles(result)
    return (
        head
        + "\n".join(_question_html(mark, titles.get(mark.question, mark.question)) for mark in result.marks)
        + cells
    )


def _titles(result: SubmissionResult) -> dict[str, str]:
    """Titles by question id; the title of the exercise under the empty id."""
    if not result.exercise:
        return {}
    lesson = find_exercise(result.exercise)
    return {"": lesson.title, **{question.id: question.title for question in lesson.questions}}


def _question_html(mark: QuestionGrade, title: str) -> str:
    kind = "passed" if mark.outcome == "passed" else "open"
    points = format_score(mark.points, mark.max_points)
    lines = "<br>".join(_escape_with_code(line) for line in mark.message.split("\n"))
    return (
        f'<article class="{kind}"><h3>{_escape(mark.question)} · {_escape(title)}</h3>'
        f"<p>{OUTCOME_WORDS[mark.outcome]}: {points}</p><p>{lines}</p></article>"
    )


def _enrolment_html(enrolment: Enrolment) -> str:
    """Who handed in nothing, and whose names fit nobody in the roster."""
    missing, strangers = (
        [f"<tr><td>{_escape(name)}</td></tr>" for name in names] for names in (enrolment.missing, enrolment.strangers)
    )
    absent = _html_table("Enrolled, without a submission", ("learner",), missing)
    return absent + _html_table("Not in the roster", ("name",), strangers)


def _remarks_table(results: Sequence[SubmissionResult]) -> str:
    rows = [
        f"<tr><td>{_escape(result.learner)}</td><td>{_escape(result.exercise)}</td><td>{result.status}</td>"
        f"<td>{_escape(' '.join((result.reason, *result.remarks)))}</td></tr>"
        for result in sorted(results, key=lambda one: (one.status == "graded", one.status, one.learner))
        if result.status != "graded" or result.remarks
    ]
    return _html_table("To look at", ("learner", "exercise", "status", "why"), rows)


def _misconceptions_table(results: Sequence[SubmissionResult]) -> str:
    """The number of answers with each misconception."""
    named = Counter((mark.question, mark.misconception) for r in results for mark in r.marks if mark.misconception)
    most = max(named.values(), default=1)
    rows = [
        f"<tr><td>{_escape(question)}</td><td><code>{_escape(name)}</code></td><td>{count}</td>"
        f'<td class="bar"><span style="width:{100 * count // most}%"></span></td></tr>'
        for (question, name), count in sorted(named.items(), key=lambda item: (-item[1], item[0]))
    ]
    return _html_table("Misconceptions", ("question", "name", "answers", ""), rows)


def _outcomes_table(results: Sequence[SubmissionResult]) -> str:
    counts: dict[str, Counter[str]] = {}
    for result in results:
        for mark in result.marks:
            counts.setdefault(mark.question, Counter())[mark.outcome] += 1
    rows = [
        f"<tr><td>{_escape(question)}</td>{''.join(f'<td>{found[outcome]}</td>' for outcome in OUTCOME_WORDS)}</tr>"
        for question, found in counts.items()
    ]
    return _html_table("Questions", ("question", *OUTCOME_WORDS), rows)


def _similarity_table(groups: Sequence[SimilarGroup]) -> str:
    """The groups of similar answers, as many as a person reads; those like the worked answer come last."""
    ordered = sorted(groups, key=lambda group: group.worked)
    rows = [
        f"<tr><td>{_escape(group.question)}</td><td>{_escape(_some_names(group))}</td>"
        f"<td>{100 * group.similarity:.0f} %</td></tr>"
        for group in ordered[:MAX_GROUPS_SHOWN]
    ]
    left = len(groups) - len(rows)
    more = f'<p class="quiet">{left} more groups are less alike.</p>' if left else ""
    return _html_table("Answers that are alike", ("question", "learners", "alike"), rows) + more


def _some_names(group: SimilarGroup) -> str:
    shown = list(group.learners[:MAX_NAMES_SHOWN])
    left = len(group.learners) - len(shown)
    named = ", ".join([*shown, *([f"and {left} more"] if left else [])])
    return f"{named}: like the worked answer" if group.worked else named


def _html_table(title: str, head: Sequence[str], rows: Sequence[str]) -> str:
    if not rows:
        return f'<h2>{title}</h2><p class="quiet">None.</p>'
    cells = "".join(f'<th scope="col">{name}</th>' for name in head)
    table = f"<table><thead><tr>{cells}</tr></thead><tbody>{''.join(rows)}</tbody></table>"
    return f"<h2>{title}</h2><div class=wide>{table}</div>"


def _html_page(title: str, body: str) -> str:
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{_escape(title)}</title>'
        f'<meta name="viewport" content="width=device-width, initial-scale=1"><style>{STYLE}</style></head>'
        f"<body><main><h1>{_escape(title)}</h1>\n{body}\n</main></body></html>\n"
    )


def _escape(text: str) -> str:
    return html.escape(text)


def _escape_with_code(line: str) -> str:
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", html.escape(line))
