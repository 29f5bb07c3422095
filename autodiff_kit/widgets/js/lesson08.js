import { h } from "./kit/dom.js";
import { brief, fmt } from "./kit/numbers.js";
import { ask, mount } from "./kit/model_sync.js";
import { inputChoice, inputSlider, withEntry } from "./kit/controls.js";
import { Frame } from "./kit/frame.js";
import { Segmented } from "./kit/segmented.js";
import { ClassBars } from "./kit/class_bars.js";

const WAYS = [
  { value: "exact", label: "one function", hint: "ak.nn.sparse_softmax_cross_entropy(label, logits)" },
  { value: "steps", label: "step by step", hint: "e = exp(logits);  p = e / sum(e);  loss = −log(p[label])" },
];

/** Lesson 08: logits, a label and a shift of all logits; softmax cross-entropy and its gradient, class by class. */
function render({ model, el }) {
  const frame = Frame({
    model,
    el,
    title: "The gradient of the loss, class by class",
    lead: "Drag the logits, or use the arrow keys, and click the true class. The level is added to every logit: see what it changes, with one function and step by step.",
  });
  const parts = { ...makeControls(model), ...makeReadouts() };
  frame.stage.append(...layout(parts));
  return mount(model, [frame, ...Object.values(parts)], (state) => {
    updateControls(parts, state);
    drawBars(parts.bars, state);
    drawLoss(parts.figures, state);
    drawDifferences(parts.shares, state);
    frame.say(sentence(state));
    frame.tell(tableOf(state));
  });
}

const makeControls = (model) => ({
  way: inputChoice(model, "way", "Computed", WAYS),
  classes: Segmented({
    label: "Classes",
    options: [3, 4, 5].map((n) => ({ value: n, label: `${n}` })),
    value: model.get("logits").length,
    onChange: (n) => {
      const logits = [...model.get("logits"), 0, 0].slice(0, n);
      ask(model, { logits, label: Math.min(model.get("label"), n - 1) });
    },
  }),
  level: inputSlider(model, "level", { label: "Level, added to every logit", min: -1000, max: 1000, step: 50 }),
  bars: ClassBars({
    label: "Logits, probabilities and gradient of each class",
    onMove: (i, to) => ask(model, { logits: withEntry(model.get("logits"), i, to) }),
    onLabel: (i) => ask(model, { label: i }),
  }),
});

const makeReadouts = () => ({
  code: h("code", { style: "overflow-wrap:anywhere" }),
  shares: h("div", { class: "ak-figures" }),
  figures: [0, 1, 2].map(() => {
    const [words, value] = [h("span", {}), h("strong", {})];
    return { words, value, el: h("div", {}, words, value) };
  }),
});

const layout = ({ way, classes, level, code, bars, figures, shares }) => [
  h(
    "div",
    { class: "ak-row", style: "margin-bottom:12px" },
    way.el,
    classes.el,
    h("div", { class: "ak-grow" }, level.el),
  ),
  h(
    "div",
    { class: "ak-split ak-wide-side" },
    bars.el,
    h(
      "div",
      { class: "ak-side" },
      h("p", { class: "ak-note", style: "margin:0" }, code),
      h("div", { class: "ak-figures" }, figures.map((one) => one.el)),
      h("div", {}, h("p", { class: "ak-note", style: "margin:0 0 4px" }, "probability − target = gradient"), shares),
    ),
  ),
];

function updateControls(parts, { way, logits, level }) {
  parts.way.update(way);
  parts.classes.update(logits.length);
  parts.level.update(level);
  const [before, ...after] = WAYS.find((one) => one.value === way).hint.split("(label,");
  parts.code.replaceChildren(before, ...after.flatMap((rest) => [h("wbr"), `(label,${rest}`]));
}

function drawBars(bars, { logits, probabilities, gradient, sums, label, level }) {
  if (probabilities.length === logits.length) bars.update({ logits, probabilities, gradient, sums, label, level });
}

/** How the loss was computed, in the way that was answered: only the steps have a sum of exponentials. */
function lossTerms({ label, probabilities, loss, sums }) {
  if (sums.total === undefined)
    return [
      ["log Σ exp(z)", sums.logsumexp],
      ["− logit of the label", sums.told],
      ["= loss", loss],
    ];
  return [
    ["Σ exp(z)", sums.total],
    ["p = exp(z) ÷ Σ, at the label", probabilities[label]],
    ["−log p = loss", loss],
  ];
}

function drawLoss(figures, state) {
  lossTerms(state).forEach(([words, value], i) => {
    figures[i].words.textContent = words;
    figures[i].value.textContent = fmt(value, 4);
  });
}

/** For each class probability minus target, which is the gradient. */
function drawDifferences(host, { probabilities, gradient, label }) {
  const difference = (g, i) => [
    h("span", { text: `class ${i}: ${fmt(probabilities[i])} − ${i === label ? 1 : 0}` }),
    h("span", { style: "color:var(--ak-rev-text);font-weight:600", text: fmt(g) }),
  ];
  host.replaceChildren(...gradient.map((g, i) => h("div", {}, difference(g, i))));
}

/** What the loss is, and which way it moves the true class. */
function sentence({ label, level, gradient, loss, sums }) {
  if (!Number.isFinite(loss) || gradient.some((g) => !Number.isFinite(g)))
    return `At the level ${brief(level)} the exponentials overflow or underflow: the loss is ${fmt(loss, 4)}, and the gradient [${gradient.map((g) => fmt(g, 2)).join(", ")}].`;
  return `The loss is ${fmt(loss, 4)}. The gradient is p − 1 at class ${label}, which is ${fmt(gradient[label], 4)}, and p at the others; it sums to ${brief(sums.gradient)}.`;
}

const tableOf = ({ label, loss, logits, level, probabilities, gradient, sums }) => ({
  caption: `True class ${label}, loss ${fmt(loss, 4)}`,
  columns: ["class", "logit", "probability", "gradient"],
  rows: [
    ...logits.map((z, i) => [`class ${i}`, z + level, probabilities[i], gradient[i]]),
    ["sum", "", sums.probabilities, sums.gradient],
  ],
});

export default { render };
