import { h } from "./kit/core.js";
import { brief } from "./kit/numbers.js";
import { decode, listen, ask } from "./kit/kernel.js";
import { Frame } from "./kit/frame.js";
import { Segmented, Button } from "./kit/segmented.js";
import { Stairs, entryName } from "./kit/stairs.js";
import { WaysHome } from "./kit/ways_home.js";

const INPUTS = ["x", "bits", "min_home", "max_home"];
const OUTPUTS = ["entries", "ends", "levels"];
const PRESETS = [
  ["Five numbers", [-4, -3.5, 0, 1, 5]],
  ["A tie", [-4, -4, -3.5, 0, 5]],
  ["All inside", [-3, -1, 0, 2, 6]],
];

/** Lesson 07: move five numbers on a staircase whose ends they are themselves, and see what the ends gather. */
function render({ model, el }) {
  const get = (name) => decode(model.get(name));
  const frame = Frame({
    model,
    el,
    title: "Where does the gradient of a clamped number go?",
    lead: "Five numbers are rounded to the levels of a staircase that reaches from their own minimum to their own maximum, nudged so that 0 is a level. Drag them. Below, the gradient of the sum of y: what is inside keeps its 1, what is on grey passes it to min or max. Click an end to stop it there.",
  });
  const bits = Segmented({
    label: "Bits",
    options: [2, 3, 4].map((n) => ({ value: n, label: `${n}`, hint: `${2 ** n} levels` })),
    value: get("bits"),
    onChange: (value) => ask(model, { bits: value }),
  });
  const presets = PRESETS.map(([label, x]) => Button({ label, onClick: () => ask(model, { x }) }));
  const stairs = Stairs({
    label: "Five entries on the staircase",
    count: 5,
    onMove: (i, to) => ask(model, { x: get("x").map((one, k) => (k === i ? to : one)) }),
  });
  const ways = WaysHome({
    label: "The gradient into each entry, and the two ends that gather",
    onToggle: (which) => ask(model, { [`${which}_home`]: !get(`${which}_home`) }),
  });
  frame.stage.append(
    h(
      "div",
      { class: "ak-row", style: "margin-bottom:8px" },
      bits.el,
      h("div", {}, h("span", { class: "ak-label", text: "Begin with" }), h("div", { style: "display:flex;gap:4px" }, presets.map((one) => one.el))),
    ),
    stairs.el,
    ways.el,
  );

  function draw() {
    const [entries, ends, home] = [get("entries"), get("ends"), [get("min_home"), get("max_home")]];
    bits.update(get("bits"));
    const moved = entries.map((entry, i) => ({ ...entry, x: get("x")[i] })); // a ball follows the hand at once
    stairs.update({ entries: moved, ends, levels: get("levels") });
    ways.update({ entries, ends, home });
    frame.say(claim(entries, ends, home));
    frame.tell({
      caption: `${get("bits")} bits: nudged range ${span(ends)}, the gradient of the sum of y`,
      columns: ["entry", "x", "y", "where", "straight through", "by way of min", "by way of max", "gradient"],
      rows: entries.map((entry, i) => [
        entryName(i),
        ...["x", "y", "side", "straight", "by_min", "by_max", "into_x"].map((name) => entry[name]),
      ]),
      digits: 2,
    });
  }

  const stop = listen(model, [...INPUTS, ...OUTPUTS, "answered"], draw);
  draw();
  return () => {
    stop();
    [frame, stairs, ways].forEach((part) => part.destroy());
  };
}

const span = ({ first, last }) => `(${brief(first, 2)}, ${brief(last, 2)})`;
const names = (which) => which.map(entryName).join(", ").replace(/, (?=[^,]*$)/, " and ");

/** What is clamped where, and who gets it. */
function claim(entries, ends, home) {
  const gradient = `The gradient is [${entries.map((entry) => brief(entry.into_x, 2)).join(" ")}].`;
  const told = [
    ["min", "below", ends.low, home[0]],
    ["max", "above", ends.high, home[1]],
  ].flatMap(([which, side, end, on]) => {
    const out = entries.map((entry, i) => (entry.side === side ? i : -1)).filter((i) => i >= 0);
    if (!out.length) return [];
    const owners = entries.map((entry, i) => (entry.x === end ? i : -1)).filter((i) => i >= 0);
    const [is, theirs] = out.length > 1 ? ["are", "their"] : ["is", "its"];
    const then = on ? `which is ${names(owners)}` : "which keeps it";
    return [`${names(out)} ${is} ${side} the nudged range ${span(ends)}: ${theirs} ${brief(ends[`into_${which}`], 2)} goes to ${which}, ${then}.`];
  });
  return [gradient, ...(told.length ? told : [`All are inside the nudged range ${span(ends)}, and keep what comes.`])].join(" ");
}

export default { render };
