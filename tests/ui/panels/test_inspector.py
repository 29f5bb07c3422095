"""The tape inspector, on tapes that real cells record."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from playwright.sync_api import expect

from ..conftest import IN_BOTH
from .cells import ATTENTION, FIRST, LONG, NAN, ONCE, ONE, PULL, PUSH, SETUP


def test_a_tape_is_stepped_forward_and_swept_back(bench: Any) -> None:
    bench.notebook()
    bench.run(SETUP, PUSH)
    bench.tape(12)
    where = bench.inspector.locator(".akl-where")
    expect(where).to_have_text("not begun")
    expect(bench.row(0).locator(".akl-td").nth(2)).to_have_text("[2 3 −1]")
    assert bench.cells(0)[-1] == "·", "blank is not zero"

    bench.focus_table()
    bench.press(".", ".", ".", ".")
    expect(where).to_have_text("4 / 12")
    expect(bench.row(3)).to_have_class(re.compile("akl-now"))
    assert bench.cells(4)[0] == "·", "what the head has not reached is blank"
    assert bench.marked("now") == ["a = x[0] * x[1]"]
    expect(bench.inspector.locator(".akl-detail")).to_contain_text("a · b of getitem #1, getitem #2")
    bench.press("Shift+End")
    expect(where).to_have_text("recorded")

    bench.run(PULL)
    expect(where).to_have_text("swept")
    expect(bench.row(0).locator(".akl-td").last).to_have_text("[11 3 −1]")
    bench.focus_table()
    bench.press("r")
    expect(where).to_have_text("not begun")
    bench.press(".")
    expect(bench.row(11).locator(".akl-td").last).to_have_text("[1 −1 2]")
    bench.press(".", ".", ".")
    expect(bench.row(7).locator(".akl-v-send")).to_have_text("↑ 8")
    expect(bench.inspector.locator(".akl-detail")).to_contain_text("sends getitem #7 8")
    bench.press("Shift+End")
    expect(bench.row(0).locator(".akl-td").last).to_have_text("[11 3 −1]")


@pytest.mark.slow
def test_tangents_show_once_an_input_was_seeded(bench: Any) -> None:
    bench.notebook()
    bench.run(SETUP, PUSH)
    bench.tape(12)
    assert bench.inspector.locator(".akl-th-tangent").count() == 0
    bench.row(0).click()
    bench.inspector.get_by_role("button", name="Push a tangent").click()
    expect(bench.inspector.locator(".akl-th-tangent")).to_be_visible()
    expect(bench.row(3).locator(".akl-v-fwd")).to_have_text("5")

    field = bench.inspector.get_by_label("Tangent of x")
    expect(field).to_have_value("1 1 1")
    field.fill("1 2")
    field.press("Enter")
    expect(bench.inspector.locator(".akl-seed-said")).to_have_text(
        "This input has 3 entries: write 3 numbers, such as 1 2 −1, or one number for all; got 2."
    )
    expect(bench.row(3).locator(".akl-v-fwd")).to_have_text("5")
    field.fill("1 2 −1")
    field.press("Enter")
    expect(bench.row(11).locator(".akl-v-fwd")).to_have_text("[7 −5 3]")
    expect(field).to_be_focused()
    expect(field).to_have_value("1 2 −1")


def test_a_none_is_found_explained_and_marked(bench: Any) -> None:
    bench.notebook()
    bench.run(SETUP, ATTENTION)
    bench.tape(66)
    expect(bench.inspector.locator(".akl-badge")).to_have_text("1")
    bench.inspector.locator(".akl-rows").focus()
    bench.press("n")
    expect(bench.inspector.locator(".akl-sel .akl-name")).to_have_text("temperature")
    expect(bench.inspector.locator(".akl-sel .akl-v-none")).to_have_text("None")
    bench.inspector.get_by_role("button", name="Why None?").click()
    expect(bench.inspector.locator(".akl-verdict")).to_contain_text("no slope")
    expect(bench.inspector.locator(".akl-chain-gap")).to_contain_text('s = s / ak.cast(temperature, "int64")')
    assert any("ak.cast(temperature" in line for line in bench.marked("torn"))
    bench.view("graph")
    expect(bench.inspector.locator(".akl-box.is-torn")).to_have_count(1)
    # A line that is no longer there is never pointed at.
    bench.js(
        """() => { const cell = jupyterapp.shell.currentWidget.content.widgets.at(-1);
            cell.model.sharedModel.setSource('# a new first line\\n' + cell.model.sharedModel.getSource()); }"""
    )
    bench.view("why")
    bench.inspector.locator(".akl-chain-gap button").hover()
    expect(bench.page.locator(".cm-line.akl-line-torn")).to_have_count(0)


@IN_BOTH
def test_the_first_tape_of_a_notebook_is_complete(bench: Any) -> None:
    bench.notebook()
    bench.run(FIRST)
    bench.command("autodiff-kit:open-inspector")
    bench.tape(13)
    expect(bench.inspector.locator(".akl-badge")).to_have_text("1")
    expect(bench.inspector.locator(".akl-view :is(.akl-v-lost, .akl-v-load)")).to_have_count(0)
    expect(bench.inspector.locator(".akl-name", has_text="total")).to_have_count(1)
    bench.shot("first-tape")

    bench.inspector.locator(".akl-view .akl-name", has_text=re.compile("^W$")).click()
    blocks = bench.inspector.locator(".akl-block")
    expect(blocks.filter(has_text="↑ cotangent").locator(".akl-matrix td")).to_have_count(12)
    expect(bench.inspector.locator(".akl-detail .akl-matrix")).to_have_count(1)
    bench.shot("first-tape-detail")

    bench.view("why")
    used, computed = (bench.inspector.locator(".akl-chain-side").nth(k) for k in range(2))
    expect(bench.inspector.locator(".akl-verdict")).to_contain_text("lost is used for side (multiply, line 8)")
    expect(used.locator("li").last).to_contain_text("The path ends at multiply")
    expect(computed).not_to_contain_text("lost")
    bench.shot("first-tape-why")


WIDE = """
import numpy as np
import autodiff_kit as ak
W = ak.Variable(np.full((3, 8), -0.0123) + np.arange(24).reshape(3, 8) * -1e-4, name="W")
with ak.GradientTape() as tape:
    total = ak.sum(W * W)
g = tape.gradient(total, W)
""".strip()


@pytest.mark.slow
def test_every_entry_of_a_matrix_wider_than_the_panel_is_within_reach(bench: Any) -> None:
    bench.notebook()
    bench.run(WIDE)
    bench.command("autodiff-kit:open-inspector")
    bench.tape(3)
    bench.inspector.locator(".akl-view .akl-name", has_text=re.compile("^W$")).click()
    box = bench.inspector.locator(".akl-matrix-box")
    expect(box.locator("td")).to_have_count(24)
    bench.shot("wide-matrix")
    box.focus()
    expect(box).to_be_focused()
    seen = """box => { const edge = box.getBoundingClientRect().right;
        const last = box.querySelector('td:last-child');
        last.scrollIntoView({ inline: 'end' });
        const panel = box.closest('.akl').getBoundingClientRect().right;
        return [last.getBoundingClientRect().right <= edge + 1, edge <= panel]; }"""
    assert box.evaluate(seen) == [True, True]


@pytest.mark.slow
def test_the_signs_are_explained_and_what_is_not_kept_is_said(bench: Any) -> None:
    bench.notebook()
    bench.run("import os; del os.environ['AUTODIFF_KIT_PANELS']", FIRST)
    bench.command("autodiff-kit:open-inspector")
    bench.tape(13)
    expect(bench.inspector.locator(".akl-banners")).to_contain_text("no inspector was listening")
    expect(bench.inspector.locator(".akl-view .akl-v-load")).to_have_count(0)
    expect(bench.inspector.locator(".akl-view .akl-v-lost").first).to_have_text("not kept")
    assert bench.cells(5) == ["not kept", "not kept"], "value and cotangent"
    signs = bench.inspector.locator(".akl-legend")
    expect(signs.locator("dl")).to_be_hidden()
    bench.shot("not-kept")
    signs.locator("summary").focus()
    bench.press("Enter")
    expect(signs.locator("dl")).to_contain_text("no path leads from here to the target")
    bench.shot("legend")


@pytest.mark.slow
def test_connected_nodes_show_their_path_and_jacobian(bench: Any) -> None:
    bench.notebook()
    bench.run(SETUP, PUSH)
    bench.tape(12)
    bench.row(3).click()
    bench.focus_table()
    bench.press("]")
    expect(bench.inspector.locator(".akl-verdict.is-ok")).to_be_visible()
    expect(bench.inspector.locator(".akl-jac .akl-matrix")).to_contain_text("3")
    expect(bench.inspector.locator(".akl-jac td")).to_have_text(["3", "2", "0"])


@pytest.mark.slow
def test_a_gradient_of_a_value_off_the_tape_is_none_everywhere(bench: Any) -> None:
    bench.notebook()
    bench.run(SETUP, PUSH)
    bench.tape(12)
    bench.run("assert tape.gradient(ak.stop_gradient(y), x) is None")
    expect(bench.inspector.locator(".akl-banners")).to_contain_text("None everywhere")
    expect(bench.row(0).locator(".akl-td").last).to_have_text("None")
    expect(bench.inspector.locator(".akl-tag", has_text="target")).to_have_count(0)
    bench.shot("off_the_tape")


def test_the_first_nan_has_a_banner_and_a_line(bench: Any) -> None:
    bench.notebook()
    bench.run(SETUP, NAN)
    bench.open_inspector()
    banner = bench.inspector.locator(".akl-banner.is-nan")
    expect(banner).to_contain_text("subtract")
    expect(banner).to_contain_text("−∞ − (−∞)")
    assert any("e = ak.exp(s - top)" in line for line in bench.marked("nan"))
    banner.get_by_role("button", name="Show").click()
    expect(bench.inspector.locator(".akl-now .akl-v-nan").first).to_be_visible()


@pytest.mark.slow
def test_ten_thousand_nodes_open_collapsed(bench: Any) -> None:
    bench.notebook()
    bench.run(SETUP, LONG)
    bench.tape("10\u202f004")
    rows = bench.inspector.locator(".akl-tr:not([hidden])")
    expect(rows).to_have_count(3)
    bench.inspector.get_by_label("Collapse").select_option("none")
    expect(bench.inspector.locator(".akl-rows")).to_have_attribute("aria-rowcount", "10005")
    assert rows.count() < 60
    bench.inspector.get_by_label("Find nodes").fill("#9000")
    expect(rows).to_have_count(1)
    bench.inspector.get_by_label("Find nodes").fill("")
    bench.view("graph")
    assert bench.inspector.locator(".akl-box").count() <= 240
    bench.view("table")
    bench.inspector.get_by_label("Collapse").select_option("module")
    bench.focus_table()
    bench.press("Home", "ArrowDown", "ArrowRight")
    expect(bench.inspector.locator("[aria-expanded=true]")).to_have_count(1)


@pytest.mark.slow
def test_rows_are_collapsed_in_the_frame_of_a_step(bench: Any) -> None:
    """The head's move is drawn first, on rows that were made before: they know the groups that they were made of."""
    bench.notebook()
    bench.run(SETUP, ATTENTION)
    bench.tape(66)
    at_once = """([select, table], by) => {
      table.dispatchEvent(new KeyboardEvent('keydown', { key: '.', bubbles: true }));
      select.value = by;
      select.dispatchEvent(new Event('change', { bubbles: true }));
    }"""
    parts = bench.inspector.locator(".akl-rows, select[aria-label=Collapse]")
    rows = bench.inspector.locator(".akl-tr.akl-group:not([hidden])")
    bench.focus_table()
    bench.press("f")
    for step, by in enumerate(("line", "none", "module", "line"), 1):
        parts.evaluate_all(at_once, by)
        expect(rows).to_have_count(0) if by == "none" else expect(rows).not_to_have_count(0)
        expect(bench.inspector.locator(".akl-where")).to_have_text(f"{step} / 66")


SLOW_COSTS = """
import time
from autodiff_kit.lab.kernel import requests
costs = requests.REQUEST_HANDLERS["tape.costs"]
requests.REQUEST_HANDLERS["tape.costs"] = lambda *asked: (time.sleep(6), costs(*asked))[1]
"""


@pytest.mark.slow
def test_no_figure_stands_where_none_is_known_yet(bench: Any) -> None:
    bench.notebook()
    bench.run(SETUP, SLOW_COSTS, ATTENTION)
    bench.tape(66)
    for view in ("cost", "memory"):
        bench.view(view)
        expect(bench.inspector.locator(f".akl-{view}")).to_have_text("Asking the kernel …")
    expect(bench.inspector.locator(".akl-memory .akl-figures")).to_contain_text("KiB", timeout=20_000)
    bench.view("cost")
    expect(bench.inspector.locator(".akl-cost .akl-figures")).to_contain_text("forward")


@pytest.mark.slow
def test_one_node_and_a_tape_that_let_go(bench: Any) -> None:
    bench.notebook()
    bench.run(SETUP, ONE)
    bench.tape(1)
    expect(bench.inspector.locator(".akl-banner")).to_contain_text("alone is watched")
    expect(bench.inspector.locator(".akl-strip")).to_be_hidden()
    bench.run(ONCE)
    expect(bench.inspector.locator(".akl-facts")).to_contain_text("one use")
    expect(bench.inspector.locator(".akl-tr:not([hidden])").nth(3)).to_be_visible()


@pytest.mark.slow
def test_views_show_cost_memory_and_two_tapes(bench: Any) -> None:
    bench.notebook()
    bench.run(SETUP, PUSH, ATTENTION)
    bench.tape(66)
    bench.inspector.focus()
    bench.press("c")
    expect(bench.inspector.locator(".akl-dear li")).to_have_count(5)
    expect(bench.inspector.locator(".akl-dear li").first).to_contain_text("q, k, v = x @ W_q")
    assert len(bench.marked("heat")) > 10
    bench.press("m")
    expect(bench.inspector.locator(".akl-memory")).to_contain_text("5.51\u202fKiB")
    assert bench.marked("heat") == []
    bench.press("d")
    expect(bench.inspector.locator(".akl-diff-sum")).to_contain_text("only in A")
    bench.run(ATTENTION.replace("as attention", "as attention").replace("0.0)", "0.1)"))
    bench.inspector.focus()
    bench.press("d")
    expect(bench.inspector.locator(".akl-diff-sum")).to_contain_text("−0 only in A · +0 only in B")
    expect(bench.inspector.locator(".akl-diff-row.is-changed").first).to_be_visible()


@pytest.mark.slow
def test_what_the_pointer_does_in_drawing_and_diff_the_keys_do_too(bench: Any) -> None:
    bench.notebook()
    bench.run(SETUP, PUSH, ATTENTION)
    bench.tape(66)
    bench.view("graph")
    scene = bench.inspector.locator(".akl-graph svg > g").first

    def place() -> list[float]:
        return [float(x) for x in re.findall(r"-?[\d.]+", scene.get_attribute("transform"))]

    bench.inspector.locator(".akl-graph svg[role=tree]").focus()
    x, y, scale = place()
    bench.press("Shift+ArrowDown", "Shift+ArrowRight", "Shift+ArrowRight")
    assert place() == [x - 96, y - 48, scale]
    bench.press("+")
    assert place()[2] == round(scale * 1.25, 3)
    bench.press("0", "-")
    assert place()[2] < scale * 1.25

    bench.view("diff")
    grid = bench.inspector.get_by_role("grid")
    grid.focus()
    bench.press("ArrowDown", "ArrowDown")
    expect(bench.inspector.locator(".akl-diff-row[aria-selected=true]")).to_have_count(1)
    active = grid.get_attribute("aria-activedescendant")
    expect(bench.inspector.locator(f"#{active}")).to_have_attribute("aria-selected", "true")
    bench.press("End")
    expect(grid).not_to_have_attribute("aria-activedescendant", str(active))


@pytest.mark.slow
def test_the_drawing_is_saved_as_svg_and_png(bench: Any) -> None:
    bench.notebook()
    bench.run(SETUP, PUSH)
    bench.tape(12)
    bench.view("graph")
    expect(bench.inspector.locator(".akl-box")).to_have_count(12)
    with bench.page.expect_download() as svg:
        bench.inspector.get_by_role("button", name="Save as SVG").click()
    text = svg.value.path().read_text()
    assert text.startswith("<svg")
    assert text.count("multiply") == 2
    assert "class=" not in text
    with bench.page.expect_download() as png:
        bench.inspector.get_by_role("button", name="Save as PNG").click()
    assert png.value.path().read_bytes().startswith(b"\x89PNG")


@pytest.mark.slow
def test_a_reload_a_restart_and_two_notebooks(own_bench: Any) -> None:
    bench = own_bench
    bench.notebook()
    bench.run(SETUP, PUSH)
    bench.tape(12)
    path = bench.js("jupyterapp.shell.currentWidget.context.path")
    bench.js("jupyterapp.shell.currentWidget.context.save()")
    bench.page.goto(f"{bench.server.url}lab/tree/{path}?token={bench.server.token}")
    bench.page.wait_for_function("window.jupyterapp && jupyterapp.shell.currentWidget?.sessionContext", timeout=60_000)
    bench.idle()
    bench.command("autodiff-kit:open-inspector")
    bench.tape(12)
    expect(bench.row(3).locator(".akl-td").nth(2)).to_have_text("6")

    bench.js("jupyterapp.shell.currentWidget.sessionContext.session.kernel.restart()")
    bench.idle()
    bench.tape(12)  # what was sent stays
    bench.run("import autodiff_kit as ak\n" + ONE)
    bench.tape(1)

    bench.notebook()
    expect(bench.inspector).to_have_attribute("data-state", "empty")
    bench.run(SETUP, ATTENTION)
    bench.tape(66)
    bench.js("path => jupyterapp.commands.execute('docmanager:open', { path })", path)
    bench.tape(1)


@pytest.mark.slow
def test_a_pinned_tape_stays(bench: Any) -> None:
    bench.notebook()
    bench.run(SETUP, PUSH)
    bench.tape(12)
    bench.focus_table()
    bench.press("p")
    bench.run(ATTENTION)
    expect(bench.inspector.locator(".akl-tape-pick option")).to_have_count(2)
    bench.tape(12)


@pytest.mark.slow
def test_plain_keys_never_reach_the_notebook(bench: Any) -> None:
    bench.notebook()
    bench.run(SETUP, PUSH)
    bench.tape(12)
    count = "jupyterapp.shell.currentWidget.content.widgets.length"
    before = bench.js(count)
    bench.focus_table()
    bench.press("b", "a", "d", "d", "x", "z", "Enter", "m", "y", "t")
    for root in (".akl-syllabus .akl-lesson[tabindex='0']",):
        bench.command("autodiff-kit:open-syllabus")
        bench.page.locator(root).focus()
        bench.press("b", "a", "d", "d", "x")
    assert bench.js(count) == before
    kinds = bench.js("jupyterapp.shell.currentWidget.content.widgets.map(cell => cell.model.type)")
    assert set(kinds) == {"code"}


@pytest.mark.slow
def test_nothing_is_asked_while_the_panel_is_hidden(bench: Any) -> None:
    bench.notebook()
    bench.run(SETUP, PUSH)
    bench.tape(12)
    bench.command("autodiff-kit:open-exercises")
    bench.page.wait_for_timeout(1000)  # what was asked before is answered
    bench.js(
        """() => { window.sent = []; jupyterapp.shell.currentWidget.sessionContext.session.kernel.anyMessage.connect(
            (_, { msg, direction }) => {
                if (msg.header.msg_type === 'comm_msg') sent.push([direction, msg.content.data]); }); }"""
    )
    bench.run(ATTENTION, PUSH)
    bench.page.wait_for_timeout(500)
    sent = bench.js("sent")
    assert [data for direction, data in sent if direction == "send"] == []
    told = [data for direction, data in sent if direction == "recv"]
    assert told
    assert {data.get("type", str(data)) for data in told} == {"tape/new"}
    assert max(len(json.dumps(data)) for data in told) <= 200


@pytest.mark.slow
def test_the_inspector_stands_in_the_main_area_and_goes_home(bench: Any) -> None:
    bench.notebook()
    bench.run(SETUP, ATTENTION)
    bench.tape(66)
    bench.inspector.get_by_role("button", name="Open in the main area").click()
    expect(bench.page.locator("#autodiff-kit-main .akl-inspector")).to_be_visible()
    bench.tape(66)
    icon = bench.page.locator(".jp-SideBar .lm-TabBar-tab[data-id='autodiff-kit-inspector']")
    icon.click()  # closes the side panel, which is empty now
    icon.click()  # and brings the inspector back to it
    expect(bench.page.locator("#autodiff-kit-main")).to_have_count(0)
    expect(bench.page.locator("#autodiff-kit-inspector .akl-inspector")).to_be_visible()
    bench.inspector.get_by_role("button", name="Open in the main area").click()
    expect(bench.page.locator("#autodiff-kit-main .akl-inspector")).to_be_visible()
    bench.js("document.querySelector('#autodiff-kit-main') && jupyterapp.commands.execute('application:close')")
    bench.command("autodiff-kit:open-inspector")
    expect(bench.page.locator("#autodiff-kit-inspector .akl-inspector")).to_be_visible()
