import { h, s, put, linear, patterns, onWidth, onDrag, clamp, ticks } from "./dom.js";
import { fmt, brief } from "./numbers.js";
import { GradientStrip } from "./gradient_strip.js";
import { Tween } from "./tween.js";

const STRIP = 32; // px
const PLOT = { top: 38, height: 260, above: 44, foot: 22 }; // px
const ROOMS = { wide: { left: 62, right: 146, below: 14 }, tight: { left: 44, right: 14, below: 26 } }; // px
const TIGHT_UP_TO = 560; // px, as in the sheet
const READING = { away: 14, wide: 178, lines: [13, 29, 44], size: 48, tops: [-52, 10, -92, 50, -132] }; // px
const REST = 216; // px, the words at the dashed line where they stand in the plot
const LEAST_SPAN = 0.2; // of the axis of w
const SPECK = 0.75; // px: what is shorter is drawn as a dot
const PACE = { step: 320, change: 200 }; // ms
const mix = (a, b, part) => a + (b - a) * part;
const mixAll = (a, b, part) => a.map((one, k) => mix(one, b[k], part));

/**
 * A strip of painted gradients over the way of a weight: each step is a drop of w, stippled what is carried over of the
 * steps before, in the gradient's colour what its own gradient adds. Hollow drops ahead of the cursor are what zeros would
 * do, down to a dashed line. A drag over the plot moves the cursor; between two states everything glides.
 * update({grads, at, w, carried, own, roll, rollAt, rest, readings}): w has one number before the first step and one after
 * each; roll goes from the step rollAt on, which may be behind the cursor. onLayout({from, to}): px of the first and the
 * last step.
 */
export function WeightDrops({ brush, unit, onPaint, onCursor, onLayout }) {
  const strip = GradientStrip({ name: "w", height: STRIP, brush, unit, onPaint, onCursor });
  const fills = patterns();
  const pad = s("rect", { class: "ak-scrub-pad", fill: "transparent" });
  const layer = () => s("g", { "aria-hidden": "true", "pointer-events": "none" });
  const [under, over] = [layer(), layer()];
  const svg = s("svg", { role: "group", "aria-label": "Gradients, and the weight step by step" }, fills.defs, under, pad, strip.el, over);
  const el = h("div", {}, svg);
  let [width, data, from, goal, X] = [0, null, null, null, null];
  const tween = Tween({ at: 1, draw });

  function draw(part) {
    if (!width || !data) return;
    const scene = mixScenes(from, goal, part);
    const scales = makeScales(scene, data.grads.length, width);
    ({ X } = scales);
    const { room, right, tight } = scales;
    const most = Math.max(1, ...data.grads.map((g) => Math.abs(g ?? 0)));
    strip.update({ grads: data.grads, at: data.at, x: X, most, held: [], url: fills.url });
    put(svg, { width, height: PLOT.top + PLOT.height + PLOT.foot });
    put(pad, { x: room.left, y: PLOT.top, width: right - room.left, height: PLOT.height + PLOT.foot });
    under.replaceChildren(...drawAxisOfW(scales), ...drawAxisOfSteps(scales, data.grads.length), ...drawAhead(scene, scales), ...drawDrops(scene, data, scales, fills));
    over.replaceChildren(
      s("text", { x: room.left - 8, y: STRIP / 2 + 4, "text-anchor": "end", class: "ak-in-rev", text: tight ? "grad" : "gradient" }),
      ...drawRest(scene, data, scales),
      ...drawNow(scene, data, scales),
    );
    onLayout({ from: X(0.5), to: X(data.grads.length - 0.5) });
  }
  onDrag(pad, (event, phase) => {
    if (phase === "end") return;
    const column = (event.clientX - svg.getBoundingClientRect().left - X(0)) / (X(1) - X(0));
    onCursor(clamp(Math.floor(column), 0, data.grads.length - 1));
  });
  const stop = onWidth(el, (next) => {
    width = next;
    draw(tween.at());
  });
  return {
    el,
    update(next) {
      const scene = sceneOf(next, goal, data);
      data = next;
      if (JSON.stringify(scene) === JSON.stringify(goal)) return draw(tween.at());
      const whole = goal && goal.t !== scene.t ? PACE.step : PACE.change;
      from = goal ? mixScenes(from, goal, tween.at()) : scene;
      goal = scene;
      tween.set(0);
      tween.to(1, whole);
    },
    destroy() {
      stop();
      tween.destroy();
    },
  };
}

/** Everything that glides. The axis only grows while the cursor moves, so that nothing jumps as it plays. */
function sceneOf({ w, carried, own, roll, rollAt, rest, at }, before, last) {
  const ahead = w.map((here, k) => (k > rollAt ? roll[k - rollAt - 1] : here));
  const kept = before && last.w.join() === w.join() ? [before.low, before.high] : [];
  const all = [0, ...w, rest, ...ahead, ...kept];
  const high = Math.max(...all);
  const numbers = (list) => list.map((one) => one ?? 0);
  return { t: at, w, carried: numbers(carried), own: numbers(own), ahead, rest, high, low: Math.min(high - LEAST_SPAN, ...all) };
}

/** Between two scenes; what zeros would do bends while the step's own gradient acts, which is the second half. */
function mixScenes(a, b, part) {
  const late = clamp(2 * part - 1, 0, 1);
  const one = (name, by) => mix(a[name], b[name], by);
  const list = (name, by) => mixAll(a[name], b[name], by);
  return {
    t: one("t", part),
    w: list("w", part),
    carried: list("carried", part),
    own: list("own", part),
    ahead: list("ahead", late),
    rest: one("rest", late),
    low: one("low", part),
    high: one("high", part),
  };
}

function makeScales({ low, high, t }, count, width) {
  const tight = width <= TIGHT_UP_TO;
  const room = ROOMS[tight ? "tight" : "wide"];
  const right = width - room.right;
  const X = linear(0, count, room.left, right);
  const Y = linear(high, low, PLOT.top + PLOT.above, PLOT.top + PLOT.height - room.below);
  return { X, Y, low, high, room, right, width, tight, cell: X(1) - X(0), now: X(t + 0.5) };
}

const drawAxisOfW = ({ Y, low, high, room, right }) => [
  s("text", { x: room.left - 8, y: PLOT.top + 12, "text-anchor": "end", class: "ak-strong", text: "w" }),
  ...ticks(low, high, 4).flatMap((w) => [
    s("line", { x1: room.left, x2: right, y1: Y(w), y2: Y(w), class: w ? "ak-grid" : "ak-axis" }),
    s("text", { x: room.left - 8, y: Y(w) + 4, "text-anchor": "end", text: brief(w, 2) }),
  ]),
];

function drawAxisOfSteps({ X, room, tight }, count) {
  const y = PLOT.top + PLOT.height;
  const every = tight ? 6 : 3;
  const shown = Array.from({ length: count }, (_, i) => i + 1).filter((step) => step === 1 || step % every === 0);
  return [
    s("text", { x: room.left - 8, y: y + 16, "text-anchor": "end", text: "step" }),
    ...shown.map((step) => s("text", { x: X(step - 0.5), y: y + 16, "text-anchor": "middle", text: String(step) })),
  ];
}

/** A bar of column k between two levels; never so short that it vanishes. */
function bar(k, a, b, { X, Y, cell }, inset, look) {
  const height = Math.max(SPECK, Math.abs(Y(a) - Y(b)));
  return s("rect", { x: X(k) + inset, width: cell - 2 * inset, y: Math.min(Y(a), Y(b)), height, ...look });
}

/** The drops that zeros would make, from the step after the cursor on. */
function drawAhead({ t, ahead }, scales) {
  const look = { fill: "none", stroke: "var(--ak-control)", "stroke-dasharray": "2 2" };
  return ahead.slice(1).flatMap((level, k) => (k > t ? [bar(k, ahead[k], level, scales, 2, { ...look, "data-drop": "ahead" })] : []));
}

/** How far both parts of step k have fallen at t: first what is carried over, then what is its own. */
function fallen({ t, carried, own }, k) {
  const part = clamp(t - k + 1, 0, 1);
  if (!carried[k] || !own[k]) return [carried[k] * part, own[k] * part];
  return [carried[k] * Math.min(1, 2 * part), own[k] * Math.max(0, 2 * part - 1)];
}

function drawDrops(scene, { grads }, scales, fills) {
  return grads.flatMap((g, k) => {
    if (scene.t <= k - 1) return [];
    return g === null ? drawNoStep(scene.w[k], k, scales) : drawDrop(scene, k, scales, fills);
  });
}

function drawNoStep(w, k, { X, Y, cell }) {
  return [s("rect", { x: X(k) + 2, y: Y(w) - 6, width: cell - 4, height: 12, rx: 3, class: "ak-none-box", "data-drop": "none" })];
}

function drawDrop(scene, k, scales, fills) {
  const { X, Y, cell } = scales;
  const start = scene.w[k];
  const [over, own] = fallen(scene, k);
  const level = Y(start + over + own);
  const inset = over * own < 0 ? cell * 0.3 : 2; // going back over what is carried, it leaves that to be seen
  const stippled = { fill: fills.url("ghost"), stroke: "var(--ak-ink)", "data-drop": "carried" };
  return [
    ...(over ? [bar(k, start, start + over, scales, 2, stippled)] : []),
    ...(own ? [bar(k, start + over, start + over + own, scales, inset, { class: "ak-fill-rev", "data-drop": "own" })] : []),
    s("line", { x1: X(k) + 2, x2: X(k + 1) + 2, y1: level, y2: level, class: "ak-stroke-value", "stroke-width": 1.75 }),
  ];
}

/** Where the words at the dashed line stand: away from the way to it, and beside the plot if there is room. */
function placeRest({ rest, w, at }, { Y, right, width, tight }) {
  const under = rest <= w[at + 1];
  const [top, height] = [Y(rest) + (under ? 3 : tight ? -18 : -32), tight ? 16 : 30];
  return tight ? { x: right - REST, end: right, top, height } : { x: right + 8, end: width, top, height };
}

/** Where zeros would lead, as a dashed line. */
function drawRest({ rest }, data, scales) {
  const { Y, now, right, tight } = scales;
  const { x, end, top } = placeRest({ ...data, rest }, scales);
  const words = [`ends at ${fmt(data.rest, 4)}`, "if only zeros follow"];
  const line = { x1: now, x2: right, y1: Y(rest), y2: Y(rest), class: "ak-stroke-value ak-thin ak-dash" };
  const texts = tight
    ? [s("text", { x: end, y: top + 12, "text-anchor": "end", class: "ak-halo ak-in-value", text: words.join(" ") })]
    : words.map((text, i) => s("text", { x, y: top + 10 + 15 * i, class: i ? "" : "ak-strong", text }));
  return [s("line", line), s("g", { "data-rest": "" }, texts)];
}

/** The cursor with the weight as a ball on it, and what is read there. */
function drawNow(scene, data, scales) {
  const { Y, now } = scales;
  const k = Math.ceil(scene.t);
  const ball = Y(scene.w[k] + fallen(scene, k).reduce((a, b) => a + b));
  const rail = { x1: now, x2: now, y1: STRIP, y2: PLOT.top + PLOT.height + 4 };
  return [
    s("line", { ...rail, class: "ak-stroke-value ak-thin", "data-cursor": data.at }),
    s("circle", { cx: now, cy: ball, r: 6, class: "ak-ink-fill" }),
    ...drawReadings(data.readings, freePlace(ball, scene, scales, placeRest({ ...data, rest: scene.rest }, scales))),
  ];
}

/** Of the places beside the ball, near ones first, the one where a reading covers the fewest drops, and not the words of the rest. */
function freePlace(ball, { t, w, ahead }, { X, Y, now, width }, words) {
  const drops = w.slice(1).map((level, k) => {
    const [top, foot] = (k > t ? [ahead[k], ahead[k + 1]] : [w[k], level]).map(Y).sort((a, b) => a - b);
    return { x: X(k), end: X(k + 1), top, height: foot - top };
  });
  const obstacles = [...drops, ...Array(drops.length).fill(words)];
  const covered = (x, top) =>
    obstacles.filter((one) => one.x < x + READING.wide && one.end > x && one.top < top + READING.size && one.top + one.height > top).length;
  const beside = [now + READING.away, now - READING.away - READING.wide].filter((x) => x >= 0 && x + READING.wide <= width);
  const tops = READING.tops.map((by) => clamp(ball + by, STRIP + 2, PLOT.top + PLOT.height - READING.size));
  const places = (beside.length ? beside : [width - READING.wide])
    .flatMap((x) => tops.map((top) => ({ x, top, turned: x < now, covered: covered(x, top) })));
  return places.reduce((best, one) => (one.covered < best.covered ? one : best));
}

const drawReadings = (readings, { x, top, turned }) =>
  readings.map((parts, i) =>
    s(
      "text",
      { x: turned ? x + READING.wide : x, y: top + READING.lines[i], "text-anchor": turned ? "end" : "start", class: "ak-halo", "data-reading": i },
      parts.map(({ text, style }) => s("tspan", { style, text })),
    ),
  );
