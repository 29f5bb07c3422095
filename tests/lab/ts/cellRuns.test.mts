import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CodeCell } from '@jupyterlab/cells';
import { NotebookActions } from '@jupyterlab/notebook';
import { CellRuns } from '../../../autodiff_kit/lab/src/services/cellRuns.ts';

type Listener = (sender: unknown, args: any) => void;

class FakeSignal {
  private listeners: [Listener, unknown][] = [];
  connect(listener: Listener, self?: unknown): void {
    this.listeners.push([listener, self]);
  }
  emit(args?: unknown): void {
    this.listeners.forEach(([listener, self]) => listener.call(self, null, args));
  }
}

const metadata = (kit: unknown): { getMetadata(): unknown } => ({ getMetadata: () => kit });
const cell = (id: string, kit: unknown, type = 'code', executionCount: number | null = null): any => ({ model: { id, type, executionCount, sharedModel: { source: `run ${id}`, getSource() { return this.source; } }, ...metadata(kit) } });

/** A notebook whose kernel answers each request as it is told to; `order` holds what was sent. */
function notebook(cells: any[], { kit = { kind: 'lesson' } as unknown, ranBefore = false, answers = {} as Record<string, string>, history = [] as string[] } = {}) {
  const order: string[] = [];
  const tags: Record<string, string[]> = {};
  const actions = NotebookActions as any;
  const scheduled = new FakeSignal();
  const executed = new FakeSignal();
  Object.defineProperty(actions, 'executionScheduled', { value: scheduled, configurable: true });
  Object.defineProperty(actions, 'executed', { value: executed, configurable: true });
  (CodeCell as any).execute = async (one: any, _: unknown, about: { tags: string[] }) => {
    order.push(one.model.id);
    tags[one.model.id] = about.tags;
    return { content: { status: answers[one.model.id] ?? 'ok' } };
  };
  const kernel = { id: 'k', status: 'idle', requestHistory: async () => ({ content: { status: 'ok', history: history.map((input, i) => [0, i + 1, input]) } }) };
  const model = metadata(kit);
  const content: any = { model, widgets: cells, notebookConfig: {}, activeCellIndex: 0, scrollToItem: async () => undefined };
  const sessionContext = { session: { kernel }, kernelChanged: new FakeSignal(), statusChanged: new FakeSignal(), ready: Promise.resolve() };
  const panel: any = { content, model, sessionContext, disposed: new FakeSignal() };
  const runs = new CellRuns(panel, {} as never, () => ranBefore);
  /** What any command of JupyterLab does: it tells of the cell, and then sends it. */
  const run = async (one: any): Promise<string[]> => {
    const from = order.length;
    scheduled.emit({ notebook: content, cell: one });
    order.push(one.model.id);
    await new Promise(setImmediate);
    return order.slice(from);
  };
  return { runs, run, tags, content, executed, sessionContext };
}

const LESSON = [cell('a', { role: 'goal' }), cell('text', { role: 'run' }, 'markdown'), cell('b', { role: 'run' }), cell('mine', null), cell('ran', null, 'code', 3), cell('c', { role: 'predict' }), cell('d', { role: 'reveal' })];

test('before a cell of a lesson runs, those above run that have not, in their order', async () => {
  const { run, sessionContext } = notebook(LESSON);
  assert.deepEqual(await run(LESSON[5]), ['a', 'b', 'ran', 'c'], 'of a learner’s own cells, those that ran at some time');
  assert.deepEqual(await run(LESSON[6]), ['d']);
  assert.deepEqual(await run(LESSON[2]), ['b'], 'nothing is run that has run');
  sessionContext.statusChanged.emit('restarting');
  assert.deepEqual(await run(LESSON[2]), ['a', 'b'], 'a kernel that starts again has run nothing');
});

test('in other notebooks nothing is run that was not asked for', async () => {
  const { run } = notebook(LESSON, { kit: null });
  assert.deepEqual(await run(LESSON[6]), ['d']);
});

test('a kernel that was there before the page is asked what it ran', async () => {
  const { run } = notebook(LESSON, { ranBefore: true, history: ['run a\n', 'run ran'] });
  assert.deepEqual(await run(LESSON[2]), ['b'], 'while its past is not known, nothing else is run');
  assert.deepEqual(await run(LESSON[5]), ['c']);
});

test('a lesson’s cell that fails is shown, and what the kernel refused after it has not run', async () => {
  const { run, content, executed } = notebook(LESSON, { answers: { a: 'error', b: 'aborted', ran: 'aborted' } });
  await run(LESSON[5]);
  assert.equal(content.activeCellIndex, 0);
  executed.emit({ notebook: content, cell: LESSON[5], error: { errorName: '' } });
  assert.deepEqual(await run(LESSON[6]), ['b', 'ran', 'c', 'd'], 'the one that failed has run, and is not tried for ever');
});

test('an answer that fails does not keep back the next question, and no check or hint runs by itself', async () => {
  const begin = cell('begin', null);
  begin.model.sharedModel.source = 'q1, q2 = exercise("09")';
  const cells = [begin, ...['one', 'two'].flatMap(question => ['answer', 'check', 'help'].map(part => cell(`${question}-${part}`, { question, part })))];
  const { run, runs, tags } = notebook(cells, { kit: { kind: 'exercise' }, answers: { 'one-answer': 'error' } });
  assert.deepEqual(await run(cells[5]), ['begin', 'one-answer', 'two-answer', 'two-check']);
  assert.deepEqual([tags.begin, tags['one-answer']], [['raises-exception'], ['raises-exception']]);
  assert.ok(runs.isCurrent(cells[4]));
  cells[4].model.sharedModel.source = 'another answer';
  assert.ok(!runs.isCurrent(cells[4]), 'an answer that was written anew has not run');
});
