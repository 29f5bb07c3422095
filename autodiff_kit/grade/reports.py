"""HTML reports: feedback for each learner, and a report of the batch for the teacher. One file each, no assets."""

from __future__ import annotations

import html
import re
import statistics
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from urllib.parse import quote

from autodiff_kit.errors import FileError
from autodiff_kit.exercises.messages import format_points, format_score
from autodiff_kit.exercises.question import Lesson
from autodiff_kit.lessons.atomic_files import write_atomically

from .exercise_lookup import find_known_exercise
from .lms_export import Enrolment
from .outside_text import file_names, name_order
from .results import QuestionGrade, SubmissionResult, read_results
from .similarity import SimilarGroup
from .submission import CALLED_LATE, CELL_WORDS

__all__ = ["feedback_html", "remove_old_pages", "report_html", "write_reports"]

# Words for what is final: in a notebook the same outcomes are called "not yet" and "not begun".
OUTCOME_WORDS = {
    "passed": "Passed",
    "partial": "In part",
    "not yet": "No points",
    "error": "Stopped",
    "not attempted": "Not attempted",
}
# What a teacher reads; the guide explains each.
STATUS_WORDS = {
    "graded": "Graded",
    "timeout": "Time limit",
    "memory": "Memory limit",
    "crashed": "Crashed",
    "invalid": "Not readable",
    "tampered": "Tampered with",
    "unsupported": "Unsupported",
}
MAX_ROWS_SHOWN = 2000
MAX_REMARKS_SHOWN = 100  # each is a sentence or more, for a person to read
MAX_GROUPS_SHOWN = 60
MAX_NAMES_SHOWN = 12
STYLE = """
:root { color-scheme: light dark; --line: light-dark(#c4c8cc, #4a4f55); --quiet: light-dark(#565c63, #aab0b6);
  --blue: light-dark(#1565c0, #64a9ee); }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 62rem; margin: 2rem auto; padding: 0 1rem;
  background: light-dark(#fff, #16181a); color: light-dark(#1b1d1f, #e8eaec); overflow-wrap: break-word; }
h1 { line-height: 1.2; margin: 0 0 .25rem; } h2 { margin: 2.5rem 0 .5rem; line-height: 1.25; }
h3 { margin: 0; font-size: 1.05rem; } p { margin: .35rem 0; } a { color: var(--blue); }
.score { font-size: 1.25rem; }
article { border-left: 4px dashed var(--line); padding: 0 0 0 1rem; margin: 1.5rem 0; max-width: 46rem; }
article.passed { border-left: 4px solid var(--blue); }
pre, code { font: 0.9em/1.4 ui-monospace, monospace; } pre { overflow-x: auto; }
table { border-collapse: collapse; min-width: 100%; }
th, td { text-align: left; padding: .3rem 1.25rem .3rem 0; vertical-align: top; }
thead th { border-bottom: 1px solid var(--line); color: var(--quiet); font-weight: 600; white-space: nowrap; }
.number { text-align: right; } .number, .short { white-space: nowrap; font-variant-numeric: tabular-nums; }
.name { min-width: 9rem; } .words { min-width: 16rem; } .wide { overflow-x: auto; }
.bar { min-width: 12rem; } td.bar > span { display: block; height: .7rem; margin-top: .45rem;
  border: 1px solid var(--line); } td.bar > span > span { display: block; height: 100%; background: var(--blue); }
.scale { display: flex; justify-content: space-between; font-weight: 400; }
.quiet { color: var(--quiet); } .id { color: var(--quiet); white-space: nowrap; font-weight: 400; font-size: .9em; }
@media print { body { margin: 0; max-width: none; font-size: 11pt; } article, tr { break-inside: avoid; }
  td.bar span { print-color-adjust: exact; -webkit-print-color-adjust: exact; } .wide { overflow: visible; } }
"""
ALIKE_NOTE = (
    "The share of code that is the same when names, numbers, texts and comments are left out; in a row, that of the "
    "least alike. It proves nothing by itself: a short question has few right answers, and the same slip makes wrong "
    "ones alike."
)
SCALE = (
    'of those who handed in<span class="scale" aria-hidden="true"><span>0 %</span><span>50 %</span>'
    "<span>100 %</span></span>"
)


def write_reports(
    folder: Path,
    results: Sequence[SubmissionResult],
    groups: Sequence[SimilarGroup],
    enrolment: Enrolment | None = None,
    *,
    timed: bool = False,
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
    timed : bool, optional
        Whether the times of the files count. Otherwise pages do not show them: often they are those of a download.
    """
    by_learner: dict[str, list[SubmissionResult]] = {}
    for result in results:
        by_learner.setdefault(result.learner, []).append(result)
    pages = file_names(by_learner)
    names = enrolment.names if enrolment else {}
    for learner, own in by_learner.items():
        page = feedback_html(learner, own, names.get(learner, ""), timed=timed).encode("utf-8", "replace")
        write_atomically(folder / "feedback" / f"{pages[learner]}.html", page)
    write_atomically(folder / "report.html", report_html(results, groups, enrolment).encode("utf-8", "replace"))


def remove_old_pages(folder: Path, results: Iterable[SubmissionResult]) -> None:
    """Remove the pages of learners who were graded into this folder before, and are not in these results.

    Parameters
    ----------
    folder : Path
        The output folder; its ``results.jsonl`` is still that of the run before, and says which pages it wrote.
    results : iterable of SubmissionResult
        Results of the whole batch.
    """
    try:
        before = read_results(folder / "results.jsonl")
    except FileError:  # nobody was graded before
        return
    old, new = (set(file_names(one.learner for one in found).values()) for found in (before, results))
    for page in old - new:
        (folder / "feedback" / f"{page}.html").unlink(missing_ok=True)


def feedback_html(learner: str, results: Iterable[SubmissionResult], name: str = "", *, timed: bool = False) -> str:
    """The feedback page of a learner: points and message of each question.

    Parameters
    ----------
    learner : str
        The name under which the learner handed in.
    results : iterable of SubmissionResult
        The learner's own.
    name : str, optional
        The name in the roster.
    timed : bool, optional
        Whether to say when it was handed in.
    """
    parts = [_exercise_html(result, timed=timed) for result in sorted(results, key=lambda result: result.exercise)]
    login = f'<p class="quiet">Handed in as {_escape(learner)}</p>' if name else ""
    return _html_page(f"Feedback for {name or learner}", login + "\n".join(parts))


def report_html(
    results: Sequence[SubmissionResult], groups: Sequence[SimilarGroup], enrolment: Enrolment | None = None
) -> str:
    """The teacher's page: scores, submissions with remarks, misconceptions, outcomes, and similar answers.

    Learners are links to their feedback, which lies beside the report.
    """
    strangers = set(enrolment.strangers) if enrolment else set[str]()
    counted_ones = [one for one in results if one.could_be_run and one.learner not in strangers]
    statuses = Counter(STATUS_WORDS[result.status].lower() for result in results)
    counted = ", ".join(f"{count} {status}" for status, count in statuses.most_common())
    links = _learner_links(results, enrolment.names if enrolment else {})
    return _html_page(
        "Report",
        f"<p>{len(results)} submissions: {counted or 'none'}.</p>"
        + _score_lines(counted_ones)
        + (_enrolment_html(enrolment, links) if enrolment else "")
        + _remarks_table(results, links)
        + _scores_table(results, links, enrolment.names if enrolment else {})
        + _outcomes_table(counted_ones)
        + _misconceptions_table(counted_ones)
        + _sharing_table("The same file", "sha256", results, links)
        + _sharing_table("The same random id", "stamp", results, links)
        + _similarity_table(groups, links, {mark.question: one.exercise for one in results for mark in one.marks}),
    )


def _exercise_html(result: SubmissionResult, *, timed: bool) -> str:
    lesson = find_known_exercise(result.exercise) if result.exercise else None
    title = lesson.title if lesson else result.exercise or "Your submission"
    if not result.could_be_run:
        return f"<h2>{_escape(title)}</h2><p><strong>No grade yet.</strong> {_escape_with_code(result.reason)}</p>"
    points = format_score(result.score, result.max_score) if result.marks else "No points"
    late = f", after {format_points(result.penalty)} for being late" if result.penalty else ""
    head = f'<h2>{_escape(title)}</h2><p class="score"><strong>{points}</strong>{late}</p>'
    if result.submitted and timed:
        head += f'<p class="quiet">Handed in {_moment(result.submitted)}</p>'
    if result.status != "graded":
        head += f"<p><strong>{STATUS_WORDS[result.status]}.</strong> {_escape_with_code(result.reason)}</p>"
    told = [f"<li>{_escape_with_code(one)}</li>" for one in result.remarks if one.startswith(CELL_WORDS)]
    cells = f"<p>While your notebook ran:</p><ul>{''.join(told)}</ul>" if told else ""
    return head + "\n".join(_question_html(mark, lesson) for mark in result.marks) + cells


def _question_html(mark: QuestionGrade, lesson: Lesson | None) -> str:
    kind = "passed" if mark.outcome == "passed" else "open"
    label = lesson.labels.get(mark.question, "") if lesson else ""
    titles = {question.id: question.title for question in lesson.questions} if lesson else {}
    head = _escape(" · ".join(filter(None, (label, titles.get(mark.question, "")))) or mark.question)
    beside = f' <span class="id">{_escape(mark.question)}</span>' if label else ""
    lines = "<br>".join(_escape_with_code(line) for line in mark.message.split("\n"))
    return (
        f'<article class="{kind}"><h3>{head}{beside}</h3><p>{OUTCOME_WORDS[mark.outcome]}: '
        f"<strong>{format_score(mark.points, mark.max_points)}</strong></p><p>{lines}</p></article>"
    )


def _moment(iso: str) -> str:
    """A time as people read it: ``2026-11-30 22:10 UTC``."""
    return _escape(iso.replace("T", " ").replace("+00:00", " UTC"))


def _score_lines(results: Iterable[SubmissionResult]) -> str:
    """Median and range of the scores, for each exercise."""
    by_exercise: dict[str, list[SubmissionResult]] = {}
    for result in results:
        if result.marks:
            by_exercise.setdefault(result.exercise, []).append(result)
    lines = []
    for exercise, own in sorted(by_exercise.items()):
        scores = [result.score for result in own]
        ends = f"from {format_points(min(scores))} to {format_points(max(scores))}"
        middle = format_score(statistics.median(scores), max(result.max_score for result in own))
        lines.append(f"<p>{_escape(exercise)}: median {middle}, {ends}.</p>")
    return "".join(lines)


def _learner_links(results: Iterable[SubmissionResult], names: Mapping[str, str]) -> dict[str, str]:
    """Learner -> a link to the learner's page, with the roster's name where there is one."""
    pages = file_names(result.learner for result in results)
    return {
        learner: f'<a href="feedback/{quote(page)}.html">{_escape(names.get(learner, learner))}</a>'
        for learner, page in pages.items()
    }


def _enrolment_html(enrolment: Enrolment, links: Mapping[str, str]) -> str:
    """Who handed in nothing, and whose names fit nobody in the roster."""
    missing = [(_escape(name),) for name in sorted(enrolment.missing, key=name_order)]
    strangers = [(links[name],) for name in sorted(enrolment.strangers, key=name_order)]
    absent = _html_table("Enrolled, without a submission", {"learner": "name"}, missing)
    return absent + _html_table("Not in the roster", {"handed in as": "name"}, strangers)


def _remarks_table(results: Sequence[SubmissionResult], links: Mapping[str, str]) -> str:
    rows = [
        (
            links[result.learner],
            _escape_with_code(" ".join((result.reason, *result.remarks))),
            STATUS_WORDS[result.status],
            _escape(result.exercise),
        )
        for result in sorted(
            results, key=lambda one: (one.status == "graded", one.could_be_run, one.status, one.learner)
        )
        if result.status != "graded" or result.remarks
    ]
    columns = {"learner": "name", "why": "words", "status": "short", "exercise": "short"}
    return _html_table("To look at", columns, rows, MAX_REMARKS_SHOWN)


def _scores_table(results: Sequence[SubmissionResult], links: Mapping[str, str], names: Mapping[str, str]) -> str:
    """Everybody's score, with a link to the page that explains it."""
    rows = [
        (
            links[result.learner],
            f"{format_points(result.score)} of {format_points(result.max_score)}" if result.marks else "none",
            _late_words(result),
            STATUS_WORDS[result.status],
            _escape(result.exercise),
            _escape(result.learner),
        )
        for result in sorted(
            results, key=lambda one: (not one.exercise, one.exercise, name_order(names.get(one.learner, one.learner)))
        )
    ]
    columns = {"learner": "name", "points": "number", "late": "short", "status": "short", "exercise": "short"}
    return _html_table("Scores", {**columns, "handed in as": ""}, rows)


def _late_words(result: SubmissionResult) -> str:
    if not result.late:
        return "late in Canvas" if CALLED_LATE in result.remarks else ""
    return f"{format_points(result.penalty)} less" if result.penalty else "late"


def _outcomes_table(results: Sequence[SubmissionResult]) -> str:
    """The outcomes of each question as numbers; the bar is the share of those who passed."""
    rows = [
        (_question_words(*place), *(str(counts[outcome]) for outcome in OUTCOME_WORDS), _bar(counts["passed"], counts))
        for place, counts in _outcome_counts(results).items()
    ]
    columns = {"question": "short", **dict.fromkeys(OUTCOME_WORDS.values(), "number"), f"passed, {SCALE}": "bar"}
    note = "Without files that could not be run, and without those of nobody in the roster."
    return _html_table("Questions", columns, rows, note=note)


def _outcome_counts(results: Iterable[SubmissionResult]) -> dict[tuple[str, str], Counter[str]]:
    """Outcomes by exercise and question."""
    counts: dict[tuple[str, str], Counter[str]] = {}
    for result in results:
        for mark in result.marks:
            counts.setdefault((result.exercise, mark.question), Counter())[mark.outcome] += 1
    return counts


def _misconceptions_table(results: Sequence[SubmissionResult]) -> str:
    """The number of answers with each misconception, beside the number of all answers to its question."""
    outcomes = _outcome_counts(results)
    named = Counter(
        ((result.exercise, mark.question), mark.misconception)
        for result in results
        for mark in result.marks
        if mark.misconception
    )
    rows = [
        (
            _question_words(*place),
            f"<code>{_escape(name)}</code>",
            f"{count} of {outcomes[place].total()}",
            _bar(count, outcomes[place]),
        )
        for (place, name), count in sorted(named.items(), key=lambda item: (-item[1], item[0]))
    ]
    return _html_table("Misconceptions", {"question": "short", "name": "", "answers": "number", SCALE: "bar"}, rows)


def _question_words(exercise: str, question: str) -> str:
    """A question as the notebook names it, its id beside it."""
    lesson = find_known_exercise(exercise) if exercise else None
    label = lesson.labels.get(question, "") if lesson else ""
    return f'{label} <span class="id">{_escape(question)}</span>' if label else _escape(question)


def _bar(count: int, outcomes: Counter[str]) -> str:
    """A bar in a frame that stands for all who handed in."""
    return f'<span><span style="width:{100 * count / outcomes.total():.1f}%"></span></span>'


def _sharing_table(title: str, name: str, results: Sequence[SubmissionResult], links: Mapping[str, str]) -> str:
    """Learners whose results have the same value of an attribute, such as the hash of the file."""
    by_value: dict[str, list[SubmissionResult]] = {}
    for result in sorted(results, key=lambda one: name_order(one.learner)):
        if getattr(result, name):
            by_value.setdefault(getattr(result, name), []).append(result)
    rows = [
        (_learners_html([one.learner for one in own], links), _escape(own[0].exercise))
        for own in by_value.values()
        if len({one.learner for one in own}) > 1
    ]
    return _html_table(title, {"learners": "words", "exercise": "short"}, rows, MAX_GROUPS_SHOWN)


def _similarity_table(groups: Sequence[SimilarGroup], links: Mapping[str, str], exercises: Mapping[str, str]) -> str:
    """The groups of similar answers, as many as a person reads; those like the worked answer come last."""
    ordered = sorted(groups, key=lambda group: group.worked)
    rows = [
        (
            _question_words(exercises.get(group.question, ""), group.question),
            _learners_html(group.learners, links) + (": like the worked answer" if group.worked else ""),
            f"{100 * group.similarity:.0f} %",
        )
        for group in ordered[:MAX_GROUPS_SHOWN]
    ]
    left = len(groups) - len(rows)
    more = f'<p class="quiet">{left} more groups are less alike.</p>' if left else ""
    columns = {"question": "short", "learners": "words", "alike": "number"}
    return _html_table("Answers that are alike", columns, rows, note=ALIKE_NOTE) + more


def _learners_html(learners: Sequence[str], links: Mapping[str, str]) -> str:
    """Links to learners; more than a few are shown when asked for."""
    named = [links.get(learner, _escape(learner)) for learner in learners]
    left = len(named) - MAX_NAMES_SHOWN
    more = f"<details><summary>and {left} more</summary>{'; '.join(named[MAX_NAMES_SHOWN:])}</details>"
    return "; ".join(named[:MAX_NAMES_SHOWN]) + (more if left > 0 else "")


def _html_table(
    title: str,
    columns: Mapping[str, str],
    rows: Sequence[tuple[str, ...]],
    most: int = MAX_ROWS_SHOWN,
    note: str = "",
) -> str:
    """A table with a heading, cut where a page would become too long for a browser.

    Parameters
    ----------
    title : str
        The heading.
    columns : mapping
        The head of each column, as HTML, with the class of its cells.
    rows : sequence of tuple of str
        Cells, as HTML.
    most : int
        How many rows are shown.
    note : str
        What to know before reading it.
    """
    if not rows:
        return f'<h2>{title}</h2><p class="quiet">None.</p>'
    marks = [f' class="{kind}"' if kind else "" for kind in columns.values()]
    head = "".join(f'<th scope="col"{mark}>{name}</th>' for name, mark in zip(columns, marks, strict=True))
    body = "".join(
        f"<tr>{''.join(f'<td{mark}>{cell}</td>' for cell, mark in zip(row, marks, strict=True))}</tr>"
        for row in rows[:most]
    )
    left = len(rows) - most
    more = f'<p class="quiet">{left} more are in results.jsonl.</p>' if left > 0 else ""
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    said = f'<p class="quiet">{note}</p>' if note else ""
    return (
        f'<h2>{title}</h2>{said}<div class="wide" role="region" aria-label="{title}" tabindex="0">{table}</div>{more}'
    )


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
