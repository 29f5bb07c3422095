import { h, put } from "./kit/dom.js";
import { brief, chip } from "./kit/numbers.js";
import { ask, mount, setView } from "./kit/model_sync.js";
import { inputSlider, withEntry } from "./kit/controls.js";
import { Frame } from "./kit/frame.js";
import { Segmented } from "./kit/segmented.js";
import { Slider } from "./kit/slider.js";
import { Stepper } from "./kit/stepper.js";
import { TapeTable } from "./kit/tape_table.js";

const lineOf = ({ name, op, inputs }) => (inputs.length ? `${name} = ${op}` : name);
const isInput = (node) => !node.inputs.length;

/** Lesson 00: one reverse sweep from any value of a tape, and the gradient that it gives to every value on the way. */
function render({ model, el }) {
  const frame = Frame({
    model,
    el,
    title: "One sweep gives the derivative with respect to every value before the target",
    lead: "Choose a record and a target. Then step: the sweep goes up the tape, and each line multiplies its cotangent by its own derivatives.",
  });
  const restart = (changes) => {
    parts.stepper.halt();
    ask(model, { step: 0, ...changes });
  };
  const parts = makeParts(model, restart);
  const recordParts = RecordParts(model, parts, restart);
  frame.stage.append(...layout(parts, recordParts));
  return mount(model, [frame, recordParts, ...Object.values(parts)], (traits) => {
    const total = traits.reverse.length;
    const state = { ...traits, total, step: Math.min(traits.step, total) };
    state.last = state.step ? state.reverse[state.step - 1] : null;
    recordParts.update(state);
    updateControls(parts, state);
    drawRule(parts.rule, state);
    drawKept(parts.kept, state);
    drawAgain(parts.answers, traits);
    frame.say(sentence(state));
    frame.tell(tableOf(state));
  });
}

const makeParts = (model, restart) => ({
  program: Segmented({
    label: "Record of z",
    options: model.get("programs").map((value) => ({ value, label: value })),
    value: model.get("program"),
    onChange: (value) => restart({ program: value, target: "" }),
  }),
  stepper: Stepper({
    label: "Step of the sweep",
    count: model.get("reverse").length,
    at: model.get("step"),
    onStep: (step) => setView(model, { step }),
  }),
  asks: inputSlider(model, "asks", { label: "Times asked", min: 1, max: 5, toInput: Math.round }),
  rule: h("div", { class: "ak-rulebox", "aria-live": "polite" }),
  kept: h("p", { class: "ak-note" }),
  answers: h("div", {}),
});

const layout = ({ program, stepper, rule, kept, asks, answers }, { targetHost, tapeHost, sliderHost }) => [
  h("div", { class: "ak-row", style: "margin-bottom:12px" }, program.el, targetHost),
  h("div", { style: "margin-bottom:12px" }, stepper.el),
  h(
    "div",
    { class: "ak-split" },
    h("div", {}, tapeHost, rule, kept),
    h(
      "div",
      { class: "ak-side" },
      sliderHost,
      h("h4", { class: "ak-h", style: "margin-top:8px", text: "The same call again" }),
      asks.el,
      answers,
    ),
  ),
];

/** Table, sliders and targets of the record: made anew for another record, and not where only numbers changed. */
function RecordParts(model, { stepper }, restart) {
  const hosts = {
    targetHost: h("div", {}),
    tapeHost: h("div", {}),
    sliderHost: h("div", { class: "ak-side", style: "gap:4px" }),
  };
  let shown = null;
  const onStep = (by) => {
    stepper.halt();
    setView(model, { step: Math.min(model.get("reverse").length, Math.max(0, model.get("step") + by)) });
  };
  function makeTable(nodes) {
    const focused = shown?.tape.el.contains(document.activeElement);
    shown?.tape.destroy();
    const digits = nodes.every(({ value }) => Number.isInteger(value)) ? 0 : 4;
    const tape = TapeTable({ rows: nodes, onStep, columns: ["rev"], digits });
    hosts.tapeHost.replaceChildren(tape.el);
    if (focused) tape.el.focus();
    return tape;
  }
  function makeControls(inputs, computed, target) {
    const sliders = inputs.map(({ name, slot }) => ({ slot, ...valueSlider(model, name, slot) }));
    const options = computed.map((value) => ({ value, label: value }));
    const targets = Segmented({ label: "Asked about", options, value: target, onChange: (value) => restart({ target: value }) });
    hosts.sliderHost.replaceChildren(...sliders.map((slider) => slider.el));
    hosts.targetHost.replaceChildren(targets.el);
    return { sliders, targets };
  }
  function rebuild({ nodes, target }) {
    const key = JSON.stringify(nodes);
    if (shown?.key === key) return;
    const inputs = nodes.filter(isInput).sort((p, q) => p.slot - q.slot);
    const computed = nodes.filter((node) => !isInput(node)).map(({ name }) => name);
    const names = JSON.stringify([inputs.map(({ name }) => name), computed]);
    const controls = shown?.names === names ? {} : makeControls(inputs, computed, target);
    shown = { ...shown, key, names, tape: makeTable(nodes), ...controls };
  }
  function update(state) {
    rebuild(state);
    const { target, at, last } = state;
    shown.targets.update(target);
    shown.sliders.forEach((slider) => slider.update(at[slider.slot]));
    shown.tape.update({
      rev: gradientColumn(state),
      now: last ? { row: last.row, from: last.from, mode: "rev" } : null,
      names: { rev: `d${target}/d(node)\u00a0↑` },
    });
  }
  return { ...hosts, update, destroy: () => shown?.tape.destroy() };
}

const valueSlider = (model, name, slot) =>
  Slider({
    label: name,
    min: -5,
    max: 5,
    step: 0.5,
    value: model.get("at")[slot],
    onChange: (x) => ask(model, { at: withEntry(model.get("at"), slot, x) }),
  });

/** The gradients that the sweep has reached; after its end, None where it never came. */
function gradientColumn({ nodes, reverse, step, total }) {
  const found = nodes.map(() => undefined);
  for (const { row, value } of reverse.slice(0, step)) found[row] = value;
  return step === total ? found.map((value) => (value === undefined ? null : value)) : found;
}

function updateControls(parts, { program, asks, step, total }) {
  parts.program.update(program);
  parts.asks.update(asks);
  parts.stepper.update({ count: total, at: step });
}

function drawRule(rule, { last, nodes }) {
  rule.replaceChildren(
    ...(last
      ? [h("code", { style: "white-space:nowrap", text: lineOf(nodes[last.from[0] ?? last.row]) }), h("span", { text: last.note })]
      : ["The sweep has not started. Press step, or arrow down, which goes up the tape."]),
  );
}

function drawKept(note, { kept }) {
  const sum = kept.reduce((all, [, bytes]) => all + bytes, 0);
  const each = kept.map(([name, bytes]) => `${name} ${bytes}`).join(", ");
  put(note, { text: `Kept for the sweep: ${each}; in all ${sum} bytes.` });
}

/** The gradient that is asked for many times: computed from zeros each time, and accumulated in the node. */
function drawAgain(answers, { again, target, reverse, step }) {
  const { name, fresh, kept } = again;
  const known = step >= reverse.length;
  const line = (label, values) =>
    h(
      "div",
      { class: "ak-innerline" },
      h("span", { style: "flex:0 0 100%;font-weight:400", text: label }),
      h(
        "span",
        { style: "display:flex;flex-wrap:wrap;gap:0 10px" },
        values.map((x) => chip(known ? x : undefined, known && !Number.isInteger(x) ? 4 : 0, "rev")),
      ),
    );
  answers.replaceChildren(
    line(`d${target}/d${name}, from zero each time`, fresh),
    line(`d${target}/d${name}, added to the stored gradient`, kept),
    known ? "" : h("span", { class: "ak-num ak-num-none", text: "run the sweep to the end" }),
  );
}

function sentence({ target, step, total, nodes, gradients }) {
  if (!step) return `Step through the sweep from ${target}.`;
  if (step < total) return `Step ${step} of ${total} of the sweep from ${target}.`;
  const others = [...nodes.keys()].reverse().filter((k) => nodes[k].name !== target);
  const reached = others.filter((k) => gradients[k] !== null);
  const unreached = others.filter((k) => gradients[k] === null).map((k) => nodes[k].name);
  const said = reached.map((k) => `d${target}/d${nodes[k].name} = ${brief(gradients[k])}`).join(", ");
  const none = unreached.length ? ` ${unreached.join(", ")} ${unreached.length > 1 ? "do" : "does"} not lead to ${target}: None.` : "";
  return `One sweep from ${target} gave ${said}.${none}`;
}

function tableOf({ target, nodes, gradients, kept, step, total }) {
  const bytes = Object.fromEntries(kept);
  const words = (x) => (x === null ? "None" : brief(x));
  return {
    caption: `The record, the slope of ${target} with respect to each of its values, and what each line keeps`,
    digits: 4,
    columns: ["node", "operation", "value", `d${target}/d(node)`, "bytes kept"],
    rows: nodes.map((node, k) => [
      node.name,
      node.op,
      brief(node.value),
      step === total ? words(gradients[k]) : " ",
      isInput(node) ? " " : String(bytes[node.name]),
    ]),
  };
}

export default { render };
