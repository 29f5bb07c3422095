import { s } from "./dom.js";
import { brief, fmt, kindOf } from "./numbers.js";

/** A number inside an SVG, as `chip` draws it in text: 0 solid and square, None hollow and dashed, NaN striped. */
export function numberLabel(x, at, { role = "value", striped, digits = 4 }) {
  const kind = kindOf(x);
  const words = kind === "zero" ? "0" : kind === "value" ? brief(x, digits) : fmt(x, digits);
  const half = 3.4 * words.length + 5;
  const look = {
    none: { class: "ak-none-box", rx: 9, style: "fill:var(--ak-paper)" },
    nan: { fill: striped, stroke: "var(--ak-nan)", rx: 2 },
    zero: { class: "ak-ink-fill", rx: 2 },
    value: { class: "ak-paper-fill", rx: 2 },
  }[kind];
  const inside = { none: "", nan: "ak-in-nan", zero: "", value: `ak-in-${role}` }[kind];
  return s(
    "g",
    {},
    s("rect", { x: at.x - half, y: at.y - 9, width: 2 * half, height: 18, ...look }),
    s("text", {
      x: at.x,
      y: at.y + 4.5,
      "text-anchor": "middle",
      class: kind === "nan" ? "ak-in-nan ak-halo" : inside,
      style: `font-weight:600${kind === "zero" ? ";fill:var(--ak-paper)" : ""}${kind === "none" ? ";font-style:italic;font-weight:400" : ""}`,
      text: words,
    }),
  );
}
