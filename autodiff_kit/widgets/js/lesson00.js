import { h, put } from "./kit/core.js";
import { brief, chip } from "./kit/numbers.js";
import { decode, listen, ask } from "./kit/kernel.js";
import { Frame } from "./kit/frame.js";
import { Segmented } from "./kit/segmented.js";
import { Slider } from "./kit/slider.js";
import { Stepper } from "./kit/stepper.js";
import { TapeTable } from "./kit/tape_table.js";

const INPUTS = ["program", "at", "target", "asks", "step"];
const OUTPUTS = ["nodes", "reverse", "gradients", "again", "kept"];
const lineOf = ({ name, op, inputs }) => (inputs.length ? `${name} = ${op}` : name);

/** Lesson 00: one sweep from any value of a record, and the answer that every value on the way gets. */
function render({ model, el }) {
  const get = (name) => decode(model.get(name));
  const frame = Frame({
    model,
    el,
    title: "One sweep, and every value on the way has its answer",
    lead: "Choose a record and what is asked about. Then step: the sweep goes up the tape, and each line multiplies what it is handed by its own slope.",
  });
  const events = () => get("reverse");
  const view = (step) => {
    model.set("step", step);
    model.save_changes();
    draw();
  };
  const restart = (changes) => {
    stepper.halt();
    ask(model, { step: 0, ...changes });
  };

  const program = Segmented({
    label: "Record of z",
    options: get("programs").map((value) => ({ value, label: value })),
    value: get("program"),
    onChange: (value) => restart({ program: value, target: "" }),
  });
  const stepper = Stepper({ label: "Step of the sweep", count: events().length, at: get("step"), onStep: view });
  const onStep = (by) => {
    stepper.halt();
    view(Math.min(events().length, Math.max(0, get("step") + by)));
  };
  const targetHost = h("div", {});
  const tapeHost = h("div", {});
  const sliderHost = h("div", { class: "ak-side", style: "gap:4px" });
  let shown = null; // the parts that are made anew for another record
  const rule = h("div", { class: "ak-rulebox", "aria-live": "polite" });
  const kept = h("p", { class: "ak-note" });
  const asks = Slider({
    label: "Times asked",
    min: 1,
    max: 5,
    value: get("asks"),
    onChange: (n) => ask(model, { asks: n }),
  });
  const answers = h("div", {});

  frame.stage.append(
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
        h("h4", { class: "ak-h", style: "margin-top:8px", text: "The same question again" }),
        asks.el,
        answers,
      ),
    ),
  );

  /** Table, sliders and targets of another record; nothing is made anew where only numbers changed. */
  function build() {
    const nodes = get("nodes");
    const key = JSON.stringify(nodes);
    if (shown?.key === key) return;
    const leaves = nodes.filter(({ inputs }) => !inputs.length).sort((p, q) => p.slot - q.slot);
    const made = nodes.filter(({ inputs }) => inputs.length).map(({ name }) => name);
    const names = JSON.stringify([leaves.map(({ name }) => name), made]);
    const focused = shown && shown.tape.el.contains(document.activeElement);
    shown?.tape.destroy();
    const tape = TapeTable({ rows: nodes, onStep, columns: ["rev"], digits: digits(nodes) });
    tapeHost.replaceChildren(tape.el);
    if (focused) tape.el.focus();
    if (shown?.names === names) {
      shown = { ...shown, key, tape };
      return;
    }
    const sliders = leaves.map(({ name, slot }) => ({
      slot,
      ...Slider({
        label: name,
        min: -5,
        max: 5,
        step: 0.5,
        value: get("at")[slot],
        onChange: (x) => ask(model, { at: get("at").map((old, i) => (i === slot ? x : old)) }),
      }),
    }));
    const target = Segmented({
      label: "Asked about",
      options: made.map((value) => ({ value, label: value })),
      value: get("target"),
      onChange: (value) => restart({ target: value }),
    });
    sliderHost.replaceChildren(...sliders.map((slider) => slider.el));
    targetHost.replaceChildren(target.el);
    shown = { key, names, tape, sliders, target };
  }

  const digits = (nodes) => (nodes.every(({ value }) => Number.isInteger(value)) ? 0 : 4);

  /** The column as it stands: what the sweep has reached, and after its end None where it never came. */
  function column(step) {
    const found = get("nodes").map(() => undefined);
    for (const { row, value } of events().slice(0, step)) found[row] = value;
    return step === events().length ? found.map((value) => (value === undefined ? null : value)) : found;
  }

  function draw() {
    build();
    const total = events().length;
    const step = Math.min(get("step"), total);
    const last = step ? events()[step - 1] : null;
    program.update(get("program"));
    shown.target.update(get("target"));
    shown.sliders.forEach(({ slot, update }) => update(get("at")[slot]));
    asks.update(get("asks"));
    stepper.update({ count: total, at: step });
    shown.tape.update({
      rev: column(step),
      now: last ? { row: last.row, from: last.from, mode: "rev" } : null,
      names: { rev: `d${get("target")}/d…\u00a0↑` },
    });
    rule.replaceChildren(
      ...(last
        ? [h("code", { text: lineOf(get("nodes")[last.from[0] ?? last.row]) }), h("span", { text: last.note })]
        : ["Nothing has come back yet. Press step, or arrow down, which goes up the tape."]),
    );
    drawKept();
    drawAgain();
    frame.say(sentence(step, total));
    const bytes = Object.fromEntries(get("kept"));
    frame.tell({
      caption: `The record, the slope of ${get("target")} with respect to each of its values, and what each line keeps`,
      digits: 4,
      columns: ["node", "operation", "value", `d${get("target")}/d(node)`, "bytes kept"],
      rows: get("nodes").map((node, k) => [
        node.name,
        node.op,
        brief(node.value),
        step === total ? text(get("gradients")[k]) : " ",
        node.inputs.length ? String(bytes[node.name]) : " ",
      ]),
    });
  }

  const text = (x) => (x === null ? "None" : brief(x));

  function drawKept() {
    const parts = get("kept");
    const sum = parts.reduce((all, [, bytes]) => all + bytes, 0);
    put(kept, {
      text: `Kept for the way back: ${parts.map(([name, bytes]) => `${name} ${bytes}`).join(", ")}; in all ${sum} bytes.`,
    });
  }

  function drawAgain() {
    const { name, fresh, kept: piled } = get("again");
    const line = (label, values) =>
      h(
        "div",
        { class: "ak-innerline" },
        h("span", { style: "flex:0 0 100%;font-weight:400", text: label }),
        h("span", { style: "display:flex;flex-wrap:wrap;gap:0 10px" }, values.map((x) => chip(x, Number.isInteger(x) ? 0 : 4, "rev"))),
      );
    const known = get("step") >= events().length;
    const hidden = (values) => (known ? values : values.map(() => undefined));
    answers.replaceChildren(
      line(`d${get("target")}/d${name}, zeros each time`, hidden(fresh)),
      line(`d${get("target")}/d${name}, piled up in the node`, hidden(piled)),
      known ? "" : h("span", { class: "ak-num ak-num-none", text: "run the sweep to the end" }),
    );
  }

  function sentence(step, total) {
    const target = get("target");
    if (!step) return `Step through the sweep from ${target}.`;
    if (step < total) return `Step ${step} of ${total} of the sweep from ${target}.`;
    const nodes = get("nodes");
    const order = [...nodes.keys()].reverse().filter((k) => nodes[k].name !== target);
    const come = order.filter((k) => get("gradients")[k] !== null);
    const never = order.filter((k) => get("gradients")[k] === null).map((k) => nodes[k].name);
    const said = come.map((k) => `d${target}/d${nodes[k].name} = ${brief(get("gradients")[k])}`).join(", ");
    const none = never.length ? ` ${never.join(", ")} ${never.length > 1 ? "do" : "does"} not lead to ${target}: None.` : "";
    return `One sweep from ${target} gave ${said}.${none}`;
  }

  const stop = listen(model, [...INPUTS, ...OUTPUTS, "answered"], draw);
  draw();
  return () => {
    stop();
    shown?.tape.destroy();
    [frame, stepper].forEach((part) => part.destroy());
  };
}

export default { render };
