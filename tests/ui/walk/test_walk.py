"""A newcomer's first hour, from the first click to coming back the next day, on an installed wheel.

Every number is read from the notebooks' metadata or from the kernel at the time; none of them stands here.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Request, expect

from autodiff_kit.exercises.questions.lesson01.jvp_2 import solution as jvp_2

from .learner import PATIENCE, TALLEST, Learner

# Nodes that are recorded name what they read; a leaf, an input or a constant, has a negative number.
LEAVES = "len({i for node in tape.nodes for i in node.inputs if i < 0})"
AGAIN = """with ak.GradientTape(persistent=True) as tape:
    tape.watch(x)
    y = f(x)
print(tape.gradient(y, x, output_gradients=u))"""
OWN = """v = ak.Variable([1.0, 4.0], name="v")
scale = ak.Variable(2.0, name="scale")
with ak.GradientTape(persistent=True) as mine:
    stretched = v * ak.cast(scale, "int64")
    total = ak.sum(stretched * stretched)
print(mine.gradient(total, scale))"""

# Right rows and columns; the gradient of a vector is taken for its mean.
WRONG = inspect.getsource(jvp_2).replace("return pull(np.ones(len(y)))", "return pull(np.ones(len(y)) / len(y))")


@pytest.fixture
def mira(kit: Any, server: Any, chrome: Browser) -> Iterator[Learner]:
    page = chrome.new_page(viewport={"width": 1280, "height": TALLEST})
    expect.set_options(timeout=PATIENCE)
    one = Learner(page, server)
    yield one
    expect.set_options(timeout=5_000)
    one.shot("last")
    page.close()


@pytest.mark.slow
def test_the_walk(mira: Learner, kit: Any, server: Any) -> None:
    first_start(mira)
    reads_the_syllabus(mira)
    opens_the_lesson(mira)
    predicts(mira)
    records_a_tape(mira)
    steps_forward(mira)
    turns_round(mira)
    draws_it(mira)
    meets_a_none(mira)
    asks_why(mira)
    mends_the_line(mira)
    opens_the_exercises(mira)
    checks_a_wrong_answer(mira)
    takes_a_hint_and_passes(mira)
    hands_in(mira)
    comes_back_the_next_day(mira)
    starts_over(mira)
    assert mira.complaints == [], "nothing of ours may complain on the console"
    assert mira.hosts <= {server.url.split("/")[2], ""}, "no request may leave the server"
    came_from_the_wheel(mira, kit)


def first_start(mira: Learner) -> None:
    """1. The syllabus stands open beside the welcome page; page, rail and menu lead to the same place."""
    expect(mira.syllabus).to_be_visible()
    welcome = mira.page.locator(".akl-welcome")
    mira.shot("1")
    expect(welcome.get_by_role("button", name="Begin with lesson 00")).to_be_visible()
    expect(mira.page.locator(".jp-Launcher")).to_have_count(0)
    expect(mira.page.locator(".lm-MenuBar-itemLabel", has_text="Autodiff")).to_be_visible()
    with mira.page.expect_request(closes_the_left):
        mira.js("jupyterapp.shell.collapseLeft()")
    mira.load()
    expect(mira.page.locator(".jp-Launcher, .akl-welcome").first).to_be_visible()
    expect(mira.syllabus).to_be_hidden()  # by itself this once only
    mira.page.locator(".lm-TabBar-tab[data-id=autodiff-kit-syllabus]").click()
    expect(mira.syllabus).to_be_visible()


def closes_the_left(request: Request) -> bool:
    """JupyterLab keeps, a moment later, that the left side is closed."""
    kept = request.post_data or ""
    return "/api/workspaces/" in request.url and re.search(r'"left":\s*\{[^{}]*"collapsed":\s*true', kept) is not None


def reads_the_syllabus(mira: Learner) -> None:
    """2. Empty rings, one filled button, and nothing is locked."""
    all_of_it = mira.told("syllabus")
    lessons, upcoming = all_of_it["lessons"], all_of_it["progress"]["next"]
    rows = mira.syllabus.locator(".akl-lesson")
    expect(rows).to_have_count(len(lessons))
    expect(mira.syllabus.locator(".akl-lesson.is-none")).to_have_count(len(lessons))
    expect(mira.syllabus.locator(".akl-primary")).to_have_count(1)
    expect(mira.syllabus.locator(".akl-next")).to_contain_text(f"about {upcoming['minutes']} min")
    later = next(one for one in lessons if not one["coming"] and one["needs"] and one["no"] != upcoming["lesson"])
    row = mira.syllabus.locator(f'.akl-lesson[data-no="{later["no"]}"]')
    row.locator(".akl-lesson-row").click()
    expect(row).to_contain_text("You can start anyway")
    expect(row.get_by_role("button", name="Start")).to_be_enabled()


def opens_the_lesson(mira: Learner) -> None:
    """3. The notebook beside the syllabus; an empty inspector when it is asked for, and the syllabus makes room."""
    mira.page.set_viewport_size({"width": 1024, "height": TALLEST})
    row = mira.syllabus.locator('.akl-lesson[data-no="01"]')
    if not row.get_by_role("button", name="Start").is_visible():
        row.locator(".akl-lesson-row").click()
    row.get_by_role("button", name="Start").click()
    mira.opened("01_")
    expect(mira.inspector).to_be_hidden()
    code = mira.page.locator(".jp-Notebook:visible .jp-CodeCell .jp-InputArea-editor").first.bounding_box()
    assert code
    assert code["width"] > 400, "room for forty letters of code and more"
    mira.open_inspector()
    expect(mira.inspector).to_contain_text("Run a cell that records one")
    expect(mira.syllabus).to_be_hidden()
    mira.shot("3")
    mira.page.set_viewport_size({"width": 1280, "height": TALLEST})
    mira.command("autodiff-kit:open-syllabus")
    inside, rail = mira.inspector.bounding_box(), mira.page.locator(".jp-SideBar.jp-mod-right").bounding_box()
    assert inside
    assert rail
    assert inside["x"] + inside["width"] <= rail["x"] + 1, "nothing of the inspector is cut off"
    mira.ring("01", "begun")


def predicts(mira: Learner) -> None:
    """4. An answer is committed before the cell runs; the ring is half full."""
    mira.run_to('predict("vector-target")')
    box = mira.cell('predict("vector-target")').locator(".ak-predict")
    box.locator("label:has-text('the 3 × 3 matrix')").click()
    box.locator("button:text-is('Commit my answer')").click()
    box.locator("[role=status]:has-text('Locked: ')").wait_for()
    mira.ring("01", "begun")  # in the same moment: nobody asks the panel to look again
    mira.shot("4")


def records_a_tape(mira: Learner) -> None:
    """5. The strip is exposed; blank is not zero and not None."""
    mira.run_to("of_the_vector = tape")
    nodes = mira.kernel(f"len(tape.nodes) + {LEAVES}")
    mira.tape(nodes)
    expect(mira.where()).to_have_text("swept")  # the lesson's cell asked for a gradient
    mira.inspector.get_by_role("button", name="Rewind").click()
    mira.inspector.get_by_role("radio", name="Forward").click()
    expect(mira.where()).to_have_text("not begun")
    for blank in (mira.cells(nodes - 1)[0], mira.last(0), mira.last(nodes - 1)):
        assert blank == "·", "blank is neither 0 nor None"
    mira.shot("5")


def steps_forward(mira: Learner) -> None:
    """6 and 7. The head goes down the rows, and the line of code beside it lights up; at the end a step stays."""
    mira.row(0).click()
    field = mira.inspector.get_by_label(re.compile("Tangent of"))
    field.fill("1 2 −1")
    field.press("Enter")
    mira.focus_table()
    mira.press("Shift+Home", ".", ".", ".")
    mira.shot("6")
    expect(mira.inspector.locator(".akl-tr.akl-now")).to_have_count(1)
    mira.cell("def f(x):")  # JupyterLab lays out only the cells in view, and she scrolls to this one
    assert mira.marked("now") == ["return ak.stack([x[0] * x[1], x[1] * x[2], x[0] ** 2 + x[2]])"]
    mira.press("Shift+End")
    expect(mira.where()).to_have_text("recorded")
    mira.press(".")
    expect(mira.where()).to_have_text("recorded")
    last = mira.kernel(f"len(tape.nodes) + {LEAVES}") - 1
    mira.shot("7")
    told = mira.row(last).locator(".akl-v-fwd").inner_text()
    mira.run_to("jv = push.jvp(y)")
    assert told == mira.numbers("jv")


def turns_round(mira: Learner) -> None:
    """8 and 9. On its way is dashed, final is plain; the forward numbers stay; both inner products agree."""
    mira.run_to("print(vector(uj, 0))")
    mira.insert_and_run(AGAIN)
    target, pulled = mira.kernel(f"len(tape.nodes) + {LEAVES}") - 1, mira.numbers("uj")
    cotangent = mira.row(0).locator(".akl-td").last
    expect(cotangent).to_have_text(pulled)
    value = mira.cells(0)[0]

    mira.focus_table()
    mira.press("Shift+Home", ".")
    expect(mira.row(target).locator(".akl-td").last).to_have_text(mira.numbers("u"))
    on_its_way = mira.inspector.locator(".akl-tr:not([hidden]) .akl-v-send")  # rows without use are kept, hidden
    sums = []
    for _ in range(target):
        mira.press(".")
        mira.page.wait_for_timeout(150)  # what a node sends is asked of the kernel
        sums += on_its_way.all_inner_texts()
    mira.shot("8")
    assert any("↑" in text for text in sums)
    mira.press("Shift+End")
    expect(mira.where()).to_have_text("swept")
    expect(on_its_way).to_have_count(0)
    assert (mira.cells(0)[0], mira.last(0)) == (value, pulled), "the forward numbers stay where they were"
    mira.run_to("from_the_pull = ")
    both = [mira.printed(f"from_the_{way} = ").split()[0] for way in ("push", "pull")]
    assert both == [f"{mira.kernel('from_the_push'):.0f}"] * 2


def draws_it(mira: Learner) -> None:
    """10. The same tape as a drawing; the chosen node keeps its numbers, and the table finds it again."""
    nodes = mira.kernel(f"len(tape.nodes) + {LEAVES}")
    mira.row(3).click()
    told = mira.inspector.locator(".akl-detail").inner_text()
    mira.focus_table()
    mira.press("g")
    expect(mira.inspector.locator(".akl-box")).to_have_count(nodes)
    expect(mira.inspector.locator(".akl-detail")).to_have_text(re.compile(re.escape(told.split()[0])))
    mira.shot("10")
    mira.press("t")
    expect(mira.row(3)).to_have_class(re.compile("akl-sel"))
    same = "told => document.querySelector('.akl-inspector .akl-detail').innerText === told"
    mira.page.wait_for_function(same, arg=told)


def meets_a_none(mira: Learner) -> None:
    """11. A cast in her own code: a hollow pill, a badge, and the notebook says the same."""
    mira.insert_and_run(OWN)
    assert mira.printed("stretched =").strip() == "None"
    source = mira.row_of("scale")
    expect(mira.inspector.locator(".akl-badge")).to_have_text("1")
    expect(source.locator(".akl-v-none")).to_have_text("None")
    expect(source.locator(".akl-v-zero")).to_have_count(0)
    mira.shot("11")


def asks_why(mira: Learner) -> None:
    """12. The line that cuts, framed in the panel and marked in her notebook; an edited cell is never pointed at."""
    cut = 'stretched = v * ak.cast(scale, "int64")'
    mira.view("why")
    expect(mira.inspector.locator(".akl-verdict .akl-v-none")).to_be_visible()
    expect(mira.inspector.locator(".akl-chain-gap code")).to_have_text(cut)
    mira.page.wait_for_selector(".cm-line.akl-line-torn")
    assert [line for line in mira.marked("torn") if line.startswith(cut)]
    mira.shot("12")
    mira.rewrite("stretched =", "v = ak", "# mine\nv = ak")
    mira.view("table")
    mira.view("why")
    expect(mira.inspector.locator(".akl-chain-gap")).to_contain_text("the cell was edited since")
    expect(mira.page.locator(".cm-line.akl-line-torn")).to_have_count(0)


def mends_the_line(mira: Learner) -> None:
    """13. The new tape replaces the old one; pinned before, the old one can be compared with it."""
    broken, old = mira.kernel("id(mine)"), mira.count()
    pin = mira.inspector.get_by_role("button", name="Pin this tape")
    pin.click()
    mira.rewrite("stretched =", 'ak.cast(scale, "int64")', "scale")
    mira.command("notebook:run-cell")
    mira.idle()
    assert mira.kernel("id(mine)") != broken
    expect(mira.inspector.locator(".akl-badge")).to_have_text("1")  # the pinned one stays in view
    pin.click()
    mira.pick_the_latest()
    expect(mira.inspector.locator(".akl-badge")).to_be_hidden()
    mira.tape(mira.kernel(f"len(mine.nodes) + {LEAVES.replace('tape', 'mine')}"))
    new = mira.count()
    mira.view("diff")
    said = mira.inspector.locator(".akl-diff-sum")
    expect(said).to_contain_text("only in B")
    gone, came, differ, same = (int(number) for number in re.findall(r"\d+", said.inner_text()))
    assert {gone + differ + same, came + differ + same} == {old, new}
    assert gone + came > 0
    mira.shot("13")
    mira.view("table")


def opens_the_exercises(mira: Learner) -> None:
    """14. What is asked and what it is worth; a check before her cell ran costs no try."""
    lesson = next(one for one in mira.told("syllabus")["lessons"] if one["no"] == "01")
    row = mira.syllabus.locator('.akl-lesson[data-no="01"]')
    if row.get_attribute("aria-expanded") != "true":
        row.locator(".akl-lesson-row").click()
    row.get_by_role("button", name="Exercises").click()
    mira.opened("exercises/01_")
    asked = mira.told(f"exercises?path={mira.path()}")["questions"]
    expect(mira.exercises.locator(".akl-q")).to_have_count(len(asked))
    expect(mira.exercises).to_contain_text(f"of {lesson['points']} points, score so far")
    expect(mira.exercises.locator(".akl-primary")).to_have_count(1)
    second = mira.question(1)
    check = second.get_by_role("button", name="Check")
    check.click()
    expect(second.locator(".akl-msg")).to_contain_text("Run the notebook’s first cell")
    mira.run_to("exercise(", begin=0)
    check.click()
    expect(second.locator(".akl-msg")).to_contain_text("Nothing to check yet")
    expect(second.locator(".akl-q-state")).to_have_text("not tried")
    mira.shot("14")


def checks_a_wrong_answer(mira: Learner) -> None:
    """15. What came and what was expected, the tests by name, and "not yet": no red, no cross."""
    mira.write_over("def row(", WRONG)
    second = mira.question(1)
    second.get_by_role("button", name="Check").click()
    expect(second.locator(".akl-q-state")).to_have_text(re.compile("(not yet|partly right) · 1 try"))
    assert second.locator(".akl-msg").inner_text()
    expect(second.locator(".akl-tests .no")).to_have_count(1)
    expect(second.locator(".akl-tests .no")).to_have_css("font-weight", re.compile("[6-9]00"))  # it stands out
    expect(second.get_by_role("button", name="Solution")).to_be_disabled()
    mira.shot("15")


def takes_a_hint_and_passes(mira: Learner) -> None:
    """16. A hint is free; the bar, the score and what is next move in the same moment."""
    second = mira.question(1)
    second.get_by_role("button", name=re.compile("^Hint 1")).click()
    expect(second.locator(".akl-hints li")).to_have_count(1)
    mira.write_over("def row(", inspect.getsource(jvp_2))
    second.get_by_role("button", name="Check").click()
    expect(second.locator(".akl-q-state")).to_have_text(re.compile("^passed"))
    score = mira.told(f"exercises?path={mira.path()}")["score"]
    expect(mira.exercises.locator(".akl-points b")).to_have_text(f"{score:g}")
    expect(mira.exercises.locator(".akl-progress .is-done")).to_have_count(1)
    mira.follows_the_score(score)
    mira.shot("16")


def hands_in(mira: Learner) -> None:
    """17. What is not saved is not handed in; then a receipt, and she may hand in again."""
    mira.exercises.get_by_role("button", name="Hand in", exact=True).click()
    expect(mira.exercises).to_contain_text("Save first")
    mira.exercises.get_by_role("button", name="Save and hand in").click()
    expect(mira.exercises).to_contain_text(re.compile("Handed in at .* Receipt"))
    handed = mira.told(f"exercises?path={mira.path()}")["handed"]
    expect(mira.exercises).to_contain_text(handed[0]["receipt"])
    expect(mira.exercises.get_by_role("button", name="Hand in again")).to_be_visible()
    mira.shot("17")


def comes_back_the_next_day(mira: Learner) -> None:
    """18. The kernel is gone and the page is new: the syllabus names the very step, the inspector says what to do."""
    upcoming = mira.told("progress")["next"]
    mira.js("jupyterapp.serviceManager.sessions.shutdownAll()")
    mira.page.context.clear_cookies()
    mira.load()
    mira.command("autodiff-kit:open-syllabus")
    mira.ring("01", "begun")
    expect(mira.syllabus.locator(".akl-next")).to_contain_text(upcoming["text"])
    mira.syllabus.locator(".akl-next").get_by_role("button", name="Go on").click()
    mira.opened(upcoming["path"].split("/")[-1])
    mira.page.wait_for_function(
        "cell => jupyterapp.shell.currentWidget.content.activeCell?.model.id === cell", arg=upcoming["cell"]
    )
    mira.command("autodiff-kit:open-inspector")
    expect(mira.inspector).to_contain_text("Run a cell that records one")
    mira.shot("18")


def starts_over(mira: Learner) -> None:
    """19. What goes, what stays, that a backup comes first; then Undo, and the list of backups."""
    score = mira.syllabus.locator(".akl-syl-head .akl-facts")
    before = score.inner_text()
    reset = mira.syllabus.get_by_role("button", name="Reset progress").first
    reset.click()
    dialog = mira.syllabus.get_by_role("alertdialog")
    expect(dialog).to_contain_text("A backup is written first")
    expect(dialog.get_by_label("Also put the notebooks back as they came")).not_to_be_checked()
    dialog.get_by_role("button", name="Back up and reset").click()
    mira.ring("01", "none")
    mira.syllabus.get_by_role("button", name="Undo").click()
    mira.ring("01", "begun")
    expect(score).to_have_text(before, use_inner_text=True)
    reset.click()
    expect(dialog.get_by_role("button", name=re.compile("Restore")).first).to_be_visible()
    mira.shot("19")
    dialog.get_by_role("button", name="Cancel").click()


def came_from_the_wheel(mira: Learner, kit: Any) -> None:
    """Neither the server, nor the page, nor a kernel has seen the checkout."""
    place = mira.kernel("__import__('autodiff_kit').__file__")
    assert place.startswith(str(kit.home))
    scripts = mira.js("[...document.scripts].map(s => s.src).filter(s => s.includes('autodiff-kit'))")
    [entry] = [name for name in scripts if "remoteEntry" in name]
    built = kit.home / "share" / "jupyter" / "labextensions" / "autodiff-kit" / "static"
    assert (built / entry.rsplit("/", 1)[1].split("?")[0]).is_file()
    assert not built.parent.is_symlink()
    assert not kit.opened.exists(), kit.opened.read_text()
