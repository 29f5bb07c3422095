import { h, s, put, patterns, drawOnChange, linear } from "./dom.js";
import { brief } from "./numbers.js";
import { numberLabel } from "./number_label.js";

const SLIM = 560; // px
const MOST_ROOM = 720; // px that the picture uses of a wide cell
const [TOP, LOW, FOOT] = [64, 190, 292]; // px: the middles of the two boxes, and the height of all
const TALL = 32; // half the height of a box
const BESIDE = 14; // px between a thread and the gradient that comes back along it

const centred = { "text-anchor": "middle" };
const word = (x, y, text, more = {}) => s("text", { x, y, text, ...more });

/** A recorded connection: a gradient can come back along it. */
const thread = (from, to) => s("path", { d: `M${from}L${to}`, class: "ak-stroke-value", fill: "none", "stroke-width": 2 });
/** The way of a number that was not recorded: nothing comes back along it. */
const loose = (from, to) =>
  s("path", { d: `M${from}L${to}`, class: "ak-stroke-held", fill: "none", style: "stroke-dasharray:1 5;stroke-linecap:round;stroke-width:2" });
const head = ([x, y], turn, tone) => s("path", { d: "M0 0l8 -4.5v9Z", transform: `translate(${x} ${y}) rotate(${turn})`, style: `fill:var(--ak-${tone})` });

function back([x1, y1], [x2, y2]) {
  const turn = (Math.atan2(y1 - y2, x1 - x2) * 180) / Math.PI;
  const long = Math.hypot(x1 - x2, y1 - y2);
  const stop = [x2 + ((x1 - x2) * 7) / long, y2 + ((y1 - y2) * 7) / long];
  return [
    s("path", { d: `M${[x1, y1]}L${stop}`, class: "ak-stroke-rev ak-dash", fill: "none", "stroke-width": 2.25 }),
    head([x2, y2], turn, "rev"),
  ];
}

/** An arrow back along a thread, on its upper side (-1) or its lower (1), from a round node to the wall of a box. */
function outside([x1, y1], [x2, y2], side) {
  const long = Math.hypot(x1 - x2, y1 - y2);
  const [dx, dy] = [(x2 - x1) / long, (y2 - y1) / long];
  const [nx, ny] = [-dy * side, dx * side].map((one) => -9 * one);
  return back([x1 + 18 * dx + nx, y1 + 18 * dy + ny], [x2 - 2 * dx + nx, y2 - 2 * dy + ny]);
}

/** A variable: what stands in the box now, and struck out above it what stood there before. */
function box(x, y, half, name, contents) {
  const before = contents.slice(0, -1);
  return [
    s("rect", { x: x - half, y: y - TALL, width: 2 * half, height: 2 * TALL, rx: 3, class: "ak-hollow ak-stroke-value", style: "stroke-width:2.5" }),
    word(x - half, y - TALL - 8, name, { class: "ak-strong" }),
    ...before.map((one, i) => word(x, y - 14 + 15 * i, brief(one, 2), { ...centred, "text-decoration": "line-through" })),
    word(x, y + (before.length ? 8 + 9 * before.length : 5), brief(contents.at(-1), 2), { ...centred, class: "ak-strong", style: "font-size:15px" }),
  ];
}

/**
 * Two variables as boxes, and a y that is computed from them: what is recorded is a solid thread, a number that is only
 * put into a box goes along dots, and the gradient comes back dashed. update({scene, start: {x0, x1}, later, way, hold,
 * stage}): scene as the kernel sends it; stage 0 to 5, how far the program and the way back have come.
 */
export function VariableDiagram({ label }) {
  const fills = patterns();
  const picture = s("svg", { role: "img", "aria-label": label, width: "100%", height: FOOT });
  const el = h("div", {}, picture);
  let width = 0;
  let last = null;
  const mark = (x, [at, y], role = "value") => numberLabel(x, { x: at, y }, { role, striped: fills.url("nan"), digits: 2 });

  function columns() {
    const room = Math.min(width, MOST_ROOM);
    const at = linear(0, 1, 0, room);
    const narrow = width < SLIM;
    const half = narrow ? 36 : 46;
    const middle = last.way === "assign" ? LOW : (TOP + LOW) / 2;
    return { narrow, half, box: half + 2, add: at(narrow ? 0.4 : 0.36), s: at(narrow ? 0.54 : 0.5), square: at(narrow ? 0.74 : 0.68), y: room - 24, middle };
  }

  /** The first line: a number goes into x1, or an addition is recorded. */
  function firstLine(c) {
    const { way, start, scene } = last;
    if (way === "assign") {
      const middle = (TOP + LOW) / 2;
      return [
        loose([c.box, TOP + TALL], [c.box, LOW - TALL - 6]),
        head([c.box, LOW - TALL - 1], -90, "held"),
        mark(start.x0, [c.box, middle - 8]),
        word(c.box + 26, middle - 4, `a number is stored${last.stage >= 5 ? "; no gradient" : ""}`),
      ];
    }
    return [
      thread([c.box + c.half, TOP], [c.add, c.middle]),
      thread([c.box + c.half, LOW], [c.add, c.middle]),
      thread([c.add, c.middle], [c.s, c.middle]),
      node(c.add, c.middle, "+"),
      mark(scene.given, [c.s, c.middle]),
      word(c.s, c.middle - 23, "s", { ...centred, class: "ak-strong" }),
    ];
  }

  const node = (x, y, text) => [
    s("circle", { cx: x, cy: y, r: 16, class: "ak-hollow ak-stroke-value" }),
    word(x, y + 5, text, { ...centred, class: "ak-strong" }),
  ];

  /** Where y and its square will be, before the line that computes them. */
  function secondLineToCome(c) {
    const from = last.way === "assign" ? c.box + c.half : c.s + 14;
    return [
      s("path", { d: `M${from} ${c.middle}H${c.y - 10}`, class: "ak-none-box" }),
      s("circle", { cx: c.square, cy: c.middle, r: 16, class: "ak-none-box", style: "fill:var(--ak-paper)" }),
      word(c.square, c.middle + 5, "( )²", centred),
      word(c.y, c.middle + 5, "y", centred),
    ];
  }

  /** y, and what its square keeps. */
  function secondLine(c) {
    const from = last.way === "assign" ? c.box + c.half : c.s + 14;
    return [
      thread([from, c.middle], [c.y, c.middle]),
      node(c.square, c.middle, "( )²"),
      mark(last.scene.y, [c.y, c.middle]),
      word(c.y, c.middle - 16, "y", { ...centred, class: "ak-strong" }),
      ...kept(c),
    ];
  }

  function kept(c) {
    const { hold, way, scene, stage, later } = last;
    const y = c.middle + 52;
    const inBox = way === "assign";
    if (hold === "copy")
      return [
        s("path", { d: `M${c.square} ${c.middle + 16}V${y - 10}`, class: "ak-stroke-held", "stroke-width": 1.25 }),
        s("rect", { x: c.square - 22, y: y - 12, width: 44, height: 24, rx: 2, class: "ak-hollow ak-stroke-held" }),
        word(c.square, y + 4.5, brief(scene.given, 2), { ...centred, class: "ak-in-value" }),
        word(c.square, y + 28, "its own copy", centred),
      ];
    const end = inBox ? c.box + c.half : c.s;
    const finds = inBox && stage >= 3 ? later : scene.given;
    const sees = `reads ${inBox ? "x1" : "s"}: ${brief(finds, 2)}`;
    const version = inBox ? (stage >= 3 ? "version 1 then, 2 now" : "version 1") : "version 0, as then";
    return [
      s("path", {
        d: inBox ? `M${c.square} ${c.middle + 16}V${y - 16}H${end + 7}` : `M${c.square} ${c.middle + 16}V${y - 16}H${end}V${c.middle + 17}`,
        class: "ak-stroke-held",
        fill: "none",
        "stroke-width": 1.25,
      }),
      inBox ? head([end, y - 16], 0, "held") : head([end, c.middle + 11], 90, "held"),
      ...[sees, ...(hold === "version" ? [version] : [])].map((text, i) => word(inBox ? (c.square + end) / 2 : c.square, y + 2 + 16 * i, text, { ...centred, class: "ak-halo" })),
    ];
  }

  /** Later somebody writes into x1. */
  const thirdLine = (c) => [
    loose([c.box, FOOT - 18], [c.box, LOW + TALL + 8]),
    head([c.box, LOW + TALL + 3], 90, "held"),
    mark(last.later, [c.box, FOOT - 10]),
    word(c.box + 24, FOOT - 6, "assigned later"),
  ];

  /** From y through the square to what it read. */
  function wayBack(c) {
    const { scene, way } = last;
    const y = c.middle - BESIDE;
    if (scene.loud)
      return [
        s("rect", { x: c.square - 30, y: y - 28, width: 60, height: 20, rx: 9, class: "ak-none-box", style: "fill:var(--ak-paper)" }),
        word(c.square, y - 14, "error", { ...centred, style: "font-style:italic" }),
      ];
    const to = way === "assign" ? c.box + c.half + 3 : c.add + 18;
    const stop = way === "assign" ? (to + c.square) / 2 : (c.s + c.square) / 2;
    return [
      ...back([c.y - 10, y], [c.square + 14, y]),
      ...back([c.square - 14, y], [to, y]),
      mark(1, [(c.y + c.square) / 2, y], "rev"),
      mark(scene.into_given, [stop, y], "rev"),
      word(c.square, y - 14, `1 · 2 · ${factor(scene.held)}`, { ...centred, class: "ak-in-rev ak-halo" }),
    ];
  }

  /** What comes to the two variables. */
  function toBoxes(c) {
    const { scene, way } = last;
    if (scene.loud) return [];
    const added = way === "update";
    const reach = added ? [TOP, LOW].flatMap((y) => outside([c.add, c.middle], [c.box + c.half, y], Math.sign(y - c.middle))) : [];
    const tag = (name, y, gradient) => [
      word(c.box + 8, y, `dy/d${name}`, { class: "ak-in-rev ak-halo" }),
      mark(gradient, [c.box + 76, y - 4], "rev"),
    ];
    return [
      ...reach,
      ...tag("x0", TOP - TALL - 8, scene.into_x0),
      ...tag("x1", added ? LOW + TALL + 20 : LOW - TALL - 8, scene.into_x1),
    ];
  }

  function draw() {
    if (!last || !width) return;
    const { stage, start, way, scene, later } = last;
    const c = columns();
    const inside = [start.x1, ...(way === "assign" && stage >= 1 ? [scene.put] : []), ...(stage >= 3 ? [later] : [])];
    const lines = [firstLine, secondLine, thirdLine, wayBack, toBoxes];
    const toCome = stage < 2 ? secondLineToCome(c) : [];
    const drawn = lines.slice(0, stage).flatMap((line) => line(c).flat());
    picture.replaceChildren(
      fills.defs,
      ...toCome,
      ...drawn,
      ...box(c.box, TOP, c.half, "x0", [start.x0]),
      ...box(c.box, LOW, c.half, "x1", inside),
    );
  }

  return drawOnChange(el, draw, { width: (next) => (width = next), data: (next) => (last = next) });
}

const factor = (x) => (x < 0 ? `(${brief(x)})` : brief(x));
