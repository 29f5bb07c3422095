import { h, put } from "./kit/dom.js";
import { brief, fmt } from "./kit/numbers.js";
import { ask, mount } from "./kit/model_sync.js";
import { inputChoice } from "./kit/controls.js";
import { Frame } from "./kit/frame.js";
import { Button } from "./kit/segmented.js";
import { Slider } from "./kit/slider.js";
import { Stepper } from "./kit/stepper.js";
import { SignSwitches } from "./kit/sign_switches.js";
import { ProbePicture } from "./kit/probe_picture.js";

const FUNCTIONS = [
  ["two", "2 × 2", "the quadratic of the lesson, 2 numbers"],
  ["diagonal", "diagonal", "6 numbers, no mixed second derivatives"],
  ["twelve", "12 × 12", "a quadratic of 12 numbers"],
  ["waves", "waves", "6 numbers, sines and fourth powers: no quadratic"],
].map(([value, label, hint]) => ({ value, label, hint }));
const ESTIMATES = [
  { value: "trace", label: "trace", hint: "the mean of v·Hv" },
  { value: "norm", label: "norm", hint: "the root of the mean of |Hv|²" },
];
const KINDS = [
  { value: "signs", label: "signs", hint: "entries of 1 and −1" },
  { value: "normal", label: "normal", hint: "normally distributed entries" },
];
const WAYS = [
  { value: "product", label: "product", hint: "one push through the gradient" },
  { value: "moving", label: "two gradients", hint: "at x + hv and at x − hv" },
];
const H_RANGE = { min: 1e-12, max: 1 };
const MOST = 60;
const COLUMNS = ["trace", "trace_error", "norm", "norm_error"];

/** Lesson 20: Hutchinson's estimates of a Hessian's trace and norm: off the diagonal the probes' signs cancel. */
function render({ model, el }) {
  const frame = Frame({
    model,
    el,
    title: "How many probes does a trace need?",
    lead: "Squares are entries of H times two signs of a probe v: filled is positive, hollow negative. In the mean, all but the diagonal cancels; its sum is the trace.",
  });
  const parts = makeControls(model);
  frame.stage.append(...layout(parts));
  return mount(model, [frame, ...Object.values(parts)], (state) => {
    updateControls(parts, state);
    parts.picture.update(pictureOf(state));
    frame.say(sentence(state));
    frame.tell(tableOf(state));
  });
}

function makeControls(model) {
  const last = () => model.get("rows").at(-1).v;
  /** As many probes as asked for: those that come are by chance. */
  const resize = (count) => {
    const held = model.get("probes").slice(0, count);
    ask(model, { probes: [...held, ...Array.from({ length: count - held.length }, () => [])] });
  };
  return {
    what: inputChoice(model, "function", "Hessian", FUNCTIONS),
    estimate: inputChoice(model, "estimate", "Estimate", ESTIMATES),
    kind: inputChoice(model, "kind", "Probes by chance", KINDS),
    way: inputChoice(model, "way", "Hv comes from", WAYS),
    step: Slider({
      label: "h, how far it moves",
      ...H_RANGE,
      log: true,
      positions: 120,
      value: model.get("h"),
      onChange: (value) => ask(model, { h: Math.min(Math.max(value, H_RANGE.min), H_RANGE.max) }),
    }),
    signs: SignSwitches({
      label: "Signs of this probe",
      name: "entry",
      onChange: (signs) => {
        const own = last().map((x, i) => Math.abs(x) * signs[i]);
        ask(model, { probes: [...model.get("probes").slice(0, -1), own] });
      },
    }),
    stepper: Stepper({
      label: "Number of probes",
      count: MOST - 1,
      at: model.get("probes").length - 1,
      pace: 950,
      first: 1,
      onStep: (at) => resize(at + 1),
    }),
    others: Button({ label: "Draw others", onClick: () => ask(model, { probes: model.get("probes").map(() => []), seed: model.get("seed") + 1 }) }),
    picture: ProbePicture({ label: "A probe's entries, their mean over all probes, and the estimate; the table below says the same" }),
  };
}

const layout = ({ what, estimate, kind, way, step, signs, stepper, others, picture }) => [
  h("div", { class: "ak-row", style: "gap:8px 16px;margin-bottom:8px" }, what.el, estimate.el, kind.el, way.el),
  h(
    "div",
    { class: "ak-row", style: "gap:8px 18px;margin-bottom:8px" },
    signs.el,
    others.el,
    h("div", { class: "ak-grow", style: "flex-basis:330px" }, stepper.el),
    h("div", { class: "ak-grow", style: "flex-basis:200px" }, step.el),
  ),
  picture.el,
];

function updateControls(parts, { function: name, estimate, kind, way, h: step, probes, rows }) {
  parts.what.update(name);
  parts.estimate.update(estimate);
  parts.kind.update(kind);
  parts.way.update(way);
  parts.step.update(step);
  put(parts.step.el.parentElement, { hidden: way !== "moving" });
  parts.stepper.update({ at: probes.length - 1 });
  const own = probes.length === rows.length ? probes.at(-1) : []; // the learner's own signs turn at once
  parts.signs.update(rows.at(-1).v.map((v, i) => (own.length ? own[i % own.length] : v)));
}

const short = (x) => brief(Number(x.toPrecision(4)), 6);

/** An estimate with two digits of its error, and no digit that the error makes meaningless. */
function withError(value, error) {
  if (!error) return short(value) + (error === null ? "" : " ± 0");
  const decimals = Math.min(4, Math.max(0, 1 - Math.floor(Math.log10(error))));
  return `${fmt(value, decimals)} ± ${fmt(error, decimals)}`;
}

function pictureOf({ estimate, way, about, rows, found, cells }) {
  const count = rows.length;
  const column = (name) => found.map((one) => one[name]);
  const now = found.at(-1);
  const trace = estimate === "trace";
  return {
    count,
    v: rows.at(-1).v,
    whole: cells.whole,
    probe: cells.probe,
    mean: cells.mean,
    names: {
      probe: `probe ${count}: ${trace ? "vᵢ Hᵢⱼ vⱼ" : "vᵢ (HᵀH)ᵢⱼ vⱼ"}`,
      mean: `mean of ${count === 1 ? "1 probe" : `${count} probes`}`,
      plot: `${estimate} ${withError(now[estimate], now[`${estimate}_error`])}`,
    },
    notes: { ...sumsOf({ trace, way, cells, norm: now.norm }), plot: ["bars: standard error", "pale: where the mean usually lies"] },
    plot: {
      along: "probes",
      samples: rows.map((row) => (trace ? row.quadratic : Math.sqrt(row.square))),
      means: column(estimate),
      errors: column(`${estimate}_error`),
      truth: about[estimate],
      spread: about.spread[estimate],
      most: Math.max(10, 10 * Math.ceil(count / 10)),
    },
  };
}

/** What both matrices add up to, and what the products gave where these are not exact. */
function sumsOf({ trace, way, cells: { added, given }, norm }) {
  const sum = (name) => `sum = ${brief(added[name], 2)}`;
  const gave = (name) => `gradients give ${brief(given[name], 2)}`;
  if (way === "moving") return { probe: [sum("probe"), gave("probe")], mean: [sum("mean"), gave("mean")] };
  const what = trace ? "v·Hv" : "|Hv|²";
  return { probe: [`${sum("probe")}, which is ${what}`], mean: [sum("mean"), ...(trace ? [] : [`whose root is ${short(norm)}`])] };
}

function sentence({ about, rows, found, way }) {
  const count = rows.length;
  const products = count === 1 ? "1 product" : `${count} products`;
  const cost = way === "moving" ? `${2 * count} gradients` : products;
  const words = count === 1 ? "One probe, which has no error bar" : `${count} probes`;
  const now = found.at(-1);
  const estimates = `trace ${withError(now.trace, now.trace_error)}, norm ${withError(now.norm, now.norm_error)}`;
  return `${words} (${cost}): ${estimates}. The whole Hessian has trace ${short(about.trace)} and norm ${short(about.norm)}.`;
}

const tableOf = ({ about, rows, found }) => ({
  caption: `${about.words}: probes and estimates`,
  columns: ["probes", "v·Hv", "|Hv|²", "trace", "±", "norm", "±"],
  rows: [
    ...rows.map((row, k) => [`${k + 1}`, row.quadratic, row.square, ...COLUMNS.map((name) => found[k][name] ?? "–")]),
    ["whole H", "–", "–", about.trace, "–", about.norm, "–"],
  ],
});

export default { render };
