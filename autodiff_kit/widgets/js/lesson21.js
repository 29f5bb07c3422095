import { h, clamp } from "./kit/dom.js";
import { fmt, brief } from "./kit/numbers.js";
import { ask, mount } from "./kit/model_sync.js";
import { inputChoice, inputSlider } from "./kit/controls.js";
import { Frame } from "./kit/frame.js";
import { Stepper } from "./kit/stepper.js";
import { CurvePlot } from "./kit/curve_plot.js";

const KINDS = [
  ["line", "line", "a + b·y"],
  ["polynomial", "polynomial", "of degree 7: eight coefficients"],
  ["network", "network", "six hidden units with tanh"],
].map(([value, label, hint]) => ({ value, label, hint }));
const STEPS = 20;
const Y = { min: -12, max: 12 };
const X = { min: -2.5, max: 2.5 };
const REACH = 5; // of y: as far as a reading reaches to the side of its ball
const RIM = 2.4; // where the ball stays when M says more than the picture holds: its foot above the numbers of the axis

/** Lesson 21: the inverse of a black box, learned by a model from pairs, and a question to both. */
function render({ model, el }) {
  const frame = Frame({
    model,
    el,
    title: "For which y does the model M give the right x?",
    lead: "A box gives F(x) = x³ + x, and no gradient. It is asked at 41 x of your choice (every fourth is a ring), and from the answers M learns to give x back. Drag the ball to ask M about another y; the thin line is right.",
  });
  const parts = makeParts(model);
  frame.stage.append(...layout(parts));
  return mount(model, [frame, ...Object.values(parts)], (traits) => {
    const state = { ...traits, seen: [traits.ys[0], traits.ys.at(-1)] };
    updateControls(parts, state);
    drawPlot(parts.plot, state);
    drawFigures(parts, state);
    frame.say(sentence(state));
    frame.tell(tableOf(state));
  });
}

const makeParts = (model) => ({
  kind: inputChoice(model, "kind", "M is a", KINDS),
  lo: inputSlider(model, "lo", { label: "The box is asked from x =", min: -2, max: -0.25, step: 0.25 }),
  hi: inputSlider(model, "hi", { label: "to x =", min: 0.25, max: 2, step: 0.25 }),
  plot: CurvePlot({
    label: "x over y: the right inverse, the pairs, and the model",
    height: 300,
    x: { ...Y, label: "y" },
    y: { ...X, label: "x" },
    handleLabel: "The question: y",
    snap: 0.25,
    onMove: (y) => ask(model, { y }),
  }),
  stepper: Stepper({
    label: "Step of the training",
    count: STEPS,
    at: model.get("step"),
    pace: 250,
    onStep: (step) => ask(model, { step }),
  }),
  figures: h("div", { class: "ak-figures" }),
  calls: h("p", { class: "ak-note", style: "margin:0" }),
});

const layout = ({ kind, lo, hi, plot, stepper, figures, calls }) => [
  h("div", { class: "ak-row", style: "margin-bottom:12px" }, kind.el),
  h(
    "div",
    { class: "ak-split" },
    h("div", {}, plot.el, h("div", { style: "margin-top:8px" }, stepper.el)),
    h("div", { class: "ak-side" }, lo.el, hi.el, figures, calls),
  ),
];

function updateControls(parts, { kind, lo, hi, step }) {
  parts.kind.update(kind);
  parts.lo.update(lo);
  parts.hi.update(hi);
  parts.stepper.update({ at: step });
}

const zip = (xs, ys) => xs.map((x, i) => [x, ys[i]]);

function drawPlot(plot, state) {
  const { grid, inverse, way, xs, ys, learned, y, said, right, seen } = state;
  const answer = { points: [[y, right], [y, said]], role: "value", thin: true, dash: true, ...readingOf(state) };
  const rings = zip(ys, xs).filter((_, i) => i % 4 === 0);
  plot.update({
    curves: [
      { points: zip(inverse, way), role: "value", thin: true },
      edgeLine(seen[0], "end"),
      edgeLine(seen[1], "start"),
      { points: cutToPlot(zip(grid, learned)), role: "value" },
      answer,
    ],
    dots: [
      ...rings.map(([at, height]) => ({ x: at, y: height, role: "value", open: true })),
      { x: y, y: right, role: "value" },
    ],
    handle: { x: y, y: clamp(said, -RIM, RIM) },
  });
}

/** A line where the y that M was trained on begin or end. */
const edgeLine = (at, anchor) => ({
  points: [[at, X.min], [at, X.max]],
  role: "held",
  dash: true,
  thin: true,
  label: anchor === "end" ? "seen from here" : "to here",
  at: 1,
  anchor,
  dx: anchor === "end" ? 4 : -4,
  dy: -8,
});

/**
 * What M says, beside the ball: on the side away from the right answer, never below or above the picture, and away from
 * the lines where what M saw ends, if there is room.
 */
function readingOf({ y, said, right, seen }) {
  const low = Math.abs(said) > X.max ? said > 0 : said < right;
  const free = (a, b) => a >= Y.min && b <= Y.max && !seen.some((end) => end >= a && end <= b);
  const left = free(y - REACH, y) || (!free(y, y + REACH) && y > Y.min + REACH);
  const short = brief(said, Math.abs(said) < 1000 ? 2 : 0);
  return {
    label: `M(${brief(y, 2)}) = ${short}`,
    short,
    at: 1,
    anchor: left ? "end" : "start",
    dx: left ? -12 : 12,
    dy: low ? 20 : -12,
  };
}

/** The model's curve as far as it is in the picture, and one point more on each side, so that it runs to the border. */
function cutToPlot(points) {
  const inside = (i) => points[i] && points[i][1] >= X.min && points[i][1] <= X.max;
  return points.map((point, i) => (inside(i - 1) || inside(i) || inside(i + 1) ? point : [point[0], null]));
}

/** Four decimals, but whole numbers where M is off by hundreds: its decimals mean nothing there. */
const readable = (x) => fmt(x, Math.abs(x) < 100 ? 4 : 0);

const readoutsOf = ({ said, back, right, worst }) => [
  ["M says", readable(said)],
  ["the box, given that", readable(back)],
  ["the right x", readable(right)],
  ["worst on the pairs", readable(worst)],
];

function drawFigures({ figures, calls }, state) {
  const { pairs, solver } = state.paid;
  figures.replaceChildren(
    ...readoutsOf(state).map(([text, value]) =>
      h("div", {}, h("span", { text }), h("strong", { text: value })),
    ),
  );
  calls.textContent = `Asked of the box: ${pairs} for the pairs, once. A solver asks ${solver} for this y alone.`;
}

function sentence({ y, said, right, seen: [from, to] }) {
  const where = y >= from && y <= to ? "inside" : "outside";
  const range = `what M saw (${brief(from, 2)} to ${brief(to, 2)})`;
  return `y = ${brief(y, 2)} is ${where} of ${range}: M says ${readable(said)}, and the right x is ${readable(right)}.`;
}

const tableOf = (state) => ({
  caption: `${KINDS.find((one) => one.value === state.kind).label} after ${state.step} steps`,
  columns: ["what", "value"],
  rows: [
    ["asked at x from", state.lo],
    ["asked at x to", state.hi],
    ["the question, y", state.y],
    ...readoutsOf(state),
  ],
});

export default { render };
