import { h } from "./kit/dom.js";
import { fmt } from "./kit/numbers.js";
import { ask, mount } from "./kit/model_sync.js";
import { entrySliders, inputChoice, withEntry } from "./kit/controls.js";
import { Frame } from "./kit/frame.js";
import { Button } from "./kit/segmented.js";
import { Slider } from "./kit/slider.js";
import { CostTable, joinNames } from "./kit/cost_table.js";

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
    lead: "The operations of three layers, forward and backward, as a tape counts them line by line. Change the widths, or the gradients that are wanted.",
  });
  const parts = makeParts(model);
  frame.stage.append(...layout(parts));
  return mount(model, [frame, ...Object.values(parts)], (state) => {
    const { program, wanted, sizes, batch, lines, forward, backward, ratio } = state;
    parts.program.update(program);
    parts.switches.forEach((one, i) => one.update({ "aria-pressed": wanted[i] }));
    parts.widths.forEach((one, i) => one.update(sizes[i]));
    parts.batch.update(batch);
    parts.costs.update({ lines, forward, backward, ratio });
    frame.say(sentence(state));
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
  costs: CostTable({ label: "Operations of each line, forward and backward" }),
});

const layout = ({ program, switches, widths, batch, costs }) => [
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
  costs.el,
];

function sentence({ lines, wanted, forward, backward, ratio }) {
  if (!wanted.some(Boolean)) return `${fmt(forward, 0)} operations forward, none backward: no gradient is asked for.`;
  const sums = `${fmt(forward, 0)} operations forward, ${fmt(backward, 0)} backward: ${fmt(ratio, 3)} times as many`;
  const spared = lines.filter((line) => line.to.length === 0).length;
  const early = `The backward pass ends ${spared} ${spared > 1 ? "lines" : "line"} early, because no gradient before it is wanted.`;
  return `${sums}.${spared ? ` ${early}` : ""}`;
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
