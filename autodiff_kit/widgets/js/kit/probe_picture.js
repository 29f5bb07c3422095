import { h, s, put, clamp, onWidth } from "./dom.js";
import { drawEstimates, estimateScales } from "./estimate_plot.js";
import { brief } from "./numbers.js";
import { Tween } from "./tween.js";

const PACE = 900; // ms for a new probe, from its signs to the mean
const QUICK = 350; // ms for any other change
const BESIDE = 680; // px of width from which the plot stands beside the matrices
const WIDEST = 214; // px of a matrix
const MATRICES = 0.56; // of the width, where the plot stands beside them
const SIGNS = 16; // px for the probe's signs, above and beside its matrix
const HEAD = 40; // px above a matrix: its name, and the signs
const FOOT = 40; // px below a matrix: two lines of what it adds up to
const PLOT_HIGH = 190; // px of a plot that stands below the matrices
const LINE = 17; // px of a line of words
const NARROW = 150; // px of a matrix below which its name is said in short
const ROOMY = 60; // px of a cell from which it holds its number
const FULL = 0.82; // of a cell: the side of the largest entry's square
const mix = (a, b, part) => a + (b - a) * part;
const mixAll = (a, b, part) => a.map((row, i) => row.map((x, j) => mix(x, b[i][j], part)));
const ease = (t) => t * t * (3 - 2 * t);
const phase = (t, from, to) => ease(clamp((t - from) / (to - from), 0, 1));

/**
 * A matrix's entries times both entries of a probe, as squares, filled where they are positive and hollow where they are
 * negative; beside it their mean over all probes so far, over pale squares of the matrix itself; and the estimate over
 * the number of probes. A new probe turns its squares, lays them on the mean, and its sum becomes a dot in the plot.
 * update({count, v, whole, probe, mean, plot, names, notes}): plot is what drawEstimates takes; names {probe, mean, plot} are
 * words above the three, notes lists of lines below them.
 */
export function ProbePicture({ label }) {
  const figure = s("svg", { role: "img", "aria-label": label });
  const el = h("div", {}, figure);
  let [width, from, to] = [0, null, null];
  const tween = Tween({ at: 1, draw });

  function draw(t) {
    if (!width || !to) return;
    const at = places(width);
    put(figure, { width, height: at.height, "data-moving": t < 1 });
    const added = to.count === from.count + 1;
    const scene = added ? arriving(from, to, t) : changing(from, to, ease(t));
    const scale = Math.max(...to.whole.flat().map(Math.abs)) || 1;
    figure.replaceChildren(
      ...drawSigns(to.v, at),
      drawMatrix(scene.probe, at.one, { scale, part: "probe" }),
      drawMatrix(scene.mean, at.two, { scale, part: "mean", whole: to.whole }),
      ...(scene.slide > 0 && scene.slide < 1 ? [drawGhost(to.probe, at, scene, scale)] : []),
      ...drawWords(to, at),
      s("g", { "data-part": "plot", transform: `translate(${at.plot.x} ${at.plot.y})` }, drawEstimates(at.plot, scene.plot)),
      ...(scene.flight ? [drawFlight(scene, at)] : []),
    );
  }

  const stop = onWidth(el, (next) => {
    width = next;
    draw(tween.at());
  });
  return {
    el,
    update(next) {
      const same = to && to.whole.length === next.whole.length && to.plot.truth === next.plot.truth;
      if (to && JSON.stringify(to) === JSON.stringify(next)) return;
      from = same ? to : next;
      to = next;
      tween.set(same ? 0 : 1);
      if (same) tween.to(1, next.count === from.count + 1 ? PACE : QUICK);
    },
    destroy() {
      stop();
      tween.destroy();
    },
  };
}

/** A new probe on its way: its squares turn, move over to the mean and melt into it, while its dot flies to its place. */
function arriving(from, to, t) {
  const [turn, slide, merge] = [phase(t, 0, 0.4), phase(t, 0.35, 0.8), phase(t, 0.6, 1)];
  const ended = t === 1;
  const cut = (list) => (ended ? list : [...list.slice(0, -1), mix(list.at(-2), list.at(-1), merge)]);
  const { samples, errors } = to.plot;
  return {
    probe: mixAll(from.probe, to.probe, turn),
    mean: mixAll(from.mean, to.mean, merge),
    slide,
    flight: ended ? 0 : slide,
    plot: {
      ...to.plot,
      most: mix(from.plot.most, to.plot.most, slide),
      samples: ended ? samples : samples.slice(0, -1),
      means: cut(to.plot.means),
      errors: ended ? errors : errors.slice(0, -1),
    },
    landing: to.plot,
  };
}

/** Another change: everything glides from what it was to what it is. */
const changing = (from, to, part) => {
  const both = from.count === to.count;
  const glide = (name) => to.plot[name].map((y, k) => (both && Number.isFinite(y) ? mix(from.plot[name][k] ?? y, y, part) : y));
  const plot = { ...to.plot, samples: glide("samples"), means: glide("means"), errors: glide("errors") };
  plot.most = mix(from.plot.most, to.plot.most, part);
  return { probe: mixAll(from.probe, to.probe, part), mean: mixAll(from.mean, to.mean, part), slide: 0, flight: 0, plot };
};

/** Where both matrices and the plot stand in a picture of this width. */
function places(width) {
  const beside = width >= BESIDE;
  const gap = width > 420 ? 30 : 14;
  const room = beside ? MATRICES * width : width;
  const side = Math.min(WIDEST, Math.floor((room - SIGNS - gap) / 2));
  const one = { x: SIGNS, y: HEAD, side };
  const two = { x: SIGNS + side + gap, y: HEAD, side };
  const below = HEAD + side + FOOT;
  const plot = beside
    ? { x: two.x + side + gap - 4, y: HEAD - 14, height: side + 14 }
    : { x: 0, y: below + 28, height: PLOT_HIGH };
  plot.width = width - plot.x;
  return { one, two, plot, height: plot.y + plot.height + FOOT };
}

/** The probe's signs above and beside its matrix. */
function drawSigns(v, { one }) {
  const cell = one.side / v.length;
  const sign = (x) => (x < 0 ? "−" : "+");
  return v.flatMap((x, k) => [
    s("text", { x: one.x + (k + 0.5) * cell, y: one.y - 5, "text-anchor": "middle", class: "ak-in-value", text: sign(x) }),
    s("text", { x: one.x - 10, y: one.y + (k + 0.5) * cell + 4, "text-anchor": "middle", class: "ak-in-value", text: sign(x) }),
  ]);
}

/** A square whose area is the size of a number, in the middle of a cell. */
function drawSquare(value, [cx, cy], room, scale, props) {
  const side = Math.min(room, room * FULL * Math.sqrt(Math.abs(value) / scale));
  return s("rect", { x: cx - side / 2, y: cy - side / 2, width: side, height: side, ...props });
}

const lookOf = (value) => ({ class: value > 0 ? "ak-ink-fill" : "ak-hollow ak-stroke-value", style: "stroke-width:1.25" });

/** The cells of a square matrix: [value, row, column]. */
const cellsOf = (matrix) => matrix.flatMap((row, i) => row.map((value, j) => [value, i, j]));

function drawMatrix(matrix, { x, y, side }, { scale, part, whole }) {
  const cell = side / matrix.length;
  const roomy = cell >= ROOMY;
  const room = roomy ? cell - 24 : cell;
  const middle = (i, j) => [x + (j + 0.5) * cell, y + (i + 0.5) * cell - (roomy ? 8 : 0)];
  const pale = whole ? cellsOf(whole).filter(([value]) => value) : [];
  const shown = cellsOf(matrix).filter(([value]) => Math.abs(value) > 1e-9 * scale);
  return s(
    "g",
    { "data-part": part },
    matrix.map((_, k) => s("rect", { x: x + k * cell, y: y + k * cell, width: cell, height: cell, class: "ak-axis" })),
    s("rect", { x, y, width: side, height: side, class: "ak-axis" }),
    pale.map(([value, i, j]) => drawSquare(value, middle(i, j), room, scale, { style: "fill:var(--ak-line)" })),
    shown.map(([value, i, j]) => drawSquare(value, middle(i, j), room, scale, lookOf(value))),
    roomy ? cellsOf(matrix).map(([value, i, j]) => numberOf(value, middle(i, j), cell)) : [],
  );
}

const numberOf = (value, [cx, cy], cell) =>
  s("text", { x: cx, y: cy + cell / 2 + 2, "text-anchor": "middle", class: "ak-in-value", text: brief(value, 2) });

/** The new probe's squares on their way to the mean. */
function drawGhost(probe, { one, two }, { slide }, scale) {
  const over = { ...one, x: mix(one.x, two.x, slide) };
  const ghost = drawMatrix(probe, over, { scale, part: "ghost" });
  return put(ghost, { opacity: 0.75 * (1 - slide * slide) });
}

/** The new probe's sum on its way from its matrix to its place in the plot. */
function drawFlight({ flight, plot, landing }, { one, plot: box }) {
  const { X, Y } = estimateScales(box, { ...landing, most: plot.most });
  const start = [one.x + one.side / 2, one.y + one.side + 12];
  const end = [box.x + X(landing.samples.length), box.y + Y(landing.samples.at(-1))];
  const [cx, cy] = start.map((x, i) => mix(x, end[i], flight));
  return s("circle", { cx, cy: cy - 40 * Math.sin(Math.PI * flight), r: 4, class: "ak-hollow ak-stroke-value" });
}

function drawWords({ names, notes }, { one, two, plot }) {
  const lines = (list, x, y, look) => list.map((text, k) => s("text", { x, y: y + LINE * k, text, ...look }));
  const foot = HEAD + one.side + 16;
  const sum = { "text-anchor": "middle", class: "ak-in-value" };
  const left = plot.x + (plot.x ? 8 : 0);
  const said = (name) => (one.side < NARROW ? name.replace(/:.*| probes?$/, "") : name);
  return [
    s("text", { x: one.x, y: 12, class: "ak-strong", text: said(names.probe) }),
    s("text", { x: two.x, y: 12, class: "ak-strong", text: said(names.mean) }),
    s("text", { x: left, y: plot.x ? 12 : plot.y - 8, class: "ak-strong", text: names.plot }),
    ...lines(notes.probe, one.x + one.side / 2, foot, sum),
    ...lines(notes.mean, two.x + two.side / 2, foot, sum),
    ...lines(notes.plot, left, plot.y + plot.height + 16, {}),
  ];
}
