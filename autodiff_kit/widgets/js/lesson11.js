import { h } from "./kit/dom.js";
import { brief } from "./kit/numbers.js";
import { ask, mount } from "./kit/model_sync.js";
import { inputChoice, withEntry } from "./kit/controls.js";
import { Frame } from "./kit/frame.js";
import { NumberBox } from "./kit/number_box.js";
import { SegmentDiagram } from "./kit/segment_diagram.js";

const READOUTS = [
  ["sum", "sum", "segment_sum(h, ids, c)"],
  ["mean", "mean", "segment_mean(h, ids, c)"],
  ["naive", "sum ÷ count", "segment_sum(h, ids, c) / segment_sum(ones, ids, c)"],
  ["max", "max", "segment_max(h, ids, c)"],
].map(([value, label, hint]) => ({ value, label, hint }));
const PLURALS = { sum: "sums", mean: "means", naive: "sums over counts", max: "maxima" };
const MOST_GRAPHS = 4;
const COUNTS = [1, 2, 3, 4].map((value) => ({ value, label: String(value), hint: `${value} graphs` }));
const readoutOf = (name) => READOUTS.find((one) => one.value === name);

/** Lesson 11: nodes in graphs, a readout of each graph, and the gradient of each node. */
function render({ model, el }) {
  const frame = Frame({
    model,
    el,
    title: "What does the readout of an empty graph give?",
    lead: "Click a node to move it to the next graph, which gives it another shape. The loss is v = 1 times the sum of the readouts; dashed lines carry gradients.",
  });
  const parts = makeParts(model);
  frame.stage.append(...layout(parts));
  return mount(model, [frame, ...Object.values(parts)], (traits) => {
    const graphs = Array.from({ length: traits.count }, (_, k) => k);
    const answered = !traits.refused && traits.readouts?.length === traits.count;
    const state = { ...traits, graphs, answered };
    updateControls(parts, state);
    drawGraphs(parts.diagram, state);
    frame.say(answered || state.refused ? sentence(state) : "");
    frame.tell(tableOf(state));
  });
}

function makeParts(model) {
  const change = (name, i, value) => ask(model, { [name]: withEntry(model.get(name), i, value) });
  return {
    readout: inputChoice(model, "readout", "Readout", READOUTS),
    count: inputChoice(model, "count", "Graphs c", COUNTS),
    code: h("code", {}),
    boxes: model.get("h").map((_, i) =>
      NumberBox({
        label: `Value of node ${i}`,
        step: 0.5,
        onSend: (x) => change("h", i, Math.min(9, Math.max(-9, x))),
      }),
    ),
    diagram: SegmentDiagram({
      label: "Nodes and their graphs; the table below says the same",
      most: MOST_GRAPHS,
      onMove: (i, graph) => change("ids", i, graph),
    }),
  };
}

const layout = ({ readout, count, code, boxes, diagram }) => [
  h("div", { class: "ak-row", style: "margin-bottom:12px" }, readout.el, count.el, h("p", { class: "ak-note ak-grow" }, code)),
  h("span", { class: "ak-label", text: "Values h of the nodes" }),
  h("div", { class: "ak-values", role: "group", "aria-label": "Values of the nodes" }, boxes.map((box) => box.el)),
  diagram.el,
];

function updateControls(parts, { readout, count, h: values, ids }) {
  parts.readout.update(readout);
  parts.count.update(count);
  parts.boxes.forEach((box, i) => box.update(values[i]));
  const call = readoutOf(readout).hint.replaceAll("c)", `${count})`);
  parts.code.replaceChildren(`ids = [${ids.join(", ")}]`, h("br"), call);
}

function drawGraphs(diagram, { h: values, ids, count, graphs, readout, answered, sums, rows, readouts, into_h, into_v }) {
  diagram.update({
    values,
    groups: ids,
    arcs: chains(ids, count),
    boxes: graphs.map((k) => ({
      rows: answered ? rows[k] : null,
      work: answered ? workingOf(readout, sums[k], rows[k]) : "",
      result: answered ? readouts[k] : null,
    })),
    back: answered ? into_h : undefined,
    shared: answered ? into_v : null,
  });
}

/** How a graph's number is worked out, in few words. */
function workingOf(readout, sum, rows) {
  if (readout === "naive" || (readout === "mean" && rows)) return `${brief(sum, 2)} ÷ ${rows}`;
  if (rows === 0) return "no nodes";
  return `${readout} of ${rows}`;
}

/** Neighbours: each node with the next one of its graph. */
function chains(ids, count) {
  return ids.flatMap((graph, i) => {
    const next = ids.indexOf(graph, i + 1);
    return next > 0 && graph < count ? [[i, next]] : [];
  });
}

function sentence({ readout, rows, readouts, into_h: intoH, into_v: intoV, refused }) {
  if (refused) return `The kit refuses: ${refused}.`;
  const list = (numbers) => `[${numbers.map((one) => brief(one)).join(", ")}]`;
  const empty = rows.flatMap((n, k) => (n === 0 ? [k] : []));
  const quotient = readout === "naive" ? ": 0 ÷ 0" : "";
  const told = empty.length
    ? ` Graph ${empty.join(" and ")} ${empty.length > 1 ? "have" : "has"} no nodes${quotient}.`
    : "";
  return `The ${PLURALS[readout]} are ${list(readouts)}.${told} The gradients of the nodes are ${list(intoH)}, and that of v is ${brief(intoV)}.`;
}

function tableOf({ h: values, ids, readout, graphs, answered, rows, readouts, into_h, into_v, refused }) {
  const found = (i) => (answered ? [String(rows[ids[i]]), readouts[ids[i]], into_h[i]] : ["?", "?", "?"]);
  const empty = graphs.filter((k) => answered && rows[k] === 0);
  return {
    caption: refused ? `Refused: ${refused}` : `${readoutOf(readout).label} of each graph; gradient of v ${brief(into_v)}`,
    columns: ["node", "value", "graph", "graph's nodes", "graph's readout", "gradient"],
    rows: [
      ...values.map((one, i) => [`node ${i}`, one, String(ids[i]), ...found(i)]),
      ...empty.map((k) => ["no node", "–", String(k), "0", readouts[k], "–"]),
    ],
  };
}

export default { render };
