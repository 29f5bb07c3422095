/**
 * Layered (Sugiyama) layout of the graph: longest-path ranks, ordering by medians, and straightening by
 * pool-adjacent-violators. A record is in topological order already, and grouping keeps the number of boxes small.
 */

export type Edge = [number, number];
export type Point = [number, number];

export interface BoxSizes {
  w: number;
  h: number;
  gapX: number;
  gapY: number;
}

export interface GraphLayout {
  x: Float64Array;
  y: Float64Array;
  rank: Int32Array;
  paths: [number, number, Point[]][];
  width: number;
  height: number;
  crossings: number;
}

const ORDERING_ROUNDS = 6; // of ordering by medians
const STRAIGHTENING_ROUNDS = 8; // of straightening
const MAX_COUNTED_POINTS = 3000; // points up to which crossings are counted
const STRAIGHT_EDGE_BOXES = 2000; // boxes from which a long edge is drawn straight
const LEAF_WEIGHT = 0.06; // a leaf gives way: the spine stays straight

/** Points of all ranks, the virtual ones that carry long edges among them. */
interface LayeredPoints {
  rows: number[][];
  real: number[];
  up: number[][];
  down: number[][];
  at: Int32Array;
  routes: [number, number, number[]][];
}

/** A layered drawing: rank by longest path, order by medians, then straighten. */
export function layeredLayout(n: number, edges: Edge[], sizes: BoxSizes): GraphLayout {
  const ins: number[][] = Array.from({ length: n }, () => []);
  const outs: number[][] = Array.from({ length: n }, () => []);
  for (const [a, b] of edges) {
    ins[b].push(a);
    outs[a].push(b);
  }
  const order = topologicalOrder(n, ins, outs);
  const rank = longestPathRanks(order, ins, outs);
  const points = insertVirtualPoints(n, edges, order, rank);
  const crossings = orderRanks(points);
  const leaf = (k: number): boolean => points.real[k] >= 0 && !ins[points.real[k]].length;
  const x = straighten(points, sizes, leaf);
  return finishLayout(n, points, x, rank, sizes, crossings);
}

/** Kahn's order; boxes on a cycle, which collapsing can make, keep the order of the tape. */
export function topologicalOrder(n: number, ins: number[][], outs: number[][]): number[] {
  const left = Int32Array.from({ length: n }, (_, i) => ins[i].length);
  const out: number[] = [];
  const placed = new Uint8Array(n);
  for (let i = 0; i < n; i++) {
    if (!left[i]) {
      out.push(i);
      placed[i] = 1;
    }
  }
  for (let q = 0; q < out.length; q++) {
    for (const o of outs[out[q]]) {
      if (--left[o] === 0) {
        out.push(o);
        placed[o] = 1;
      }
    }
  }
  for (let i = 0; i < n; i++) {
    if (!placed[i]) {
      out.push(i);
    }
  }
  return out;
}

function longestPathRanks(order: number[], ins: number[][], outs: number[][]): Int32Array {
  const rank = new Int32Array(order.length);
  for (const v of order) {
    for (const u of ins[v]) {
      rank[v] = Math.max(rank[v], rank[u] + 1);
    }
  }
  // A leaf sits just above its first reader, not at the very top.
  for (const v of [...order].reverse()) {
    if (!ins[v].length && outs[v].length) {
      rank[v] = Math.max(0, Math.min(...outs[v].map(o => rank[o])) - 1);
    }
  }
  return rank;
}

function insertVirtualPoints(n: number, edges: Edge[], order: number[], rank: Int32Array): LayeredPoints {
  const deepest = rank.reduce((a, b) => Math.max(a, b), 0);
  const p: LayeredPoints = { rows: Array.from({ length: deepest + 1 }, () => []), real: [], up: [], down: [], at: new Int32Array(n), routes: [] };
  const add = (row: number, id: number): number => {
    p.up.push([]);
    p.down.push([]);
    p.rows[row].push(p.real.length);
    return p.real.push(id) - 1;
  };
  const join = (a: number, b: number): void => {
    p.down[a].push(b);
    p.up[b].push(a);
  };
  for (const v of order) {
    p.at[v] = add(rank[v], v);
  }
  const longest = n > STRAIGHT_EDGE_BOXES ? 3 : Infinity;
  for (const [a, b] of edges) {
    let from = p.at[a];
    const via: number[] = [];
    for (let r = rank[a] + 1; rank[b] - rank[a] <= longest && r < rank[b]; r++) {
      via.push(add(r, -1));
      join(from, via[via.length - 1]);
      from = via[via.length - 1];
    }
    join(from, p.at[b]);
    p.routes.push([a, b, via]);
  }
  return p;
}

/** Order every row by medians of its neighbours, down and up in turn; the best order stays. */
function orderRanks(p: LayeredPoints): number {
  const pos = new Float64Array(p.real.length);
  const index = (row: number[]): void => row.forEach((k, i) => (pos[k] = i));
  p.rows.forEach(index);
  let best = p.rows.map(row => row.slice());
  let fewest = Infinity;
  for (let round = 0; round < ORDERING_ROUNDS && fewest > 0; round++) {
    const side = round % 2 ? p.down : p.up;
    for (const row of round % 2 ? [...p.rows].reverse() : p.rows) {
      const key = new Map(row.map((k, i) => [k, median(side[k], pos) ?? i]));
      row.sort((a, b) => key.get(a)! - key.get(b)!);
      index(row);
    }
    const crossings = p.real.length > MAX_COUNTED_POINTS ? ORDERING_ROUNDS - round : countCrossings(p, pos);
    if (crossings < fewest) {
      fewest = crossings;
      best = p.rows.map(row => row.slice());
    }
  }
  best.forEach((row, r) => (p.rows[r] = row));
  return fewest;
}

function median(list: number[], pos: Float64Array): number | null {
  if (!list.length) {
    return null;
  }
  const at = list.map(k => pos[k]).sort((a, b) => a - b);
  const m = at.length >> 1;
  return at.length & 1 ? at[m] : (at[m - 1] + at[m]) / 2;
}

function countCrossings(p: LayeredPoints, pos: Float64Array): number {
  let count = 0;
  for (const row of p.rows) {
    const pairs = row.flatMap(k => p.down[k].map(d => [pos[k], pos[d]])).sort((a, b) => a[0] - b[0] || a[1] - b[1]);
    for (let i = 0; i < pairs.length; i++) {
      for (let j = i + 1; j < pairs.length; j++) {
        count += Number(pairs[j][1] < pairs[i][1] && pairs[j][0] > pairs[i][0]);
      }
    }
  }
  return count;
}

/** Start packed, then pull each point towards its neighbours without passing the next one. */
function straighten(p: LayeredPoints, sizes: BoxSizes, leaf: (k: number) => boolean): Float64Array {
  const x = new Float64Array(p.real.length);
  const wide = (k: number): number => (p.real[k] < 0 ? 6 : sizes.w) + sizes.gapX;
  p.rows.forEach(row => packRow(row, x, wide));
  const heft = Float64Array.from(p.real, (_, k) => (leaf(k) ? LEAF_WEIGHT : 1));
  for (let round = 0; round < STRAIGHTENING_ROUNDS; round++) {
    const downward = round % 2 === 0;
    const side = downward ? p.up : p.down;
    const weight = (j: number): number => (downward ? heft[j] : 1);
    for (const row of downward ? p.rows : [...p.rows].reverse()) {
      placeInOrder(row, row.map(k => mean(side[k], x, weight) ?? x[k]), x, wide, heft);
    }
  }
  return x;
}

function packRow(row: number[], x: Float64Array, wide: (k: number) => number): void {
  const half = row.reduce((sum, k) => sum + wide(k), 0) / 2;
  let c = -half;
  for (const k of row) {
    x[k] = c + wide(k) / 2;
    c += wide(k);
  }
}

function mean(list: number[], x: Float64Array, weight: (k: number) => number): number | null {
  let total = 0;
  let mass = 0;
  for (const j of list) {
    total += x[j] * weight(j);
    mass += weight(j);
  }
  return mass ? total / mass : null;
}

/** Nearest positions to `want` that keep the order and the widths (pool adjacent violators). */
export function placeInOrder(row: number[], want: number[], x: Float64Array, wide: (k: number) => number, heft: Float64Array): void {
  const blocks: { sum: number; mass: number; end: number }[] = [];
  const offset: number[] = [];
  row.forEach((k, i) => {
    offset.push(i ? offset[i - 1] + (wide(row[i - 1]) + wide(k)) / 2 : 0);
    let block = { sum: (want[i] - offset[i]) * heft[k], mass: heft[k], end: i };
    while (blocks.length && blocks[blocks.length - 1].sum / blocks[blocks.length - 1].mass > block.sum / block.mass) {
      const before = blocks.pop()!;
      block = { sum: before.sum + block.sum, mass: before.mass + block.mass, end: block.end };
    }
    blocks.push(block);
  });
  let i = 0;
  for (const block of blocks) {
    for (; i <= block.end; i++) {
      x[row[i]] = block.sum / block.mass + offset[i];
    }
  }
}

function finishLayout(n: number, p: LayeredPoints, x: Float64Array, rank: Int32Array, sizes: BoxSizes, crossings: number): GraphLayout {
  const low = x.reduce((a, b) => Math.min(a, b), Infinity);
  const high = x.reduce((a, b) => Math.max(a, b), -Infinity);
  const at = (k: number): number => x[k] - low + sizes.w / 2 + 8;
  const down = (r: number): number => r * (sizes.h + sizes.gapY) + sizes.h / 2 + 8;
  const rankOf = new Int32Array(p.real.length);
  p.rows.forEach((row, r) => row.forEach(k => (rankOf[k] = r)));
  return {
    x: Float64Array.from({ length: n }, (_, v) => at(p.at[v])),
    y: Float64Array.from({ length: n }, (_, v) => down(rank[v])),
    rank,
    paths: p.routes.map(([a, b, via]) => [a, b, via.map((k): Point => [at(k), down(rankOf[k])])]),
    width: n ? high - low + sizes.w + 16 : 0,
    height: p.rows.length * (sizes.h + sizes.gapY) - sizes.gapY + 16,
    crossings
  };
}
