import { h, put } from "./kit/dom.js";
import { fmt, chip } from "./kit/numbers.js";
import { ask, mount, setView } from "./kit/model_sync.js";
import { Frame } from "./kit/frame.js";
import { Segmented } from "./kit/segmented.js";
import { Stepper } from "./kit/stepper.js";
import { OptimizerTimelines } from "./kit/optimizer_timelines.js";
import { StackedBars } from "./kit/stacked_bars.js";

const OPTIMIZERS = [
  ["sgd", "SGD"],
  ["momentum", "momentum"],
  ["rmsprop", "RMSProp"],
  ["adam", "Adam"],
  ["adamw", "AdamW"],
].map(([value, label]) => ({ value, label }));
const BRUSHES = [
  { value: "value", label: "1 value" },
  { value: "zero", label: "0 zero" },
  { value: "none", label: "N None" },
];
const PAINTS = { value: 1, zero: 0, none: null };
const ACTS = [
  ["zero", "Zero"],
  ["save", "Save"],
  ["restore", "Restore"],
  ["freeze", "Freeze"],
  ["thaw", "Thaw"],
];
const SLOT_NAMES = ["m", "v", "t"];
const TABLE_STEPS = [0, 1, 2, 5, 10, 25, 50, 75, 99];

/** Lesson 15: painted gradients in three states, and the optimizer slots that move a weight after its gradient is gone. */
function render({ model, el }) {
  const frame = Frame({
    model,
    el,
    title: "One gradient, then nothing. Who is still moving?",
    lead: "Paint each strip: a value, a zero, or None. Dotted is ghost motion: the weight moves although its gradient at that step is zero.",
  });
  const change = (changes) => ask(model, { preset: "", ...changes }); // what was changed is no preset any more
  const parts = { presets: makePresets(model), ...makeChoices(model, change), ...makeReadouts() };
  Object.assign(parts, makeTimelines(model, parts, change));
  frame.stage.append(...layout(parts));
  return mount(model, [frame, ...Object.values(parts)], (state) => {
    updateControls(parts, state);
    drawTimelines(parts.timelines, state);
    drawMotion(parts.split, state);
    drawSlots(parts.slots, state, change);
    drawActions(parts.queue, state, change);
    frame.say(sentence(state));
    frame.tell(tableOfSteps(state));
  });
}

const makePresets = (model) =>
  h(
    "div",
    { class: "ak-row", role: "group", "aria-label": "Starting points", style: "gap:6px;margin-bottom:14px" },
    h("span", { class: "ak-label", text: "Start from" }),
    model.get("presets").map((name) =>
      h("button", { type: "button", "data-preset": name, text: name, onclick: () => ask(model, { preset: name }) }),
    ),
  );

function makeChoices(model, change) {
  const choice = (name, label, options) =>
    Segmented({ label, options, value: model.get(name), onChange: (value) => change({ [name]: value }) });
  const numbers = (values) => values.map((value) => ({ value, label: String(value) }));
  const brush = { value: "zero" };
  return {
    optimizer: choice("optimizer", "Optimizer", OPTIMIZERS),
    start: choice("start", "w starts at", numbers([0, 1])),
    scale: choice("scale", "loss times", numbers([1, 1000])),
    brush,
    brushes: Segmented({
      label: "Brush",
      options: BRUSHES,
      value: brush.value,
      onChange: (value) => {
        brush.value = value;
      },
    }),
  };
}

function makeTimelines(model, { brush }, change) {
  const move = (at) => setView(model, { at });
  const stepper = Stepper({
    label: "Cursor: step",
    first: 1,
    count: model.get("grads")[0].length - 1,
    at: model.get("at"),
    pace: 60,
    onStep: move,
  });
  const painted = (list, from, to, value) => list.map((g, i) => (i >= from && i <= to ? value : g));
  const timelines = OptimizerTimelines({
    params: model.get("names"),
    brush: () => PAINTS[brush.value],
    unit: () => 1,
    onPaint: (which, from, to, value) =>
      change({ grads: model.get("grads").map((list, k) => (k === which ? painted(list, from, to, value) : list)) }),
    onCursor: (at) => {
      stepper.halt();
      move(at);
    },
  });
  return { stepper, timelines };
}

const makeReadouts = () => ({
  split: StackedBars({ label: "Motion in all" }),
  slots: h("table", { class: "ak-table" }),
  queue: h("div", { class: "ak-row", style: "gap:4px;margin-top:8px" }),
});

const layout = ({ presets, optimizer, brushes, start, scale, timelines, stepper, split, slots, queue }) => [
  presets,
  h("div", { class: "ak-row", style: "margin-bottom:16px" }, optimizer.el, brushes.el, start.el, scale.el),
  timelines.el,
  stepper.el,
  h(
    "p",
    { class: "ak-note" },
    "On a strip: arrows move, ",
    h("b", { text: "1 0 N" }),
    " paint a value, a zero, None; Shift with a move, such as Shift+End, paints on.",
  ),
  h("hr", { class: "ak-rule" }),
  h(
    "div",
    { class: "ak-split ak-even" },
    h("div", {}, h("h4", { class: "ak-h", text: "Motion in all" }), split.el),
    h(
      "div",
      {},
      h("h4", { class: "ak-h", text: "Slots at the cursor" }),
      h("div", { class: "ak-scroll" }, slots),
      h("p", {
        class: "ak-note",
        text: "A button acts before this step; what it did is listed here and can be taken back.",
      }),
      queue,
    ),
  ),
];

function updateControls(parts, { preset, optimizer, start, scale, grads, at }) {
  for (const button of parts.presets.querySelectorAll("button"))
    put(button, { "aria-pressed": button.dataset.preset === preset });
  parts.optimizer.update(optimizer);
  parts.start.update(start);
  parts.scale.update(scale);
  parts.stepper.update({ count: grads[0].length - 1, at });
}

/** Spans of steps [from, to) that a freeze covers, for the grey hatch. */
function frozenSpans(actions, which, steps) {
  const spans = [];
  const own = actions.filter((one) => one.which === which).sort((a, b) => a.step - b.step);
  for (const { act, step } of own) {
    if (act === "freeze") spans.push([step, steps]);
    if (act === "thaw" && spans.length) spans.at(-1)[1] = step;
  }
  return spans;
}

function drawTimelines(timelines, { names, grads, slots, actions, at }) {
  timelines.update({
    at,
    held: names.map((_, which) => frozenSpans(actions, which, grads[0].length)),
    params: names.map((name, which) => ({ name, grads: grads[which], ...slots[which] })),
  });
}

function drawMotion(split, { names, slots }) {
  const parts = ({ real, ghost }) => [
    { amount: real, kind: "real" },
    { amount: ghost, kind: "ghost" },
  ];
  split.update(names.map((name, which) => ({ name, parts: parts(slots[which]) })));
}

/** The buttons that act on the slots of one weight before the step at the cursor. */
function slotButtons(which, { names, at, actions }, change) {
  const others = (act) => actions.filter((one) => !(one.which === which && one.step === at && one.act === act));
  return h(
    "span",
    { class: "ak-tools" },
    ACTS.map(([act, label]) =>
      h("button", {
        type: "button",
        "data-key": `${which}${act}`,
        text: label,
        "aria-label": `${label} the slots of ${names[which]} at step ${at + 1}`,
        onclick: () => change({ actions: [...others(act), { which, step: at, act }] }),
      }),
    ),
  );
}

function drawSlots(table, state, change) {
  const { names, slots, at } = state;
  const focused = table.contains(document.activeElement) ? document.activeElement.dataset.key : null;
  const value = (slot, key) => chip(slot[key] ? slot[key][at + 1] : null, key === "t" ? 0 : 5);
  const rows = slots.flatMap((slot, which) => [
    h(
      "tr",
      {},
      h("th", { scope: "row", text: names[which] }),
      ...SLOT_NAMES.map((key) => h("td", {}, value(slot, key))),
      h("td", {}, chip(slot.w[at + 1] - slot.w[at], 6)),
    ),
    h(
      "tr",
      { class: "ak-noprint" },
      h("td", { colspan: 5, class: "ak-left", style: "padding-bottom:8px" }, slotButtons(which, state, change)),
    ),
  ]);
  const heads = ["", ...SLOT_NAMES, "last move"].map((text) => h("th", { scope: "col", text }));
  table.replaceChildren(h("thead", {}, h("tr", {}, heads)), h("tbody", {}, rows));
  if (focused) table.querySelector(`[data-key="${focused}"]`)?.focus();
}

/** The actions so far, each a button that takes it back. */
function drawActions(queue, { actions, names }, change) {
  queue.replaceChildren(
    ...actions.map(({ act, which, step }, i) =>
      h("button", {
        type: "button",
        text: `${act} ${names[which]} at step ${step + 1} ✕`,
        "aria-label": `Take back: ${act} ${names[which]} at step ${step + 1}`,
        onclick: () => change({ actions: actions.filter((_, k) => k !== i) }),
      }),
    ),
  );
}

function sentence({ optimizer, names, grads, slots }) {
  const label = OPTIMIZERS.find((one) => one.value === optimizer).label;
  const ends = names.map(
    (name, which) => `${name} is at ${fmt(slots[which].w.at(-1), 6)}, of which ghost ${fmt(slots[which].ghost, 6)}`,
  );
  return `${label}, after ${grads[0].length} steps: ${ends.join("; ")}.`;
}

const tableOfSteps = ({ names, grads, slots }) => ({
  caption: "The weight over time",
  digits: 6,
  columns: ["step", ...names.flatMap((name) => [`gradient of ${name}`, name])],
  rows: TABLE_STEPS.map((i) => [
    String(i + 1),
    ...names.flatMap((_, which) => [grads[which][i], slots[which].w[i + 1]]),
  ]),
});

export default { render };
