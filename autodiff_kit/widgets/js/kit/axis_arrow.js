import { s, put, clamp, onDrag } from "./dom.js";
import { brief } from "./numbers.js";

/** An upright axis with marks at its ends and at zero, and the values of its ends unless it is `bare`. */
export const drawUprightAxis = ({ x, foot, top, zero, low, high, bare = false }) => [
  s("line", { x1: x, x2: x, y1: foot, y2: top, class: "ak-axis" }),
  ...[foot, top, zero].map((y) => s("line", { x1: x - (y === zero ? 7 : 4), x2: x + (y === zero ? 7 : 4), y1: y, y2: y, class: "ak-axis" })),
  ...(bare ? [] : [s("text", { x, y: top - 5, "text-anchor": "middle", text: brief(high) })]),
  ...(bare || low === 0 ? [] : [s("text", { x, y: foot + 13, "text-anchor": "middle", text: brief(low) })]),
];

/** A number as an arrow on an upright axis; zero is a small square. */
export function drawAxisArrow({ x, zero, tip, role, width = 3 }) {
  const length = Math.abs(tip - zero);
  if (length < 2) return [s("rect", { x: x - 3.5, y: zero - 3.5, width: 7, height: 7, class: `ak-fill-${role}` })];
  const head = Math.min(9, length) * Math.sign(zero - tip);
  return [
    s("line", { x1: x, x2: x, y1: zero, y2: tip + head * 0.8, class: `ak-stroke-${role}`, "stroke-width": width }),
    s("path", { d: `M${x} ${tip}l-6 ${head}h12Z`, class: `ak-fill-${role}` }),
  ];
}

/**
 * A number that is set by its arrow on an upright axis: drag, arrow keys by `snap`, PageUp and PageDown by `page`, Home and
 * End to the ends, 0 to zero. update({x, foot, top, value, said, bare}); foot and top are where the ends of the axis stand.
 */
export function AxisArrow({ label, min, max, snap = 1, page = 2, role, onChange }) {
  const el = s("g", {
    class: "ak-handle",
    tabindex: 0,
    role: "slider",
    "aria-label": label,
    "aria-orientation": "vertical",
    "aria-valuemin": min,
    "aria-valuemax": max,
  });
  let place = null;
  let value = 0;
  const toY = (v) => place.foot + ((v - min) / (max - min)) * (place.top - place.foot);

  function draw() {
    const { x, foot, top, bare } = place;
    const [zero, tip] = [toY(clamp(0, min, max)), toY(value)];
    el.replaceChildren(
      ...drawUprightAxis({ x, foot, top, zero, low: min, high: max, bare }),
      s("rect", { x: x - 16, y: top - 10, width: 32, height: foot - top + 20, fill: "transparent" }),
      s("line", { x1: x, x2: x, y1: zero, y2: tip, class: `ak-stroke-${role}`, "stroke-width": 3.5 }),
      s("circle", { cx: x, cy: tip, r: 12, class: "ak-ring" }),
      s("circle", { cx: x, cy: tip, r: 6.5, class: `ak-hollow ak-stroke-${role}`, style: "stroke-width:3" }),
    );
    put(el, { "aria-valuenow": value, "aria-valuetext": brief(value, 2) });
  }
  function send(next) {
    const to = clamp(Math.round(next / snap) * snap, min, max) + 0;
    if (to === value) return;
    value = to;
    draw();
    onChange(value);
  }
  onDrag(el, (event) => {
    const y = event.clientY - el.ownerSVGElement.getBoundingClientRect().top;
    send(min + ((y - place.foot) / (place.top - place.foot)) * (max - min));
  });
  el.addEventListener("keydown", (event) => {
    const by = { ArrowUp: snap, ArrowRight: snap, ArrowDown: -snap, ArrowLeft: -snap, PageUp: page, PageDown: -page };
    const to = { Home: min, End: max, 0: 0 }[event.key] ?? value + by[event.key];
    if (Number.isNaN(to)) return;
    event.preventDefault();
    send(to);
  });
  return {
    el,
    update(next) {
      place = next;
      value = next.value;
      draw();
    },
  };
}
