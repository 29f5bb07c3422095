import { h, s, put, clamp, linear, pathOf, drawOnChange, onDrag } from "./dom.js";
import { brief, superscript } from "./numbers.js";
import { drawAxes } from "./axes.js";
import { crossings, nearestTo } from "./contours.js";

const RIM = { top: 28, right: 16, bottom: 26, left: 56 };
const TALL = 336; // px
const ROOMY = 420; // px of width from which the ticks stand closer
const HEAD = 12; // px of an arrow's head
const APART = [40, 14]; // px between two numbers of levels, across and down

/**
 * A landscape of two parameters, seen from above: lines of equal cost, the way that a fit has gone, and its next step.
 * update({rows, levels, view, snap, names, start, tries, done, now}): rows are logarithms of the cost, levels the costs whose
 * lines are drawn; snap what an arrow key moves the start by; tries the kernel's, of which `done` were made; now {at, path, region}: where the fit stands, where the
 * step ends for every damping, and the half axes of the region in which the linear model is trusted.
 * The start is dragged, or moved with the arrow keys; onStart hears [first, second].
 */
export function ContourPlot({ label, onStart }) {
  const clip = `ak-valley-${Math.random().toString(36).slice(2, 8)}`;
  const frame = s("rect", {});
  const back = s("g", { "aria-hidden": "true" });
  const front = s("g", { "aria-hidden": "true", "clip-path": `url(#${clip})` });
  const outside = s("g", { "aria-hidden": "true" });
  const handle = s("g", { class: "ak-handle", tabindex: 0, role: "slider", "aria-roledescription": "start of the fit" });
  const figure = s(
    "svg",
    { role: "group", "aria-label": label },
    s("defs", {}, s("clipPath", { id: clip }, frame)),
    back,
    front,
    outside,
    handle,
  );
  const el = h("div", { class: "ak-plot" }, figure);
  let width = 0;
  let data = null;
  let [X, Y] = [null, null];

  const seen = ([x, y]) => x >= data.view[0][0] && x <= data.view[0][1] && y >= data.view[1][0] && y <= data.view[1][1];
  const spot = ([x, y]) => [X(x), Y(y)];

  function levels() {
    const [[left, right], [low, high]] = data.view;
    const across = linear(0, data.rows[0].length - 1, X(left), X(right));
    const down = linear(0, data.rows.length - 1, Y(low), Y(high));
    const [here, step] = [spot(data.now.at), data.tries[data.done]];
    const there = step ? spot(step.to) : here;
    const along = (part) => here.map((v, i) => v + part * (there[i] - v));
    const taken = [0, 0.33, 0.67, 1].map(along); // places of the picture where no more number fits
    const free = (place) => taken.every((one) => Math.abs(one[0] - place[0]) > APART[0] || Math.abs(one[1] - place[1]) > APART[1]);
    return data.levels.flatMap((level, k) => {
      const pieces = crossings(data.rows, Math.log10(level));
      const near = nearestTo(pieces, [data.rows[0].length * (0.9 - 0.1 * (k % 4)), data.rows.length * (k % 2 ? 0.3 : 0.7)]);
      const found = near && [across(near[0][0]), down(near[0][1])];
      const place = found && free(found) ? found : null;
      if (place) taken.push(place);
      return [
        s("path", {
          d: pieces.map((piece) => pathOf(piece.map(([i, j]) => [across(i), down(j)]))).join(""),
          class: "ak-stroke-held ak-thin",
          fill: "none",
          opacity: 0.55,
        }),
        place
          ? s("text", {
              x: place[0],
              y: place[1] + 4,
              "text-anchor": "middle",
              class: "ak-halo",
              text: level < 1e4 ? brief(level, 2) : `10${superscript(Math.round(Math.log10(level)))}`,
            })
          : "",
      ];
    });
  }

  /** What was done: a line through the places that were kept, a hollow dot at the end of each step that was not. */
  function way() {
    const done = data.tries.slice(0, data.done);
    const kept = [data.tries[0]?.at ?? data.start, ...done.filter((one) => one.kept).map((one) => one.to)];
    return [
      ...done
        .filter((one) => !one.kept)
        .flatMap((one) => [
          s("path", { d: pathOf([spot(one.at), spot(one.to)]), class: "ak-stroke-value ak-thin ak-dash", fill: "none", opacity: 0.6 }),
          s("circle", { cx: X(one.to[0]), cy: Y(one.to[1]), r: 4, class: "ak-hollow ak-stroke-value" }),
        ]),
      s("path", { d: pathOf(kept.map(spot)), class: "ak-curve ak-stroke-value" }),
      ...kept.map(([x, y]) => s("circle", { cx: X(x), cy: Y(y), r: 3.25, class: "ak-ink-fill" })),
    ];
  }

  /** What comes: where the step ends at every damping, the region of trust, and the step at this one. */
  function next() {
    const { at, path, region } = data.now;
    const [cx, cy] = spot(at);
    const parts = [s("circle", { cx, cy, r: 6.5, class: "ak-ink-fill", stroke: "var(--ak-paper)", "stroke-width": 2 })];
    const one = data.tries[data.done];
    if (!one || !path) return parts;
    const [ex, ey] = spot(one.to);
    const angle = (Math.atan2(ey - cy, ex - cx) * 180) / Math.PI;
    const size = Math.min(1, Math.hypot(ex - cx, ey - cy) / HEAD); // no head is longer than its arrow
    return [
      s("ellipse", {
        cx,
        cy,
        rx: Math.abs(X(at[0] + region[0]) - cx),
        ry: Math.abs(Y(at[1] + region[1]) - cy),
        class: "ak-stroke-value ak-thin ak-dash",
        fill: "none",
      }),
      s("path", { d: pathOf(path.map(spot)), class: "ak-stroke-value ak-thin", fill: "none" }),
      s("line", { x1: cx, y1: cy, x2: ex, y2: ey, class: "ak-stroke-value", "stroke-width": 2.5 }),
      s("path", { d: "M1 0L-11 -5.5V5.5Z", transform: `translate(${ex} ${ey}) rotate(${angle}) scale(${size})`, class: "ak-ink-fill" }),
      ...parts,
    ];
  }

  /** A place that the view does not hold is told at its edge. */
  function beyond() {
    const one = data.tries[data.done];
    const places = [[data.now.at, "stands"], ...(one ? [[one.to, "step to"]] : [])].filter(([place]) => !seen(place));
    return places.map(([place, word], k) => {
      const x = clamp(X(place[0]), RIM.left + 4, width - RIM.right - 4);
      const y = clamp(Y(place[1]), RIM.top + 14 + 16 * k, TALL - RIM.bottom - 8 - 16 * k);
      const anchor = x > width - 150 ? "end" : "start";
      const text = `${word} (${brief(place[0], 2)}, ${brief(place[1], 2)}), out of view`;
      return s("text", { x, y, "text-anchor": anchor, class: "ak-strong ak-halo", text });
    });
  }

  function drawHandle() {
    const [x, y] = data.start.map((v, i) => clamp(v, ...data.view[i]));
    const [cx, cy] = spot([x, y]);
    const words = data.start.map((v, i) => `${data.names[i]} = ${brief(v, 4)}`).join(", ");
    const leans = cx > width - 90;
    handle.replaceChildren(
      s("circle", { cx, cy, r: 18, fill: "transparent" }),
      s("circle", { cx, cy, r: 13, class: "ak-ring" }),
      s("circle", { cx, cy, r: 9.5, fill: "none", class: "ak-stroke-value", "stroke-width": 1.5 }),
      s("text", { x: cx + (leans ? -14 : 14), y: cy - 9, "text-anchor": leans ? "end" : "start", class: "ak-strong ak-halo", text: "start" }),
    );
    put(handle, {
      "aria-label": `Start of the fit: left and right move ${data.names[0]}, up and down ${data.names[1]}`,
      "aria-valuemin": data.view[0][0],
      "aria-valuemax": data.view[0][1],
      "aria-valuenow": data.start[0],
      "aria-valuetext": words,
    });
  }

  function draw() {
    if (!data || !width) return;
    const [[left, right], [low, high]] = data.view;
    X = linear(left, right, RIM.left, width - RIM.right);
    Y = linear(low, high, TALL - RIM.bottom, RIM.top);
    put(figure, { width, height: TALL });
    put(frame, { x: RIM.left, y: RIM.top, width: width - RIM.left - RIM.right, height: TALL - RIM.top - RIM.bottom });
    const x = { min: left, max: right, label: data.names[0] };
    const y = { min: low, max: high, label: data.names[1] };
    back.replaceChildren(
      ...drawAxes({ x, y, X, Y, foot: TALL - RIM.bottom, height: TALL, named: true, dense: width >= ROOMY }),
    );
    front.replaceChildren(...levels(), ...way(), ...next());
    outside.replaceChildren(...beyond());
    drawHandle();
  }

  function move(to) {
    const next = to.map((v, i) => {
      const snapped = Math.round(v / data.snap[i]) * data.snap[i];
      return Number(clamp(snapped, ...data.view[i]).toPrecision(6)) + 0;
    });
    if (next.some((v, i) => v !== data.start[i])) onStart(next);
  }
  onDrag(handle, (event) => {
    const box = figure.getBoundingClientRect();
    const [[left, right], [low, high]] = data.view;
    move([
      linear(RIM.left, width - RIM.right, left, right)(event.clientX - box.left),
      linear(TALL - RIM.bottom, RIM.top, low, high)(event.clientY - box.top),
    ]);
  });
  handle.addEventListener("keydown", (event) => {
    const by = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
    if (!by) return;
    event.preventDefault();
    move(data.start.map((v, i) => v + by[i] * data.snap[i]));
  });
  return drawOnChange(el, draw, { width: (next) => (width = next), data: (next) => (data = next) });
}
