import { h, put } from "./kit/dom.js";
import { brief, chip } from "./kit/numbers.js";
import { ask, mount } from "./kit/model_sync.js";
import { entrySliders, inputChoice } from "./kit/controls.js";
import { Frame } from "./kit/frame.js";
import { StopGradientDiagram } from "./kit/stop_gradient_diagram.js";
import { SlopeBars } from "./kit/slope_bars.js";

const SUBSCRIPTS = "₀₁₂₃";
const ENTRIES = [...SUBSCRIPTS].map((index) => `x${index}`);
const NODES = {
  x: { at: [0, 0.5], half: 34 },
  mean: { at: [0.3, 0.5], half: 21 },
  above: { at: [0.64, 0.16], half: 44 },
  v: { at: [0.64, 0.84], half: 44 },
  y: { at: [1, 0.5], half: 36 },
};
const PIPES = [
  { from: "x", to: "mean" },
  { from: "x", to: "above", letter: "A", bend: -1, where: 0.6 },
  { from: "mean", to: "above", letter: "B" },
  { from: "x", to: "v", letter: "C", bend: 1, where: 0.6 },
  { from: "mean", to: "v", letter: "D" },
  { from: "above", to: "y" },
  { from: "v", to: "y", letter: "E" },
];
const PATHS = { A: "x → x − μ", B: "μ → x − μ", C: "x → v", D: "μ → v", E: "v → σ, behind C and D" };
const LETTERS = Object.keys(PATHS);
const CARRYING = LETTERS.slice(0, 4); // what E carries comes through C and D
const DIAGRAM = 296; // px high
const ORDERS = [
  { value: 1, label: "gradient", hint: "the gradient with respect to x" },
  { value: 2, label: "first row of the Hessian", hint: "the derivatives of the gradient's first entry" },
];

const targetName = (target) => (target === "v" ? "v" : `y${SUBSCRIPTS[target[1]]}`);
const TARGETS = ["v", "y0", "y1", "y2", "y3"].map((value) => ({
  value,
  label: targetName(value),
  hint: value === "v" ? "the variance" : `entry ${value[1]} of (x − μ)/σ`,
}));
const titleOf = ({ order, target }) =>
  order === 1 ? `gradient of ${targetName(target)}` : `first row of the Hessian of ${targetName(target)}`;
const fourOf = (numbers) => numbers ?? [null, null, null, null];

/** Lesson 10: stop_gradient on the paths from x to its variance and to a normalised entry. */
function render({ model, el }) {
  const frame = Frame({
    model,
    el,
    title: "Which stop changes nothing?",
    lead: "y = (x − μ)/σ, with σ = √v and v = mean((x − μ)²). Gradients come back along dashed paths. A switch stops a path with stop_gradient; the values stay.",
  });
  const parts = makeParts(model);
  frame.stage.append(...layout(parts));
  return mount(model, [frame, ...Object.values(parts)], (state) => {
    parts.target.update(state.target);
    parts.order.update(state.order);
    parts.sliders.forEach((one, i) => one.update(state.x[i]));
    drawPaths(parts.diagram, state);
    parts.valves.update(state);
    drawSlopes(parts.bars, state);
    frame.say(sentence(state));
    frame.tell(tableOf(state));
  });
}

function makeParts(model) {
  const toggle = (letter) => {
    const shut = model.get("shut");
    ask(model, { shut: LETTERS.filter((one) => shut.includes(one) !== (one === letter)) });
  };
  return {
    target: inputChoice(model, "target", "Asked", TARGETS),
    order: inputChoice(model, "order", "Derivative", ORDERS),
    sliders: entrySliders(model, "x", ENTRIES, { min: 0, max: 9, step: 0.25 }),
    diagram: StopGradientDiagram({
      label: "The paths from x; the switches and the table below say the same",
      nodes: NODES,
      pipes: PIPES,
      onToggle: toggle,
    }),
    valves: ValveTable(toggle),
    bars: SlopeBars({ label: "The gradient of each entry of x; the table above it says the same" }),
  };
}

const layout = ({ target, order, sliders, diagram, valves, bars }) => [
  h("div", { class: "ak-row", style: "margin-bottom:12px" }, target.el, order.el),
  h(
    "div",
    { class: "ak-split ak-even" },
    h("div", {}, diagram.el, h("div", { class: "ak-slider-grid" }, sliders.map((one) => one.el))),
    h(
      "div",
      {},
      h(
        "div",
        { class: "ak-scroll", tabindex: 0, role: "region", "aria-label": "Stops, and what each path carries" },
        valves.el,
      ),
      bars.el,
    ),
  ),
];

/** A row for each path: its switch, and what it carries to each entry of x. */
function ValveTable(onToggle) {
  const valve = (letter) =>
    h(
      "button",
      { type: "button", role: "switch", class: "ak-valve", onclick: () => onToggle(letter) },
      h("b", { text: letter }),
      h("span", {}),
    );
  const switches = Object.fromEntries(LETTERS.map((letter) => [letter, valve(letter)]));
  const cells = Object.fromEntries([...CARRYING, "sum"].map((name) => [name, ENTRIES.map(() => h("td", {}))]));
  const el = valveTable(switches, cells);
  function update({ shut, carried, gradient }) {
    for (const letter of LETTERS) {
      const open = !shut.includes(letter);
      put(switches[letter], { "aria-checked": open, "aria-label": `Path ${letter}, ${PATHS[letter]}: open`, title: PATHS[letter] });
      put(switches[letter].lastChild, { text: open ? "open" : "stopped" });
    }
    for (const [name, row] of Object.entries(cells)) {
      const numbers = fourOf(name === "sum" ? gradient : carried[name]);
      row.forEach((cell, i) => cell.replaceChildren(chip(numbers[i], 4, "rev")));
    }
  }
  return { el, update };
}

function valveTable(switches, cells) {
  const head = (text, look = "") => h("th", { scope: "col", class: look || null, text });
  const rows = LETTERS.map((letter) =>
    h(
      "tr",
      {},
      h("th", { scope: "row", class: "ak-left" }, switches[letter]),
      cells[letter] ?? h("td", { colspan: 4, style: "color:var(--ak-ink2)", text: "what C and D carry comes through E" }),
    ),
  );
  const sum = h("tr", { class: "ak-sum" }, h("th", { scope: "row", class: "ak-left", text: "sum" }), cells.sum);
  return h(
    "table",
    { class: "ak-table ak-valves" },
    h("caption", { class: "ak-sr", text: "What each path carries to each entry of x" }),
    h("thead", {}, h("tr", {}, head("it carries to", "ak-left"), ENTRIES.map((name) => head(name)))),
    h("tbody", {}, rows, sum),
  );
}

/** What some numbers carry, for the look of a pipe. */
function carriesOf(numbers) {
  if (!numbers) return "none";
  if (numbers.some((g) => !Number.isFinite(g))) return "nan";
  return numbers.every((g) => g === 0) ? "zero" : "value";
}

/** What each pipe carries back, by the letter of its valve or by its node. */
function flowsOf({ carried, shut, entry }) {
  const into = (...letters) => {
    const kinds = letters.map((one) => carriesOf(carried[one]));
    return ["nan", "value", "zero"].find((kind) => kinds.includes(kind)) ?? "none";
  };
  const kinds = {
    mean: into("B", "D"),
    ...Object.fromEntries(CARRYING.map((one) => [one, carriesOf(carried[one])])),
    above: entry === null ? "none" : "value",
    E: entry === null || shut.includes("E") ? "none" : "value",
  };
  return PIPES.map(({ from, letter }) => ({
    carries: kinds[letter ?? (from === "x" ? "mean" : from)],
    shut: shut.includes(letter),
  }));
}

function drawPaths(diagram, { values, shut, carried, target }) {
  const entry = target === "v" ? null : Number(target[1]);
  const asked = entry !== null;
  diagram.update({
    height: DIAGRAM,
    boxes: {
      x: { lines: ["x"] },
      mean: { lines: ["μ", brief(values.mean, 2)] },
      above: { lines: ["x − μ"], off: !asked },
      v: { lines: ["v", brief(values.v)], asked: !asked },
      y: {
        lines: asked ? [`y${SUBSCRIPTS[entry]}`, brief(values.y[entry])] : ["y", "not asked"],
        off: !asked,
        asked,
      },
    },
    flows: flowsOf({ carried, shut, entry }),
  });
}

function drawSlopes(bars, state) {
  const { gradient, whole, order, target } = state;
  const now = fourOf(gradient);
  const heights = [0, ...now, ...whole].filter(Number.isFinite);
  bars.update({
    title: order === 1 ? ["gradient", `of ${targetName(target)}`] : ["row 0 of", "Hessian", `of ${targetName(target)}`],
    items: now.map((g, i) => ({ name: ENTRIES[i], now: g, was: whole[i] })),
    low: Math.min(...heights),
    high: Math.max(...heights, 1e-9),
  });
}

function sentence({ gradient, whole, shut, order }) {
  const list = (numbers) => (numbers ? `[${numbers.map((g) => brief(g)).join(", ")}]` : "None");
  const sum = () => brief(Number(gradient.reduce((a, b) => a + b, 0).toFixed(10)));
  const total = gradient ? `, which sums to ${sum()}` : "";
  const what = order === 1 ? "the gradient" : "the row of the Hessian";
  if (!shut.length) return `Without a stop ${what} is ${list(gradient)}${total}.`;
  const same = gradient && gradient.every((g, i) => Object.is(g, whole[i]) || Math.abs(g - whole[i]) < 5e-5);
  const after = same ? `: the same as without a stop` : `${total}; without a stop it is ${list(whole)}`;
  return `With a stop on ${shut.join(", ")} ${what} is ${list(gradient)}${after}.`;
}

function tableOf(state) {
  const { x, carried, gradient, whole, shut } = state;
  const path = (letter) => `${letter}: ${PATHS[letter]}${shut.includes(letter) ? ", stopped" : ""}`;
  return {
    caption: `${titleOf(state)}: what each path carries`,
    columns: ["path", ...ENTRIES],
    rows: [
      ["value of x", ...x],
      ...CARRYING.map((letter) => [path(letter), ...fourOf(carried[letter])]),
      [`E: ${PATHS.E}`, ...Array(4).fill(shut.includes("E") ? "stopped" : "open")],
      ["sum", ...fourOf(gradient)],
      ["sum without a stop", ...fourOf(whole)],
    ],
  };
}

export default { render };
