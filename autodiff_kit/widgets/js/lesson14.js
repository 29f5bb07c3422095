import { h } from "./kit/dom.js";
import { brief, fmt } from "./kit/numbers.js";
import { ask, mount } from "./kit/model_sync.js";
import { inputChoice, inputSlider } from "./kit/controls.js";
import { Frame } from "./kit/frame.js";
import { Segmented } from "./kit/segmented.js";
import { TimeScrubber } from "./kit/time_scrubber.js";
import { WeightDrops } from "./kit/weight_drops.js";

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

const INK = "fill:var(--ak-ink)";

/** Lesson 14: painted gradients, and each step as what momentum carries over and what its own gradient adds. */
function render({ model, el }) {
  const frame = Frame({
    model,
    el,
    title: "The gradients have stopped. How far does the weight still move?",
    lead: "Each bar is a step of w: dotted is carried over from earlier gradients, orange comes from its own. The hollow bars ahead are what zeros would do.",
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
  const move = (at) => ask(model, { at });
  const scrubber = TimeScrubber({ label: "Cursor: step", first: 1, pace: 450, onStep: move });
  return {
    scrubber,
    starts: makeStarts(model),
    optimizer: inputChoice(model, "optimizer", "Optimizer, at learning rate 0.1", OPTIMIZERS),
    brushes: Segmented({
      label: "Brush, by mouse or keys",
      options: BRUSHES,
      value: brush,
      onChange: (value) => {
        brush = value;
      },
    }),
    memory: inputSlider(model, "b", { label: "momentum b", min: 0, max: 0.95, step: 0.05 }),
    plot: WeightDrops({
      brush: () => brush,
      unit: () => 1,
      onPaint: (from, to, value) =>
        ask(model, { grads: model.get("grads").map((g, i) => (i >= from && i <= to ? value : g)) }),
      onCursor: (at) => {
        scrubber.halt();
        move(at);
      },
      onLayout: (ends) => scrubber.update(ends),
    }),
  };
}

const makeStarts = (model) =>
  h(
    "div",
    { class: "ak-row ak-starts", role: "group", "aria-label": "Starting points" },
    h("span", { class: "ak-label", text: "Start from" }),
    Object.entries(STARTS).map(([name, grads]) =>
      h("button", { type: "button", text: name, onclick: () => ask(model, { grads }) }),
    ),
  );

const layout = ({ starts, optimizer, brushes, memory, plot, scrubber }) => [
  starts,
  h(
    "div",
    { class: "ak-row", style: "margin-bottom:10px" },
    optimizer.el,
    brushes.el,
    h("div", { style: "flex:1 1 180px" }, memory.el),
  ),
  plot.el,
  scrubber.el,
];

function update(parts, state) {
  const { chosen, b, grads, at, carried, own, w, roll, roll_at: rollAt, rest } = state;
  parts.optimizer.update(chosen.value);
  parts.memory.update(b);
  parts.scrubber.update({ count: grads.length - 1, at });
  parts.plot.update({ grads, at, w, carried, own, roll, rollAt, rest, readings: readings(state) });
}

/** What is read at the cursor: the weight and its slot, the step, and the two parts of the step. */
function readings({ chosen, at, w, slot, steps, carried, own }) {
  const held = slot ? `${chosen.slot} = ${fmt(slot[at + 1], 4)}` : "no slot";
  const first = [
    { text: `w = ${fmt(w[at + 1], 4)}`, style: `${INK};font-size:15px;font-weight:600` },
    { text: `\u2002${held}` },
  ];
  if (steps[at] === null) return [first, [{ text: "None: no step", style: INK }]];
  return [
    first,
    [{ text: `step ${fmt(steps[at], 4)}`, style: INK }],
    [{ text: `${fmt(carried[at], 4)} carried, ` }, { text: `${fmt(own[at], 4)} own`, style: "fill:var(--ak-rev-text)" }],
  ];
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

const tableOf = ({ chosen, b, grads, carried, own, steps, w, slot }) => ({
  caption: `${chosen.label}, b = ${brief(b)}`,
  columns: ["step", "gradient", "carried over", "its own", "step taken", "w", ...(slot ? [`slot ${chosen.slot}`] : [])],
  rows: grads.map((g, i) => [String(i + 1), g, carried[i], own[i], steps[i], w[i + 1], ...(slot ? [slot[i + 1]] : [])]),
});

export default { render };
