import assert from 'node:assert/strict';
import { test } from 'node:test';
import { KIND } from '../../../autodiff_kit/lab/src/inspector/valueFormat.ts';
import { InspectorState } from '../../../autodiff_kit/lab/src/inspector/inspectorState.ts';
import { Playback } from '../../../autodiff_kit/lab/src/inspector/playback.ts';
import { later, open } from './recordedKernel.mts';

const beside = { lineText: () => '', lineLabel: () => '', cellLabel: () => '', isEdited: () => false, goToLine: () => undefined };

async function deck(name = 'push'): Promise<{ s: InspectorState; deck: Playback }> {
  const s = new InspectorState(beside);
  s.tape = (await open(name)).tape;
  Object.assign(s, { forwardEnd: s.tape.n, reverseEnd: s.tape.n, unstarted: true });
  return { s, deck: new Playback(s, () => undefined, () => undefined) };
}

test('a fresh tape shows its values; the first step begins at the beginning', async () => {
  const { s, deck: d } = await deck();
  assert.equal(s.forwardEnd, 12);
  d.step(1);
  assert.deepEqual([s.playhead, s.forwardEnd, s.selected], [0, 1, 0]);
  d.step(1);
  assert.deepEqual([s.playhead, s.forwardEnd], [1, 2]);
  d.step(-1);
  assert.deepEqual([s.playhead, s.forwardEnd], [0, 1]);
});

test('at the end a step stays at the end', async () => {
  const { s, deck: d } = await deck();
  for (let k = 0; k < 20; k++) {
    d.step(1);
  }
  assert.deepEqual([s.playhead, s.forwardEnd], [null, 12]);
  d.step(1);
  assert.deepEqual([s.playhead, s.forwardEnd], [null, 12]);
  d.step(-1);
  assert.equal(s.playhead, 11);
});

test('the reverse head begins at the target and goes up', async () => {
  const { s, deck: d } = await deck();
  d.setDirection(-1);
  assert.deepEqual([s.forwardEnd, s.reverseEnd, s.playhead], [12, 12, null]);
  d.step(1);
  assert.deepEqual([s.playhead, s.reverseEnd], [11, 11]);
  d.step(1);
  assert.equal(s.playhead, 10);
  d.end();
  assert.deepEqual([s.reverseEnd, s.playhead], [0, null]);
  d.rewind();
  assert.equal(s.reverseEnd, 12);
});

test('the reverse head passes by what no cotangent reaches, and every head by constants', async () => {
  const { s, deck: d } = await deck('attention');
  const visited: number[] = [];
  d.setDirection(-1);
  for (let k = 0; k < s.tape!.n + 5 && (k === 0 || s.playhead !== null); k++) {
    d.step(1);
    if (s.playhead !== null) {
      visited.push(s.playhead);
    }
  }
  assert.equal(s.reverseEnd, 0);
  visited.forEach(i => {
    assert.ok(!s.tape!.flag(i, 'k'), `constant ${i}`);
    assert.notEqual(s.tape!.kinds.cotangent[i], KIND.NONE, `node ${i}`);
  });
  assert.ok(visited.length > 40);
});

test('a seek stays on the tape', async () => {
  const { s, deck: d } = await deck();
  d.seek(99);
  assert.equal(s.playhead, 11);
  d.seek(-4);
  assert.deepEqual([s.playhead, s.forwardEnd], [0, 1]);
});

test('playing comes to the end by itself', async () => {
  const { s, deck: d } = await deck();
  s.settings.stepMilliseconds = 15;
  d.togglePlay();
  assert.equal(s.playing, true);
  for (let k = 0; k < 100 && s.playing; k++) {
    await later(2);
  }
  assert.deepEqual([s.playing, s.playhead, s.forwardEnd], [false, null, 12]);
});

test('on an empty tape there is no place to go to', async () => {
  const { s, deck: d } = await deck();
  Object.assign(s, { tape: { n: 0, target: -1 }, forwardEnd: 0, reverseEnd: 0 });
  for (const go of [() => d.seek(3), () => d.step(1), () => d.step(-1)]) {
    go();
    assert.equal(s.playhead, null);
  }
});
