import { h, put } from "./kit/core.js";
import { fmt, chip, brief } from "./kit/numbers.js";
import { decode, listen, ask } from "./kit/kernel.js";
import { Frame } from "./kit/frame.js";
import { Segmented } from "./kit/segmented.js";
import { Slider } from "./kit/slider.js";
import { Stepper } from "./kit/stepper.js";
import { Bars } from "./kit/bars.js";

const INPUTS = ["sentence", "keep", "design", "c", "dtype", "empty", "stage"];
const OUTPUTS = ["tokens", "values", "before", "weights", "grads", "kept_sum", "output", "batch", "w_grad", "w_next"];
const DESIGNS = [
  ["zero", "zero after", "softmax first, then zero the padding"],
  ["renorm", "renormalise", "zero after, then divide by what is left"],
  ["minusinf", "−inf before", "masked scores become minus infinity before the softmax"],
  ["additive", "add c before", "a number c is added to masked scores"],
].map(([value, label, hint]) => ({ value, label, hint }));
const STAGES = ["weights of three sentences", "their outputs", "what each sends into the shared W", "W after one step"];

/** Lesson 09: click weights to mask them, choose a design, and watch what still flows into the padding. */
function render({ model, el }) {
  const get = (name) => decode(model.get(name));
  const frame = Frame({
    model,
    el,
    title: "Does the padding feel the loss?",
    lead: "Each score is the logarithm of a small whole number; the end is padding. Click a bar to mask or keep it. The arrows are the gradient of the output into each score.",
  });
  const design = Segmented({
    label: "Design",
    options: DESIGNS,
    value: get("design"),
    onChange: (value) => ask(model, { design: value }),
  });
  const amount = Slider({
    label: "c, added to masked scores",
    min: -1,
    max: -1e9,
    log: true,
    positions: 90,
    value: get("c"),
    onChange: (c) => ask(model, { c }),
  });
  const dtype = Segmented({
    label: "dtype",
    options: ["float32", "float64"].map((value) => ({ value, label: value })),
    value: get("dtype"),
    onChange: (value) => ask(model, { dtype: value }),
  });
  const sentence = h(
    "select",
    { "aria-label": "Sentence", onchange: () => ask(model, { sentence: Number(sentence.value), stage: 0 }) },
    get("sentences").map((text, i) => h("option", { value: i, text })),
  );
  const empty = Segmented({
    label: "a row with nothing kept gives",
    options: [
      { value: "zero", label: "0", hint: "weights of 0: the row adds nothing" },
      { value: "nan", label: "NaN", hint: "weights of NaN: a mistake shows" },
    ],
    value: get("empty"),
    onChange: (value) => ask(model, { empty: value }),
  });
  const all = h("button", {
    type: "button",
    text: "Mask all",
    onclick: () => ask(model, { keep: get("keep").map(() => get("keep").every((kept) => !kept)) }),
  });
  const bars = Bars({
    label: "Attention weights",
    arrowTitle: "gradient of the output into each score",
    onToggle: (i) => ask(model, { keep: get("keep").map((kept, k) => (k === i ? !kept : kept)) }),
  });
  const figures = h("div", { class: "ak-figures" });
  const stage = Stepper({
    label: "Stage of the batch",
    first: 1,
    count: STAGES.length - 1,
    at: get("stage"),
    pace: 1400,
    onStep: (to) => ask(model, { stage: to }),
  });
  const stages = STAGES.map((text) => h("li", { text }));
  const batch = h("table", { class: "ak-table ak-batch" });

  frame.stage.append(
    h(
      "div",
      { class: "ak-row", style: "margin-bottom:12px" },
      h("div", {}, h("div", { class: "ak-label", text: "Sentence" }), sentence),
      design.el,
      dtype.el,
    ),
    h(
      "div",
      { class: "ak-split" },
      bars.el,
      h("div", { class: "ak-side" }, figures, amount.el, empty.el, h("div", {}, all)),
    ),
    h("hr", { class: "ak-rule" }),
    h(
      "h4",
      { class: "ak-h" },
      "A batch that shares one projection W",
      h("small", { text: "one sentence of it is empty" }),
    ),
    h(
      "div",
      { class: "ak-split" },
      h("div", { class: "ak-scroll", tabindex: 0, role: "region", "aria-label": "The batch" }, batch),
      h("ol", { class: "ak-stages" }, stages),
    ),
    stage.el,
  );

  function draw() {
    const [keep, weights, grads, before] = ["keep", "weights", "grads", "before"].map(get);
    const [tokens, values] = [get("tokens"), get("values")];
    design.update(get("design"));
    dtype.update(get("dtype"));
    amount.update(get("c"));
    empty.update(get("empty"));
    put(empty.el, { hidden: get("design") !== "renorm" });
    sentence.value = String(get("sentence"));
    put(amount.el, { hidden: get("design") !== "additive" });
    put(all, { text: keep.some(Boolean) ? "Mask all" : "Keep all" });
    const finite = [...grads].filter(Number.isFinite).map(Math.abs);
    bars.update({
      most: Math.max(0.5, ...[...weights, ...before].filter(Number.isFinite)),
      steepest: Math.max(6, ...finite),
      items: tokens.map((name, i) => ({
        name,
        note: `value ${brief(values[i])}`,
        before: before[i],
        after: weights[i],
        kept: keep[i],
        grad: grads[i],
      })),
    });
    const leak = grads
      .filter((_, i) => !keep[i])
      .reduce((most, g) => (Math.abs(g) > Math.abs(most) || Number.isNaN(g) ? g : most), 0); // the largest
    const rows = [
      ["kept weights sum to", get("kept_sum"), "value"],
      ["output", get("output"), "value"],
      ["gradient into padding", keep.every(Boolean) ? undefined : leak, "rev"],
    ];
    figures.replaceChildren(
      ...rows.map(([name, x, role]) =>
        h("div", {}, h("span", { text: name }), x === undefined ? "–" : h("strong", {}, chip(x, 4, role))),
      ),
    );
    drawBatch();
    frame.say(claim(keep, leak));
    frame.tell({
      caption: `Weights and gradients, ${DESIGNS.find((d) => d.value === get("design")).label}, ${get("dtype")}`,
      columns: ["token", "kept", "value", "plain weight", "weight", "gradient into score"],
      rows: tokens.map((name, i) => [name, keep[i] ? "yes" : "no", brief(values[i]), before[i], weights[i], grads[i]]),
    });
  }

  function drawBatch() {
    const at = get("stage");
    const cell = (x, shown, digits = 4, extra = "") =>
      h("td", { class: extra + (shown && Number.isNaN(x) ? " ak-bg-nan" : "") }, shown ? chip(x, digits) : "·");
    const spread = at === 3 && Number.isNaN(get("w_next"));
    const word = (row, i) => h("small", { class: row.keep[i] ? "ak-word" : "ak-word ak-masked", text: row.tokens[i] });
    const body = get("batch").map((row) =>
      h(
        "tr",
        {},
        h("th", { scope: "row", text: row.name }),
        ...row.weights.map((w, i) => {
          const at = cell(spread ? NaN : w, true, 2, row.keep[i] ? "" : "ak-bg-mask");
          at.prepend(word(row, i));
          return at;
        }),
        cell(spread ? NaN : row.output, at >= 1, 2),
        cell(row.slope, at >= 2),
      ),
    );
    batch.replaceChildren(
      h("caption", { class: "ak-sr", text: `Stage ${at + 1}: ${STAGES[at]}` }),
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          ["sentence", ...get("tokens").map((_, i) => `w${i}`), "output", "into W"].map((text) =>
            h("th", { scope: "col", text }),
          ),
        ),
      ),
      h("tbody", {}, body),
      h(
        "tfoot",
        {},
        h(
          "tr",
          {},
          h("th", {
            scope: "row",
            colspan: get("tokens").length + 1,
            text: at === 3 ? "W was 1; after one step it is" : "the loss leaves the empty row out; into W",
          }),
          h("td", { text: "" }),
          cell(at === 3 ? get("w_next") : get("w_grad"), at >= 2),
        ),
      ),
    );
    stages.forEach((item, i) => put(item, { "aria-current": i === at ? "step" : null }));
    stage.update({ at });
  }

  function claim(keep, leak) {
    if (!keep.some(Boolean))
      return `All masked: the weights are ${get("weights")
        .map((w) => fmt(w, 2))
        .join(", ")}.`;
    if (keep.every(Boolean)) return `Nothing is masked; the output is ${fmt(get("output"), 4)}.`;
    if (Number.isNaN(leak)) return "The gradient is NaN.";
    return Math.abs(leak) < 5e-13
      ? `No gradient reaches the padding; the output is ${fmt(get("output"), 4)}.`
      : `A gradient of ${fmt(leak, 4)} still reaches the padding; the kept weights sum to ${fmt(get("kept_sum"), 4)}.`;
  }

  const stop = listen(model, [...INPUTS, ...OUTPUTS, "answered"], draw);
  draw();
  return () => {
    stop();
    [frame, bars, stage].forEach((part) => part.destroy());
  };
}

export default { render };
