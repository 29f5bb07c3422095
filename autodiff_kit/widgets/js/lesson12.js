import { h } from "./kit/core.js";
import { brief } from "./kit/numbers.js";
import { decode, listen, ask } from "./kit/kernel.js";
import { Frame } from "./kit/frame.js";
import { Segmented } from "./kit/segmented.js";
import { Slider } from "./kit/slider.js";
import { Stepper } from "./kit/stepper.js";
import { Boxes } from "./kit/boxes.js";

const INPUTS = ["x0", "x1", "later", "way", "hold", "step"];
const OUTPUTS = ["scene"];
const WAYS = [
  { value: "assign", label: "x1.assign_add(x0)", hint: "The sum is put into the variable" },
  { value: "update", label: "s = x1 + x0", hint: "The sum is a new value; the variable stays as it is" },
];
const HOLDS = [
  { value: "copy", label: "a copy of it", hint: "Nobody else can write there" },
  { value: "reference", label: "where it stands", hint: "By reference: it is read when the gradient is asked" },
  { value: "version", label: "where, and its version", hint: "By reference, with a count of the writings" },
];
const LAST = 5;

/** Lesson 12: a number goes through a variable, or past it; then somebody writes into the variable. */
function render({ model, el }) {
  const get = (name) => decode(model.get(name));
  const frame = Frame({
    model,
    el,
    title: "What does a variable remember?",
    lead: "Two variables are boxes with a number in them. y is the square of their sum. Choose how the sum is made and what the square keeps for its slope; then run the program line by line. Solid lines are on the record, dots are numbers that only move.",
  });
  const choice = (name, label, options) =>
    Segmented({ label, options, value: get(name), onChange: (value) => ask(model, { [name]: value }) });
  const way = choice("way", "The sum of the two", WAYS);
  const hold = choice("hold", "Of what it squares, the square keeps", HOLDS);
  const slider = (name, label) =>
    Slider({ label, min: -10, max: 10, step: 0.5, value: get(name), onChange: (value) => ask(model, { [name]: value }) });
  const sliders = { x0: slider("x0", "x0"), x1: slider("x1", "x1, at first"), later: slider("later", "written into x1 later") };
  const program = h("ol", { class: "ak-note", style: "list-style:none;margin:0 0 12px;padding:0;max-width:none" });
  const boxes = Boxes({ label: "The two variables as boxes, and what is recorded; the table below says the same" });
  const stepper = Stepper({
    label: "Line of the program",
    count: LAST,
    at: get("step"),
    pace: 1400,
    onStep: (to) => {
      model.set("step", to);
      model.save_changes();
      draw();
    },
  });
  const row = (...parts) => h("div", { class: "ak-row", style: "margin-bottom:12px" }, parts);
  frame.stage.append(
    row(way.el, hold.el),
    row(...Object.values(sliders).map((one) => h("div", { style: "flex:1 1 180px" }, one.el))),
    program,
    boxes.el,
    h("div", { style: "margin-top:16px" }, stepper.el),
  );

  const lines = () => [
    get("way") === "assign" ? "x1.assign_add(x0)" : "s = x1 + x0",
    get("way") === "assign" ? "y = square(x1)" : "y = square(s)",
    `x1.assign(${brief(get("later"), 2).replace("−", "-")})`,
    "tape.gradient(y, [x0, x1])",
  ];

  /** The program, with the line that has just run in ink. */
  function drawProgram(at) {
    const now = Math.min(at, 4);
    program.replaceChildren(
      ...lines().map((text, i) =>
        h(
          "li",
          { "aria-current": i + 1 === now ? "step" : null },
          h("span", { "aria-hidden": "true", style: "display:inline-block;width:16px", text: i + 1 === now ? "▸" : "" }),
          h("code", { style: `color:var(--ak-ink${i + 1 === now ? "" : "2"})`, text }),
        ),
      ),
    );
  }

  function draw() {
    const [scene, at] = [get("scene"), get("step")];
    way.update(get("way"));
    hold.update(get("hold"));
    for (const [name, one] of Object.entries(sliders)) one.update(get(name));
    drawProgram(at);
    boxes.update({
      scene,
      start: { x0: get("x0"), x1: get("x1") },
      later: get("later"),
      way: get("way"),
      hold: get("hold"),
      stage: at,
    });
    stepper.update({ at });
    frame.say(claim(scene, at));
    frame.tell({
      caption: "The program's values, and the gradients that come to them",
      columns: ["name", "at first", "when y is computed", "at the end", "gradient of y"],
      rows: rows(scene),
    });
  }

  function rows(scene) {
    const shown = (x) => (scene.loud ? "error" : x);
    const sum = ["s", " ", scene.given, scene.given, shown(scene.into_given)];
    return [
      ["x0", get("x0"), get("x0"), get("x0"), shown(scene.into_x0)],
      ["x1", get("x1"), scene.put, get("later"), shown(scene.into_x1)],
      ...(get("way") === "update" ? [sum] : []),
      ["y", " ", scene.y, scene.y, shown(1)],
    ];
  }

  function claim(scene, at) {
    const assign = get("way") === "assign";
    const place = assign ? "x1" : "s";
    if (at === 0) return `x0 holds ${brief(get("x0"))} and x1 holds ${brief(get("x1"))}. Run the first line.`;
    if (at === 1)
      return assign
        ? `x1 holds ${brief(scene.put)} now. Where that came from is not on the record.`
        : `s is ${brief(scene.given)}, and the addition is on the record.`;
    if (at === 2)
      return `y is ${brief(scene.y)}. For its slope the square keeps ${{ copy: `a copy of ${brief(scene.given)}`, reference: `the place of ${place}`, version: `the place of ${place}, and its version` }[get("hold")]}.`;
    if (at === 3)
      return `x1 holds ${brief(get("later"))} now.${get("hold") !== "copy" && assign ? " That is where the square will look." : " What the square keeps has not changed."}`;
    if (scene.loud) return `An error: ${scene.loud}.`;
    if (at === 4) return `The square hands on 2 · ${brief(scene.held)} = ${brief(scene.into_given)}${assign ? ", to the reading of x1" : ", to s"}.`;
    const found = `y is ${brief(scene.y)}, dy/dx0 is ${brief(scene.into_x0)}, dy/dx1 is ${brief(scene.into_x1)}`;
    return `${found}; when x0 is moved a little, y moves ${brief(scene.difference)} times as far.`;
  }

  const stop = listen(model, [...INPUTS, ...OUTPUTS, "answered"], draw);
  draw();
  return () => {
    stop();
    [frame, boxes, stepper].forEach((part) => part.destroy());
  };
}

export default { render };
