import { h, s, put, linear, onWidth } from "./kit/core.js";
import { brief } from "./kit/numbers.js";
import { decode, listen, ask } from "./kit/kernel.js";
import { Frame } from "./kit/frame.js";
import { Segmented } from "./kit/segmented.js";
import { Slider } from "./kit/slider.js";
import { Stepper } from "./kit/stepper.js";
import { CurvePlot } from "./kit/curve_plot.js";

const INPUTS = ["place", "n", "k", "view", "at"];
const OUTPUTS = ["growth", "marks", "by_k"];
const VIEWS = [
  { value: "steps", label: "steps of training" },
  { value: "layers", label: "layers of one step" },
];
// `tag`: where the name of a run that was looked at before stands on its line, clear of the other lines.
const PLACES = [
  { value: "around", label: "around all steps", tag: { part: 0.5, anchor: "end", dx: -8, dy: -3 } },
  { value: "float", label: "around all, + float(loss)", tag: { part: 0.5, anchor: "start", dx: 8, dy: 12 } },
  { value: "list", label: "one a step, kept in a list", tag: { part: 0.85, anchor: "end", dx: -8, dy: -3 } },
  { value: "step", label: "one a step", tag: { part: 1, anchor: "end", dx: 0, dy: -6 } },
];
const LAYERS = 100;
const [MARK, AGAIN, SLOPE] = [1, 2, 3];
const WORDS = { 0: "run", [MARK]: "run, its input kept as a mark", [AGAIN]: "run again from the mark", [SLOPE]: "asked for its slope, and its input dropped" };

/** The chain's layers as cells: those whose input is held are filled, and the one at work has a caret below it. */
function Cells({ label }) {
  const picture = s("svg", { role: "img", "aria-label": label, width: "100%", height: 44 });
  const el = h("div", {}, picture);
  let width = 0;
  let data = { held: new Set(), marked: new Set(), now: null };
  function draw() {
    const X = linear(0, LAYERS, 38, width - 14);
    const cell = X(1) - X(0);
    const bar = (i) => {
      const [full, tall] = [data.held.has(i), data.marked.has(i)];
      return s("rect", {
        x: X(i) + 0.5,
        y: tall ? 6 : 12,
        width: Math.max(1.5, cell - 1),
        height: tall ? 22 : 16,
        class: full ? "ak-ink-fill" : null,
        style: full ? null : "fill:var(--ak-line)",
      });
    };
    const { now } = data;
    picture.replaceChildren(
      ...Array.from({ length: LAYERS }, (_, i) => bar(i)),
      ...(now === null
        ? []
        : [s("path", { d: `M${X(now.layer + 0.5)} 31l5 8h-10Z`, style: `fill:var(--ak-${now.event === SLOPE ? "rev" : "ink"})` })]),
    );
  }
  const stop = onWidth(el, (next) => {
    width = next;
    draw();
  });
  return {
    el,
    update(next) {
      data = next;
      if (width) draw();
    },
    destroy: stop,
  };
}

/** Lesson 13: a record that grows with the steps, and one that is forgotten and computed again. */
function render({ model, el }) {
  const get = (name) => decode(model.get(name));
  const frame = Frame({
    model,
    el,
    title: "What is still held?",
    lead: "A record holds what its operations were given. Let it run over a hundred steps of training and choose where the tape stands; or over the hundred layers of one step, with marks from which the rest is computed again.",
  });
  const look = (changes) => {
    for (const [name, value] of Object.entries(changes)) model.set(name, value);
    model.save_changes();
    draw();
  };
  const restart = (changes) => {
    stepper.halt();
    ask(model, { at: 0, ...changes });
  };
  const view = Segmented({
    label: "Look at",
    options: VIEWS,
    value: get("view"),
    onChange: (value) => {
      stepper.halt();
      look({ view: value, at: 0 });
    },
  });
  const place = Segmented({ label: "The tape", options: PLACES, value: get("place"), onChange: (value) => restart({ place: value }) });
  const n = Slider({ label: "Steps", min: 10, max: 200, step: 10, value: get("n"), onChange: (value) => restart({ n: value }) });
  const k = Slider({ label: "A mark every k layers", min: 1, max: LAYERS, value: get("k"), onChange: (value) => restart({ k: value }) });
  const stepper = Stepper({ label: "How far it has run", count: 1, at: 0, pace: 60, onStep: (at) => look({ at }) });
  const plot = CurvePlot({ label: "What is held, over the run; the table below says the same", height: 220, x: { min: 0, max: 100 }, y: { min: 0, max: 500 } });
  const cells = Cells({ label: "The layers; filled where the input is held" });
  const trade = CurvePlot({
    label: "Calls of a layer, and the most values held, for each distance of the marks",
    height: 190,
    x: { min: 0, max: LAYERS, label: "k" },
    y: { min: 0, max: 200, label: "calls, and values held, for each k" },
    handleLabel: "distance of the marks",
    snap: 1,
    onMove: (to) => restart({ k: Math.max(1, Math.round(to)) }),
  });
  const ofSteps = h("div", { class: "ak-row", style: "margin-bottom:12px" }, place.el, h("div", { style: "flex:1 1 200px" }, n.el));
  const ofLayers = h("div", { class: "ak-row", style: "margin-bottom:12px" }, h("div", { style: "flex:1 1 240px;max-width:420px" }, k.el));
  const costs = h("p", { class: "ak-note" });
  const tradeBox = h("div", { style: "margin-top:16px" }, trade.el, costs);
  frame.stage.append(h("div", { style: "margin-bottom:12px" }, view.el), ofSteps, ofLayers, stepper.el, h("div", { style: "margin-top:12px" }, plot.el), cells.el, tradeBox);

  const seen = {}; // ends of the runs that were looked at: place -> what the kernel gave
  const run = () => (get("view") === "steps" ? get("growth").nodes : get("marks").held);

  function draw() {
    const [steps, at, curve] = [get("view") === "steps", get("at"), run()];
    const last = curve.length - 1;
    const now = Math.min(at, last);
    view.update(get("view"));
    place.update(get("place"));
    n.update(get("n"));
    k.update(get("k"));
    put(ofSteps, { hidden: !steps });
    for (const node of [ofLayers, cells.el, tradeBox]) put(node, { hidden: steps });
    stepper.update({ count: last, at: now });
    const points = curve.map((height, i) => [i, height]);
    const top = Math.max(20, ...curve);
    const before = steps ? Object.values(seen).filter((one) => one.n === get("n") && one.place !== get("place")) : [];
    plot.update({
      x: { max: last },
      y: { min: 0, max: Math.max(top, ...before.map((one) => one.nodes.at(-1))), label: steps ? "nodes that live, step by step" : "values held, call by call and slope by slope" },
      curves: [
        ...before.map(old),
        { points: points.slice(0, now + 1), role: "value" },
      ],
      dots: now ? [{ x: now, y: curve[now], role: "value" }] : [],
    });
    if (steps) drawSteps(now, last);
    else drawLayers(now, last);
  }

  /** The line of a run that was looked at before. */
  function old({ place: name, nodes }) {
    const { label, tag } = PLACES.find((one) => one.value === name);
    const at = Math.round(tag.part * (nodes.length - 1));
    return { points: nodes.map((height, i) => [i, height]), role: "held", thin: true, dash: true, label, ...tag, at };
  }

  function drawSteps(now, last) {
    const growth = get("growth");
    if (now === last && model.get("asked") === model.get("answered")) seen[growth.place] = growth;
    const label = PLACES.find((one) => one.value === get("place")).label;
    const each = growth.nodes[1];
    frame.say(
      now === 0
        ? `The tape: ${label}. Run the steps.`
        : now < last
          ? `After ${now} of ${last} steps ${growth.nodes[now]} nodes live; one step records ${each}.`
          : `After ${last} steps ${growth.nodes[last]} nodes live, and the records hold ${growth.bytes} bytes.`,
    );
    const ends = (one) => (one?.n === get("n") ? [one.nodes.at(-1), one.bytes] : ["?", "?"]);
    frame.tell({
      caption: `After ${last} steps; ? where the run was not looked at to its end`,
      columns: ["the tape", "nodes that live", "bytes held"],
      digits: 0,
      rows: PLACES.map((one) => [one.label, ...ends(seen[one.value])]),
    });
  }

  function drawLayers(now, last) {
    const [marks, byK, at] = [get("marks"), get("by_k"), get("k")];
    const [held, marked] = [new Set(), new Set()];
    for (const [event, layer] of marks.events.slice(0, now)) {
      if (event === MARK) [held, marked].forEach((set) => set.add(layer));
      if (event === AGAIN) held.add(layer + 1);
      if (event === SLOPE) held.delete(layer);
    }
    const [event, layer] = now ? marks.events[now - 1] : [null, null];
    cells.update({ held, marked, now: now ? { event, layer } : null });
    const line = (j) => byK.map((costs, i) => [i + 1, costs[j]]);
    trade.update({
      curves: [
        { points: line(0), role: "value", thin: true, label: "calls of a layer", at: 55, dy: 18 },
        { points: line(1), role: "value", label: "values held at most", at: 55, dy: 22, dx: 16 },
      ],
      dots: [{ x: at, y: byK[at - 1][0], role: "value" }],
      handle: { x: at, y: byK[at - 1][1], text: `k = ${at}` },
    });
    put(costs, { text: `k = ${at}: ${byK[at - 1][0]} calls of a layer, ${byK[at - 1][1]} values held at most.` });
    const calls = marks.events.slice(0, now).filter(([kind]) => kind !== SLOPE).length;
    frame.say(
      now === 0
        ? `${LAYERS} layers, a mark every ${at}. Run them.`
        : now < last
          ? `Layer ${layer} is ${WORDS[event]}: ${calls} calls so far, ${marks.held[now]} values held.`
          : `${LAYERS} layers, a mark every ${at}: ${marks.calls} calls of a layer, and ${marks.peak} values held at most. The slope is ${brief(marks.slope)}; with all ${LAYERS} values kept it is ${brief(marks.whole)}.`,
    );
    frame.tell({
      caption: `${LAYERS} layers: what marks cost`,
      columns: ["a mark every", "calls of a layer", "values held at most"],
      digits: 0,
      rows: [...new Set([1, 2, 5, 10, 20, 50, LAYERS, at])].sort((a, b) => a - b).map((i) => [String(i), ...byK[i - 1]]),
    });
  }

  const stop = listen(model, [...INPUTS, ...OUTPUTS, "answered"], draw);
  draw();
  return () => {
    stop();
    [frame, stepper, plot, cells, trade].forEach((part) => part.destroy());
  };
}

export default { render };
