import { h, s, put, linear, patterns, onWidth, onDrag, clamp } from "./dom.js";
import { brief, fmt } from "./numbers.js";
import { GradientStrip } from "./gradient_strip.js";
import { drawSeriesRow } from "./series_row.js";
import { drawStepBars, drawRollOut } from "./step_bars.js";

const ROOMY = { left: 78, right: 24, slim: false };
const CLOSE = { left: 62, right: 8, slim: true };
const ROWS = { slot: 34, step: 104, w: 136 }; // px
const BETWEEN = 14;
const SLIM = 520; // px

/**
 * A strip of painted gradients over one slot, the steps and the weight, on one axis of steps.
 * update({grads, slot: {name, values} or null, steps, carried, w, roll, rest, at}): w and a slot's values hold one number
 * before the first step and one after each; carried is the part of a step that comes from those before.
 */
export function MomentumPlot({ brush, unit, onPaint, onCursor }) {
  const strip = GradientStrip({ name: "w", brush, unit, onPaint, onCursor });
  const fills = patterns();
  const lanes = s("g", { "aria-hidden": "true" });
  const svg = s(
    "svg",
    { role: "group", "aria-label": "Gradients, steps and weight", style: "touch-action:pan-x" },
    fills.defs,
    strip.el,
    lanes,
  );
  const el = h("div", { class: "ak-plot" }, svg);
  let data = null;
  let width = 0;
  let X = null;

  const spanOf = (...values) => {
    const all = values.flat().filter((v) => v !== null);
    const [low, high] = [Math.min(0, ...all), Math.max(0, ...all)];
    return low === high ? [low - 1, high] : [low, high];
  };

  function draw() {
    if (!width || !data) return;
    const { grads, slot, steps, carried, w, roll, rest, at } = data;
    const room = { ...(width < SLIM ? CLOSE : ROOMY), width };
    X = linear(0, grads.length, room.left, width - room.right);
    const most = Math.max(1, ...grads.map((g) => Math.abs(g ?? 0)));
    strip.update({ grads, at, x: X, most, held: [], url: fills.url });
    const name = (y, text, cls) => s("text", { x: room.left - 10, y, "text-anchor": "end", class: cls, text });
    const tops = { slot: strip.height + BETWEEN };
    tops.step = tops.slot + ROWS.slot + BETWEEN;
    tops.w = tops.step + ROWS.step + BETWEEN;
    const foot = tops.w + ROWS.w;
    lanes.replaceChildren(
      name(strip.height / 2 + 4, room.slim ? "grad" : "gradient", "ak-in-rev"),
      s("rect", {
        x: X(at),
        y: strip.height + 4,
        width: X(at + 1) - X(at),
        height: foot - strip.height - 4,
        style: "fill:var(--ak-sunk)",
      }),
      ...drawSlot(slot, { at, X, room, top: tops.slot }),
      name(tops.step + ROWS.step / 2 + 4, "step", "ak-strong"),
      ...drawStepBars({
        ...{ steps, carried, at, X, room, url: fills.url },
        ...{ top: tops.step, size: ROWS.step, span: spanOf(steps, carried) },
      }),
      name(tops.w + ROWS.w / 2 + 4, "w", "ak-strong"),
      ...drawRollOut({
        ...{ w, grads, roll, rest, at, X, room, top: tops.w, size: ROWS.w, span: spanOf(w, rest) },
        words: `${room.slim ? "" : "zeros from here on: "}ends at ${fmt(rest, 4)}`,
      }),
      ...(room.slim ? [0, 12, 24] : [0, 6, 12, 18, 24])
        .filter((k) => k <= grads.length)
        .map((k) =>
          s("text", {
            x: X(k),
            y: foot + 18,
            "text-anchor": k === grads.length ? "end" : "middle",
            text: k === grads.length ? `${brief(k)} steps` : brief(k),
          }),
        ),
    );
    put(svg, { width, height: foot + 28 });
  }

  function drawSlot(slot, { at, X: scale, room, top }) {
    const name = slot ? `slot ${slot.name}` : "slot";
    const values = slot?.values ?? null;
    return drawSeriesRow({ name, values, size: ROWS.slot, top, X: scale, at, room, span: spanOf(values ?? []) });
  }

  // Below the strip a press moves the cursor only; painting happens on the strip.
  onDrag(svg, (event, phase) => {
    const box = svg.getBoundingClientRect();
    if (phase === "end" || event.clientY - box.top < strip.height) return;
    onCursor(clamp(Math.floor((event.clientX - box.left - X(0)) / (X(1) - X(0))), 0, data.grads.length - 1));
  });
  const stop = onWidth(el, (next) => {
    width = next;
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
