import { h } from "./kit/dom.js";
import { fmt } from "./kit/numbers.js";
import { ask, mount, setView } from "./kit/model_sync.js";
import { entrySliders, inputChoice, withEntry } from "./kit/controls.js";
import { Frame } from "./kit/frame.js";
import { Button } from "./kit/segmented.js";
import { Slider } from "./kit/slider.js";
import { Stepper } from "./kit/stepper.js";
import { CostBlocks, joinNames } from "./kit/cost_blocks.js";

const WIDTHS = ["input", "first layer", "second layer", "output"];
const SOURCES = ["x", "W1", "W2", "W3"];
const PROGRAMS = [
  { value: "products", label: "products alone" },
  { value: "whole", label: "biases, tanh and a loss" },
];

/** Lesson 18: the cost of three layers forward and backward, for the gradients that are asked for. */
function render({ model, el }) {
  const frame = Frame({
    model,
    el,
    title: "What does the backward pass cost?",
    lead: "Each block is a line of the program, as long as its operations. Each gradient that is wanted costs about the same once more.",
  });
  const parts = makeParts(model);
  frame.stage.append(...layout(parts));
  return mount(model, [frame, ...Object.values(parts)], (state) => {
    const { program, wanted, sizes, batch, lines } = state;
    const count = 2 * lines.length;
    const step = Math.min(state.step, count);
    parts.program.update(program);
    parts.switches.forEach((one, i) => one.update({ "aria-pressed": wanted[i] }));
    parts.widths.forEach((one, i) => one.update(sizes[i]));
    parts.batch.update(batch);
    parts.stepper.update({ count, at: step });
    parts.costs.update({ ...state, step });
    frame.say(sentence({ ...state, step }));
    frame.tell(tableOf(state));
  });
}

const makeParts = (model) => ({
  program: inputChoice(model, "program", "The program", PROGRAMS),
  switches: SOURCES.map((label, i) =>
    Button({
      label,
      pressed: model.get("wanted")[i],
      onClick: () => ask(model, { wanted: withEntry(model.get("wanted"), i, !model.get("wanted")[i]) }),
    }),
  ),
  widths: entrySliders(model, "sizes", WIDTHS, { min: 1, max: 32, toInput: Math.round }),
  batch: Slider({
    label: "rows in the batch",
    min: 1,
    max: 50,
    value: model.get("batch"),
    onChange: (value) => ask(model, { batch: Math.round(value) }),
  }),
  stepper: Stepper({
    label: "Lines that have run, forward and backward",
    count: 2 * model.get("lines").length,
    at: model.get("step"),
    pace: 900,
    onStep: (step) => setView(model, { step }),
  }),
  costs: CostBlocks({ label: "Operations of each line, forward and backward" }),
});

const layout = ({ program, switches, widths, batch, stepper, costs }) => [
  h(
    "div",
    { class: "ak-row", style: "margin-bottom:12px;align-items:flex-start" },
    program.el,
    h(
      "div",
      { role: "group", "aria-label": "Gradients that are asked for" },
      h("span", { class: "ak-label", text: "Gradients are asked for" }),
      h("div", { class: "ak-tools" }, switches.map((one) => one.el)),
    ),
  ),
  h(
    "div",
    { class: "ak-row", style: "margin-bottom:12px" },
    [...widths, batch].map((one) => h("div", { style: "flex:1 1 168px;min-width:0" }, one.el)),
  ),
  h("div", { style: "margin-bottom:8px" }, stepper.el),
  costs.el,
];

function sentence({ step, lines, wanted, forward, backward, ratio }) {
  if (step < 2 * lines.length) return lineSentence(lines, step);
  if (!wanted.some(Boolean)) return `${fmt(forward, 0)} operations forward, none backward: no gradient is asked for.`;
  const sums = `${fmt(forward, 0)} operations forward, ${fmt(backward, 0)} backward: ${fmt(ratio, 3)} times as many`;
  const spared = lines.filter((line) => line.to.length === 0).length;
  const early = `The backward pass ends ${spared} ${spared > 1 ? "lines" : "line"} early, because no gradient before it is wanted.`;
  return `${sums}.${spared ? ` ${early}` : ""}`;
}

/** What the line costs that has just run. */
function lineSentence(lines, step) {
  if (!step) return "Nothing has run yet. Press play.";
  if (step <= lines.length) return `Forward, ${lines[step - 1].code}: ${fmt(lines[step - 1].forward, 0)} operations.`;
  const { code, backward, to } = lines[2 * lines.length - step];
  return `Backward through ${code}: ${fmt(backward, 0)} operations, for the gradient of ${joinNames(to)}.`;
}

const tableOf = ({ sizes, batch, lines, forward, backward, ratio }) => ({
  caption: `Layers ${sizes.join("-")}, batch ${batch}`,
  columns: ["line", "forward", "backward", "gradient to"],
  rows: [
    ...lines.map((line) => [line.code, line.forward, line.backward, joinNames(line.to)]),
    ["in all", forward, backward, `${fmt(ratio, 3)} times`],
  ],
  digits: 0,
});

export default { render };
