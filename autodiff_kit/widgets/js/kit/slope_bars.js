import { h, s, put, linear, patterns, onWidth } from "./dom.js";
import { brief, fmt, kindOf } from "./numbers.js";

const SLOPES = { top: 26, height: 128, names: 40 };

/**
 * Numbers of either sign as bars from a line at 0: what is, solid, before what was, a dashed outline.
 * update({title, items: [{name, now, was}], low, high}): a None is hollow and dashed, NaN striped, 0 a solid small square.
 */
export function SlopeBars({ label }) {
  const fills = patterns();
  const figure = s("svg", { role: "img", "aria-label": label, width: "100%" });
  const el = h("div", { class: "ak-slopes" }, figure);
  let width = 0;
  let last = null;

  function bar({ name, now, was }, i, slot, Y) {
    const thick = Math.min(46, slot * 0.5);
    const middle = slot * (i + 0.5);
    const [left, zero] = [middle - thick / 2, Y(0)];
    const kind = kindOf(now);
    const tall = (v) => ({ y: Math.min(Y(v), zero), height: Math.abs(Y(v) - zero) });
    const differs = Number.isFinite(was) && was !== now;
    const edge = differs && Number.isFinite(now) && was * now > 0 && Math.abs(was) > Math.abs(now) ? was : now;
    const up = (Number.isFinite(edge) ? edge : (was ?? 0)) >= 0;
    const height = SLOPES.top + SLOPES.height;
    const looks = {
      value: () => s("rect", { x: left, width: thick, ...tall(now), class: "ak-fill-rev" }),
      zero: () => s("rect", { x: middle - 4, y: zero - 4, width: 8, height: 8, class: "ak-ink-fill" }),
      none: () => s("rect", { x: left, y: zero - 9, width: thick, height: 18, rx: 9, class: "ak-none-box", style: "fill:var(--ak-paper)" }),
      nan: () => s("rect", { x: left, y: SLOPES.top, width: thick, height: SLOPES.height, fill: fills.url("nan"), stroke: "var(--ak-nan)" }),
      blank: () => "",
    };
    const mark = Number.isFinite(now) || kind !== "value" ? looks[kind]() : "";
    const at = kind === "none" ? zero + 4.5 : kind === "nan" ? height / 2 + 14 : up ? Math.min(Y(Number.isFinite(edge) ? edge : 0), zero) - 7 : Math.max(Y(edge), zero) + 16;
    return [
      differs ? s("rect", { x: left - 4, width: thick + 8, ...tall(was), class: "ak-none-box" }) : "",
      mark,
      s("text", {
        x: middle,
        y: at,
        "text-anchor": "middle",
        class: kind === "nan" ? "ak-in-nan ak-halo" : kind === "none" ? "" : "ak-in-rev ak-halo",
        style: kind === "none" ? "font-style:italic" : "font-weight:600",
        text: kind === "zero" ? "0" : fmt(now),
      }),
      s("text", { x: middle, y: height + 22, "text-anchor": "middle", class: "ak-in-value", text: name }),
      differs ? s("text", { x: middle, y: height + 37, "text-anchor": "middle", text: `was ${brief(was, slot < 92 ? 2 : 4)}` }) : "",
    ];
  }

  function draw() {
    if (!last || !width) return;
    const Y = linear(last.low, last.high, SLOPES.top + SLOPES.height - 18, SLOPES.top + 14);
    const slot = Math.min(width / last.items.length, 120);
    put(figure, { height: SLOPES.top + SLOPES.height + SLOPES.names });
    figure.replaceChildren(
      fills.defs,
      s("text", { x: 0, y: 12, class: "ak-strong", text: last.title }),
      s("line", { x1: 0, x2: slot * last.items.length, y1: Y(0), y2: Y(0), class: "ak-axis" }),
      ...last.items.flatMap((item, i) => bar(item, i, slot, Y)).filter(Boolean),
    );
  }

  const stop = onWidth(el, (next) => {
    width = next;
    draw();
  });
  return {
    el,
    update(next) {
      last = next;
      draw();
    },
    destroy: stop,
  };
}
