import { h } from "./kit/dom.js";
import { brief, fmt } from "./kit/numbers.js";
import { mount, setView } from "./kit/model_sync.js";
import { entrySliders, inputChoice } from "./kit/controls.js";
import { Frame } from "./kit/frame.js";
import { Stepper } from "./kit/stepper.js";
import { BranchDiagram, ENTRY, chainRuleProduct } from "./kit/branch_diagram.js";

const SIDES = {
  sqrt: { label: "√x", of: (x) => `√${x}` },
  log: { label: "log x", of: (x) => `log ${x}` },
  reciprocal: { label: "1/x", of: (x) => `1/${x}` },
};
const WAYS = [
  ["where", "where", "where(x > 0, f(x), 0)"],
  ["inner", "two wheres", "where(x > 0, f(where(x > 0, x, 1)), 0)"],
  ["absorb", "zero absorbs", "where(x > 0, f(x), 0), the gradient inside ak.zero_absorbs()"],
  ["cond", "cond", "cond(x > 0, lambda: f(x), lambda: 0) for each entry"],
].map(([value, label, hint]) => ({ value, label, hint }));
const STAGES = [
  "forward pass: values and a choice",
  "each y gets a gradient of 1",
  "the choice passes it to the chosen side",
  "f multiplies what it gets by its slope",
  "w gets the sum over all entries",
];
const ENTRIES = ["x₀", "x₁", "x₂"];

/** Lesson 03: where and cond in four forms, and the gradients of both branches. */
function render({ model, el }) {
  const frame = Frame({
    model,
    el,
    title: "What gradient does the side that was not chosen get?",
    lead: "y is f(x) where x > 0, and 0 elsewhere. x is w = 1 times a number that you set. A lever shows the side that was chosen; dashed arrows are gradients.",
  });
  const parts = makeParts(model);
  frame.stage.append(...layout(parts));
  return mount(model, [frame, ...Object.values(parts)], (traits) => {
    const choice = WAYS.find((one) => one.value === traits.way);
    const state = { ...traits, side: SIDES[traits.f], choice };
    update(parts, state);
    frame.say(sentence(state));
    frame.tell(tableOf(state));
  });
}

const makeParts = (model) => ({
  f: inputChoice(
    model,
    "f",
    "f(x), chosen where x > 0",
    Object.entries(SIDES).map(([value, { label }]) => ({ value, label })),
  ),
  way: inputChoice(model, "way", "Way of choosing", WAYS),
  sliders: entrySliders(model, "x", ENTRIES, { min: -4, max: 9, step: 0.25 }),
  code: h("code", {}),
  diagram: BranchDiagram({ label: "Both sides of the choice for each entry; the table below says the same" }),
  told: h("p", { class: "ak-note", style: "margin:0" }),
  stage: Stepper({
    label: "Stage of the backward pass",
    first: 1,
    count: STAGES.length - 1,
    at: model.get("step"),
    pace: 1400,
    onStep: (step) => setView(model, { step }),
  }),
});

const layout = ({ f, way, code, sliders, diagram, told, stage }) => [
  h("div", { class: "ak-row", style: "margin-bottom:8px" }, f.el, way.el, h("p", { class: "ak-note ak-grow", style: "margin:0" }, code)),
  h(
    "div",
    { class: "ak-row", style: "margin-bottom:4px;align-items:center" },
    h("div", { style: "flex:1 1 320px;min-width:0" }, stage.el),
    h("div", { style: "flex:1 1 300px" }, told),
  ),
  h(
    "div",
    { class: "ak-split ak-fed" },
    h("div", { class: "ak-feeds", style: `--ak-row-height:${ENTRY}px` }, sliders.map((one) => h("div", {}, one.el))),
    diagram.el,
  ),
];

function update(parts, { f, way, x, rows, step, into_w: shared, side, choice }) {
  parts.f.update(f);
  parts.way.update(way);
  parts.sliders.forEach((one, i) => one.update(x[i]));
  parts.code.textContent = choice.hint.replace("f(x)", side.of("x")).replace(/f\((.*?\))\)/, (_, of) => side.of(of));
  parts.diagram.update({ entries: rows, f: side.of, guarded: way === "inner", stage: step, shared });
  parts.told.textContent = `Stage ${step + 1}: ${STAGES[step]}.`;
  parts.stage.update({ at: step });
}

function sentence({ rows, step, into_w: shared }) {
  const list = (name) => `[${rows.map((row) => brief(row[name])).join(", ")}]`;
  if (step === 0) return `y is ${list("y")}: f was chosen in ${rows.filter((row) => row.chosen).length} of 3 entries.`;
  if (step === 1) return "Each y gets a gradient of 1, since the loss is their sum.";
  if (step === 2) {
    const skipped = rows.some((row) => row.into_side === null);
    return `The gradient of f(x) is ${list("into_side")}: ${skipped ? "None where f was not run" : "0 where it was not chosen"}.`;
  }
  const worst = rows.find((row) => Number.isNaN(row.into_given) && row.into_side === 0);
  const why = worst ? `, since ${chainRuleProduct(worst)}` : "";
  if (step === 3) return `The gradient of x is ${list("into_x")}${why}.`;
  const spread = Number.isNaN(shared) ? ": one NaN makes the sum NaN" : "";
  return `The gradient of x is ${list("into_x")}, that of w is ${fmt(shared, 4)}${spread}.`;
}

const tableOf = ({ rows, side, choice }) => ({
  caption: `${side.label} where x > 0, else 0: ${choice.label}`,
  columns: ["entry", "side chosen", "x", "input of f", "f(x)", "y", "gradient of f(x)", "slope of f", "gradient of x"],
  rows: rows.map((row, i) => [
    ENTRIES[i],
    row.chosen ? side.label : "0",
    ...["x", "given", "value", "y", "into_side", "slope", "into_x"].map((name) => row[name]),
  ]),
});

export default { render };
