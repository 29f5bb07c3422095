import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keepKeys, labelTab } from '../../../autodiff_kit/lab/src/notebooks/lessonNotebook.ts';
import { gradientOf } from '../../../autodiff_kit/lab/src/welcome/gradientPicture.ts';

test('keys that change cells stay with a control of an output; others, and those elsewhere, pass', () => {
  let hear: (event: unknown) => void = () => undefined;
  keepKeys({ addEventListener: (_: string, listener: typeof hear) => (hear = listener) } as never);
  const passes = (key: string, { more = {}, isControl = true, isShown = true } = {}): boolean => {
    let stopped = false;
    hear({ key, target: { matches: () => isControl, closest: () => isShown }, stopPropagation: () => (stopped = true), ...more });
    return !stopped;
  };
  assert.deepEqual(['d', 'x', 'm', 'z', '0', 'Enter', ' ', 'Delete', 'Backspace'].filter(key => passes(key)), []);
  assert.deepEqual(['Escape', 'Tab', 'ArrowDown', 'F1'].filter(key => !passes(key)), []);
  assert.ok(passes('Enter', { more: { shiftKey: true } }), 'Shift+Enter runs the cell');
  assert.ok(passes('s', { more: { ctrlKey: true } }));
  assert.ok(passes('d', { isControl: false }));
  assert.ok(passes('d', { isShown: false }));
});

test('the tab of an exercise says so, and its label, which is the name of the file, stays', () => {
  const titled = (kit: unknown): any => ({ title: { label: '09_x.ipynb', dataset: {} }, model: { getMetadata: () => kit } });
  const [exercise, lesson, other] = [{ kind: 'exercise' }, { kind: 'lesson' }, undefined].map(titled);
  [exercise, lesson, other].forEach(labelTab);
  assert.deepEqual([exercise, lesson, other].map(({ title }) => title.dataset), [{ 'akl-tab': 'Exercises' }, {}, {}]);
  assert.equal(exercise.title.label, '09_x.ipynb');
});

test('the welcome page’s gradients are those of its curve', () => {
  for (const x of [-4, -1.3, 0, 0.7, 2.9]) {
    const [ofX, ofS, ofY] = gradientOf(x).map(step => step.gradient);
    const y = (at: number): number => gradientOf(at)[2].value;
    assert.ok(Math.abs((y(x + 1e-5) - y(x - 1e-5)) / 2e-5 - ofX) < 1e-8);
    assert.deepEqual([ofS, ofY], [x, 1]);
  }
});
