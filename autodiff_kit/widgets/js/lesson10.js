import { h, put } from "./kit/core.js";
import { brief, chip } from "./kit/numbers.js";
import { decode, listen, ask } from "./kit/kernel.js";
import { Frame } from "./kit/frame.js";
import { Segmented } from "./kit/segmented.js";
import { Slider } from "./kit/slider.js";
import { Pipes } from "./kit/pipes.js";
import { SlopeBars } from "./kit/slope_bars.js";

const INPUTS = ["x", "target", "shut", "order"];
const OUTPUTS = ["values", "carried", "gradient", "whole"];
const SUBSCRIPTS = "₀₁₂₃";
const NODES = {
  x: { at: [0, 0.5], half: 78, slim: 34 },
  mean: { at: [0.3, 0.5], half: 34, slim: 21 },
  above: { at: [0.64, 0.16], half: 92, slim: 44 },
  v: { at: [0.64, 0.84], half: 92, slim: 44 },
  y: { at: [1, 0.5], half: 70, slim: 36 },
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

/** What some numbers carry, for the look of a pipe. */
function carriesOf(numbers) {
  if (!numbers) return "none";
  if (numbers.some((g) => !Number.isFinite(g))) return "nan";
  return numbers.every((g) => g === 0) ? "zero" : "value";
}

/** Lesson 10: shut valves on the paths from x to its variance and to a normalised entry. */
function render({ model, el }) {
  const get = (name) => decode(model.get(name));
  const frame = Frame({
    model,
    el,
    title: "Which valve changes nothing?",
    lead: "x goes into μ, the numerator and the variance v; y is (x − μ)/σ with σ = √v. A gradient comes back along every open path, dashed. A valve that you shut is a stop_gradient: the values stay, and what came along the path is gone.",
  });
  const target = Segmented({
    label: "Asked",
    options: ["v", "y0", "y1", "y2", "y3"].map((value) => ({
      value,
      label: value === "v" ? "v" : `y${SUBSCRIPTS[value[1]]}`,
      hint: value === "v" ? "the variance" : `entry ${value[1]} of (x − μ)/σ`,
    })),
    value: get("target"),
    onChange: (value) => ask(model, { target: value }),
  });
  const order = Segmented({
    label: "Derivative",
    options: [
      { value: 1, label: "gradient", hint: "the gradient by x" },
      { value: 2, label: "first row of the Hessian", hint: "how the slope by x₀ changes with each x" },
    ],
    value: get("order"),
    onChange: (value) => ask(model, { order: value }),
  });
  const sliders = [0, 1, 2, 3].map((i) =>
    Slider({
      label: `x${SUBSCRIPTS[i]}`,
      min: 0,
      max: 9,
      step: 0.25,
      value: get("x")[i],
      onChange: (value) => ask(model, { x: get("x").map((one, k) => (k === i ? value : one)) }),
    }),
  );
  const toggle = (letter) => {
    const shut = get("shut");
    ask(model, { shut: LETTERS.filter((one) => shut.includes(one) !== (one === letter)) });
  };
  const pipes = Pipes({
    label: "The paths from x; the switches and the table below say the same",
    nodes: NODES,
    pipes: PIPES,
    onToggle: toggle,
  });
  const switches = Object.fromEntries(
    LETTERS.map((letter) => [
      letter,
      h("button", { type: "button", role: "switch", class: "ak-valve", onclick: () => toggle(letter) }, h("b", { text: letter }), h("span", {})),
    ]),
  );
  const cells = Object.fromEntries(
    [...LETTERS.slice(0, 4), "sum"].map((name) => [name, [0, 1, 2, 3].map(() => h("td", {}))]),
  );
  const heads = [0, 1, 2, 3].map((i) => h("th", { scope: "col", text: `x${SUBSCRIPTS[i]}` }));
  const table = h(
    "table",
    { class: "ak-table ak-valves" },
    h("caption", { class: "ak-sr", text: "What each path carries to each entry of x" }),
    h("thead", {}, h("tr", {}, h("th", { scope: "col", class: "ak-left", text: "valve" }), h("th", { scope: "col", class: "ak-left ak-path", text: "path" }), heads)),
    h(
      "tbody",
      {},
      LETTERS.map((letter) =>
        h("tr", {}, h("td", { class: "ak-left" }, switches[letter]), h("th", { scope: "row", class: "ak-left ak-path", text: PATHS[letter] }), cells[letter] ?? h("td", { colspan: 4 })),
      ),
      h("tr", { class: "ak-sum" }, h("th", { scope: "row", class: "ak-left", text: "all paths" }), h("td", { class: "ak-left ak-path", text: "sum" }), cells.sum),
    ),
  );
  const bars = SlopeBars({ label: "What comes back to each entry of x; the table beside it says the same" });
  frame.stage.append(
    h("div", { class: "ak-row", style: "margin-bottom:12px" }, target.el, order.el),
    h("div", { class: "ak-row", style: "margin-bottom:12px" }, sliders.map((one) => h("div", { style: "flex:1 1 150px" }, one.el))),
    pipes.el,
    h(
      "div",
      { class: "ak-split ak-valvesplit" },
      h("div", { class: "ak-scroll", tabindex: 0, role: "region", "aria-label": "Valves, and what each path carries" }, table),
      bars.el,
    ),
  );

  function draw() {
    const [x, values, shut] = [get("x"), get("values"), get("shut")];
    const [carried, gradient, whole, asked] = [get("carried"), get("gradient"), get("whole"), get("target")];
    target.update(asked);
    order.update(get("order"));
    sliders.forEach((one, i) => one.update(x[i]));
    drawPipes({ x, values, shut, carried, asked });
    for (const letter of LETTERS) {
      const open = !shut.includes(letter);
      put(switches[letter], { "aria-checked": open, "aria-label": `Valve ${letter}, ${PATHS[letter]}: open` });
      put(switches[letter].lastChild, { text: open ? "open" : "shut" });
    }
    for (const [name, row] of Object.entries(cells)) {
      const numbers = name === "sum" ? gradient : carried[name];
      row.forEach((cell, i) => cell.replaceChildren(chip(numbers ? numbers[i] : null, 4, "rev")));
    }
    const now = gradient ?? [null, null, null, null];
    const heights = [0, ...now, ...whole].filter(Number.isFinite);
    bars.update({
      title: `${title()} ↑`,
      items: now.map((g, i) => ({ name: `x${SUBSCRIPTS[i]}`, now: g, was: whole[i] })),
      low: Math.min(...heights),
      high: Math.max(...heights, 1e-9),
    });
    frame.say(claim(gradient, whole, shut));
    frame.tell({
      caption: `${title()}: what each path carries`,
      columns: ["path", ...x.map((_, i) => `x${SUBSCRIPTS[i]}`)],
      rows: [
        ["value of x", ...x],
        ...LETTERS.slice(0, 4).map((one) => [`${one}: ${PATHS[one]}${shut.includes(one) ? ", shut" : ""}`, ...four(carried[one])]),
        [`E: ${PATHS.E}`, ...Array(4).fill(shut.includes("E") ? "shut" : "open")],
        ["sum", ...four(gradient)],
        ["sum with all valves open", ...four(whole)],
      ],
    });
  }

  const name = (asked) => (asked === "v" ? "v" : `y${SUBSCRIPTS[asked[1]]}`);
  const title = () =>
    get("order") === 1 ? `gradient of ${name(get("target"))}` : `first row of the Hessian of ${name(get("target"))}`;

  function drawPipes({ x, values, shut, carried, asked }) {
    const entry = asked === "v" ? null : Number(asked[1]);
    const list = (numbers, digits) => numbers.map((one) => brief(one, digits)).join(", ");
    const behind = (...letters) => {
      const kinds = letters.map((one) => carriesOf(carried[one]));
      return ["nan", "value", "zero"].find((kind) => kinds.includes(kind)) ?? "none";
    };
    const kinds = {
      mean: behind("B", "D"),
      ...Object.fromEntries(LETTERS.slice(0, 4).map((one) => [one, carriesOf(carried[one])])),
      above: entry === null ? "none" : "value",
      E: entry === null || shut.includes("E") ? "none" : "value",
    };
    pipes.update({
      height: 240,
      boxes: {
        x: { lines: ["x", list(x, 2)], short: ["x"] },
        mean: { lines: ["μ", brief(values.mean, 2)] },
        above: { lines: ["x − μ", list(values.above, 2)], short: ["x − μ"], off: entry === null },
        v: { lines: ["v = mean((x − μ)²)", brief(values.v)], short: ["v", brief(values.v)], asked: entry === null },
        y: {
          lines: entry === null ? ["y", "not asked"] : [`y${SUBSCRIPTS[entry]}`, brief(values.y[entry])],
          off: entry === null,
          asked: entry !== null,
        },
      },
      flows: PIPES.map(({ from, letter }) => ({ carries: kinds[letter ?? (from === "x" ? "mean" : from)], shut: shut.includes(letter) })),
    });
  }

  function claim(gradient, whole, shut) {
    const list = (numbers) => (numbers ? `[${numbers.map((g) => brief(g)).join(", ")}]` : "None");
    const total = gradient ? `, which sums to ${brief(Number(gradient.reduce((a, b) => a + b, 0).toFixed(10)))}` : "";
    const what = get("order") === 1 ? "the gradient" : "the row of the Hessian";
    if (!shut.length) return `With all valves open ${what} is ${list(gradient)}${total}.`;
    const same = gradient && gradient.every((g, i) => Object.is(g, whole[i]) || Math.abs(g - whole[i]) < 5e-5);
    const after = same ? `: the same as with all open` : `${total}; with all open it is ${list(whole)}`;
    return `With ${shut.join(", ")} shut ${what} is ${list(gradient)}${after}.`;
  }

  const stop = listen(model, [...INPUTS, ...OUTPUTS, "answered"], draw);
  draw();
  return () => {
    stop();
    [frame, pipes, bars].forEach((part) => part.destroy());
  };
}

const four = (numbers) => numbers ?? [null, null, null, null];

export default { render };
