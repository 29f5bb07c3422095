import { h, s, put, drawOnChange } from "./dom.js";

const HALF_BOX = 22; // px, half the height of a box
const VALVE = 11; // px, radius of a valve

/** A point of a cubic curve, and the direction there. */
function along([a, b, c, d], t) {
  const mix = (i) => (1 - t) ** 3 * a[i] + 3 * (1 - t) ** 2 * t * b[i] + 3 * (1 - t) * t ** 2 * c[i] + t ** 3 * d[i];
  const turn = (i) => (1 - t) ** 2 * (b[i] - a[i]) + 2 * (1 - t) * t * (c[i] - b[i]) + t ** 2 * (d[i] - c[i]);
  const [dx, dy] = [turn(0), turn(1)];
  const size = Math.hypot(dx, dy) || 1;
  return { x: mix(0), y: mix(1), dx: dx / size, dy: dy / size };
}

/** The colour and width of a pipe: dashed where a gradient comes back, thin for a zero, grey where none does. */
const flow = (carries) =>
  carries === "none"
    ? { class: "ak-stroke-held", "stroke-width": 1.5 }
    : { class: `ak-stroke-${carries === "nan" ? "nan" : "rev"} ak-dash`, "stroke-width": carries === "zero" ? 1.25 : 2.25 };

/**
 * Values as boxes, and the pipes between them with valves to shut. Made with nodes: {id: {at: [0..1, 0..1], half}} and
 * pipes: [{from, to, letter, bend}]; a pipe without a letter has no valve. `bend` lifts a pipe over what lies between.
 * update({boxes: {id: {lines, off, asked}}, flows: [{carries: "value" | "zero" | "nan" | "none", shut}], height}): `off` is not part
 * of what is asked, `asked` is what the gradient is of.
 * Clicks on a valve call onToggle(letter); for keys the lesson has switches of its own.
 */
export function StopGradientDiagram({ label, nodes, pipes, onToggle }) {
  const picture = s("svg", { role: "img", "aria-label": label, width: "100%" });
  const el = h("div", { class: "ak-pipes" }, picture);
  let width = 0;
  let last = null;
  const half = (id) => nodes[id].half;

  function place(id) {
    const margin = (side) => half(side) + 2;
    const [left, right] = [margin(Object.keys(nodes)[0]), width - margin(Object.keys(nodes).at(-1))];
    return [left + nodes[id].at[0] * (right - left), nodes[id].at[1] * last.height];
  }

  /** The curve of a pipe, from the edge of one box to the edge of the other. */
  function curve({ from, to, bend = 0 }) {
    const [[x1, y1], [x2, y2]] = [place(from), place(to)];
    const [w1, w2] = [half(from), half(to)];
    if (bend) {
      const [start, end] = [[x1, y1 + Math.sign(bend) * HALF_BOX], [x2 - w2, y2]];
      return [start, [x1, y2], [x1 + (end[0] - x1) / 2, y2], end];
    }
    const [start, end] = [[x1 + w1, y1], [x2 - w2, y2]];
    const middle = (start[0] + end[0]) / 2;
    return [start, [middle, y1], [middle, y2], end];
  }

  function pipe(one, { carries, shut }) {
    const points = curve(one);
    const [a, b, c, d] = points.map((p) => p.map((v) => v.toFixed(1)).join(" "));
    const { x, y, dx, dy } = along(points, 0);
    const tip = points[0];
    const head = (reach, side) => `${tip[0] + reach * dx - side * dy} ${tip[1] + reach * dy + side * dx}`;
    const parts = [s("path", { d: `M${a}C${b} ${c} ${d}`, fill: "none", ...flow(carries) })];
    if (carries !== "none")
      parts.push(
        s("path", {
          d: `M${x} ${y}L${head(9, 5)}L${head(9, -5)}Z`,
          style: `fill:var(--ak-${carries === "nan" ? "nan" : "rev"})`,
        }),
      );
    if (one.letter) parts.push(valve(one.letter, along(points, one.where ?? 0.5), shut));
    return parts;
  }

  function valve(letter, { x, y, dx, dy }, shut) {
    const bar = (side) => [x + side * 17 * -dy, y + side * 17 * dx];
    const [[x1, y1], [x2, y2]] = [bar(1), bar(-1)];
    return s(
      "g",
      { style: "cursor:pointer", "data-valve": letter, onclick: () => onToggle(letter) },
      s("title", { text: `path ${letter}: ${shut ? "stopped; click to remove the stop" : "open; click to stop it"}` }),
      s("circle", { cx: x, cy: y, r: 18, fill: "transparent" }),
      shut ? s("line", { x1, y1, x2, y2, class: "ak-stroke-value", "stroke-width": 5, "stroke-linecap": "round" }) : "",
      s("circle", {
        cx: x,
        cy: y,
        r: VALVE,
        class: shut ? "ak-ink-fill" : "ak-hollow ak-stroke-value",
      }),
      s("text", {
        x,
        y: y + 4.5,
        "text-anchor": "middle",
        class: "ak-strong",
        style: shut ? "fill:var(--ak-paper)" : null,
        text: letter,
      }),
    );
  }

  function box(id) {
    const { off, asked, lines } = last.boxes[id];
    const [[x, y], w] = [place(id), half(id)];
    return [
      s("rect", {
        x: x - w,
        y: y - HALF_BOX,
        width: 2 * w,
        height: 2 * HALF_BOX,
        rx: 3,
        class: off ? "ak-none-box" : "ak-hollow ak-stroke-value",
        style: off ? "fill:var(--ak-paper)" : asked ? "stroke-width:3" : null,
      }),
      ...lines.map((text, i) =>
        s("text", {
          x,
          y: y + 4.5 + (i - (lines.length - 1) / 2) * 16,
          "text-anchor": "middle",
          class: off ? "" : i ? "ak-in-value" : "ak-strong",
          text,
        }),
      ),
    ];
  }

  function draw() {
    if (!last || !width) return;
    put(picture, { height: last.height });
    picture.replaceChildren(...pipes.flatMap((one, k) => pipe(one, last.flows[k])), ...Object.keys(nodes).flatMap(box));
  }

  return drawOnChange(el, draw, { width: (next) => (width = next), data: (next) => (last = next) });
}
