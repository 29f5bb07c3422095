import { h, put } from "./kit/dom.js";
import { brief } from "./kit/numbers.js";
import { ask, mount, setView } from "./kit/model_sync.js";
import { inputSlider } from "./kit/controls.js";
import { Frame } from "./kit/frame.js";
import { Segmented } from "./kit/segmented.js";
import { TimeScrubber } from "./kit/time_scrubber.js";
import { NodeLanes } from "./kit/node_lanes.js";
import { LayerBars } from "./kit/layer_bars.js";
import { CurvePlot } from "./kit/curve_plot.js";

const VIEWS = [
  { value: "steps", label: "steps of training" },
  { value: "layers", label: "layers of one step" },
];
const LEADS = {
  steps: "Four loops run side by side. A square is a node, filled while it is alive; the line below it is the tape that holds it.",
  layers: "A bar is the input of a layer, from where it is stored to where it is dropped. The bars that cross the cursor are held now.",
};
const OPENS = { steps: 24, layers: 130 }; // where a view is opened: in the middle of its run
/** The four loops: what is said of each, and its code below the line `for`. */
const LOOPS = [
  {
    value: "around",
    label: "one tape around all steps",
    around: true,
    code: "total = total + loss(i)",
    fact: (nodes, each) => `the one tape holds ${nodes} nodes, all ${each} of every step`,
  },
  {
    value: "float",
    label: "one tape around all steps, total + float(loss)",
    short: "one tape, total + float(loss)",
    around: true,
    code: "total = total + float(loss(i))",
    fact: (nodes, each) => `the one tape holds ${nodes} nodes, ${each} of every step: only the sum is missing`,
  },
  {
    value: "list",
    label: "a tape for each step, all kept in a list",
    short: "all tapes, kept in a list",
    code: "total = total + loss(i)",
    after: "tapes.append(tape)",
    fact: (nodes) => `the list holds the tapes of all steps, with ${nodes} nodes together`,
  },
  {
    value: "step",
    label: "a tape for each step",
    code: "total = total + loss(i)",
    fact: (nodes) => `only the newest tape is alive, with ${nodes} nodes`,
  },
];
const LAYERS = 100;
const TABLE_DISTANCES = [1, 2, 5, 10, 20, 50, LAYERS];
const [MARK, AGAIN, SLOPE] = [1, 2, 3];
const EVENT_WORDS = {
  0: "run",
  [MARK]: "run, and its input kept as a checkpoint",
  [AGAIN]: "run again from the checkpoint",
  [SLOPE]: "differentiated, and its input dropped",
};
const loopOf = (name) => LOOPS.find((one) => one.value === name);

/** Lesson 13: which nodes of a training loop are alive, and which inputs of a chain of layers are held, at each moment. */
function render({ model, el }) {
  const lead = h("span", {});
  const frame = Frame({ model, el, title: "What does the record hold?", lead });
  const parts = makeParts(model);
  const stages = layout(parts);
  frame.stage.append(...Object.values(stages));
  return mount(model, [frame, ...Object.values(parts)], (traits) => {
    const ofSteps = traits.view === "steps";
    const last = (ofSteps ? traits.growth[traits.place].nodes : traits.marks.held).length - 1;
    const state = { ...traits, last, now: Math.min(traits.at, last) };
    put(lead, { text: LEADS[traits.view] });
    for (const name of ["view", "n", "k"]) parts[name].update(traits[name]);
    for (const node of [stages.steps, parts.n.el]) put(node, { hidden: !ofSteps });
    for (const node of [stages.layers, parts.k.el]) put(node, { hidden: ofSteps });
    (ofSteps ? drawSteps : drawLayers)(parts, state);
    frame.say(ofSteps ? sentenceOfSteps(state) : sentenceOfLayers(state));
    frame.tell(ofSteps ? tableOfSteps(state) : tableOfLayers(state));
  });
}

function makeParts(model) {
  const move = (at) => setView(model, { at });
  const scrubbers = [60, 40].map((pace) => TimeScrubber({ label: "How far it has run", pace, onStep: move }));
  const halt = () => scrubbers.forEach((one) => one.halt());
  const onCursor = (at) => {
    halt();
    move(at);
  };
  const [ofSteps, ofLayers] = scrubbers;
  return {
    ofSteps,
    ofLayers,
    view: Segmented({
      label: "Look at",
      options: VIEWS,
      value: model.get("view"),
      onChange: (view) => {
        halt();
        setView(model, { view, at: OPENS[view] });
      },
    }),
    n: inputSlider(model, "n", { label: "Steps", min: 10, max: 200, step: 10, toInput: Math.round }),
    k: inputSlider(model, "k", { label: "A checkpoint every k layers", min: 1, max: LAYERS, toInput: Math.round }),
    lanes: NodeLanes({
      label: "Nodes alive in four loops; the table below says the same",
      choice: "The loop that is explained",
      lanes: LOOPS,
      onCursor,
      onChoose: (place) => setView(model, { place }),
      onLayout: (ends) => ofSteps.update(ends),
    }),
    code: h("pre", { class: "ak-loop" }),
    bars: LayerBars({
      label: "Layers against time, and the values held; the table below says the same",
      onCursor,
      onLayout: (ends) => ofLayers.update(ends),
    }),
    trade: makeTrade(model),
  };
}

const makeTrade = (model) =>
  CurvePlot({
    label: "Calls of a layer, and the most values held, for each k",
    height: 330,
    x: { min: 0, max: LAYERS, label: "k" },
    y: { min: 0, max: 200, label: "what each k costs" },
    handleLabel: "layers between checkpoints",
    snap: 1,
    onMove: (to) => ask(model, { k: Math.max(1, Math.round(to)) }),
  });

const layout = ({ view, n, k, lanes, ofSteps, code, bars, ofLayers, trade }) => ({
  controls: h(
    "div",
    { class: "ak-row", style: "margin-bottom:10px" },
    view.el,
    h("div", { class: "ak-grow", style: "max-width:420px" }, n.el, k.el),
  ),
  steps: h("div", {}, lanes.el, ofSteps.el, code),
  layers: h("div", { class: "ak-beside-time" }, bars.el, ofLayers.el, trade.el),
});

function drawSteps({ lanes, ofSteps, code }, { growth, place, now, last }) {
  lanes.update({ growth, now, chosen: place });
  ofSteps.update({ count: last, at: now });
  put(code, { text: codeOf(loopOf(place), last) });
}

/** The program of a loop, four lines for each, so that nothing below it moves. */
function codeOf({ around, code, after }, last) {
  const open = ["with ak.GradientTape() as tape:", `for i in range(${last}):`];
  const [first, second] = around ? open : open.toReversed();
  return [first, `    ${second}`, `        ${code}`, after ? `    ${after}` : ""].join("\n");
}

function drawLayers({ bars, ofLayers, trade }, { marks, by_k: byK, k, now, last }) {
  const { kept, events, held, peak } = marks;
  bars.update({ kept, events, held, peak, layers: LAYERS, slope: SLOPE, now });
  ofLayers.update({ count: last, at: now });
  const [calls, values] = byK[k - 1];
  const line = (j) => byK.map((cost, i) => [i + 1, cost[j]]);
  trade.update({
    curves: [
      { points: line(0), role: "value", thin: true, label: "calls of a layer", at: 55, dy: 18 },
      { points: line(1), role: "value", label: "values held", at: 52, anchor: "start", dx: 8, dy: 16 },
    ],
    dots: [{ x: k, y: calls, role: "value" }],
    handle: { x: k, y: values, text: `k = ${k}` },
  });
}

function sentenceOfSteps({ growth, place, now, last }) {
  if (now === 0) return "Nothing has run yet. Press Play, or move the cursor.";
  const { nodes, made, bytes } = growth[place];
  const fact = loopOf(place).fact(nodes[now], made[now - 1]);
  if (now < last) return `After ${now} of ${last} steps ${fact}.`;
  return `After ${last} steps ${fact}. For the derivatives ${bytes} bytes of values are held.`;
}

function sentenceOfLayers({ marks, k, now, last }) {
  const chain = `${LAYERS} layers, a checkpoint every ${k}`;
  if (now === 0) return `${chain}. Run them.`;
  if (now === last)
    return `${chain}: ${marks.calls} calls of a layer, and ${marks.peak} values held at most. The derivative is ${brief(marks.slope)}; with all ${LAYERS} values kept it is ${brief(marks.whole)}.`;
  const [event, layer] = marks.events[now - 1];
  const calls = marks.events.slice(0, now).filter(([kind]) => kind !== SLOPE).length;
  return `Layer ${layer} is ${EVENT_WORDS[event]}: ${calls} calls so far, ${marks.held[now]} values held. In the whole run ${marks.calls} calls, and ${marks.peak} values at most.`;
}

const tableOfSteps = ({ growth, now, last }) => ({
  caption: `Where the tape stands, ${last} steps`,
  columns: ["the tape", `nodes alive after ${now} steps`, `after ${last}`, "bytes then"],
  digits: 0,
  rows: LOOPS.map(({ value, label }) => [label, growth[value].nodes[now], growth[value].nodes[last], growth[value].bytes]),
});

const tableOfLayers = ({ k, by_k: byK }) => ({
  caption: `${LAYERS} layers: what checkpoints cost`,
  columns: ["a checkpoint every", "calls of a layer", "values held at most"],
  digits: 0,
  rows: [...new Set([...TABLE_DISTANCES, k])].sort((a, b) => a - b).map((i) => [String(i), ...byK[i - 1]]),
});

export default { render };
