"""Pages for people: feedback for each learner, and a report for the teacher. Plain HTML that needs nothing else."""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from autodiff_kit.exercises.messages import format_points, format_score
from autodiff_kit.lessons.atomic_files import write_atomically

from .results import Mark, Result
from .similarity import Pair
from .submission import named_lesson

__all__ = ["feedback", "file_name", "report", "write_pages"]

WORDS = {
    "passed": "Passed",
    "partial": "Nearly",
    "not yet": "Not yet",
    "error": "Stopped",
    "not attempted": "Not begun",
}
STYLE = """
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 46rem; margin: 2rem auto; padding: 0 1rem; }
article { border-left: 4px dashed #777; padding: 0 0 0 1rem; margin: 1.5rem 0; }
article.passed { border-left: 4px solid #1976d2; }
h2 { margin-top: 2.5rem; } h3 { margin: 0; }
pre, code { font: 0.9em/1.4 ui-monospace, monospace; } pre { overflow-x: auto; }
table { border-collapse: collapse; } th, td { text-align: left; padding: .2rem 1rem .2rem 0; vertical-align: top; }
td.bar { width: 14rem; } td.bar span { display: inline-block; height: .8rem; background: #1976d2; }
.quiet { opacity: .75; }
"""


def write_pages(folder: Path, results: Sequence[Result], pairs: Sequence[Pair]) -> None:
    """Write ``feedback/<learner>.html`` for each learner, and ``report.html``.

    Parameters
    ----------
    folder : Path
        Where to.
    results : sequence of Result
        Of the whole batch.
    pairs : sequence of Pair
        Answers that are alike.
    """
    by_learner: dict[str, list[Result]] = {}
    for result in results:
        by_learner.setdefault(result.learner, []).append(result)
    for learner, own in by_learner.items():
        write_atomically(folder / "feedback" / file_name(learner), feedback(learner, own).encode("utf-8", "replace"))
    write_atomically(folder / "report.html", report(results, pairs).encode("utf-8", "replace"))


def file_name(learner: str) -> str:
    """The name of a learner's page."""
    return re.sub(r"[/\\:\x00]", "_", learner) + ".html"


def feedback(learner: str, results: Iterable[Result]) -> str:
    """A learner's page: for each question what was earned and what to look at next."""
    parts = [_exercise(result) for result in sorted(results, key=lambda result: result.exercise)]
    return _page(f"Feedback for {learner}", "\n".join(parts))


def report(results: Sequence[Result], pairs: Sequence[Pair]) -> str:
    """The teacher's page: who to look at, which ideas went wrong, which answers are alike."""
    statuses = Counter(result.status for result in results)
    counted = ", ".join(f"{count} {status}" for status, count in sorted(statuses.items()))
    body = f"<p>{len(results)} submissions: {counted or 'none'}.</p>"
    return _page("Report", body + _to_look_at(results) + _misconceptions(results) + _outcomes(results) + _alike(pairs))


def _exercise(result: Result) -> str:
    points = format_score(round(result.score, 2), result.max_score)
    late = f", after {format_points(round(result.penalty, 2))} for being late" if result.penalty else ""
    title = _titles(result).get("", result.exercise or "Your submission")
    head = f"<h2>{_text(title)}</h2><p><strong>{points}</strong>{late}.</p>"
    if result.status != "graded":
        head += f"<p><strong>{_text(result.status.capitalize())}.</strong> {_text(result.reason)}</p>"
    told = [remark for remark in result.remarks if remark.startswith("Cell ")]
    cells = (
        f"<p>While your notebook ran:</p><ul>{''.join(f'<li>{_text(one)}</li>' for one in told)}</ul>" if told else ""
    )
    titles = _titles(result)
    return head + "\n".join(_question(mark, titles.get(mark.question, mark.question)) for mark in result.marks) + cells


def _titles(result: Result) -> dict[str, str]:
    """Titles by question, and the exercise's own under the empty name."""
    if not result.exercise:
        return {}
    lesson = named_lesson(result.exercise)
    return {"": lesson.title, **{question.id: question.title for question in lesson.questions}}


def _question(mark: Mark, title: str) -> str:
    kind = "passed" if mark.outcome == "passed" else "open"
    points = format_score(mark.points, mark.max_points)
    lines = "<br>".join(_marked_up(line) for line in mark.message.split("\n"))
    return (
        f'<article class="{kind}"><h3>{_text(mark.question)} · {_text(title)}</h3>'
        f"<p>{WORDS[mark.outcome]}: {points}</p><p>{lines}</p></article>"
    )


def _to_look_at(results: Sequence[Result]) -> str:
    rows = [
        f"<tr><td>{_text(result.learner)}</td><td>{_text(result.exercise)}</td><td>{result.status}</td>"
        f"<td>{_text(' '.join((result.reason, *result.remarks)))}</td></tr>"
        for result in results
        if result.status != "graded" or result.remarks
    ]
    return _table("To look at", ("learner", "exercise", "status", "why"), rows)


def _misconceptions(results: Sequence[Result]) -> str:
    """How often each named idea was behind an answer."""
    named = Counter((mark.question, mark.misconception) for r in results for mark in r.marks if mark.misconception)
    most = max(named.values(), default=1)
    rows = [
        f"<tr><td>{_text(question)}</td><td><code>{_text(name)}</code></td><td>{count}</td>"
        f'<td class="bar"><span style="width:{100 * count // most}%"></span></td></tr>'
        for (question, name), count in sorted(named.items(), key=lambda item: (-item[1], item[0]))
    ]
    return _table("Misconceptions", ("question", "name", "answers", ""), rows)


def _outcomes(results: Sequence[Result]) -> str:
    counts: dict[str, Counter[str]] = {}
    for result in results:
        for mark in result.marks:
            counts.setdefault(mark.question, Counter())[mark.outcome] += 1
    rows = [
        f"<tr><td>{_text(question)}</td>{''.join(f'<td>{found[outcome]}</td>' for outcome in WORDS)}</tr>"
        for question, found in counts.items()
    ]
    return _table("Questions", ("question", *WORDS), rows)


def _alike(pairs: Sequence[Pair]) -> str:
    rows = [
        f"<tr><td>{_text(pair.question)}</td><td>{_text(pair.first)}</td><td>{_text(pair.second)}</td>"
        f"<td>{100 * pair.share:.0f} %</td></tr>"
        for pair in pairs
    ]
    return _table("Answers that are alike", ("question", "learner", "and", "alike"), rows)


def _table(title: str, head: Sequence[str], rows: Sequence[str]) -> str:
    if not rows:
        return f'<h2>{title}</h2><p class="quiet">None.</p>'
    cells = "".join(f'<th scope="col">{name}</th>' for name in head)
    return f"<h2>{title}</h2><table><thead><tr>{cells}</tr></thead><tbody>{''.join(rows)}</tbody></table>"


def _page(title: str, body: str) -> str:
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{_text(title)}</title>'
        f'<meta name="viewport" content="width=device-width, initial-scale=1"><style>{STYLE}</style></head>'
        f"<body><main><h1>{_text(title)}</h1>\n{body}\n</main></body></html>\n"
    )


def _text(text: str) -> str:
    return html.escape(text)


def _marked_up(line: str) -> str:
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", html.escape(line))
