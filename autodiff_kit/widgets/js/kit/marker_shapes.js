import { s } from "./dom.js";

// Three marks that differ without colour, and the line that goes with each.
export const SHAPES = {
  disc: (x, y) => s("circle", { cx: x, cy: y, r: 6, class: "ak-ink-fill", stroke: "var(--ak-paper)" }),
  square: (x, y) =>
    s("rect", { x: x - 5.5, y: y - 5.5, width: 11, height: 11, class: "ak-hollow ak-stroke-value", style: "stroke-width:2" }),
  triangle: (x, y) =>
    s("path", { d: `M${x} ${y - 7}l7 12h-14Z`, class: "ak-hollow ak-stroke-value", style: "stroke-width:2" }),
};
export const LINES = { disc: "", square: "6 4", triangle: "0.1 4.2" };

/** One of the shapes on its own, for a row of a table. */
export const shapeMark = (shape) =>
  s("svg", { width: 18, height: 18, "aria-hidden": "true", style: "display:inline-block;vertical-align:-4px" }, SHAPES[shape](9, 9));
