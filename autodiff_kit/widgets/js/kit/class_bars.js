import { h, s, put, clamp, linear, patterns, drawOnChange, onDrag } from "./dom.js";
import { brief, fmt, kindOf } from "./numbers.js";

const WIDEST = 150; // px of one class
const MARGIN = 96; // px to the right of the classes, for the floors' names and sums
const BAR = 46;
const FLOOR = { logit: { top: 18, height: 92 }, p: { top: 146, height: 64 }, grad: { top: 232, height: 88 } };
const NAMES = 350;
const HEIGHT = 376;
const NEAR_TARGET = 0.75; // a probability whose number stands where the target's name would
const NARROW = 52; // px of a class, below which four digits have no room
const REACH = 4;
const SNAP = 0.25;

/**
 * Three floors of bars over the same classes: logits, whose ends are dragged along a track or stepped with the arrow keys,
 * the probabilities before their targets, and the gradient; below them the classes' names, of which one is chosen as the
 * label. The column of the label is shaded.
 * update({logits, probabilities, gradient, sums, label, level}); onMove(i, logit), onLabel(i).
 */
export function ClassBars({ label, onMove, onLabel }) {
  const fills = patterns();
  const back = s("g", { "aria-hidden": "true" });
  const handles = s("g", {});
  const names = s("g", { role: "radiogroup", "aria-label": "True class" });
  const figure = s("svg", { role: "group", "aria-label": label, height: HEIGHT }, fills.defs, back, handles, names);
  const el = h("div", { class: "ak-plot" }, figure);
  const grips = [];
  const labels = [];
  let width = 0;
  let data = null;

  const Z = linear(-REACH, REACH, FLOOR.logit.top + FLOOR.logit.height, FLOOR.logit.top);
  const move = (i, to) => onMove(i, clamp(Math.round(to / SNAP) * SNAP, -REACH, REACH));

  function choose(to) {
    const i = (to + data.logits.length) % data.logits.length;
    onLabel(i);
    labels[i].el.focus();
  }

  /** As many handles and names as classes; those that were there stay, and keep their focus. */
  function grow() {
    while (grips.length < data.logits.length) {
      const i = grips.length;
      const toValue = (clientY) => linear(Z(-REACH), Z(REACH), -REACH, REACH)(clientY - figure.getBoundingClientRect().top);
      grips.push(Grip(i, { at: () => data.logits[i], move: (to) => move(i, to), toValue }));
      labels.push(Name(i, { onChoose: () => onLabel(i), onStep: (by) => choose(by === "last" ? -1 : by === "first" ? 0 : i + by) }));
    }
    handles.replaceChildren(...grips.slice(0, data.logits.length).map((grip) => grip.el));
    names.replaceChildren(...labels.slice(0, data.logits.length).map((name) => name.el));
  }

  function draw() {
    if (!data || !width) return;
    if (handles.childNodes.length !== data.logits.length) grow();
    const count = data.logits.length;
    const slot = Math.min(WIDEST, (width - MARGIN) / count);
    const middle = (i) => slot * (i + 0.5);
    const thick = Math.min(BAR, slot * 0.6);
    const all = { slot, middle, thick, count, end: slot * count, striped: fills.url("nan"), digits: slot < NARROW ? 2 : 4 };
    put(figure, { width });
    back.replaceChildren(
      s("rect", { x: middle(data.label) - slot / 2, width: slot, y: 0, height: NAMES, style: "fill:var(--ak-sunk)" }),
      ...floor("logits", Z(0), all, data.level ? `each ${data.level > 0 ? "+" : "−"} ${brief(Math.abs(data.level))}` : ""),
      ...data.logits.flatMap((z, i) => [track(middle(i)), ...bar(i, z, Z, all, "value", 2)]),
      ...probabilities(data, all),
      ...gradient(data, all),
    );
    grips.slice(0, count).forEach((grip, i) => grip.update(middle(i), Z(data.logits[i]), thick, data.level));
    labels.slice(0, count).forEach((name, i) => name.update(middle(i), slot, i === data.label));
  }

  return drawOnChange(el, draw, { width: (next) => (width = next), data: (next) => (data = next) });
}

/** Zero line, and to the right of it the floor's name and what it adds up to. */
const floor = (title, zero, { end }, words, heavy = "") => [
  s("line", { x1: 0, x2: end, y1: zero, y2: zero, class: "ak-axis" }),
  s("text", { x: end + 10, y: zero - 4, class: "ak-strong", text: title }),
  s("text", { x: end + 10, y: zero + 12, class: heavy, text: words }),
];

/** The way that the end of a logit's bar can go. */
const track = (x) => s("line", { x1: x, x2: x, y1: FLOOR.logit.top, y2: FLOOR.logit.top + FLOOR.logit.height, class: "ak-axis", "stroke-dasharray": "1 4" });

/** A bar from the zero line with its number; nan is a striped box. */
function bar(i, value, Y, { middle, thick, striped }, role, digits) {
  const [x, zero] = [middle(i), Y(0)];
  const kind = kindOf(value);
  const text = (y, look) =>
    s("text", { x, y, "text-anchor": "middle", class: `${look} ak-halo`, text: kind === "zero" ? "0" : fmt(value, digits) });
  if (kind === "nan")
    return [
      s("rect", { x: x - thick / 2, y: zero - 24, width: thick, height: 24, fill: striped, stroke: "var(--ak-nan)" }),
      text(zero - 30, "ak-in-nan"),
    ];
  if (kind === "zero")
    return [s("rect", { x: x - 3, y: zero - 3, width: 6, height: 6, class: "ak-ink-fill" }), text(zero - 10, "ak-in-value")];
  const end = Y(value);
  const box = { x: x - thick / 2, y: Math.min(end, zero), width: thick, height: Math.abs(end - zero) };
  return [
    s("rect", { ...box, class: role === "rev" ? "ak-fill-rev" : "ak-fill-value" }),
    text(value > 0 ? end - 8 : end + 16, `ak-in-${role}`),
  ];
}

function probabilities({ probabilities: p, sums, label }, all) {
  const { top, height } = FLOOR.p;
  const { middle, thick } = all;
  const Y = linear(0, 1, top + height, top);
  return [
    ...floor("probabilities", Y(0), all, `sum ${fmt(sums.probabilities)}`),
    s("rect", { x: middle(label) - thick / 2 - 4, width: thick + 8, y: top, height, class: "ak-none-box" }),
    s("text", { x: middle(label), y: top - 5, "text-anchor": "middle", text: p[label] > NEAR_TARGET || all.slot < NARROW ? "" : "target 1" }),
    ...p.flatMap((one, i) => bar(i, one, Y, all, "value", all.digits)),
  ];
}

function gradient({ gradient: g, sums }, all) {
  const { top, height } = FLOOR.grad;
  const Y = linear(-1, 1, top + height, top);
  return [
    ...floor("gradient", Y(0), all, `sum ${fmt(sums.gradient)}`, "ak-in-rev"),
    ...g.flatMap((one, i) => bar(i, one, Y, all, "rev", all.digits)),
  ];
}

/** The end of a logit's bar, to be dragged up and down. */
function Grip(i, { at, move, toValue }) {
  const [reach, ring, knob] = [
    s("rect", { fill: "transparent", height: 28 }),
    s("rect", { class: "ak-ring", rx: 7, height: 16 }),
    s("rect", { class: "ak-hollow ak-stroke-value", rx: 4, height: 9 }),
  ];
  const el = s(
    "g",
    {
      class: "ak-handle",
      role: "slider",
      tabindex: 0,
      "aria-label": `logit of class ${i}`,
      "aria-orientation": "vertical",
      "aria-valuemin": -REACH,
      "aria-valuemax": REACH,
      onkeydown: (event) => {
        const by = { ArrowUp: SNAP, ArrowRight: SNAP, ArrowDown: -SNAP, ArrowLeft: -SNAP, PageUp: 1, PageDown: -1, Home: -9, End: 9 }[event.key];
        if (by === undefined) return;
        event.preventDefault();
        move(at() + by);
      },
    },
    reach,
    ring,
    knob,
  );
  onDrag(el, (event) => move(toValue(event.clientY)));
  return {
    el,
    update(x, y, thick, level) {
      put(reach, { x: x - thick / 2 - 6, y: y - 14, width: thick + 12 });
      put(ring, { x: x - thick / 2 - 4, y: y - 8, width: thick + 8 });
      put(knob, { x: x - thick / 2, y: y - 4.5, width: thick });
      put(el, { "aria-valuenow": at(), "aria-valuetext": brief(at() + level, 2) });
    },
  };
}

/** A class's name; the chosen one is the label. */
function Name(i, { onChoose, onStep }) {
  const [box, text, mark] = [s("rect", { rx: 3, height: 26, y: NAMES - 4 }), s("text", { "text-anchor": "middle", y: NAMES + 13 }), s("title", {})];
  const el = s(
    "g",
    {
      role: "radio",
      class: "ak-handle",
      style: "cursor:pointer",
      onclick: onChoose,
      onkeydown: (event) => {
        const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1, Home: "first", End: "last" }[event.key];
        if (by === undefined && event.key !== " ") return;
        event.preventDefault();
        if (by === undefined) onChoose();
        else onStep(by);
      },
    },
    mark,
    s("rect", { class: "ak-ring", rx: 5, height: 34, y: NAMES - 8 }),
    box,
    text,
  );
  return {
    el,
    update(x, slot, chosen) {
      const wide = Math.min(96, slot - 8);
      put(el, { "aria-checked": chosen, tabindex: chosen ? 0 : -1, "aria-label": `class ${i}` });
      put(mark, { text: `make class ${i} the true one` });
      put(el.children[1], { x: x - wide / 2 - 4, width: wide + 8 });
      put(box, { x: x - wide / 2, width: wide, class: chosen ? "ak-fill-value" : "ak-hollow ak-stroke-held" });
      put(text, { x, text: wide < 60 ? String(i) : `class ${i}`, style: chosen ? "fill:var(--ak-paper);font-weight:600" : null });
    },
  };
}
