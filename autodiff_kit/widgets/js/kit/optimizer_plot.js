import { h, s, put, linear, patterns, drawOnChange, onDrag, clamp, pathOf, ticks } from "./dom.js";
import { fmt, brief } from "./numbers.js";
import { GradientStrip } from "./gradient_strip.js";

const STRIP = { height: 28, gap: 4 };
const PLOT = { top: 76, height: 152, pad: 14, foot: 24 }; // px
const ROOMS = { wide: { left: 46, right: 146, bars: 62 }, tight: { left: 42, right: 56, bars: 22 } }; // px
const TIGHT_UP_TO = 560; // px, as in the sheet
const BESIDE_BARS = 12; // px right of the plot that are free before the first bar
const READING = { width: 150, height: 36, away: 16, tight: 108 }; // px
const LEAST_SPAN = 0.6; // of the weight axis: standing still is to look still

/**
 * Two weights over their painted gradients; time is the only horizontal axis. A strip of gradients for each weight stands
 * over one plot of both weights, drawn up to the cursor: solid where a gradient moved the weight, dotted where it moved at
 * a zero (ghost motion), dashed where there was no step. What a weight reads at the cursor stands at its ball; at the
 * right, on the axis of weights, how far real and ghost motion took it. A drag over the plot moves the cursor.
 * update({weights: [{name, grads, w, moved, real, ghost, held, words, short}], at}): w, real and ghost hold a value before
 * the first step and after each; `short` stands for `words` where there is little room. onLayout({from, to}) tells where
 * the first and the last step stand, in px.
 */
export function OptimizerPlot({ names, brush, unit, onPaint, onCursor, onLayout }) {
  const fills = patterns();
  const strips = names.map((name, which) =>
    GradientStrip({
      name,
      height: STRIP.height,
      brush,
      unit,
      onPaint: (from, to, value) => onPaint(which, from, to, value),
      onCursor,
    }),
  );
  strips.forEach(({ el }, which) => put(el, { transform: `translate(0 ${stripTop(which)})` }));
  const pad = s("rect", { class: "ak-scrub-pad", fill: "transparent" });
  const layer = () => s("g", { "aria-hidden": "true", "pointer-events": "none" });
  const [under, over] = [layer(), layer()];
  const svg = s(
    "svg",
    { role: "group", "aria-label": "Two weights over time" },
    fills.defs,
    under,
    pad,
    ...strips.map((strip) => strip.el),
    over,
  );
  const el = h("div", {}, svg);
  let [width, data, scales] = [0, null, null];

  function draw() {
    if (!width || !data) return;
    scales = makeScales(data, width);
    const { X, room } = scales;
    const steps = data.weights[0].grads.length;
    const most = Math.max(1e-9, ...data.weights.flatMap(({ grads }) => grads.map((g) => Math.abs(g ?? 0))));
    put(svg, { width, height: PLOT.top + PLOT.height + PLOT.foot });
    put(pad, { x: room.left, y: PLOT.top, width: width - room.left - room.right, height: PLOT.height + PLOT.foot });
    data.weights.forEach(({ grads, held }, which) =>
      strips[which].update({ grads, held, at: data.at, x: X, most, url: fills.url }),
    );
    const trails = data.weights.flatMap((weight, which) => drawTrail(weight, data.at, scales, which));
    under.replaceChildren(...drawWeightAxis(scales), ...drawTimeAxis(scales, steps), ...trails);
    over.replaceChildren(...drawNow(data, scales, fills));
    onLayout({ from: X(0.5), to: X(steps - 0.5) });
  }
  onDrag(pad, (event, phase) => {
    if (phase === "end") return;
    const x = event.clientX - svg.getBoundingClientRect().left;
    const steps = data.weights[0].grads.length;
    onCursor(clamp(Math.floor(linear(scales.X(0), scales.X(steps), 0, steps)(x)), 0, steps - 1));
  });
  return drawOnChange(el, draw, { width: (next) => (width = next), data: (next) => (data = next) });
}

const stripTop = (which) => which * (STRIP.height + STRIP.gap);
const initial = (name) => name[0];

/** Places of steps and of weights; the axis of weights covers the whole run, so that nothing jumps while it plays. */
function makeScales({ weights, at }, width) {
  const tight = width <= TIGHT_UP_TO;
  const room = ROOMS[tight ? "tight" : "wide"];
  const right = width - room.right;
  const X = linear(0, weights[0].grads.length, room.left, right);
  const all = weights.flatMap(({ w, real }) => [...w, ...real.map((sum) => w[0] + sum)]);
  const high = Math.max(...all);
  const low = Math.min(high - LEAST_SPAN, ...all);
  const [top, bottom] = [PLOT.top + PLOT.pad, PLOT.top + PLOT.height - PLOT.pad];
  return { X, Y: linear(high, low, top, bottom), low, high, room, right, tight, now: X(at + 0.5) };
}

const drawWeightAxis = ({ Y, low, high, room, right }) => [
  s("text", { x: 0, y: PLOT.top + 2, text: "weight" }),
  ...ticks(low, high, 4).flatMap((w) => [
    s("line", { x1: room.left, x2: right, y1: Y(w), y2: Y(w), class: w ? "ak-grid" : "ak-axis" }),
    s("text", { x: room.left - 8, y: Y(w) + 4, "text-anchor": "end", text: brief(w, 2) }),
  ]),
];

function drawTimeAxis({ X, tight, room }, steps) {
  const y = PLOT.top + PLOT.height;
  const every = tight ? 20 : 10;
  const shown = Array.from({ length: steps }, (_, i) => i + 1).filter((step) => step === 1 || step % every === 0);
  return [
    s("text", { x: room.left - 8, y: y + 16, "text-anchor": "end", text: "step" }),
    ...shown.flatMap((step) => [
      s("line", { x1: X(step - 0.5), x2: X(step - 0.5), y1: y, y2: y + 4, class: "ak-axis" }),
      s("text", { x: X(step - 0.5), y: y + 16, "text-anchor": "middle", text: String(step) }),
    ]),
  ];
}

const TRAILS = {
  real: { "stroke-linecap": "round" },
  ghost: { "stroke-linecap": "round", "stroke-dasharray": "0.1 4.6", style: "stroke-width:3" },
  still: { style: "stroke-width:1.25" },
  none: { "stroke-dasharray": "2.4 2.4", style: "stroke:var(--ak-control);stroke-width:1.25" },
};

/** Where a weight was up to the cursor, one path for each stretch of one kind of motion. */
function drawTrail({ w, grads, moved }, at, { X, Y }, which) {
  const point = (k) => [k ? X(k - 0.5) : X(0), Y(w[k])];
  const kind = (k) => (moved[k] === "still" && grads[k] === null ? "none" : moved[k]);
  const stretches = [];
  for (let k = 0; k <= at; k += 1) {
    if (stretches.at(-1)?.kind !== kind(k)) stretches.push({ kind: kind(k), points: [point(k)] });
    stretches.at(-1).points.push(point(k + 1));
  }
  return stretches.map(({ kind: one, points }) =>
    s("path", { d: pathOf(points), class: "ak-curve ak-stroke-value", "data-trail": `${which}${one}`, ...TRAILS[one] }),
  );
}

/** Everything that stands at the cursor: its rail, the balls, what they read, and the bars of real and ghost motion. */
function drawNow({ weights, at }, scales, fills) {
  const { Y, now, right } = scales;
  const heights = weights.map(({ w }) => Y(w[at + 1]));
  const rail = { x1: now, x2: now, y1: stripTop(weights.length) - STRIP.gap, y2: PLOT.top + PLOT.height + PLOT.foot };
  const marks = weights.map((_, which) => which).reverse(); // the first lies on top
  return [
    s("line", { ...rail, class: "ak-stroke-value ak-thin", "data-cursor": at }),
    ...drawReadings(weights, at, heights, scales),
    ...marks.map((which) => drawBall(weights[which].name, which, now, heights[which])),
    ...weights.flatMap(({ name }, which) => drawStripName(name, which, scales)),
    ...weights.flatMap((weight, which) => drawMotionBars(weight, which, at, scales, fills)),
    s("text", { x: right + 10, y: PLOT.top + 2, text: scales.tight ? "" : "real + ghost motion" }),
  ];
}

/** A ball with the letter of its weight: the first is solid, the second hollow and larger, so that both show at one place. */
const drawBall = (name, which, cx, cy) =>
  s(
    "g",
    {},
    which
      ? s("circle", { cx, cy, r: 11, class: "ak-paper-fill ak-stroke-value", "stroke-width": 2 })
      : s("circle", { cx, cy, r: 9, class: "ak-ink-fill" }),
    s("text", {
      x: cx,
      y: cy + 4,
      "text-anchor": "middle",
      style: `font-weight:600;fill:var(--ak-${which ? "ink" : "paper"})`,
      text: initial(name),
    }),
  );

function drawStripName(name, which, { right, tight }) {
  const middle = stripTop(which) + STRIP.height / 2;
  const words = s("text", { x: right + 10, y: middle + 4, text: `gradient of ${name}` });
  return [drawBall(name, which, 14, middle), ...(tight ? [] : [words])];
}

/** Where readings stand: each level with its ball, and apart where the balls are close. */
function placeReadings(heights) {
  const half = READING.height / 2;
  const [first, last] = [PLOT.top + half - 4, PLOT.top + PLOT.height - half + 4];
  const [upper, lower] = heights[0] <= heights[1] ? [0, 1] : [1, 0];
  const places = [...heights];
  const lacks = Math.max(0, READING.height - (heights[lower] - heights[upper]));
  places[upper] = clamp(heights[upper] - lacks / 2, first, last - READING.height);
  places[lower] = clamp(heights[lower] + lacks / 2, places[upper] + READING.height, last);
  return places;
}

/** The value above the level of the ball and what happened below it, so that the way of the weight runs between them. */
function drawReadings(weights, at, heights, { now, right, tight }) {
  const places = placeReadings(heights);
  const size = tight ? READING.tight : READING.width;
  const fits = now + READING.away + size <= right + (tight ? BESIDE_BARS : 0);
  const [x, anchor] = fits ? [now + READING.away, "start"] : [now - READING.away, "end"];
  return weights.flatMap(({ name, w, words, short }, which) => [
    s("text", {
      x,
      y: places[which] - 4,
      "text-anchor": anchor,
      class: "ak-strong ak-halo",
      style: "font-size:15px",
      "data-reading": which,
      text: `${initial(name)} = ${fmt(w[at + 1], tight ? 4 : 6)}`,
    }),
    s("text", { x, y: places[which] + 13, "text-anchor": anchor, class: "ak-halo", text: tight ? short : words }),
  ]);
}

/** From where the weight began: solid, how far real motion took it; stippled, on from there, how far ghost motion did. */
function drawMotionBars({ name, w, real, ghost }, which, at, { Y, room, right, tight }, fills) {
  const left = right + 16 + which * room.bars;
  const foot = PLOT.top + PLOT.height + 16;
  const [start, turn, end] = [w[0], w[0] + real[at + 1], w[at + 1]].map(Y);
  const bar = (kind, from, to, x, amount) => {
    const [y, height] = [Math.min(from, to), Math.abs(to - from)];
    if (height < 0.5) return [];
    const fill = kind === "ghost" ? fills.url("ghost") : "var(--ak-ink)";
    const words = s("text", { x: left + 19, y: y + height / 2 + 4, text: brief(amount, 3) });
    return [
      s("rect", { x, y, width: 7, height, fill, stroke: "var(--ak-ink)", "data-motion": `${which}${kind}` }),
      ...(tight || height < 12 ? [] : [words]),
    ];
  };
  return [
    s("line", { x1: left - 2, x2: left + 16, y1: start, y2: start, class: "ak-stroke-value ak-thin" }),
    ...bar("real", start, turn, left, real[at + 1]),
    ...bar("ghost", turn, end, left + 7, ghost[at + 1]),
    s("text", { x: left + 7, y: foot, "text-anchor": "middle", class: "ak-in-value", text: initial(name) }),
  ];
}
