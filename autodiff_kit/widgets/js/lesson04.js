import { h, put } from "./kit/core.js";
import { brief, chip, fmt } from "./kit/numbers.js";
import { decode, listen, ask } from "./kit/kernel.js";
import { Frame } from "./kit/frame.js";
import { Segmented, Button } from "./kit/segmented.js";
import { Slider } from "./kit/slider.js";
import { CurvePlot } from "./kit/curve_plot.js";

const INPUTS = ["x", "h", "compare"];
const OUTPUTS = ["turns", "value", "slope", "difference", "nodes", "pieces", "jumps"];
const LIMIT = 100;
const PLACES = [3, 3.124, 3.125, 3.126, 6.25];
const PICTURE = { min: 1.6, max: 8.4 };
const COMPARES = [
  { value: "<", label: "<", hint: "while abs(x) < 100" },
  { value: "<=", label: "≤", hint: "while abs(x) <= 100" },
];
/** Where a label crosses no line: all of them rise to the right, so above on the left; at a foot, below on the right. */
const freeOfLines = (x, value) =>
  x < 2.7 || (value < 125 && x < 6.7) ? { lean: "start", below: true } : { lean: "end" };
const times = (n) => `${n} ${n === 1 ? "turn" : "turns"}`;

/** Lesson 04: a loop unrolled turn by turn beside the curve of what comes out, its slope, and a difference. */
function render({ model, el }) {
  const get = (name) => decode(model.get(name));
  const frame = Frame({
    model,
    el,
    title: "How many turns does the loop take, and what is its slope?",
    lead: "Move x along the upper curve. The table is the loop as the tape recorded it; the dashed line is a central difference with a step h of yours.",
  });
  const move = (x) => ask(model, { x });
  const slider = Slider({ label: "x", min: 2, max: 8, step: 0.001, value: get("x"), onChange: move });
  const places = PLACES.map((x) => Button({ label: String(x), pressed: x === get("x"), onClick: () => move(x) }));
  const step = Slider({
    label: "h, step of the difference",
    min: 0.001,
    max: 0.4,
    log: true,
    value: get("h"),
    onChange: (value) => ask(model, { h: value }),
  });
  const compare = Segmented({
    label: "One more turn while abs(x) is",
    options: COMPARES.map((one) => ({ ...one, label: `${one.label} ${LIMIT}` })),
    value: get("compare"),
    onChange: (value) => ask(model, { compare: value }),
  });
  const upper = CurvePlot({
    label: "What comes out of the loop, over x",
    height: 240,
    x: { ...PICTURE },
    xAxis: false,
    y: { min: 0, max: 235, label: "what comes out" },
    handleLabel: "x, what goes into the loop",
    snap: 0.025,
    onMove: (x) => move(Math.min(8, Math.max(2, x))),
  });
  const lower = CurvePlot({
    label: "Slope of what comes out, from the tape",
    height: 150,
    x: { ...PICTURE, label: "x" },
    y: { min: 0, max: 88, label: "slope from the tape" },
  });
  const body = h("tbody", {});
  const test = h("th", { scope: "col" });
  const table = h(
    "table",
    { class: "ak-table" },
    h("caption", { class: "ak-sr", text: "The loop, one line for each turn" }),
    h(
      "thead",
      {},
      h(
        "tr",
        {},
        h("th", { scope: "col", text: "turn" }),
        h("th", { scope: "col", text: "x" }),
        test,
        h("th", { scope: "col", text: "slope so far ↓" }),
        h("th", { scope: "col", text: "comes back ↑" }),
      ),
    ),
    body,
  );
  const figures = h("div", { class: "ak-figures", style: "margin-top:12px" });

  frame.stage.append(
    h(
      "div",
      { class: "ak-row", style: "margin-bottom:8px;align-items:end" },
      h("div", { style: "flex:1 1 220px" }, slider.el),
      h("div", { class: "ak-tools", style: "flex:0 1 246px", role: "group", "aria-label": "Values of x" }, places.map((one) => one.el)),
    ),
    h(
      "div",
      { class: "ak-row", style: "margin-bottom:12px;align-items:end" },
      h("div", { style: "flex:1 1 220px" }, step.el),
      h("div", { style: "flex:0 1 246px" }, compare.el),
    ),
    h(
      "div",
      { class: "ak-split ak-even" },
      h("div", {}, upper.el, lower.el),
      h("div", {}, h("div", { class: "ak-tape" }, table), figures),
    ),
  );

  function draw() {
    const [x, turns, value, slope, difference] = ["x", "turns", "value", "slope", "difference"].map(get);
    slider.update(x);
    step.update(get("h"));
    compare.update(get("compare"));
    places.forEach((one, i) => one.update({ "aria-pressed": PLACES[i] === x }));
    drawCurves(x, value, slope, difference);
    drawTurns(turns);
    figures.replaceChildren(
      figure(`slope from the tape, after ${times(turns.length - 1)}`, fmt(slope, 0)),
      figure(`central difference, ${words(difference)}`, fmt(difference.slope, 0)),
      figure("operations on the record", fmt(get("nodes"), 0)),
    );
    frame.say(claim(x, turns.length - 1, value, slope, difference));
    frame.tell({
      caption: `The loop from x = ${brief(x)}, turn by turn; the central difference with step ${brief(get("h"))} says ${fmt(difference.slope, 0)}`,
      columns: ["turn", "x", `${sign()} ${LIMIT}`, "slope so far", "comes back"],
      rows: turns.map((turn, k) => [
        String(k),
        brief(turn.value),
        answer(k, turns),
        fmt(turn.slope, 0),
        fmt(turn.back, 0),
      ]),
    });
  }

  const sign = () => COMPARES.find((one) => one.value === get("compare")).label;
  const answer = (k, turns) => (k < turns.length - 1 ? "yes" : "no");
  const figure = (name, text) => h("div", {}, h("span", { text: name }), h("strong", { text }));
  const words = ({ turns: [a, b] }) => (a === b ? `${times(a)} at both ends` : `${a} and ${times(b)} at its ends`);

  function drawCurves(x, value, slope, difference) {
    const pieces = get("pieces");
    const stretch = (first, last) =>
      pieces.flatMap((piece) => [
        [piece.from, piece[first]],
        [piece.to, piece[last]],
        [piece.to, null],
      ]);
    const ends = (of, left, right) =>
      get("jumps").flatMap((jump, k) =>
        [pieces[k][left], pieces[k + 1][right]].map((y) => ({
          x: jump.x,
          y,
          role: of === "value" ? "value" : "rev",
          open: Math.abs(y - jump[of]) > 1,
        })),
      );
    const chord = difference.ends.map((at, i) => [at, difference.values[i]]);
    upper.update({
      curves: [
        { points: stretch("first", "last"), role: "value" },
        { points: chord, role: "value", dash: true, thin: true },
      ],
      dots: [
        ...ends("value", "last", "first"),
        ...chord.map(([at, y]) => ({ x: at, y, role: "held" })),
      ],
      handle: { x, y: value, text: `x = ${brief(x, 4)}`, ...freeOfLines(x, value) },
    });
    lower.update({
      curves: [{ points: stretch("slope", "slope"), role: "rev" }],
      dots: ends("slope", "slope", "slope"),
      handle: { x, y: slope, text: fmt(slope, 0) },
    });
  }

  function drawTurns(turns) {
    put(test, { text: `${sign()} ${LIMIT}?` });
    body.replaceChildren(
      ...turns.map((turn, k) =>
        h(
          "tr",
          {},
          h("th", { scope: "row", text: k ? `${k} · ×2` : "0" }),
          h("td", { text: brief(turn.value) }),
          h("td", { text: answer(k, turns) }),
          h("td", { class: "ak-fwd" }, chip(turn.slope, 0, "fwd")),
          h("td", { class: "ak-rev" }, chip(turn.back, 0, "rev")),
        ),
      ),
    );
  }

  function claim(x, count, value, slope, difference) {
    const told = `From x = ${brief(x)} the loop takes ${times(count)}: ${brief(value)} comes out, and the slope is ${fmt(slope, 0)}.`;
    const [a, b] = difference.turns;
    if (a === b) return `${told} The difference stays on one stretch, and says ${fmt(difference.slope, 0)} too.`;
    return `${told} The difference leads over a jump, and says ${fmt(difference.slope, 0)}.`;
  }

  const stop = listen(model, [...INPUTS, ...OUTPUTS, "answered"], draw);
  draw();
  return () => {
    stop();
    [frame, upper, lower].forEach((part) => part.destroy());
  };
}

export default { render };
