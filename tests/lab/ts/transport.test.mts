import assert from 'node:assert/strict';
import { test } from 'node:test';
import { KIND } from '../../../autodiff_kit/lab/src/numbers.ts';
import { State } from '../../../autodiff_kit/lab/src/state.ts';
import { Transport } from '../../../autodiff_kit/lab/src/transport.ts';
import { later, open } from './play.mts';

const beside = { text: () => '', short: () => '', cell: () => '', edited: () => false, goto: () => undefined };

async function deck(name = 'push'): Promise<{ s: State; deck: Transport }> {
  const s = new State(beside);
  s.tape = (await open(name)).tape;
  Object.assign(s, { f: s.tape.n, r: s.tape.n, fresh: true });
  return { s, deck: new Transport(s, () => undefined, () => undefined) };
}

test('a fresh tape shows its values; the first step begins at the beginning', async () => {
  const { s, deck: d } = await deck();
  assert.equal(s.f, 12);
  d.step(1);
  assert.deepEqual([s.cur, s.f, s.sel], [0, 1, 0]);
  d.step(1);
  assert.deepEqual([s.cur, s.f], [1, 2]);
  d.step(-1);
  assert.deepEqual([s.cur, s.f], [0, 1]);
});

test('at the end a step stays at the end', async () => {
  const { s, deck: d } = await deck();
  for (let k = 0; k < 20; k++) {
    d.step(1);
  }
  assert.deepEqual([s.cur, s.f], [null, 12]);
  d.step(1);
  assert.deepEqual([s.cur, s.f], [null, 12]);
  d.step(-1);
  assert.equal(s.cur, 11);
});

test('the reverse head begins at the target and goes up', async () => {
  const { s, deck: d } = await deck();
  d.turn(-1);
  assert.deepEqual([s.f, s.r, s.cur], [12, 12, null]);
  d.step(1);
  assert.deepEqual([s.cur, s.r], [11, 11]);
  d.step(1);
  assert.equal(s.cur, 10);
  d.end();
  assert.deepEqual([s.r, s.cur], [0, null]);
  d.rewind();
  assert.equal(s.r, 12);
});

test('the reverse head passes by what no cotangent reaches, and every head by constants', async () => {
  const { s, deck: d } = await deck('attention');
  const visited: number[] = [];
  d.turn(-1);
  for (let k = 0; k < s.tape!.n + 5 && (k === 0 || s.cur !== null); k++) {
    d.step(1);
    if (s.cur !== null) {
      visited.push(s.cur);
    }
  }
  assert.equal(s.r, 0);
  visited.forEach(i => {
    assert.ok(!s.tape!.flag(i, 'k'), `constant ${i}`);
    assert.notEqual(s.tape!.known.cotangent[i], KIND.NONE, `node ${i}`);
  });
  assert.ok(visited.length > 40);
});

test('a seek stays on the tape', async () => {
  const { s, deck: d } = await deck();
  d.seek(99);
  assert.equal(s.cur, 11);
  d.seek(-4);
  assert.deepEqual([s.cur, s.f], [0, 1]);
});

test('playing comes to the end by itself', async () => {
  const { s, deck: d } = await deck();
  s.settings.stepMilliseconds = 15;
  d.toggle();
  assert.equal(s.playing, true);
  for (let k = 0; k < 100 && s.playing; k++) {
    await later(2);
  }
  assert.deepEqual([s.playing, s.cur, s.f], [false, null, 12]);
});
