import { h } from "./kit/core.js";
import { brief, chip, fmt } from "./kit/numbers.js";
import { decode, listen, ask } from "./kit/kernel.js";
import { Frame } from "./kit/frame.js";
import { Segmented } from "./kit/segmented.js";
import { Slider } from "./kit/slider.js";
import { Stepper } from "./kit/stepper.js";
import { Plane } from "./kit/plane.js";
import { Courses } from "./kit/courses.js";
import { shapeMark } from "./kit/shapes.js";

const INPUTS = ["region", "target", "penalty", "rate", "at"];
const OUTPUTS = ["paths", "outside", "losses", "stepped", "best", "limit"];
const WAYS = [
  ["project", "disc"],
  ["penalise", "square"],
  ["reparametrise", "triangle"],
].map(([name, shape]) => ({ name, shape }));
const REGIONS = [
  { value: "half", label: "w₀ ≤ 1" },
  { value: "disc", label: "disc of radius 1" },
];

/** Lesson 16: three balls that want to leave what is allowed, each kept in its own way. */
function render({ model, el }) {
  const get = (name) => decode(model.get(name));
  const frame = Frame({
    model,
    el,
    title: "Three ways to stay inside. Which of them arrives?",
    lead: "The loss is least at the cross, where w may not be. Project: step, then back to the nearest allowed point. Penalise: let it out, at a price. Reparametrise: free numbers that can only lead inside. Drag the cross, or move it with the arrow keys.",
  });
  const region = Segmented({
    label: "Allowed",
    options: REGIONS,
    value: get("region"),
    onChange: (value) => ask(model, { region: value }),
  });
  const penalty = Slider({
    label: "penalty λ",
    min: 1,
    max: 1000,
    log: true,
    value: get("penalty"),
    onChange: (value) => ask(model, { penalty: value }),
  });
  const rate = Slider({
    label: "learning rate",
    min: 0.005,
    max: 0.6,
    log: true,
    value: get("rate"),
    onChange: (value) => ask(model, { rate: value }),
  });
  const plane = Plane({
    label: "Three balls, their trails and the loss's contours; the table below says the same",
    least: [-1.5, -1.25],
    most: [3, 1.75],
    onTarget: (target) => ask(model, { target }),
  });
  const courses = Courses({ label: "How far out each ball is, step by step", height: 330, high: 2 });
  const stepper = Stepper({
    label: "Step",
    count: get("paths").project.length - 1,
    at: get("at"),
    pace: 120,
    onStep: (at) => {
      model.set("at", at);
      model.save_changes();
      draw();
    },
  });
  const table = h("table", { class: "ak-table" });

  frame.stage.append(
    h(
      "div",
      { class: "ak-row", style: "margin-bottom:12px" },
      region.el,
      h("div", { style: "flex:1 1 200px" }, penalty.el),
      h("div", { style: "flex:1 1 200px" }, rate.el),
    ),
    h("div", { class: "ak-split" }, plane.el, courses.el),
    stepper.el,
    h("div", { class: "ak-scroll", style: "margin-top:8px" }, table),
  );

  function draw() {
    const [paths, outside, losses, best, at] = ["paths", "outside", "losses", "best", "at"].map(get);
    region.update(get("region"));
    penalty.update(get("penalty"));
    rate.update(get("rate"));
    stepper.update({ at });
    const legs = at ? [paths.project[at - 1], get("stepped")[at - 1], paths.project[at]] : null;
    plane.update({
      ...{ region: get("region"), target: get("target"), steep: 3, best, at },
      balls: WAYS.map(({ name, shape }) => ({ name, shape, path: paths[name] })),
      legs,
    });
    const half = get("region") === "half";
    courses.update({
      name: half ? "w₀" : "distance from 0",
      low: half ? -1.5 : 0,
      edge: 1,
      balls: WAYS.map(({ name, shape }) => ({ shape, values: paths[name].map((w) => (half ? w[0] : Math.hypot(...w))) })),
      at,
    });
    const far = (name) => Math.hypot(...paths[name][at].map((x, i) => x - best[i]));
    drawTable(WAYS.map(({ name }) => [...paths[name][at], outside[name][at], losses[name][at], far(name)]));
    frame.say(claim(paths, outside, far, at));
    frame.tell({
      caption: `Where the balls are, penalty ${brief(get("penalty"))}, learning rate ${brief(get("rate"))}`,
      columns: ["step", ...WAYS.flatMap(({ name }) => [`${name}: w₀`, "w₁"])],
      rows: paths.project
        .map((_, k) => [String(k), ...WAYS.flatMap(({ name }) => paths[name][k])])
        .filter((_, k) => k % 4 === 0),
    });
  }

  /** A column for each ball: so the table is no wider than a phone. */
  function drawTable(columns) {
    const head = ({ name, shape }) =>
      h("th", { scope: "col" }, h("span", { style: "display:block" }, shapeMark(shape)), name);
    const line = (text, i) =>
      h("tr", {}, h("th", { scope: "row", text }), columns.map((column) => h("td", {}, chip(Math.abs(column[i]) < 5e-5 ? 0 : column[i], 4))));
    table.replaceChildren(
      h("caption", { class: "ak-sr", text: "Where the balls are now" }),
      h("thead", {}, h("tr", {}, h("td", { style: "border-bottom-color:var(--ak-ink2)" }), WAYS.map(head))),
      h("tbody", {}, ["w₀", "w₁", "outside by", "loss", "from the best"].map(line)),
    );
  }

  function claim(paths, outside, far, at) {
    const place = (name) => fmt(paths[name][at][0], 4);
    const out = outside.penalise[at];
    const limit = get("limit");
    const kept = out < 5e-5 ? "inside" : `outside by ${fmt(out, 4)}`;
    const rule =
      get("rate") < limit
        ? `learning rates below ${brief(limit)} are stable`
        : `only learning rates below ${brief(limit)} are stable, and this one is not`;
    return `Step ${at}: w₀ is ${place("project")} by projection, ${place("penalise")} by the penalty (${kept}), ${place("reparametrise")} by other parameters (${fmt(far("reparametrise"), 4)} from the best). With penalty ${brief(get("penalty"))} ${rule}.`;
  }

  const stop = listen(model, [...INPUTS, ...OUTPUTS, "answered"], draw);
  draw();
  return () => {
    stop();
    [frame, plane, courses, stepper].forEach((part) => part.destroy());
  };
}

export default { render };
