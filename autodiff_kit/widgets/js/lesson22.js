import { h, s, put, drawOnChange } from "./kit/dom.js";
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
// Where the nodes stand: from the left and from the top, each from 0 to 1.
const PLACES = {
  tail: [[0.08, 0], [0.08, 1], [0.5, 0.5], [0.96, 0.5]],
  ring: [0, 1, 2, 3, 4, 5].map((k) => [0.5 + 0.5 * Math.sin((Math.PI * k) / 3), 0.5 - 0.5 * Math.cos((Math.PI * k) / 3)]),
  triangles: [[0, 1], [0.18, 0], [0.36, 1], [0.64, 1], [0.82, 0], [1, 1]],
};
const ROOM = { most: 560, height: 300, side: 34, top: 50, foot: 50 }; // px of the picture, and around the nodes
const RADIUS = 24; // px
const CLEAR = 40; // degrees between an edge and a number beside its node

/** Lesson 22: rounds of message passing on a small graph, and the gradient for the start values. */
function render({ model, el }) {
  const frame = Frame({
    model,
    el,
    title: "What does a node know after some rounds?",
    lead: "In each round, a node's value becomes the sum of its neighbours' values. The orange number outside a node is the gradient of the sum of all values with respect to its start value.",
  });
  const parts = makeParts(model);
  frame.stage.append(...layout(parts));
  return mount(model, [frame, ...Object.values(parts)], (state) => {
    parts.graph.update(state.graph);
    parts.start.update(state.start);
    parts.rounds.update(state.rounds);
    // A graph that was just chosen has another number of nodes than the edges and values of the answer before it.
    if (PLACES[state.graph].length === state.values.length) parts.picture.update(state);
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
  picture: GraphPicture({ label: "The graph with its values; the table below says the same" }),
});

const layout = ({ graph, start, rounds, picture }) => [
  h("div", { class: "ak-row", style: "margin-bottom:12px" }, graph.el, start.el, h("div", { class: "ak-grow", style: "flex-basis:150px" }, rounds.el)),
  picture.el,
];

/** A graph with a value in each node and its gradient below. update({graph, edges, values, gradient}) */
function GraphPicture({ label }) {
  const figure = s("svg", { role: "img", "aria-label": label, height: ROOM.height });
  const el = h("div", { style: `max-width:${ROOM.most}px` }, figure);
  let width = 0;
  let data = null;

  function draw() {
    if (!width || !data) return;
    const across = width - 2 * ROOM.side;
    const down = ROOM.height - ROOM.top - ROOM.foot;
    put(figure, { width });
    figure.replaceChildren(...drawGraph(PLACES[data.graph].map(([x, y]) => [ROOM.side + x * across, ROOM.top + y * down]), data));
  }

  return drawOnChange(el, draw, { width: (next) => (width = next), data: (next) => (data = next) });
}

/** The angle between two directions, 0 to 180 degrees. */
const apart = (a, b) => Math.abs(((((a - b) % 360) + 540) % 360) - 180);

/** For the number of a node and for its gradient a side on which no edge leaves it; in degrees clockwise from the right. */
function freeSides(places, edges, i) {
  const [x, y] = places[i];
  const leaving = edges
    .filter((edge) => edge.includes(i))
    .map(([a, b]) => places[a === i ? b : a])
    .map(([x1, y1]) => (Math.atan2(y1 - y, x1 - x) * 180) / Math.PI);
  const firstFree = (sides, taken) => sides.find((side) => taken.every((one) => apart(side, one) >= CLEAR)) ?? sides[0];
  const gradient = firstFree([90, -90, 180, 0], leaving);
  return [firstFree([-135, -45, 135, 45], [...leaving, gradient]), gradient];
}

/** A word beside a node, on one side of it. */
function beside([x, y], side, text, look) {
  const [dx, dy] = [Math.cos((side * Math.PI) / 180), Math.sin((side * Math.PI) / 180)];
  const anchor = Math.abs(dx) < 0.1 ? "middle" : dx < 0 ? "end" : "start";
  const away = RADIUS + (anchor === "middle" ? 13 : 5);
  return s("text", { x: x + dx * away, y: y + dy * away + 5, "text-anchor": anchor, text, ...look });
}

function drawGraph(places, { edges, values, gradient }) {
  const edge = ([i, j]) =>
    s("line", { x1: places[i][0], y1: places[i][1], x2: places[j][0], y2: places[j][1], class: "ak-stroke-value", "stroke-width": 1.5 });
  const word = (x, y, text, look, anchor = "middle") => s("text", { x, y, "text-anchor": anchor, text, ...look });
  const node = ([x, y], i) => {
    const [above, below] = freeSides(places, edges, i);
    return [
      s("circle", { cx: x, cy: y, r: RADIUS, class: "ak-hollow ak-stroke-value", style: "fill:var(--ak-paper)" }),
      word(x, y + 5, fmt(values[i], 0), { class: "ak-in-value", style: "font-weight:600;font-size:15px" }),
      beside([x, y], above, String(i), { class: "ak-halo" }),
      beside([x, y], below, fmt(gradient[i], 0), { class: "ak-in-rev ak-halo", style: "font-weight:600;font-size:15px" }),
    ];
  };
  return [...edges.map(edge), ...places.flatMap(node)];
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
