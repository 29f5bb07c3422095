import { h, put } from "./kit/core.js";
import { fmt, brief } from "./kit/numbers.js";
import { decode, listen, ask } from "./kit/kernel.js";
import { Frame } from "./kit/frame.js";
import { Segmented, Button } from "./kit/segmented.js";
import { Slider } from "./kit/slider.js";
import { Stepper } from "./kit/stepper.js";
import { CurvePlot } from "./kit/curve_plot.js";

const INPUTS = ["rule", "s", "start", "anneal", "step"];
const OUTPUTS = ["grid", "surrogate", "slope", "area", "at_two", "trail", "heights", "temperature", "arrived"];
const RULES = [
  ["none", "none", "floor as it is: it has no gradient"],
  ["straight", "straight-through", "floor forwards, slope 1 backwards"],
  ["sigmoid", "sigmoid", "a sum of sigmoids, both ways"],
  ["linear", "linear", "steep ramps, both ways"],
  ["filter", "filter", "floor smoothed by a triangular kernel"],
].map(([value, label, hint]) => ({ value, label, hint }));
const STAIRS = [0, 1, 2, 3, 4, 5];
const TARGET = 3;

/** Lesson 06: a ball on a staircase, the slope that each backward rule claims, and where the descent ends. */
function render({ model, el }) {
  const get = (name) => decode(model.get(name));
  const frame = Frame({
    model,
    el,
    title: "A staircase, and five slopes to put under it",
    lead: "The ball wants floor(x) = 3. What it feels is the lower picture. Drag the ball, choose a rule, let it run.",
  });
  const log = [];
  const rule = Segmented({
    label: "Backward rule",
    options: RULES,
    value: get("rule"),
    onChange: (value) => restart({ rule: value }),
  });
  const heat = Slider({
    label: "s, sharpness",
    min: 1,
    max: 50,
    log: true,
    value: get("s"),
    onChange: (value) => restart({ s: value }),
  });
  const anneal = Button({
    label: "Anneal s from 1 to 20",
    pressed: get("anneal"),
    onClick: () => restart({ anneal: !get("anneal") }),
  });
  const stepper = Stepper({
    label: "Step of the descent",
    count: get("trail").length - 1,
    at: get("step"),
    pace: 60,
    onStep: (step) => ask(model, { step }),
  });
  const X = { min: 0, max: 6 };
  const upper = CurvePlot({
    label: "Staircase, surrogate and ball",
    height: 260,
    x: { ...X },
    xAxis: false,
    y: { min: 0, max: 6, label: "height" },
    handleLabel: "Ball: where the descent starts",
    onMove: (start) => restart({ start }),
  });
  const lower = CurvePlot({
    label: "Slope used by the backward rule",
    height: 150,
    x: { ...X, label: "x" },
    y: { min: 0, max: 2, label: "slope the rule claims" },
  });
  const last = get("trail").length - 1;
  const growth = CurvePlot({
    label: "Sharpness s over the steps",
    height: 104,
    x: { min: 0, max: last },
    y: { min: 0, max: 20, label: "s over the steps" },
  });
  growth.el.classList.add("ak-growth");
  const runs = h("table", { class: "ak-table ak-runs" });
  const figures = h("div", { class: "ak-figures" });

  frame.stage.append(
    h("div", { class: "ak-row", style: "margin-bottom:12px" }, rule.el),
    h(
      "div",
      { class: "ak-split" },
      h("div", {}, upper.el, lower.el, growth.el, h("div", { style: "margin-top:8px" }, stepper.el)),
      h("div", { class: "ak-side" }, heat.el, h("div", {}, anneal.el), figures, runs),
    ),
  );

  function restart(changes) {
    stepper.halt();
    ask(model, { step: 0, ...changes });
  }

  function draw() {
    const [kind, s, step] = [get("rule"), get("s"), get("step")];
    const [grid, surrogate, slope, trail, heights] = ["grid", "surrogate", "slope", "trail", "heights"].map(get);
    const hard = kind === "none" || kind === "straight";
    const shown = get("temperature")[step];
    rule.update(kind);
    heat.update(get("anneal") ? Number(shown.toPrecision(2)) : s);
    put(anneal.el, { "aria-pressed": get("anneal"), disabled: hard });
    heat.el.querySelectorAll("input").forEach((input) => {
      input.disabled = hard || get("anneal");
    });
    stepper.update({ count: trail.length - 1, at: step });

    const stairs = STAIRS.flatMap((k) => [
      [k, k],
      [k + 1, k],
      [k + 1, null],
    ]);
    const labelled = grid.findIndex((at) => at >= 4.75);
    const here = step ? trail[step] : get("start"); // the start is the learner's own, so it moves before the kernel answers
    const ball = { x: here, y: heights[step], text: `x = ${brief(here, 3)}` };
    upper.update({
      curves: [
        { points: stairs, role: "value", thin: !hard, label: hard ? "" : "floor", at: 13, dx: -16, dy: 18 },
        ...(hard
          ? []
          : [
              {
                points: grid.map((x, i) => [x, surrogate[i]]),
                role: "value",
                label: "surrogate",
                at: labelled,
                anchor: "end",
                dx: -8,
                dy: -10,
              },
            ]),
      ],
      dots: STAIRS.slice(1).flatMap((k) => [
        { x: k, y: k, role: "value" },
        { x: k, y: k - 1, role: "value", open: true },
      ]),
      marks: [{ y: TARGET, label: "target 3" }],
      trail: trail.slice(0, step).map((at, t) => [at, heights[t]]),
      handle: ball,
    });

    const none = slope[0] === null;
    const top = none ? 2 : Math.max(2, ...slope) * 1.08;
    const window = grid.map((x, i) => [x, slope[i]]).filter(([x]) => x >= 1.5 && x <= 2.5);
    lower.update({
      y: { max: top },
      curves: none ? [] : [{ points: grid.map((x, i) => [x, slope[i]]), role: "rev" }],
      areas: none
        ? []
        : [
            {
              points: window,
              role: "rev",
              label: `area ${fmt(get("area"), 4)}`,
              at: Math.floor(window.length / 2),
              dy: kind === "straight" ? -10 : -8,
            },
          ],
      none: none ? "None: this rule hands back no slope at all" : "",
    });
    lower.el.classList.toggle("ak-is-none", none);

    drawGrowth(get("temperature"), step, get("anneal") && !hard);

    const arrived = get("arrived");
    figures.replaceChildren(
      ...[
        ["f(2)", fmt(get("at_two"), 4)],
        ["area of one step", none ? null : fmt(get("area"), 4)],
        ["x now", fmt(here, 4)],
      ].map(([name, text]) =>
        h(
          "div",
          {},
          h("span", { text: name }),
          text === null ? h("span", { class: "ak-num ak-num-none", text: "None" }) : h("strong", { text }),
        ),
      ),
    );
    if (step === trail.length - 1)
      note([
        RULES.find((r) => r.value === kind).label + (hard ? "" : `, s ${get("anneal") ? "1→20" : brief(s)}`),
        fmt(trail.at(-1), 4),
        arrived === null ? "never" : String(arrived),
      ]);
    drawRuns();
    frame.say(sentence(kind, step, trail, arrived));
    frame.tell({
      caption: `Descent with ${kind}, from ${brief(trail[0], 2)}`,
      columns: ["step", "x", "height", "s"],
      rows: [0, 1, 2, 5, 10, 20, 50, 100, 200]
        .filter((t) => t < trail.length)
        .map((t) => [String(t), trail[t], heights[t], brief(get("temperature")[t], 2)]),
    });
  }

  /** s over the steps, with a dot at this one; only where it grows. */
  function drawGrowth(temperature, step, growing) {
    put(growth.el, { hidden: !growing });
    if (!growing) return;
    const late = step > last / 2;
    growth.update({
      curves: [
        {
          points: temperature.map((s, t) => [t, s]),
          role: "value",
          label: `s = ${brief(temperature[step], 2)}`,
          at: step,
          anchor: late ? "end" : "start",
          dx: late ? -8 : 4,
          dy: -9,
        },
      ],
      dots: [{ x: step, y: temperature[step], role: "value" }],
    });
  }

  function note(row) {
    const at = log.findIndex((old) => old[0] === row[0]);
    if (at >= 0) log[at] = row;
    else log.push(row);
  }
  function drawRuns() {
    runs.replaceChildren(
      h("caption", { text: log.length ? "Your descents" : "Your descents will be listed here." }),
      ...(log.length
        ? [
            h(
              "thead",
              {},
              h(
                "tr",
                {},
                ["rule", "ends at", "at 3 after"].map((text) => h("th", { scope: "col", text })),
              ),
            ),
            h(
              "tbody",
              {},
              log.map((row) =>
                h(
                  "tr",
                  {},
                  row.map((text, i) => h(i ? "td" : "th", { scope: i ? null : "row", text })),
                ),
              ),
            ),
          ]
        : []),
    );
  }
  function sentence(kind, step, trail, arrived) {
    if (kind === "none")
      return step
        ? `After ${step} steps x is still ${brief(trail[step], 4)}: no gradient, no motion.`
        : "The hard floor hands back None: the ball has nothing to feel.";
    if (step < trail.length - 1)
      return step
        ? `Step ${step}: x = ${fmt(trail[step], 4)}.`
        : `soft_floor(2) is ${fmt(get("at_two"), 4)}; the area under one step is ${fmt(get("area"), 4)}.`;
    return arrived === null
      ? `After ${step} steps x is ${fmt(trail.at(-1), 4)}: floor(x) never reached 3.`
      : `x ends at ${fmt(trail.at(-1), 4)}; floor(x) was 3 after ${arrived} steps.`;
  }

  const stop = listen(model, [...INPUTS, ...OUTPUTS, "answered"], draw);
  draw();
  return () => {
    stop();
    [frame, stepper, upper, lower, growth].forEach((part) => part.destroy());
  };
}

export default { render };
