import { h, s, put, patterns } from "./kit/dom.js";
import { fmt, brief } from "./kit/numbers.js";
import { ask, mount, setView } from "./kit/model_sync.js";
import { Frame } from "./kit/frame.js";
import { Segmented } from "./kit/segmented.js";
import { TimeScrubber } from "./kit/time_scrubber.js";
import { OptimizerPlot } from "./kit/optimizer_plot.js";
import { drawVessel } from "./kit/slot_vessels.js";

const OPTIMIZERS = { sgd: "SGD", momentum: "momentum", rmsprop: "RMSProp", adam: "Adam", adamw: "AdamW" };
/** What each lesson shows; from code everything can be set in both. */
const SHOWN = {
  15: { optimizers: ["sgd", "momentum", "rmsprop", "adam"], inputs: [] },
  23: { optimizers: ["adam", "adamw"], inputs: ["start", "scale"] },
};
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
    lead: "Dotted is ghost motion: the weight moves although its gradient is zero.",
  });
  const change = (changes) => ask(model, { preset: "", ...changes }); // what was changed is no preset any more
  const parts = { presets: makePresets(model), ...makeChoices(model, change) };
  Object.assign(parts, makePlot(model, parts, change), makeSlotRows(change));
  frame.stage.append(...layout(parts));
  return mount(model, [frame, ...Object.values(parts).filter(Boolean)], (traits) => {
    const state = { ...traits, weights: traits.names.map((name, which) => weightOf(traits, name, which)) };
    updateControls(parts, state);
    parts.plot.update(state);
    parts.rows.forEach((row, which) => drawSlotRow(row, which, state));
    put(parts.moment, { text: `Slots after step ${state.at + 1}. A button acts before this step.` });
    drawActions(parts.queue, state, change);
    frame.say(sentence(state));
    frame.tell(tableOfSteps(state));
  });
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

/** One weight as it is drawn: its run, and in words, long and short, what the step at the cursor did to it. */
function weightOf({ grads, slots, actions, lazy, at }, name, which) {
  const held = frozenSpans(actions, which, grads[which].length);
  const frozen = held.some(([from, to]) => from <= at && at < to);
  const unseen = lazy[which] && grads[which][at] === 0;
  const weight = { name, grads: grads[which], held, ...slots[which] };
  const kept = frozen || unseen || weight.got[at] === null;
  return { ...weight, kept, ...stepWords(weight, at, { frozen, unseen }) };
}

function stepWords({ got, moves }, at, { frozen, unseen }) {
  const gradient = got[at];
  const same = (words) => ({ words, short: words });
  if (frozen) return same("frozen, no step");
  if (unseen) return same("not seen, no step");
  if (gradient === null) return same("got None, no step");
  const did = moves[at] ? `moves ${fmt(moves[at], 4)}` : "stays";
  return { words: `got ${brief(gradient, 3)}, ${did}`, short: did };
}

function makePresets(model) {
  const button = (name) =>
    h("button", { type: "button", "data-preset": name, text: name, onclick: () => ask(model, { preset: name }) });
  return h(
    "div",
    { class: "ak-row ak-starts", role: "group", "aria-label": "Starting points" },
    h("span", { class: "ak-label", text: "Start from" }),
    model.get("presets").map(button),
  );
}

function makeChoices(model, change) {
  const { optimizers, inputs } = SHOWN[model.get("lesson")];
  const offered = [...new Set([...optimizers, model.get("optimizer")])];
  const choice = (name, label, options) =>
    Segmented({ label, options, value: model.get(name), onChange: (value) => change({ [name]: value }) });
  const named = (values, label) => values.map((value) => ({ value, label: label(value) }));
  const numbers = (name, label, values) => (inputs.includes(name) ? choice(name, label, named(values, String)) : null);
  const brush = { value: "zero" };
  return {
    optimizer: choice(
      "optimizer",
      "Optimizer",
      named(offered, (value) => OPTIMIZERS[value]),
    ),
    start: numbers("start", "w starts at", [0, 1]),
    scale: numbers("scale", "loss times", [1, 1000]),
    brush,
    brushes: Segmented({
      label: "Brush, by mouse or keys; Shift with arrows paints on",
      options: BRUSHES,
      value: brush.value,
      onChange: (value) => {
        brush.value = value;
      },
    }),
  };
}

function makePlot(model, { brush }, change) {
  const move = (at) => setView(model, { at });
  const scrubber = TimeScrubber({ label: "Cursor: step", first: 1, onStep: move });
  const painted = (list, from, to, value) => list.map((g, i) => (i >= from && i <= to ? value : g));
  const plot = OptimizerPlot({
    names: model.get("names"),
    brush: () => PAINTS[brush.value],
    unit: () => 1,
    onPaint: (which, from, to, value) =>
      change({ grads: model.get("grads").map((list, k) => (k === which ? painted(list, from, to, value) : list)) }),
    onCursor: (at) => {
      scrubber.halt();
      move(at);
    },
    onLayout: (ends) => scrubber.update(ends),
  });
  return { scrubber, plot };
}

/** A row for each weight: its slots as vessels, always at the same place, and the buttons that act on them. */
function makeSlotRows(change) {
  const fills = patterns();
  const rows = [0, 1].map((which) => {
    const row = { fills, name: h("strong", {}), vessels: h("span", { class: "ak-vessels" }), state: null };
    row.buttons = ACTS.map(([act, text]) => {
      const onclick = () => change(withAction(row.state, which, act));
      return h("button", { type: "button", "data-key": `${which}${act}`, text, onclick });
    });
    row.el = h(
      "div",
      { class: "ak-slotrow", role: "group" },
      row.name,
      row.vessels,
      h("span", { class: "ak-tools ak-noprint" }, row.buttons),
    );
    return row;
  });
  const moment = h("p", { class: "ak-note", style: "margin:0" });
  const hatch = s("svg", { width: 0, height: 0, style: "position:absolute", "aria-hidden": "true" }, fills.defs);
  return { rows, moment, hatch, queue: h("div", { class: "ak-row ak-noprint", style: "gap:4px" }) };
}

function withAction({ actions, at }, which, act) {
  const others = actions.filter((one) => !(one.which === which && one.step === at && one.act === act));
  return { actions: [...others, { which, step: at, act }] };
}

const layout = ({ presets, optimizer, brushes, start, scale, plot, scrubber, moment, hatch, rows, queue }) => [
  presets,
  h("div", { class: "ak-row", style: "margin-bottom:4px" }, [optimizer, brushes, start, scale].map((one) => one?.el)),
  plot.el,
  scrubber.el,
  moment,
  hatch,
  ...rows.map((row) => row.el),
  queue,
];

function updateControls(parts, { preset, optimizer, start, scale, grads, at }) {
  for (const button of parts.presets.querySelectorAll("button"))
    put(button, { "aria-pressed": button.dataset.preset === preset });
  parts.optimizer.update(optimizer);
  parts.start?.update(start);
  parts.scale?.update(scale);
  parts.scrubber.update({ count: grads[0].length - 1, at });
}

function drawSlotRow(row, which, state) {
  const { at, weights, slots } = state;
  const { name, kept } = weights[which];
  row.state = state;
  put(row.name, { text: name });
  put(row.el, { "aria-label": `Slots of ${name}` });
  ACTS.forEach(([, label], i) =>
    put(row.buttons[i], { "aria-label": `${label} the slots of ${name} at step ${at + 1}` }),
  );
  const vessels = SLOT_NAMES.map((key) => {
    const most = Math.max(...slots.flatMap((slot) => (slot[key] ?? [0]).map(Math.abs)));
    const [before, now] = slots[which][key]?.slice(at, at + 2) ?? [];
    return drawVessel(key, { now, before, most, kept, digits: key === "t" ? 0 : 5, fills: row.fills });
  });
  row.vessels.replaceChildren(...vessels);
}

/** The actions so far, each a button that takes it back. */
function drawActions(queue, { actions, names }, change) {
  const held = [...queue.children].indexOf(document.activeElement);
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
  // The button that was pressed is gone: its neighbour takes the focus, or what stands before the buttons.
  if (held >= 0) (queue.children[Math.min(held, actions.length - 1)] ?? queue.previousElementSibling.querySelector("button")).focus();
}

function sentence({ optimizer, weights, at }) {
  return `Step ${at + 1}, ${OPTIMIZERS[optimizer]}: ${weights.map((weight) => `${factOf(weight, at)}.`).join(" ")}`;
}

/** What happened to one weight at the cursor, why, and where it is. */
function factOf({ name, words, m, w, moves, moved, ghost }, at) {
  const why = m?.[at + 1] ? `its m is ${brief(m[at + 1], 4)}` : "by decay alone";
  const did = moved[at] === "ghost" ? `got 0, yet moves by ${fmt(moves[at], 4)} (${why})` : words;
  const part = ghost[at + 1] ? `, of which ghost ${fmt(ghost[at + 1], 6)}` : "";
  return `${name} ${did}; ${name} is at ${fmt(w[at + 1], 6)}${part}`;
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
