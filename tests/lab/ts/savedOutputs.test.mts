import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withSnapshots } from '../../../autodiff_kit/lab/src/outputs/notebookOutputs.ts';
import { stayCleanWhenOpened } from '../../../autodiff_kit/lab/src/outputs/openedClean.ts';
import { WIDGET_VIEW } from '../../../autodiff_kit/lab/src/outputs/savedOutput.ts';
import { changesSince, restoreState, stateOf, type WidgetModel, type WidgetState } from '../../../autodiff_kit/lab/src/outputs/widgetState.ts';
import { rulesFor } from '../../../autodiff_kit/lab/src/outputs/snapshot.ts';

const view = (model_id: string): Record<string, unknown> => ({ [WIDGET_VIEW]: { model_id } });

test('only a widget that stands otherwise, and has HTML beside its view, is saved otherwise', () => {
  const outputs = [{ data: { ...view('moved'), 'text/html': 'then' } }, { data: { ...view('resting'), 'text/html': 'then' } }, { data: view('moved') }, { text: 'printed' }];
  const saved = withSnapshots({ cells: [{ source: '# a heading' }, { outputs }] }, model => ({ html: model === 'moved' ? 'now' : null, state: null }));
  assert.deepEqual((saved.cells[1] as { outputs: unknown[] }).outputs, [{ data: { ...view('moved'), 'text/html': 'now' } }, { data: { ...view('resting'), 'text/html': 'then' } }, { data: view('moved') }, { text: 'printed' }]);
});

test('what a reader chose is saved beside what is there', () => {
  const saved = withSnapshots({ cells: [{ outputs: [{ data: { ...view('moved'), 'text/html': 'then' }, metadata: { other: 1 } }] }] }, () => ({ html: null, state: { s: 15 } }));
  assert.deepEqual((saved.cells[0].outputs[0] as { metadata: unknown }).metadata, { other: 1, autodiff_kit: { state: { s: 15 } } });
});

/** A widget whose preset brings an `x` of its own when it is newly chosen. */
class FakeModel implements WidgetModel {
  readonly sent: WidgetState[] = [];
  private listener: (() => void) | null = null;

  constructor(readonly now: WidgetState = { x: 0, preset: '', answered: 3, trait_roles: { input: ['x', 'preset'], view: ['step'], output: ['y'] } }) {}

  get = (name: string): unknown => this.now[name];
  set = (changes: WidgetState): unknown => Object.assign(this.now, changes);
  on = (_: string, listener: () => void): unknown => (this.listener = listener);
  off = (): unknown => (this.listener = null);
  save_changes = (): unknown => this.sent.push({ ...this.now });

  answer(changes: WidgetState): void {
    this.set({ ...changes, answered: this.now.asked });
    this.listener?.();
  }
}

test('a widget is put where a reader left it, also after a preset', () => {
  const model = new FakeModel();
  const first = stateOf(model);
  assert.equal(changesSince(first, stateOf(model)), null);
  restoreState(model, { x: 5, preset: 'steep', unknown: 1 });
  assert.deepEqual([model.now.x, model.now.preset, model.now.asked, 'unknown' in model.now], [5, 'steep', 4, false]);
  model.answer({ x: 9 });
  assert.deepEqual([model.now.x, model.now.asked, model.sent.length], [5, 5, 2]);
  model.answer({ x: 9 }); // whatever comes later is the reader's
  assert.deepEqual([model.now.x, model.sent.length], [9, 2]);
  assert.deepEqual(changesSince(first, stateOf(model)), { x: 9, preset: 'steep' });
  assert.deepEqual(stateOf(new FakeModel({})), {}, 'a widget of another kind');
});

test('a picture brings the rules that it obeys as they were written', () => {
  const sheet = '/* { */ .ak {\n  font: 400 var(--size, 14px)/1.45 serif;\n}\n.ak-a::before { content: ""; }\n.ak-b { color: red; }\n@media print { .ak-a { color: red; } }\n@container (width < 9px) { .ak-a { color: blue; } }';
  const rules = rulesFor(sheet, selector => selector === '.ak' || selector === '.ak-a');
  assert.deepEqual(rules.split('\n'), ['.ak { font: 400 var(--size, 14px)/1.45 serif; }', '.ak-a::before { content: ""; }', '@container (width < 9px) { .ak-a { color: blue; } }']);
});

type Listener = (sender: unknown, change: unknown) => void;

class FakeSignal {
  private readonly listeners: Listener[] = [];

  connect(listener: Listener): void {
    this.listeners.push(listener);
  }

  emit(change?: unknown): void {
    this.listeners.forEach(listener => listener(null, change));
  }
}

test('what JupyterLab notes of the kernel is no change of a notebook, another kernel is one', async () => {
  const model = { dirty: false, metadataChanged: new FakeSignal() };
  stayCleanWhenOpened({ context: { model } } as never);
  const dirtyAfter = async (change: unknown): Promise<boolean> => {
    model.metadataChanged.emit(change);
    model.dirty = true;
    await Promise.resolve();
    return model.dirty;
  };
  const version = { key: 'language_info', oldValue: { name: 'python' }, newValue: { name: 'python', version: '3' } };
  assert.equal(await dirtyAfter(version), false);
  assert.equal(await dirtyAfter({ key: 'kernelspec', oldValue: { name: 'python3' }, newValue: { name: 'other' } }), true);
  assert.equal(await dirtyAfter(version), true, 'what a reader changed before stays to be saved');
});
