import { h } from "./kit/dom.js";
import { fmt } from "./kit/numbers.js";
import { ask, mount } from "./kit/model_sync.js";
import { inputChoice } from "./kit/controls.js";
import { Frame } from "./kit/frame.js";
import { Slider } from "./kit/slider.js";
import { CurvePlot } from "./kit/curve_plot.js";

const SEQUENCES = [
  ["equal", "equal", "60 times 1"],
  ["alternating", "1, −1, 1, …", "the sign changes at each step"],
  ["random", "random", "standard normal numbers"],
  ["growing", "growing", "each 1.2 times the one before"],
  ["late", "50 zeros, then 1", "and zeros again"],
].map(([value, label, hint]) => ({ value, label, hint }));
const RATES = { beta1: ["0.5", "0.9", "0.99"], beta2: ["0.9", "0.99", "0.999"] };
const SCALE = { min: 1e-3, max: 1e3 };
const HIGHEST = 4; // of the axis
const TABLE_STEPS = [0, 1, 2, 9, 19, 49, 50, 51, 59];

/** Lesson 23: the size of Adam's steps, relative to the learning rate. */
function render({ model, el }) {
  const frame = Frame({
    model,
    el,
    title: "When does Adam step by the learning rate?",
    lead: "The solid line is the size of each of Adam's steps, divided by the learning rate; the dashed line is that of SGD. Choose the gradients, and what the loss is multiplied by.",
  });
  const parts = makeParts(model);
  frame.stage.append(...layout(parts));
  return mount(model, [frame, ...Object.values(parts)], (state) => {
    for (const name of ["sequence", "beta1", "beta2", "scale"]) parts[name].update(state[name]);
    drawSizes(parts.plot, state);
    frame.say(sentence(state));
    frame.tell(tableOf(state));
  });
}

const makeParts = (model) => ({
  sequence: inputChoice(model, "sequence", "Gradients", SEQUENCES),
  beta1: inputChoice(model, "beta1", "β₁", options("beta1")),
  beta2: inputChoice(model, "beta2", "β₂", options("beta2")),
  scale: Slider({
    label: "the loss times",
    ...SCALE,
    log: true,
    positions: 60,
    value: model.get("scale"),
    onChange: (value) => ask(model, { scale: Math.min(Math.max(value, SCALE.min), SCALE.max) }),
  }),
  plot: CurvePlot({
    label: "Size of each step, divided by the learning rate; the table below says the same",
    height: 240,
    x: { min: 0, max: 60, label: "steps" },
    y: { min: 0, max: HIGHEST, label: "|step| / learning rate" },
  }),
});

const options = (name) => RATES[name].map((value) => ({ value, label: value }));

const layout = ({ sequence, beta1, beta2, scale, plot }) => [
  h("div", { class: "ak-row", style: "margin-bottom:12px" }, sequence.el),
  h("div", { class: "ak-row", style: "margin-bottom:12px" }, beta1.el, beta2.el),
  h("div", { style: "max-width:420px;margin-bottom:12px" }, scale.el),
  plot.el,
];

/** A point for each step; what is higher than the axis breaks the line. */
const pointsOf = (sizes) => sizes.map((size, i) => [i + 1, size <= HIGHEST ? size : null]);

function drawSizes(plot, { adam, sgd }) {
  plot.update({
    curves: [
      { points: pointsOf(sgd), role: "held", dash: true },
      { points: pointsOf(adam), role: "value" },
    ],
    marks: [{ y: 1, label: "the learning rate" }],
  });
}

function sentence({ adam, sgd }) {
  const mean = (sizes) => sizes.reduce((sum, size) => sum + size, 0) / sizes.length;
  const own = `Adam: the first step is ${fmt(adam[0])} of the learning rate, the mean ${fmt(mean(adam))}, the largest ${fmt(Math.max(...adam))}`;
  return `${own}. SGD: the largest is ${fmt(Math.max(...sgd))}.`;
}

const tableOf = ({ adam, sgd }) => ({
  caption: "Size of a step, divided by the learning rate",
  columns: ["step", "Adam", "SGD"],
  digits: 4,
  rows: TABLE_STEPS.map((i) => [String(i + 1), adam[i], sgd[i]]),
});

export default { render };
