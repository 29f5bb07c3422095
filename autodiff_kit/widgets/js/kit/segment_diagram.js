import { h, s, put, clamp, patterns, drawOnChange } from "./dom.js";
import { brief, fmt, kindOf } from "./numbers.js";

const GATHER = { node: 62, radius: 17, back: 112, box: 218, tall: 78, height: 304, thin: 520 };

/** The shape of a group: a group is known by it, and by its number. */
export function groupShape(k, x, y, r, props = {}) {
  const points = (list) => list.map(([a, b]) => `${x + a * r},${y + b * r}`).join(" ");
  if (k === 0) return s("circle", { cx: x, cy: y, r, ...props });
  if (k === 1) return s("rect", { x: x - r * 0.9, y: y - r * 0.9, width: 1.8 * r, height: 1.8 * r, rx: 2, ...props });
  const around = { 2: [[0, -1.25], [1.25, 0], [0, 1.25], [-1.25, 0]], 3: [[-1.15, -0.62], [0, -1.25], [1.15, -0.62], [1.15, 0.62], [0, 1.25], [-1.15, 0.62]] }[k];
  return s("polygon", { points: points(around), ...props });
}

/**
 * Nodes above, the groups that gather them below, and the gradient of each node, dashed. A node is moved to the next
 * group by a click; with keys: left and right move between nodes, up and down, or a digit, choose the group.
 * update({values, groups, boxes: [{rows, work, result}], back, shared, arcs}): `arcs` are pairs of neighbours; a node whose
 * group is not there is dashed. onMove(node, group).
 */
export function SegmentDiagram({ label, most, onMove }) {
  const fills = patterns();
  const picture = s("svg", { role: "group", "aria-label": label, width: "100%", height: GATHER.height });
  const el = h("div", { class: "ak-gather" }, picture);
  let width = 0;
  let last = null;
  let at = 0;

  const slot = (i, count) => (width * (i + 0.5)) / count;
  const nodeX = (i) => slot(i, last.values.length);
  const boxX = (k) => slot(k, last.boxes.length);

  function onkeydown(event) {
    if (!event.target.closest("[role=spinbutton]")) return;
    const [count, group] = [last.values.length, last.groups[at]];
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: count - 1 }[event.key];
    const next = { ArrowUp: group + 1, ArrowDown: group - 1 }[event.key] ?? (/^[0-9]$/.test(event.key) ? Number(event.key) : undefined);
    if (to === undefined && next === undefined) return;
    event.preventDefault();
    if (to === undefined) return onMove(at, clamp(next, 0, most - 1));
    at = (to + count) % count;
    draw();
    picture.querySelectorAll("[role=spinbutton]")[at].focus();
  }
  picture.addEventListener("keydown", onkeydown);

  function node(i) {
    const [x, group, value] = [nodeX(i), last.groups[i], last.values[i]];
    const there = group < last.boxes.length;
    const words = `node ${i}, value ${brief(value)}: ${there ? `graph ${group}` : `graph ${group}, which is not there`}`;
    return s(
      "g",
      {
        role: "spinbutton",
        tabindex: i === at ? 0 : -1,
        "aria-label": `Graph of node ${i}`,
        "aria-valuenow": group,
        "aria-valuemin": 0,
        "aria-valuemax": most - 1,
        "aria-valuetext": words,
        style: "cursor:pointer",
        onclick: () => {
          at = i;
          onMove(i, (group + 1) % most);
        },
        onfocus: () => {
          at = i;
        },
      },
      s("title", { text: `${words}; click for the next graph` }),
      s("circle", { cx: x, cy: GATHER.node, r: 24, fill: "transparent" }),
      groupShape(group, x, GATHER.node, GATHER.radius, {
        class: there ? "ak-hollow ak-stroke-value" : "ak-none-box",
        style: there ? null : "fill:var(--ak-paper)",
      }),
      s("text", { x, y: GATHER.node + 4.5, "text-anchor": "middle", class: "ak-strong", text: brief(value, 2) }),
    );
  }

  /** The way from a node to its group, and what comes back along it. */
  function way(i) {
    const [group, g] = [last.groups[i], last.back?.[i]];
    if (group >= last.boxes.length) return [];
    const [x1, x2] = [nodeX(i), boxX(group)];
    const [y1, y2] = [GATHER.back + 14, GATHER.box - GATHER.tall / 2];
    const kind = kindOf(g);
    const tone = kind === "nan" ? "nan" : "rev";
    const middle = (y1 + y2) / 2;
    const look = g === undefined ? { class: "ak-stroke-value", "stroke-width": 1.5 } : { class: `ak-stroke-${tone} ak-dash`, "stroke-width": kind === "zero" ? 1.25 : 2.25 };
    const tip = GATHER.node + GATHER.radius * 1.25 + 4;
    return [
      s("path", { d: `M${x1} ${tip}V${y1}C${x1} ${middle} ${x2} ${middle} ${x2} ${y2}`, fill: "none", ...look }),
      g === undefined ? "" : s("path", { d: `M${x1} ${tip - 2}l-5 9h10Z`, style: `fill:var(--ak-${tone})` }),
    ];
  }

  const backWords = (i) => {
    const g = last.back?.[i];
    if (g === undefined) return "";
    const kind = kindOf(g);
    return s("text", {
      x: nodeX(i),
      y: GATHER.back,
      "text-anchor": "middle",
      class: `ak-halo ${kind === "nan" ? "ak-in-nan" : "ak-in-rev"}`,
      style: "font-weight:600;stroke-width:6px",
      text: kind === "zero" ? "0" : fmt(g, width < GATHER.thin ? 2 : 4),
    });
  };

  function box(one, k) {
    const reach = Math.min(74, width / last.boxes.length / 2 - 6);
    const [x, y, kind] = [boxX(k), GATHER.box, kindOf(one.result)];
    const top = y - GATHER.tall / 2;
    return [
      s("rect", { x: x - reach, y: top, width: 2 * reach, height: GATHER.tall, rx: 3, class: one.rows === 0 ? "ak-none-box" : "ak-hollow ak-stroke-value", style: "fill:var(--ak-paper)" }),
      groupShape(k, x - (reach < 40 ? 10 : Math.min(34, reach - 12)), top + 17, 7, { class: "ak-hollow ak-stroke-value" }),
      s("text", { x: x + 8, y: top + 21, "text-anchor": "middle", class: "ak-strong", text: reach < 40 ? String(k) : `graph ${k}` }),
      s("text", { x, y: top + 41, "text-anchor": "middle", text: one.work }),
      kind === "nan" ? s("rect", { x: x - 26, y: top + 50, width: 52, height: 20, fill: fills.url("nan"), stroke: "var(--ak-nan)" }) : "",
      kind === "zero" ? s("rect", { x: x - 9, y: top + 51, width: 18, height: 18, rx: 2, class: "ak-ink-fill" }) : "",
      s("text", {
        x,
        y: top + 65,
        "text-anchor": "middle",
        class: kind === "nan" ? "ak-in-nan ak-halo" : "ak-in-value",
        style: `font-weight:600;font-size:1.17em${kind === "zero" ? ";fill:var(--ak-paper);font-size:1em" : ""}`,
        text: one.result === null ? "?" : kind === "zero" ? "0" : brief(one.result),
      }),
    ];
  }

  const arc = ([i, j]) => {
    const [x1, x2] = [nodeX(i), nodeX(j)];
    const top = GATHER.node - GATHER.radius - 3;
    const lift = Math.min(44, 14 + 9 * (j - i));
    return s("path", { d: `M${x1} ${top}C${x1} ${top - lift} ${x2} ${top - lift} ${x2} ${top}`, fill: "none", class: "ak-stroke-value", "stroke-width": 1.25 });
  };

  /** What comes back to the factor that all groups share. */
  function shared() {
    const low = GATHER.box + GATHER.tall / 2;
    const foot = GATHER.height - 10;
    const kind = kindOf(last.shared);
    if (last.shared === null) return [];
    const ends = [boxX(0), boxX(last.boxes.length - 1)];
    return [
      s("path", { d: last.boxes.map((_, k) => `M${boxX(k)} ${low}V${low + 12}`).join("") + `M${ends[0]} ${low + 12}H${ends[1]}`, class: `ak-stroke-${kind === "nan" ? "nan" : "rev"} ak-dash`, fill: "none", "stroke-width": 1.5 }),
      s("text", { x: width / 2, y: foot, "text-anchor": "middle", class: kind === "nan" ? "ak-in-nan ak-halo" : "ak-in-rev ak-halo", style: "font-weight:600", text: `into v, which all graphs share: ${brief(last.shared)}` }),
    ];
  }

  function draw() {
    if (!last || !width) return;
    const held = picture.contains(document.activeElement);
    at = Math.min(at, last.values.length - 1);
    const nodes = last.values.map((_, i) => i);
    put(picture, { height: GATHER.height });
    picture.replaceChildren(
      fills.defs,
      ...last.arcs.map(arc),
      ...[...nodes.flatMap(way), ...nodes.map(backWords), ...last.boxes.flatMap(box), ...shared()].filter(Boolean),
      ...nodes.map(node),
    );
    if (held) picture.querySelectorAll("[role=spinbutton]")[at].focus();
  }

  return drawOnChange(el, draw, { width: (next) => (width = next), data: (next) => (last = next) });
}
