import { s, linear, pathOf } from "./dom.js";
import { brief } from "./numbers.js";
import { drawAxes } from "./axes.js";

const EDGE = { top: 8, left: 40, right: 54, bottom: 26 };

/**
 * Scales of a plot over the number of samples, {width, height} large; `data` as for drawEstimates. They leave room for where
 * samples usually lie, so that they seldom change while samples come in.
 */
export function estimateScales({ width, height }, { samples, means, errors, truth, spread, most }) {
  const bars = means.flatMap((mean, k) => [mean - (errors[k] ?? 0), mean + (errors[k] ?? 0)]);
  const usual = [truth - 2.4 * spread, truth + 2.4 * spread];
  const all = [truth, ...usual, ...samples, ...bars].filter(Number.isFinite);
  const [low, high] = [Math.min(...all), Math.max(...all)];
  const air = 0.06 * (high - low) || 0.5 * Math.abs(high) || 1;
  const [min, max] = [low - air, high + air];
  const foot = height - EDGE.bottom;
  return {
    min,
    max,
    foot,
    X: linear(0, most, EDGE.left, width - EDGE.right),
    Y: linear(min, max, foot, EDGE.top),
  };
}

/**
 * A mean that settles: a hollow dot for each sample, the mean so far as a line with a bar of one standard error, what it
 * is to come near as a dashed line, and around it, pale, one standard deviation of the mean of so many samples.
 * data {along, samples, means, errors, truth, spread, most}, where spread is the standard deviation of one sample.
 */
export function drawEstimates(size, data) {
  const { along, samples, means, errors, truth, most } = data;
  const scales = estimateScales(size, data);
  const { X, Y, min, max, foot } = scales;
  const spots = means.map((mean, k) => [X(k + 1), Y(mean)]);
  const last = spots.at(-1);
  const axes = { x: { min: 0, max: most }, y: { min, max }, X, Y, foot, height: size.height, named: true, dense: false };
  return [
    drawFunnel(data, scales),
    ...drawAxes(axes),
    s("text", { x: X(most) + 12, y: size.height - 6, text: along }), // beside the last tick, not on the one before
    s("line", { x1: X(0), x2: X(most), y1: Y(truth), y2: Y(truth), class: "ak-stroke-value ak-thin ak-dash" }),
    s("text", { x: X(most) + 6, y: Y(truth) + 4, class: "ak-strong", text: brief(Number(truth.toPrecision(4))) }),
    ...errors.flatMap((error, k) => (Number.isFinite(error) ? [drawBar([X(k + 1), Y(means[k] - error), Y(means[k] + error)])] : [])),
    s("path", { d: pathOf(spots), class: "ak-curve ak-stroke-value" }),
    ...samples.map((y, k) => s("circle", { cx: X(k + 1), cy: Y(y), r: 3.25, class: "ak-hollow ak-stroke-value", "data-sample": k })),
    s("circle", { cx: last[0], cy: last[1], r: 4.5, class: "ak-ink-fill" }),
  ];
}

const drawBar = ([x, y0, y1]) => s("path", { d: `M${x} ${y0}V${y1}`, class: "ak-stroke-held", "stroke-width": 3, opacity: 0.55 });

/** Where the mean of 1, 2, 3 … samples usually lies. */
function drawFunnel({ truth, spread, most }, { X, Y }) {
  const counts = Array.from({ length: 2 * most - 1 }, (_, k) => 1 + k / 2);
  const edge = (side) => counts.map((count) => [X(count), Y(truth + (side * spread) / Math.sqrt(count))]);
  return s("path", { d: `${pathOf([...edge(1), ...edge(-1).reverse()])}Z`, style: "fill:var(--ak-line);opacity:.6" });
}
