import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type QueuedRequest, isTemporary, OfflineQueue } from '../../../autodiff_kit/lab/src/services/offlineQueue.ts';

class Store {
  held = new Map<string, string>();
  getItem(key: string): string | null { return this.held.get(key) ?? null; }
  setItem(key: string, text: string): void { this.held.set(key, text); }
  removeItem(key: string): void { this.held.delete(key); }
}

const change = (path: string): QueuedRequest => ({ method: 'PATCH', path, body: { state: 'begun' } });

/** A server that answers with a status; 200 takes the change. */
function served(store = new Store()): { queue: OfflineQueue; taken: string[]; status: { now: number }; store: Store } {
  const taken: string[] = [];
  const status = { now: 200 };
  const queue = new OfflineQueue(async one => {
    if (status.now !== 200) {
      throw { status: status.now };
    }
    taken.push(one.path);
    return { rev: taken.length };
  }, store);
  return { queue, taken, status, store };
}

test('a change that the server takes leaves nothing behind', async () => {
  const { queue, taken } = served();
  assert.deepEqual(await queue.sendOrKeep(change('a')), { rev: 1 });
  assert.deepEqual([taken, queue.size], [['a'], 0]);
});

test('changes wait while the server is away, outlive the page, and are sent in their order', async () => {
  const { queue, status, store } = served();
  for (const away of [0, 423, 507]) {
    status.now = away;
    assert.equal(await queue.sendOrKeep(change(`p${away}`)), null);
  }
  assert.equal(await queue.sendOrKeep(change('p0')), null, 'the same again waits once');
  assert.equal(queue.size, 3);
  assert.equal(await queue.flush(), false);
  assert.equal(queue.size, 3, 'nothing is lost by asking in vain');

  const next = served(store);
  assert.equal(next.queue.size, 3);
  let told = 0;
  next.queue.onChange = () => told++;
  assert.equal(await next.queue.flush(), true);
  assert.deepEqual(next.taken, ['p423', 'p507', 'p0']);
  assert.deepEqual([next.queue.size, told], [0, 3]);
});

test('what the server will never take is an error, and is not kept', async () => {
  const { queue, status, store } = served();
  status.now = 403;
  await assert.rejects(queue.sendOrKeep(change('a')));
  assert.equal(queue.size, 0);
  status.now = 0;
  await queue.sendOrKeep(change('a'));
  status.now = 404;
  assert.equal(await queue.flush(), false);
  assert.equal(queue.size, 0);
  store.setItem('autodiff-kit:waiting', 'no json');
  assert.equal(queue.size, 0);
  assert.deepEqual([0, 200, 403, 423, 507].map(isTemporary), [true, false, false, true, true]);
});

test('two tabs that send what waits at the same time lose nothing', async () => {
  const first = served();
  first.status.now = 0;
  for (const path of ['a', 'b', 'c']) {
    await first.queue.sendOrKeep(change(path));
  }
  let answer = (): void => undefined;
  const slow = new OfflineQueue(() => new Promise(done => { answer = () => done({}); }), first.store);
  const flushed = slow.flush(); // its change is taken, and the answer is on its way
  first.status.now = 200;
  first.queue.onChange = () => { first.status.now = first.queue.size > 1 ? 200 : 0; }; // and the server goes away again
  await first.queue.flush();
  assert.deepEqual([first.taken, first.queue.size], [['a', 'b'], 1]);
  answer();
  await new Promise(rest => setTimeout(rest));
  assert.equal(first.queue.size, 1, 'what was not sent is still there');
  answer();
  await flushed;
  assert.equal(first.queue.size, 0);
});

test('what is kept under its name by something else is passed by', async () => {
  for (const text of ['null', '{}', '7', '[null, 3]', 'no JSON']) {
    const { queue, store } = served();
    store.setItem('autodiff-kit:waiting', text);
    assert.equal(queue.size, 0, text);
    assert.equal(await queue.flush(), false, text);
  }
});

test('what waits outlives a login that ran out', async () => {
  let answer: object | null = { status: 0 };
  const queue = new OfflineQueue(async () => { if (answer) { throw answer; } }, new Store());
  await queue.sendOrKeep(change('progress/01'));
  for (answer of [{ status: 403, code: 'login' }, { status: 401 }, { status: 200, code: 'not_json' }]) {
    assert.equal(await queue.flush(), false);
    assert.equal(queue.size, 1);
  }
  answer = null;
  assert.equal(await queue.flush(), true);
  assert.equal(queue.size, 0);
});
