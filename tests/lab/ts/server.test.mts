import assert from 'node:assert/strict';
import { test } from 'node:test';
import { KernelTransport } from '../../../autodiff_kit/lab/src/services/kernelTransport.ts';
import { NotebookActions } from '../../../autodiff_kit/lab/src/services/notebookActions.ts';

test('a check whose kernel stops says so', async () => {
  const kernel = { requestExecute: () => ({ done: Promise.reject(new Error('Canceled')) }) };
  const actions = Object.assign(Object.create(NotebookActions.prototype), {
    currentNotebook: () => ({ content: { widgets: [] }, sessionContext: { session: { kernel } } }), runs: { of: () => null }, server: { checksInKernel: false }
  }) as NotebookActions;
  assert.equal(await actions.runCheck('q1', 'jvp-1'), 'The kernel stopped before it answered.');
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

test('what an older site kept of the progress is passed by', async () => {
  const syllabus = { lessons: [], parts: [], progress: { rev: 3 } };
  for (const saved of ['{"rev": 1}', 'no JSON', 'null']) {
    Object.assign(globalThis, { localStorage: { getItem: () => saved }, fetch: async () => ({ json: async () => syllabus }) });
    assert.deepEqual(await new KernelTransport(() => null, {} as never).request('GET', 'syllabus'), syllabus, saved);
  }
});

class FakeSignal {
  private slots: ((sender: unknown, value: unknown) => void)[] = [];
  connect(slot: (sender: unknown, value: unknown) => void): void { this.slots.push(slot); }
  emit(value?: unknown): void { this.slots.forEach(slot => slot(null, value)); }
}

class FakeKernel {
  made = 0;
  comms: any[] = [];
  disposed = new FakeSignal();
  status = 'idle';
  statusChanged = new FakeSignal();
  become(status: string): void {
    this.status = status;
    this.statusChanged.emit();
  }
  createComm(): unknown {
    const comm = { commId: `c${this.made++}`, isDisposed: false, sent: [] as any[], open: () => undefined, dispose: () => (comm.isDisposed = true), send: (data: unknown) => comm.sent.push(data), onMsg: (_: any): void => undefined };
    this.comms.push(comm);
    return comm;
  }
  hasComm(id: string): boolean { return this.comms.some(one => one.commId === id); }
  answer(): void {
    for (const { id } of this.comms[0].sent.splice(0)) {
      this.comms[0].onMsg({ content: { data: { id, status: 200, body: 'answered' } } });
    }
  }
}

test('two kernels have a comm each, and one that restarts or is closed refuses only what it was asked', async () => {
  const [a, b] = [new FakeKernel(), new FakeKernel()];
  let front = a;
  const transport = new KernelTransport(() => front as never, {} as never);
  const ask = (kernel: FakeKernel): Promise<unknown> => {
    front = kernel;
    return transport.request('GET', 'exercises');
  };
  const refused = { status: 409, code: 'no_kernel' };
  const lost = [ask(a), ask(b), ask(a)];
  assert.deepEqual([a.made, b.made], [1, 1]);
  const gone = Promise.all([assert.rejects(lost[0], refused), assert.rejects(lost[2], refused)]);
  a.become('autorestarting');
  await gone;
  b.answer();
  assert.equal(await lost[1], 'answered');
  const closed = assert.rejects(ask(b), refused);
  b.disposed.emit();
  await closed;
});

const answering = (content: unknown): NotebookActions => Object.assign(Object.create(NotebookActions.prototype), {
  currentNotebook: () => ({ content: { widgets: [] }, sessionContext: { session: { kernel: { requestExecute: () => ({ done: Promise.resolve({ content }) }) } } } }), runs: { of: () => null }, server: { checksInKernel: false }
});

test('a check that a failing cell kept from running says so', async () => {
  assert.match((await answering({ status: 'aborted' }).runCheck('q1', 'jvp-1'))!, /stopped with an error, so nothing was checked/);
  assert.equal(await answering({ status: 'error', ename: 'ValueError', evalue: 'no' }).runCheck('q1', 'jvp-1'), 'ValueError: no');
});
