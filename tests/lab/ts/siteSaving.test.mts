import assert from 'node:assert/strict';
import { test } from 'node:test';
import { saveInTurn } from '../../../autodiff_kit/lab/src/plugins/siteSaving.ts';
import { later } from './recordedKernel.mts';

test('saves that are asked for at once take turns, also after one that failed', async () => {
  let [now, most, count] = [0, 0, 0];
  const context = {
    async save(): Promise<void> {
      most = Math.max(most, ++now);
      await later(2);
      now--;
      if (++count === 2) {
        throw new Error('no room');
      }
    }
  };
  saveInTurn(context);
  const ended = await Promise.allSettled([context.save(), context.save(), context.save()]);
  assert.deepEqual([most, count, ended.map(one => one.status)], [1, 3, ['fulfilled', 'rejected', 'fulfilled']]);
});
