import { h } from "./kit/core.js";
import { brief, fmt } from "./kit/numbers.js";
import { decode, listen, ask } from "./kit/kernel.js";
import { Frame } from "./kit/frame.js";
import { Segmented } from "./kit/segmented.js";
import { Slider } from "./kit/slider.js";
import { ClassBars } from "./kit/class_bars.js";

const INPUTS = ["logits", "label", "level", "way"];
const OUTPUTS = ["probabilities", "gradient", "loss", "sums"];
const WAYS = [
  { value: "exact", label: "in one piece", hint: "ak.nn.sparse_softmax_cross_entropy(label, logits)" },
  { value: "steps", label: "step by step", hint: "e = exp(logits);  p = e / sum(e);  loss = −log(p[label])" },
];

/** Lesson 08: drag logits, choose the label, raise all logits together; the gradient keeps its sum. */
function render({ model, el }) {
  const get = (name) => decode(model.get(name));
  const frame = Frame({
    model,
    el,
    title: "What does the loss ask of each logit?",
    lead: "Drag the logits, or step them with the arrow keys, and click the class that is the true one. The level is added to every logit: watch what it changes, computed in one piece and step by step.",
  });
  const way = Segmented({ label: "Computed", options: WAYS, value: get("way"), onChange: (value) => ask(model, { way: value }) });
  const classes = Segmented({
    label: "Classes",
    options: [3, 4, 5].map((n) => ({ value: n, label: `${n}` })),
    value: get("logits").length,
    onChange: (n) => {
      const logits = [...get("logits"), 0, 0].slice(0, n);
      ask(model, { logits, label: Math.min(get("label"), n - 1) });
    },
  });
  const level = Slider({
    label: "Level, added to every logit",
    min: -1000,
    max: 1000,
    step: 50,
    value: get("level"),
    onChange: (value) => ask(model, { level: value }),
  });
  const bars = ClassBars({
    label: "Logits, probabilities and gradient of each class",
    onMove: (i, to) => ask(model, { logits: get("logits").map((one, k) => (k === i ? to : one)) }),
    onLabel: (i) => ask(model, { label: i }),
  });
  const code = h("code", { style: "overflow-wrap:anywhere" });
  const shares = h("div", { class: "ak-figures" });
  const figures = [0, 1, 2].map(() => {
    const [words, value] = [h("span", {}), h("strong", {})];
    return { words, value, el: h("div", {}, words, value) };
  });
  frame.stage.append(
    h("div", { class: "ak-row", style: "margin-bottom:4px" }, way.el, classes.el, h("div", { class: "ak-grow" }, level.el)),
    h("p", { class: "ak-note", style: "margin:0 0 12px" }, code),
    h(
      "div",
      { class: "ak-split" },
      bars.el,
      h(
        "div",
        { class: "ak-side" },
        h("div", { class: "ak-figures" }, figures.map((one) => one.el)),
        h("div", {}, h("p", { class: "ak-note", style: "margin:0 0 4px" }, "probability − target = gradient"), shares),
      ),
    ),
  );

  function draw() {
    const [logits, label, shift] = [get("logits"), get("label"), get("level")];
    const [p, g, loss, sums] = OUTPUTS.map(get);
    way.update(get("way"));
    classes.update(logits.length);
    level.update(shift);
    code.textContent = WAYS.find((one) => one.value === get("way")).hint;
    if (p.length === logits.length) bars.update({ logits, probabilities: p, gradient: g, sums, label, level: shift });
    bill({ label, p, loss, sums }).forEach(([words, value], i) => {
      figures[i].words.textContent = words;
      figures[i].value.textContent = fmt(value, 4);
    });
    shares.replaceChildren(
      ...g.map((one, i) =>
        h("div", {}, h("span", { text: `class ${i}: ${fmt(p[i])} − ${i === label ? 1 : 0}` }), h("span", { style: "color:var(--ak-rev-text);font-weight:600", text: fmt(one) })),
      ),
    );
    frame.say(claim({ label, shift, g, loss, sums }));
    frame.tell({
      caption: `True class ${label}, loss ${fmt(loss, 4)}`,
      columns: ["class", "logit", "probability", "gradient"],
      rows: [
        ...logits.map((z, i) => [`class ${i}`, z + shift, p[i], g[i]]),
        ["sum", "", sums.probabilities, sums.gradient],
      ],
    });
  }

  const stop = listen(model, [...INPUTS, ...OUTPUTS, "answered"], draw);
  draw();
  return () => {
    stop();
    [frame, bars].forEach((part) => part.destroy());
  };
}

/** How the loss was computed, in the way that was answered: only the steps have a sum of exponentials. */
function bill({ label, p, loss, sums }) {
  if (sums.total === undefined) return [["log Σ exp(z)", sums.logsumexp], ["− logit of the label", sums.told], ["= loss", loss]];
  return [["Σ exp(z)", sums.total], ["p = exp(z) ÷ Σ, at the label", p[label]], ["−log p = loss", loss]];
}

/** What the loss is, and which way it moves the true class. */
function claim({ label, shift, g, loss, sums }) {
  if (!Number.isFinite(loss) || g.some((one) => !Number.isFinite(one)))
    return `At the level ${brief(shift)} the steps lose their numbers: the loss is ${fmt(loss, 4)}, and the gradient [${g.map((one) => fmt(one, 2)).join(", ")}].`;
  return `The loss is ${fmt(loss, 4)}. The gradient is p − 1 at class ${label}, which is ${fmt(g[label], 4)}, and p at the others; it sums to ${brief(sums.gradient)}.`;
}

export default { render };
