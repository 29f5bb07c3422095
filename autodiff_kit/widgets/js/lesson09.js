import { h, put } from "./kit/dom.js";
import { chip, brief } from "./kit/numbers.js";
import { ask, mount } from "./kit/model_sync.js";
import { inputChoice, inputSlider } from "./kit/controls.js";
import { FoldWhenLow } from "./kit/fold_when_low.js";
import { Frame } from "./kit/frame.js";
import { Stepper } from "./kit/stepper.js";
import { MaskedBars } from "./kit/masked_bars.js";

const DESIGNS = [
  ["zero", "zero after", "softmax first, then zero the padding"],
  ["renorm", "renormalise", "zero after, then divide by the sum of the kept weights"],
  ["minusinf", "−inf before", "masked scores become minus infinity before the softmax"],
  ["additive", "add c before", "a number c is added to masked scores"],
].map(([value, label, hint]) => ({ value, label, hint }));
const DTYPES = ["float32", "float64"].map((value) => ({ value, label: value }));
const EMPTY_ROWS = [
  { value: "zero", label: "0", hint: "weights of 0: the row adds nothing" },
  { value: "nan", label: "NaN", hint: "weights of NaN: you notice the empty row" },
];
const STAGES = ["weights of three sentences", "their outputs", "what each sends into W", "W after one step"];
const LAST_STAGE = STAGES.length - 1;

/** Lesson 09: attention weights that are masked in four designs, and the gradient that still reaches the padding. */
function render({ model, el }) {
  const frame = Frame({
    model,
    el,
    title: "Does a gradient reach the padding?",
    lead: "Click a bar to mask or keep it. Each score is the logarithm of a small integer.",
  });
  const parts = { ...makeControls(model), ...makeBatch(model) };
  parts.fold = FoldWhenLow({ words: "Sentence and dtype", controls: [parts.sentence, parts.dtype.el] });
  frame.stage.append(...layout(parts));
  parts.fold.take();
  return mount(model, [frame, ...Object.values(parts)], (traits) => {
    const state = { ...traits, leak: largestLeak(traits) };
    updateControls(parts, state);
    drawBars(parts.bars, state);
    drawFigures(parts.figures, state);
    drawBatch(parts.batch, state);
    put(parts.stage, { text: STAGES[state.stage] });
    frame.say(sentenceOf(state));
    frame.tell(tableOf(state));
  });
}

function makeControls(model) {
  const select = h(
    "select",
    { "aria-label": "Sentence", onchange: () => ask(model, { sentence: Number(select.value), stage: 0 }) },
    model.get("sentences").map((text, i) => h("option", { value: i, text })),
  );
  const maskAll = () => model.get("keep").map(() => model.get("keep").every((kept) => !kept));
  const c = { label: "c, added to masked scores", min: -1, max: -1e9, log: true, positions: 90 };
  return {
    select,
    sentence: h("div", {}, h("div", { class: "ak-label", text: "Sentence" }), select),
    design: inputChoice(model, "design", "Design", DESIGNS),
    dtype: inputChoice(model, "dtype", "dtype", DTYPES),
    c: inputSlider(model, "c", c),
    empty: inputChoice(model, "empty", "a row with nothing kept gives", EMPTY_ROWS),
    all: h("button", { type: "button", text: "Mask all", onclick: () => ask(model, { keep: maskAll() }) }),
    figures: h("div", { class: "ak-figures" }),
    bars: MaskedBars({
      label: "Attention weights",
      arrowTitle: { long: "gradient of the output into each score", short: "gradient into each score" },
      onToggle: (i) => ask(model, { keep: model.get("keep").map((kept, k) => (k === i ? !kept : kept)) }),
    }),
  };
}

const makeBatch = (model) => ({
  batch: h("table", { class: "ak-table ak-batch" }),
  stage: h("small", {}),
  stepper: Stepper({
    label: "Stage of the batch",
    first: 1,
    count: LAST_STAGE,
    at: model.get("stage"),
    pace: 1400,
    onStep: (stage) => ask(model, { stage }),
  }),
});

const layout = ({ sentence, design, dtype, fold, bars, figures, c, empty, all, batch, stage, stepper }) => [
  h("div", { class: "ak-row", style: "margin-bottom:8px" }, sentence, design.el, dtype.el),
  fold.el,
  h("div", { class: "ak-split" }, bars.el, h("div", { class: "ak-side" }, figures, c.el, empty.el, h("div", {}, all))),
  h(
    "div",
    { class: "ak-row", style: "margin:8px 0 2px;align-items:center" },
    h("h4", { class: "ak-h", style: "margin:0" }, "A batch that shares one W"),
    h("div", { class: "ak-grow" }, stepper.el),
    stage, // after the stepper, which would move with the length of this text
  ),
  h("div", { class: "ak-scroll", tabindex: 0, role: "region", "aria-label": "The batch" }, batch),
];

/** The gradient of a masked score that is largest in size; NaN where one is. */
const largestLeak = ({ grads, keep }) =>
  grads
    .filter((_, i) => !keep[i])
    .reduce((most, g) => (Math.abs(g) > Math.abs(most) || Number.isNaN(g) ? g : most), 0);

function updateControls(parts, { sentence, design, dtype, c, empty, keep, stage }) {
  for (const [name, value] of Object.entries({ design, dtype, c, empty })) parts[name].update(value);
  parts.select.value = String(sentence);
  put(parts.empty.el, { hidden: design !== "renorm" });
  put(parts.c.el, { hidden: design !== "additive" });
  put(parts.all, { text: keep.some(Boolean) ? "Mask all" : "Keep all" });
  parts.stepper.update({ at: stage });
}

function drawBars(bars, { tokens, values, before, weights, grads, keep }) {
  bars.update({
    most: Math.max(0.4, ...[...weights, ...before].filter(Number.isFinite)),
    steepest: Math.max(6, ...grads.filter(Number.isFinite).map(Math.abs)),
    items: tokens.map((name, i) => ({
      name,
      note: `value ${brief(values[i])}`,
      short: brief(values[i]),
      before: before[i],
      after: weights[i],
      kept: keep[i],
      grad: grads[i],
    })),
  });
}

function drawFigures(figures, { kept_sum: keptSum, output, keep, leak }) {
  const rows = [
    ["kept weights sum to", keptSum, "value"],
    ["output", output, "value"],
    ["gradient of padding", keep.every(Boolean) ? undefined : leak, "rev"],
  ];
  const value = (x, role) => (x === undefined ? "–" : h("strong", {}, chip(x, 4, role, brief)));
  figures.replaceChildren(...rows.map(([name, x, role]) => h("div", {}, h("span", { text: name }), value(x, role))));
}

/** A cell with a number, striped where it is NaN; a dot before its stage. */
const cell = (x, shown, digits = 4, look = "") =>
  h("td", { class: look + (shown && Number.isNaN(x) ? " ak-bg-nan" : "") }, shown ? chip(x, digits) : "·");

/** One sentence of the batch; after a step that made W NaN, all that W multiplies is NaN. */
function batchRow(row, stage, spread) {
  const weights = row.weights.map((w, i) => cell(spread ? NaN : w, true, 2, row.keep[i] ? "" : "ak-bg-mask"));
  return h(
    "tr",
    {},
    h("th", { scope: "row", text: row.name }),
    ...weights,
    cell(spread ? NaN : row.output, stage >= 1, 2),
    cell(row.slope, stage >= 2),
  );
}

function drawBatch(table, { batch, tokens, stage, w_grad: gradient, w_next: next }) {
  const stepped = stage === LAST_STAGE;
  const heads = ["sentence", ...tokens.map((_, i) => `w${i}`), "output", "into W"];
  const total = stepped ? "W was 1; after one step it is" : "the loss leaves the empty row out; into W";
  table.replaceChildren(
    h("caption", { class: "ak-sr", text: `Stage ${stage + 1}: ${STAGES[stage]}` }),
    h("thead", {}, h("tr", {}, heads.map((text) => h("th", { scope: "col", text })))),
    h("tbody", {}, batch.map((row) => batchRow(row, stage, stepped && Number.isNaN(next)))),
    h(
      "tfoot",
      {},
      h(
        "tr",
        {},
        h("th", { scope: "row", colspan: tokens.length + 1, text: total }),
        h("td", { text: "" }),
        cell(stepped ? next : gradient, stage >= 2),
      ),
    ),
  );
}

/** What follows the weights of a row with nothing kept, in each design. */
const ALL_MASKED = {
  zero: ": the softmax comes first, and its weights are then set to 0.",
  renorm: ": the sum of the kept weights is 0, and you chose what such a row gives.",
  minusinf: ", because each is 0/0. The gradients are 0 all the same: the masked scores are replaced by −∞, and nothing goes back to them.",
  additive: ": with c added to all scores, the weights differ from those without a mask by rounding only.",
};

function sentenceOf({ keep, design, weights, output, leak, kept_sum: keptSum }) {
  if (!keep.some(Boolean)) {
    const same = weights.every((w) => Object.is(w, weights[0]));
    const what = same ? `all weights are ${brief(weights[0])}` : `the weights are ${weights.map((w) => brief(w)).join(", ")}`;
    return `All masked: ${what}${ALL_MASKED[design]}`;
  }
  if (keep.every(Boolean)) return `Nothing is masked; the output is ${brief(output)}.`;
  if (Number.isNaN(leak)) return "The gradient is NaN.";
  return Math.abs(leak) < 5e-13
    ? `No gradient reaches the padding; the output is ${brief(output)}.`
    : `A gradient of ${brief(leak)} still reaches the padding; the kept weights sum to ${brief(keptSum)}.`;
}

const tableOf = ({ tokens, keep, values, before, weights, grads, design, dtype }) => ({
  caption: `Weights and gradients, ${DESIGNS.find((one) => one.value === design).label}, ${dtype}`,
  columns: ["token", "kept", "value", "plain weight", "weight", "gradient of score"],
  rows: tokens.map((name, i) => [name, keep[i] ? "yes" : "no", brief(values[i]), before[i], weights[i], grads[i]]),
});

export default { render };
