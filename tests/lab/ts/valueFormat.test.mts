import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { cellHash } from '../../../autodiff_kit/lab/src/inspector/cellHash.ts';
import { formatBytes, formatCount, formatNumber } from '../../../autodiff_kit/lab/src/common/numberFormat.ts';
import { decodeKinds, KIND, spokenValue, summaryText } from '../../../autodiff_kit/lab/src/inspector/valueFormat.ts';
import { groupThousands, setTranslations, t, tn } from '../../../autodiff_kit/lab/src/common/translation.ts';

test('a number is written with one minus sign, and never as minus zero', () => {
  assert.equal(formatNumber(-0), '0');
  assert.equal(formatNumber(-2.5), '−2.5');
  assert.equal(formatNumber(1 / 3), '0.3333');
  assert.equal(formatNumber(5e-4, 4), '0.0005');
  assert.equal(formatNumber(5e-5, 4), '5×10⁻⁵');
  assert.equal(formatNumber(1234567, 4), '1.23×10⁶');
  assert.equal(formatNumber(0.0005, 2), '5e−4');
  assert.deepEqual([formatNumber('nan'), formatNumber('inf'), formatNumber('-inf')], ['NaN', '∞', '−∞']);
});

test('big numbers carry a unit after a narrow space', () => {
  assert.equal(formatCount(999), '999');
  assert.equal(formatCount(12_345), '12.3\u202fk');
  assert.equal(formatBytes(48), '48\u202fB');
  assert.equal(formatBytes(3 * 2 ** 20), '3\u202fMiB');
  assert.equal(groupThousands(10_004), '10\u202f004');
});

test('an array is written whole while it is short, then by its range', () => {
  assert.equal(summaryText([-1, 3, 1.3, 3.7, 0, 0, [2, 3, -1], 0], [3]), '[2 3 −1]');
  assert.equal(summaryText([2, 2, 2, 2, 0, 0, [2], 0], []), '2');
  assert.equal(summaryText([-5, 5, 0, 9, 0, 0, [1, 2, 3, 4], 0], [4, 6]), '−5\u200a…\u200a5');
  assert.equal(summaryText([7, 7, 7, 7, 0, 0, [7, 7, 7, 7], 0], [9]), '7 ×9');
  assert.equal(summaryText(['nan', 'nan', 'nan', 0, 0, 0, [], 0], [0, 3]), '[]');
});

test('kinds are one letter each, and None, zero and a number are said apart', () => {
  assert.deepEqual([...decodeKinds('n0vNif?')], [0, 1, 2, 3, 4, 5, 9]);
  const said = [KIND.NONE, KIND.ZERO, KIND.FINITE].map(kind => spokenValue(kind, [1, 2, 1.5, 2, 0, 0, [1, 2], 0], [2]));
  assert.equal(new Set(said).size, 3);
});

test('a cell is known by the same hash as in the kernel', () => {
  const hashes: Record<string, string> = JSON.parse(readFileSync(new URL('../hashes.json', import.meta.url), 'utf8'));
  assert.ok(Object.keys(hashes).length > 5);
  for (const [text, hash] of Object.entries(hashes)) {
    assert.equal(cellHash(text), hash, text);
  }
});

test('words come from the chosen language, with their holes filled', () => {
  assert.equal(t('cell %1, line %2', 7, 3), 'cell 7, line 3');
  assert.equal(tn('%1 node', '%1 nodes', 1), '1 node');
  assert.equal(tn('%1 node', '%1 nodes', 10_000), '10\u202f000 nodes');
  setTranslations({ __: text => text.toUpperCase(), _n: (_one, many, n) => many.replace('%1', String(n)).toUpperCase() });
  assert.equal(t('Step'), 'STEP');
  assert.equal(tn('%1 node', '%1 nodes', 2), '2 NODES');
});

test('infinities of both signs are not said to be one', () => {
  const nothing = ['nan', 'nan', 'nan', 0] as const;
  assert.equal(summaryText([...nothing, 2, 0, ['inf', '-inf'], 0], [2]), '[∞ −∞]');
  assert.equal(summaryText([...nothing, 9, 0, ['inf', '-inf', 'inf', 'inf'], 0], [9]), '±∞ ×9');
  assert.equal(summaryText([...nothing, 9, 0, ['inf', 'inf', 'inf', 'inf'], 0], [9]), '∞ ×9');
});

test('an infinity is no NaN, and is read out; an array without entries has no range', () => {
  assert.match(spokenValue(KIND.NAN, [1, 1, 1, 1, 3, 0, ['nan', 'inf', '-inf', 1], 1], [4]), /^1 entr/i);
  assert.match(spokenValue(KIND.INF, ['nan', 'nan', 'nan', 0, 2, 0, ['inf', 'inf'], 0], [2]), /^∞/);
  assert.match(spokenValue(KIND.INF, [1, 2, 1.5, 2, 1, 0, [1, 2, 'inf'], 0], [3]), /∞/);
  assert.equal(spokenValue(KIND.FINITE, ['nan', 'nan', 'nan', 0, 0, 0, [], 0], [0, 3]), '[]');
  assert.match(spokenValue(KIND.FROZEN, [1, 1, 1, 1, 0, 0, [1], 0], []), /frozen/i);
});
