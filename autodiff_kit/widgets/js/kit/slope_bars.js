import { h, s, linear, patterns, drawOnChange } from "./dom.js";
import { brief, kindOf } from "./numbers.js";

const TOP = 8; // px
const TALL = 104; // px of the bars
const FOOT = 16; // px for what was
// px at the left, and the width below which there is less; both as for the first column of the table above
const NAME = { wide: 90, tight: 50 };
const TIGHT = 300;

/**
 * Numbers of either sign as bars from a line at 0, below the columns of a table with the numbers: what is, solid, before
 * what was, a dashed outline. update({title, items: [{now, was}], low, high}): the title is a list of lines; a None is hollow
 * and dashed, NaN striped, 0 a solid small square.
 */
export function SlopeBars({ label }) {
  const fills = patterns();
  const figure = s("svg", { role: "img", "aria-label": label, width: "100%", height: TOP + TALL + FOOT });
  const el = h("div", { class: "ak-slopes" }, figure);
  let width = 0;
  let last = null;

  const name = () => (width < TIGHT ? NAME.tight : NAME.wide);

  function bar({ now, was, differs }, i, slot, Y) {
    const thick = Math.min(44, slot * 0.6);
    const middle = name() + slot * (i + 0.5);
    const [left, zero] = [middle - thick / 2, Y(0)];
    const tall = (v) => ({ y: Math.min(Y(v), zero), height: Math.abs(Y(v) - zero) });
    const looks = {
      value: () => (Number.isFinite(now) ? s("rect", { x: left, width: thick, ...tall(now), class: "ak-fill-rev" }) : ""),
      zero: () => s("rect", { x: middle - 4, y: zero - 4, width: 8, height: 8, class: "ak-ink-fill" }),
      none: () => s("rect", { x: left, y: zero - 9, width: thick, height: 18, rx: 9, class: "ak-none-box", style: "fill:var(--ak-paper)" }),
      nan: () => s("rect", { x: left, y: TOP, width: thick, height: TALL, fill: fills.url("nan"), stroke: "var(--ak-nan)" }),
      blank: () => "",
    };
    return [
      differs ? s("rect", { x: left - 4, width: thick + 8, ...tall(was), class: "ak-none-box" }) : "",
      looks[kindOf(now)](),
      differs ? s("text", { x: middle, y: TOP + TALL + 14, "text-anchor": "middle", text: brief(was, 2) }) : "",
    ];
  }

  function draw() {
    if (!last || !width) return;
    const Y = linear(last.low, last.high, TOP + TALL, TOP);
    const slot = (width - name()) / last.items.length;
    const items = last.items.map(({ now, was }) => ({ now, was, differs: Number.isFinite(was) && was !== now }));
    figure.replaceChildren(
      fills.defs,
      ...last.title.map((text, i) => s("text", { x: 0, y: TOP + 14 + 16 * i, class: "ak-strong", text })),
      s("line", { x1: name(), x2: width, y1: Y(0), y2: Y(0), class: "ak-axis" }),
      s("text", { x: 0, y: TOP + TALL + 14, text: items.some((one) => one.differs) ? "dashed: was" : "" }),
      ...items.flatMap((item, i) => bar(item, i, slot, Y)).filter(Boolean),
    );
  }

  return drawOnChange(el, draw, { width: (next) => (width = next), data: (next) => (last = next) });
}
