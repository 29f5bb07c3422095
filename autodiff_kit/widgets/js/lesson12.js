import { h } from "./kit/dom.js";
import { brief } from "./kit/numbers.js";
import { mount, setView } from "./kit/model_sync.js";
import { inputChoice, inputSlider } from "./kit/controls.js";
import { Frame } from "./kit/frame.js";
import { Stepper } from "./kit/stepper.js";
import { VariableDiagram } from "./kit/variable_diagram.js";

const WAYS = [
  { value: "assign", label: "x1.assign_add(x0)", hint: "The sum is stored in the variable" },
  { value: "update", label: "s = x1 + x0", hint: "The sum is a new value; the variable stays as it is" },
];
const HOLDS = [
  { value: "copy", label: "a copy of it", hint: "Nothing else can write to it" },
  { value: "reference", label: "a reference", hint: "The number is read in the backward pass" },
  { value: "version", label: "a reference and a version", hint: "A reference, and a count of the assignments" },
];
const INITIAL = { x0: "x0", x1: "x1, at first", later: "written into x1 later" };
const LAST = 5;

/** Lesson 12: a number goes through a variable, or past it; then the variable is assigned again. */
function render({ model, el }) {
  const frame = Frame({
    model,
    el,
    title: "What does a variable remember?",
    lead: "Two variables hold a number each, and y is the square of their sum. Run the program line by line: solid lines are recorded on the tape, dotted ones are copies.",
  });
  const parts = makeParts(model);
  frame.stage.append(...layout(parts));
  return mount(model, [frame, ...Object.values(parts)], (traits) => {
    const state = { ...traits, assigns: traits.way === "assign" };
    const { scene, x0, x1, later, way, hold, step } = state;
    for (const [name, value] of Object.entries({ way, hold, x0, x1, later })) parts[name].update(value);
    parts.stepper.update({ at: step });
    drawProgram(parts.program, state);
    parts.diagram.update({ scene, start: { x0, x1 }, later, way, hold, stage: step });
    frame.say(sentence(state));
    frame.tell(tableOf(state));
  });
}

const makeParts = (model) => ({
  way: inputChoice(model, "way", "The sum of the two", WAYS),
  hold: inputChoice(model, "hold", "Of what it squares, the square keeps", HOLDS),
  ...Object.fromEntries(
    Object.entries(INITIAL).map(([name, label]) => [
      name,
      inputSlider(model, name, { label, min: -10, max: 10, step: 0.5 }),
    ]),
  ),
  program: h("ol", { class: "ak-program" }),
  diagram: VariableDiagram({ label: "The two variables, and what is recorded; the table below says the same" }),
  stepper: Stepper({
    label: "Line of the program",
    count: LAST,
    at: model.get("step"),
    pace: 1400,
    onStep: (step) => setView(model, { step }),
  }),
});

const layout = ({ way, hold, x0, x1, later, program, diagram, stepper }) => [
  h("div", { class: "ak-row", style: "margin-bottom:16px" }, way.el, hold.el),
  h(
    "div",
    { class: "ak-split ak-program-split" },
    h("div", { class: "ak-side" }, program, [x0, x1, later].map((one) => one.el)),
    diagram.el,
  ),
  h("div", { style: "margin-top:8px" }, stepper.el),
];

const linesOf = ({ assigns, later }) => [
  assigns ? "x1.assign_add(x0)" : "s = x1 + x0",
  assigns ? "y = square(x1)" : "y = square(s)",
  `x1.assign(${brief(later, 2).replace("−", "-")})`,
  "tape.gradient(y, [x0, x1])",
];

/** The program, with the line that has just run in ink. */
function drawProgram(program, state) {
  const now = Math.min(state.step, 4);
  const line = (text, i) => {
    const current = i + 1 === now;
    return h(
      "li",
      { "aria-current": current ? "step" : null },
      h("span", { "aria-hidden": "true", style: "display:inline-block;width:16px", text: current ? "▸" : "" }),
      h("code", { style: `color:var(--ak-ink${current ? "" : "2"})`, text }),
    );
  };
  program.replaceChildren(...linesOf(state).map(line));
}

function sentence(state) {
  const { scene, step, x0, x1, later, hold, assigns } = state;
  if (step === 0) return `x0 holds ${brief(x0)} and x1 holds ${brief(x1)}. Run the first line.`;
  if (step === 1)
    return assigns
      ? `x1 holds ${brief(scene.put)} now. The tape recorded nothing.`
      : `s is ${brief(scene.given)}, and the tape recorded the addition.`;
  if (step === 2) return `y is ${brief(scene.y)}. For its slope the square keeps ${keptWords(state)}.`;
  if (step === 3) {
    const looks = hold !== "copy" && assigns;
    return `x1 holds ${brief(later)} now.${looks ? " The square will read this number." : " What the square keeps has not changed."}`;
  }
  if (scene.loud) return `An error: ${scene.loud}.`;
  if (step === 4)
    return `The square gives ${assigns ? "the reading of x1" : "s"} the gradient 2 · ${brief(scene.held)} = ${brief(scene.into_given)}.`;
  const found = `y is ${brief(scene.y)}, dy/dx0 is ${brief(scene.into_x0)}, dy/dx1 is ${brief(scene.into_x1)}`;
  return `${found}; a finite difference gives ${brief(scene.difference)} for dy/dx0.`;
}

/** What the square keeps for its slope. */
function keptWords({ hold, scene, assigns }) {
  const place = assigns ? "x1" : "s";
  return { copy: `a copy of ${brief(scene.given)}`, reference: `a reference to ${place}`, version: `a reference to ${place}, and its version` }[hold];
}

function tableOf({ scene, x0, x1, later, assigns }) {
  const shown = (x) => (scene.loud ? "error" : x);
  const sum = ["s", " ", scene.given, scene.given, shown(scene.into_given)];
  return {
    caption: "The program's values, and their gradients",
    columns: ["name", "at first", "when y is computed", "at the end", "dy/d(row)"],
    rows: [
      ["x0", x0, x0, x0, shown(scene.into_x0)],
      ["x1", x1, scene.put, later, shown(scene.into_x1)],
      ...(assigns ? [] : [sum]),
      ["y", " ", scene.y, scene.y, shown(1)],
    ],
  };
}

export default { render };
