import { h } from "./kit/dom.js";
import { brief, fmt } from "./kit/numbers.js";
import { ask, mount } from "./kit/model_sync.js";
import { inputChoice, inputSlider } from "./kit/controls.js";
import { Frame } from "./kit/frame.js";
import { Segmented } from "./kit/segmented.js";
import { Stepper } from "./kit/stepper.js";
import { MomentumPlot } from "./kit/momentum_plot.js";

const OPTIMIZERS = [
  ["sgd", "SGD", ""],
  ["momentum", "Momentum", "u"],
  ["nesterov", "Nesterov", "u"],
  ["rmsprop", "RMSProp", "s"],
  ["adam", "Adam", "m"],
].map(([value, label, slot]) => ({ value, label, slot }));
const BRUSHES = [
  { value: 1, label: "1" },
  { value: -1, label: "−1" },
  { value: 0, label: "0" },
  { value: null, label: "None" },
];
const gradients = (f) => Array.from({ length: 24 }, (_, i) => f(i));
const STARTS = {
  "1 1 1, then zeros": gradients((i) => (i < 3 ? 1 : 0)),
  "1 1 1, then None": gradients((i) => (i < 3 ? 1 : null)),
  "there and back": gradients((i) => (i < 6 ? 1 : i < 12 ? -1 : 0)),
  "to and fro": gradients((i) => (i % 2 ? -1 : 1)),
  "always 1": gradients(() => 1),
};

/** Lesson 14: painted gradients, and each step as what momentum carries over and what its own gradient adds. */
function render({ model, el }) {
  const frame = Frame({
    model,
    el,
    title: "The gradients have stopped. How far does the weight still move?",
    lead: "The learning rate is 0.1. Each bar is a step: its dotted part comes from earlier gradients, its orange part from the gradient of this step. Move the cursor: the dashed line shows where w ends if only zeros follow.",
  });
  const parts = makeParts(model);
  frame.stage.append(...layout(parts));
  return mount(model, [frame, ...Object.values(parts)], (traits) => {
    const state = { ...traits, chosen: OPTIMIZERS.find((one) => one.value === traits.optimizer) };
    update(parts, state);
    frame.say(sentence(state));
    frame.tell(tableOf(state));
  });
}

function makeParts(model) {
  let brush = 0;
  const stepper = Stepper({
    label: "Cursor: step",
    first: 1,
    count: model.get("grads").length - 1,
    at: model.get("at"),
    pace: 400,
    onStep: (at) => ask(model, { at }),
  });
  return {
    stepper,
    starts: makeStarts(model),
    optimizer: inputChoice(model, "optimizer", "Optimizer", OPTIMIZERS),
    brushes: Segmented({
      label: "Brush",
      options: BRUSHES,
      value: brush,
      onChange: (value) => {
        brush = value;
      },
    }),
    memory: inputSlider(model, "b", { label: "momentum b", min: 0, max: 0.95, step: 0.05 }),
    plot: MomentumPlot({
      brush: () => brush,
      unit: () => 1,
      onPaint: (from, to, value) =>
        ask(model, { grads: model.get("grads").map((g, i) => (i >= from && i <= to ? value : g)) }),
      onCursor: (at) => {
        stepper.halt();
        ask(model, { at });
      },
    }),
  };
}

const makeStarts = (model) =>
  h(
    "div",
    { class: "ak-row", role: "group", "aria-label": "Starting points", style: "gap:6px;margin-bottom:14px" },
    h("span", { class: "ak-label", text: "Start from" }),
    Object.entries(STARTS).map(([name, grads]) =>
      h("button", { type: "button", text: name, onclick: () => ask(model, { grads }) }),
    ),
  );

const layout = ({ starts, optimizer, brushes, memory, plot, stepper }) => [
  starts,
  h(
    "div",
    { class: "ak-row", style: "margin-bottom:16px" },
    optimizer.el,
    brushes.el,
    h("div", { style: "flex:1 1 200px" }, memory.el),
  ),
  plot.el,
  stepper.el,
  h(
    "p",
    { class: "ak-note" },
    "Paint on the strip with the mouse, or by keys: arrows move, ",
    h("b", { text: "1 0 N" }),
    " paint, Space paints the brush, Shift with a move paints on.",
  ),
];

function update(parts, { chosen, b, grads, at, slot, steps, carried, w, roll, rest }) {
  parts.optimizer.update(chosen.value);
  parts.memory.update(b);
  parts.stepper.update({ count: grads.length - 1, at });
  const shownSlot = slot && { name: chosen.slot, values: slot };
  parts.plot.update({ grads, slot: shownSlot, steps, carried, w, roll, rest, at });
}

function sentence({ chosen: { label }, grads, at, steps, carried, w, rest }) {
  const head =
    steps[at] === null
      ? `${label}, step ${at + 1}: the gradient is None, and no step is taken.`
      : `${label}, step ${at + 1}: the gradient is ${brief(grads[at])}, the step ${fmt(steps[at], 4)}, of which ${fmt(carried[at], 4)} is carried over.`;
  const further = rest - w[at + 1];
  const tail =
    Math.abs(further) < 5e-5
      ? `w is at ${fmt(w[at + 1], 4)}; with zeros from here on it stays there.`
      : `w is at ${fmt(w[at + 1], 4)}; with zeros from here on it moves ${fmt(further, 4)} further, to ${fmt(rest, 4)}.`;
  return `${head} ${tail}`;
}

const tableOf = ({ chosen, b, grads, carried, steps, w }) => ({
  caption: `${chosen.label}, b = ${brief(b)}`,
  columns: ["step", "gradient", "carried over", "its own", "step taken", "w"],
  rows: grads.map((g, i) => [
    String(i + 1),
    g,
    carried[i],
    steps[i] === null ? null : steps[i] - carried[i],
    steps[i],
    w[i + 1],
  ]),
});

export default { render };
