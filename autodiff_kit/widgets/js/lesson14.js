import { h } from "./kit/core.js";
import { brief, fmt } from "./kit/numbers.js";
import { decode, listen, ask } from "./kit/kernel.js";
import { Frame } from "./kit/frame.js";
import { Segmented } from "./kit/segmented.js";
import { Slider } from "./kit/slider.js";
import { Stepper } from "./kit/stepper.js";
import { Rolling } from "./kit/rolling.js";

const INPUTS = ["optimizer", "grads", "b", "at"];
const OUTPUTS = ["steps", "carried", "slot", "w", "roll", "rest"];
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
const row = (f) => Array.from({ length: 24 }, (_, i) => f(i));
const STARTS = {
  "1 1 1, then zeros": row((i) => (i < 3 ? 1 : 0)),
  "1 1 1, then None": row((i) => (i < 3 ? 1 : null)),
  "there and back": row((i) => (i < 6 ? 1 : i < 12 ? -1 : 0)),
  "to and fro": row((i) => (i % 2 ? -1 : 1)),
  "always 1": row(() => 1),
};

/** Lesson 14: paint gradients, and see each step as what it carries over and what its own gradient adds. */
function render({ model, el }) {
  const get = (name) => decode(model.get(name));
  const frame = Frame({
    model,
    el,
    title: "The gradients have stopped. How far does it still roll?",
    lead: "Learning rate .1. Each bar is a step: wide and stippled is what it carries over of the steps before, narrow and orange what its own gradient adds. Move the cursor: at the dashed line w would come to rest if only zeros followed.",
  });
  const starts = h(
    "div",
    { class: "ak-row", role: "group", "aria-label": "Starting points", style: "gap:6px;margin-bottom:14px" },
    h("span", { class: "ak-label", text: "Start from" }),
    Object.entries(STARTS).map(([name, grads]) =>
      h("button", { type: "button", text: name, onclick: () => ask(model, { grads }) }),
    ),
  );
  const optimizer = Segmented({
    label: "Optimizer",
    options: OPTIMIZERS,
    value: get("optimizer"),
    onChange: (value) => ask(model, { optimizer: value }),
  });
  let brush = 0;
  const brushes = Segmented({
    label: "Brush",
    options: BRUSHES,
    value: brush,
    onChange: (value) => {
      brush = value;
    },
  });
  const memory = Slider({
    label: "memory b",
    min: 0,
    max: 0.95,
    step: 0.05,
    value: get("b"),
    onChange: (value) => ask(model, { b: value }),
  });
  const stepper = Stepper({
    label: "Cursor: step",
    first: 1,
    count: get("grads").length - 1,
    at: get("at"),
    pace: 400,
    onStep: (at) => ask(model, { at }),
  });
  const rolling = Rolling({
    brush: () => brush,
    unit: () => 1,
    onPaint: (from, to, value) =>
      ask(model, { grads: get("grads").map((g, i) => (i >= from && i <= to ? value : g)) }),
    onCursor: (at) => {
      stepper.halt();
      ask(model, { at });
    },
  });

  frame.stage.append(
    starts,
    h(
      "div",
      { class: "ak-row", style: "margin-bottom:16px" },
      optimizer.el,
      brushes.el,
      h("div", { style: "flex:1 1 200px" }, memory.el),
    ),
    rolling.el,
    stepper.el,
    h(
      "p",
      { class: "ak-note" },
      "Paint on the strip with the mouse, or by keys: arrows move, ",
      h("b", { text: "1 0 N" }),
      " paint, Space paints the brush, Shift with a move paints on.",
    ),
  );

  function draw() {
    const [grads, at, steps, carried, w, rest] = ["grads", "at", "steps", "carried", "w", "rest"].map(get);
    const chosen = OPTIMIZERS.find((one) => one.value === get("optimizer"));
    optimizer.update(chosen.value);
    memory.update(get("b"));
    stepper.update({ count: grads.length - 1, at });
    const slot = get("slot") && { name: chosen.slot, values: get("slot") };
    rolling.update({ grads, slot, steps, carried, w, roll: get("roll"), rest, at });
    frame.say(claim(chosen.label, { grads, at, steps, carried, w, rest }));
    frame.tell({
      caption: `${chosen.label}, memory ${brief(get("b"))}`,
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
  }

  function claim(name, { grads, at, steps, carried, w, rest }) {
    const head =
      steps[at] === null
        ? `${name}, step ${at + 1}: the gradient is None, and no step is taken.`
        : `${name}, step ${at + 1}: the gradient is ${brief(grads[at])}, the step ${fmt(steps[at], 4)}, of which ${fmt(carried[at], 4)} is carried over.`;
    const further = rest - w[at + 1];
    const tail =
      Math.abs(further) < 5e-5
        ? `w is at ${fmt(w[at + 1], 4)}; with zeros from here on it stays there.`
        : `w is at ${fmt(w[at + 1], 4)}; with zeros from here on it rolls ${fmt(further, 4)} further, to ${fmt(rest, 4)}.`;
    return `${head} ${tail}`;
  }

  const stop = listen(model, [...INPUTS, ...OUTPUTS, "answered"], draw);
  draw();
  return () => {
    stop();
    [frame, stepper, rolling].forEach((part) => part.destroy());
  };
}

export default { render };
