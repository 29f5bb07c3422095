import { h, put } from "./kit/core.js";
import { brief, fmt } from "./kit/numbers.js";
import { decode, listen, ask } from "./kit/kernel.js";
import { Frame } from "./kit/frame.js";
import { Segmented, Button } from "./kit/segmented.js";
import { Slider } from "./kit/slider.js";
import { Stepper } from "./kit/stepper.js";
import { CurvePlot } from "./kit/curve_plot.js";
import { Valley } from "./kit/valley.js";

const INPUTS = ["curve", "start", "metric", "dampings", "step"];
const OUTPUTS = ["about", "valley", "tries", "now", "end"];
const DATA = {
  decay: { x: { min: 0, max: 2, label: "t" }, y: { min: 0, max: 3, label: "y, data and model" } },
  misra: { x: { min: 0, max: 800, label: "x" }, y: { min: 0, max: 100, label: "y, data and model" } },
};
const WHY = {
  limit: "the cost is below 10⁻²⁰",
  tiny: "the last step was less than a billionth of the parameters",
  open: "there were 30 tries, which is all that this picture makes",
};

/** Lesson 19: the valley of a fit; the damping of each step is on a slider, or left to the rule. */
function render({ model, el }) {
  const get = (name) => decode(model.get(name));
  const frame = Frame({
    model,
    el,
    title: "How far may a step go?",
    lead: "Lines join parameters of equal cost, the sum of squared residuals. The thin curve holds the end of the next step for every damping, from the full step back to where you stand; the dashed ring is the region in which it takes the residuals for straight lines.",
  });
  const pick = (name, label, options) =>
    Segmented({ label, options, value: get(name), onChange: (value) => restart({ [name]: value, dampings: [] }) });
  const curve = pick("curve", "Curve", [
    { value: "decay", label: "2·exp(−t)", hint: "20 points, without noise" },
    { value: "misra", label: "NIST Misra1a", hint: "14 measurements of adsorption" },
  ]);
  const metric = pick("metric", "Each parameter is damped by", [
    { value: "columns", label: "its column of J", hint: "the squared length of the column: no unit counts" },
    { value: "one", label: "1", hint: "the same for all, whatever their units" },
  ]);
  const valley = Valley({
    label: "The valley of the cost, the steps that were made and the next one; the table below says the same",
    onStart: (start) => restart({ start, dampings: [] }),
  });
  const damping = Slider({
    label: "Damping of the next step",
    min: 1e-8,
    max: 1e4,
    log: true,
    positions: 120,
    value: 1e-3,
    onChange: (value) => take(Math.min(Math.max(value, 1e-8), 1e4)),
  });
  const rule = Button({ label: "Leave it to the rule", onClick: () => take(null) });
  const plots = Object.fromEntries(
    Object.entries(DATA).map(([name, { x, y }]) => [
      name,
      CurvePlot({ label: "Data, the model where the fit stands, and dashed where the step leads", height: 176, x, y }),
    ]),
  );
  const figures = h("div", { class: "ak-figures" });
  const stepper = Stepper({
    label: "Tries of the fit",
    count: 1,
    at: get("step"),
    pace: 900,
    onStep: (step) => ask(model, { step }),
  });

  frame.stage.append(
    h("div", { class: "ak-row", style: "margin-bottom:12px" }, curve.el, metric.el),
    h(
      "div",
      { class: "ak-split" },
      h("div", {}, valley.el, h("div", { style: "margin-top:8px" }, stepper.el)),
      h("div", { class: "ak-side" }, h("div", {}, damping.el, rule.el), figures, h("div", {}, Object.values(plots).map((plot) => plot.el))),
    ),
  );

  function restart(changes) {
    stepper.halt();
    ask(model, { step: 0, ...("curve" in changes ? { start: [] } : {}), ...changes });
  }

  /** A damping of the learner's own for the next step; what came after it is forgotten. */
  function take(value) {
    stepper.halt();
    const [at, given] = [get("step"), get("dampings")];
    const before = Array.from({ length: at }, (_, k) => given[k] ?? null);
    ask(model, { dampings: value === null ? before : [...before, value] });
  }

  function draw() {
    const [name, about, { depths, levels }, tries, now, end] = ["curve", ...OUTPUTS].map(get);
    const done = Math.min(get("step"), tries.length);
    const next = tries[done];
    const own = get("start").length ? get("start") : about.start; // the start is the learner's, and moves at once
    curve.update(name);
    metric.update(get("metric"));
    valley.update({ rows: depths, levels, view: about.view, snap: about.snap, names: about.names, start: own, tries, done, now });
    stepper.update({ count: tries.length, at: done });
    if (next) damping.update(next.damping);
    damping.el.querySelectorAll("input").forEach((input) => (input.disabled = !next));
    put(rule.el, { disabled: !next || (get("dampings")[done] ?? null) === null });
    for (const [key, plot] of Object.entries(plots)) put(plot.el, { hidden: key !== name });
    plots[name].update({
      curves: [
        { points: line(now.fine, now.curve), role: "value" },
        ...(now.tried ? [{ points: line(now.fine, now.tried), role: "value", dash: true, thin: true }] : []),
      ],
      dots: about.x.map((x, i) => ({ x, y: about.y[i], role: "value", open: true })),
    });
    const pushes = 2 * (next ? next.jacobians : end.jacobians);
    const pulls = (pushes / 2) * end.rows;
    figures.replaceChildren(
      ...[
        ["cost here", short(now.cost)],
        ["the straight line promises", next ? short(next.promised) : "–"],
        ["the step finds", next ? `${short(next.found)}, ${next.kept ? "kept" : "refused"}` : "–"],
        ["pushes so far", `${pushes}`],
        ["pulls they stand for", `${pulls}`],
      ].map(([what, number]) => h("div", {}, h("span", { text: what }), h("strong", { text: number, style: "font-size:1em;white-space:nowrap" }))),
    );
    frame.say(claim(next, done, now, end, pushes, pulls));
    frame.tell({
      caption: about.words,
      columns: ["try", ...about.names, "damping", "cost", "promised", "found", ""],
      rows: tries.map((one, k) => [
        `${k + 1}`,
        ...one.at.map((v) => brief(v, 6)),
        ...["damping", "cost", "promised", "found"].map((key) => short(one[key])),
        one.kept ? "kept" : "refused",
      ]),
    });
  }

  function claim(next, done, now, end, pushes, pulls) {
    if (!next) {
      const place = end.at.map((v) => brief(v, 6)).join(", ");
      return `After ${done} tries the fit is at (${place}), and ${WHY[end.why]}. It took ${end.jacobians} Jacobians: ${pushes} pushes, where pulls are ${pulls}.`;
    }
    const fate = next.kept ? "it is kept" : "it is refused, and the damping grows";
    return `Try ${done + 1}, damping ${short(next.damping)}: from a cost of ${short(now.cost)} the straight line promises ${short(next.promised)}, and the step finds ${short(next.found)}: ${fate}.`;
  }

  const stop = listen(model, [...INPUTS, ...OUTPUTS, "answered"], draw);
  draw();
  return () => {
    stop();
    [frame, valley, stepper, ...Object.values(plots)].forEach((part) => part.destroy());
  };
}

const line = (xs, ys) => xs.map((x, i) => [x, Number.isFinite(ys[i]) ? ys[i] : null]);

/** Four digits that count, whatever the size. */
const short = (v) => (v !== 0 && (Math.abs(v) < 1e-3 || Math.abs(v) >= 1e5) ? fmt(v, 0) : brief(Number(v.toPrecision(4)), 6));

export default { render };
