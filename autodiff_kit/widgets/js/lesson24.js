import { h, s, put, drawOnChange, linear, ticks } from "./kit/dom.js";
import { brief, fmt } from "./kit/numbers.js";
import { ask, mount } from "./kit/model_sync.js";
import { Frame } from "./kit/frame.js";
import { Button } from "./kit/segmented.js";
import { Slider } from "./kit/slider.js";

const [MOST, HEIGHT] = [640, 264]; // px of the picture
const ROOM = { left: 40, top: 8, foot: 26 }; // px around the bars
const AIR = 0.06; // of the longest bar: what the axis goes on beyond it
const LETTERS = 30; // px that a name takes; where bars are closer, every other one has a name

/** Lesson 24: a gradient from values along random probes, beside the exact one. */
function render({ model, el }) {
  const frame = Frame({
    model,
    el,
    title: "How good is a gradient from random probes?",
    lead: "A function of n numbers, of which only values are known. Each probe takes two of them. Filled bars are the exact gradient, hollow bars the mean of the probes' estimates.",
  });
  const parts = makeParts(model);
  frame.stage.append(...layout(parts));
  return mount(model, [frame, ...Object.values(parts)], (state) => {
    parts.n.update(state.n);
    parts.k.update(state.k);
    parts.picture.update(state);
    frame.say(sentence(state));
    frame.tell(tableOf(state));
  });
}

const makeParts = (model) => ({
  n: Slider({ label: "numbers n", min: 2, max: 16, value: model.get("n"), onChange: (n) => ask(model, { n: Math.round(n) }) }),
  k: Slider({ label: "probes k", min: 1, max: 64, value: model.get("k"), onChange: (k) => ask(model, { k: Math.round(k) }) }),
  again: Button({ label: "new probes", onClick: () => ask(model, { seed: (model.get("seed") + 1) % 100 }) }),
  picture: ProbeBars({ label: "Gradient and estimate of each number; the table below says the same" }),
});

const layout = ({ n, k, again, picture }) => [
  h(
    "div",
    { class: "ak-row", style: "margin-bottom:12px;align-items:flex-end" },
    [n, k].map((one) => h("div", { style: "flex:1 1 160px;min-width:0" }, one.el)),
    h("div", { class: "ak-tools" }, again.el),
  ),
  picture.el,
];

/** The exact gradient and its estimate, a pair of bars for each number. update({gradient, estimate}) */
function ProbeBars({ label }) {
  const figure = s("svg", { role: "img", "aria-label": label, height: HEIGHT });
  const el = h("div", { style: `max-width:${MOST}px` }, figure);
  let width = 0;
  let data = null;

  function draw() {
    if (!width || !data) return;
    put(figure, { width });
    figure.replaceChildren(...drawBars(width, data));
  }

  return drawOnChange(el, draw, { width: (next) => (width = next), data: (next) => (data = next) });
}

function drawBars(width, { gradient, estimate }) {
  const all = [...gradient, ...estimate, 0];
  const [least, most] = [Math.min(...all), Math.max(...all)];
  const air = AIR * (most - least) || 1;
  const Y = linear(least - (least < 0 ? air : 0), most + air, HEIGHT - ROOM.foot, ROOM.top);
  const slot = (width - ROOM.left) / gradient.length;
  const X = (i) => ROOM.left + slot * i;
  const wide = Math.min(28, slot * 0.38);
  const every = Math.ceil(LETTERS / slot);
  const bar = (value, x, look) =>
    s("rect", { x, y: Math.min(Y(value), Y(0)), width: wide, height: Math.abs(Y(value) - Y(0)), ...look });
  return [
    ...ticks(least, most, 7).flatMap((value) => [
      s("line", { x1: ROOM.left, x2: width, y1: Y(value), y2: Y(value), class: "ak-grid" }),
      s("text", { x: ROOM.left - 8, y: Y(value) + 4, "text-anchor": "end", text: brief(value, 2) }),
    ]),
    ...gradient.map((value, i) => bar(value, X(i + 0.5) - wide, { style: "fill:var(--ak-rev)" })),
    ...estimate.map((value, i) => bar(value, X(i + 0.5), { class: "ak-hollow ak-stroke-value", style: "fill:none" })),
    s("line", { x1: ROOM.left, x2: width, y1: Y(0), y2: Y(0), class: "ak-stroke-value", "stroke-width": 1 }),
    ...gradient.map((_, i) => s("text", { x: X(i + 0.5), y: HEIGHT - 4, "text-anchor": "middle", text: i % every ? "" : `x${i}` })),
  ];
}

const sentence = ({ n, k, calls, relative_error: off, expected }) =>
  `${k} ${k === 1 ? "probe" : "probes"}, ${calls} calls for ${n} numbers. The error is ${fmt(off, 2)} times the length of the gradient; its root mean square over all draws is ${fmt(expected, 2)}.`;

const tableOf = ({ k, calls, gradient, estimate }) => ({
  caption: `Probes: ${k}, calls: ${calls}`,
  columns: ["number", "gradient", "estimate"],
  rows: gradient.map((value, i) => [`x${i}`, value, estimate[i]]),
  digits: 3,
});

export default { render };
