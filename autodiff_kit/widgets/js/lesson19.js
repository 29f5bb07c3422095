import { h, put } from "./kit/dom.js";
import { brief, fmt } from "./kit/numbers.js";
import { ask, mount } from "./kit/model_sync.js";
import { Frame } from "./kit/frame.js";
import { Segmented, Button } from "./kit/segmented.js";
import { Slider } from "./kit/slider.js";
import { Stepper } from "./kit/stepper.js";
import { CurvePlot } from "./kit/curve_plot.js";
import { ContourPlot } from "./kit/contour_plot.js";

const CURVES = [
  { value: "decay", label: "2·exp(−t)", hint: "20 points, without noise" },
  { value: "misra", label: "NIST Misra1a", hint: "14 measurements of adsorption" },
];
const METRICS = [
  { value: "columns", label: "λD", hint: "Marquardt: each parameter by the squared length of its column of J, so that no unit counts" },
  { value: "one", label: "λ", hint: "Levenberg: all parameters by the same, whatever their units" },
];
const AXES_OF = {
  decay: { x: { min: 0, max: 2, label: "t" }, y: { min: 0, max: 3, label: "y, data and model" } },
  misra: { x: { min: 0, max: 800, label: "x" }, y: { min: 0, max: 100, label: "y, data and model" } },
};
const DAMPINGS = { min: 1e-8, max: 1e4 };
const END_REASONS = {
  limit: "the cost is below 10⁻²⁰",
  tiny: "the last step was less than a billionth of the parameters",
  open: "there were 30 tries, which is all that this picture makes",
};

/** Four digits that count, whatever the size. */
const short = (v) =>
  v !== 0 && (Math.abs(v) < 1e-3 || Math.abs(v) >= 1e5) ? fmt(v, 0) : brief(Number(v.toPrecision(4)), 6);
const pointsOf = (xs, ys) => xs.map((x, i) => [x, Number.isFinite(ys[i]) ? ys[i] : null]);

/** Lesson 19: Levenberg-Marquardt steps on the contours of a fit's cost; the damping is on a slider or left to the rule. */
function render({ model, el }) {
  const frame = Frame({
    model,
    el,
    title: "How far may a step go?",
    lead: "Lines join parameters of equal cost. The thin curve holds the end of the next step for every damping λ; the dashed ring is the trust region of this one. Drag the start.",
  });
  const parts = makeParts(model);
  const plots = makePlots();
  frame.stage.append(...layout(parts, plots));
  return mount(model, [frame, ...Object.values(parts), ...Object.values(plots)], (traits) => {
    const done = Math.min(traits.step, traits.tries.length);
    const next = traits.tries[done];
    const pushes = 2 * (next ?? traits.end).jacobians;
    const state = { ...traits, done, next, pushes, pulls: (pushes / 2) * traits.end.rows };
    updateControls(parts, state);
    drawContours(parts.contours, state);
    drawModel(plots, state);
    drawFigures(parts.figures, state);
    frame.say(sentence(state));
    frame.tell(tableOf(state));
  });
}

function makeParts(model) {
  const stepper = Stepper({
    label: "Tries of the fit",
    count: 1,
    at: model.get("step"),
    pace: 900,
    onStep: (step) => ask(model, { step }),
  });
  const restart = (changes) => {
    stepper.halt();
    ask(model, { step: 0, dampings: [], ...changes });
  };
  /** Set the damping of the next step; what came after it is forgotten. */
  const setDamping = (value) => {
    stepper.halt();
    const given = model.get("dampings");
    const before = Array.from({ length: model.get("step") }, (_, k) => given[k] ?? null);
    ask(model, { dampings: value === null ? before : [...before, value] });
  };
  const choice = (label, options, value, onChange) => Segmented({ label, options, value, onChange });
  return {
    stepper,
    curve: choice("Curve", CURVES, model.get("curve"), (curve) => restart({ curve, start: [] })),
    metric: choice("Added to JᵀJ", METRICS, model.get("metric"), (metric) => restart({ metric })),
    contours: ContourPlot({
      label: "The valley of the cost, the steps that were made and the next one; the table below says the same",
      onStart: (start) => restart({ start }),
    }),
    damping: Slider({
      label: "Damping λ of the next step",
      ...DAMPINGS,
      log: true,
      positions: 120,
      value: 1e-3,
      onChange: (value) => setDamping(Math.min(Math.max(value, DAMPINGS.min), DAMPINGS.max)),
    }),
    rule: Button({ label: "Leave it to the rule", onClick: () => setDamping(null) }),
    figures: h("div", { class: "ak-figures" }),
  };
}

/** A plot of data and model for each curve. */
const makePlots = () =>
  Object.fromEntries(
    Object.entries(AXES_OF).map(([name, { x, y }]) => [
      name,
      CurvePlot({ label: "Data, the model where the fit stands, and dashed where the step leads", height: 176, x, y }),
    ]),
  );

const layout = ({ curve, metric, contours, stepper, damping, rule, figures }, plots) => [
  h(
    "div",
    { class: "ak-row", style: "gap:8px 20px;margin-bottom:10px" },
    curve.el,
    metric.el,
    h("div", { class: "ak-grow", style: "flex-basis:200px" }, damping.el),
    rule.el,
  ),
  h(
    "div",
    { class: "ak-split" },
    h("div", {}, contours.el, h("div", { style: "margin-top:6px" }, stepper.el)),
    h("div", { class: "ak-side" }, figures, h("div", {}, Object.values(plots).map((plot) => plot.el))),
  ),
];

function updateControls(parts, { curve, metric, tries, dampings, done, next }) {
  parts.curve.update(curve);
  parts.metric.update(metric);
  parts.stepper.update({ count: tries.length, at: done });
  if (next) parts.damping.update(next.damping);
  for (const input of parts.damping.el.querySelectorAll("input")) input.disabled = !next;
  put(parts.rule.el, { disabled: !next || (dampings[done] ?? null) === null });
}

function drawContours(plot, { valley: { depths, levels }, about, start, tries, done, now }) {
  const own = start.length ? start : about.start; // the start is the learner's, and moves at once
  const { view, snap, names } = about;
  plot.update({ rows: depths, levels, view, snap, names, start: own, tries, done, now });
}

function drawModel(plots, { curve, now, about }) {
  for (const [name, plot] of Object.entries(plots)) put(plot.el, { hidden: name !== curve });
  const tried = now.tried && { points: pointsOf(now.fine, now.tried), role: "value", dash: true, thin: true };
  plots[curve].update({
    curves: [{ points: pointsOf(now.fine, now.curve), role: "value" }, ...(tried ? [tried] : [])],
    dots: about.x.map((x, i) => ({ x, y: about.y[i], role: "value", open: true })),
  });
}

function drawFigures(figures, { now, next, pushes, pulls }) {
  const rows = [
    ["cost here", short(now.cost)],
    ["the straight line promises", next ? short(next.promised) : "–"],
    ["the step finds", next ? `${short(next.found)}, ${next.kept ? "kept" : "refused"}` : "–"],
    ["pushes so far", `${pushes}`],
    ["pulls they stand for", `${pulls}`],
  ];
  const value = (text) => h("strong", { text, style: "font-size:1em;white-space:nowrap" });
  figures.replaceChildren(...rows.map(([what, text]) => h("div", {}, h("span", { text: what }), value(text))));
}

function sentence({ next, done, now, end, pushes, pulls }) {
  if (!next) {
    const place = end.at.map((v) => brief(v, 6)).join(", ");
    return `After ${done} tries the fit is at (${place}), and ${END_REASONS[end.why]}. It took ${end.jacobians} Jacobians: ${pushes} pushes, where pulls are ${pulls}.`;
  }
  const fate = next.kept ? "it is kept" : "it is refused, and the damping grows";
  return `Try ${done + 1}, damping ${short(next.damping)}: from a cost of ${short(now.cost)} the straight line promises ${short(next.promised)}, and the step finds ${short(next.found)}: ${fate}.`;
}

const tableOf = ({ about, tries }) => ({
  caption: about.words,
  columns: ["try", ...about.names, "damping", "cost", "promised", "found", "outcome"],
  rows: tries.map((one, k) => [
    `${k + 1}`,
    ...one.at.map((v) => brief(v, 6)),
    ...["damping", "cost", "promised", "found"].map((key) => short(one[key])),
    one.kept ? "kept" : "refused",
  ]),
});

export default { render };
