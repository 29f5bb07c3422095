import { h, s, put, patterns, drawOnChange, linear } from "./dom.js";
import { brief, kindOf } from "./numbers.js";
import { numberLabel } from "./number_label.js";

export const ENTRY = 114; // px of one entry
const FIRST_TRACK = 42;
const OTHER_TRACK = 85;
const SLIM = 560; // px
const BESIDE = 13; // px between a track and the arrow that comes back along it

const track = (x1, x2, y, live) =>
  s("line", { x1, x2, y1: y, y2: y, class: live ? "ak-stroke-value" : "ak-stroke-held ak-dash", "stroke-width": live ? 2 : 1.5 });

/** An arrow that comes back from x1 to x2; what it carries gives its look: NaN heavy, a zero thin, None not at all. */
function back(x1, x2, y, carried) {
  const kind = kindOf(carried);
  if (kind === "none" || kind === "blank") return null;
  const tone = kind === "nan" ? "nan" : "rev";
  const colour = `var(--ak-${tone})`;
  return s(
    "g",
    {},
    s("line", { x1, x2: x2 + 6, y1: y, y2: y, class: `ak-stroke-${tone} ak-dash`, "stroke-width": kind === "nan" ? 4 : kind === "zero" ? 1.25 : 2.25 }),
    s("path", { d: `M${x2} ${y}l8 -5v10Z`, style: `fill:${colour}` }),
  );
}

/** What a side is, in one line or two; one that did not run is hollow and dashed. */
const box = (c, y, half, run, lines, nan = false) => [
  s("rect", {
    x: c.f - c.half,
    y: y - half,
    width: 2 * c.half,
    height: 2 * half,
    rx: 3,
    class: run ? "ak-hollow ak-stroke-value" : "ak-none-box",
  }),
  ...lines.map((text, i) =>
    s("text", {
      x: c.f,
      y: y + 4.5 + (i - (lines.length - 1) / 2) * 13,
      "text-anchor": "middle",
      class: nan ? "ak-in-nan" : run ? "ak-in-value" : "",
      style: run ? null : "font-style:italic",
      text,
    }),
  ),
];

/** The lever of a switch: a pivot, and a bar to the end of the track that it takes. */
const lever = (x, y, from, to) =>
  s(
    "g",
    {},
    s("line", { x1: x, y1: y, x2: from, y2: to, class: "ak-stroke-value", "stroke-width": 4, "stroke-linecap": "round" }),
    s("circle", { cx: x, cy: y, r: 4.5, class: "ak-ink-fill" }),
  );

/**
 * A switchyard: for each entry two tracks that lead to a choice, and the gradient coming back along both.
 * update({entries, f, guarded, run, stage, shared}): entries as the kernel sends them; f, how the function is written of a
 * text; guarded, whether a second choice stands before it; stage 0 to 4, how far the way back has come; shared, what
 * comes into the factor w in the end.
 */
export function BranchDiagram({ label }) {
  const fills = patterns();
  const picture = s("svg", { role: "img", "aria-label": label, width: "100%" });
  const el = h("div", { class: "ak-tracks" }, picture);
  let width = 0;
  let last = null;
  const mark = (x, at, role = "value") =>
    numberLabel(x, at, { role, striped: fills.url("nan"), digits: width < SLIM ? 2 : 4 });

  function columns() {
    const narrow = width < SLIM;
    const at = linear(0, 1, 0, width);
    return narrow
      ? { w: 14, ring: 12, x: 56, guard: 94, f: at(0.5), half: 32, pivot: width - 66, y: width - 20, narrow }
      : { w: 34, ring: 15, x: 116, guard: 200, f: at(0.5), half: 62, pivot: width - 150, y: width - 44, narrow };
  }

  /** Tracks, levers and boxes of one entry, with the values on them. */
  function wayOn(entry, i, c, { up, low, middle, end }) {
    const { guarded, f } = last;
    const [run, other] = [entry.value !== null, entry.into_other !== null];
    const gate = guarded ? c.guard + 22 : c.x;
    const [given, gives] = run ? [f(brief(entry.given, 2)), `= ${brief(entry.value, 2)}`] : ["not run", ""];
    const shown = c.narrow && run ? [given, gives] : [`${given} ${gives}`.trim()];
    const centre = { "text-anchor": "middle" };
    return [
      s("text", { x: c.x, y: up - 20, ...centre, class: "ak-strong", text: `x${"₀₁₂"[i]}` }),
      // The condition reaches the lever by a wire of its own, and nothing comes back along it.
      s("path", {
        d: `M${c.x} ${up + 12}V${low + 20}H${c.pivot}V${middle + 6}`,
        class: "ak-axis",
        style: "stroke-dasharray:1 4;stroke-linecap:round;stroke-width:1.5",
      }),
      s("text", { x: c.x + 8, y: low + 15, text: `x > 0: ${entry.chosen ? "yes" : "no"}` }),
      track(c.x, guarded ? c.guard - 14 : c.f - c.half, up, run && (!guarded || entry.chosen)),
      guarded ? track(gate, c.f - c.half, up, true) : null,
      guarded ? s("text", { x: c.guard - 14, y: up + 24, ...centre, class: "ak-strong", text: "1" }) : null,
      guarded ? lever(gate, up, c.guard - 12, entry.chosen ? up : up + 13) : null,
      track(c.f + c.half, end, up, run && entry.chosen),
      track(c.f + c.half, end, low, !entry.chosen),
      track(c.pivot, c.y, middle, true),
      lever(c.pivot, middle, end, entry.chosen ? up : low),
      ...box(c, up, c.narrow ? 17 : 15, run, shown, Number.isNaN(entry.value)),
      ...box(c, low, 12, other, [other ? "0" : "not run"]),
      mark(entry.x, { x: c.x, y: up }),
      mark(entry.y, { x: c.y, y: middle }),
      s("text", { x: c.y, y: middle - 16, ...centre, class: "ak-strong", text: `y${"₀₁₂"[i]}` }),
    ];
  }

  /** What has come back so far. */
  function wayBack(entry, c, { up, low, middle, end }) {
    const { stage, guarded } = last;
    const from = guarded ? c.guard : c.x;
    const between = (c.f + c.half + end) / 2;
    const worked = entry.value === null ? "" : chainRuleProduct(entry);
    const stages = [
      () => [mark(entry.into_y, { x: c.y, y: middle + 24 }, "rev")],
      () => [
        back(end, c.f + c.half + 2, up - BESIDE, entry.into_side),
        back(end, c.f + c.half + 2, low - BESIDE, entry.into_other),
        mark(entry.into_side, { x: between, y: up - BESIDE }, "rev"),
        mark(entry.into_other, { x: between, y: low - BESIDE }, "rev"),
      ],
      () => [
        back(c.f - c.half, c.x + 16, up - BESIDE, entry.into_x),
        mark(entry.into_x, { x: (from + c.f - c.half) / 2, y: up - BESIDE }, "rev"),
        s("text", { x: c.f, y: up - 23, "text-anchor": "middle", class: "ak-in-rev", text: worked }),
      ],
      () => [back(c.x - 16, c.w + c.ring + 3, up - BESIDE, entry.into_x)],
    ];
    return stages.slice(0, stage).flatMap((some) => some());
  }

  function oneEntry(entry, i, c) {
    const [up, low] = [i * ENTRY + FIRST_TRACK, i * ENTRY + OTHER_TRACK];
    const at = { up, low, middle: (up + low) / 2, end: c.pivot - (c.narrow ? 20 : 40) };
    return [...wayOn(entry, i, c, at), ...wayBack(entry, c, at)];
  }

  function sharedFactor(c, count) {
    const middle = FIRST_TRACK + ((count - 1) * ENTRY) / 2;
    const rows = Array.from({ length: count }, (_, i) => i * ENTRY + FIRST_TRACK);
    const parts = [
      s("path", { d: `M${c.w} ${rows[0]}V${rows.at(-1)}` + rows.map((y) => `M${c.w} ${y}H${c.x}`).join(""), class: "ak-stroke-value", fill: "none", "stroke-width": 2 }),
      s("circle", { cx: c.w, cy: middle, r: c.ring, class: "ak-hollow ak-stroke-value" }),
      s("text", { x: c.w, y: middle + 4.5, "text-anchor": "middle", class: "ak-strong", text: "w" }),
    ];
    if (last.stage >= 4)
      parts.push(mark(last.shared, { x: c.w + (c.narrow ? 2 : 0), y: middle + 28 }, "rev"));
    return parts;
  }

  function draw() {
    if (!last || !width) return;
    const c = columns();
    put(picture, { height: last.entries.length * ENTRY });
    picture.replaceChildren(
      fills.defs,
      ...sharedFactor(c, last.entries.length),
      ...last.entries.flatMap((entry, i) => oneEntry(entry, i, c)).filter(Boolean),
    );
  }

  return drawOnChange(el, draw, { width: (next) => (width = next), data: (next) => (last = next) });
}

const bracket = (x) => (x < 0 ? `(${brief(x)})` : brief(x));

/** The product that the function's rule works out, such as 0 · ∞ = NaN. */
export const chainRuleProduct = (entry) => `${brief(entry.into_side)} · ${bracket(entry.slope)} = ${brief(entry.into_given)}`;
