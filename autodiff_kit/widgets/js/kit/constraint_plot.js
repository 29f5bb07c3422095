import { h, s, put, uid, clamp, linear, drawOnChange, onDrag, pathOf, ticks } from "./dom.js";
import { brief } from "./numbers.js";
import { leaderEnd, placeLabels } from "./label_places.js";
import { SHAPES, LINES } from "./marker_shapes.js";

const EDGE = { left: 34, right: 12, top: 8, bottom: 26 }; // px
const WIDEST = 680; // px
const NAMED = 400; // px of width from which balls have their names beside them; the table's head has them always
const CORNERS = 24; // of the polygon that stands for the edge of the disc where words are placed
const LEVELS = [0.05, 0.2, 0.5, 1, 2, 3.5, 5.5]; // of the loss, for its contours
// Where a word would like to stand beside its mark, in degrees clockwise from the right; balls come close to each other.
const WORDS = { disc: -120, square: -45, triangle: 150, best: 60, cross: 0 };
// What is allowed, named low in the region, where the balls do not end.
const INSIDE = {
  half: { at: [-1.5, -1.05], text: "allowed: w₀ ≤ 1", side: 0, look: "", leads: false, fixed: true },
  disc: { at: [0, -0.4], text: "allowed", side: 90, look: "", leads: false, fixed: true },
};

/**
 * A plane with what is allowed on it, a loss's contours, and balls with their trails.
 * update({region, target, steep, best, balls: [{name, shape, path}], at, legs}): region is "half" (x ≤ 1) or "disc";
 * the contours are those of ½(x − t0)² + ½·steep·(y − t1)²; legs, if given, are the three points of one projected step.
 * The target is dragged, or moved by the arrow keys.
 */
export function ConstraintPlot({ label, least, most, snap = 0.25, onTarget }) {
  const clip = uid("clip");
  const back = s("g", { "aria-hidden": "true" });
  const front = s("g", { "aria-hidden": "true" });
  const target = s("g", {
    class: "ak-handle",
    tabindex: 0,
    role: "slider",
    "aria-roledescription": "point",
    "aria-label": "Where the loss is least. Left and right move it along w0, up and down along w1.",
  });
  const hole = s("rect", {});
  const figure = s("svg", { role: "group", "aria-label": label }, s("defs", {}, s("clipPath", { id: clip }, hole)), back, front, target);
  const el = h("div", { class: "ak-plot" }, figure);
  let data = null;
  let width = 0;
  let X = null;
  let Y = null;

  function draw() {
    if (!width || !data) return;
    const across = Math.min(width, WIDEST);
    const scale = (across - EDGE.left - EDGE.right) / (most[0] - least[0]);
    const height = (most[1] - least[1]) * scale + EDGE.top + EDGE.bottom;
    X = linear(least[0], most[0], EDGE.left, across - EDGE.right);
    Y = linear(least[1], most[1], height - EDGE.bottom, EDGE.top);
    put(figure, { width: across, height });
    put(hole, { x: X(least[0]), y: Y(most[1]), width: X(most[0]) - X(least[0]), height: Y(least[1]) - Y(most[1]) });
    back.replaceChildren(...ground(scale), ...axes(height));
    front.replaceChildren(
      s("g", { "clip-path": `url(#${clip})` }, ...data.balls.map(trail), ...legs()),
      goal(),
      ...words(across, height),
      ...shown().map(({ shape, path }) => SHAPES[shape](...spot(path[data.at]))).reverse(),
    );
    drawTarget();
  }

  function ground(scale) {
    const [tx, ty] = [X(data.target[0]), Y(data.target[1])];
    const half = data.region === "half";
    const [left, right, low, high] = [X(least[0]), X(half ? 1 : most[0]), Y(least[1]), Y(most[1])];
    const edge = "stroke:var(--ak-ink2);stroke-width:1.5";
    const allowed = half
      ? [
          s("rect", { x: left, y: high, width: right - left, height: low - high, style: "fill:var(--ak-sunk)" }),
          s("line", { x1: right, x2: right, y1: high, y2: low, style: edge }),
        ]
      : [s("circle", { cx: X(0), cy: Y(0), r: scale, style: `fill:var(--ak-sunk);${edge}` })];
    const rings = LEVELS.map((level) =>
      s("ellipse", {
        cx: tx,
        cy: ty,
        rx: Math.sqrt(2 * level) * scale,
        ry: Math.sqrt((2 * level) / data.steep) * scale,
        style: "fill:none;stroke:var(--ak-line2)",
      }),
    );
    return [s("g", { "clip-path": `url(#${clip})` }, ...allowed, ...rings)];
  }

  function axes(height) {
    const [xs, ys] = [ticks(least[0], most[0], 8), ticks(least[1], most[1], 6)];
    const named = (v, last, name) => (v === last ? `${name} ${brief(v)}` : brief(v));
    return [
      ...xs.map((v) => s("line", { x1: X(v), x2: X(v), y1: Y(least[1]), y2: Y(least[1]) + 4, class: "ak-axis" })),
      ...xs.map((v) => s("text", { x: X(v), y: height - 6, "text-anchor": "middle", text: named(v, xs.at(-1), "w₀") })),
      ...ys.map((v) => s("line", { x1: X(least[0]) - 4, x2: X(least[0]), y1: Y(v), y2: Y(v), class: "ak-axis" })),
      ...ys
        .slice(0, -1)
        .map((v) => s("text", { x: X(least[0]) - 8, y: Y(v) + 4, "text-anchor": "end", text: brief(v) })),
      s("text", { x: X(least[0]) - 8, y: Y(most[1]) + 12, "text-anchor": "end", text: "w₁" }),
    ];
  }

  const spot = ([x, y]) => [X(clamp(x, least[0] - 9, most[0] + 9)), Y(clamp(y, least[1] - 9, most[1] + 9))];
  const inView = ([x, y]) => x >= least[0] && x <= most[0] && y >= least[1] && y <= most[1];

  function trail({ shape, path }) {
    const points = path.slice(0, data.at + 1).map(spot);
    return s(
      "g",
      {},
      s("path", {
        d: pathOf(points),
        class: "ak-curve ak-stroke-value",
        style: `stroke-width:1.5;stroke-linecap:round;stroke-dasharray:${LINES[shape]}`,
      }),
      ...points.map(([x, y]) => s("circle", { cx: x, cy: y, r: 1.75, class: "ak-ink-fill" })),
    );
  }

  /** One step of the projected ball: away along the loss, and straight back to what is allowed. */
  function legs() {
    if (!data.legs) return [];
    const [from, out, home] = data.legs.map(spot);
    return [
      s("path", { d: pathOf([from, out]), class: "ak-curve ak-stroke-held" }),
      s("path", { d: pathOf([out, home]), class: "ak-curve ak-stroke-held ak-dash" }),
      s("circle", { cx: out[0], cy: out[1], r: 3, class: "ak-hollow ak-stroke-held" }),
    ];
  }

  /** The balls that are in the picture at the step. */
  const shown = () => data.balls.filter(({ path }) => inView(path[data.at]));

  function goal() {
    const [x, y] = spot(data.best);
    return s("path", { d: `M${x} ${y - 12}l12 12l-12 12l-12 -12Z`, class: "ak-curve ak-stroke-value", style: "stroke-width:1.25" });
  }

  /** The names of the marks, clear of trails, of the edge and of each other, with a line to a mark that is farther away. */
  function words(across, height) {
    const named = across >= NAMED ? shown() : [];
    const marks = [
      ...named.map(({ name, shape, path }) => ({ at: path[data.at], text: name, side: WORDS[shape], look: "ak-strong", leads: true })),
      { at: data.best, text: "best allowed", side: WORDS.best, look: "ak-in-value", leads: true },
      { at: data.target, text: "least loss", side: WORDS.cross, look: "", leads: false },
    ];
    const trails = data.balls.flatMap(({ path }) => path.slice(0, data.at).map((from, k) => [spot(from), spot(path[k + 1])]));
    const rim = Array.from({ length: CORNERS + 1 }, (_, k) => spot([Math.cos((2 * Math.PI * k) / CORNERS), Math.sin((2 * Math.PI * k) / CORNERS)]));
    const edge = data.region === "half" ? [[spot([1, least[1]]), spot([1, most[1]])]] : rim.slice(1).map((to, k) => [rim[k], to]);
    const inside = INSIDE[data.region];
    const around = [...shown().map(({ path }) => path[data.at]), ...marks.map(({ at }) => at)].map(spot).flatMap(([x, y]) => [[[x - 8, y - 8], [x + 8, y + 8]], [[x - 8, y + 8], [x + 8, y - 8]]]);
    const placed = placeLabels(
      [inside, ...marks].map(({ at, side, ...mark }) => ({ ...mark, at: spot(at), angle: (side * Math.PI) / 180 })),
      { bounds: { x0: EDGE.left + 2, x1: across - 2, y0: 2, y1: height - EDGE.bottom - 2 }, lines: [...trails, ...edge, ...around] },
    );
    return placed.flatMap(({ at, x, foot, box, text, look, leads }) => {
      const [x2, y2] = leaderEnd(at, box);
      const leader = s("line", { x1: at[0], y1: at[1], x2, y2, class: "ak-stroke-held", "stroke-width": 1 });
      return [...(leads ? [leader] : []), s("text", { x, y: foot, class: `ak-halo ${look}`, text })];
    });
  }

  function drawTarget() {
    const [x, y] = spot(data.target);
    target.replaceChildren(
      s("circle", { cx: x, cy: y, r: 20, fill: "transparent" }),
      s("circle", { cx: x, cy: y, r: 12, class: "ak-ring" }),
      s("path", { d: `M${x - 6} ${y}h12M${x} ${y - 6}v12`, class: "ak-curve ak-stroke-value" }),
    );
    put(target, {
      "aria-valuemin": least[0],
      "aria-valuemax": most[0],
      "aria-valuenow": data.target[0],
      "aria-valuetext": data.target.map((v) => brief(v, 2)).join(", "),
    });
  }

  const send = (next) => {
    const to = next.map((v, i) => clamp(Math.round(v / snap) * snap, least[i], most[i]) + 0);
    if (to.some((v, i) => v !== data.target[i])) onTarget(to);
  };
  onDrag(target, (event) => {
    const box = figure.getBoundingClientRect();
    const back0 = linear(X(least[0]), X(most[0]), least[0], most[0]);
    const back1 = linear(Y(least[1]), Y(most[1]), least[1], most[1]);
    send([back0(event.clientX - box.left), back1(event.clientY - box.top)]);
  });
  target.addEventListener("keydown", (event) => {
    const by = { ArrowRight: [snap, 0], ArrowLeft: [-snap, 0], ArrowUp: [0, snap], ArrowDown: [0, -snap] }[event.key];
    if (!by) return;
    event.preventDefault();
    send(data.target.map((v, i) => v + by[i]));
  });
  return drawOnChange(el, draw, { width: (next) => (width = next), data: (next) => (data = next) });
}
