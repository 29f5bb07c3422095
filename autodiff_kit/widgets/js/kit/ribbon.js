import { s, uid, pathOf } from "./dom.js";

const THIN = 1.75; // px, the least width of a ribbon
const STRIPED = 5; // px, the least width that shows stripes
const FINE = 40; // points of a whole curve

/** A cubic curve from p to q that leaves and arrives level: a function from 0…1 to [x, y]. */
export function levelCurve(p, q, bend = 0.5) {
  const dx = (q[0] - p[0]) * bend;
  return (t) => {
    const [a, b, c, d] = [(1 - t) ** 3, 3 * (1 - t) ** 2 * t, 3 * (1 - t) * t * t, t ** 3];
    return [a * p[0] + b * (p[0] + dx) + c * (q[0] - dx) + d * q[0], (a + b) * p[1] + (c + d) * q[1]];
  };
}

/** The part of a curve between two of its parameters, as a path. */
export function curvePath(at, from, to) {
  const count = Math.max(2, Math.ceil((to - from) * FINE));
  return pathOf(Array.from({ length: count + 1 }, (_, i) => at(from + ((to - from) * i) / count)));
}

/** Stripes for ribbons of negative numbers, one pattern for each direction. */
export function minusPatterns() {
  const stem = uid("minus");
  const stripes = (role) =>
    s(
      "pattern",
      { id: `${stem}-${role}`, width: 5, height: 5, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" },
      s("rect", { width: 5, height: 5, class: "ak-paper-fill" }),
      s("rect", { width: 2, height: 5, class: `ak-fill-${role}` }),
    );
  return { defs: s("defs", {}, stripes("fwd"), stripes("rev")), url: (role) => `url(#${stem}-${role})` };
}

/**
 * A number that flows along part of a curve: the width is its size, stripes are a minus, dots are a zero. `role` is "fwd"
 * or "rev", `scale` px for each unit; a rim of paper keeps crossing ribbons apart.
 */
export function ribbon({ at, from, to, amount, role, scale, stripes }) {
  if (to - from < 1e-3) return [];
  const d = curvePath(at, from, to);
  const line = (width, look) => s("path", { d, fill: "none", "stroke-width": width, ...look });
  const ink = { class: `ak-stroke-${role}` };
  const width = Math.max(amount < 0 ? STRIPED : THIN, Math.abs(amount) * scale);
  const rim = line(width + 3, { style: "stroke:var(--ak-paper)" });
  if (Math.abs(amount) < 1e-9) return [line(1.75, { ...ink, "stroke-dasharray": "1.5 4" })];
  if (amount > 0) return [rim, line(width, ink)];
  return [rim, line(width, ink), line(width - 2, { stroke: stripes(role) })];
}
