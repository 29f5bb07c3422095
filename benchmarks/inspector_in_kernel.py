"""Cost of the tape inspector: recording with and without it, and the kernel's time for each message.

``python -m benchmarks.inspector_in_kernel [rounds]`` prints ratios of times that were measured alternately, and for a
tape of ten thousand rows the time and size of each message next to those of the design (``DRAWN``).
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "lab" / "kernel"))

import numpy as np
import tapes

import autodiff_kit as ak
from autodiff_kit.core.tape_observer import set_tape_observer
from autodiff_kit.lab.kernel import TapeInspector

MOST = 1.05  # of recording, with a closed inspector
# Milliseconds and bytes at ten thousand rows in the design of the panels, with another recorder.
DRAWN = {"head": (1, 24_000), "columns": (7, 349_000), "kinds": (99, 10_000), "values": (5, 29_000)}
WHATS = ["value", "tangent", "cotangent"]


def scalars():
    """A thousand operations on numbers, one tape."""
    x = ak.Variable(0.5)
    with ak.GradientTape() as tape:
        y = x * 1.0
        for _ in range(500):
            y = y * 0.999 + 0.001
    return tape


def arrays():
    """Two hundred operations on small arrays, one tape."""
    x = ak.Variable(np.full((16, 8), 0.5))
    with ak.GradientTape() as tape:
        y = x * 1.0
        for _ in range(100):
            y = ak.tanh(y) * 0.999
    return tape


def steps():
    """Twenty short tapes with their gradients, as in training."""
    w = ak.Variable(np.full((8, 4), 0.5))
    x = np.ones((16, 8))
    for _ in range(20):
        with ak.GradientTape() as tape:
            loss = ak.mean(ak.square(ak.tanh(x @ w)))
        tape.gradient(loss, w)


def seconds(work):
    """Processor time of one run, so that other processes do not count."""
    began = time.process_time()
    work()
    return time.process_time() - began


def turns(work, rounds):
    """Times without an inspector, where none is expected, where one is, and with an open one, measured alternately."""
    unseen, expected, open_ = (TapeInspector(lambda message: None, keeps_latest=k == 1) for k in range(3))
    open_.receive({"v": 1, "ask": "tape.watch"})
    observers = None, unseen, expected, open_
    found = {observer: [] for observer in observers}
    for k in range(rounds + 2):
        for onlooker in observers if k % 2 else observers[::-1]:
            set_tape_observer(onlooker)
            took = seconds(work)
            if k > 1:
                found[onlooker].append(took)
    set_tape_observer(None)
    return list(found.values())


def recording(rounds):
    """Print the ratios; return whether a closed inspector is too slow."""
    columns = f"{'plain ms':>9} {'closed':>8} {'expected':>8} {'open':>8}"
    print(f"{'recording':10} {columns}   (ratios of the best of {rounds} turns)")
    worst = 0.0
    for work in (scalars, arrays, steps):
        plain, *seen = map(min, turns(work, rounds))
        one = seen[0] / plain
        print(f"{work.__name__:10} {1e3 * plain:9.2f} " + " ".join(f"{took / plain:8.3f}" for took in seen))
        worst = max(worst, one if work is not steps else 0.0)  # most of a training step is not recording
    return worst


class Asked:
    """An inspector that gets requests; measures time and bytes of each kind of message."""

    def __init__(self):
        self.said = []
        self.inspector = TapeInspector(self.said.append).start()
        self.figures = {}

    def ask(self, ask, **more):
        """Send a request and return the reply; its time and size are stored under the name of the request."""
        began = time.process_time()
        self.inspector.receive({"v": 1, "id": 1, "ask": ask, **more})
        took = time.process_time() - began
        answer = next(m for m in reversed(self.said) if m.get("id") == 1)
        began = time.process_time()
        text = json.dumps(answer, separators=(",", ":"))
        took += time.process_time() - began
        before = self.figures.get(ask, (0.0, 0, 0))
        self.figures[ask] = (before[0] + took, before[1] + len(text), before[2] + 1)
        return answer


def messages():
    """Each kind of message on a tape of ten thousand rows, without cached results: time, bytes, number."""
    asked = Asked()
    asked.ask("tape.watch")
    record = seconds(lambda: held.append(tapes.training()))
    n = asked.ask("tape.head", tape="t1")["n"]
    for a in range(0, n, 2000):
        asked.ask("tape.columns", tape="t1", a=a, b=a + 2000)
    while "?" in (kinds := asked.ask("tape.kinds", tape="t1", a=0, b=n))["value"] + kinds["cotangent"]:
        pass
    asked.ask("tape.sweep", tape="t1", direction="forward", source=0, steps=64)
    asked.ask("tape.values", tape="t1", a=500, b=628, what=WHATS)
    asked.ask("tape.explain", tape="t1", source=0)
    asked.ask("tape.jacobian", tape="t1", source=0, target=n - 20)
    asked.ask("tape.cost", tape="t1")
    asked.ask("tape.diff", a="t1", b="t1")
    asked.inspector.stop()
    held.clear()
    return record, asked.figures


held = []


def main(rounds):
    """Print both tables."""
    worst = recording(rounds)
    runs = [messages() for _ in range(max(3, rounds // 40))]
    record = statistics.median(took for took, _ in runs)
    print(f"\n10,000 rows, recorded in {1e3 * record:.1f} ms with the inspector open")
    print(f"{'message':14} {'ms':>8} {'÷ record':>9} {'bytes':>9} {'number':>7}   design")
    for name in runs[0][1]:
        took = statistics.median(figures[name][0] for _, figures in runs)
        _, size, count = runs[0][1][name]
        drawn = DRAWN.get(name.removeprefix("tape."))
        beside = f"{drawn[0]} ms, {drawn[1]:,} B" if drawn else ""
        print(f"{name:14} {1e3 * took:8.1f} {took / record:9.2f} {size:9,} {count:7}   {beside}")
    print(f"\nclosed inspector: recording takes {worst:.3f} times as long (target: at most {MOST})")
    return int(worst > MOST)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 200))
