import { h } from "./kit/core.js";
import { brief } from "./kit/numbers.js";
import { decode, listen, ask } from "./kit/kernel.js";
import { Frame } from "./kit/frame.js";
import { Segmented } from "./kit/segmented.js";
import { Slider } from "./kit/slider.js";
import { Stepper } from "./kit/stepper.js";
import { CurvePlot } from "./kit/curve_plot.js";
import { Wire } from "./kit/wire.js";

const INPUTS = ["f", "rule", "x", "g", "hook", "step"];
const OUTPUTS = ["value", "seen", "into_x", "slope", "curve", "code", "hook_code"];
const FUNCTIONS = {
  floor: { label: "floor x", of: (x) => `floor(${x})`, x: [-2, 4], y: [-3.6, 4.4], snap: 0.1 },
  sign: { label: "sign x", of: (x) => `sign(${x})`, x: [-3, 3], y: [-1.6, 1.9], snap: 0.1 },
  log1pexp: { label: "log(1+eˣ)", of: (x) => `log(1 + exp ${x})`, x: [600, 1000], y: [0, 1200], snap: 1 },
};
const RULES = [
  ["own", "its own", "what the operations' own rules make of g", "own rule", [-0.25, 1.6]],
  ["through", "g", "straight through: g as it came", "g", [-0.25, 1.6]],
  ["five", "5·g", "five times g", "5·g", [-1, 7]],
  ["window", "g if |x| ≤ 1", "g where |x| ≤ 1, else 0", "g if |x| ≤ 1", [-0.25, 1.6]],
  ["sigmoid", "g·σ(x)", "g times the sigmoid of x", "g·σ(x)", [-0.25, 1.6]],
  ["reverse", "−g", "g turned round", "−g", [-1.6, 0.7]],
].map(([value, label, hint, short, y]) => ({ value, label, hint, short, y }));
const HOOKS = [
  ["look", "looks", "sees g, and leaves it"],
  ["halve", "halves", "hands on g/2"],
  ["clip", "clips", "hands on g, kept within −1 and 1"],
  ["turn", "turns", "hands on −g"],
  ["stop", "stops", "hands on 0"],
].map(([value, label, hint]) => ({ value, label, hint }));
const STAGES = ["values", "g comes into y", "the hook on y", "the rule", "the hook on x"];

/** Lesson 05: swap the rule of one operation, and watch a gradient pass a hook, the rule, and another hook. */
function render({ model, el }) {
  const get = (name) => decode(model.get(name));
  const frame = Frame({
    model,
    el,
    title: "One operation, and six rules for the way back",
    lead: "The rule is yours to choose, and nobody checks it: the value stays, what comes back changes. Two hooks watch the gradient pass; the one on y may hand on something else.",
  });
  const pick = (label, name, options) =>
    Segmented({ label, options, value: get(name), onChange: (value) => ask(model, { [name]: value }) });
  const f = pick(
    "y of x",
    "f",
    Object.entries(FUNCTIONS).map(([value, { label }]) => ({ value, label })),
  );
  const rule = pick("What the rule hands to x, of a gradient g", "rule", RULES);
  const hook = pick("The hook on y", "hook", HOOKS);
  const g = Slider({ label: "g, what comes into y", min: -3, max: 3, step: 0.5, value: get("g"), onChange: (value) => ask(model, { g: value }) });
  const code = h("pre", { class: "ak-note", style: "margin:0 0 12px;overflow-x:auto", tabindex: 0, role: "region", "aria-label": "The code of this choice" });
  const wire = Wire({ label: "The operation, its rule, and two hooks; the table below says the same" });
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
  const sliderHost = h("div", { style: "margin-bottom:8px" });
  const plotHost = h("div", { class: "ak-split ak-even" });
  let plots = null; // made anew for another function, since its range is another

  frame.stage.append(
    h("div", { class: "ak-row", style: "margin-bottom:8px" }, f.el, rule.el),
    h("div", { class: "ak-row", style: "margin-bottom:8px;align-items:end" }, hook.el, h("div", { style: "flex:1 1 220px" }, g.el)),
    wire.el,
    told,
    h("div", { style: "margin-bottom:12px" }, stage.el),
    sliderHost,
    plotHost,
    h("h4", { class: "ak-h", style: "margin-top:12px", text: "In code" }),
    code,
  );

  function build() {
    const name = get("f");
    if (plots?.name === name) return;
    const { x, y, snap, label } = FUNCTIONS[name];
    plots?.upper.destroy();
    plots?.lower.destroy();
    const range = { min: x[0], max: x[1] };
    const upper = CurvePlot({
      label: `${label} over x`,
      height: 180,
      x: { ...range, label: "x" },
      y: { min: y[0], max: y[1], label },
      handleLabel: "x",
      snap,
      onMove: (to) => ask(model, { x: to }),
    });
    const lower = CurvePlot({
      label: "Slope that the rule claims, over x",
      height: 180,
      x: { ...range, label: "x" },
      y: { min: 0, max: 1, label: "slope that the rule claims" },
    });
    const slider = Slider({ label: "x", min: x[0], max: x[1], step: snap, value: get("x"), onChange: (to) => ask(model, { x: to }) });
    sliderHost.replaceChildren(slider.el);
    plotHost.replaceChildren(h("div", {}, upper.el), h("div", {}, lower.el));
    plots = { name, upper, lower, slider };
  }

  function draw() {
    build();
    const [at, x, value, slope, seen] = ["step", "x", "value", "slope", "seen"].map(get);
    const [fun, how, hooked] = [FUNCTIONS[get("f")], one(RULES, "rule"), one(HOOKS, "hook")];
    [f, rule, hook].forEach((part, i) => part.update(get(["f", "rule", "hook"][i])));
    g.update(get("g"));
    plots.slider.update(x);
    stage.update({ at });
    wire.update({ names: { f: fun.label, rule: how.short, hook: hooked.label }, x, y: value, ...seen, stage: at });
    told.textContent = `Stage ${at + 1}: ${STAGES[at]}.`;
    code.textContent = `${get("code")}\n${get("hook_code")}`;
    drawCurves(fun, how, x, value, slope);
    frame.say(claim(at, fun, how, x, value, seen));
    frame.tell({
      caption: `${fun.of(brief(x))} = ${brief(value)}; what comes into y is ${brief(get("g"))}, the hook on y ${hooked.label}, the rule: ${how.hint}`,
      columns: ["place", "gradient"],
      rows: [
        ["into y", seen.comes],
        ["after the hook on y", seen.leaves],
        ["into x", seen.arrives],
        ["slope that the rule claims", slope],
      ],
    });
  }

  const one = (list, name) => list.find(({ value }) => value === get(name));

  function drawCurves(fun, how, x, value, slope) {
    const { pieces, ends } = get("curve");
    const none = pieces[0].slope === null;
    const shown = (name) =>
      pieces.flatMap((piece) => [
        ...piece.x.map((at, i) => [at, Number.isFinite(piece[name][i]) ? piece[name][i] : null]),
        [piece.x.at(-1), null],
      ]);
    const finite = Number.isFinite(value);
    plots.upper.update({
      curves: [{ points: shown("value"), role: "value" }],
      dots: ends.map(([at, y, open]) => ({ x: at, y, role: "value", open })),
      // The next step of floor stands above on the right; above the first step there is no room on the left.
      handle: {
        x,
        y: finite ? value : fun.y[1] * 0.86,
        text: finite ? `x = ${brief(x)}` : `x = ${brief(x)}: ∞`,
        lean: "end",
        below: fun === FUNCTIONS.floor && x < -1,
      },
    });
    const lost = none ? [] : pieces.flatMap((piece) => piece.x.filter((_, i) => Number.isNaN(piece.slope[i])));
    plots.lower.update({
      y: { min: how.y[0], max: how.y[1] },
      curves: none
        ? []
        : [
            { points: shown("slope"), role: "rev" },
            ...(lost.length
              ? [{ points: [[(lost[0] + lost.at(-1)) / 2, 0.5]], role: "nan", label: `NaN from x = ${brief(lost[0], 0)} on`, at: 0 }]
              : []),
          ],
      handle: Number.isFinite(slope) && slope !== null ? { x, y: slope, text: brief(slope, 4) } : null,
      none: none ? "None: its own rule hands back nothing" : "",
    });
  }

  function claim(at, fun, how, x, value, seen) {
    const told = `${fun.of(brief(x))} is ${brief(value)}.`;
    if (at === 0) return told;
    const came = `${told} ${brief(seen.comes)} comes into y`;
    if (at === 1) return `${came}.`;
    const handed = seen.leaves === seen.comes ? `${came}, the hook leaves it` : `${came}, the hook makes ${brief(seen.leaves)} of it`;
    if (at === 2) return `${handed}.`;
    if (seen.arrives === null) return `${handed}, and the rule hands x nothing: None.${at === 4 ? " The hook on x is not called." : ""}`;
    return `${handed}, and the rule hands ${brief(seen.arrives)} to x${at === 4 ? ", as its hook sees" : ""}.`;
  }

  const stop = listen(model, [...INPUTS, ...OUTPUTS, "answered"], draw);
  draw();
  return () => {
    stop();
    [frame, wire, stage, plots.upper, plots.lower].forEach((part) => part.destroy());
  };
}

export default { render };
