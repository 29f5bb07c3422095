import { h, s, put, clamp, linear, onWidth } from "./dom.js";
import { fmt } from "./numbers.js";
import { Tween } from "./tween.js";

/** Names in a row: "h, W2 and b2"; "nothing" for none. */
export const joinNames = (names) =>
  names.length > 1 ? `${names.slice(0, -1).join(", ")} and ${names.at(-1)}` : (names[0] ?? "nothing");

const PACE = 700; // ms a line
const [BLOCK, ROW, RULER, HEIGHT] = [30, 52, 186, 244]; // px
const LETTER = 7.8; // px of a letter, about
const GAP = 2; // px between two blocks
const ROWS = [
  { name: "forward →", key: "forward", role: "fwd" },
  { name: "← backward, to inputs", key: "input", role: "rev" },
  { name: "← backward, to weights", key: "weights", role: "rev" },
];

/**
 * The lines of a program as blocks, as long as what they cost: forward on top, and below each line what it costs backward,
 * to its input and to its own weights; a hole is a gradient that is not wanted. Below, all blocks in two bars of one scale.
 * update({lines: [{code, forward, input, weights, to, forward_so_far, backward_so_far}], forward, backward, ratio, step}).
 */
export function CostBlocks({ label }) {
  const figure = s("svg", { role: "img" });
  const el = h("div", {}, figure);
  let [width, state] = [0, null];
  const tween = Tween({ at: 0, draw });

  function draw(t) {
    if (!width || !state) return;
    const { lines, step } = state;
    put(figure, { width, height: HEIGHT, "aria-label": `${label}: ${step} of ${2 * lines.length} lines` });
    const ahead = lines.map((_, i) => clamp(t - i, 0, 1));
    const back = lines.map((_, i) => clamp(t - (2 * lines.length - 1 - i), 0, 1));
    figure.replaceChildren(...drawRows({ lines, ahead, back, width }), ...drawRuler({ ...state, ahead, back, width }));
  }
  const stop = onWidth(el, (next) => {
    width = next;
    draw(tween.at());
  });
  return {
    el,
    update(next) {
      const first = !state;
      state = next;
      if (first) tween.set(next.step);
      else if (tween.goal() !== next.step) tween.to(next.step, PACE);
      else draw(tween.at());
    },
    destroy() {
      stop();
      tween.destroy();
    },
  };
}

/** Three rows of blocks in the columns of the lines. Forward blocks grow to the right, backward blocks to the left. */
function drawRows({ lines, ahead, back, width }) {
  const sizes = lines.map((line) => Math.max(...ROWS.map(({ key }) => line[key])));
  const X = linear(0, sizes.reduce((a, b) => a + b), 0, width);
  const starts = sizes.map((_, i) => X(sizes.slice(0, i).reduce((a, b) => a + b, 0)));
  return ROWS.flatMap(({ name, key, role }, r) => {
    const y = 18 + r * ROW;
    const blocks = lines.flatMap((line, i) => {
      const room = X(sizes[i]) - X(0) - GAP;
      const long = Math.max(0, X(line[key]) - X(0) - GAP);
      const done = (role === "fwd" ? ahead : back)[i];
      const [from, shown] = [starts[i], long * done];
      const x = role === "fwd" ? from : from + long - shown;
      const short = [`${nameOf(line, key)} · ${fmt(line[key], 0)}`, fmt(line[key], 0)].find((text) => text.length * LETTER < long - 4);
      if (!line[key]) return [hole(from, y, room, key)];
      return [
        s("rect", { x: from, y, width: long, height: BLOCK, class: "ak-block-open" }),
        s("rect", { x, y, width: shown, height: BLOCK, class: `ak-block-${role}` }),
        done === 1 && short ? s("text", { x: from + long / 2, y: y + BLOCK / 2 + 4.5, "text-anchor": "middle", class: "ak-on-block", text: short }) : "",
      ];
    });
    return [s("text", { x: 0, y: y - 5, class: `ak-in-${role}`, text: name }), ...blocks];
  });
}

/** What a block is for: the line itself, what it hands on, or its own weights. */
function nameOf({ code, to }, key) {
  const isWeight = (name) => /^[Wb]\d/.test(name);
  if (key === "forward") return code;
  return key === "input" ? `to ${joinNames(to.filter((name) => !isWeight(name)))}` : joinNames(to.filter(isWeight));
}

/** A gradient that is not wanted costs nothing: the frame of what it would be. */
function hole(x, y, room, key) {
  const words = key === "input" ? "nothing before wants a gradient" : "not wanted";
  const text = [words, "none", ""].find((one) => one.length * LETTER < room);
  return s(
    "g",
    {},
    s("rect", { x: x + 1, y: y + 1, width: Math.max(0, room - 2), height: BLOCK - 2, rx: 6, class: "ak-none-box" }),
    s("text", { x: x + room / 2, y: y + BLOCK / 2 + 4.5, "text-anchor": "middle", text }),
  );
}

/** All blocks in a row, forward above backward, beside marks at once and twice the forward pass. */
function drawRuler({ lines, forward, backward, ratio, ahead, back, width }) {
  const X = linear(0, Math.max(2 * forward, backward) * 1.02, 0, width - 92);
  const bar = (order, done, key, y, role) => {
    let at = 0;
    return order.map((i) => {
      const from = X(at);
      at += lines[i][key] * done[i];
      return s("rect", { x: from, y, width: Math.max(0, X(at) - from - 1), height: 14, class: `ak-fill-${role}` });
    });
  };
  const order = lines.map((_, i) => i);
  const ran = { forward: ahead.filter((part) => part === 1).length, backward: back.filter((part) => part === 1).length };
  const sums = { forward: ran.forward ? lines[ran.forward - 1].forward_so_far : 0, backward: ran.backward ? lines[lines.length - ran.backward].backward_so_far : 0 };
  const end = (key, y, text) => (ran[key] ? s("text", { x: X(sums[key]) + 6, y: y + 11.5, class: "ak-strong ak-halo", text }) : "");
  const whole = ran.backward === lines.length;
  return [
    ...[1, 2].flatMap((times) => [
      s("line", { x1: X(times * forward), x2: X(times * forward), y1: RULER - 6, y2: RULER + 40, class: "ak-axis" }),
      s("text", { x: X(times * forward), y: RULER + 54, "text-anchor": "middle", text: `${times}×` }),
    ]),
    ...bar(order, ahead, "forward", RULER, "fwd"),
    ...bar([...order].reverse(), back, "backward", RULER + 20, "rev"),
    end("forward", RULER, fmt(sums.forward, 0)),
    end("backward", RULER + 20, whole ? `${fmt(backward, 0)} = ${fmt(ratio, 3)}×` : fmt(sums.backward, 0)),
  ];
}
