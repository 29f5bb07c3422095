import { h, put } from "./kit/core.js";
import { brief, fmt } from "./kit/numbers.js";
import { decode, listen, ask } from "./kit/kernel.js";
import { Frame } from "./kit/frame.js";
import { Segmented, Button } from "./kit/segmented.js";
import { Slider } from "./kit/slider.js";
import { Signs } from "./kit/signs.js";
import { EstimatePlot } from "./kit/estimate_plot.js";

const INPUTS = ["function", "kind", "way", "h", "probes", "next_signs", "seed"];
const OUTPUTS = ["about", "rows", "ahead", "found"];
const FUNCTIONS = [
  ["two", "[[2 1] [1 3]]", "the quadratic of the lesson, 2 numbers"],
  ["diagonal", "diagonal", "6 numbers that know nothing of one another"],
  ["twelve", "12 × 12", "a quadratic of 12 numbers"],
  ["waves", "no quadratic", "6 numbers, sines and fourth powers"],
].map(([value, label, hint]) => ({ value, label, hint }));

/** Lesson 20: probes are drawn, by chance or sign by sign, and their means settle near trace and norm. */
function render({ model, el }) {
  const get = (name) => decode(model.get(name));
  const frame = Frame({
    model,
    el,
    title: "How many probes does a trace need?",
    lead: "A probe v gives v·Hv, a hollow dot on the left, and |Hv|, one on the right. The line is the estimate from all probes so far, the grey bar its standard error; the dashed line is the truth, from the whole Hessian.",
  });
  const chosen = (name, label, options, changes) =>
    Segmented({ label, options, value: get(name), onChange: (value) => ask(model, { [name]: value, ...changes }) });
  const what = chosen("function", "Hessian", FUNCTIONS, { probes: [], next_signs: [] });
  const kind = chosen(
    "kind",
    "By chance",
    [
      { value: "signs", label: "signs", hint: "entries of 1 and −1" },
      { value: "normal", label: "normal numbers" },
    ],
    { probes: [] },
  );
  const way = chosen("way", "Hv comes from", [
    { value: "product", label: "an exact product", hint: "one push through the gradient" },
    { value: "moving", label: "two moved gradients", hint: "at x + hv and at x − hv" },
  ]);
  const step = Slider({
    label: "h, how far it moves",
    min: 1e-12,
    max: 1,
    log: true,
    positions: 120,
    value: get("h"),
    onChange: (value) => ask(model, { h: Math.min(Math.max(value, 1e-12), 1) }),
  });
  const signs = Signs({ label: "Your next probe v", name: "entry", onChange: (next) => ask(model, { next_signs: next }) });
  const add = Button({ label: "Add this probe", kind: "primary", onClick: () => addProbes([get("ahead").v]) });
  const one = Button({ label: "One by chance", onClick: () => addProbes([[]]) });
  const ten = Button({ label: "Ten by chance", onClick: () => addProbes(Array.from({ length: 10 }, () => [])) });
  const again = Button({ label: "Begin again", onClick: () => ask(model, { probes: [], seed: get("seed") + 1 }) });
  const coming = h("p", { class: "ak-note", style: "margin:6px 0 0" });
  const trace = EstimatePlot({ label: "v·Hv of each probe, and the estimate of the trace; the table below says the same" });
  const norm = EstimatePlot({ label: "|Hv| of each probe, and the estimate of the Frobenius norm" });

  frame.stage.append(
    h("div", { class: "ak-row", style: "margin-bottom:12px" }, what.el, kind.el, way.el),
    h("div", { style: "max-width:420px;margin-bottom:12px" }, step.el),
    signs.el,
    coming,
    h("div", { class: "ak-row", style: "gap:8px;margin:8px 0 16px" }, add.el, one.el, ten.el, again.el),
    h("div", { class: "ak-split ak-even" }, h("div", {}, trace.el), h("div", {}, norm.el)),
  );

  function addProbes(more) {
    ask(model, { probes: [...get("probes"), ...more].slice(0, get("about").most) });
  }

  function draw() {
    const [about, rows, ahead, found] = OUTPUTS.map(get);
    const moving = get("way") === "moving";
    what.update(get("function"));
    kind.update(get("kind"));
    way.update(get("way"));
    step.update(get("h"));
    put(step.el.parentElement, { hidden: !moving });
    const own = get("next_signs"); // the learner's own signs turn at once
    signs.update(ahead.v.map((v, i) => (own.length ? own[i % own.length] : v)));
    coming.textContent = `Hv = (${list(ahead.moved)}), v·Hv = ${brief(ahead.quadratic)}, |Hv|² = ${brief(ahead.square)}`;
    const full = rows.length >= about.most;
    for (const button of [add, one, ten]) put(button.el, { disabled: full });
    put(again.el, { disabled: !rows.length });
    const most = Math.max(10, 10 * Math.ceil(rows.length / 10));
    const column = (name) => found.map((estimate) => estimate[name]);
    trace.update({
      name: "trace",
      along: "probes",
      samples: rows.map((row) => row.quadratic),
      means: column("trace"),
      errors: column("trace_error"),
      truth: about.trace,
      most,
    });
    norm.update({
      name: "Frobenius norm",
      along: "probes",
      samples: rows.map((row) => Math.sqrt(row.square)),
      means: column("norm"),
      errors: column("norm_error"),
      truth: about.norm,
      most,
    });
    frame.say(claim(about, rows.length, found.at(-1), moving));
    frame.tell({
      caption: `${about.words}: probes and estimates`,
      columns: ["probes", "v·Hv", "|Hv|²", "trace", "±", "norm", "±"],
      rows: [
        ...[...rows, ahead].map((row, k) => [
          row === ahead ? "next" : `${k + 1}`,
          row.quadratic,
          row.square,
          ...["trace", "trace_error", "norm", "norm_error"].map((name) => found[k]?.[name] ?? "–"),
        ]),
        ["whole H", "–", "–", about.trace, "–", about.norm, "–"],
      ],
    });
  }

  function claim(about, count, now, moving) {
    const cost = moving ? `${2 * count} gradients` : count === 1 ? "1 product" : `${count} products`;
    if (!count) return `No probe yet. The whole Hessian of ${about.size} × ${about.size} has trace ${brief(about.trace)} and norm ${brief(about.norm)}.`;
    const bar = (error) => (error === null ? "" : ` ± ${fmt(error)}`);
    const words = count === 1 ? "One probe, which has no error bar" : `${count} probes`;
    return `${words} (${cost}): trace ${fmt(now.trace)}${bar(now.trace_error)}, norm ${fmt(now.norm)}${bar(now.norm_error)}. The truth is ${brief(about.trace)} and ${brief(about.norm)}.`;
  }

  const stop = listen(model, [...INPUTS, ...OUTPUTS, "answered"], draw);
  draw();
  return () => {
    stop();
    [frame, trace, norm].forEach((part) => part.destroy());
  };
}

const list = (numbers) => numbers.map((x) => brief(x, 3)).join(", ");

export default { render };
