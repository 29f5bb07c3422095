import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Edge, layeredLayout, placeInOrder, topologicalOrder } from '../../../autodiff_kit/lab/src/inspector/graphLayout.ts';

const SIZES = { w: 100, h: 30, gapX: 14, gapY: 26 };

/** Edges of a drawn record: each node reads up to two of those before it. */
function drawn(n: number, seed: number): Edge[] {
  let state = seed;
  const next = (below: number): number => (state = (state * 1103515245 + 12345) % 2 ** 31) % below;
  const edges = new Map<string, Edge>();
  for (let i = 1; i < n; i++) {
    for (let k = 0; k < 2; k++) {
      const a = Math.max(0, i - 1 - next(6));
      edges.set(`${a} ${i}`, [a, i]);
    }
  }
  return [...edges.values()];
}

test('every edge goes down, and boxes of a row stand apart', () => {
  for (let seed = 1; seed <= 12; seed++) {
    const n = 5 + seed * 6;
    const edges = drawn(n, seed);
    const { x, y, rank, paths } = layeredLayout(n, edges, SIZES);
    edges.forEach(([a, b]) => assert.ok(rank[a] < rank[b], `seed ${seed}: ${a} is not above ${b}`));
    for (let r = 0; r <= Math.max(...rank); r++) {
      const row = [...rank.keys()].filter(v => rank[v] === r).sort((a, b) => x[a] - x[b]);
      row.slice(1).forEach((v, i) => assert.ok(x[v] - x[row[i]] >= SIZES.w + SIZES.gapX - 1e-6, `seed ${seed}, row ${r}`));
      row.forEach(v => assert.equal(y[v], r * 56 + 23));
    }
    assert.equal(paths.length, edges.length);
    paths.forEach(([a, b, via]) => assert.equal(via.length, rank[b] - rank[a] - 1));
  }
});

test('a chain is straight, and a crossing that can be undone is undone', () => {
  const chain = layeredLayout(6, [[0, 1], [1, 2], [2, 3], [3, 4], [4, 5]], SIZES);
  assert.equal(new Set([...chain.x].map(x => x.toFixed(3))).size, 1);
  const crossed = layeredLayout(6, [[0, 3], [1, 2], [2, 4], [3, 5], [0, 5], [1, 4]], SIZES);
  assert.equal(crossed.crossings, 0);
});

test('a leaf stands just above its first reader', () => {
  const { rank } = layeredLayout(5, [[0, 1], [1, 2], [2, 3], [4, 3]], SIZES);
  assert.equal(rank[4], rank[3] - 1);
});

test('a cycle, which collapsing can make, keeps every box once', () => {
  const order = topologicalOrder(4, [[2], [0], [1], [2]], [[1], [2], [0, 3], []]);
  assert.deepEqual([...order].sort(), [0, 1, 2, 3]);
});

test('places keep order and widths, and are nearest to what was wanted', () => {
  const x = new Float64Array(3);
  placeInOrder([0, 1, 2], [0, 0, 300], x, () => 100, new Float64Array([1, 1, 1]));
  assert.deepEqual([...x], [-50, 50, 300]);
});

test('nothing to draw is drawn as nothing', () => {
  assert.equal(layeredLayout(0, [], SIZES).width, 0);
  assert.equal(layeredLayout(1, [], SIZES).x.length, 1);
});
