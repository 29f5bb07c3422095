import { h, put } from "./kit/core.js";
import { brief } from "./kit/numbers.js";
import { decode, listen, ask } from "./kit/kernel.js";
import { Frame } from "./kit/frame.js";
import { Segmented } from "./kit/segmented.js";
import { Slider } from "./kit/slider.js";
import { Stepper } from "./kit/stepper.js";
import { TapeTable } from "./kit/tape_table.js";
import { Dial } from "./kit/dial.js";
import { CostBars } from "./kit/cost_bars.js";

const INPUTS = ["v", "u", "n", "m", "sweep", "step"];
const OUTPUTS = ["nodes", "second", "forward", "reverse", "double", "jv", "uj", "inner", "sweeps"];
const SWEEPS = [
  { value: "forward", label: "push ↓", hint: "forward mode: tangents fill downwards" },
  { value: "reverse", label: "pull ↑", hint: "reverse mode: cotangents fill upwards" },
  { value: "double", label: "double pull ↑↑", hint: "reverse mode twice gives Jv without forward mode" },
];
const DIAL_REACH = 3;
const lineOf = ({ name, op, inputs }) => (inputs.length ? `${name} = ${op}` : name);
const paren = (x) => (x < 0 ? `(${brief(x)})` : brief(x));

/** Lesson 01: a tape filled downwards by a push and upwards by a pull, and the one number both agree on. */
function render({ model, el }) {
  const get = (name) => decode(model.get(name));
  const frame = Frame({
    model,
    el,
    title: "Push a tangent down, pull a cotangent up",
    lead: "Each line of the tape knows only its own slope. Step through it: no Jacobian is ever built, and both directions agree on one number.",
  });
  const seen = { forward: false, reverse: false, double: false };
  const events = () => model.get(get("sweep"));

  const sweep = Segmented({
    label: "Sweep",
    options: SWEEPS,
    value: get("sweep"),
    onChange: (value) => {
      stepper.halt();
      view({ sweep: value, step: 0 });
    },
  });
  const stepper = Stepper({
    label: "Step of the sweep",
    count: events().length,
    at: get("step"),
    onStep: (step) => view({ step }),
  });
  const onStep = (by) => {
    stepper.halt();
    view({ step: Math.min(events().length, Math.max(0, get("step") + by)) });
  };
  const tape = TapeTable({ rows: get("nodes"), onStep });
  const secondHost = h("div", { hidden: true });
  let second = null; // the tape of the pull, made anew when other numbers were pulled
  const rule = h("div", { class: "ak-rulebox", "aria-live": "polite" });
  const dialIn = {
    fwd: Dial({
      label: "v, what goes in",
      names: ["v0", "v1", "v2"],
      value: get("v"),
      reach: DIAL_REACH,
      onChange: (v) => ask(model, { v }),
    }),
    rev: Dial({
      label: "u, what goes in",
      names: ["u0", "u1", "u2"],
      value: get("u"),
      reach: DIAL_REACH,
      role: "rev",
      onChange: (u) => ask(model, { u }),
    }),
  };
  const dialOut = {
    fwd: Dial({ label: "Jv, what comes out", names: ["y0", "y1", "y2"], value: get("jv"), reach: 8 }),
    rev: Dial({ label: "uJ, what comes out", names: ["x0", "x1", "x2"], value: get("uj"), reach: 12, role: "rev" }),
  };
  const inner = h("div", { class: "ak-inner" });
  const costs = CostBars({ label: "Sweeps for the whole Jacobian" });
  const [nSlider, mSlider] = [
    ["n", "n, inputs", 128],
    ["m", "m, outputs", 128],
  ].map(([name, label, max]) =>
    Slider({ label, min: 1, max, value: get(name), onChange: (x) => ask(model, { [name]: x }) }),
  );

  const both = h(
    "div",
    { class: "ak-split" },
    h("div", {}, tape.el, secondHost, rule, inner),
    h("div", { class: "ak-side" }, dialIn.fwd.el, dialIn.rev.el, dialOut.fwd.el, dialOut.rev.el),
  );

  frame.stage.append(
    h("div", { class: "ak-row", style: "margin-bottom:12px" }, sweep.el, h("div", { class: "ak-grow" }, stepper.el)),
    both,
    h("hr", { class: "ak-rule" }),
    h(
      "h4",
      { class: "ak-h" },
      "The whole Jacobian",
      h("small", { text: "n inputs, m outputs: one sweep for each column, or one for each row" }),
    ),
    h(
      "div",
      { class: "ak-row" },
      h("div", { class: "ak-grow" }, nSlider.el),
      h("div", { class: "ak-grow" }, mSlider.el),
    ),
    costs.el,
  );

  function view(changes) {
    for (const [name, value] of Object.entries(changes)) model.set(name, value);
    model.save_changes();
    draw();
  }

  /** The columns as they stand after `step` events, the last one, and the other column where its sweep was run before. */
  function filled() {
    const columns = { fwd: [], rev: [] };
    const done = events().slice(0, get("step"));
    for (const { column, row, value } of done) columns[column][row] = decode(value);
    const last = done.at(-1);
    const other = { forward: ["reverse", "rev"], reverse: ["forward", "fwd"] }[get("sweep")];
    if (other && seen[other[0]])
      for (const { row, value } of model.get(other[0])) columns[other[1]][row] = decode(value);
    return { columns, last, now: last ? { row: last.row, from: last.from, mode: last.column } : null };
  }

  function draw() {
    const [mode, step] = [get("sweep"), get("step")];
    const { columns, last, now } = filled();
    if (step === events().length) seen[mode] = true;
    sweep.update(mode);
    stepper.update({ count: events().length, at: step });
    const double = mode === "double";
    put(tape.el, { hidden: double });
    put(secondHost, { hidden: !double });
    if (double) drawSecond(columns.rev, now);
    else tape.update({ fwd: columns.fwd, rev: columns.rev, now });
    rule.replaceChildren(
      ...(last
        ? [h("code", { text: lineOf(get(double ? "second" : "nodes")[last.row]) }), h("span", { text: last.note })]
        : [
            `Nothing has moved yet. Press step, or arrow ${mode === "forward" ? "down" : "down, which goes up the tape"}.`,
          ]),
    );
    const side = mode === "reverse" ? "rev" : "fwd"; // the double pull takes v in and gives Jv, as the push does
    for (const dials of [dialIn, dialOut])
      for (const name of ["fwd", "rev"]) put(dials[name].el, { hidden: name !== side });
    dialIn.fwd.update({ value: get("v") });
    dialIn.rev.update({ value: get("u") });
    const known = step === events().length;
    dialOut.fwd.update({ value: known ? get("jv") : get("jv").map(() => null), reach: reachOf("jv") });
    dialOut.rev.update({ value: known ? get("uj") : get("uj").map(() => null), reach: reachOf("uj") });
    drawInner();
    for (const [name, slider] of [
      ["n", nSlider],
      ["m", mSlider],
    ])
      slider.update(get(name));
    const [forward, reverse] = get("sweeps");
    costs.update([
      { label: "push", count: forward, unit: forward === 1 ? "sweep" : "sweeps", role: "fwd" },
      { label: "pull", count: reverse, unit: reverse === 1 ? "sweep" : "sweeps", role: "rev" },
    ]);
    frame.say(sentence(mode, step));
    frame.tell({
      caption: "Vectors of this lesson",
      digits: 0,
      columns: ["vector", "0", "1", "2"],
      rows: [
        ["v", ...get("v")],
        ["Jv", ...(seen.forward || seen.double ? get("jv") : [" ", " ", " "])],
        ["u", ...get("u")],
        ["uJ", ...(seen.reverse ? get("uj") : [" ", " ", " "])],
      ],
    });
  }

  /** The second tape recorded the pull: its values are the cotangents of the first, and a pull through it gives Jv. */
  function drawSecond(rev, now) {
    const rows = JSON.stringify(get("second"));
    if (second?.rows !== rows) {
      second?.table.destroy();
      second = { rows, table: TapeTable({ rows: get("second"), onStep, columns: ["rev"], value: "first pull" }) };
      secondHost.replaceChildren(second.table.el);
    }
    second.table.update({ rev, now, names: { rev: "second pull ↑" } });
  }

  const reachOf = (name) => Math.max(4, 4 * Math.ceil(Math.max(...get(name).map(Math.abs)) / 4));

  function drawInner() {
    const [a, b] = get("inner");
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
    inner.replaceChildren(
      line("u · (Jv)", "fwd", seen.forward || seen.double, sum(get("u"), get("jv")), a),
      line("(uJ) · v", "rev", seen.reverse, sum(get("uj"), get("v")), b),
    );
  }

  function sentence(mode, step) {
    if (!step) return "Choose a sweep and step through the tape.";
    if (step < events().length)
      return `Step ${step} of ${events().length} of the ${{ forward: "push", reverse: "pull", double: "double pull" }[mode]}.`;
    const list = (name) =>
      get(name)
        .map((x) => brief(x))
        .join(", ");
    if (mode === "double") return `Two pulls and no push gave Jv = (${list("jv")}).`;
    if (seen.forward && seen.reverse) return `Both inner products are ${brief(get("inner")[0])}: u·(Jv) = (uJ)·v.`;
    return mode === "forward"
      ? `One push gave Jv = (${list("jv")}). Now pull.`
      : `One pull gave uJ = (${list("uj")}). Now push.`;
  }

  const stop = listen(model, [...INPUTS, ...OUTPUTS, "answered"], draw);
  draw();
  return () => {
    stop();
    second?.table.destroy();
    [frame, stepper, tape, costs].forEach((part) => part.destroy());
  };
}

export default { render };
