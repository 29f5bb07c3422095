import { h, s, put, clamp, linear, onDrag, onWidth, uid } from "./dom.js";
import { brief } from "./numbers.js";
import { drawVectorGrid } from "./background_grid.js";
import { leaderEnd, placeLabels } from "./label_places.js";
import { Tween } from "./tween.js";

const PACE = 1400; // ms a step
const BESIDE = 560; // px of width from which plane and magnifier stand side by side
const WIDEST = { beside: 362, above: 330 }; // px of the plane, with the magnifier beside or below it
const ROOMY = 40; // px of radius from which the circle in the plane has room for the means' arrows
const REACH = 11; // how far the plane goes to each side
const UNDER = 56; // px below the magnifier, where it stands below the plane
const FOOT = 22; // px below the plane, for the names of its axes
const GRID_UNITS = [0.05, 0.1, 0.2, 0.5, 1, 2, 5];
const RIM_ANGLES = [45, 135, -135, -45]; // degrees at which the rim can be held
const mix = (a, b, part) => a.map((one, k) => one + (b[k] - one) * part);
const size = (vector) => Math.hypot(...vector);
const text = ({ x, foot, text: words, look }) => s("text", { x, y: foot, class: `ak-halo ${look}`, text: words });

/**
 * Gradients as arrows in a plane, the circle that they are cut to, and the circle under a magnifier. Step 0 shows the
 * gradients, 1 cuts each to the circle, 2 adds the mean of what is left, and 3 cuts the mean of the whole ones; on the way
 * between two steps the tips slide. onMove(i, [x, y]) hears a tip that is dragged or moved by keys, onRadius(r) the rim.
 * update({step, held, radius, arrows: [{name, gradient, clipped, factor, length}], mean, clipMean, meanClip, turn}); held are
 * the tips as they are set, which may be ahead of the numbers.
 */
export function ClipPicture({ label, names, axes, limit, radii, onMove, onRadius }) {
  const lensClip = uid("lens");
  const ground = s("g", {});
  const rim = Handle({ label: "Clipping radius C", radius: 5 });
  const tips = names.map((name) => Handle({ label: `Tip of arrow ${name}. Arrow keys move it; 0 puts it at the origin.`, radius: 6.5 }));
  const words = s("g", { "data-part": "words", "pointer-events": "none" });
  const figure = s("svg", { role: "group", "aria-label": label }, ground, rim.el, tips.map((tip) => tip.el), words);
  const el = h("div", {}, figure);
  let [width, state, scrubbing, rimAngle] = [0, null, false, RIM_ANGLES[0]];
  const tween = Tween({ at: 0, draw });

  function draw(t) {
    if (!width || !state) return;
    const at = places(width, state.radius);
    const scene = sceneAt(state, t);
    put(figure, { width, height: at.height });
    rimAngle = freeAngle(state.arrows, rimAngle);
    const rimAt = at.plane([Math.cos(rimAngle), Math.sin(rimAngle)].map((one) => one * state.radius));
    const clip = s("clipPath", { id: lensClip }, s("circle", { cx: at.lens.x, cy: at.lens.y, r: at.lens.r }));
    ground.replaceChildren(
      s("defs", {}, clip),
      s("g", { "data-part": "plane" }, drawPlane(at, axes, state.radius), drawScene(scene, at.plane, { wide: 3, means: at.circle.r > ROOMY }), rays(scene, at.plane)),
      ...drawCone(at),
      s("circle", { cx: at.lens.x, cy: at.lens.y, r: at.lens.r, class: "ak-paper-fill" }),
      s("g", { "data-part": "lens", "clip-path": `url(#${lensClip})` }, drawCross(at.lens), drawScene(scene, at.enlarged, { wide: 2, means: true })),
      s("circle", { cx: at.lens.x, cy: at.lens.y, r: at.lens.r, class: "ak-cell", style: "stroke-width:2" }),
      ...drawTurn(scene, at),
    );
    tips.forEach((tip, i) => tip.update(at.plane(state.held[i]), { value: state.held[i][0], said: state.held[i].map((one) => brief(one, 2)).join(", "), range: [-limit, limit], role: "rev" }));
    rim.update(rimAt, { value: state.radius, said: brief(state.radius, 2), range: radii, role: "value" });
    words.replaceChildren(...planeWords(scene, at, rimAt, state.held), ...lensWords(scene, at));
  }

  const spot = (event) => {
    const box = figure.getBoundingClientRect();
    return places(width, state.radius).toVector([event.clientX - box.left, event.clientY - box.top]);
  };
  const whole = (one) => clamp(Math.round(one), -limit, limit) + 0;
  const send = (i, tip) => {
    if (tip.some((one, k) => one !== state.held[i][k])) onMove(i, tip);
  };
  tips.forEach(({ el: tip }, i) => {
    onDrag(tip, (event) => send(i, spot(event).map(whole)));
    tip.addEventListener("keydown", (event) => {
      const by = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
      if (!by && event.key !== "0") return;
      event.preventDefault();
      send(i, by ? state.held[i].map((one, k) => whole(one + by[k])) : [0, 0]);
    });
  });
  const quarters = (r) => clamp(Math.round(r * 4) / 4, ...radii);
  onDrag(rim.el, (event) => onRadius(quarters(size(spot(event)))));
  rim.el.addEventListener("keydown", (event) => {
    const by = { ArrowRight: 0.25, ArrowUp: 0.25, ArrowLeft: -0.25, ArrowDown: -0.25, PageUp: 1, PageDown: -1 }[event.key];
    const to = { Home: radii[0], End: radii[1] }[event.key] ?? (by && state.radius + by);
    if (to === undefined) return;
    event.preventDefault();
    onRadius(quarters(to));
  });
  const stop = onWidth(el, (next) => {
    width = next;
    draw(tween.at());
  });
  return {
    el,
    scrub(t) {
      scrubbing = true;
      tween.set(t);
    },
    settle() {
      scrubbing = false;
      tween.to(state.step, PACE / 3);
    },
    update(next) {
      const first = !state;
      state = next;
      if (first) tween.set(next.step);
      else if (!scrubbing && tween.goal() !== next.step) tween.to(next.step, next.step > tween.at() ? PACE : PACE / 3);
      else draw(tween.at());
    },
    destroy() {
      stop();
      tween.destroy();
    },
  };
}

/** A point that is held by mouse or keys. */
function Handle({ label, radius }) {
  const el = s("g", { class: "ak-handle", tabindex: 0, role: "slider", "aria-label": label });
  return {
    el,
    update([cx, cy], { value, said, range, role }) {
      el.replaceChildren(
        s("circle", { cx, cy, r: 15, fill: "transparent" }),
        s("circle", { cx, cy, r: 11, class: "ak-ring" }),
        s("circle", { cx, cy, r: radius, class: `ak-hollow ak-stroke-${role}`, style: "stroke-width:2.5" }),
      );
      put(el, { "aria-valuenow": value, "aria-valuetext": said, "aria-valuemin": range[0], "aria-valuemax": range[1] });
    },
  };
}

/** Where everything stands in a picture of this width: the plane, and the magnifier beside or below it. */
function places(width, radius) {
  const beside = width >= BESIDE;
  const side = beside ? Math.min(WIDEST.beside, Math.floor(0.48 * width)) : Math.min(WIDEST.above, width);
  const left = beside ? side + 8 : 0;
  const top = beside ? 0 : side + FOOT + 8;
  const right = beside ? width : side;
  const r = Math.min(0.39 * side, (right - left) / 2 - 62);
  const lens = { x: (left + right) / 2, y: beside ? side / 2 + 4 : top + r + 44, r };
  const bounds = { x0: left + 2, x1: width - 2, y0: top + 2, y1: beside ? side + FOOT - 4 : lens.y + r + UNDER };
  const [toX, toY] = [linear(-REACH, REACH, 4, side - 4), linear(-REACH, REACH, side - 4, 4)];
  const [fromX, fromY] = [linear(4, side - 4, -REACH, REACH), linear(side - 4, 4, -REACH, REACH)];
  return {
    beside,
    side,
    lens,
    bounds,
    height: beside ? side + FOOT : bounds.y1,
    circle: { x: toX(0), y: toY(0), r: toX(radius) - toX(0) },
    toX,
    toY,
    plane: ([x, y]) => [toX(x), toY(y)],
    toVector: ([px, py]) => [fromX(px), fromY(py)],
    enlarged: ([x, y]) => [lens.x + (x / radius) * r, lens.y - (y / radius) * r],
  };
}

/** What the picture shows at t: how far each tip has slid, and which means there are. */
function sceneAt(state, t) {
  const [cut, first, second] = [0, 1, 2].map((start) => clamp(t - start, 0, 1));
  const { arrows, mean, clipMean, meanClip } = state;
  return {
    ...state,
    cut,
    first,
    second,
    ends: arrows.map(({ gradient, clipped }) => mix(gradient, clipped, cut)),
    centre: mix(mean, clipMean, cut),
    meanEnd: mix(mean, meanClip, second),
  };
}

/** Of the places on the rim, the one that is held if no arrow comes near it, or the one farthest from all arrows. */
function freeAngle(arrows, now) {
  const turned = (degrees, { gradient: [x, y] }) => {
    const apart = Math.abs((Math.atan2(y, x) * 180) / Math.PI - degrees) % 360;
    return Math.min(apart, 360 - apart);
  };
  const long = arrows.filter(({ length }) => length > 0);
  const room = (degrees) => Math.min(180, ...long.map((arrow) => turned(degrees, arrow)));
  const held = (now * 180) / Math.PI;
  const best = RIM_ANGLES.includes(Math.round(held)) && room(held) > 20 ? held : RIM_ANGLES.toSorted((a, b) => room(b) - room(a))[0];
  return (best * Math.PI) / 180;
}

const drawPlane = ({ toX, toY, side, circle }, axes) => [
  ...drawVectorGrid({ x: toX, y: toY, reach: REACH, side: side - 4, rail: null, names: axes, units: GRID_UNITS }),
  s("circle", { cx: circle.x, cy: circle.y, r: circle.r, class: "ak-cell", style: "stroke-width:1.5" }),
];

const drawCross = ({ x, y, r }) => [
  s("line", { x1: x - r, x2: x + r, y1: y, y2: y, class: "ak-axis" }),
  s("line", { x1: x, x2: x, y1: y - r, y2: y + r, class: "ak-axis" }),
];

/** The two lines from the circle to its enlarged picture. */
function drawCone({ beside, circle, lens }) {
  const ends = (side) => {
    const edge = ({ x, y, r }) => (beside ? [x, y + side * r] : [x + side * r, y]);
    return [edge(circle), edge(lens)];
  };
  return [-1, 1].map((side) => {
    const [[x1, y1], [x2, y2]] = ends(side);
    return s("line", { x1, y1, x2, y2, class: "ak-stroke-held", "stroke-width": 1, "stroke-dasharray": "2 4" });
  });
}

/** Triangles of the tips, arrows and means, in the plane or enlarged. */
function drawScene(scene, place, { wide, means }) {
  const triangle = (corners, opacity) =>
    s("polygon", { points: corners.map((one) => place(one).join(" ")).join(" "), class: "ak-wash-rev", style: `opacity:${opacity}` });
  const dot = (vector) => {
    const [cx, cy] = place(vector);
    return s("circle", { cx, cy, r: 4, class: "ak-hollow ak-stroke-value", style: "stroke-width:1.75" });
  };
  const origin = place([0, 0]);
  return [
    triangle(scene.arrows.map((arrow) => arrow.gradient), 0.1),
    ...(scene.cut ? [triangle(scene.ends, 0.2)] : []),
    ...scene.ends.map((end) => drawArrow(origin, place(end), { wide, head: 9 })),
    ...(scene.cut ? [dot(scene.mean)] : []),
    ...(means && scene.second ? [drawArrow(origin, place(scene.meanEnd), { wide: wide + 0.5, head: 11, dashed: true })] : []),
    ...(means && scene.first ? [drawArrow(origin, place(mix([0, 0], scene.clipMean, scene.first)), { wide: wide + 2.5, head: 13 })] : []),
    dot(scene.centre),
  ];
}

/** From where an arrow is cut to where it ended: what clipping took. */
const rays = (scene, place) =>
  [...scene.arrows.map((arrow, i) => [scene.ends[i], arrow.gradient]), ...(scene.second ? [[scene.meanEnd, scene.mean]] : [])].map(
    ([from, to], i) => {
      const [[x1, y1], [x2, y2]] = [place(from), place(to)];
      return s("line", { x1, y1, x2, y2, class: i < 3 ? "ak-stroke-rev" : "ak-stroke-value", "stroke-width": 1.25, "stroke-dasharray": "4 3" });
    },
  );

function drawArrow([x0, y0], [x1, y1], { wide, head, dashed = false }) {
  const length = Math.hypot(x1 - x0, y1 - y0);
  if (length < 0.5) return s("rect", { x: x0 - 4, y: y0 - 4, width: 8, height: 8, class: "ak-ink-fill" });
  const tip = Math.min(head, 0.8 * length);
  const neck = 1 - (0.8 * tip) / length;
  const line = { x1: x0, y1: y0, x2: x0 + neck * (x1 - x0), y2: y0 + neck * (y1 - y0), "stroke-width": Math.min(wide, 0.6 * tip + 0.5) };
  return s(
    "g",
    {},
    s("line", { ...line, class: `ak-stroke-rev${dashed ? " ak-dash" : ""}` }),
    s("path", {
      d: `M0 0L${-tip} ${-tip / 2}V${tip / 2}Z`,
      transform: `translate(${x1} ${y1}) rotate(${(Math.atan2(y1 - y0, x1 - x0) * 180) / Math.PI})`,
      class: dashed ? "ak-hollow ak-stroke-rev" : "ak-fill-rev",
    }),
  );
}

const turnShown = ({ second, turn }) => second === 1 && turn > 0.05;

/** The angle between both means, as a piece of the rim. */
function drawTurn(scene, { lens, enlarged }) {
  if (!turnShown(scene)) return [];
  const ends = [scene.clipMean, scene.meanClip].map((one) => enlarged(one.map((x) => (x / size(one)) * scene.radius)));
  const [[x0, y0], [x1, y1]] = ends;
  const clockwise = (x0 - lens.x) * (y1 - lens.y) - (y0 - lens.y) * (x1 - lens.x) > 0;
  const [cx, cy] = enlarged(scene.clipMean);
  return [
    s("line", { x1: cx, y1: cy, x2: x0, y2: y0, class: "ak-stroke-value", "stroke-width": 1, "stroke-dasharray": "1 3" }),
    s("path", { d: `M${x0} ${y0}A${lens.r} ${lens.r} 0 0 ${clockwise ? 1 : 0} ${x1} ${y1}`, fill: "none", class: "ak-stroke-value", "stroke-width": 5 }),
  ];
}

const angleOf = ([x0, y0], [x1, y1]) => (x0 === x1 && y0 === y1 ? Math.PI : Math.atan2(y1 - y0, x1 - x0));
const spokes = (origin, ends) => ends.map((end) => [origin, end]);
const around = ({ x, y, r }) => {
  const points = Array.from({ length: 25 }, (_, i) => [x + r * Math.cos((i * Math.PI) / 12), y + r * Math.sin((i * Math.PI) / 12)]);
  return points.slice(1).map((point, i) => [points[i], point]);
};
/** A dot as lines that no text should cross. */
const blob = ([x, y]) => [
  [[x - 8, y], [x + 8, y]],
  [[x, y - 8], [x, y + 8]],
];

function planeWords(scene, at, rimAt, held) {
  const origin = at.plane([0, 0]);
  const ends = held.map(at.plane);
  const mean = at.plane(scene.mean);
  const labels = [
    ...scene.arrows.map(({ name, length }, i) => ({ at: ends[i], angle: angleOf(origin, ends[i]), text: `${name}, ${brief(length, 2)} long`, look: "ak-in-rev" })),
    { at: rimAt, angle: angleOf(origin, rimAt), text: `C = ${brief(scene.radius, 2)}`, look: "ak-in-value" },
    { at: mean, angle: angleOf(origin, mean) + Math.PI / 2, text: "mean", look: "ak-in-value" },
  ];
  const lines = [...spokes(origin, ends), ...around(at.circle), ...[...ends, mean, rimAt].flatMap(blob)];
  const bounds = { x0: 2, x1: at.side - 2, y0: 22, y1: at.side - 4 };
  return placeLabels(labels, { bounds, lines }).map(text);
}

function lensWords(scene, at) {
  const { lens, enlarged, bounds, circle } = at;
  const heading = { x: bounds.x0 + (at.beside ? 16 : 0), foot: bounds.y0 + 12, look: "", text: `the circle, ${brief(lens.r / circle.r, 1)} times as large` };
  if (scene.cut < 1) return [text(heading)];
  const origin = [lens.x, lens.y];
  const ends = scene.arrows.map(({ clipped }) => enlarged(clipped));
  const [first, second] = [enlarged(scene.clipMean), enlarged(scene.meanClip)];
  const factor = (arrow) => (arrow.factor < 1 ? ` × ${brief(arrow.factor, 3)}` : "");
  const named = scene.arrows.map((arrow, i) => ({ at: ends[i], angle: angleOf(origin, ends[i]), text: `${arrow.name}${factor(arrow)}`, look: "ak-in-rev" }));
  const mean = (words, end) => ({ at: end, angle: angleOf(origin, end), text: words, look: "ak-in-rev ak-strong", leads: true });
  const labels = [
    ...named,
    ...(scene.first === 1 ? [mean("clip, then mean", first)] : []),
    ...(scene.second === 1 ? [mean("mean, then clip", second)] : []),
  ];
  if (turnShown(scene)) {
    const middle = mix(scene.clipMean.map((x) => x / size(scene.clipMean)), scene.meanClip.map((x) => x / size(scene.meanClip)), 0.5);
    const rimAt = enlarged(middle.map((x) => (x / (size(middle) || 1)) * scene.radius));
    labels.push({ at: rimAt, angle: angleOf(origin, rimAt), text: `${brief(scene.turn, 1)}°`, look: "ak-in-value ak-strong" });
  }
  const lines = [...spokes(origin, [...ends, first, second]), ...ends.map((end, i) => [end, ends[(i + 1) % 3]]), ...around(lens), ...[...ends, first, second].flatMap(blob)];
  const placed = placeLabels(labels, { bounds: { ...bounds, y0: bounds.y0 + 18 }, lines });
  return [text(heading), ...placed.flatMap((label) => [...leader(label), text(label)])];
}

/** A thin line from a label that stands away to what it names. */
function leader({ at, box, leads }) {
  if (!leads) return [];
  const [x2, y2] = leaderEnd(at, box);
  return [s("line", { x1: at[0], y1: at[1], x2, y2, class: "ak-stroke-held", "stroke-width": 1 })];
}
