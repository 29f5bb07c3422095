import type { Edge } from './graphLayout';
import type { InspectorState } from './inspectorState';
import type { GroupBy, NodeGroup } from './nodeGroups';

/** The graph's boxes and edges: a group of nodes is one box until it is opened. */

export interface GraphBox {
  ids: number[];
  group: NodeGroup | null;
}

export interface BoxGraph {
  boxes: GraphBox[];
  /** The box of a node; −1 where it has none. */
  boxOf: Int32Array;
  edges: Edge[];
  /** Edges that were turned round: into the next round of a loop. */
  backEdges: Set<number>;
  grouping: GroupBy;
  /** How many boxes there are in all; where they are too many, only those around the playhead are drawn. */
  total: number;
}

/** Boxes and edges of a tape: grouped where it is long, and reduced to those around the playhead where that is not enough. */
export function boxGraph(s: InspectorState, most: number): BoxGraph {
  const tape = s.tape!;
  const grouping: GroupBy = s.grouping === 'none' && tape.n > most ? (tape.header.tables.module.length > 2 ? 'module' : 'line') : s.grouping;
  const { boxes, boxOf } = listBoxes(s, grouping, most);
  const whole = { boxes, boxOf, ...listEdges(s, boxOf), grouping, total: boxes.length };
  return boxes.length > most ? nearestBoxes(whole, boxOf[s.playhead ?? (s.selected !== null && s.selected >= 0 ? s.selected : tape.target)], most) : whole;
}

function listBoxes(s: InspectorState, grouping: GroupBy, most: number): { boxes: GraphBox[]; boxOf: Int32Array } {
  const tape = s.tape!;
  const grouped = s.groups(grouping);
  const boxOf = new Int32Array(tape.n).fill(-1);
  const boxes: GraphBox[] = [];
  const boxOfGroup = new Map<number, number>();
  for (let i = 0; i < tape.n; i++) {
    if (tape.flag(i, 'k')) {
      continue;
    }
    const group = grouped?.groups[grouped.groupOf[i]] ?? null;
    const alone = !group || group.ids.length === 1 || (s.expanded.has(group.g) && group.ids.length <= most);
    const old = alone ? undefined : boxOfGroup.get(group.g);
    if (old !== undefined) {
      boxes[old].ids.push(i);
      boxOf[i] = old;
      continue;
    }
    boxOf[i] = boxes.push({ ids: [i], group: alone ? null : group }) - 1;
    if (!alone) {
      boxOfGroup.set(group.g, boxOf[i]);
    }
  }
  return { boxes, boxOf };
}

function listEdges(s: InspectorState, boxOf: Int32Array): { edges: Edge[]; backEdges: Set<number> } {
  const tape = s.tape!;
  const seen = new Set<number>();
  const edges: Edge[] = [];
  const backEdges = new Set<number>();
  for (let i = 0; i < tape.n; i++) {
    for (const x of boxOf[i] < 0 ? [] : tape.inputs(i)) {
      const [a, b] = [boxOf[x], boxOf[i]];
      const key = a * 1e6 + b;
      if (a >= 0 && a !== b && !seen.has(key)) {
        seen.add(key);
        if (a > b) {
          backEdges.add(edges.length);
        }
        edges.push(a < b ? [a, b] : [b, a]);
      }
    }
  }
  return { edges, backEdges };
}

/** The boxes nearest to one of them, by steps along edges. */
export function nearestBoxes(whole: BoxGraph, centre: number, most: number): BoxGraph {
  const next: number[][] = whole.boxes.map(() => []);
  whole.edges.forEach(([a, b]) => {
    next[a].push(b);
    next[b].push(a);
  });
  const kept = new Set([Math.max(0, centre)]);
  for (const box of kept) {
    next[box].forEach(other => kept.size < most && kept.add(other));
    if (kept.size >= most) {
      break;
    }
  }
  const order = [...kept].sort((a, b) => a - b);
  const to = new Int32Array(whole.boxes.length).fill(-1);
  order.forEach((box, k) => (to[box] = k));
  const inside = whole.edges.map((_, q) => q).filter(q => whole.edges[q].every(box => to[box] >= 0));
  return {
    boxes: order.map(box => whole.boxes[box]), boxOf: whole.boxOf.map(box => (box < 0 ? -1 : to[box])), grouping: whole.grouping, total: whole.total,
    edges: inside.map(q => [to[whole.edges[q][0]], to[whole.edges[q][1]]]),
    backEdges: new Set(inside.flatMap((q, k) => (whole.backEdges.has(q) ? [k] : [])))
  };
}
