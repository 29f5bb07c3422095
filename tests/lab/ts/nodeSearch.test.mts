import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nextMissingOrNan } from '../../../autodiff_kit/lab/src/inspector/nodeSearch.ts';
import { KIND } from '../../../autodiff_kit/lab/src/inspector/valueFormat.ts';

const state = (selected: number | null): any => ({
  selected,
  tape: { n: 4, flag: () => false, kinds: { value: Array(4).fill(KIND.FINITE), cotangent: [KIND.FINITE, KIND.FINITE, KIND.FINITE, KIND.NONE] } }
});

test('the next None is found from a node, from none and from a group', () => {
  for (const selected of [null, 0, 3, -1, -3]) {
    assert.equal(nextMissingOrNan(state(selected), 'none'), 3, String(selected));
  }
});
