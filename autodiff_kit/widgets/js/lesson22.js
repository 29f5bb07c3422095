import { h, s } from "./kit/dom.js";
import { fmt } from "./kit/numbers.js";
import { ask, mount } from "./kit/model_sync.js";
import { inputChoice } from "./kit/controls.js";
import { Frame } from "./kit/frame.js";
import { Slider } from "./kit/slider.js";

const GRAPHS = [
  { value: "tail", label: "triangle with a tail" },
  { value: "ring", label: "ring" },
  { value: "triangles", label: "two triangles" },
];
const STARTS = [
  { value: "first", label: "1 at node 0" },
  { value: "ones", label: "1 at every node" },
];
const PLACES = {
  tail: [[90, 60], [90, 190], [200, 125], [310, 125]],
  ring: [0, 1, 2, 3, 4, 5].map((k) => [200 + 150 * Math.sin((Math.PI * k) / 3), 125 - 85 * Math.cos((Math.PI * k) / 3)]),
  triangles: [[50, 190], [110, 60], [170, 190], [230, 190], [290, 60], [350, 190]],
};

/** Lesson 22: rounds of message passing on a small graph, and the gradient for the start values. */
function render({ model, el }) {
  const frame = Frame({
    model,
    el,
    title: "What does a node know after some rounds?",
    lead: "In each round, a node's value becomes the sum of its neighbours' values. The number below a node is the gradient of the sum of all values with respect to that node's start value.",
  });
  const parts = makeParts(model);
  frame.stage.append(...layout(parts));
  return mount(model, [frame, parts.graph, parts.start, parts.rounds], (state) => {
    parts.graph.update(state.graph);
    parts.start.update(state.start);
    parts.rounds.update(state.rounds);
    drawGraph(parts.picture, state);
    frame.say(sentence(state));
    frame.tell(tableOf(state));
  });
}

const makeParts = (model) => ({
  graph: inputChoice(model, "graph", "Graph", GRAPHS),
  start: inputChoice(model, "start", "Start values", STARTS),
  rounds: Slider({
    label: "rounds",
    min: 0,
    max: 6,
    value: model.get("rounds"),
    onChange: (value) => ask(model, { rounds: Math.round(value) }),
  }),
  picture: s("svg", { viewBox: "0 0 400 250", width: "100%", style: "max-width:520px", role: "img", "aria-label": "The graph with its values; the table below says the same" }),
});

const layout = ({ graph, start, rounds, picture }) => [
  h("div", { class: "ak-row", style: "margin-bottom:12px" }, graph.el, start.el),
  h("div", { style: "max-width:280px;margin-bottom:8px" }, rounds.el),
  picture,
];

function drawGraph(picture, { graph, edges, values, gradient }) {
  const places = PLACES[graph];
  const edge = ([i, j]) =>
    s("line", { x1: places[i][0], y1: places[i][1], x2: places[j][0], y2: places[j][1], class: "ak-stroke-value", "stroke-width": 1.5 });
  const node = ([x, y], i) => [
    s("circle", { cx: x, cy: y, r: 20, class: "ak-hollow ak-stroke-value", style: "fill:var(--ak-paper)" }),
    s("text", { x, y: y + 5, "text-anchor": "middle", class: "ak-in-value", style: "font-weight:600", text: fmt(values[i], 0) }),
    s("text", { x: x - 22, y: y - 16, "text-anchor": "end", class: "ak-halo", text: String(i) }),
    s("text", { x, y: y + 38, "text-anchor": "middle", class: "ak-in-rev ak-halo", style: "font-weight:600", text: fmt(gradient[i], 0) }),
  ];
  picture.replaceChildren(...edges.map(edge), ...places.flatMap(node));
}

function sentence({ rounds, values, total, gradient }) {
  const list = (numbers) => `[${numbers.map((one) => fmt(one, 0)).join(", ")}]`;
  const after = rounds === 1 ? "1 round" : `${rounds} rounds`;
  return `After ${after} the values are ${list(values)}, and their sum is ${fmt(total, 0)}. Its gradient is ${list(gradient)}.`;
}

function tableOf({ graph, rounds, edges, values, gradient, total }) {
  const near = (i) => edges.filter((edge) => edge.includes(i)).map(([a, b]) => (a === i ? b : a)).sort();
  return {
    caption: `${GRAPHS.find((one) => one.value === graph).label}, rounds: ${rounds}`,
    columns: ["node", "neighbours", "value", "gradient of the sum"],
    rows: [
      ...values.map((value, i) => [`node ${i}`, near(i).join(" "), value, gradient[i]]),
      ["all nodes", "", total, "–"],
    ],
    digits: 0,
  };
}

export default { render };
