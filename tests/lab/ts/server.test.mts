import assert from 'node:assert/strict';
import { test } from 'node:test';
import { KernelTransport } from '../../../autodiff_kit/lab/src/services/kernelTransport.ts';
import { NotebookActions } from '../../../autodiff_kit/lab/src/services/notebookActions.ts';

test('a check whose kernel stops says so', async () => {
  const kernel = { requestExecute: () => ({ done: Promise.reject(new Error('Canceled')) }) };
  const actions = Object.assign(Object.create(NotebookActions.prototype), {
    currentNotebook: () => ({ sessionContext: { session: { kernel } } }), server: { checksInKernel: false }
  }) as NotebookActions;
  assert.equal(await actions.runCheck('q1'), 'The kernel stopped before it answered.');
});

test('a syllabus that could not be fetched is fetched again', async () => {
  const syllabus = { lessons: [], parts: [], progress: { rev: 3 } };
  let asked = 0;
  Object.assign(globalThis, {
    localStorage: { getItem: () => null },
    fetch: () => (asked++ ? Promise.resolve({ json: async () => syllabus }) : Promise.reject(new TypeError('Failed to fetch')))
  });
  const transport = new KernelTransport(() => null, {} as never);
  await assert.rejects(transport.request('GET', 'syllabus'), { status: 0, code: 'lost' });
  assert.deepEqual(await transport.request('GET', 'syllabus'), syllabus);
});
