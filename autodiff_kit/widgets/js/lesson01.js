import { h, put } from "./kit/dom.js";
import { brief } from "./kit/numbers.js";
import { ask, mount, setView } from "./kit/model_sync.js";
import { inputSlider, withEntry } from "./kit/controls.js";
import { Frame } from "./kit/frame.js";
import { Segmented } from "./kit/segmented.js";
import { Stepper } from "./kit/stepper.js";
import { FlowGraph } from "./kit/flow_graph.js";
import { CostBars } from "./kit/cost_bars.js";

const VIEWS = [
  { value: "forward", label: "push v →", hint: "forward mode: tangents flow with the computation" },
  { value: "reverse", label: "← pull u", hint: "reverse mode: cotangents flow against it" },
  { value: "double", label: "pull twice", hint: "reverse mode twice gives Jv without forward mode" },
  { value: "seam", label: "cut", hint: "push up to a cut, pull back to it" },
];
const OPENS_AT = { forward: 1, reverse: 1, double: 1, seam: 3 };
const REACH = 3;
const PLACES = {
  sweep: { x0: [0.15, 0], x1: [0.15, 1], x2: [0.15, 2], s: [0.36, 0.46], y0: [0.78, 0], y1: [0.78, 1], y2: [0.78, 2] },
  narrow: { x0: [0.2, 0], x1: [0.2, 1], x2: [0.2, 2], s: [0.36, 0.42], y0: [0.74, 0], y1: [0.74, 1], y2: [0.74, 2] },
  cut: { x0: [0.14, 0], x1: [0.14, 1], x2: [0.14, 2], s: [0.32, 0.51], y0: [0.5, 0], y1: [0.67, 1], y2: [0.84, 2] },
};
PLACES.low = PLACES.narrow;
PLACES.tiny = { ...PLACES.narrow, x0: [0.28, 0], x1: [0.28, 1], x2: [0.28, 2], s: [0.44, 0.42] };
const GAINS = {
  sweep: { "x0>s": 0.5, "x0>y0": 0.5, "x1>y0": 0.42, "x1>y1": 0.4, "x2>y1": 0.36, "s>y2": 0.55, "x2>y2": 0.4 },
  narrow: { "x0>s": 0.42, "x0>y0": 0.5, "x1>y0": 0.72, "x1>y1": 0.4, "x2>y1": 0.32, "s>y2": 0.55, "x2>y2": 0.4 },
  low: { "x0>s": 0.42, "x0>y0": 0.64, "x1>y0": 0.46, "x1>y1": 0.26, "x2>y1": 0.3, "s>y2": 0.55, "x2>y2": 0.5 },
  tiny: { "x0>s": 0.42, "x0>y0": 0.5, "x1>y0": 0.72, "x1>y1": 0.4, "x2>y1": 0.32, "s>y2": 0.55, "x2>y2": 0.4 },
  cut: { "x0>s": 0.5, "x0>y0": 0.5, "x1>y0": 0.25, "x1>y1": 0.5, "x2>y1": 0.45, "s>y2": 0.5, "x2>y2": 0.5 },
};
const paren = (x) => (x < 0 ? `(${brief(x, 2)})` : brief(x, 2));
const listed = (vector) => vector.map((x) => brief(x, 2)).join(", ");

/** Lesson 01: one graph, through which tangents flow with the computation and cotangents against it. */
function render({ model, el }) {
  const frame = Frame({
    model,
    el,
    title: "Nudge the inputs: what reaches each output?",
    lead: "Wires multiply by their slopes, nodes add. Width is size; stripes are a minus sign.",
  });
  const parts = makeParts(model);
  const finished = {}; // sweeps that were run to their end
  frame.stage.append(...layout(parts));
  return mount(model, [frame, ...Object.values(parts)], (traits) => {
    const { sweep, step, n, m } = traits;
    const count = stepsOf(traits);
    const state = { ...traits, finished, count, view: sweep, step: Math.min(step, count), inputs: traits.v, outputs: traits.u };
    if (state.step === count || sweep === "seam") finished[sweep] = true;
    parts.sweep.update(sweep);
    parts.stepper.update({ count, at: state.step });
    parts.graph.update(state);
    parts.n.update(n);
    parts.m.update(m);
    drawInner(parts.inner, state);
    drawCosts(parts.costs, state);
    frame.say(sentence(state));
    frame.tell(tableOf(state));
  });
}

const operations = ({ nodes }) => nodes.filter((node) => node.op !== "input");
const stepsOf = ({ nodes, cuts, sweep }) => (sweep === "seam" ? cuts.length - 1 : operations({ nodes }).length);

function makeParts(model) {
  const names = { inputs: [0, 1, 2].map((i) => `v${i}, tangent at x${i}`), outputs: [0, 1, 2].map((i) => `u${i}, cotangent at y${i}`) };
  const setEntry = (name) => (i, value) => ask(model, { [name]: withEntry(model.get(name), i, value) });
  const setStep = (step) => setView(model, { step });
  const graph = FlowGraph({
    label: "Computational graph of f, inputs left, outputs right",
    places: PLACES,
    gains: GAINS,
    reach: REACH,
    names,
    onInput: setEntry("v"),
    onOutput: setEntry("u"),
    onCut: setStep,
  });
  const stepper = Stepper({
    label: "Step of the sweep",
    count: stepsOf({ nodes: model.get("nodes"), cuts: model.get("cuts"), sweep: model.get("sweep") }),
    at: model.get("step"),
    pace: 1700,
    onStep: setStep,
    onScrub: (at, phase) => {
      graph.scrub(at);
      setStep(Math.round(at));
      if (phase === "end") graph.settle();
    },
  });
  const sweep = Segmented({
    label: "Sweep",
    options: VIEWS,
    value: model.get("sweep"),
    onChange: (value) => {
      stepper.halt();
      setView(model, { sweep: value, step: OPENS_AT[value] });
    },
  });
  return {
    sweep,
    stepper,
    graph,
    inner: h("div", { class: "ak-inners" }),
    n: inputSlider(model, "n", { label: "n, inputs", min: 1, max: 128, toInput: Math.round }),
    m: inputSlider(model, "m", { label: "m, outputs", min: 1, max: 128, toInput: Math.round }),
    costs: CostBars({ label: "Sweeps for the whole Jacobian" }),
  };
}

const layout = ({ sweep, stepper, graph, inner, n, m, costs }) => [
  h("div", { class: "ak-row", style: "margin-bottom:8px" }, sweep.el, h("div", { class: "ak-grow" }, stepper.el)),
  graph.el,
  inner,
  h(
    "details",
    { class: "ak-fold" },
    h("summary", { text: "The whole Jacobian: n pushes or m pulls" }),
    h("div", { class: "ak-row" }, h("div", { class: "ak-grow" }, n.el), h("div", { class: "ak-grow" }, m.el)),
    costs.el,
  ),
];

/** Both inner products, term by term; a question mark for what no sweep has given yet. */
function drawInner(host, { view, inner, u, v, jv, uj, finished }) {
  put(host, { hidden: view === "seam" }); // there the bars say it
  const sum = (p, q, known) => p.map((x, i) => `${paren(x)}·${known ? paren(q[i]) : "?"}`).join(" + ");
  const line = (name, role, known, terms, total) =>
    h("span", {}, h("b", { class: `ak-as-${role}`, text: name }), ` = ${terms} = `, h("strong", { text: known ? brief(total, 2) : "?" }));
  const [pushed, pulled] = [finished.forward || finished.double || finished.seam, finished.reverse || finished.seam];
  host.replaceChildren(
    line("u·(Jv)", "fwd", pushed, sum(u, jv, pushed), inner[0]),
    line("(uJ)·v", "rev", pulled, sum(v, uj, pulled), inner[1]),
  );
}

function drawCosts(costs, { sweeps: [forward, reverse] }) {
  const unit = (count) => (count === 1 ? "sweep" : "sweeps");
  costs.update([
    { label: "push", count: forward, unit: unit(forward), role: "fwd" },
    { label: "pull", count: reverse, unit: unit(reverse), role: "rev" },
  ]);
}

/** What an operation makes of what its wires bring. */
function pushed({ nodes, wires }, i, kind) {
  const into = wires.filter((wire) => wire.to === i && wire.from !== null);
  const sum = into.map((wire) => `${paren(wire.slope)}·${paren(nodes[wire.from][kind])}`).join(" + ");
  return `${sum} = ${brief(nodes[i][kind], 2)}${into.length > 1 ? ": what its two wires bring, added" : ""}`;
}

/** What an operation sends back, and where it is added to what came before. */
function pulled({ nodes, wires, reverse, step }, i) {
  const sent = wires
    .filter((wire) => wire.to === i && wire.from !== null)
    .map((wire) => {
      const before = reverse[step - 1][wire.from];
      const joins = before === null ? "" : `, which has ${brief(before, 2)} and now ${brief(reverse[step][wire.from], 2)}`;
      return `${paren(wire.slope)}·${paren(wire.pulled[0])} = ${brief(wire.pulled[1], 2)} to ${nodes[wire.from].name}${joins}`;
    });
  return `holds ${brief(nodes[i].cotangent, 2)} and sends back ${sent.join("; ")}`;
}

function sentence(state) {
  const { view, step, count, nodes, jv, uj, inner, sums, finished } = state;
  if (view === "seam") return cutSentence(state);
  if (!step) return view === "reverse" ? "The weights u wait at the outputs." : "The nudge v waits at the inputs.";
  const both = (finished.forward || finished.double) && finished.reverse ? ` Both inner products are ${brief(inner[0], 2)}: u·(Jv) = (uJ)·v.` : "";
  if (step === count) {
    if (view === "double") return `Two pulls and no push gave Jv = (${listed(jv)}): the record of the pull is this graph, read backwards.${both}`;
    return view === "forward" ? `One push, ${count} operations: Jv = (${listed(jv)}).${both}` : `One pull, the same wires: uJ = (${listed(uj)}).${both}`;
  }
  const order = nodes.map((_, i) => i).filter((i) => nodes[i].op !== "input");
  const i = view === "reverse" ? order.at(-step) : order[step - 1];
  if (view === "reverse") return `${nodes[i].op} ${pulled(state, i)}.`;
  return `${nodes[i].op}${view === "double" ? ", in the record of the pull" : ""}: ${pushed(state, i, view === "double" ? "double" : "tangent")}.`;
}

function cutSentence({ step, count, sums, cuts, jv, uj }) {
  const total = brief(sums[step], 2);
  if (step === 0) return `All pulled, nothing pushed: uJ = (${listed(uj)}), and (uJ)·v = ${total}.`;
  if (step === count) return `All pushed, nothing pulled: Jv = (${listed(jv)}), and u·(Jv) = ${total}.`;
  return `Tangents left, cotangents right: over the ${cuts[step].length} wires of the cut, the products add up to ${total}.`;
}

function tableOf({ nodes, finished, inner }) {
  const known = (sweeps, value) => (sweeps.some((one) => finished[one]) ? value : " ");
  const rows = nodes.map(({ name, op, value, tangent, cotangent }) => [
    name,
    op,
    value,
    known(["forward", "double", "seam"], tangent),
    known(["reverse", "seam"], cotangent),
  ]);
  const both = known(["seam"], 1) === 1 || (finished.forward && finished.reverse);
  return {
    caption: both ? `Every node; u·(Jv) and (uJ)·v are ${brief(inner[0], 2)}` : "Every node",
    digits: 0,
    columns: ["node", "operation", "value", "tangent →", "cotangent ←"],
    rows,
  };
}

export default { render };
