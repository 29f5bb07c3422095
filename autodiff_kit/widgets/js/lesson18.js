import { h } from "./kit/core.js";
import { fmt } from "./kit/numbers.js";
import { decode, listen, ask } from "./kit/kernel.js";
import { Frame } from "./kit/frame.js";
import { Button, Segmented } from "./kit/segmented.js";
import { Slider } from "./kit/slider.js";
import { Bill, together } from "./kit/bill.js";

const INPUTS = ["sizes", "batch", "wanted", "program"];
const OUTPUTS = ["lines", "forward", "backward", "ratio"];
const WIDTHS = ["input", "first layer", "second layer", "output"];
const SOURCES = ["x", "W1", "W2", "W3"];
const PROGRAMS = [
  { value: "products", label: "products alone" },
  { value: "whole", label: "biases, tanh and a loss" },
];

/** Lesson 18: set the widths of three layers and the gradients that are asked for, and read the bill of both ways. */
function render({ model, el }) {
  const get = (name) => decode(model.get(name));
  const frame = Frame({
    model,
    el,
    title: "What does the way back cost?",
    lead: "Three layers, and a bill from a tape: operations forward and backward, line by line. Change the widths, or what a gradient is asked for.",
  });
  const program = Segmented({
    label: "The program",
    options: PROGRAMS,
    value: get("program"),
    onChange: (value) => ask(model, { program: value }),
  });
  const switches = SOURCES.map((name, i) =>
    Button({
      label: name,
      pressed: get("wanted")[i],
      onClick: () => ask(model, { wanted: get("wanted").map((one, k) => (k === i ? !one : one)) }),
    }),
  );
  const widths = WIDTHS.map((label, i) =>
    Slider({
      label,
      min: 1,
      max: 32,
      value: get("sizes")[i],
      onChange: (value) => ask(model, { sizes: get("sizes").map((one, k) => (k === i ? Math.round(value) : one)) }),
    }),
  );
  const batch = Slider({
    label: "rows in the batch",
    min: 1,
    max: 50,
    value: get("batch"),
    onChange: (value) => ask(model, { batch: Math.round(value) }),
  });
  const bill = Bill({ label: "Operations of each line, forward and backward" });
  frame.stage.append(
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
      [...widths, batch].map((one) => h("div", { style: "flex:1 1 128px;min-width:0" }, one.el)),
    ),
    bill.el,
  );

  function draw() {
    const [lines, wanted] = [get("lines"), get("wanted")];
    const [forward, backward] = [get("forward"), get("backward")];
    program.update(get("program"));
    switches.forEach((one, i) => one.update({ "aria-pressed": wanted[i] }));
    widths.forEach((one, i) => one.update(get("sizes")[i]));
    batch.update(get("batch"));
    bill.update({ lines, forward, backward, ratio: get("ratio") });
    frame.say(claim(lines, wanted, forward, backward));
    frame.tell({
      caption: `Layers ${get("sizes").join("-")}, batch ${get("batch")}`,
      columns: ["line", "forward", "backward", "gradient to"],
      rows: [
        ...lines.map((line) => [line.code, line.forward, line.backward, together(line.to)]),
        ["in all", forward, backward, `${fmt(get("ratio"), 3)} times`],
      ],
      digits: 0,
    });
  }

  function claim(lines, wanted, forward, backward) {
    const sums = `${fmt(forward, 0)} operations forward, ${fmt(backward, 0)} backward: ${fmt(get("ratio"), 3)} times as many`;
    if (!wanted.some(Boolean)) return `${fmt(forward, 0)} operations forward, none backward: no gradient is asked for.`;
    const spared = lines.filter((line) => line.to.length === 0).length;
    const reach = spared ? ` The way back ends ${spared} ${spared > 1 ? "lines" : "line"} early, where nothing more is asked for.` : "";
    return `${sums}.${reach}`;
  }

  const stop = listen(model, [...INPUTS, ...OUTPUTS, "answered"], draw);
  draw();
  return () => {
    stop();
    frame.destroy();
  };
}

export default { render };
