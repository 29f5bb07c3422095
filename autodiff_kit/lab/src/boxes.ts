import type { Edge } from './layout';
import type { State } from './state';
import type { By, Group } from './tape';

/** What the graph draws: a group is one box until it is opened. */

export interface Box {
  ids: number[];
  group: Group | null;
}

export interface Boxes {
  list: Box[];
  /** The box of a node; −1 where it has none. */
  at: Int32Array;
  edges: Edge[];
  /** Edges that were turned round: into the next round of a loop. */
  loops: Set<number>;
  by: By;
  /** How many boxes there are in all; only those around the head are drawn when they are too many. */
  all: number;
}

/** Boxes and edges of a tape: collapsed where it is long, and cut to what surrounds the head where that is not enough. */
export function boxes(s: State, most: number): Boxes {
  const tape = s.tape!;
  const by: By = s.collapse === 'none' && tape.n > most ? (tape.head.tables.module.length > 2 ? 'module' : 'line') : s.collapse;
  const { list, at } = listed(s, by, most);
  const whole = { list, at, ...joined(s, at), by, all: list.length };
  return list.length > most ? around(whole, at[s.cur ?? (s.sel !== null && s.sel >= 0 ? s.sel : tape.target)], most) : whole;
}

function listed(s: State, by: By, most: number): { list: Box[]; at: Int32Array } {
  const tape = s.tape!;
  const grouped = s.groups(by);
  const at = new Int32Array(tape.n).fill(-1);
  const list: Box[] = [];
  const boxOf = new Map<number, number>();
  for (let i = 0; i < tape.n; i++) {
    if (tape.flag(i, 'k')) {
      continue;
    }
    const group = grouped?.groups[grouped.of[i]] ?? null;
    const alone = !group || group.ids.length === 1 || (s.expanded.has(group.g) && group.ids.length <= most);
    const old = alone ? undefined : boxOf.get(group.g);
    if (old !== undefined) {
      list[old].ids.push(i);
      at[i] = old;
      continue;
    }
    at[i] = list.push({ ids: [i], group: alone ? null : group }) - 1;
    if (!alone) {
      boxOf.set(group.g, at[i]);
    }
  }
  return { list, at };
}

function joined(s: State, at: Int32Array): { edges: Edge[]; loops: Set<number> } {
  const tape = s.tape!;
  const seen = new Set<number>();
  const edges: Edge[] = [];
  const loops = new Set<number>();
  for (let i = 0; i < tape.n; i++) {
    for (const x of at[i] < 0 ? [] : tape.inputs(i)) {
      const [a, b] = [at[x], at[i]];
      const key = a * 1e6 + b;
      if (a >= 0 && a !== b && !seen.has(key)) {
        seen.add(key);
        if (a > b) {
          loops.add(edges.length);
        }
        edges.push(a < b ? [a, b] : [b, a]);
      }
    }
  }
  return { edges, loops };
}

/** The boxes nearest to one of them, by steps along edges. */
export function around(whole: Boxes, centre: number, most: number): Boxes {
  const next: number[][] = whole.list.map(() => []);
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
  const to = new Int32Array(whole.list.length).fill(-1);
  order.forEach((box, k) => (to[box] = k));
  const inside = whole.edges.map((_, q) => q).filter(q => whole.edges[q].every(box => to[box] >= 0));
  return {
    list: order.map(box => whole.list[box]), at: whole.at.map(box => (box < 0 ? -1 : to[box])), by: whole.by, all: whole.all,
    edges: inside.map(q => [to[whole.edges[q][0]], to[whole.edges[q][1]]]),
    loops: new Set(inside.flatMap((q, k) => (whole.loops.has(q) ? [k] : [])))
  };
}
