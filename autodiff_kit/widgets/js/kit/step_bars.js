import { s, linear, pathOf } from "./dom.js";
import { brief, fmt } from "./numbers.js";
import { drawReading } from "./series_row.js";

const SPECK = 0.75; // px: what is shorter is drawn as a dot
const HALF_READING = 24; // px
const DOTS = "fill:none;stroke-width:2.8;stroke-dasharray:0.1 4.6;stroke-linecap:round";

const ends = (span, Y, room) =>
  span
    .filter((v) => v !== 0)
    .map((v) => s("text", { x: room.left - 10, y: Y(v) + 4, "text-anchor": "end", text: brief(v, 2) }));

/**
 * One bar a step: what it carries over of the steps before is stippled; what its own gradient adds is narrower, in the
 * gradient's colour, and begins where the other ends; a line marks where both together end. A step of null is none.
 */
export function drawStepBars({ steps, carried, at, X, top, size, span, room, url }) {
  const Y = linear(...span, top + size - 4, top + 4);
  const cell = X(1) - X(0);
  const tall = (a, b) => Math.abs(Y(a) - Y(b));
  const box = (a, b, x, width, look) =>
    s("rect", { x, width, y: Math.min(Y(a), Y(b)), height: Math.max(SPECK, tall(a, b)), ...look });
  const bar = (step, i) => {
    if (step === null)
      return [s("rect", { x: X(i) + 2, y: Y(0) - 6, width: cell - 4, height: 12, rx: 3, class: "ak-none-box" })];
    const over = carried[i];
    if (tall(step, 0) < SPECK && tall(over, 0) < SPECK)
      return [s("rect", { x: X(i + 0.5) - 1.5, y: Y(0) - 1.5, width: 3, height: 3, class: "ak-ink-fill" })];
    return [
      over ? box(0, over, X(i) + 2, cell - 4, { fill: url("ghost"), stroke: "var(--ak-ink)" }) : "",
      step === over ? "" : box(over, step, X(i) + cell * 0.3, cell * 0.4, { class: "ak-fill-rev" }),
      s("line", { x1: X(i) + 0.5, x2: X(i + 1) - 0.5, y1: Y(step), y2: Y(step), class: "ak-stroke-value ak-curve" }),
    ];
  };
  return [
    s("line", { x1: X(0), x2: X(steps.length), y1: Y(0), y2: Y(0), class: "ak-axis" }),
    ...ends(span, Y, room),
    ...steps.flatMap(bar),
    s("text", {
      x: Math.min(X(at + 0.5), X(steps.length) - HALF_READING),
      y: Y(steps[at] ?? 0) + (steps[at] > 0 ? -8 : 18),
      "text-anchor": "middle",
      class: "ak-strong ak-halo",
      "data-reading": "",
      text: steps[at] === null ? "None" : fmt(steps[at], 4),
    }),
  ];
}

/** Where a weight has been, dotted where it moved without a gradient, and where zeros would lead it from the cursor on. */
export function drawRollOut({ w, grads, roll, rest, at, X, top, size, span, room, words }) {
  const Y = linear(...span, top + size - 20, top + 20); // room for words on either side
  const edge = X(grads.length);
  const way = (ghost) =>
    grads.map((g, i) => (!g === ghost ? pathOf([i, i + 1].map((k) => [X(k), Y(w[k])])) : "")).join("");
  const ahead = roll.slice(0, grads.length - at).map((y, i) => [X(at + 1 + i), Y(y)]);
  const below = rest < w[at + 1]; // the way comes from the other side
  return [
    s("line", { x1: X(0), x2: edge, y1: Y(0), y2: Y(0), class: "ak-axis" }),
    ...ends(span, Y, room),
    s("line", { x1: X(at + 1), x2: edge, y1: Y(rest), y2: Y(rest), class: "ak-stroke-value ak-thin ak-dash" }),
    s("path", { d: pathOf(ahead), class: "ak-curve ak-stroke-held ak-thin" }),
    s("path", { d: way(false), class: "ak-curve ak-stroke-value" }),
    s("path", { d: way(true), class: "ak-stroke-value", style: DOTS }),
    s("text", { x: edge, y: Y(rest) + (below ? 15 : -7), "text-anchor": "end", class: "ak-halo ak-in-value", text: words }),
    s("circle", { cx: X(at + 1), cy: Y(w[at + 1]), r: 4, class: "ak-ink-fill" }),
    drawReading({ x: X(at + 1), y: Y(w[at + 1]), below: !below, end: edge, text: fmt(w[at + 1], 4) }),
  ];
}
