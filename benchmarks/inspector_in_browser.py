"""Latency of the tape inspector in JupyterLab: opening a tape, expanding rows, stepping, scrolling.

``python -m benchmarks.inspector_in_browser [rounds]`` starts a server and Chromium, and prints the median of each time
with the time that the design allows (``DRAWN``). Opening is measured from the request to the kernel to the first frame.
For a step and for expanding rows, the design counts the script's own time; the table also shows the main thread's whole
time, with styles, layout and painting of all of JupyterLab.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from tests.conftest import browser
from tests.ui.conftest import FLAGS
from tests.ui.panels.conftest import Bench, Server

# Milliseconds that the design allows; a long task takes more than 50.
DRAWN = {"open 83 nodes": 70, "open 10,003 nodes": 130, "uncollapse": 15, "step": 10, "long tasks while scrolling": 0}
TAPE = """import autodiff_kit as ak
x = ak.Variable(0.5)
with ak.GradientTape() as tape:
    y = x * 1.0
    for _ in range({pairs}):
        y = y * 0.999
        y = y + 0.001
tape.gradient(y, x)
"""
OPENED = (
    "performance.getEntriesByName('autodiff-kit:{what}').filter(one => one.detail === {n}).map(one => one.duration)"
)
WATCH = """window.long = [];
new PerformanceObserver(list => long.push(...list.getEntries().map(one => one.duration)))
    .observe({ type: 'longtask' })"""
FRAMES = "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"


class Panel(Bench):
    """A JupyterLab page whose inspector is timed."""

    def busy(self, act):
        """Milliseconds of script, and of all work, while ``act`` was done and drawn, minus those of a pause."""
        self.page.wait_for_timeout(400)
        rest = self._spent(lambda: None)
        return [max(0.0, done - idle) for done, idle in zip(self._spent(act), rest, strict=True)]

    def _spent(self, act):
        before = self._worked()
        act()
        self.page.evaluate(FRAMES)
        self.page.wait_for_timeout(150)
        return [1000 * (after - then) for after, then in zip(self._worked(), before, strict=True)]

    def _worked(self):
        """Seconds that the main thread has worked since the page was opened: in scripts, and in total."""
        said = {one["name"]: one["value"] for one in self.cdp.send("Performance.getMetrics")["metrics"]}
        return said["ScriptDuration"], said["TaskDuration"]

    def opened(self, n):
        """Milliseconds from the request for a tape to its reply and to its first frame, at each opening."""
        return [self.page.evaluate(OPENED.format(n=n, what=what)) for what in ("answered", "open")]


def open_tapes(panel, nodes, rounds):
    """Run a cell once for each round; each run makes a new tape, which the inspector opens."""
    for _ in range(rounds):
        panel.run(TAPE.format(pairs=(nodes - 3) // 4))
        panel.tape(f"{nodes:,}".replace(",", "\u202f"))
        panel.page.wait_for_timeout(1000)
    return panel.opened(nodes)


def scrolled(panel):
    """Long tasks while ten thousand rows are scrolled by 120 and by 2,600 pixels per frame."""
    panel.page.evaluate(WATCH)
    panel.page.evaluate(
        """async () => {
            const rows = document.querySelector('.akl-inspector .akl-rows');
            for (const by of [120, 2600])
                for (let i = 0; i < 120; i++) { rows.scrollTop += by; await new Promise(requestAnimationFrame); }
        }"""
    )
    panel.page.wait_for_timeout(300)
    return panel.page.evaluate("long")


def measure(panel, rounds):
    """All results of one page, in milliseconds."""
    panel.notebook()
    found = {}
    for n in (83, 10_003):
        found[f"answer {n:,} nodes"], found[f"open {n:,} nodes"] = open_tapes(panel, n, rounds)
    panel.page.wait_for_timeout(4000)  # the kinds of ten thousand rows arrive after the first frame
    collapse = panel.inspector.get_by_label("Collapse")
    found["uncollapse"] = []
    for _ in range(rounds):
        collapse.select_option("line")
        panel.page.wait_for_timeout(300)
        found["uncollapse"].append(panel.busy(lambda: collapse.select_option("none")))
    panel.focus_table()
    panel.press("f")
    found["step"] = [panel.busy(lambda: panel.page.keyboard.press(".")) for _ in range(3 * rounds)]
    found["long tasks while scrolling"] = [float(len(scrolled(panel)))]
    return found


def main():
    """Print the table."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 7
    path = browser()
    if path is None:
        sys.exit("no Chromium on PATH: nothing was measured")
    with tempfile.TemporaryDirectory() as home, sync_playwright() as playwright:
        server = Server(Path(home))
        chrome = playwright.chromium.launch(executable_path=path, args=FLAGS)
        panel = Panel(chrome.new_page(viewport={"width": 1440, "height": 900}), server)
        panel.cdp = panel.page.context.new_cdp_session(panel.page)
        panel.cdp.send("Performance.enable")
        found = measure(panel, rounds)
        chrome.close()
        server.end()
    for name, times in found.items():
        print(f"{name:28} drawn {DRAWN.get(name, ''):4}  {line(times)}")


def line(times):
    """The text of a row."""
    if not isinstance(times[0], list):
        return f"{statistics.median(times):6.1f}  ({min(times):.1f} to {max(times):.1f}; first {times[0]:.1f})"
    script, whole = (statistics.median(one[i] for one in times) for i in (0, 1))
    return f"{script:6.1f} of script, {whole:.1f} in all  (script {min(times)[0]:.1f} to {max(times)[0]:.1f})"


if __name__ == "__main__":
    main()
