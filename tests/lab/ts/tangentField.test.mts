import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseTangent, tangentText } from '../../../autodiff_kit/lab/src/inspector/tangentField.ts';

test('numbers are read however they are written', () => {
  for (const text of ['1 2 −1', '[1, 2, -1]', ' 1;2 ; -1.0 ', '(1e0 .2e1 −1)']) {
    assert.deepEqual(parseTangent(text, 3), [1, 2, -1], text);
  }
  assert.deepEqual(parseTangent('2.5', 1), [2.5]);
  assert.deepEqual(parseTangent('1', 600), [1], 'one number stands for all');
});

test('what is no tangent says what is expected', () => {
  assert.equal(parseTangent('1 2', 3), 'This input has 3 entries: write 3 numbers, such as 1 2 −1, or one number for all; got 2.');
  assert.equal(parseTangent('', 2), 'This input has 2 entries: write 2 numbers, such as 1 −1, or one number for all; got 0.');
  assert.equal(parseTangent('1 x 3', 3), '“x” is not a number: write 3 numbers, such as 1 2 −1, or one number for all.');
  assert.equal(parseTangent('1 2', 1), 'This input has one entry: write one number, such as 1; got 2.');
  assert.match(String(parseTangent('1 2', 900)), /such as 1 2 3 4 …, or one/);
  for (const text of ['nan', '1e999', '0x10', '1/2', '1,5e']) {
    assert.equal(typeof parseTangent(text, 1), 'string', text);
  }
});

test('what was pushed is shown so that it can be pushed again', () => {
  for (const numbers of [[100000, -0.00001, 0.1], [1e-300, -2.5e21, 0], [1 / 3, -1, 123456.789]]) {
    assert.deepEqual(parseTangent(tangentText(numbers), 3), numbers);
  }
});
