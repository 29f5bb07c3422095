import { h, s, put, linear, pathOf, drawOnChange } from "./dom.js";
import { brief } from "./numbers.js";
import { drawAxes } from "./axes.js";
import { DraggablePoint } from "./draggable_point.js";

const SPAN = { min: -8, max: 8 }; // of both axes: as far as a range of ±6 can be nudged
const REACH = { min: -6, max: 6, snap: 0.25 }; // of an entry
const ROOM = { top: 62, foot: 258, left: 30, right: 14, height: 286 };
const INDEX = "₀₁₂₃₄₅₆₇₈₉";
const NAME = { apart: 24, line: 16, above: -14, below: 23 }; // px: names nearer than this touch; from a point to its name

/** The name of an entry: x with its number set low. */
export const entryName = (i) => `x${INDEX[i]}`;

/**
 * Entries on a staircase, which drag along x and step with the arrow keys; what is outside the nudged range stands on grey.
 * update({entries: [{x, y, side}], ends: {low, high, first, last}, levels}); onMove(i, x).
 */
export function QuantizerPlot({ label, count, onMove }) {
  const back = s("g", { "aria-hidden": "true" });
  const balls = Array.from({ length: count }, (_, i) =>
    DraggablePoint({
      label: entryName(i),
      ...REACH,
      onMove: (x) => onMove(i, x),
      toX: (at) => toX(at - figure.getBoundingClientRect().left),
    }),
  );
  const names = s("g", { "aria-hidden": "true", "pointer-events": "none" });
  const figure = s("svg", { role: "group", "aria-label": label, height: ROOM.height }, back, ...balls.map((one) => one.el), names);
  const el = h("div", { class: "ak-plot" }, figure);
  let toX = null;
  let width = 0;
  let data = null;

  function draw() {
    if (!data || !width) return;
    const X = linear(SPAN.min, SPAN.max, ROOM.left, width - ROOM.right);
    const Y = linear(SPAN.min, SPAN.max, ROOM.foot, ROOM.top);
    toX = linear(ROOM.left, width - ROOM.right, SPAN.min, SPAN.max);
    put(figure, { width });
    back.replaceChildren(
      ...outside(data.ends, X),
      ...axes(X, Y, width),
      bracket(X, 26, data.ends.low, data.ends.high, ["min", "max"], "ak-dash ak-thin"),
      bracket(X, 50, data.ends.first, data.ends.last, ["nudged", ""], ""),
      ...staircase(data.levels, X, Y),
    );
    data.entries.forEach(({ x, y, side }, i) => balls[i].update({ x, y, text: "", said: `${brief(x, 2)}, ${side}` }, { X, Y, width }));
    names.replaceChildren(...drawNames(data.entries, X, Y));
  }

  return drawOnChange(el, draw, { width: (next) => (width = next), data: (next) => (data = next) });
}

const axes = (X, Y, width) =>
  drawAxes({
    x: { ...SPAN, label: "x" },
    y: { ...SPAN, label: "y" },
    X,
    Y,
    foot: ROOM.foot,
    height: ROOM.height,
    named: true,
    dense: width >= 520,
  });

/** Equal entries as one point with all their names, and points whose names would touch as one group. */
function groupPoints(entries, X, Y) {
  const groups = [];
  const sorted = entries.map(({ x, y }, i) => ({ x: X(x), y: Y(y), name: entryName(i) })).sort((a, b) => a.x - b.x);
  for (const { x, y, name } of sorted) {
    const last = groups.at(-1)?.at(-1);
    if (last?.x === x) last.name += ` ${name}`;
    else if (last && x - last.x < NAME.apart && Math.abs(y - last.y) < NAME.line) groups.at(-1).push({ x, y, name });
    else groups.push([{ x, y, name }]);
  }
  return groups;
}

/** Names above their points. In a group the outer two lean away from each other, and what is between them stands below. */
function drawNames(entries, X, Y) {
  const word = ({ x, y, name }, anchor = "middle", dy = NAME.above) =>
    s("text", { x, y: y + dy, "text-anchor": anchor, class: "ak-strong ak-halo", text: name });
  return groupPoints(entries, X, Y).flatMap((group) => {
    if (group.length === 1) return [word(group[0])];
    const [first, last, inner] = [group[0], group.at(-1), group.slice(1, -1)];
    const name = inner.map((one) => one.name).join(" ");
    const below = name ? [word({ ...inner.at(-1), x: (first.x + last.x) / 2, name }, "middle", NAME.below)] : [];
    return [word(first, "end"), ...below, word(last, "start")];
  });
}

/** Grey ground where an entry is clamped. */
const outside = ({ first, last }, X) =>
  [
    [SPAN.min, first],
    [last, SPAN.max],
  ].map(([from, to]) =>
    s("rect", {
      x: X(from),
      y: ROOM.top - 12,
      width: Math.max(0, X(to) - X(from)),
      height: ROOM.foot - ROOM.top + 12,
      fill: "var(--ak-sunk)",
    }),
  );

/** A range as a line between two strokes, each end with its number. */
function bracket(X, y, low, high, [first, last], look) {
  const words = (name, value) => `${name} ${brief(value, 2)}`.trim();
  const line = { class: `ak-stroke-value ak-curve ${look}` };
  return s(
    "g",
    {},
    s("path", { d: `M${X(low)} ${y}H${X(high)}`, ...line }),
    ...[low, high].map((end) => s("path", { d: `M${X(end)} ${y - 5}v10`, class: "ak-stroke-value ak-curve" })),
    s("text", { x: X(low), y: y - 8, "text-anchor": "middle", class: "ak-halo", text: words(first, low) }),
    s("text", { x: X(high), y: y - 8, "text-anchor": "middle", class: "ak-halo", text: words(last, high) }),
  );
}

/** Flat steps, each with a solid dot where it begins and a hollow one where the next has taken over; no strokes upwards. */
function staircase(levels, X, Y) {
  const turns = levels.slice(1).map((level, k) => (level + levels[k]) / 2);
  const starts = [SPAN.min, ...turns];
  const stops = [...turns, SPAN.max];
  const dot = (x, y, open) =>
    s("circle", { cx: X(x), cy: Y(y), r: 3.25, class: `ak-stroke-value ${open ? "ak-hollow" : "ak-fill-value"}` });
  return [
    ...levels.map((y, k) =>
      s("path", { d: pathOf([[X(starts[k]), Y(y)], [X(stops[k]), Y(y)]]), class: "ak-curve ak-stroke-value" }),
    ),
    ...turns.flatMap((x, k) => [dot(x, levels[k], true), dot(x, levels[k + 1], false)]),
  ];
}
