import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EngineProgress, type EngineState } from '../../../autodiff_kit/lab/src/services/engineProgress.ts';

/** Gives what a page shows after each piece of news. */
function listening(): { progress: EngineProgress; tell: (id: string, stage: EngineState['stage']) => string } {
  const channel: Pick<BroadcastChannel, 'onmessage'> = { onmessage: null };
  const progress = new EngineProgress(channel);
  const tell = (id: string, stage: EngineState['stage']): string => {
    channel.onmessage!.call(null as never, { data: { id, stage, total: 9 } } as MessageEvent);
    return `${progress.state?.id} ${progress.state?.stage}`;
  };
  return { progress, tell };
}

test('one worker is followed, and another tab’s is not', () => {
  const { progress, tell } = listening();
  assert.equal(tell('mine', 'download'), 'mine download');
  assert.equal(tell('other', 'import'), 'mine download');
  assert.equal(tell('mine', 'import'), 'mine import');
  progress.forget();
  assert.equal(progress.state, null);
  assert.equal(tell('next', 'download'), 'next download');
});

test('after a failure the next try is another worker', () => {
  const { tell } = listening();
  assert.equal(tell('first', 'failed'), 'first failed');
  assert.equal(tell('second', 'download'), 'second download');
});
