import { h, s, put, linear, onWidth } from "./kit/dom.js";
import { brief } from "./kit/numbers.js";
import { ask, mount, setView } from "./kit/model_sync.js";
import { Frame } from "./kit/frame.js";
import { Segmented } from "./kit/segmented.js";
import { Slider } from "./kit/slider.js";
import { Stepper } from "./kit/stepper.js";
import { CurvePlot } from "./kit/curve_plot.js";

const VIEWS = [
  { value: "steps", label: "steps of training" },
  { value: "layers", label: "layers of one step" },
];
// `tag`: where the name of a run that was looked at before stands on its line, clear of the other lines.
const PLACES = [
  { value: "around", label: "around all steps", tag: { part: 0.5, anchor: "end", dx: -8, dy: -3 } },
  { value: "float", label: "around all, + float(loss)", tag: { part: 0.5, anchor: "start", dx: 8, dy: 12 } },
  { value: "list", label: "one per step, kept in a list", tag: { part: 0.85, anchor: "end", dx: -8, dy: -3 } },
  { value: "step", label: "one per step", tag: { part: 1, anchor: "end", dx: 0, dy: -6 } },
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
const placeOf = (name) => PLACES.find((one) => one.value === name);

/** Lesson 13: a tape that grows with the steps of training, and checkpointing of a chain of layers. */
function render({ model, el }) {
  const frame = Frame({
    model,
    el,
    title: "What does the record hold?",
    lead: "A record holds values that its derivatives need. Run a hundred steps of training and choose where the tape stands. Or run the hundred layers of one step, with checkpoints from which the other values are computed again.",
  });
  const restart = (changes) => {
    parts.stepper.halt();
    ask(model, { at: 0, ...changes });
  };
  const parts = { ...makeControls(model, restart), ...makePictures(restart) };
  const rows = makeRows(parts);
  const finished = {}; // runs that were looked at to their end: place -> what the kernel gave
  frame.stage.append(...layout(parts, rows));
  return mount(model, [frame, ...Object.values(parts)], (traits) => {
    const ofSteps = traits.view === "steps";
    const held = ofSteps ? traits.growth.nodes : traits.marks.held;
    const last = held.length - 1;
    const state = { ...traits, ofSteps, held, last, now: Math.min(traits.at, last), finished };
    if (ofSteps && state.now === last && model.get("asked") === model.get("answered"))
      finished[state.growth.place] = state.growth;
    updateControls(parts, rows, state);
    drawHeld(parts.plot, state);
    if (!ofSteps) drawLayers(parts, state);
    frame.say(ofSteps ? sentenceOfSteps(state) : sentenceOfLayers(state));
    frame.tell(ofSteps ? tableOfSteps(state) : tableOfLayers(state));
  });
}

function makeControls(model, restart) {
  const stepper = Stepper({
    label: "How far it has run",
    count: 1,
    at: 0,
    pace: 60,
    onStep: (at) => setView(model, { at }),
  });
  const slider = (name, props) =>
    Slider({ ...props, value: model.get(name), onChange: (value) => restart({ [name]: value }) });
  return {
    stepper,
    view: Segmented({
      label: "Look at",
      options: VIEWS,
      value: model.get("view"),
      onChange: (view) => {
        stepper.halt();
        setView(model, { view, at: 0 });
      },
    }),
    place: Segmented({
      label: "The tape",
      options: PLACES,
      value: model.get("place"),
      onChange: (place) => restart({ place }),
    }),
    n: slider("n", { label: "Steps", min: 10, max: 200, step: 10 }),
    k: slider("k", { label: "A checkpoint every k layers", min: 1, max: LAYERS }),
  };
}

const makePictures = (restart) => ({
  plot: CurvePlot({
    label: "What is held, over the run; the table below says the same",
    height: 220,
    x: { min: 0, max: 100 },
    y: { min: 0, max: 500 },
  }),
  cells: LayerCells({ label: "The layers; filled where the input is held" }),
  trade: CurvePlot({
    label: "Calls of a layer, and the most values held, for each k",
    height: 190,
    x: { min: 0, max: LAYERS, label: "k" },
    y: { min: 0, max: 200, label: "calls, and values held, for each k" },
    handleLabel: "layers between checkpoints",
    snap: 1,
    onMove: (to) => restart({ k: Math.max(1, Math.round(to)) }),
  }),
  costs: h("p", { class: "ak-note" }),
});

/** The rows of controls and pictures that only one of the two views shows. */
const makeRows = ({ place, n, k, trade, costs }) => ({
  steps: h("div", { class: "ak-row", style: "margin-bottom:12px" }, place.el, h("div", { style: "flex:1 1 200px" }, n.el)),
  layers: h(
    "div",
    { class: "ak-row", style: "margin-bottom:12px" },
    h("div", { style: "flex:1 1 240px;max-width:420px" }, k.el),
  ),
  trade: h("div", { style: "margin-top:16px" }, trade.el, costs),
});

const layout = ({ view, stepper, plot, cells }, rows) => [
  h("div", { style: "margin-bottom:12px" }, view.el),
  rows.steps,
  rows.layers,
  stepper.el,
  h("div", { style: "margin-top:12px" }, plot.el),
  cells.el,
  rows.trade,
];

/** The chain's layers as cells: those whose input is held are filled, and the one at work has a caret below it. */
function LayerCells({ label }) {
  const picture = s("svg", { role: "img", "aria-label": label, width: "100%", height: 44 });
  const el = h("div", {}, picture);
  let width = 0;
  let data = { held: new Set(), marked: new Set(), now: null };
  const draw = () => width && picture.replaceChildren(...drawCells(data, linear(0, LAYERS, 38, width - 14)));
  const stop = onWidth(el, (next) => {
    width = next;
    draw();
  });
  return {
    el,
    update(next) {
      data = next;
      draw();
    },
    destroy: stop,
  };
}

function drawCells({ held, marked, now }, X) {
  const width = Math.max(1.5, X(1) - X(0) - 1);
  const cells = Array.from({ length: LAYERS }, (_, i) => {
    const [full, tall] = [held.has(i), marked.has(i)];
    const fill = full ? { class: "ak-ink-fill" } : { style: "fill:var(--ak-line)" };
    return s("rect", { x: X(i) + 0.5, y: tall ? 6 : 12, width, height: tall ? 22 : 16, ...fill });
  });
  if (now === null) return cells;
  const colour = `fill:var(--ak-${now.event === SLOPE ? "rev" : "ink"})`;
  return [...cells, s("path", { d: `M${X(now.layer + 0.5)} 31l5 8h-10Z`, style: colour })];
}

function updateControls(parts, rows, { view, place, n, k, ofSteps, last, now }) {
  for (const [name, value] of Object.entries({ view, place, n, k })) parts[name].update(value);
  put(rows.steps, { hidden: !ofSteps });
  for (const node of [rows.layers, rows.trade, parts.cells.el]) put(node, { hidden: ofSteps });
  parts.stepper.update({ count: last, at: now });
}

/** The line of a run that was looked at before. */
function earlierRun({ place, nodes }) {
  const { label, tag } = placeOf(place);
  const at = Math.round(tag.part * (nodes.length - 1));
  return { points: nodes.map((height, i) => [i, height]), role: "held", thin: true, dash: true, label, ...tag, at };
}

function drawHeld(plot, { ofSteps, held, last, now, n, place, finished }) {
  const earlier = ofSteps ? Object.values(finished).filter((one) => one.n === n && one.place !== place) : [];
  plot.update({
    x: { max: last },
    y: {
      min: 0,
      max: Math.max(20, ...held, ...earlier.map((one) => one.nodes.at(-1))),
      label: ofSteps ? "nodes alive, step by step" : "values held, after each call and each derivative",
    },
    curves: [
      ...earlier.map(earlierRun),
      { points: held.slice(0, now + 1).map((height, i) => [i, height]), role: "value" },
    ],
    dots: now ? [{ x: now, y: held[now], role: "value" }] : [],
  });
}

function drawLayers({ cells, trade, costs }, { marks, by_k: byK, k, now }) {
  const [held, marked] = [new Set(), new Set()];
  for (const [event, layer] of marks.events.slice(0, now)) {
    if (event === MARK) [held, marked].forEach((set) => set.add(layer));
    if (event === AGAIN) held.add(layer + 1);
    if (event === SLOPE) held.delete(layer);
  }
  const [event, layer] = now ? marks.events[now - 1] : [null, null];
  cells.update({ held, marked, now: now ? { event, layer } : null });
  const [calls, values] = byK[k - 1];
  const line = (j) => byK.map((cost, i) => [i + 1, cost[j]]);
  trade.update({
    curves: [
      { points: line(0), role: "value", thin: true, label: "calls of a layer", at: 55, dy: 18 },
      { points: line(1), role: "value", label: "values held at most", at: 55, dy: 22, dx: 16 },
    ],
    dots: [{ x: k, y: calls, role: "value" }],
    handle: { x: k, y: values, text: `k = ${k}` },
  });
  put(costs, { text: `k = ${k}: ${calls} calls of a layer, ${values} values held at most.` });
}

function sentenceOfSteps({ growth, place, now, last }) {
  if (now === 0) return `The tape: ${placeOf(place).label}. Run the steps.`;
  return now < last
    ? `After ${now} of ${last} steps ${growth.nodes[now]} nodes are alive; one step records ${growth.nodes[1]}.`
    : `After ${last} steps ${growth.nodes[last]} nodes are alive, and the records hold ${growth.bytes} bytes.`;
}

function sentenceOfLayers({ marks, k, now, last }) {
  if (now === 0) return `${LAYERS} layers, a checkpoint every ${k}. Run them.`;
  if (now === last)
    return `${LAYERS} layers, a checkpoint every ${k}: ${marks.calls} calls of a layer, and ${marks.peak} values held at most. The derivative is ${brief(marks.slope)}; with all ${LAYERS} values kept it is ${brief(marks.whole)}.`;
  const [event, layer] = marks.events[now - 1];
  const calls = marks.events.slice(0, now).filter(([kind]) => kind !== SLOPE).length;
  return `Layer ${layer} is ${EVENT_WORDS[event]}: ${calls} calls so far, ${marks.held[now]} values held.`;
}

function tableOfSteps({ last, n, finished }) {
  const ends = (one) => (one?.n === n ? [one.nodes.at(-1), one.bytes] : ["?", "?"]);
  return {
    caption: `After ${last} steps; ? where the run was not shown to its end`,
    columns: ["the tape", "nodes alive", "bytes held"],
    digits: 0,
    rows: PLACES.map((one) => [one.label, ...ends(finished[one.value])]),
  };
}

const tableOfLayers = ({ k, by_k: byK }) => ({
  caption: `${LAYERS} layers: what checkpoints cost`,
  columns: ["a checkpoint every", "calls of a layer", "values held at most"],
  digits: 0,
  rows: [...new Set([...TABLE_DISTANCES, k])].sort((a, b) => a - b).map((i) => [String(i), ...byK[i - 1]]),
});

export default { render };
