import { h, s, put, patterns, drawOnChange } from "./dom.js";
import { numberLabel } from "./number_label.js";

const WIRE_SLIM = 560; // px
const [AHEAD, RETURN, HEIGHT] = [38, 92, 128]; // px: the line of values, that of gradients, and the whole
const RING = 11; // px, radius of a hook
const middle = { "text-anchor": "middle" };

/**
 * One operation on a wire, with its value above and its rule below, and a hook on what it reads and on what it gives.
 * update({names: {f, rule, hook}, x, y, comes, leaves, arrives, stage}): names are what stands in the box and under the
 * hook; x and y are values, the others gradients; stage 0 to 4, how far the gradient has come.
 */
export function OperationDiagram({ label }) {
  const fills = patterns();
  const picture = s("svg", { role: "img", "aria-label": label, width: "100%", height: HEIGHT });
  const el = h("div", {}, picture);
  let width = 0;
  let last = null;
  const slim = () => width < WIRE_SLIM;
  const mark = (value, x, y, role = "value") =>
    numberLabel(value, { x, y }, { role, striped: fills.url("nan"), digits: slim() ? 2 : 4 });

  const columns = () =>
    slim()
      ? { x: 30, box: 0.42 * width, half: 46, y: 0.75 * width, end: width - 6 }
      : { x: 56, box: 0.41 * width, half: 74, y: 0.74 * width, end: width - 16 };

  /** An arrow back from x1 to x2; what it carries gives its look: NaN heavy, a zero thin, None not at all. */
  function back(x1, x2, carries) {
    if (carries === null || carries === undefined) return [];
    const tone = Number.isNaN(carries) ? "nan" : "rev";
    const thick = Number.isNaN(carries) ? 4 : carries === 0 ? 1.25 : 2.25;
    return [
      s("line", { x1, x2: x2 + 6, y1: RETURN, y2: RETURN, class: `ak-stroke-${tone} ak-dash`, "stroke-width": thick }),
      s("path", { d: `M${x2} ${RETURN}l8 -5v10Z`, style: `fill:var(--ak-${tone})` }),
    ];
  }

  /** A hook hangs on a value, and looks at what passes below it; a ring with a dot has been called. */
  const hook = (x, called, name) => [
    s("line", { x1: x, x2: x, y1: AHEAD + 10, y2: RETURN - RING, class: "ak-stroke-held", "stroke-width": 1.25 }),
    s("circle", { cx: x, cy: RETURN, r: RING, class: `ak-hollow ak-stroke-${called ? "rev" : "held"}`, "stroke-width": 2 }),
    called ? s("circle", { cx: x, cy: RETURN, r: 4, class: "ak-fill-rev" }) : null,
    s("text", { x, y: RETURN + 29, ...middle, text: name }),
  ];

  const value = (name, number, x) => [
    s("text", { x, y: AHEAD - 20, ...middle, class: "ak-strong", text: name }),
    mark(number, x, AHEAD),
  ];

  function box({ box: x, half }, { f, rule }) {
    const line = (y1) => s("line", { x1: x - half, x2: x + half, y1, y2: y1, class: "ak-grid" });
    return [
      s("rect", { x: x - half, y: AHEAD - 26, width: 2 * half, height: RETURN - AHEAD + 52, rx: 3, class: "ak-hollow ak-stroke-value" }),
      line((AHEAD + RETURN) / 2),
      s("text", { x, y: AHEAD + 4.5, ...middle, class: "ak-in-value", text: f }),
      s("text", { x, y: RETURN + 4.5, ...middle, class: "ak-in-rev", text: rule }),
    ];
  }

  function draw() {
    if (!last || !width) return;
    const { names, stage, comes, leaves, arrives } = last;
    const c = columns();
    const [right, left] = [c.box + c.half, c.box - c.half];
    const passed = (from, words) => (stage >= from ? words() : []);
    picture.replaceChildren(
      ...[
        fills.defs,
        s("line", { x1: c.x, x2: c.end, y1: AHEAD, y2: AHEAD, class: "ak-stroke-value", "stroke-width": 2 }),
        ...hook(c.x, stage >= 4 && arrives !== null, slim() ? "looks" : "a hook looks"),
        ...hook(c.y, stage >= 2, slim() ? names.hook : `a hook ${names.hook}`),
        ...box(c, names),
        ...value("x", last.x, c.x),
        ...value("y", last.y, c.y),
        ...passed(1, () => [...back(c.end, c.y + RING + 3, comes), mark(comes, (c.end + c.y + RING) / 2 + 4, RETURN, "rev")]),
        ...passed(2, () => [...back(c.y - RING, right + 2, leaves), mark(leaves, (right + c.y - RING) / 2 + 4, RETURN, "rev")]),
        ...passed(3, () => [...back(left, c.x + RING + 3, arrives), mark(arrives, (left + c.x + RING) / 2 + 4, RETURN, "rev")]),
      ].filter(Boolean),
    );
  }

  return drawOnChange(el, draw, { width: (next) => (width = next), data: (next) => (last = next) });
}
