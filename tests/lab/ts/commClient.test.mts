import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CommClient } from '../../../autodiff_kit/lab/src/services/commClient.ts';
import { COMM_TARGET, isSuperseded, RequestError } from '../../../autodiff_kit/lab/src/services/protocol.ts';
import { Comm, Kernel } from './fakeKernel.mts';
import { later } from './recordedKernel.mts';

function linked(): { kernel: Kernel; link: CommClient; comm: Comm; news: any[] } {
  const kernel = new Kernel();
  const news: any[] = [];
  const link = new CommClient(kernel as any, one => news.push(one), () => undefined);
  const comm = new Comm();
  kernel.target(comm, { content: { data: { v: 1, type: 'hello' } } });
  return { kernel, link, comm, news };
}

test('an answer goes to whoever asked', async () => {
  const { link, comm } = linked();
  const [head, list] = [link.request<any>('tape.head', { tape: 't1' }), link.request<any>('tape.list')];
  assert.deepEqual(comm.sent.map(one => [one.v, one.ask]), [[1, 'tape.head'], [1, 'tape.list']]);
  comm.say({ v: 1, id: comm.sent[1].id, tapes: [] });
  comm.say({ v: 1, id: comm.sent[0].id, n: 12, unknown: true });
  assert.equal((await head).n, 12);
  assert.deepEqual((await list).tapes, []);
});

test('of a kind one is on its way and one waits; the last one wins', async () => {
  const { link, comm } = linked();
  const [first, second, third] = [0, 64, 128].map(a => link.request<any>('tape.values', { tape: 't1', a }));
  assert.equal(comm.sent.length, 1);
  await assert.rejects(second, isSuperseded);
  comm.say({ id: comm.sent[0].id, rows: [] });
  await first;
  assert.equal(comm.sent[1].a, 128);
  comm.say({ id: comm.sent[1].id, rows: [1] });
  assert.deepEqual((await third).rows, [1]);
});

test('a refusal says what to do', async () => {
  const { link, comm } = linked();
  const asked = link.request('tape.head', { tape: 't9' });
  comm.say({ id: comm.sent[0].id, error: { code: 'tape', text: 'There is no tape.', do: 'Ask tape.list.' } });
  await assert.rejects(asked, (error: RequestError) => error.code === 'tape' && error.advice === 'Ask tape.list.');
});

test('notices are told; answers to another page are passed by', () => {
  const { comm, news, link } = linked();
  const asked = link.request('tape.list');
  comm.say({ v: 1, type: 'tape/new', tape: 't3', n: 4 });
  comm.say({ v: 1, id: 4711, type: 'list', tapes: [] });
  assert.deepEqual(news.map(one => one.tape), ['t3']);
  assert.equal(link.hasPending, true);
  asked.catch(() => undefined);
});

test('when the kernel restarts nothing hangs, and its next comm is taken', async () => {
  const { kernel, link, comm } = linked();
  const asked = link.request('tape.head', { tape: 't1' });
  kernel.become('restarting');
  await assert.rejects(asked, (error: RequestError) => error.code === 'gone');
  assert.equal(link.isOpen, false);
  await assert.rejects(link.request('tape.list'));
  const next = new Comm();
  kernel.target(next, { content: { data: {} } });
  assert.equal(link.isOpen, true);
  void link.request('tape.list');
  assert.equal(next.sent.length, 1);
  assert.equal(comm.sent.length, 1);
});

test('a page that comes later joins the comm that is open', async () => {
  const kernel = new Kernel();
  kernel.comms = { abc: { target_name: COMM_TARGET } };
  const link = new CommClient(kernel as any, () => undefined, () => undefined);
  await later(5);
  assert.equal(link.isOpen, true);
  void link.request('tape.list');
  assert.equal(kernel.joined.sent[0].ask, 'tape.list');
  link.dispose();
  assert.equal(kernel.target, null);
});

test('a kernel is asked for its comm once, and again when a cell has ended or it was started again', async () => {
  const kernel = new Kernel();
  let asked = 0;
  kernel.requestCommInfo = () => {
    asked++;
    setTimeout(() => asked < 9 && kernel.publish('idle', 'comm_info_request', 'c'));
    return Promise.resolve({ content: { status: 'ok', comms: {} } });
  };
  new CommClient(kernel as any, () => undefined, () => undefined);
  await later(30);
  assert.equal(asked, 1);
  kernel.publish('busy', 'execute_request', 'e1');
  await later(30);
  assert.equal(asked, 1);
  kernel.publish('idle', 'execute_request', 'e1');
  await later(30);
  assert.equal(asked, 2);
  kernel.become('restarting');
  kernel.become('starting');
  kernel.become('idle');
  await later(30);
  assert.equal(asked, 3);
});
