import { h } from "./kit/core.js";
import { brief, fmt } from "./kit/numbers.js";
import { decode, listen, ask } from "./kit/kernel.js";
import { Frame } from "./kit/frame.js";
import { Segmented } from "./kit/segmented.js";
import { Slider } from "./kit/slider.js";
import { Stepper } from "./kit/stepper.js";
import { Tracks, product } from "./kit/tracks.js";

const INPUTS = ["x", "f", "way", "step"];
const OUTPUTS = ["rows", "into_w"];
const SIDES = {
  sqrt: { label: "√x", of: (x) => `√${x}` },
  log: { label: "log x", of: (x) => `log ${x}` },
  reciprocal: { label: "1/x", of: (x) => `1/${x}` },
};
const WAYS = [
  ["where", "where", "where(x > 0, f(x), 0)"],
  ["inner", "two wheres", "where(x > 0, f(where(x > 0, x, 1)), 0)"],
  ["absorb", "zero absorbs", "where(x > 0, f(x), 0), the gradient asked inside ak.zero_absorbs()"],
  ["cond", "cond", "cond(x > 0, lambda: f(x), lambda: 0) for each entry"],
].map(([value, label, hint]) => ({ value, label, hint }));
const STAGES = [
  "forward: values, and a choice",
  "the sum asks each y for 1",
  "the choice hands it on",
  "each side multiplies by its slope",
  "all entries meet in w",
];

/** Lesson 03: set three numbers and a way of choosing, and follow the gradient back through both sides. */
function render({ model, el }) {
  const get = (name) => decode(model.get(name));
  const frame = Frame({
    model,
    el,
    title: "Does the side that was not chosen stay silent?",
    lead: "y is f(x) where x > 0, and 0 elsewhere; x is a factor w = 1 times three numbers of yours. A lever shows which side gave y. Step on to see what comes back, dashed, along both.",
  });
  const f = Segmented({
    label: "f(x), chosen where x > 0",
    options: Object.entries(SIDES).map(([value, { label }]) => ({ value, label })),
    value: get("f"),
    onChange: (value) => ask(model, { f: value }),
  });
  const way = Segmented({
    label: "Way of choosing",
    options: WAYS,
    value: get("way"),
    onChange: (value) => ask(model, { way: value }),
  });
  const code = h("code", {});
  const sliders = [0, 1, 2].map((i) =>
    Slider({
      label: `x${"₀₁₂"[i]}`,
      min: -4,
      max: 9,
      step: 0.25,
      value: get("x")[i],
      onChange: (value) => ask(model, { x: get("x").map((one, k) => (k === i ? value : one)) }),
    }),
  );
  const tracks = Tracks({ label: "Both sides of the choice for each entry; the table below says the same" });
  const stage = Stepper({
    label: "Stage of the way back",
    first: 1,
    count: STAGES.length - 1,
    at: get("step"),
    pace: 1400,
    onStep: (to) => {
      model.set("step", to);
      model.save_changes();
      draw();
    },
  });
  const told = h("p", { class: "ak-note", style: "margin:0 0 8px" });

  frame.stage.append(
    h("div", { class: "ak-row", style: "margin-bottom:4px" }, f.el, way.el),
    h("p", { class: "ak-note", style: "margin:0 0 12px" }, code),
    h("div", { class: "ak-row", style: "margin-bottom:12px" }, sliders.map((one) => h("div", { style: "flex:1 1 180px" }, one.el))),
    tracks.el,
    told,
    stage.el,
  );

  function draw() {
    const [rows, at, shared] = [get("rows"), get("step"), get("into_w")];
    const [side, choice] = [SIDES[get("f")], WAYS.find((one) => one.value === get("way"))];
    f.update(get("f"));
    way.update(get("way"));
    sliders.forEach((one, i) => one.update(get("x")[i]));
    code.textContent = choice.hint.replace("f(x)", side.of("x")).replace(/f\((.*?\))\)/, (_, of) => side.of(of));
    tracks.update({ entries: rows, f: side.of, guarded: get("way") === "inner", stage: at, shared });
    told.textContent = `Stage ${at + 1}: ${STAGES[at]}.`;
    stage.update({ at });
    frame.say(claim(rows, at, shared));
    frame.tell({
      caption: `${side.label} where x > 0, else 0: ${choice.label}`,
      columns: ["entry", "side chosen", "x", "f is given", "f gives", "y", "into f's side", "slope of f", "into x"],
      rows: rows.map((row, i) => [
        `x${"₀₁₂"[i]}`,
        row.chosen ? side.label : "0",
        ...["x", "given", "value", "y", "into_side", "slope", "into_x"].map((name) => row[name]),
      ]),
    });
  }

  function claim(rows, at, shared) {
    const list = (name) => `[${rows.map((row) => brief(row[name])).join(", ")}]`;
    if (at === 0) return `y is ${list("y")}: ${rows.filter((row) => row.chosen).length} of 3 entries took f's side.`;
    if (at === 1) return "Each y gets a gradient of 1, since the loss is their sum.";
    if (at === 2) return `Into f's side come ${list("into_side")}: ${rows.some((row) => row.into_side === null) ? "what was not run gets None" : "0 where it was not chosen"}.`;
    const worst = rows.find((row) => Number.isNaN(row.into_given) && row.into_side === 0);
    const why = worst ? `, since ${product(worst)}` : "";
    if (at === 3) return `Into x come ${list("into_x")}${why}.`;
    return `Into x come ${list("into_x")}, and into w ${fmt(shared, 4)}${Number.isNaN(shared) ? ": one NaN is enough for all that share it" : ""}.`;
  }

  const stop = listen(model, [...INPUTS, ...OUTPUTS, "answered"], draw);
  draw();
  return () => {
    stop();
    [frame, tracks, stage].forEach((part) => part.destroy());
  };
}

export default { render };
