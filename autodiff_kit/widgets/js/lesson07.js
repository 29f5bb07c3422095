import { h } from "./kit/dom.js";
import { brief } from "./kit/numbers.js";
import { ask, mount } from "./kit/model_sync.js";
import { inputChoice, withEntry } from "./kit/controls.js";
import { Frame } from "./kit/frame.js";
import { Button } from "./kit/segmented.js";
import { QuantizerPlot, entryName } from "./kit/quantizer_plot.js";
import { ClampedGradients } from "./kit/clamped_gradients.js";

const PRESETS = [
  ["Five numbers", [-4, -3.5, 0, 1, 5]],
  ["A tie", [-4, -4, -3.5, 0, 5]],
  ["All inside", [-3, -1, 0, 2, 6]],
];
const BITS = [2, 3, 4].map((n) => ({ value: n, label: `${n}`, hint: `${2 ** n} levels` }));
const COLUMNS = ["entry", "x", "y", "where", "inside", "through min", "through max", "gradient"];

/** Lesson 07: five numbers under fake quantisation, and the gradients that go to the ends of the range. */
function render({ model, el }) {
  const frame = Frame({
    model,
    el,
    title: "Where does the gradient of a clamped number go?",
    lead: "Five numbers and the levels of their own range, nudged so that 0 is a level. Drag them. A clamped number (on grey) passes its gradient on to min or max. Click an end to stop it there.",
  });
  const parts = makeParts(model);
  frame.stage.append(...layout(parts));
  return mount(model, [frame, ...Object.values(parts)], (state) => {
    const { x, bits, entries, ends, levels } = state;
    const home = [state.min_home, state.max_home];
    const moved = entries.map((entry, i) => ({ ...entry, x: x[i] })); // a point follows the hand at once
    parts.bits.update(bits);
    parts.plot.update({ entries: moved, ends, levels });
    parts.gradients.update({ entries, ends, home });
    frame.say(sentence(entries, ends, home));
    frame.tell(tableOf(state));
  });
}

const makeParts = (model) => ({
  bits: inputChoice(model, "bits", "Bits", BITS),
  presets: PRESETS.map(([label, x]) => Button({ label, onClick: () => ask(model, { x }) })),
  plot: QuantizerPlot({
    label: "Five entries and their levels",
    count: 5,
    onMove: (i, to) => ask(model, { x: withEntry(model.get("x"), i, to) }),
  }),
  gradients: ClampedGradients({
    label: "The gradient of each entry, and of the two ends",
    onToggle: (which) => ask(model, { [`${which}_home`]: !model.get(`${which}_home`) }),
  }),
});

const layout = ({ bits, presets, plot, gradients }) => [
  h(
    "div",
    { class: "ak-row", style: "margin-bottom:8px" },
    bits.el,
    h(
      "div",
      {},
      h("span", { class: "ak-label", text: "Begin with" }),
      h("div", { style: "display:flex;gap:4px" }, presets.map((one) => one.el)),
    ),
  ),
  h("div", { class: "ak-split ak-leading" }, h("div", {}, plot.el), h("div", {}, gradients.el)),
];

const span = ({ first, last }) => `(${brief(first, 2)}, ${brief(last, 2)})`;
const names = (which) => which.map(entryName).join(", ").replace(/, (?=[^,]*$)/, " and ");
const indicesOf = (entries, test) => entries.map((entry, i) => (test(entry) ? i : -1)).filter((i) => i >= 0);

/** What is clamped where, and which entries get its gradient. */
function sentence(entries, ends, home) {
  const gradient = `The gradient is [${entries.map((entry) => brief(entry.into_x, 2)).join(" ")}].`;
  const told = [
    ["min", "below", ends.low, home[0]],
    ["max", "above", ends.high, home[1]],
  ].flatMap(([which, side, end, on]) => {
    const out = indicesOf(entries, (entry) => entry.side === side);
    if (!out.length) return [];
    const owners = indicesOf(entries, (entry) => entry.x === end);
    const [is, theirs] = out.length > 1 ? ["are", "their"] : ["is", "its"];
    const then = on ? `which is ${names(owners)}` : "which keeps it";
    const amount = brief(ends[`into_${which}`], 2);
    return [`${names(out)} ${is} ${side} the nudged range ${span(ends)}: ${theirs} ${amount} goes to ${which}, ${then}.`];
  });
  const inside = `All are inside the nudged range ${span(ends)}, and each keeps its own.`;
  return [gradient, ...(told.length ? told : [inside])].join(" ");
}

const tableOf = ({ bits, entries, ends }) => ({
  caption: `${bits} bits: nudged range ${span(ends)}, the gradient of the sum of y`,
  columns: COLUMNS,
  rows: entries.map((entry, i) => [
    entryName(i),
    ...["x", "y", "side", "straight", "by_min", "by_max", "into_x"].map((name) => entry[name]),
  ]),
  digits: 2,
});

export default { render };
