import { h, put } from "./kit/dom.js";
import { brief } from "./kit/numbers.js";
import { decode, ask, mount, setView } from "./kit/model_sync.js";
import { inputSlider } from "./kit/controls.js";
import { Frame } from "./kit/frame.js";
import { Segmented } from "./kit/segmented.js";
import { Stepper } from "./kit/stepper.js";
import { TapeTable } from "./kit/tape_table.js";
import { VectorInput } from "./kit/vector_input.js";
import { CostBars } from "./kit/cost_bars.js";

const SWEEPS = [
  { value: "forward", label: "push ↓", hint: "forward mode: tangents fill downwards" },
  { value: "reverse", label: "pull ↑", hint: "reverse mode: cotangents fill upwards" },
  { value: "double", label: "double pull ↑↑", hint: "reverse mode twice gives Jv without forward mode" },
];
const SWEEP_NAMES = { forward: "push", reverse: "pull", double: "double pull" };
const DIAL_REACH = 3;
const MODES = ["fwd", "rev"];
const lineOf = ({ name, op, inputs }) => (inputs.length ? `${name} = ${op}` : name);
const paren = (x) => (x < 0 ? `(${brief(x)})` : brief(x));
const listed = (vector) => vector.map((x) => brief(x)).join(", ");

/** Lesson 01: a tape filled downwards by a JVP and upwards by a VJP, and the inner product that both agree on. */
function render({ model, el }) {
  const frame = Frame({
    model,
    el,
    title: "Push a tangent down, pull a cotangent up",
    lead: "Each line of the tape knows only its own slope. Step through it: no Jacobian is ever built, and both directions agree on one number.",
  });
  const parts = { ...makeSweepParts(model), ...makeDials(model), ...makeCosts(model) };
  const finished = { forward: false, reverse: false, double: false }; // sweeps that were run to their end
  frame.stage.append(...layout(parts));
  return mount(model, [frame, ...Object.values(parts)], (traits) => {
    const state = { ...traits, finished, events: traits[traits.sweep] };
    state.done = state.step === state.events.length;
    if (state.done) finished[state.sweep] = true;
    updateControls(parts, state);
    drawTapes(parts, state);
    drawDials(parts, state);
    drawInner(parts.inner, state);
    drawCosts(parts.costs, state);
    frame.say(sentence(state));
    frame.tell(tableOf(state));
  });
}

function makeSweepParts(model) {
  const events = () => model.get(model.get("sweep"));
  const sweep = Segmented({
    label: "Sweep",
    options: SWEEPS,
    value: model.get("sweep"),
    onChange: (value) => {
      stepper.halt();
      setView(model, { sweep: value, step: 0 });
    },
  });
  const stepper = Stepper({
    label: "Step of the sweep",
    count: events().length,
    at: model.get("step"),
    onStep: (step) => setView(model, { step }),
  });
  const onStep = (by) => {
    stepper.halt();
    setView(model, { step: Math.min(events().length, Math.max(0, model.get("step") + by)) });
  };
  return {
    sweep,
    stepper,
    tape: TapeTable({ rows: decode(model.get("nodes")), onStep }),
    second: SecondTape(onStep),
    rule: h("div", { class: "ak-rulebox", "aria-live": "polite" }),
    inner: h("div", { class: "ak-inner" }),
  };
}

/** The tape that recorded the pull, made anew when other numbers were pulled. */
function SecondTape(onStep) {
  const el = h("div", { hidden: true });
  let table = null;
  let key = "";
  return {
    el,
    update(rows, rev, now) {
      if (JSON.stringify(rows) !== key) {
        key = JSON.stringify(rows);
        table?.destroy();
        table = TapeTable({ rows, onStep, columns: ["rev"], value: "first pull" });
        el.replaceChildren(table.el);
      }
      table.update({ rev, now, names: { rev: "second pull ↑" } });
    },
    destroy: () => table?.destroy(),
  };
}

function makeDials(model) {
  const input = (name, role) =>
    VectorInput({
      label: `${name}, what goes in`,
      names: [0, 1, 2].map((i) => `${name}${i}`),
      value: model.get(name),
      reach: DIAL_REACH,
      role,
      onChange: (value) => ask(model, { [name]: value }),
    });
  const output = (label, trait, letter, reach, role) =>
    VectorInput({ label, names: [0, 1, 2].map((i) => `${letter}${i}`), value: decode(model.get(trait)), reach, role });
  return {
    dialIn: { fwd: input("v", "fwd"), rev: input("u", "rev") },
    dialOut: {
      fwd: output("Jv, what comes out", "jv", "y", 8, "fwd"),
      rev: output("uJ, what comes out", "uj", "x", 12, "rev"),
    },
  };
}

const makeCosts = (model) => ({
  n: inputSlider(model, "n", { label: "n, inputs", min: 1, max: 128 }),
  m: inputSlider(model, "m", { label: "m, outputs", min: 1, max: 128 }),
  costs: CostBars({ label: "Sweeps for the whole Jacobian" }),
});

const layout = ({ sweep, stepper, tape, second, rule, inner, dialIn, dialOut, n, m, costs }) => [
  h("div", { class: "ak-row", style: "margin-bottom:12px" }, sweep.el, h("div", { class: "ak-grow" }, stepper.el)),
  h(
    "div",
    { class: "ak-split" },
    h("div", {}, tape.el, second.el, rule, inner),
    h("div", { class: "ak-side" }, dialIn.fwd.el, dialIn.rev.el, dialOut.fwd.el, dialOut.rev.el),
  ),
  h("hr", { class: "ak-rule" }),
  h(
    "h4",
    { class: "ak-h" },
    "The whole Jacobian",
    h("small", { text: "n inputs, m outputs: one sweep for each column, or one for each row" }),
  ),
  h("div", { class: "ak-row" }, h("div", { class: "ak-grow" }, n.el), h("div", { class: "ak-grow" }, m.el)),
  costs.el,
];

function updateControls(parts, { sweep, events, step, n, m }) {
  parts.sweep.update(sweep);
  parts.stepper.update({ count: events.length, at: step });
  parts.n.update(n);
  parts.m.update(m);
}

/** The columns as they stand after `step` events, and the other column where its sweep was run before. */
function columnsOf(state) {
  const { events, step, sweep, finished } = state;
  const columns = { fwd: [], rev: [] };
  for (const { column, row, value } of events.slice(0, step)) columns[column][row] = value;
  const other = { forward: ["reverse", "rev"], reverse: ["forward", "fwd"] }[sweep];
  if (other && finished[other[0]]) for (const { row, value } of state[other[0]]) columns[other[1]][row] = value;
  return columns;
}

function drawTapes({ tape, second, rule }, state) {
  const { sweep, events, step, nodes } = state;
  const double = sweep === "double";
  const { fwd, rev } = columnsOf(state);
  const last = step ? events[step - 1] : null;
  const now = last ? { row: last.row, from: last.from, mode: last.column } : null;
  put(tape.el, { hidden: double });
  put(second.el, { hidden: !double });
  if (double) second.update(state.second, rev, now);
  else tape.update({ fwd, rev, now });
  const way = sweep === "forward" ? "down" : "down, which goes up the tape";
  rule.replaceChildren(
    ...(last
      ? [h("code", { text: lineOf((double ? state.second : nodes)[last.row]) }), h("span", { text: last.note })]
      : [`Nothing has moved yet. Press step, or arrow ${way}.`]),
  );
}

function drawDials({ dialIn, dialOut }, { sweep, v, u, jv, uj, done }) {
  const side = sweep === "reverse" ? "rev" : "fwd"; // the double pull takes v in and gives Jv, as the push does
  for (const dials of [dialIn, dialOut]) for (const mode of MODES) put(dials[mode].el, { hidden: mode !== side });
  const reach = (vector) => Math.max(4, 4 * Math.ceil(Math.max(...vector.map(Math.abs)) / 4));
  const known = (vector) => (done ? vector : vector.map(() => null));
  dialIn.fwd.update({ value: v });
  dialIn.rev.update({ value: u });
  dialOut.fwd.update({ value: known(jv), reach: reach(jv) });
  dialOut.rev.update({ value: known(uj), reach: reach(uj) });
}

/** Both inner products, term by term. */
function drawInner(host, { inner, u, v, jv, uj, finished }) {
  const sum = (p, q) => p.map((x, i) => `${paren(x)}·${paren(q[i])}`).join(" + ");
  const line = (name, role, known, terms, total) =>
    h(
      "div",
      { class: "ak-innerline" },
      h("span", { class: `ak-as-${role}`, text: name }),
      known
        ? h("span", {}, `${terms} = `, h("strong", { text: brief(total) }))
        : h("span", { class: "ak-num ak-num-none", text: `run the ${role === "fwd" ? "push" : "pull"} to the end` }),
    );
  host.replaceChildren(
    line("u · (Jv)", "fwd", finished.forward || finished.double, sum(u, jv), inner[0]),
    line("(uJ) · v", "rev", finished.reverse, sum(uj, v), inner[1]),
  );
}

function drawCosts(costs, { sweeps: [forward, reverse] }) {
  const unit = (count) => (count === 1 ? "sweep" : "sweeps");
  costs.update([
    { label: "push", count: forward, unit: unit(forward), role: "fwd" },
    { label: "pull", count: reverse, unit: unit(reverse), role: "rev" },
  ]);
}

function sentence({ sweep, step, events, finished, jv, uj, inner }) {
  if (!step) return "Choose a sweep and step through the tape.";
  if (step < events.length) return `Step ${step} of ${events.length} of the ${SWEEP_NAMES[sweep]}.`;
  if (sweep === "double") return `Two pulls and no push gave Jv = (${listed(jv)}).`;
  if (finished.forward && finished.reverse) return `Both inner products are ${brief(inner[0])}: u·(Jv) = (uJ)·v.`;
  return sweep === "forward"
    ? `One push gave Jv = (${listed(jv)}). Now pull.`
    : `One pull gave uJ = (${listed(uj)}). Now push.`;
}

const tableOf = ({ v, u, jv, uj, finished }) => ({
  caption: "Vectors of this lesson",
  digits: 0,
  columns: ["vector", "0", "1", "2"],
  rows: [
    ["v", ...v],
    ["Jv", ...(finished.forward || finished.double ? jv : [" ", " ", " "])],
    ["u", ...u],
    ["uJ", ...(finished.reverse ? uj : [" ", " ", " "])],
  ],
});

export default { render };
