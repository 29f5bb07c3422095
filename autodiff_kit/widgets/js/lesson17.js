import { h, put } from "./kit/dom.js";
import { brief, fmt } from "./kit/numbers.js";
import { ask, mount } from "./kit/model_sync.js";
import { inputSlider, withEntry } from "./kit/controls.js";
import { Frame } from "./kit/frame.js";
import { VectorPlot } from "./kit/vector_plot.js";

const NAMES = ["a", "b", "c"];
const LIMIT = 10; // a gradient's components: x goes to 5, and the gradient is −2x
const RADII = [0.25, 10];
const MEANS = ["clip, then mean", "mean, then clip", "mean, not clipped"];
const pair = (vector) => `[${vector.map((one) => fmt(one)).join(", ")}]`;
const times = (vector, k) => vector.map((one) => k * one + 0);

/** Lesson 17: per-example gradients, a clipping radius, and the mean of the clipped beside the clipped mean. */
function render({ model, el }) {
  const frame = Frame({
    model,
    el,
    title: "Clip each, or clip the mean?",
    lead: "Three examples, each with its own gradient. Drag a tip, or the rim of the circle: a gradient longer than C is clipped to the rim. The second picture is larger and shows the clipped gradients and the mean in both orders.",
  });
  const parts = makeParts(model);
  frame.stage.append(...layout(parts));
  return mount(model, [frame, ...Object.values(parts)], (state) => {
    parts.slider.update(state.C);
    drawGradients(parts.all, state);
    drawClipped(parts.inside, state);
    drawMeans(parts.values, state);
    frame.say(sentence(state));
    frame.tell(tableOf(state));
  });
}

const makeParts = (model) => ({
  all: VectorPlot({
    label: "The gradients of examples a, b and c, and the circle of radius C; the table below says the same",
    names: ["w₀", "w₁"],
    movable: 3,
    limit: LIMIT,
    radii: RADII,
    onMove: (i, tip) => ask(model, { X: withEntry(model.get("X"), i, times(tip, -0.5)) }),
    onRadius: (C) => ask(model, { C }),
  }),
  inside: VectorPlot({ label: "The clipped gradients, and both means", names: ["w₀", "w₁"] }),
  slider: inputSlider(model, "C", { label: "C, the length that is clipped to", min: RADII[0], max: RADII[1], step: 0.25 }),
  values: MEANS.map((name) => ({ name, at: h("strong", {}), length: h("span", {}) })),
});

const layout = ({ all, inside, slider, values }) => [
  h(
    "div",
    { class: "ak-split ak-even" },
    h("div", {}, h("div", { class: "ak-h", text: "The gradients, and the circle" }), all.el),
    h("div", {}, h("div", { class: "ak-h", text: "The clipped gradients, enlarged" }), inside.el),
  ),
  h("div", { style: "margin:12px 0" }, slider.el),
  h(
    "table",
    { class: "ak-table ak-runs" },
    h("caption", { class: "ak-sr", text: "Three means" }),
    h(
      "tbody",
      {},
      values.map(({ name, at, length }) =>
        h("tr", {}, h("th", { scope: "row", text: name }), h("td", {}, at), h("td", {}, length)),
      ),
    ),
  ),
];

function drawGradients(arrows, { X, C, rows }) {
  const tips = X.map((x) => times(x, -2)); // what the learner holds moves at once
  arrows.update({
    reach: 11,
    radius: C,
    arrows: tips.map((tip, i) => ({
      name: NAMES[i],
      tip,
      look: "cut",
      text: `${NAMES[i]}, ${brief(rows[i].length, 2)} long`,
    })),
  });
}

function drawClipped(arrows, { C, rows, clip_mean: before, mean_clip: after }) {
  const factor = (row) => (row.factor < 1 ? ` × ${brief(row.factor, 3)}` : "");
  arrows.update({
    reach: 1.45 * C,
    radius: C,
    arrows: [
      ...rows.map((row, i) => ({ tip: row.clipped, look: "thin", text: `${NAMES[i]}${factor(row)}` })),
      { tip: after.at, look: "dashed", text: "mean, then clip" },
      { tip: before.at, look: "heavy", text: "clip, then mean" },
    ],
  });
}

function drawMeans(values, { clip_mean: before, mean_clip: after, mean }) {
  [before, after, mean].forEach((found, i) => {
    put(values[i].at, { text: pair(found.at) });
    put(values[i].length, { text: `${fmt(found.length)} long` });
  });
}

function sentence({ rows, clip_mean: before, mean_clip: after, turn }) {
  const cut = rows.filter((row) => row.factor < 1).length;
  const both = `Clip, then mean: ${pair(before.at)}. Mean, then clip: ${pair(after.at)}`;
  if (!cut) return `${both}: none is longer than C, and the order does not matter.`;
  const apart = turn === null ? "" : `, ${brief(turn, 1)}° apart`;
  return `${both}${apart}. ${cut} of 3 gradients ${cut === 1 ? "is" : "are"} clipped.`;
}

function tableOf({ C, rows, mean, clip_mean: before, mean_clip: after }) {
  const means = Object.entries({ mean, "clip, then mean": before, "mean, then clip": after });
  return {
    caption: `Three gradients, clipped to C = ${brief(C)}`,
    columns: ["", "gradient", "length", "times", "clipped"],
    rows: [
      ...rows.map((row, i) => [`example ${NAMES[i]}`, pair(row.gradient), row.length, row.factor, pair(row.clipped)]),
      ...means.map(([name, found]) => [name, pair(found.at), found.length, "", ""]),
    ],
  };
}

export default { render };
