import { h, put } from "./kit/dom.js";
import { fmt, brief } from "./kit/numbers.js";
import { ask, mount } from "./kit/model_sync.js";
import { Frame } from "./kit/frame.js";
import { Segmented, Button } from "./kit/segmented.js";
import { Slider } from "./kit/slider.js";
import { Stepper } from "./kit/stepper.js";
import { CurvePlot } from "./kit/curve_plot.js";

const RULES = [
  ["none", "none", "floor: no gradient"],
  ["straight", "straight-through", "value of floor, derivative 1"],
  ["sigmoid", "sigmoid", "a sum of sigmoids and its derivative"],
  ["linear", "linear", "steep ramps and their derivative"],
  ["filter", "filter", "floor smoothed by a triangular kernel"],
].map(([value, label, hint]) => ({ value, label, hint }));
const LEVELS_OF_FLOOR = [0, 1, 2, 3, 4, 5];
const TARGET = 3;
const X_RANGE = { min: 0, max: 6 };
const TABLE_STEPS = [0, 1, 2, 5, 10, 20, 50, 100, 200];

/** Lesson 06: descent on a staircase with five derivatives, and where each of them ends. */
function render({ model, el }) {
  const frame = Frame({
    model,
    el,
    title: "floor, and five rules for its derivative",
    lead: "Gradient descent looks for floor(x) = 3. The lower plot is the derivative that it uses. Choose a rule, drag the point, press Play.",
  });
  const restart = (changes) => {
    parts.stepper.halt();
    ask(model, { step: 0, ...changes });
  };
  const parts = { ...makeControls(model, restart), ...makePlots(model, restart), ...makeReadouts() };
  const descents = []; // a row for each descent that was run to its end
  frame.stage.append(...layout(parts));
  return mount(model, [frame, ...Object.values(parts)], (traits) => {
    const state = { ...traits, hard: isHard(traits.rule), last: traits.trail.length - 1, x: currentX(traits) };
    updateControls(parts, state);
    drawHeights(parts.upper, state);
    drawSlopes(parts.lower, state);
    drawSharpness(parts, state);
    drawFigures(parts.figures, state);
    if (state.step === state.last) record(descents, state);
    drawDescents(parts.table, descents);
    frame.say(sentence(state));
    frame.tell(tableOfSteps(state));
  });
}

const isHard = (rule) => rule === "none" || rule === "straight";

/** The start is the learner's own, so it moves before the kernel answers. */
const currentX = ({ step, trail, start }) => (step ? trail[step] : start);

function makeControls(model, restart) {
  return {
    rule: Segmented({
      label: "Backward rule",
      options: RULES,
      value: model.get("rule"),
      onChange: (value) => restart({ rule: value }),
    }),
    sharpness: Slider({
      label: "s, sharpness",
      min: 1,
      max: 50,
      log: true,
      value: model.get("s"),
      onChange: (value) => restart({ s: value }),
    }),
    anneal: Button({
      label: "Anneal s from 1 to 20",
      pressed: model.get("anneal"),
      onClick: () => restart({ anneal: !model.get("anneal") }),
    }),
    stepper: Stepper({
      label: "Step of the descent",
      count: model.get("trail").length - 1,
      at: model.get("step"),
      pace: 60,
      onStep: (step) => ask(model, { step }),
    }),
  };
}

function makePlots(model, restart) {
  const growth = CurvePlot({
    label: "Sharpness s over the steps",
    height: 100,
    x: { min: 0, max: model.get("trail").length - 1 },
    y: { min: 0, max: 20, label: "s over the steps" },
  });
  growth.el.classList.add("ak-growth");
  return {
    growth,
    upper: CurvePlot({
      label: "floor, relaxation and the point x",
      height: 246,
      x: { ...X_RANGE },
      xAxis: false,
      y: { min: 0, max: 6, label: "height" },
      handleLabel: "Point: where the descent starts",
      onMove: (start) => restart({ start }),
    }),
    lower: CurvePlot({
      label: "Derivative used by the backward rule",
      height: 136,
      x: { ...X_RANGE, label: "x" },
      y: { min: 0, max: 2, label: "derivative used" },
    }),
  };
}

function makeReadouts() {
  const table = h("table", { class: "ak-table ak-runs" });
  return {
    figures: h("div", { class: "ak-figures" }),
    table,
    runs: h("div", { class: "ak-scroll", style: "max-height:168px", tabindex: 0, role: "region", "aria-label": "Your descents" }, table),
  };
}

const layout = ({ rule, upper, lower, growth, stepper, sharpness, anneal, figures, runs }) => [
  h(
    "div",
    { class: "ak-row", style: "margin-bottom:8px" },
    rule.el,
    h("div", { style: "flex:1 1 320px;min-width:0" }, stepper.el),
  ),
  h(
    "div",
    { class: "ak-split" },
    h("div", {}, upper.el, lower.el),
    h("div", { class: "ak-side" }, h("div", {}, anneal.el), sharpness.el, growth.el, figures, runs),
  ),
];

function updateControls(parts, { rule, s, anneal, step, last, hard }) {
  parts.rule.update(rule);
  parts.sharpness.update(s);
  put(parts.anneal.el, { "aria-pressed": anneal, disabled: hard });
  parts.sharpness.el.querySelectorAll("input").forEach((input) => {
    input.disabled = hard;
  });
  parts.stepper.update({ count: last, at: step });
}

function drawHeights(plot, { grid, surrogate, on_curve: heights, trail, step, x, hard }) {
  const stairs = LEVELS_OF_FLOOR.flatMap((k) => [
    [k, k],
    [k + 1, k],
    [k + 1, null],
  ]);
  const smooth = {
    points: grid.map((at, i) => [at, surrogate[i]]),
    role: "value",
    label: "relaxation",
    at: grid.findIndex((at) => at >= 4.75),
    anchor: "end",
    dx: -8,
    dy: -10,
  };
  plot.update({
    curves: [
      { points: stairs, role: "value", thin: !hard, label: hard ? "" : "floor", at: 13, dx: -16, dy: 18 },
      ...(hard ? [] : [smooth]),
    ],
    dots: LEVELS_OF_FLOOR.slice(1).flatMap((k) => [
      { x: k, y: k, role: "value" },
      { x: k, y: k - 1, role: "value", open: true },
    ]),
    marks: [{ y: TARGET, label: "target 3" }],
    trail: trail.slice(0, step).map((at, t) => [at, heights[t]]),
    handle: { x, y: heights[step], text: `x = ${brief(x, 3)}` },
  });
}

function drawSlopes(plot, { grid, slope, area, rule }) {
  const none = slope[0] === null;
  const oneStep = grid.map((x, i) => [x, slope[i]]).filter(([x]) => x >= 1.5 && x <= 2.5);
  const shaded = {
    points: oneStep,
    role: "rev",
    label: none ? "" : `area ${fmt(area, 4)}`,
    at: Math.floor(oneStep.length / 2),
    dy: rule === "straight" ? -10 : -8,
  };
  plot.update({
    y: { max: none ? 2 : Math.max(2, ...slope) * 1.08 },
    curves: none ? [] : [{ points: grid.map((x, i) => [x, slope[i]]), role: "rev" }],
    areas: none ? [] : [shaded],
    none: none ? "None: floor has no gradient" : "",
  });
  plot.el.classList.toggle("ak-is-none", none);
}

/** s over the steps, with a dot at this one, in place of its slider where it grows. */
function drawSharpness({ growth: plot, sharpness }, { temperature, step, last, anneal, hard }) {
  const growing = anneal && !hard;
  put(plot.el, { hidden: !growing });
  put(sharpness.el, { hidden: growing });
  if (!growing) return;
  const late = step > last / 2;
  plot.update({
    curves: [
      {
        points: temperature.map((s, t) => [t, s]),
        role: "value",
        label: `s = ${brief(temperature[step], 2)}`,
        at: step,
        anchor: late ? "end" : "start",
        dx: late ? -8 : 4,
        dy: -9,
      },
    ],
    dots: [{ x: step, y: temperature[step], role: "value" }],
  });
}

function drawFigures(figures, { at_two: atTwo, area, slope }) {
  const rows = [
    ["f(2)", fmt(atTwo, 4)],
    ["area of one step", slope[0] === null ? null : fmt(area, 4)],
  ];
  const value = (text) =>
    text === null ? h("span", { class: "ak-num ak-num-none", text: "None" }) : h("strong", { text });
  figures.replaceChildren(...rows.map(([name, text]) => h("div", {}, h("span", { text: name }), value(text))));
}

/** Note a descent that was run to its end; one with the same settings replaces the earlier one. */
function record(descents, { rule, s, anneal, hard, trail, arrived }) {
  const name = RULES.find((one) => one.value === rule).label + (hard ? "" : `, s ${anneal ? "1→20" : brief(s)}`);
  const row = [name, fmt(trail.at(-1), 4), arrived === null ? "never" : String(arrived)];
  const at = descents.findIndex((old) => old[0] === name);
  if (at >= 0) descents[at] = row;
  else descents.push(row);
}

function drawDescents(table, descents) {
  const cell = (text, i) => h(i ? "td" : "th", { scope: i ? null : "row", text });
  const heads = ["rule", "ends at", "at 3 after"].map((text) => h("th", { scope: "col", text }));
  const rows = descents.map((row) => h("tr", {}, row.map(cell)));
  table.replaceChildren(
    h("caption", { text: descents.length ? "Your descents" : "Your descents will be listed here." }),
    ...(descents.length ? [h("thead", {}, h("tr", {}, heads)), h("tbody", {}, rows)] : []),
  );
}

function sentence({ rule, step, last, trail, arrived, at_two: atTwo, area }) {
  if (rule === "none")
    return step
      ? `After ${step} steps x is still ${brief(trail[step], 4)}: no gradient, no motion.`
      : "The gradient of floor is None, so x does not move.";
  if (step < last)
    return step
      ? `Step ${step}: x = ${fmt(trail[step], 4)}.`
      : `soft_floor(2) is ${fmt(atTwo, 4)}; the area under one step is ${fmt(area, 4)}.`;
  return arrived === null
    ? `After ${step} steps x is ${fmt(trail.at(-1), 4)}: floor(x) never reached 3.`
    : `x ends at ${fmt(trail.at(-1), 4)}; floor(x) was 3 after ${arrived} steps.`;
}

const tableOfSteps = ({ rule, trail, heights, temperature }) => ({
  caption: `Descent with ${rule}, from ${brief(trail[0], 2)}`,
  columns: ["step", "x", "height", "s"],
  rows: TABLE_STEPS.filter((t) => t < trail.length).map((t) => [
    String(t),
    trail[t],
    heights[t],
    brief(temperature[t], 2),
  ]),
});

export default { render };
