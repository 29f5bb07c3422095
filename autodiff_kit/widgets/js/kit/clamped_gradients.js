import { h, s, put, drawOnChange } from "./dom.js";
import { brief } from "./numbers.js";
import { entryName } from "./quantizer_plot.js";

const BARS = { top: 42, unit: 32, thick: 54 };
const UNDER = 166; // where arcs begin, below the words
const SLIM = 84; // px of an entry, below which its name and its value need a line each
const ENDS = { top: 224, height: 46, half: 72, narrow: 66 };
const HEIGHT = ENDS.top + ENDS.height + 4;
const LEAN = 9; // px from the middle of an entry: towards an end it sends, on the other side it receives

/**
 * The gradient into each entry as a bar, and below them two ends, min and max: arcs lead to them from what was clamped,
 * and on to the entries that they are. An end is a switch (click, Space, Enter): off, it passes nothing on.
 * update({entries: [{x, side, straight, by_min, by_max, into_x}], ends: {low, high, into_min, into_max}, home: [min, max]});
 * onToggle("min" or "max").
 */
export function ClampedGradients({ label, onToggle }) {
  const picture = s("g", { "aria-hidden": "true" });
  const switches = ["min", "max"].map((which) => End(which, onToggle));
  const figure = s("svg", { role: "group", "aria-label": label, height: HEIGHT }, picture, ...switches.map((end) => end.el));
  const el = h("div", { class: "ak-plot" }, figure);
  let width = 0;
  let data = null;

  function draw() {
    if (!data || !width) return;
    const slot = width / data.entries.length;
    const middle = (i) => slot * (i + 0.5);
    const all = slot * data.entries.length;
    const places = [all * 0.25, all * 0.75];
    const half = Math.min(ENDS.half, all * 0.25 - 5);
    const most = Math.max(1, ...data.entries.map((entry) => entry.into_x));
    const base = slot < SLIM ? 108 : 124;
    const unit = Math.min(BARS.unit, (base - BARS.top) / most);
    put(figure, { width });
    picture.replaceChildren(
      s("text", { x: 0, y: 14, class: "ak-strong", text: "gradient of the sum of y" }),
      s("line", { x1: 0, x2: all, y1: base, y2: base, class: "ak-axis" }),
      ...data.entries.flatMap((entry, i) => column(entry, i, { x: middle(i), base, unit, thick: Math.min(BARS.thick, slot - 6), slim: slot < SLIM })),
      ...["min", "max"].flatMap((which, k) => ways(which, places[k], half, data, middle)),
    );
    switches.forEach((end, k) => end.update(data, places[k], half));
  }

  return drawOnChange(el, draw, { width: (next) => (width = next), data: (next) => (data = next) });
}

/** One entry: what came straight through as a solid block, what came through an end as a hollow one on top. */
function column(entry, i, { x, base, unit, thick, slim }) {
  let top = base;
  const block = (size, solid, words) => {
    if (!size) return [];
    top -= size * unit;
    const box = { x: x - thick / 2, y: top, width: thick, height: size * unit };
    return [
      s("rect", { ...box, class: solid ? "ak-fill-rev" : "ak-wash-rev" }),
      solid ? null : s("rect", { ...box, fill: "none", class: "ak-stroke-rev ak-dash", "stroke-width": 1.5 }),
      size * unit > 16 && words
        ? s("text", { x, y: top + (size * unit) / 2 + 4, "text-anchor": "middle", class: "ak-in-rev", text: words })
        : null,
    ].filter(Boolean);
  };
  const blocks = [...block(entry.straight, true), ...block(entry.by_min, false, "by min"), ...block(entry.by_max, false, "by max")];
  const zero = entry.into_x ? null : s("rect", { x: x - 3, y: base - 6, width: 6, height: 6, class: "ak-ink-fill" });
  const [name, value] = [entryName(i), brief(entry.x, 2)];
  const word = (y, text, look) => s("text", { x, y, "text-anchor": "middle", class: look, text });
  return [
    ...blocks,
    zero,
    word(top - (zero ? 12 : 6), brief(entry.into_x, 2), "ak-in-rev"),
    ...(slim ? [name, value] : [`${name} = ${value}`]).map((text, k) => word(base + 17 + 16 * k, text, "ak-strong")),
    word(UNDER - 9, entry.side),
  ].filter(Boolean);
}

/** Dashed arcs from what was clamped to its end, and from there to the entries that the end is; a bar where it is stopped. */
function ways(which, at, wide, { entries, ends, home }, middle) {
  const side = which === "min" ? "below" : "above";
  const into = ends[`into_${which}`];
  const sends = entries.map((entry, i) => (entry.side === side ? i : -1)).filter((i) => i >= 0);
  const gets = entries.map((entry, i) => (entry[`by_${which}`] ? i : -1)).filter((i) => i >= 0);
  const half = (UNDER + ENDS.top) / 2;
  const arc = (x1, y1, x2, y2, weight) => {
    const down = y2 > y1 ? 1 : -1;
    const line = `M${x1} ${y1}C${x1} ${half} ${x2} ${half} ${x2} ${y2 - 7 * down}`;
    return [
      s("path", { d: line, class: "ak-curve ak-stroke-rev ak-dash", style: `stroke-width:${weight}` }),
      s("path", { d: `M${x2} ${y2}l-5 ${-8 * down}h10Z`, class: "ak-fill-rev" }),
    ];
  };
  const towards = (i) => Math.sign(at - middle(i)) || 1;
  const owner = entries.findIndex((entry) => entry.x === (which === "min" ? ends.low : ends.high));
  const out = at - (towards(owner) * wide) / 2;
  const port = (k) => 2 * at - out + 12 * (k - (sends.length - 1) / 2);
  const stopped = into && !home[which === "min" ? 0 : 1];
  return [
    ...sends.flatMap((i, k) => arc(middle(i) + LEAN * towards(i), UNDER, port(k), ENDS.top, 1.25)),
    ...gets.flatMap((j) => arc(out, ENDS.top, middle(j) - LEAN * towards(j), UNDER, 2.5)),
    stopped ? s("path", { d: `M${out} ${ENDS.top}v-16M${out - 9} ${ENDS.top - 16}h18`, class: "ak-curve ak-stroke-rev" }) : null,
  ].filter(Boolean);
}

/** One end of the range: what it is, and what it has gathered. */
function End(which, onToggle) {
  const [box, name, state] = [s("rect", { rx: 3 }), s("text", { class: "ak-strong" }), s("text", {})];
  const el = s(
    "g",
    {
      role: "switch",
      tabindex: 0,
      class: "ak-handle",
      style: "cursor:pointer",
      onclick: () => onToggle(which),
      onkeydown: (event) => {
        if (event.key !== " " && event.key !== "Enter") return;
        event.preventDefault();
        onToggle(which);
      },
    },
    s("rect", { class: "ak-ring", rx: 5 }),
    box,
    name,
    state,
  );
  return {
    el,
    update({ ends, home }, at, half) {
      const on = home[which === "min" ? 0 : 1];
      const [value, into] = [ends[which === "min" ? "low" : "high"], ends[`into_${which}`]];
      const shown = into && half < ENDS.narrow ? `${brief(into, 2)}, ${on ? "passed on" : "kept"}` : null;
      const words = into ? `gets ${brief(into, 2)}, ${on ? "passes it on" : "keeps it"}` : `gets nothing${on ? "" : ", stopped"}`;
      const frame = { x: at - half, y: ENDS.top, width: 2 * half, height: ENDS.height };
      put(el, { "aria-checked": on, "aria-label": `${which} of x, ${brief(value, 2)}: ${words}` });
      put(el.firstChild, { x: frame.x - 4, y: frame.y - 4, width: frame.width + 8, height: frame.height + 8 });
      put(box, { ...frame, class: on ? "ak-hollow ak-stroke-value" : "ak-none-box", style: "fill:var(--ak-paper)" });
      put(name, { x: at, y: ENDS.top + 19, "text-anchor": "middle", text: `${which} of x = ${brief(value, 2)}` });
      put(state, { x: at, y: ENDS.top + 36, "text-anchor": "middle", class: into ? "ak-in-rev" : "", text: shown ?? words });
    },
  };
}
