import { s, linear } from "./dom.js";
import { brief } from "./numbers.js";

export const CUT_ROW = 13; // px
const MOST_ROWS = 6;
export const CUT_HEIGHT = MOST_ROWS * CUT_ROW + 22;
const bracketed = (x) => (x < 0 ? `(${brief(x, 2)})` : brief(x, 2));

/** The least and greatest running sum of all cuts, so that one scale holds for all of them. */
function spanOf(cuts) {
  let [low, high] = [0, 1];
  for (const cut of cuts) {
    let sum = 0;
    for (const { product } of cut) {
      sum += product;
      [low, high] = [Math.min(low, sum), Math.max(high, sum)];
    }
  }
  return [low, high];
}

/**
 * What crosses a cut, term by term: each bar begins where the one before it ends, and the last ends at the sum. cuts is
 * a list of lists of {ahead, back, product}, `now` the one that is shown; a bar of a negative product is hollow.
 */
export function drawCutSums({ cuts, now, sum, top, width, narrow }) {
  const from = narrow ? 8 : 168;
  const X = linear(...spanOf(cuts), from, width - 112);
  const foot = top + MOST_ROWS * CUT_ROW;
  let at = 0;
  const rows = cuts[now].flatMap(({ ahead, back, product }, i) => {
    const [start, end] = [X(at), X((at += product))];
    const y = top + i * CUT_ROW;
    const last = i === cuts[now].length - 1;
    const box = { x: Math.min(start, end), y, width: Math.abs(end - start), height: CUT_ROW - 5 };
    return [
      product
        ? s("rect", { ...box, class: product < 0 ? "ak-hollow ak-stroke-value" : "ak-ink-fill" })
        : s("rect", { x: start - 3, y: y + 1, width: 6, height: 6, class: "ak-ink-fill" }),
      s("line", { x1: end, x2: end, y1: y + CUT_ROW - 5, y2: last ? foot : y + CUT_ROW, class: "ak-stroke-held", "stroke-dasharray": last ? "2 2" : null }),
      s(
        "text",
        { x: Math.max(start, end) + 6, y: y + 9.5, class: "ak-halo" },
        s("tspan", { style: "fill:var(--ak-fwd-text);font-weight:600", text: bracketed(ahead) }),
        "·",
        s("tspan", { style: "fill:var(--ak-rev-text);font-weight:600", text: bracketed(back) }),
        ` = ${brief(product, 2)}`,
      ),
    ];
  });
  const words = narrow ? [] : ["tangent × cotangent,", "added up over the cut"];
  return [
    s("line", { x1: X(0), x2: X(0), y1: top - 4, y2: foot, class: "ak-axis" }),
    ...words.map((text, i) => s("text", { x: 0, y: top + 10 + 16 * i, text })),
    ...rows,
    s("text", { x: X(sum), y: foot + 15, "text-anchor": "middle", class: "ak-strong", style: "font-size:15px", text: brief(sum, 2) }),
  ];
}
