import { h, put } from "./kit/core.js";
import { brief, fmt } from "./kit/numbers.js";
import { decode, listen, ask } from "./kit/kernel.js";
import { Frame } from "./kit/frame.js";
import { Slider } from "./kit/slider.js";
import { Arrows } from "./kit/arrows.js";

const INPUTS = ["X", "C"];
const OUTPUTS = ["rows", "mean", "clip_mean", "mean_clip", "turn"];
const NAMES = ["a", "b", "c"];
const LIMIT = 10; // a gradient's components: x goes to 5, and the gradient is −2x
const RADII = [0.25, 10];

/** Lesson 17: put the gradients of three examples anywhere, set C, and see what clipping leaves of their mean. */
function render({ model, el }) {
  const get = (name) => decode(model.get(name));
  const frame = Frame({
    model,
    el,
    title: "Clip each, or clip the mean?",
    lead: "Three examples, each with a gradient of its own. Drag a tip, or the rim of the circle: what is longer than C is cut there. Beside it, larger, what is left, and the mean in both orders.",
  });
  const radius = (C) => ask(model, { C });
  const all = Arrows({
    label: "The gradients of examples a, b and c, and the circle of radius C; the table below says the same",
    names: ["w₀", "w₁"],
    movable: 3,
    limit: LIMIT,
    radii: RADII,
    onMove: (i, tip) =>
      ask(model, { X: get("X").map((x, k) => (k === i ? tip.map((one) => -one / 2 + 0) : x)) }),
    onRadius: radius,
  });
  const inside = Arrows({ label: "The clipped gradients, and both means", names: ["w₀", "w₁"] });
  const slider = Slider({ label: "C, the longest that is left", min: RADII[0], max: RADII[1], step: 0.25, value: get("C"), onChange: radius });
  const values = ["clip, then mean", "mean, then clip", "mean, not clipped"].map((name) => ({
    name,
    at: h("strong", {}),
    length: h("span", {}),
  }));
  frame.stage.append(
    h(
      "div",
      { class: "ak-split ak-even" },
      h("div", {}, h("div", { class: "ak-h", text: "The gradients, and the circle" }), all.el),
      h("div", {}, h("div", { class: "ak-h", text: "What is left inside of it" }), inside.el),
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
  );

  function draw() {
    const [rows, C] = [get("rows"), get("C")];
    const [before, after, mean] = [get("clip_mean"), get("mean_clip"), get("mean")];
    slider.update(C);
    const tips = get("X").map((x) => x.map((one) => -2 * one + 0)); // what the learner holds moves at once
    all.update({
      reach: 11,
      radius: C,
      arrows: tips.map((tip, i) => ({ name: NAMES[i], tip, look: "cut", text: `${NAMES[i]}, ${brief(rows[i].length, 2)} long` })),
    });
    inside.update({
      reach: 1.45 * C,
      radius: C,
      arrows: [
        ...rows.map((row, i) => ({ tip: row.clipped, look: "thin", text: `${NAMES[i]}${row.factor < 1 ? ` × ${brief(row.factor, 3)}` : ""}` })),
        { tip: after.at, look: "dashed", text: "mean, then clip" },
        { tip: before.at, look: "heavy", text: "clip, then mean" },
      ],
    });
    [before, after, mean].forEach((found, i) => {
      put(values[i].at, { text: list(found.at) });
      put(values[i].length, { text: `${fmt(found.length)} long` });
    });
    frame.say(claim(rows, before, after, get("turn")));
    frame.tell({
      caption: `Three gradients, clipped to C = ${brief(C)}`,
      columns: ["", "gradient", "length", "times", "clipped"],
      rows: [
        ...rows.map((row, i) => [`example ${NAMES[i]}`, list(row.gradient), row.length, row.factor, list(row.clipped)]),
        ...[["mean", mean], ["clip, then mean", before], ["mean, then clip", after]].map(([name, found]) => [name, list(found.at), found.length, "", ""]),
      ],
    });
  }

  const list = (pair) => `[${pair.map((one) => fmt(one)).join(", ")}]`;

  function claim(rows, before, after, turn) {
    const cut = rows.filter((row) => row.factor < 1).length;
    const both = `Clip, then mean: ${list(before.at)}. Mean, then clip: ${list(after.at)}`;
    if (!cut) return `${both}: none is longer than C, and the order does not matter.`;
    const apart = turn === null ? "" : `, ${brief(turn, 1)}° apart`;
    return `${both}${apart}. ${cut} of 3 gradients ${cut > 1 ? "are" : "is"} cut.`;
  }

  const stop = listen(model, [...INPUTS, ...OUTPUTS, "answered"], draw);
  draw();
  return () => {
    stop();
    [frame, all, inside].forEach((part) => part.destroy());
  };
}

export default { render };
