import { h } from "./kit/dom.js";
import { brief, fmt } from "./kit/numbers.js";
import { ask, mount, setView } from "./kit/model_sync.js";
import { inputSlider, withEntry } from "./kit/controls.js";
import { Frame } from "./kit/frame.js";
import { Stepper } from "./kit/stepper.js";
import { ClipPicture } from "./kit/clip_picture.js";

const NAMES = ["a", "b", "c"];
const STEPS = 3;
const LIMIT = 10; // a gradient's components: x goes to 5, and the gradient is −2x
const RADII = [0.25, 10];
const pair = (vector) => `[${vector.map((one) => fmt(one)).join(", ")}]`;
const times = (vector, k) => vector.map((one) => k * one + 0);

/** Lesson 17: per-example gradients that are cut to a circle, and the mean of the cut ones beside the mean that is cut. */
function render({ model, el }) {
  const frame = Frame({
    model,
    el,
    title: "Clip each, or clip the mean?",
    lead: "Each example has its own gradient; their mean is the centre of the triangle of the tips. Drag a tip, or the rim of the circle.",
  });
  const parts = makeParts(model);
  frame.stage.append(...layout(parts));
  return mount(model, [frame, ...Object.values(parts)], (state) => {
    parts.stepper.update({ at: state.step });
    parts.slider.update(state.C);
    drawPicture(parts.picture, state);
    frame.say(sentence(state));
    frame.tell(tableOf(state));
  });
}

function makeParts(model) {
  const setStep = (step) => setView(model, { step });
  const picture = ClipPicture({
    label: "The gradients of examples a, b and c, the circle of radius C, and the circle enlarged; the table below says the same",
    names: NAMES,
    axes: ["w₀", "w₁"],
    limit: LIMIT,
    radii: RADII,
    onMove: (i, tip) => ask(model, { X: withEntry(model.get("X"), i, times(tip, -0.5)) }),
    onRadius: (C) => ask(model, { C }),
  });
  const stepper = Stepper({
    label: "Steps of clipping and averaging",
    count: STEPS,
    at: model.get("step"),
    pace: 2200,
    first: 1,
    onStep: setStep,
    onScrub: (at, phase) => {
      picture.scrub(at);
      setStep(Math.round(at));
      if (phase === "end") picture.settle();
    },
  });
  const slider = inputSlider(model, "C", { label: "C, the length that is clipped to", min: RADII[0], max: RADII[1], step: 0.25 });
  return { picture, stepper, slider };
}

const layout = ({ picture, stepper, slider }) => [
  h(
    "div",
    { class: "ak-row", style: "margin-bottom:8px" },
    h("div", { class: "ak-grow", style: "flex:2 1 330px" }, stepper.el),
    h("div", { class: "ak-grow" }, slider.el),
  ),
  picture.el,
];

/** What the learner holds moves at once; the numbers follow when the kernel has them. */
const drawPicture = (picture, { step, X, C, rows, mean, clip_mean: before, mean_clip: after, turn }) =>
  picture.update({
    step,
    held: X.map((x) => times(x, -2)),
    radius: C,
    arrows: rows.map((row, i) => ({ ...row, name: NAMES[i] })),
    mean: mean.at,
    clipMean: before.at,
    meanClip: after.at,
    turn,
  });

function sentence(state) {
  const { step, C, rows, mean, clip_mean: before } = state;
  const lengths = rows.map((row) => brief(row.length, 2));
  if (step === 0) return `The gradients are ${lengths[0]}, ${lengths[1]} and ${lengths[2]} long. Their mean is ${pair(mean.at)}, ${fmt(mean.length)} long.`;
  const cut = rows.filter((row) => row.factor < 1).length;
  if (step === 1 && !cut) return `No gradient is longer than C = ${brief(C)}: nothing is clipped.`;
  if (step === 1) return `${cut} of 3 gradients ${cut === 1 ? "is" : "are"} longer than C = ${brief(C)} and ${cut === 1 ? "is" : "are"} cut to the circle. ${cut === 1 ? "Its direction stays" : "Their directions stay"}.`;
  if (step === 2) return `Clip, then mean: ${pair(before.at)}, ${fmt(before.length)} long, the centre of the small triangle.`;
  return bothMeans(state, cut);
}

function bothMeans({ clip_mean: before, mean_clip: after, turn }, cut) {
  const both = `Clip, then mean: ${pair(before.at)}. Mean, then clip: ${pair(after.at)}`;
  if (!cut) return `${both}: none is longer than C, and the order does not matter.`;
  const apart = turn === null ? "" : `, ${brief(turn, 1)}° apart`;
  return `${both}${apart}. ${cut} of 3 gradients ${cut === 1 ? "is" : "are"} clipped.`;
}

function tableOf({ C, rows, mean, clip_mean: before, mean_clip: after }) {
  const means = Object.entries({ mean, "clip, then mean": before, "mean, then clip": after });
  return {
    caption: `Three gradients, clipped to C = ${brief(C)}`,
    columns: ["arrow", "gradient", "length", "times", "clipped"],
    rows: [
      ...rows.map((row, i) => [`example ${NAMES[i]}`, pair(row.gradient), row.length, row.factor, pair(row.clipped)]),
      ...means.map(([name, found]) => [name, pair(found.at), found.length, "", ""]),
    ],
  };
}

export default { render };
