import { h, put } from "./kit/dom.js";
import { brief, chip, fmt } from "./kit/numbers.js";
import { ask, mount } from "./kit/model_sync.js";
import { inputChoice, inputSlider } from "./kit/controls.js";
import { Frame } from "./kit/frame.js";
import { Button } from "./kit/segmented.js";
import { Slider } from "./kit/slider.js";
import { CurvePlot } from "./kit/curve_plot.js";

const LIMIT = 100;
const PLACES = [3, 3.124, 3.125, 3.126, 6.25];
const PICTURE = { min: 1.6, max: 8.4 };
const COMPARES = [
  { value: "<", label: `< ${LIMIT}`, hint: "while abs(x) < 100" },
  { value: "<=", label: `≤ ${LIMIT}`, hint: "while abs(x) <= 100" },
];
const conditionOf = (compare) => COMPARES.find((one) => one.value === compare).label;
/** Where a label crosses no line: all of them rise to the right, so above on the left; at a foot, below on the right. */
const freeOfLines = (x, value) =>
  x < 2.7 || (value < 125 && x < 6.7) ? { lean: "start", below: true } : { lean: "end" };
const times = (n) => `${n} ${n === 1 ? "turn" : "turns"}`;
const takesAnother = (k, turns) => (k < turns.length - 1 ? "yes" : "no");

/** Lesson 04: a loop unrolled turn by turn beside the curve of its result, its slope, and a finite difference. */
function render({ model, el }) {
  const frame = Frame({
    model,
    el,
    title: "How many turns does the loop take, and what is its slope?",
    lead: "Move x along the upper curve. The table is the loop as the tape recorded it; the dashed line is a central difference with the step h.",
  });
  const move = (x) => ask(model, { x });
  const parts = { ...makeControls(model, move), ...makePlots(move), ...makeTurnTable() };
  frame.stage.append(...layout(parts));
  return mount(model, [frame, ...Object.values(parts)], (state) => {
    updateControls(parts, state);
    drawUpper(parts.upper, state);
    drawLower(parts.lower, state);
    drawTurns(parts, state);
    drawFigures(parts.figures, state);
    frame.say(sentence(state));
    frame.tell(tableOf(state));
  });
}

const makeControls = (model, move) => ({
  slider: Slider({ label: "x", min: 2, max: 8, step: 0.001, value: model.get("x"), onChange: move }),
  places: PLACES.map((x) => Button({ label: String(x), pressed: x === model.get("x"), onClick: () => move(x) })),
  step: inputSlider(model, "h", { label: "h, step of the difference", min: 0.001, max: 0.4, log: true }),
  compare: inputChoice(model, "compare", "One more turn while abs(x) is", COMPARES),
});

const makePlots = (move) => ({
  upper: CurvePlot({
    label: "Result of the loop, over x",
    height: 204,
    x: { ...PICTURE },
    xAxis: false,
    y: { min: 0, max: 235, label: "result" },
    handleLabel: "x, the input of the loop",
    snap: 0.025,
    onMove: (x) => move(Math.min(8, Math.max(2, x))),
  }),
  lower: CurvePlot({
    label: "Slope of the result, from the tape",
    height: 130,
    x: { ...PICTURE, label: "x" },
    y: { min: 0, max: 88, label: "slope from the tape" },
  }),
});

function makeTurnTable() {
  const [body, test] = [h("tbody", {}), h("th", { scope: "col" })];
  const head = (text) => h("th", { scope: "col", text });
  const heads = h("tr", {}, head("turn"), head("x"), test, head("slope so far ↓"), head("gradient ↑"));
  const caption = h("caption", { class: "ak-sr", text: "The loop, one line for each turn" });
  return {
    body,
    test,
    table: h("table", { class: "ak-table" }, caption, h("thead", {}, heads), body),
    figures: h("div", { class: "ak-figures", style: "margin-top:8px" }),
  };
}

const layout = ({ slider, places, step, compare, upper, lower, table, figures }) => [
  h(
    "div",
    { class: "ak-row", style: "margin-bottom:12px" },
    [slider, step].map((one) => h("div", { class: "ak-grow", style: "flex-basis:200px" }, one.el)),
    compare.el,
  ),
  h(
    "div",
    { class: "ak-split ak-even" },
    h(
      "div",
      {},
      h("div", { class: "ak-tools", style: "margin-bottom:8px", role: "group", "aria-label": "Values of x" }, places.map((one) => one.el)),
      upper.el,
      lower.el,
    ),
    h("div", {}, h("div", { class: "ak-tape ak-tight" }, table), figures),
  ),
];

function updateControls(parts, { x, h: step, compare }) {
  parts.slider.update(x);
  parts.step.update(step);
  parts.compare.update(compare);
  parts.places.forEach((one, i) => one.update({ "aria-pressed": PLACES[i] === x }));
}

/** The stretches of a curve that jumps where the number of turns changes. */
const stretches = (pieces, first, last) =>
  pieces.flatMap((piece) => [
    [piece.from, piece[first]],
    [piece.to, piece[last]],
    [piece.to, null],
  ]);

/** Dots at the ends of each jump: solid where the value is taken, hollow where it is not. */
const jumpEnds = ({ pieces, jumps }, of, role, left, right) =>
  jumps.flatMap((jump, k) =>
    [pieces[k][left], pieces[k + 1][right]].map((y) => ({ x: jump.x, y, role, open: Math.abs(y - jump[of]) > 1 })),
  );

function drawUpper(plot, state) {
  const { pieces, difference, x, value } = state;
  const chord = difference.ends.map((at, i) => [at, difference.values[i]]);
  plot.update({
    curves: [
      { points: stretches(pieces, "first", "last"), role: "value" },
      { points: chord, role: "value", dash: true, thin: true },
    ],
    dots: [
      ...jumpEnds(state, "value", "value", "last", "first"),
      ...chord.map(([at, y]) => ({ x: at, y, role: "held" })),
    ],
    handle: { x, y: value, text: `x = ${brief(x, 4)}`, ...freeOfLines(x, value) },
  });
}

function drawLower(plot, state) {
  plot.update({
    curves: [{ points: stretches(state.pieces, "slope", "slope"), role: "rev" }],
    dots: jumpEnds(state, "slope", "rev", "slope", "slope"),
    handle: { x: state.x, y: state.slope, text: fmt(state.slope, 0), lean: "start" },
  });
}

function drawTurns({ test, body }, { turns, compare }) {
  put(test, { text: `${conditionOf(compare)}?` });
  const row = (turn, k) =>
    h(
      "tr",
      {},
      h("th", { scope: "row", text: k ? `${k} · ×2` : "0" }),
      h("td", { text: brief(turn.value) }),
      h("td", { text: takesAnother(k, turns) }),
      h("td", { class: "ak-fwd" }, chip(turn.slope, 0, "fwd")),
      h("td", { class: "ak-rev" }, chip(turn.back, 0, "rev")),
    );
  body.replaceChildren(...turns.map(row));
}

function drawFigures(figures, { turns, slope, difference, nodes }) {
  const [a, b] = difference.turns;
  const where = a === b ? `${times(a)} at both ends` : `${a} and ${times(b)} at its ends`;
  const figure = (name, text) => h("div", {}, h("span", { text: name }), h("strong", { text }));
  figures.replaceChildren(
    figure(`slope from the tape, after ${times(turns.length - 1)}`, fmt(slope, 0)),
    figure(`central difference, ${where}`, fmt(difference.slope, 0)),
    figure("operations on the tape", fmt(nodes, 0)),
  );
}

function sentence({ x, turns, value, slope, difference }) {
  const told = `From x = ${brief(x)} the loop takes ${times(turns.length - 1)}: the result is ${brief(value)} and the slope ${fmt(slope, 0)}.`;
  const [a, b] = difference.turns;
  if (a === b) return `${told} Both ends of the difference take the same number of turns; it gives ${fmt(difference.slope, 0)} too.`;
  return `${told} The difference crosses a jump and gives ${fmt(difference.slope, 0)}.`;
}

const tableOf = ({ x, h: step, turns, difference, compare }) => ({
  caption: `The loop from x = ${brief(x)}, turn by turn; the central difference with step ${brief(step)} gives ${fmt(difference.slope, 0)}`,
  columns: ["turn", "x", conditionOf(compare), "slope so far", "gradient"],
  rows: turns.map((turn, k) => [
    String(k),
    brief(turn.value),
    takesAnother(k, turns),
    fmt(turn.slope, 0),
    fmt(turn.back, 0),
  ]),
});

export default { render };
