import { h, put } from "./kit/dom.js";
import { brief, fmt } from "./kit/numbers.js";
import { ask, mount } from "./kit/model_sync.js";
import { inputChoice } from "./kit/controls.js";
import { Frame } from "./kit/frame.js";
import { Button } from "./kit/segmented.js";
import { Slider } from "./kit/slider.js";
import { SignSwitches } from "./kit/sign_switches.js";
import { EstimatePlot } from "./kit/estimate_plot.js";

const FUNCTIONS = [
  ["two", "[[2 1] [1 3]]", "the quadratic of the lesson, 2 numbers"],
  ["diagonal", "diagonal", "6 numbers, no mixed second derivatives"],
  ["twelve", "12 × 12", "a quadratic of 12 numbers"],
  ["waves", "no quadratic", "6 numbers, sines and fourth powers"],
].map(([value, label, hint]) => ({ value, label, hint }));
const KINDS = [
  { value: "signs", label: "signs", hint: "entries of 1 and −1" },
  { value: "normal", label: "normal numbers" },
];
const WAYS = [
  { value: "product", label: "an exact product", hint: "one push through the gradient" },
  { value: "moving", label: "two moved gradients", hint: "at x + hv and at x − hv" },
];
const H_RANGE = { min: 1e-12, max: 1 };
const ESTIMATES = ["trace", "trace_error", "norm", "norm_error"];
const list = (numbers) => numbers.map((x) => brief(x, 3)).join(", ");

/** Lesson 20: Hutchinson's estimates of a Hessian's trace and norm from random probes, one by one. */
function render({ model, el }) {
  const frame = Frame({
    model,
    el,
    title: "How many probes does a trace need?",
    lead: "A probe v gives v·Hv, a hollow dot on the left, and |Hv|, one on the right. The line is the estimate from all probes so far, the grey bar its standard error; the dashed line is the truth, from the whole Hessian.",
  });
  const parts = { ...makeControls(model), ...makeProbeParts(model), ...makePlots() };
  frame.stage.append(...layout(parts));
  return mount(model, [frame, ...Object.values(parts)], (state) => {
    updateControls(parts, state);
    drawNextProbe(parts, state);
    drawEstimates(parts, state);
    frame.say(sentence(state));
    frame.tell(tableOf(state));
  });
}

const makeControls = (model) => ({
  what: inputChoice(model, "function", "Hessian", FUNCTIONS, { probes: [], next_signs: [] }),
  kind: inputChoice(model, "kind", "By chance", KINDS, { probes: [] }),
  way: inputChoice(model, "way", "Hv comes from", WAYS),
  step: Slider({
    label: "h, how far it moves",
    ...H_RANGE,
    log: true,
    positions: 120,
    value: model.get("h"),
    onChange: (value) => ask(model, { h: Math.min(Math.max(value, H_RANGE.min), H_RANGE.max) }),
  }),
});

function makeProbeParts(model) {
  const addProbes = (more) =>
    ask(model, { probes: [...model.get("probes"), ...more].slice(0, model.get("about").most) });
  return {
    signs: SignSwitches({
      label: "Your next probe v",
      name: "entry",
      onChange: (next) => ask(model, { next_signs: next }),
    }),
    coming: h("p", { class: "ak-note", style: "margin:6px 0 0" }),
    add: Button({ label: "Add this probe", kind: "primary", onClick: () => addProbes([model.get("ahead").v]) }),
    one: Button({ label: "One by chance", onClick: () => addProbes([[]]) }),
    ten: Button({ label: "Ten by chance", onClick: () => addProbes(Array.from({ length: 10 }, () => [])) }),
    again: Button({ label: "Begin again", onClick: () => ask(model, { probes: [], seed: model.get("seed") + 1 }) }),
  };
}

const makePlots = () => ({
  trace: EstimatePlot({ label: "v·Hv of each probe, and the estimate of the trace; the table below says the same" }),
  norm: EstimatePlot({ label: "|Hv| of each probe, and the estimate of the Frobenius norm" }),
});

const layout = ({ what, kind, way, step, signs, coming, add, one, ten, again, trace, norm }) => [
  h("div", { class: "ak-row", style: "margin-bottom:12px" }, what.el, kind.el, way.el),
  h("div", { style: "max-width:420px;margin-bottom:12px" }, step.el),
  signs.el,
  coming,
  h("div", { class: "ak-row", style: "gap:8px;margin:8px 0 16px" }, add.el, one.el, ten.el, again.el),
  h("div", { class: "ak-split ak-even" }, h("div", {}, trace.el), h("div", {}, norm.el)),
];

function updateControls(parts, { function: name, kind, way, h: step, about, rows }) {
  parts.what.update(name);
  parts.kind.update(kind);
  parts.way.update(way);
  parts.step.update(step);
  put(parts.step.el.parentElement, { hidden: way !== "moving" });
  for (const button of [parts.add, parts.one, parts.ten]) put(button.el, { disabled: rows.length >= about.most });
  put(parts.again.el, { disabled: !rows.length });
}

function drawNextProbe({ signs, coming }, { ahead, next_signs: own }) {
  signs.update(ahead.v.map((v, i) => (own.length ? own[i % own.length] : v))); // the learner's own signs turn at once
  coming.textContent = `Hv = (${list(ahead.moved)}), v·Hv = ${brief(ahead.quadratic)}, |Hv|² = ${brief(ahead.square)}`;
}

function drawEstimates({ trace, norm }, { about, rows, found }) {
  const most = Math.max(10, 10 * Math.ceil(rows.length / 10));
  const column = (name) => found.map((estimate) => estimate[name]);
  trace.update({
    name: "trace",
    along: "probes",
    samples: rows.map((row) => row.quadratic),
    means: column("trace"),
    errors: column("trace_error"),
    truth: about.trace,
    most,
  });
  norm.update({
    name: "Frobenius norm",
    along: "probes",
    samples: rows.map((row) => Math.sqrt(row.square)),
    means: column("norm"),
    errors: column("norm_error"),
    truth: about.norm,
    most,
  });
}

function sentence({ about, rows, found, way }) {
  const count = rows.length;
  if (!count)
    return `No probe yet. The whole Hessian of ${about.size} × ${about.size} has trace ${brief(about.trace)} and norm ${brief(about.norm)}.`;
  const products = count === 1 ? "1 product" : `${count} products`;
  const cost = way === "moving" ? `${2 * count} gradients` : products;
  const bar = (error) => (error === null ? "" : ` ± ${fmt(error)}`);
  const words = count === 1 ? "One probe, which has no error bar" : `${count} probes`;
  const now = found.at(-1);
  return `${words} (${cost}): trace ${fmt(now.trace)}${bar(now.trace_error)}, norm ${fmt(now.norm)}${bar(now.norm_error)}. The truth is ${brief(about.trace)} and ${brief(about.norm)}.`;
}

const tableOf = ({ about, rows, ahead, found }) => ({
  caption: `${about.words}: probes and estimates`,
  columns: ["probes", "v·Hv", "|Hv|²", "trace", "±", "norm", "±"],
  rows: [
    ...[...rows, ahead].map((row, k) => [
      row === ahead ? "next" : `${k + 1}`,
      row.quadratic,
      row.square,
      ...ESTIMATES.map((name) => found[k]?.[name] ?? "–"),
    ]),
    ["whole H", "–", "–", about.trace, "–", about.norm, "–"],
  ],
});

export default { render };
