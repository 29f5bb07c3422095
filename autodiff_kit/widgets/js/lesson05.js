import { h } from "./kit/dom.js";
import { brief } from "./kit/numbers.js";
import { ask, mount, setView } from "./kit/model_sync.js";
import { inputChoice, inputSlider } from "./kit/controls.js";
import { Frame } from "./kit/frame.js";
import { Slider } from "./kit/slider.js";
import { Stepper } from "./kit/stepper.js";
import { CurvePlot } from "./kit/curve_plot.js";
import { OperationDiagram } from "./kit/operation_diagram.js";

const FUNCTIONS = {
  floor: { label: "floor x", of: (x) => `floor(${x})`, x: [-2, 4], y: [-3.6, 4.4], snap: 0.1 },
  sign: { label: "sign x", of: (x) => `sign(${x})`, x: [-3, 3], y: [-1.6, 1.9], snap: 0.1 },
  log1pexp: { label: "log(1+eˣ)", of: (x) => `log(1 + exp ${x})`, x: [600, 1000], y: [0, 1200], snap: 1 },
};
const RULES = [
  ["own", "its own", "the rules of the operations themselves", "own rule", [-0.25, 1.6]],
  ["through", "g", "straight-through: g unchanged", "g", [-0.25, 1.6]],
  ["five", "5·g", "five times g", "5·g", [-1, 7]],
  ["window", "g if |x| ≤ 1", "g where |x| ≤ 1, else 0", "g if |x| ≤ 1", [-0.25, 1.6]],
  ["sigmoid", "g·σ(x)", "g times the sigmoid of x", "g·σ(x)", [-0.25, 1.6]],
  ["reverse", "−g", "g with the opposite sign", "−g", [-1.6, 0.7]],
].map(([value, label, hint, short, y]) => ({ value, label, hint, short, y }));
const HOOKS = [
  ["look", "looks", "returns None: g stays"],
  ["halve", "halves", "returns g/2"],
  ["clip", "clips", "returns g, limited to −1 and 1"],
  ["turn", "reverses", "returns −g"],
  ["stop", "stops", "returns 0"],
].map(([value, label, hint]) => ({ value, label, hint }));
const STAGES = ["values", "the gradient of y", "the hook on y", "the rule", "the hook on x"];
const isNumber = (x) => x !== null && Number.isFinite(x);

/** Lesson 05: one operation, the backward rule that is chosen for it, and two hooks that the gradient passes. */
function render({ model, el }) {
  const frame = Frame({
    model,
    el,
    title: "One operation and six rules for its gradient",
    lead: "Choose the rule that turns g, the gradient of y, into the gradient of x.",
  });
  const parts = { ...makeControls(model), ...makePictures(model) };
  frame.stage.append(...layout(parts));
  return mount(model, [frame, ...Object.values(parts)], (traits) => {
    const chosen = (list, name) => list.find(({ value }) => value === traits[name]);
    const state = {
      ...traits,
      shownFunction: FUNCTIONS[traits.f],
      shownRule: chosen(RULES, "rule"),
      shownHook: chosen(HOOKS, "hook"),
    };
    updateControls(parts, state);
    drawOperation(parts, state);
    parts.plots.update(state);
    frame.say(sentence(state));
    frame.tell(tableOf(state));
  });
}

const makeControls = (model) => ({
  f: inputChoice(
    model,
    "f",
    "y of x",
    Object.entries(FUNCTIONS).map(([value, { label }]) => ({ value, label })),
  ),
  rule: inputChoice(model, "rule", "Rule: the gradient of x for a gradient g", RULES),
  hook: inputChoice(model, "hook", "The hook on y, before the rule", HOOKS),
  g: inputSlider(model, "g", { label: "g, the gradient of y", min: -3, max: 3, step: 0.5 }),
  stage: Stepper({
    label: "Stage of the backward pass",
    first: 1,
    count: STAGES.length - 1,
    at: model.get("step"),
    pace: 1400,
    onStep: (step) => setView(model, { step }),
  }),
});

const makePictures = (model) => ({
  operation: OperationDiagram({ label: "The operation, its rule, and two hooks; the table below says the same" }),
  told: h("p", { class: "ak-note", style: "margin:0" }),
  plots: FunctionPlots(model),
  code: h("pre", {
    class: "ak-note",
    style: "margin:0;overflow-x:auto",
    tabindex: 0,
    role: "region",
    "aria-label": "The code of this choice",
  }),
});

const layout = ({ f, rule, hook, g, operation, told, stage, plots, code }) => [
  h("div", { class: "ak-row", style: "margin-bottom:8px" }, f.el, rule.el),
  h(
    "div",
    { class: "ak-row", style: "margin-bottom:12px" },
    hook.el,
    [g.el, plots.sliderHost].map((one) => h("div", { style: "flex:1 1 150px;min-width:0" }, one)),
  ),
  h(
    "div",
    { class: "ak-row", style: "margin-bottom:8px;align-items:center" },
    h("div", { style: "flex:2 1 320px;min-width:0" }, stage.el),
    h("div", { style: "flex:1 1 190px" }, told),
  ),
  operation.el,
  plots.plotHost,
  h("details", { class: "ak-fold" }, h("summary", { text: "In code" }), code),
];

/** The slider of x and the plots of the function and its slope, made anew for another function: its range is another. */
function FunctionPlots(model) {
  const sliderHost = h("div", {});
  const plotHost = h("div", { class: "ak-split ak-even", style: "margin-top:6px" });
  let made = null;
  const destroy = () => [made?.upper, made?.lower].forEach((plot) => plot?.destroy());
  function rebuild(name) {
    if (made?.name === name) return;
    destroy();
    made = { name, ...makePlots(model, FUNCTIONS[name]) };
    sliderHost.replaceChildren(made.slider.el);
    plotHost.replaceChildren(h("div", {}, made.upper.el), h("div", {}, made.lower.el));
  }
  function update(state) {
    rebuild(state.f);
    made.slider.update(state.x);
    drawValues(made.upper, state);
    drawSlopes(made.lower, state);
  }
  return { sliderHost, plotHost, update, destroy };
}

function makePlots(model, { x, y, snap, label }) {
  const [min, max] = x;
  const move = (to) => ask(model, { x: to });
  return {
    slider: Slider({ label: "x", min, max, step: snap, value: model.get("x"), onChange: move }),
    upper: CurvePlot({
      label: `${label} over x`,
      height: 150,
      x: { min, max, label: "x" },
      y: { min: y[0], max: y[1], label },
      handleLabel: "x",
      snap,
      onMove: move,
    }),
    lower: CurvePlot({
      label: "Slope that the rule claims, over x",
      height: 150,
      x: { min, max, label: "x" },
      y: { min: 0, max: 1, label: "slope that the rule claims" },
    }),
  };
}

function updateControls(parts, { f, rule, hook, g, step }) {
  for (const [name, value] of Object.entries({ f, rule, hook, g })) parts[name].update(value);
  parts.stage.update({ at: step });
}

function drawOperation({ operation, told, code }, state) {
  const { shownFunction, shownRule, shownHook, x, value, seen, step } = state;
  const names = { f: shownFunction.label, rule: shownRule.short, hook: shownHook.label };
  operation.update({ names, x, y: value, ...seen, stage: step });
  told.textContent = `Stage ${step + 1}: ${STAGES[step]}.`;
  code.textContent = `${state.code}\n${state.hook_code}`;
}

/** Points of one sampled quantity; the line is broken where the pieces meet, and where a value is not finite. */
const curvePoints = (pieces, name) =>
  pieces.flatMap((piece) => [
    ...piece.x.map((at, i) => [at, Number.isFinite(piece[name][i]) ? piece[name][i] : null]),
    [piece.x.at(-1), null],
  ]);

function drawValues(plot, { curve: { pieces, ends }, shownFunction, x, value }) {
  const finite = Number.isFinite(value);
  plot.update({
    curves: [{ points: curvePoints(pieces, "value"), role: "value" }],
    dots: ends.map(([at, y, open]) => ({ x: at, y, role: "value", open })),
    // The next step of floor stands above on the right; above the first step there is no room on the left.
    handle: {
      x,
      y: finite ? value : shownFunction.y[1] * 0.86,
      text: finite ? `x = ${brief(x)}` : `x = ${brief(x)}: ∞`,
      lean: "end",
      below: shownFunction === FUNCTIONS.floor && x < -1,
    },
  });
}

function drawSlopes(plot, { curve: { pieces }, shownRule, x, slope }) {
  const none = pieces[0].slope === null;
  const lost = none ? [] : pieces.flatMap((piece) => piece.x.filter((_, i) => Number.isNaN(piece.slope[i])));
  const lostLabel = () => ({
    points: [[(lost[0] + lost.at(-1)) / 2, 0.5]],
    role: "nan",
    label: `NaN from x = ${brief(lost[0], 0)} on`,
    at: 0,
  });
  const curves = none ? [] : [{ points: curvePoints(pieces, "slope"), role: "rev" }, ...(lost.length ? [lostLabel()] : [])];
  plot.update({
    y: { min: shownRule.y[0], max: shownRule.y[1] },
    curves,
    handle: isNumber(slope) ? { x, y: slope, text: brief(slope, 4) } : null,
    none: none ? "None: its own rule gives no gradient" : "",
  });
}

function sentence({ step, shownFunction, x, value, seen: { comes, leaves, arrives } }) {
  const told = `${shownFunction.of(brief(x))} is ${brief(value)}.`;
  if (step === 0) return told;
  const came = `${told} The gradient of y is ${brief(comes)}`;
  if (step === 1) return `${came}.`;
  const handed = leaves === comes ? `${came}, the hook leaves it` : `${came}, the hook returns ${brief(leaves)}`;
  if (step === 2) return `${handed}.`;
  if (arrives === null)
    return `${handed}, and the rule gives x None.${step === 4 ? " The hook on x is not called." : ""}`;
  return `${handed}, and the rule gives x ${brief(arrives)}${step === 4 ? ", which its hook sees" : ""}.`;
}

const tableOf = ({ shownFunction, shownRule, shownHook, x, value, g, seen, slope }) => ({
  caption: `${shownFunction.of(brief(x))} = ${brief(value)}; the gradient of y is ${brief(g)}, the hook on y ${shownHook.label}, the rule: ${shownRule.hint}`,
  columns: ["place", "gradient"],
  rows: [
    ["gradient of y", seen.comes],
    ["after the hook on y", seen.leaves],
    ["gradient of x", seen.arrives],
    ["slope that the rule claims", slope],
  ],
});

export default { render };
