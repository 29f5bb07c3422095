import { h, s, put, linear, clamp, drawOnChange, pathOf } from "./dom.js";
import { brief } from "./numbers.js";
import { SHAPES, LINES } from "./marker_shapes.js";

const TALL = 146; // px
const PAD = { left: 28, right: 14, top: 22, bottom: 22 }; // px

/**
 * One number of several balls over the steps, and the edge of what is allowed: below it the ground is grey.
 * update({name, low, edge, balls: [{shape, values}], at}); what leaves the picture is drawn at its rim.
 */
export function TrajectoryPlot({ label, high }) {
  const figure = s("svg", { role: "img", "aria-label": label });
  const el = h("div", { class: "ak-plot" }, figure);
  let data = null;
  let width = 0;

  function draw() {
    if (!width || !data) return;
    const { name, low, edge, balls, at } = data;
    const count = balls[0].values.length - 1;
    const X = linear(0, count, PAD.left, width - PAD.right);
    const Y = linear(low, high, TALL - PAD.bottom, PAD.top);
    const place = (v, k) => [X(k), Y(clamp(v, low, high))];
    put(figure, { width, height: TALL });
    figure.replaceChildren(
      s("rect", { x: X(0), y: Y(edge), width: X(count) - X(0), height: Y(low) - Y(edge), style: "fill:var(--ak-sunk)" }),
      s("line", { x1: X(0), x2: X(count), y1: Y(edge), y2: Y(edge), style: "stroke:var(--ak-ink2);stroke-width:1.5" }),
      ...[...new Set([low, 0, edge, high])].map((v) => s("text", { x: X(0) - 6, y: Y(v) + 4, "text-anchor": "end", text: brief(v, 1) })),
      s("text", { x: 0, y: 12, class: "ak-strong", text: name }),
      s("text", { x: X(0), y: TALL - 6, text: "0" }),
      s("text", { x: X(count), y: TALL - 6, "text-anchor": "end", text: `${count} steps` }),
      ...balls.map(({ shape, values }) =>
        s("path", {
          d: pathOf(values.map(place)),
          class: "ak-curve ak-stroke-value",
          style: `stroke-width:1.5;stroke-linecap:round;stroke-dasharray:${LINES[shape]}`,
        }),
      ),
      ...balls.map(({ shape, values }) => SHAPES[shape](...place(values[at], at))).reverse(),
    );
  }
  return drawOnChange(el, draw, { width: (next) => (width = next), data: (next) => (data = next) });
}
