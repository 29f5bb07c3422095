import { h, clamp } from "./kit/core.js";
import { fmt, brief } from "./kit/numbers.js";
import { decode, listen, ask } from "./kit/kernel.js";
import { Frame } from "./kit/frame.js";
import { Segmented } from "./kit/segmented.js";
import { Slider } from "./kit/slider.js";
import { Stepper } from "./kit/stepper.js";
import { CurvePlot } from "./kit/curve_plot.js";

const INPUTS = ["lo", "hi", "kind", "y", "step"];
const OUTPUTS = ["grid", "inverse", "way", "xs", "ys", "learned", "worst", "said", "back", "right", "paid"];
const KINDS = [
  ["line", "line", "a + b·y"],
  ["polynomial", "polynomial", "of degree 7: eight coefficients"],
  ["network", "network", "six hidden units with tanh"],
].map(([value, label, hint]) => ({ value, label, hint }));
const STEPS = 20;
const Y = { min: -12, max: 12 };
const X = { min: -2.5, max: 2.5 };
const REACH = 5; // of y: as far as a reading reaches to the side of its ball
const RIM = 2.4; // where the ball stays when M says more than the picture holds: its foot above the numbers of the axis

/** Lesson 21: choose where a black box is asked, watch its inverse being learned, and put a question to it. */
function render({ model, el }) {
  const get = (name) => decode(model.get(name));
  const frame = Frame({
    model,
    el,
    title: "Where does M know the way back?",
    lead: "A box gives F(x) = x³ + x, and no gradient. It is asked at 41 x of your choice (every fourth is a ring), and from the answers M learns to give x back. Drag the ball to ask M about another y; the thin line is right.",
  });
  const kind = Segmented({
    label: "M is a",
    options: KINDS,
    value: get("kind"),
    onChange: (value) => ask(model, { kind: value }),
  });
  const end = (name, label, min, max) =>
    Slider({ label, min, max, step: 0.25, value: get(name), onChange: (value) => ask(model, { [name]: value }) });
  const lo = end("lo", "The box is asked from x =", -2, -0.25);
  const hi = end("hi", "to x =", 0.25, 2);
  const plot = CurvePlot({
    label: "x over y: the right inverse, the pairs, and the model",
    height: 300,
    x: { ...Y, label: "y" },
    y: { ...X, label: "x" },
    handleLabel: "The question: y",
    snap: 0.25,
    onMove: (y) => ask(model, { y }),
  });
  const stepper = Stepper({
    label: "Step of the training",
    count: STEPS,
    at: get("step"),
    pace: 250,
    onStep: (step) => ask(model, { step }),
  });
  const figures = h("div", { class: "ak-figures" });
  const bill = h("p", { class: "ak-note", style: "margin:0" });

  frame.stage.append(
    h("div", { class: "ak-row", style: "margin-bottom:12px" }, kind.el),
    h(
      "div",
      { class: "ak-split" },
      h("div", {}, plot.el, h("div", { style: "margin-top:8px" }, stepper.el)),
      h("div", { class: "ak-side" }, lo.el, hi.el, figures, bill),
    ),
  );

  function draw() {
    const [xs, ys, y, said, right] = ["xs", "ys", "y", "said", "right"].map(get);
    const [from, to] = [ys[0], ys.at(-1)];
    const learned = over("grid", "learned");
    kind.update(get("kind"));
    lo.update(get("lo"));
    hi.update(get("hi"));
    stepper.update({ at: get("step") });
    plot.update({
      curves: [
        { points: over("inverse", "way"), role: "value", thin: true },
        edge(from, "end"),
        edge(to, "start"),
        { points: cut(learned), role: "value" },
        { points: [[y, right], [y, said]], role: "value", thin: true, dash: true, ...reading(y, said, right, [from, to]) },
      ],
      dots: [...rings(ys, xs), { x: y, y: right, role: "value" }],
      handle: { x: y, y: clamp(said, -RIM, RIM) },
    });
    const read = [
      ["M says", said],
      ["the box, given that", get("back")],
      ["the right x", right],
      ["worst on the pairs", get("worst")],
    ];
    figures.replaceChildren(
      ...read.map(([text, value]) => h("div", {}, h("span", { text }), h("strong", { text: fmt(value, 4) }))),
    );
    const paid = get("paid");
    bill.textContent = `Asked of the box: ${paid.pairs} for the pairs, once. A solver asks ${paid.solver} for this y alone.`;
    frame.say(sentence(y, from, to));
    frame.tell({
      caption: `${KINDS.find((one) => one.value === get("kind")).label} after ${get("step")} steps`,
      columns: ["what", "value"],
      rows: [["asked at x from", get("lo")], ["asked at x to", get("hi")], ["the question, y", y], ...read],
    });
  }

  /** Points of one output over another. */
  const over = (at, height) => {
    const heights = get(height);
    return get(at).map((x, i) => [x, heights[i]]);
  };

  /** Where what M saw ends. */
  const edge = (at, anchor) => ({
    points: [[at, X.min], [at, X.max]],
    role: "held",
    dash: true,
    thin: true,
    label: anchor === "end" ? "seen from here" : "to here",
    at: 1,
    anchor,
    dx: anchor === "end" ? 4 : -4,
    dy: -8,
  });

  const rings = (ys, xs) =>
    ys.map((at, i) => ({ x: at, y: xs[i], role: "value", open: true })).filter((_, i) => i % 4 === 0);

  /**
   * What M says, beside the ball: on the side away from the right answer, never below or above the picture, and away from
   * the lines where what M saw ends, if there is room.
   */
  function reading(y, said, right, ends) {
    const low = Math.abs(said) > X.max ? said > 0 : said < right;
    const free = (a, b) => a >= Y.min && b <= Y.max && !ends.some((end) => end >= a && end <= b);
    const left = free(y - REACH, y) || (!free(y, y + REACH) && y > Y.min + REACH);
    const short = brief(said, Math.abs(said) < 1000 ? 2 : 0);
    return {
      label: `M(${brief(y, 2)}) = ${short}`,
      short,
      at: 1,
      anchor: left ? "end" : "start",
      dx: left ? -12 : 12,
      dy: low ? 20 : -12,
    };
  }

  /** The model's curve as far as it is in the picture, and one point more on each side, so that it runs to the border. */
  function cut(points) {
    const inside = (i) => points[i] && points[i][1] >= X.min && points[i][1] <= X.max;
    return points.map((point, i) => (inside(i - 1) || inside(i) || inside(i + 1) ? point : [point[0], null]));
  }

  function sentence(y, from, to) {
    const seen = `what M saw (${brief(from, 2)} to ${brief(to, 2)})`;
    const [said, right] = [fmt(get("said"), 4), fmt(get("right"), 4)];
    const where = y >= from && y <= to ? "inside" : "outside";
    return `y = ${brief(y, 2)} is ${where} of ${seen}: M says ${said}, and the right x is ${right}.`;
  }

  const stop = listen(model, [...INPUTS, ...OUTPUTS, "answered"], draw);
  draw();
  return () => {
    stop();
    [frame, plot, stepper].forEach((part) => part.destroy());
  };
}

export default { render };
