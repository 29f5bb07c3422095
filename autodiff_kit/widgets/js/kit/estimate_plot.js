import { h, s, put, linear, pathOf, onWidth } from "./dom.js";
import { brief } from "./numbers.js";
import { drawAxes } from "./axes.js";

const MARGIN = { top: 28, right: 60, bottom: 26, left: 44 };
const HIGH = 232; // px

/**
 * A mean that settles: a hollow dot for each sample, the mean so far as a line, a bar of one standard error up and down,
 * and what it is to come near as a dashed line. update({name, along, samples, means, errors, truth, most}).
 */
export function EstimatePlot({ label }) {
  const figure = s("svg", { role: "img", "aria-label": label, height: HIGH });
  const el = h("div", { class: "ak-plot" }, figure);
  let width = 0;
  let data = null;

  /** The span of all that is shown, with some air. */
  function span() {
    const { samples, means, errors, truth } = data;
    const bars = means.flatMap((mean, k) => [mean - (errors[k] ?? 0), mean + (errors[k] ?? 0)]);
    const all = [truth, ...samples, ...bars].filter(Number.isFinite);
    const [low, high] = [Math.min(...all), Math.max(...all)];
    const air = 0.12 * (high - low) || 0.5 * Math.abs(high) || 1;
    return [low - air, high + air];
  }

  function draw() {
    if (!width || !data) return;
    const [low, high] = span();
    const [left, right, foot] = [MARGIN.left, width - MARGIN.right, HIGH - MARGIN.bottom];
    const X = linear(0, data.most, left, right);
    const Y = linear(low, high, foot, MARGIN.top);
    const { samples, means, errors, truth } = data;
    const spots = means.map((mean, k) => [X(k + 1), Y(mean)]).filter(([, y]) => Number.isFinite(y));
    const last = spots.at(-1);
    const above = last && last[1] > MARGIN.top + 24;
    put(figure, { width });
    figure.replaceChildren(
      ...drawAxes({
        x: { min: 0, max: data.most },
        y: { min: low, max: high, label: data.name },
        X,
        Y,
        foot,
        height: HIGH,
        named: true,
        dense: false,
      }),
      s("text", { x: right + 14, y: HIGH - 6, text: data.along }), // beside the last tick, not on the one before
      s("line", { x1: left, x2: right, y1: Y(truth), y2: Y(truth), class: "ak-stroke-value ak-thin ak-dash" }),
      s("text", { x: right + 6, y: Y(truth) + 4, text: brief(truth, 4) }),
      ...errors.flatMap((error, k) =>
        Number.isFinite(error)
          ? [
              s("path", {
                d: `M${X(k + 1)} ${Y(means[k] - error)}V${Y(means[k] + error)}`,
                class: "ak-stroke-held",
                "stroke-width": 3,
                opacity: 0.55,
              }),
            ]
          : [],
      ),
      s("path", { d: pathOf(spots), class: "ak-curve ak-stroke-value" }),
      ...samples.flatMap((y, k) =>
        Number.isFinite(y) ? [s("circle", { cx: X(k + 1), cy: Y(y), r: 3.25, class: "ak-hollow ak-stroke-value" })] : [],
      ),
      last ? s("circle", { cx: last[0], cy: last[1], r: 4.5, class: "ak-ink-fill" }) : "",
      last
        ? s("text", {
            x: last[0],
            y: last[1] + (above ? -10 : 20),
            "text-anchor": last[0] > right - 24 ? "end" : last[0] < left + 40 ? "start" : "middle",
            class: "ak-strong ak-halo",
            text: brief(means.at(-1), 4),
          })
        : s("text", { x: (left + right) / 2, y: Y(truth) + 24, "text-anchor": "middle", text: "no probe yet" }),
    );
  }

  const stop = onWidth(el, (w) => {
    width = w;
    draw();
  });
  return {
    el,
    update(next) {
      data = next;
      draw();
    },
    destroy: stop,
  };
}
