import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withSnapshots } from '../../../autodiff_kit/lab/src/outputs/notebookOutputs.ts';
import { stayCleanWhenOpened } from '../../../autodiff_kit/lab/src/outputs/openedClean.ts';
import { WIDGET_VIEW } from '../../../autodiff_kit/lab/src/outputs/savedOutput.ts';
import { rulesFor } from '../../../autodiff_kit/lab/src/outputs/snapshot.ts';

const view = (model_id: string): Record<string, unknown> => ({ [WIDGET_VIEW]: { model_id } });

test('only a widget that stands otherwise, and has HTML beside its view, is saved otherwise', () => {
  const outputs = [{ data: { ...view('moved'), 'text/html': 'then' } }, { data: { ...view('resting'), 'text/html': 'then' } }, { data: view('moved') }, { text: 'printed' }];
  const saved = withSnapshots({ cells: [{ source: '# a heading' }, { outputs }] }, model => (model === 'moved' ? 'now' : null));
  assert.deepEqual((saved.cells[1] as { outputs: unknown[] }).outputs, [{ data: { ...view('moved'), 'text/html': 'now' } }, { data: { ...view('resting'), 'text/html': 'then' } }, { data: view('moved') }, { text: 'printed' }]);
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
