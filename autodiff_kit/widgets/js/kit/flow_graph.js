import { h, s, put, clamp, isLow, onDrag, onWidth } from "./dom.js";
import { brief } from "./numbers.js";
import { AxisArrow, drawAxisArrow, drawUprightAxis } from "./axis_arrow.js";
import { CUT_HEIGHT, drawCutSums } from "./cut_sums.js";
import { curvePath, levelCurve, minusPatterns, ribbon } from "./ribbon.js";
import { Tween } from "./tween.js";

const [PACE, RADIUS] = [1000, 19]; // ms a step; px of a node
const [SLIM, NARROW, TINY] = [560, 400, 280]; // px below which s has a short name, all nodes have, slopes stand where it matters
const SMALLER = { slim: 16, low: 13 }; // px of a node where there is less room
const GROUND = { sweep: { first: 60, row: 113, half: 34, height: 356 }, cut: { first: 52, row: 85, half: 26, foot: 268 } };
const LOW_GROUND = { sweep: { first: 38, row: 64, half: 22, height: 212 }, cut: { first: 36, row: 58, half: 20, foot: 178 } };
const SUMS = 30; // px from the foot of the graph to the bars
for (const { cut } of [GROUND, LOW_GROUND]) cut.height = cut.foot + SUMS + CUT_HEIGHT;
const middle = { "text-anchor": "middle" };
const word = (x, y, text, look = {}) => s("text", { x, y, ...middle, class: "ak-halo", text, ...look });
const strong = (role, size = 15) => ({ class: `ak-halo ak-in-${role}`, style: `font-weight:600;font-size:${size}px` });

/**
 * A computational graph through which numbers flow as ribbons: with the computation, against it, or from both sides up to
 * a cut that is dragged. places: {sweep, narrow, tiny, low, cut}, three of them for such windows, each {name: [how far right 0…1, row]}; gains: where on a wire
 * its slope stands, by "from>to". update({view, step, inputs, outputs, nodes, wires, reverse, cuts, sums}); view is "forward",
 * "reverse", "double" or "seam", inputs and outputs what the arrows at the sides are set to.
 */
export function FlowGraph({ label, places, gains, reach, names, onInput, onOutput, onCut }) {
  const fills = minusPatterns();
  const ground = s("g", {});
  const front = s("g", { "pointer-events": "none" });
  const arrows = (side, role, set) => names[side].map((name, i) => AxisArrow({ label: name, min: -reach, max: reach, role, onChange: (x) => set(i, x) }));
  const ends = { forward: arrows("inputs", "fwd", onInput), double: arrows("inputs", "rev", onInput), reverse: arrows("outputs", "rev", onOutput) };
  const bar = CutHandle({ onMove: drag, onStep: onCut });
  const figure = s("svg", { role: "group", "aria-label": label }, fills.defs, ground, ...Object.values(ends).flat().map((one) => one.el), bar.el, front);
  const el = h("div", {}, figure);
  let [width, state, held] = [0, null, false];
  const tween = Tween({ at: 0, draw });

  function drag(x, phase) {
    const c = geometry({ width, state, places });
    const t = c.toStep(x);
    scrub(t);
    onCut(Math.round(t));
    if (phase === "end") settle();
  }
  function scrub(t) {
    held = true;
    tween.set(t);
  }
  function settle() {
    held = false;
    tween.to(state.step, PACE / 3);
  }
  function draw(t) {
    if (!width || !state) return;
    const c = { ...geometry({ width, state, places }), t, gains, stripes: fills.url };
    put(figure, { width, height: c.ground.height });
    const seam = state.view === "seam";
    for (const [view, tips] of Object.entries(ends)) {
      const shown = seam ? view !== "double" : view === state.view;
      const side = view === "reverse" ? state.outputs : state.inputs;
      tips.forEach((tip, i) => {
        put(tip.el, { display: shown ? null : "none" });
        const y = c.rowY(i);
        tip.update({ x: view === "reverse" ? c.right : c.left, foot: y + c.ground.half, top: y - c.ground.half, value: side[i], bare: c.low });
      });
    }
    const drawn = seam ? drawCut(c) : drawSweep(c);
    ground.replaceChildren(...drawn.ground);
    front.replaceChildren(...drawn.front);
    bar.update(seam ? { x: c.toX(t), foot: c.ground.foot, at: state.step, count: state.cuts.length - 1, sum: state.sums[state.step] } : null);
  }
  const stop = onWidth(el, (next) => {
    width = next;
    draw(tween.at());
  });
  return {
    el,
    scrub,
    settle,
    update(next) {
      const turned = state && next.view !== state.view;
      const first = !state;
      state = next;
      if (turned) tween.set(next.view === "seam" ? 0 : Math.max(0, next.step - 1));
      if (first) tween.set(next.step);
      else if (!held && tween.goal() !== next.step) tween.to(next.step, next.step > tween.at() ? PACE : PACE / 3);
      else if (!turned) draw(tween.at());
    },
    destroy() {
      stop();
      tween.destroy();
    },
  };
}

/** The line between what was pushed and what was pulled: dragged along the graph, or moved by keys. */
function CutHandle({ onMove, onStep }) {
  const el = s("g", { class: "ak-handle", tabindex: 0, role: "slider", "aria-label": "Cut between push and pull", "aria-valuemin": 0, style: "cursor:ew-resize" });
  let now = null;
  onDrag(el, (event, phase) => onMove(event.clientX - el.ownerSVGElement.getBoundingClientRect().left, phase));
  el.addEventListener("keydown", (event) => {
    const by = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, Home: -now.count, End: now.count }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    onStep(clamp(now.at + by, 0, now.count));
  });
  return {
    el,
    update(next) {
      put(el, { display: next ? null : "none" });
      if (!next) return;
      now = next;
      const { x, foot, at, count, sum } = next;
      put(el, { "aria-valuenow": at, "aria-valuemax": count, "aria-valuetext": `cut ${at} of ${count}, sum ${brief(sum, 2)}` });
      el.replaceChildren(
        s("rect", { x: x - 14, y: 0, width: 28, height: foot + 22, fill: "transparent" }),
        s("line", { x1: x, x2: x, y1: 0, y2: foot, class: "ak-stroke-value", "stroke-width": 2.5 }),
        s("rect", { x: x - 25, y: foot - 5, width: 50, height: 28, rx: 14, class: "ak-ring" }),
        s("rect", { x: x - 22, y: foot - 2, width: 44, height: 22, rx: 11, class: "ak-ink-fill" }),
        s("path", { d: `M${x - 8} ${foot + 4}l-6 5 6 5zM${x + 8} ${foot + 4}l6 5-6 5z`, class: "ak-paper-fill" }),
      );
    },
  };
}

/** Where everything stands in a picture of this width: nodes, curves of wires, the cut at a step and back. */
function geometry({ width, state, places }) {
  const seam = state.view === "seam";
  const low = isLow();
  const ground = (low ? LOW_GROUND : GROUND)[seam ? "cut" : "sweep"];
  const [slim, narrow] = [width < SLIM, width < NARROW];
  const tiny = width < TINY;
  const kind = seam ? "cut" : low ? "low" : tiny ? "tiny" : narrow ? "narrow" : "sweep";
  const [left, right] = [slim ? 16 : 32, width - (slim ? 16 : 32)];
  const [from, to] = [left + 20, right - 20];
  const rowY = (row) => ground.first + row * ground.row;
  const where = state.nodes.map(({ name }) => {
    const [far, row] = places[kind][name];
    return [from + far * (to - from), rowY(row)];
  });
  const wires = state.wires.map((wire) => {
    const a = wire.from === null ? [from, where[wire.to][1]] : where[wire.from];
    const b = wire.to === null ? [to, where[wire.from][1]] : where[wire.to];
    return { ...wire, a, b, at: levelCurve(a, b, seam ? 0.42 : 0.5), stub: wire.from === null || wire.to === null };
  });
  const inputs = wires.filter((wire) => wire.from === null).length;
  const columns = [from, where[0][0], ...where.slice(inputs).map(([x]) => x), to];
  const stops = columns.slice(1).map((x, i) => (columns[i] + x) / 2);
  const toX = (t) => {
    const i = clamp(Math.floor(t), 0, stops.length - 2);
    return stops[i] + (clamp(t, 0, stops.length - 1) - i) * (stops[i + 1] - stops[i]);
  };
  const toStep = (x) => {
    const i = clamp(stops.findIndex((stop) => stop > x) - 1, 0, stops.length - 2);
    return x >= stops.at(-1) ? stops.length - 1 : clamp(i + (x - stops[i]) / (stops[i + 1] - stops[i]), 0, stops.length - 1);
  };
  const sizes = wires.flatMap((wire) => [...wire.pushed, ...wire.pulled].map(Math.abs));
  const radius = low ? SMALLER.low : slim ? SMALLER.slim : RADIUS;
  const scale = Math.min(2.4, (low ? 14 : 22) / Math.max(1, ...sizes));
  return { state, width, ground, kind, low, slim, narrow, tiny, left, right, rowY, where, wires, inputs, toX, toStep, radius, scale };
}

const part = (c, wire, from, to, amount, role) => ribbon({ at: wire.at, from, to, amount, role, scale: c.scale, stripes: c.stripes });
const bare = ({ at }) => s("path", { d: curvePath(at, 0, 1), class: "ak-axis", "stroke-width": 1.5 });
const above = (c, amount) => Math.max(5, Math.abs(amount) * c.scale) / 2 + 6;
const gainAt = (c, wire) => c.gains[c.kind][`${c.state.nodes[wire.from].name}>${c.state.nodes[wire.to].name}`];

/** A number on paper, with an edge in the colour of its direction. */
function tag(x, y, text, { role, side = 0, round = false, half = 4 * text.length + 6 }) {
  const left = x - half + side * half;
  return [
    s("rect", { x: left, y: y - 10, width: 2 * half, height: 20, rx: round ? 10 : 3, class: `ak-paper-fill ak-stroke-${role}`, "stroke-width": round ? 2 : 1.5 }),
    s("text", { x: left + half, y: y + 4.8, ...middle, class: `ak-in-${role}`, style: "font-weight:600;font-size:14px", text }),
  ];
}

/** The slope of a wire, in a box on it. */
function slopeBox(c, wire, lit) {
  const [x, y] = wire.at(gainAt(c, wire));
  const text = `×${brief(wire.slope, 2)}`;
  const half = 3.6 * text.length + 4;
  return [
    s("rect", { x: x - half, y: y - 9.5, width: 2 * half, height: 19, rx: 3, class: "ak-hollow", style: `stroke:var(--ak-${lit ? "ink" : "control"})` }),
    s("text", { x, y: y + 4.3, ...middle, class: lit ? "ak-strong" : "ak-in-value", text }),
  ];
}

/** A node with its value, and its name above it. */
function drawNode(c, i, lit) {
  const { name, op, value } = c.state.nodes[i];
  const [x, y] = c.where[i];
  const short = c.slim || c.low;
  const far = op === "input" || c.narrow || (short && name === "s") ? name : `${name} = ${op}`;
  const beside = name === "s" ? { x: x + 2, "text-anchor": short ? "middle" : "start" } : {};
  return [
    s("circle", { cx: x, cy: y, r: c.radius, class: "ak-paper-fill", stroke: `var(--ak-${lit ? "ink" : "control"})`, "stroke-width": lit ? 3 : 1.25 }),
    word(x, y + 5, brief(value, 2), { class: "ak-strong", style: "font-size:15px" }),
    word(x, y - c.radius - (c.low ? 4 : 8), far, { style: "font-family:var(--ak-mono)", ...beside }),
  ];
}

/** A push, a pull or a double pull that has come to step t: with the computation, or against it. */
function drawSweep(c) {
  const { view, nodes, reverse } = c.state;
  const back = view === "reverse";
  const role = view === "forward" ? "fwd" : "rev";
  const carried = { forward: "pushed", reverse: "pulled", double: "double" }[view];
  const order = nodes.map((_, i) => i).slice(c.inputs);
  if (back) order.reverse();
  const done = (i) => (i < c.inputs ? 1 : clamp(c.t - order.indexOf(i), 0, 1));
  const now = c.t > 0 ? order[Math.ceil(c.t) - 1] : null;
  const known = (i) => {
    if (back) return reverse[Math.floor(c.t + 1e-6)][i];
    return done(i) === 1 ? nodes[i][view === "double" ? "double" : "tangent"] : null;
  };
  const flow = c.wires.flatMap((wire) => {
    if (wire.stub) {
      const amount = known(wire.from ?? wire.to);
      return [bare(wire), ...(amount === null ? [] : part(c, wire, 0, 1, amount, role))];
    }
    const [gain, gone, [before, after]] = [gainAt(c, wire), done(wire.to), wire[carried]];
    if (!gone) return [bare(wire)];
    return back
      ? [bare(wire), ...part(c, wire, Math.max(1 - gone, gain), 1, before, role), ...part(c, wire, 1 - gone, gain, after, role)]
      : [bare(wire), ...part(c, wire, 0, Math.min(gone, gain), before, role), ...part(c, wire, gain, gone, after, role)];
  });
  const fronts = c.wires
    .filter((wire) => !wire.stub && done(wire.to) > 0 && done(wire.to) < 1)
    .flatMap((wire) => {
      const far = back ? 1 - done(wire.to) : done(wire.to);
      const [x, y] = wire.at(clamp(far, 0.1, 0.9));
      const passed = back ? far < gainAt(c, wire) : far > gainAt(c, wire);
      return tag(x, y, brief(wire[carried][passed ? 1 : 0], 2), { role, round: true });
    });
  const boxes = c.wires.filter((wire) => !wire.stub).filter((wire) => !c.tiny || wire.to === now).flatMap((wire) => slopeBox(c, wire, wire.to === now));
  return { ground: [...flow, ...boxes, ...nodes.flatMap((_, i) => drawNode(c, i, i === now)), ...drawKnown(c, known, role, back), ...drawResult(c, known, role, back)], front: fronts };
}

/** Where the number of a node without a stub stands: beside it, or below where there is little room. */
function besideNode({ where, radius, narrow, low }, i) {
  const [x, y] = where[i];
  return narrow && !low ? [x, y + radius + 16] : [x + radius + 9, y - 12];
}

/** The number that has come to each node, on its stub; a question mark where none has come. */
function drawKnown(c, known, role, back) {
  return c.state.nodes.flatMap((node, i) => {
    const amount = known(i);
    const stub = c.wires.find((wire) => wire.stub && (wire.from ?? wire.to) === i);
    const [x, y] = stub ? stub.at(stub.from === null ? 0.32 : 0.68) : besideNode(c, i);
    if (amount === null) return stub ? [word(x, y - 7, "?")] : [];
    const result = back === (i < c.inputs);
    return [word(x, y - (stub ? above(c, amount) : 0), brief(amount, 2), strong(role, result ? 17 : 15))];
  });
}

/** The product as arrows on the far side. */
function drawResult(c, known, role, back) {
  const far = c.wires.filter((wire) => (back ? wire.from : wire.to) === null).map((wire) => wire.to ?? wire.from);
  const whole = far.map((i) => c.state.nodes[i][back ? "cotangent" : "tangent"]);
  const reach = Math.max(4, 4 * Math.ceil(Math.max(...whole.map(Math.abs)) / 4));
  const [x, half] = [back ? c.left : c.right, c.ground.half];
  const foot = c.ground.height - 4;
  return [
    ...far.flatMap((i, k) => {
      const zero = c.rowY(k);
      const arrow = known(i) === null ? [] : drawAxisArrow({ x, zero, tip: zero - (known(i) / reach) * half, role });
      return [...drawUprightAxis({ x, foot: zero + half, top: zero - half, zero, low: -reach, high: reach, bare: c.low }), ...arrow];
    }),
    word(c.left, foot, back ? "uJ" : "v", strong(role, 13)),
    word(c.right, foot, back ? "u" : "Jv", strong(role, 13)),
  ];
}

/** Left of the cut tangents, right of it cotangents, and below what they are together. */
function drawCut(c) {
  const { nodes, cuts, sums, step } = c.state;
  const x = c.toX(c.t);
  const { foot } = c.ground;
  const wash = (role, from, to) => s("rect", { x: from, y: 0, width: Math.max(0, to - from), height: foot, class: `ak-wash-${role}`, style: "opacity:.07" });
  const flow = c.wires.flatMap((wire) => {
    const at = cutOf(wire, x);
    const gain = wire.stub ? 0 : gainAt(c, wire);
    const ahead = [...part(c, wire, 0, Math.min(at, gain), wire.pushed[0], "fwd"), ...part(c, wire, gain, at, wire.pushed[1], "fwd")];
    const back = [...part(c, wire, Math.max(at, gain), 1, wire.pulled[0], "rev"), ...part(c, wire, at, gain, wire.pulled[1], "rev")];
    return [...ahead, ...back];
  });
  const boxes = c.wires.filter((wire) => !wire.stub && Math.abs(wire.at(gainAt(c, wire))[0] - x) > 34).flatMap((wire) => slopeBox(c, wire, false));
  const reached = nodes.flatMap((node, i) => {
    const pushed = c.where[i][0] < x;
    const amount = brief(pushed ? node.tangent : node.cotangent, 2);
    return [word(c.where[i][0], c.where[i][1] + c.radius + 14, amount, strong(pushed ? "fwd" : "rev", 14))];
  });
  const crossing = cuts.map((cut) => cut.map((k) => ({ ahead: c.wires[k].pushed[1], back: c.wires[k].pulled[0], product: c.wires[k].product })));
  const words = [
    s("text", { x: 0, y: foot + 16, class: "ak-in-fwd", text: x > 150 ? "pushed →" : "" }),
    s("text", { x: c.width, y: foot + 16, "text-anchor": "end", class: "ak-in-rev", text: x < c.width - 150 ? "← pulled" : "" }),
  ];
  return {
    ground: [wash("fwd", 0, x), wash("rev", x, c.width), ...flow, ...boxes, ...nodes.flatMap((_, i) => drawNode(c, i, false)), ...reached, ...words,
      ...drawCutSums({ cuts: crossing, now: step, sum: sums[step], top: foot + SUMS, width: c.width, narrow: c.slim })],
    front: cutTags(c, x),
  };
}

/** How far along a wire the line at x cuts it. */
function cutOf({ a, b, at }, x) {
  if (x <= a[0]) return 0;
  if (x >= b[0]) return 1;
  let [low, high] = [0, 1];
  for (let i = 0; i < 24; i++) {
    const half = (low + high) / 2;
    if (at(half)[0] < x) low = half;
    else high = half;
  }
  return low;
}

/** What meets on each wire at the line: tangent left of it, cotangent right of it; not where a node would be covered. */
function cutTags(c, x) {
  const met = c.wires
    .filter(({ a, b }) => a[0] < x && x <= b[0])
    .map((wire) => {
      const at = cutOf(wire, x);
      const gain = wire.stub ? 0 : gainAt(c, wire);
      return { y: wire.at(at)[1], ahead: wire.pushed[at > gain ? 1 : 0], back: wire.pulled[at < gain ? 1 : 0] };
    })
    .sort((p, q) => p.y - q.y);
  for (let round = 0; round < 40; round++)
    for (let i = 1; i < met.length; i++) {
      const lack = 21 - (met[i].y - met[i - 1].y);
      if (lack > 0) [met[i].y, met[i - 1].y] = [met[i].y + lack / 2, met[i - 1].y - lack / 2];
    }
  const covers = (y, wide) => c.where.some(([nx, ny]) => Math.abs(ny - y) < c.radius + 10 && Math.abs(nx - x) < c.radius + wide);
  return met.flatMap(({ y, ahead, back }) => {
    const halves = [ahead, back].map((n) => 4 * brief(n, 2).length + 5);
    if (covers(y, 2 * Math.max(...halves))) return [];
    return [
      ...tag(x, y, brief(ahead, 2), { role: "fwd", side: -1, half: halves[0] }),
      ...tag(x, y, brief(back, 2), { role: "rev", side: 1, half: halves[1] }),
    ];
  });
}
