import { clamp } from "./dom.js";

const LETTER = 7.6; // px of width that a letter takes at most
const [ABOVE, BELOW] = [11, 4]; // px from the foot of a line of text to its top and bottom
const TURNS = [0, 22.5, -22.5, 45, -45, 67.5, -67.5, 90, -90, 135, -135, 180];
const FAR = { near: [12, 20, 34, 52, 76], led: [26, 44, 62, 80, 104, 128, 152] }; // px from what is labelled
const COST = { overlap: 1000, crossed: 90, leader: 9, ring: 5, turn: 1 };
const AIR = 5; // px that are kept free around a label

const airy = ({ x0, x1, y0, y1 }) => ({ x0: x0 - AIR, x1: x1 + AIR, y0: y0 - AIR, y1: y1 + AIR });
const touch = (a, b) => a.x0 < b.x1 && b.x0 < a.x1 && a.y0 < b.y1 && b.y0 < a.y1;

/** Whether two lines, each a pair of points, cross. */
function cross([a, b], [c, d]) {
  const side = ([x0, y0], [x1, y1], [x, y]) => Math.sign((x1 - x0) * (y - y0) - (y1 - y0) * (x - x0));
  return side(a, b, c) * side(a, b, d) < 0 && side(c, d, a) * side(c, d, b) < 0;
}

/** Whether a line from a to b meets a box. */
function meets([[x0, y0], [x1, y1]], box) {
  let [from, to] = [0, 1];
  for (const [start, way, low, high] of [[x0, x1 - x0, box.x0, box.x1], [y0, y1 - y0, box.y0, box.y1]]) {
    if (!way) {
      if (start < low || start > high) return false;
      continue;
    }
    const ends = [(low - start) / way, (high - start) / way];
    from = Math.max(from, Math.min(...ends));
    to = Math.min(to, Math.max(...ends));
  }
  return to > from;
}

/** Where the line from a labelled point to its label ends: the nearest point of the box. */
export const leaderEnd = ([x, y], box) => [clamp(x, box.x0, box.x1), clamp(y, box.y0, box.y1)];

/** The box of a text that stands `far` px from a point in one direction. */
function boxAt([px, py], angle, far, text) {
  const [dx, dy] = [Math.cos(angle), Math.sin(angle)];
  const width = text.length * LETTER;
  const x0 = px + dx * far - (width * (1 - dx)) / 2;
  const foot = py + dy * far + ABOVE / 2 - 1 + (dy * (ABOVE + BELOW)) / 2;
  return { x0, x1: x0 + width, y0: foot - ABOVE, y1: foot + BELOW, foot };
}

/**
 * Find a place for each label near its point: inside of `bounds`, clear of the labels before it and, where that can be,
 * of `lines` (pairs of points). A label is {at, text, angle, leads}; angle is where it would like to stand, and one that
 * `leads` may stand farther away, with a line to its point; one that is `fixed` stands where it would like to. Returns the labels with {x, foot, box}: left end and foot of
 * the text, and the room it takes.
 */
export function placeLabels(labels, { bounds, lines }) {
  const taken = [];
  const leaders = [];
  const inside = (box) => box.x0 >= bounds.x0 && box.x1 <= bounds.x1 && box.y0 >= bounds.y0 && box.y1 <= bounds.y1;

  function costOf({ at, leads }, { box, ring, turn }) {
    const leader = [at, leaderEnd(at, box)];
    const room = airy(box);
    const over = taken.filter((other) => touch(room, other) || (leads && meets(leader, other))).length;
    const crossed = lines.filter((line) => meets(line, room)).length;
    const led = leads ? lines.filter((line) => cross(line, leader)).length : 0;
    const tangled = leaders.filter((other) => meets(other, room) || (leads && cross(other, leader))).length;
    return COST.overlap * over + COST.crossed * (crossed + tangled) + COST.leader * led + COST.ring * ring + COST.turn * turn;
  }

  return labels.map((label) => {
    const rings = FAR[label.leads ? "led" : "near"];
    const choices = (label.fixed ? rings.slice(0, 1) : rings).flatMap((far, ring) =>
      (label.fixed ? TURNS.slice(0, 1) : TURNS).map((degrees, turn) => ({ box: boxAt(label.at, label.angle + (degrees * Math.PI) / 180, far, label.text), ring, turn })),
    );
    const costs = choices.map((choice) => (inside(choice.box) ? costOf(label, choice) : Infinity));
    const { box } = choices[costs.indexOf(Math.min(...costs))];
    taken.push(box);
    if (label.leads) leaders.push([label.at, leaderEnd(label.at, box)]);
    return { ...label, x: box.x0, foot: box.foot, box };
  });
}
