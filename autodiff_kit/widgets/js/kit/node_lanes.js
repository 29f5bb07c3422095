import { h, s, put, linear, drawOnChange, onDrag, clamp, ticks } from "./dom.js";
import { brief } from "./numbers.js";

const LANE = { height: 64, head: 18, row: 8, tape: 4, away: 9, foot: 22 }; // px
const ROOMS = { wide: { left: 46, right: 146 }, tight: { left: 46, right: 78 } }; // px
const TIGHT_UP_TO = 560; // px, as in the sheet

/**
 * Loops as lanes under one axis of steps: a square is a node, filled while it is alive, and a line below the squares is the
 * tape that holds them. The number of nodes alive stands at the cursor. A press in a lane moves the cursor and chooses the
 * lane; the lanes are also a radio group, called `choice`. `lanes`: [{value, label, short, around}], short for a narrow
 * window, around where one tape is open all the time.
 * update({growth, now, chosen}): growth gives {nodes, made, oldest} by value; onLayout({from, to}): px of step 0 and the last.
 */
export function NodeLanes({ label, choice, lanes, onCursor, onChoose, onLayout }) {
  const radios = lanes.map((lane) => Lane({ ...lane, onChoose: () => onChoose(lane.value), onKey: (event) => moveChoice(event) }));
  const pad = s("rect", { class: "ak-scrub-pad", fill: "transparent" });
  const layer = () => s("g", { "aria-hidden": "true", "pointer-events": "none" });
  const [under, over] = [layer(), layer()];
  const group = s("g", { role: "radiogroup", "aria-label": choice }, radios.map((lane) => lane.el));
  const svg = s("svg", { role: "group", "aria-label": label }, under, pad, group, over);
  const el = h("div", {}, svg);
  const foot = lanes.length * LANE.height;
  let [width, data, X] = [0, null, null];

  function draw() {
    if (!width || !data) return;
    const { growth, now, chosen } = data;
    const tight = width <= TIGHT_UP_TO;
    const room = ROOMS[tight ? "tight" : "wide"];
    const right = width - room.right;
    const count = growth[chosen].nodes.length - 1;
    const rows = Math.max(...lanes.flatMap(({ value }) => growth[value].made));
    X = linear(0, count, room.left, right);
    put(svg, { width, height: foot + LANE.foot });
    put(pad, { x: 0, y: 0, width: right + LANE.away, height: foot + LANE.foot });
    under.replaceChildren(...drawStepAxis(X, count, foot));
    radios.forEach((lane, i) =>
      lane.update({ ...growth[lanes[i].value], now, rows, X, top: i * LANE.height, chosen: lanes[i].value === chosen }),
    );
    over.replaceChildren(
      s("path", { d: cursorLine(X(now), lanes.length), class: "ak-stroke-value ak-thin", "data-cursor": now }),
      ...lanes.flatMap(({ label: long, short, value }, i) => drawWords(tight ? (short ?? long) : long, growth[value].nodes[now], { x: X(now), left: room.left, top: i * LANE.height, strong: value === chosen })),
    );
    onLayout({ from: X(0), to: X(count) });
  }

  function moveChoice(event) {
    const at = lanes.findIndex(({ value }) => value === data.chosen);
    const by = { ArrowDown: at + 1, ArrowRight: at + 1, ArrowUp: at - 1, ArrowLeft: at - 1, Home: 0, End: lanes.length - 1 };
    if (!(event.key in by)) return;
    event.preventDefault();
    const next = (by[event.key] + lanes.length) % lanes.length;
    onChoose(lanes[next].value);
    radios[next].el.focus();
  }
  onDrag(pad, (event, phase) => {
    if (phase === "end") return;
    const box = svg.getBoundingClientRect();
    const lane = Math.floor((event.clientY - box.top) / LANE.height);
    const count = data.growth[data.chosen].nodes.length - 1;
    if (phase === "start" && lanes[lane]) onChoose(lanes[lane].value);
    onCursor(clamp(Math.round(linear(X(0), X(count), 0, count)(event.clientX - box.left)), 0, count));
  });
  return drawOnChange(el, draw, { width: (next) => (width = next), data: (next) => (data = next) });
}

/** One lane: a radio with its squares and the line of its tape. */
function Lane({ label, around, onChoose, onKey }) {
  const el = s("g", { class: "ak-handle", role: "radio", "pointer-events": "none", onclick: onChoose, onkeydown: onKey });
  return {
    el,
    update({ nodes, made, oldest, now, rows, X, top, chosen }) {
      const [first, foot] = [oldest[now], top + LANE.head + rows * LANE.row];
      const [left, right] = [X(0), X(made.length)];
      const ground = { x: left, y: top + LANE.head, width: right - left, height: rows * LANE.row };
      const path = (d, look) => s("path", { d, ...look });
      const line = { fill: "none", "stroke-width": 2 };
      put(el, { "aria-label": `${label}: ${nodes[now]} nodes alive`, "aria-checked": chosen, tabindex: chosen ? 0 : -1 });
      el.replaceChildren(
        s("rect", { ...ground, fill: "var(--ak-sunk)" }),
        path(squares(made, 1, Math.min(first - 1, now), X, foot), { fill: "var(--ak-line2)", "data-nodes": "dropped" }),
        path(squares(made, first, now, X, foot), { class: "ak-ink-fill", "data-nodes": "alive" }),
        path(tapeLine(around, 1, first - 1, X, foot), { ...line, stroke: "var(--ak-line2)" }),
        path(tapeLine(around, first, now, X, foot), { ...line, class: "ak-stroke-value" }),
        ...(chosen ? [s("rect", { x: left - 9, y: top + 4, width: 3, height: LANE.height - 8, class: "ak-ink-fill" })] : []),
        s("rect", { x: left - 14, y: top + 1, width: right - left + 20, height: LANE.height - 2, rx: 3, class: "ak-ring" }),
      );
    },
  };
}

/** The nodes of some steps as squares, one upon the other; one short path, as a saved notebook holds it too. */
function squares(made, from, to, X, foot) {
  const wide = X(1) - X(0);
  const side = `h${(wide - Math.min(1.2, 0.25 * wide)).toFixed(1)}`;
  const square = `${side}v${(LANE.row - 1.4).toFixed(1)}${side.replace("h", "h-")}z`;
  const column = (step) =>
    Array.from({ length: made[step - 1] }, (_, row) => `M${X(step - 1).toFixed(1)} ${(foot - LANE.row * (row + 1) + 0.7).toFixed(1)}${square}`);
  return Array.from({ length: Math.max(0, to - from + 1) }, (_, i) => column(from + i).join("")).join("");
}

/** The tapes of some steps: one line from the first on, or a short one for each. */
function tapeLine(around, from, to, X, foot) {
  if (to < from) return "";
  const y = foot + LANE.tape;
  if (around) return `M${X(from - 1)} ${y - 4}V${y}H${X(to).toFixed(1)}`;
  const gap = Math.min(2, 0.3 * (X(1) - X(0)));
  return Array.from({ length: to - from + 1 }, (_, i) => `M${X(from - 1 + i).toFixed(1)} ${y}H${(X(from + i) - gap).toFixed(1)}`).join("");
}

/** The cursor: a line through the squares of each lane, and none through its name. */
const cursorLine = (x, count) =>
  Array.from({ length: count }, (_, i) => `M${x.toFixed(1)} ${i * LANE.height + LANE.head}V${(i + 1) * LANE.height + (i + 1 < count ? 0 : 4)}`).join("");

const drawStepAxis = (X, count, foot) => [
  s("text", { x: X(0) - 10, y: foot + 16, "text-anchor": "end", text: "step" }),
  ...ticks(0, count, 5).flatMap((step) => [
    s("line", { x1: X(step), x2: X(step), y1: foot, y2: foot + 4, class: "ak-axis" }),
    s("text", { x: X(step), y: foot + 16, "text-anchor": "middle", text: brief(step) }),
  ]),
];

const drawWords = (label, nodes, { x, left, top, strong }) => [
  s("text", { x: left, y: top + 13, class: `ak-halo ak-in-value${strong ? " ak-strong" : ""}`, text: label }),
  s("text", { x: x + LANE.away, y: top + LANE.head + 25, class: "ak-halo ak-strong", style: "font-size:14px", "data-reading": "", text: `${nodes} nodes` }),
];
