import { h, s } from "./dom.js";
import { fmt } from "./numbers.js";

const VESSEL = { width: 14, height: 26 }; // px

/**
 * A slot as a vessel, filled to |now| of `most`; dashes show where it stood before the step. A lid and a hatch say that the
 * step left it alone (`kept`); without a slot only a dashed outline is there.
 */
export function drawVessel(name, { now, before, most, kept, digits = 4, fills }) {
  const has = now !== undefined;
  const words = has ? fmt(now, digits) : "no slot";
  return h(
    "span",
    { class: "ak-vessel" },
    drawBody(has ? { now, before, most, kept, fills } : null),
    h(
      "span",
      {},
      h("span", { class: "ak-vessel-name", text: kept && has ? `${name} kept` : name }),
      h("span", { text: words }),
    ),
  );
}

function drawBody(slot) {
  const { width, height } = VESSEL;
  const viewBox = `-2 -2 ${width + 4} ${height + 4}`;
  const frame = { width: width + 4, height: height + 4, viewBox, "aria-hidden": "true" };
  if (!slot) return s("svg", frame, s("rect", { width, height, rx: 2, class: "ak-none-box" }));
  const level = (value) => (slot.most ? (Math.abs(value) / slot.most) * height : 0);
  const [now, before] = [level(slot.now), level(slot.before)];
  const content = { x: 0, y: height - now, width, height: now };
  const mark = { x1: 1, x2: width - 1, y1: height - before, y2: height - before };
  const fill = slot.kept ? slot.fills.url("held") : "var(--ak-ink)";
  return s(
    "svg",
    frame,
    s("rect", { ...content, fill }),
    ...(before > now + 0.8 ? [s("line", { ...mark, class: "ak-stroke-held", "stroke-dasharray": "2 2" })] : []),
    s("path", { d: `M0 0V${height}H${width}V0`, class: "ak-stroke-value ak-thin", fill: "none" }),
    ...(slot.kept ? [s("path", { d: `M-2 0H${width + 2}`, class: "ak-stroke-value", "stroke-width": 2 })] : []),
  );
}
