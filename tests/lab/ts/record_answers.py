"""Record the kernel's replies for two real tapes: ``python tests/lab/ts/record_answers.py``.

The unit tests of the front end replay these replies, so that they need neither kernel nor browser.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parents[1] / "ui" / "panels"))

from cells import ATTENTION, PULL, PUSH, SETUP  # noqa: E402

from autodiff_kit.lab.kernel import TapeInspector  # noqa: E402


def record(name: str, *cells: str) -> None:
    """Run cells, send all requests, write the replies to a file."""
    said: list[dict[str, Any]] = []
    space: dict[str, Any] = {}
    with TapeInspector(said.append, lambda: space) as inspector:
        inspector.receive({"v": 1, "id": 0, "ask": "tape.watch"})
        for cell in cells:
            exec(compile(cell, "<cell>", "exec"), space)

        def ask(request: str, **args: Any) -> dict[str, Any]:
            inspector.receive({"v": 1, "id": 1, "ask": request, **args})
            answer = next(told for told in reversed(said) if told.get("id") == 1)
            return {key: 0 if key == "at" else value for key, value in answer.items() if key != "id"}

        tape = ask("tape.list")["tapes"][-1]["tape"]
        head = ask("tape.head", tape=tape)
        n, target, sources = head["n"], head["target"], head["sources"]
        answers = {
            "tape.head": head,
            "tape.columns": ask("tape.columns", tape=tape, a=0, b=n),
            "tape.costs": ask("tape.costs", tape=tape, a=0, b=n),
            "tape.asked": ask("tape.asked", tape=tape),
            "tape.sweep": ask("tape.sweep", tape=tape, direction="reverse", **{"from": target}, steps=64),
            "tape.values": ask("tape.values", tape=tape, a=0, b=n, what=["value", "tangent", "cotangent"]),
            "tape.kinds": ask("tape.kinds", tape=tape, a=0, b=n),
            "tape.explain": ask("tape.explain", tape=tape, target=target, source=sources[0]),
            "tape.jacobian": ask("tape.jacobian", tape=tape, target=target, source=sources[0], limit=36),
        }
    text = json.dumps(answers, ensure_ascii=False, separators=(",", ":"))
    (HERE / "recorded" / f"{name}.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    record("push", PUSH.replace("x = ", "import autodiff_kit as ak\nx = ", 1), PULL)
    record("attention", SETUP, ATTENTION)
