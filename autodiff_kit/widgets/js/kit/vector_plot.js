import { h, s, put, clamp, linear, onDrag, onWidth } from "./dom.js";
import { brief } from "./numbers.js";
import { drawVectorGrid } from "./background_grid.js";

const WIDEST = 392; // px of the square
const SPAN = 16; // px that a line of text takes
const UNITS_FROM_SMALL = [0.05, 0.1, 0.2, 0.5, 1, 2, 5];

/**
 * Arrows from the origin of a plane, and a circle round it that they are cut to.
 * With onMove(i, [x, y]) the first `movable` arrows can be dragged by their tips, or moved by arrow keys in steps of `snap`;
 * with onRadius(r) the circle, too. update({reach, radius, arrows: [{name, tip, text, look}]}); looks are "cut" (heavy
 * inside of the circle, thin beyond it), "thin", "heavy" and "dashed".
 */
export function VectorPlot({ label, names = ["0", "1"], movable = 0, snap = 1, limit, radii, onMove, onRadius }) {
  const ground = s("g", {});
  const drawn = s("g", {});
  const words = s("g", {});
  const rim = onRadius ? handle("Clipping radius C") : null;
  const tips = Array.from({ length: movable }, (_, i) => handle(`Tip of arrow ${i + 1}`, "arrow handle"));
  const figure = s("svg", { role: movable ? "group" : "img", "aria-label": label }, ground, drawn, words, rim, tips);
  const el = h("div", {}, figure);
  let [side, state] = [0, null];
  let [X, Y] = [null, null];

  function draw() {
    if (!side || !state) return;
    const { reach, radius, arrows } = state;
    X = linear(-reach, reach, 4, side - 4);
    Y = linear(-reach, reach, side - 4, 4);
    put(figure, { width: side, height: side + 18 });
    ground.replaceChildren(
      ...drawVectorGrid({ x: X, y: Y, reach, side: side - 4, rail: null, names, units: UNITS_FROM_SMALL }),
      s("circle", { cx: X(0), cy: Y(0), r: X(radius) - X(0), class: "ak-cell" }),
    );
    drawn.replaceChildren(...arrows.flatMap((arrow) => shaft(arrow, radius)));
    words.replaceChildren(...spread(arrows.filter((arrow) => arrow.text).map(word)));
    tips.forEach((tip, i) => drawTip(tip, arrows[i]));
    if (rim) drawRim(radius);
  }

  function shaft({ tip, look }, radius) {
    const length = Math.hypot(...tip);
    const [px, py] = [X(tip[0]), Y(tip[1])];
    if (length === 0) return [s("rect", { x: px - 4, y: py - 4, width: 8, height: 8, class: "ak-ink-fill" })];
    const wide = { cut: 3, thin: 1.25, heavy: 5, dashed: 2.5 }[look];
    const cut = look === "cut" && length > radius ? radius / length : 1;
    const angle = (Math.atan2(py - Y(0), px - X(0)) * 180) / Math.PI;
    const line = (a, b, width, dashed) => {
      const at = (k) => [X(tip[0] * k), Y(tip[1] * k)];
      const [[x1, y1], [x2, y2]] = [at(a), at(b)];
      const style = { class: `ak-stroke-rev${dashed ? " ak-dash" : ""}`, "stroke-width": width };
      return s("line", { x1, y1, x2, y2, ...style });
    };
    const size = look === "heavy" ? 13 : look === "thin" ? 8 : 10;
    const head = s("path", {
      d: `M0 0L${-size} ${-size / 2}V${size / 2}Z`,
      transform: `translate(${px} ${py}) rotate(${angle})`,
      class: look === "dashed" ? "ak-stroke-rev ak-hollow" : "ak-fill-rev",
    });
    const neck = Math.max(0, 1 - (size - 2) / Math.hypot(px - X(0), py - Y(0)));
    return [
      cut < 1 ? line(cut, neck, 1.25, true) : null,
      line(0, Math.min(cut, Math.max(neck, 0)), wide, look === "dashed"),
      head,
    ].filter(Boolean);
  }

  /** Where the words of an arrow go: beyond its tip, on the side that it points to. */
  function word({ tip, text, look }) {
    const [px, py] = [X(tip[0]), Y(tip[1])];
    const [dx, dy] = [px - X(0), py - Y(0)];
    if (!dx && !dy) return { x: px - 12, y: py + 4, anchor: "end", text, strong: look !== "cut" && look !== "thin" };
    const far = Math.hypot(dx, dy);
    const sideways = Math.abs(dx) > 0.4 * far;
    return {
      x: px + (sideways ? Math.sign(dx) * 8 : 0),
      y: py + (sideways ? 4 + (dy / far) * 10 : dy > 0 ? 16 : -8),
      anchor: sideways ? (dx > 0 ? "start" : "end") : "middle",
      text,
      strong: look !== "cut" && look !== "thin",
    };
  }

  /** Lines of text that would touch are moved apart, and none leaves the plane. */
  function spread(items) {
    const wide = (item) => item.text.length * 6.4;
    const left = (item) => item.x - { start: 0, middle: wide(item) / 2, end: wide(item) }[item.anchor];
    for (const item of items) {
      const from = clamp(left(item), 2, Math.max(2, side - wide(item) - 2));
      Object.assign(item, { x: from, anchor: "start" });
    }
    items.sort((a, b) => a.y - b.y);
    items.forEach((item, i) => {
      for (const other of items.slice(0, i)) {
        const apart = item.x > other.x + wide(other) || other.x > item.x + wide(item);
        if (!apart && item.y - other.y < SPAN) item.y = other.y + SPAN;
      }
    });
    return items.map(({ x, y, text, strong }) =>
      s("text", { x, y: clamp(y, 12, side - 4), class: `ak-halo ak-in-rev${strong ? " ak-strong" : ""}`, text }),
    );
  }

  function handle(name, kind) {
    return s("g", { class: "ak-handle", tabindex: 0, role: "slider", "aria-label": name, "aria-roledescription": kind });
  }

  function drawTip(node, { name, tip }) {
    const [cx, cy] = [X(tip[0]), Y(tip[1])];
    node.replaceChildren(
      s("circle", { cx, cy, r: 11, class: "ak-ring" }),
      s("circle", { cx, cy, r: 16, fill: "transparent" }),
    );
    put(node, {
      "aria-label": `Tip of arrow ${name}. Arrow keys move it; 0 puts it at the origin.`,
      "aria-valuetext": tip.map((one) => brief(one, 2)).join(", "),
      "aria-valuenow": tip[0],
      "aria-valuemin": -limit,
      "aria-valuemax": limit,
    });
  }

  function drawRim(radius) {
    const [cx, cy] = [X(radius * Math.SQRT1_2), Y(radius * Math.SQRT1_2)];
    rim.replaceChildren(
      s("circle", { cx, cy, r: 10, class: "ak-ring" }),
      s("circle", { cx, cy, r: 14, fill: "transparent" }),
      s("circle", { cx, cy, r: 5, class: "ak-ink-fill", stroke: "var(--ak-paper)", "stroke-width": 2 }),
      s("text", { x: cx + 9, y: cy - 4, class: "ak-halo ak-in-value", text: `C = ${brief(radius, 2)}` }),
    );
    put(rim, {
      "aria-valuenow": radius,
      "aria-valuetext": brief(radius, 2),
      "aria-valuemin": radii[0],
      "aria-valuemax": radii[1],
    });
  }

  const spot = (event) => {
    const box = figure.getBoundingClientRect();
    const { reach } = state;
    return [
      linear(4, side - 4, -reach, reach)(event.clientX - box.left),
      linear(side - 4, 4, -reach, reach)(event.clientY - box.top),
    ];
  };
  const held = (v) => clamp(Math.round(v / snap) * snap, -limit, limit) + 0;
  const send = (i, tip) => {
    if (tip.some((one, k) => one !== state.arrows[i].tip[k])) onMove(i, tip);
  };
  tips.forEach((tip, i) => {
    onDrag(tip, (event) => send(i, spot(event).map(held)));
    tip.addEventListener("keydown", (event) => {
      const by = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
      if (!by && event.key !== "0") return;
      event.preventDefault();
      const now = state.arrows[i].tip;
      send(i, by ? now.map((one, k) => held(one + by[k] * snap)) : [0, 0]);
    });
  });
  const round = (r) => clamp(Math.round(r * 4) / 4, ...radii);
  if (rim) {
    onDrag(rim, (event) => onRadius(round(Math.hypot(...spot(event)))));
    rim.addEventListener("keydown", (event) => {
      const by = { ArrowRight: 0.25, ArrowUp: 0.25, ArrowLeft: -0.25, ArrowDown: -0.25, PageUp: 1, PageDown: -1 }[event.key];
      const to = { Home: radii[0], End: radii[1] }[event.key] ?? (by && state.radius + by);
      if (to === undefined) return;
      event.preventDefault();
      onRadius(round(to));
    });
  }
  const stop = onWidth(el, (width) => {
    side = Math.min(width, WIDEST);
    draw();
  });
  return {
    el,
    update(next) {
      state = next;
      draw();
    },
    destroy: stop,
  };
}
