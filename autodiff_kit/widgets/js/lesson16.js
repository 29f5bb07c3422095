import { h } from "./kit/dom.js";
import { brief, chip, fmt } from "./kit/numbers.js";
import { ask, mount, setView } from "./kit/model_sync.js";
import { inputChoice, inputSlider } from "./kit/controls.js";
import { Frame } from "./kit/frame.js";
import { Stepper } from "./kit/stepper.js";
import { ConstraintPlot } from "./kit/constraint_plot.js";
import { TrajectoryPlot } from "./kit/trajectory_plot.js";
import { shapeMark } from "./kit/marker_shapes.js";

const WAYS = [
  ["project", "disc"],
  ["penalise", "square"],
  ["reparametrise", "triangle"],
].map(([name, shape]) => ({ name, shape }));
const REGIONS = [
  { value: "half", label: "w₀ ≤ 1" },
  { value: "disc", label: "disc of radius 1" },
];
const TABLE_ROWS = ["w₀", "w₁", "outside by", "loss", "from the best"];

/** Lesson 16: constrained descent by projection, by a penalty and by reparametrisation. */
function render({ model, el }) {
  const frame = Frame({
    model,
    el,
    title: "Three ways to keep a constraint: where does each of them end?",
    lead: "The loss is least at the cross, which you can drag. Three balls keep a constraint in three ways: by a projection, by a penalty, by other parameters.",
  });
  const parts = { ...makeControls(model), ...makePictures(model) };
  frame.stage.append(...layout(parts));
  return mount(model, [frame, ...Object.values(parts)], (state) => {
    updateControls(parts, state);
    drawPlot(parts.plot, state);
    drawTrajectories(parts.trajectories, state);
    drawPositions(parts.table, state);
    frame.say(sentence(state));
    frame.tell(tableOf(state));
  });
}

const makeControls = (model) => ({
  region: inputChoice(model, "region", "Allowed", REGIONS),
  penalty: inputSlider(model, "penalty", { label: "penalty λ", min: 1, max: 1000, log: true }),
  rate: inputSlider(model, "rate", { label: "learning rate", min: 0.005, max: 0.6, log: true }),
  stepper: Stepper({
    label: "Step",
    count: model.get("paths").project.length - 1,
    at: model.get("at"),
    pace: 120,
    onStep: (at) => setView(model, { at }),
  }),
});

const makePictures = (model) => ({
  plot: ConstraintPlot({
    label: "Three balls, their trails and the loss's contours; the table below says the same",
    least: [-1.5, -1.25],
    most: [3, 1.75],
    onTarget: (target) => ask(model, { target }),
  }),
  trajectories: TrajectoryPlot({ label: "How far out each ball is, step by step", high: 2 }),
  table: h("table", { class: "ak-table ak-balls" }),
});

const layout = ({ region, penalty, rate, plot, trajectories, stepper, table }) => [
  h(
    "div",
    { class: "ak-row", style: "margin-bottom:12px" },
    region.el,
    h("div", { style: "flex:1 1 200px" }, penalty.el),
    h("div", { style: "flex:1 1 200px" }, rate.el),
  ),
  h(
    "div",
    { class: "ak-split ak-ball-split" },
    plot.el,
    h("div", {}, h("div", { class: "ak-scroll" }, table), trajectories.el),
  ),
  stepper.el,
];

function updateControls(parts, { region, penalty, rate, at }) {
  parts.region.update(region);
  parts.penalty.update(penalty);
  parts.rate.update(rate);
  parts.stepper.update({ at });
}

function drawPlot(plot, { region, target, best, at, paths, stepped }) {
  plot.update({
    region,
    target,
    steep: 3,
    best,
    at,
    balls: WAYS.map(({ name, shape }) => ({ name, shape, path: paths[name] })),
    legs: at ? [paths.project[at - 1], stepped[at - 1], paths.project[at]] : null,
  });
}

function drawTrajectories(trajectories, { region, paths, at }) {
  const half = region === "half";
  const outward = (w) => (half ? w[0] : Math.hypot(...w));
  trajectories.update({
    name: half ? "w₀" : "distance from 0",
    low: half ? -1.5 : 0,
    edge: 1,
    balls: WAYS.map(({ name, shape }) => ({ shape, values: paths[name].map(outward) })),
    at,
  });
}

const distanceFromBest = ({ paths, best, at }, name) => Math.hypot(...paths[name][at].map((x, i) => x - best[i]));

/** Where the balls are now; a column for each ball, so that the table is no wider than a phone. */
function drawPositions(table, state) {
  const { paths, outside, losses, at } = state;
  const columns = WAYS.map(({ name }) => [
    ...paths[name][at],
    outside[name][at],
    losses[name][at],
    distanceFromBest(state, name),
  ]);
  const head = ({ name, shape }) =>
    h("th", { scope: "col" }, h("span", { style: "display:block" }, shapeMark(shape)), name);
  const value = (x) => h("td", {}, chip(Math.abs(x) < 5e-5 ? 0 : x, 4));
  const row = (text, i) => h("tr", {}, h("th", { scope: "row", text }), columns.map((column) => value(column[i])));
  table.replaceChildren(
    h("caption", { class: "ak-sr", text: "Where the balls are now" }),
    h("thead", {}, h("tr", {}, h("td", { style: "border-bottom-color:var(--ak-ink2)" }), WAYS.map(head))),
    h("tbody", {}, TABLE_ROWS.map(row)),
  );
}

function sentence(state) {
  const { paths, outside, at, limit, rate, penalty } = state;
  const place = (name) => fmt(paths[name][at][0], 4);
  const out = outside.penalise[at];
  const kept = out < 5e-5 ? "inside" : `outside by ${fmt(out, 4)}`;
  const rule =
    rate < limit
      ? `learning rates below ${brief(limit)} are stable`
      : `only learning rates below ${brief(limit)} are stable, and this one is not`;
  return `Step ${at}: w₀ is ${place("project")} by projection, ${place("penalise")} by the penalty (${kept}), ${place("reparametrise")} by other parameters. With penalty ${brief(penalty)} ${rule}.`;
}

const tableOf = ({ penalty, rate, paths }) => ({
  caption: `Where the balls are, penalty ${brief(penalty)}, learning rate ${brief(rate)}`,
  columns: ["step", ...WAYS.flatMap(({ name }) => [`${name}: w₀`, "w₁"])],
  rows: paths.project
    .map((_, k) => [String(k), ...WAYS.flatMap(({ name }) => paths[name][k])])
    .filter((_, k) => k % 4 === 0),
});

export default { render };
