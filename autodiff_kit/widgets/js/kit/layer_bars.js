import { h, s, put, linear, drawOnChange, onDrag, clamp, pathOf } from "./dom.js";

const ROOM = { left: 46, right: 14 }; // px
const CHAIN = { top: 8, height: 204 }; // px
const CLEAR = 12; // px between two numbers at an axis
const HELD = { top: 232, height: 98, foot: 22, reading: 62 }; // px

/**
 * Layers against time: a bar is the input of a layer, from where it is stored to where it is dropped, and the bars that
 * cross the cursor are held now. On the diagonal a layer runs, in the gradient's colour where it is differentiated. Below,
 * on the same axis, how many inputs are held. A drag moves the cursor.
 * update({kept: [[layer, from, to]], events: [[kind, layer]], held, peak, layers, slope, now}): `slope` is the kind of event
 * that differentiates; onLayout({from, to}): px of the start and of the end.
 */
export function LayerBars({ label, onCursor, onLayout }) {
  const ground = s("g", { "pointer-events": "none" });
  const pad = s("rect", { class: "ak-scrub-pad", fill: "transparent" });
  const svg = s("svg", { role: "img", "aria-label": label }, ground, pad);
  const el = h("div", {}, svg);
  let [width, data, X] = [0, null, null];

  function draw() {
    if (!width || !data) return;
    const count = data.events.length;
    X = linear(0, count, ROOM.left, width - ROOM.right);
    const foot = HELD.top + HELD.height;
    const scales = { X, Y: linear(0, data.layers - 1, CHAIN.top + CHAIN.height, CHAIN.top), H: linear(0, data.layers, foot, HELD.top), right: width - ROOM.right, foot };
    put(svg, { width, height: foot + HELD.foot });
    put(pad, { x: ROOM.left - 8, y: 0, width: width - ROOM.left - ROOM.right + 16, height: foot + HELD.foot });
    ground.replaceChildren(...drawBars(data, scales), ...drawEvents(data, scales), ...drawHeld(data, scales), ...drawCursor(data, scales));
    onLayout({ from: X(0), to: X(count) });
  }
  onDrag(pad, (event, phase) => {
    if (phase === "end") return;
    const count = data.events.length;
    const moment = linear(X(0), X(count), 0, count)(event.clientX - svg.getBoundingClientRect().left);
    onCursor(clamp(Math.round(moment), 0, count));
  });
  return drawOnChange(el, draw, { width: (next) => (width = next), data: (next) => (data = next) });
}

/** All bars of the run, faint; those of the past darker; those that are held now in ink, up to the cursor. */
function drawBars({ kept, now }, { X, Y }) {
  const bar = (layer, from, to) => `M${X(from).toFixed(1)} ${Y(layer).toFixed(1)}H${X(to).toFixed(1)}`;
  const path = (bars, look) => s("path", { d: bars.join(""), fill: "none", ...look });
  const held = kept.filter(([, from, to]) => from < now && now <= to);
  return [
    path(kept.map((one) => bar(...one)), { stroke: "var(--ak-line)", "stroke-width": 1.4 }),
    path(kept.filter(([, , to]) => to < now).map((one) => bar(...one)), { stroke: "var(--ak-line2)", "stroke-width": 1.4 }),
    path(held.map(([layer, from]) => bar(layer, from, now)), { class: "ak-stroke-value", "stroke-width": 2, "data-held": held.length }),
  ];
}

/** Where layers run and are differentiated, up to the cursor. */
function drawEvents({ events, slope, now }, { X, Y }) {
  const path = (differentiated, look) =>
    s("path", {
      d: events.slice(0, now).map(([kind, layer], j) => ((kind === slope) === differentiated ? `M${X(j).toFixed(1)} ${Y(layer).toFixed(1)}H${X(j + 1).toFixed(1)}` : "")).join(""),
      fill: "none",
      "stroke-width": 4,
      ...look,
    });
  return [path(false, { class: "ak-stroke-value" }), path(true, { class: "ak-stroke-rev" })];
}

/** How many inputs are held: the whole run faint, what has happened in ink, and the most as a dashed line. */
function drawHeld({ held, peak, layers, now }, { X, Y, H, right, foot }) {
  const curve = (to) => pathOf(held.slice(0, to + 1).map((value, j) => [X(j), H(value)]));
  const pass = (text, from, to) => s("text", { x: (X(from) + X(to)) / 2, y: foot + 16, "text-anchor": "middle", text });
  const end = (y, text) => s("text", { x: ROOM.left - 8, y: y + 4, "text-anchor": "end", text });
  return [
    ...[0, layers - 1].map((layer) => s("text", { x: 0, y: Y(layer) + 4, text: `layer ${layer}` })),
    end(H(0), "0"),
    end(H(peak), peak),
    ...(H(peak) - H(layers) > CLEAR ? [end(H(layers), layers)] : []), // without checkpoints all are held
    s("line", { x1: X(0), x2: right, y1: H(layers), y2: H(layers), class: "ak-grid" }),
    s("text", { x: ROOM.left, y: HELD.top - 2, text: "values held" }),
    s("line", { x1: X(0), x2: right, y1: foot, y2: foot, class: "ak-axis" }),
    s("line", { x1: X(0), x2: right, y1: H(peak), y2: H(peak), class: "ak-stroke-held ak-dash" }),
    s("path", { d: curve(held.length), class: "ak-curve", stroke: "var(--ak-line2)" }),
    s("path", { d: curve(now), class: "ak-curve ak-stroke-value" }),
    s("line", { x1: X(layers), x2: X(layers), y1: foot, y2: foot + 16, class: "ak-axis" }),
    pass("forward", 0, layers),
    pass("backward", layers, held.length - 1),
  ];
}

function drawCursor({ held, now }, { X, H, right, foot }) {
  const [x, y] = [X(now), H(held[now])];
  const turned = x + HELD.reading > right;
  return [
    s("line", { x1: x, x2: x, y1: 0, y2: foot + 4, class: "ak-stroke-value ak-thin", "data-cursor": now }),
    s("circle", { cx: x, cy: y, r: 4, class: "ak-ink-fill" }),
    s("text", {
      x: x + (turned ? -9 : 9),
      y: y - 6,
      "text-anchor": turned ? "end" : "start",
      class: "ak-halo ak-strong",
      style: "font-size:14px",
      "data-reading": "",
      text: `${held[now]} held`,
    }),
  ];
}
