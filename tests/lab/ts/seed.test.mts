import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seedOf } from '../../../autodiff_kit/lab/src/seed.ts';

test('numbers are read however they are written', () => {
  for (const text of ['1 2 −1', '[1, 2, -1]', ' 1;2 ; -1.0 ', '(1e0 .2e1 −1)']) {
    assert.deepEqual(seedOf(text, 3), [1, 2, -1], text);
  }
  assert.deepEqual(seedOf('2.5', 1), [2.5]);
  assert.deepEqual(seedOf('1', 600), [1], 'one number stands for all');
});

test('what is no tangent says what is expected', () => {
  assert.equal(seedOf('1 2', 3), 'This input has 3 entries: write 3 numbers, such as 1 2 −1, or one number for all; got 2.');
  assert.equal(seedOf('', 2), 'This input has 2 entries: write 2 numbers, such as 1 −1, or one number for all; got 0.');
  assert.equal(seedOf('1 x 3', 3), '“x” is not a number: write 3 numbers, such as 1 2 −1, or one number for all.');
  assert.equal(seedOf('1 2', 1), 'This input has one entry: write one number, such as 1; got 2.');
  assert.match(String(seedOf('1 2', 900)), /such as 1 2 3 4 …, or one/);
  for (const text of ['nan', '1e999', '0x10', '1/2', '1,5e']) {
    assert.equal(typeof seedOf(text, 1), 'string', text);
  }
});
