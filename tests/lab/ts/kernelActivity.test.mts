import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hasEnded, isDead, KernelActivity } from '../../../autodiff_kit/lab/src/services/kernelActivity.ts';
import { Kernel } from './fakeKernel.mts';

const followed = (): { kernel: Kernel; activity: KernelActivity } => {
  const kernel = new Kernel();
  return { kernel, activity: KernelActivity.of(kernel as any) };
};

test('a cell runs until its own idle, whatever else ends with one', () => {
  for (const beside of ['comm_msg', 'comm_open', 'create_subshell_request', 'comm_info_request', 'debug_request', 'kernel_info_request']) {
    const { kernel, activity } = followed();
    kernel.publish('busy', beside, 'm');
    kernel.send('execute_request', 'e');
    assert.ok(activity.isRunning, 'it was sent');
    kernel.publish('busy', 'execute_request', 'e');
    kernel.publish('idle', beside, 'm');
    assert.equal(kernel.status, 'idle', 'which JupyterLab then shows');
    assert.ok(activity.isRunning, beside);
    kernel.publish('busy', beside, 'm2');
    kernel.publish('idle', 'execute_request', 'e');
    kernel.become('busy');
    assert.ok(!activity.isRunning, 'also where something else is answered at its end');
  }
});

test('cells wait for their turn, also those that another page sends', () => {
  const { kernel, activity } = followed();
  kernel.send('execute_request', 'e1');
  kernel.send('execute_request', 'e2');
  kernel.publish('busy', 'execute_request', 'e1');
  kernel.publish('busy', 'execute_request', 'of another page');
  kernel.publish('idle', 'execute_request', 'e1');
  kernel.publish('idle', 'execute_request', 'of another page');
  assert.ok(activity.isRunning);
  kernel.publish('busy', 'execute_request', 'e2');
  kernel.publish('idle', 'execute_request', 'e2');
  assert.ok(!activity.isRunning);
  assert.equal(activity.cellsEnded, 3);
});

test('before the first cell only the status tells', () => {
  const { kernel, activity } = followed();
  assert.ok(!activity.isRunning);
  kernel.become('busy'); // a cell that began before the page was loaded
  assert.ok(activity.isRunning);
  kernel.publish('idle', 'execute_request', 'e0');
  assert.ok(!activity.isRunning);
});

test('what ended while the connection was lost, or with the kernel, does not run for ever', () => {
  const { kernel, activity } = followed();
  kernel.send('execute_request', 'e1');
  kernel.connectionStatusChanged.emit('disconnected');
  assert.ok(!activity.isRunning);
  for (const status of ['restarting', 'autorestarting', 'terminating', 'dead']) {
    kernel.send('execute_request', status);
    kernel.become(status);
    assert.ok(!activity.isRunning, status);
    assert.ok(hasEnded(kernel as any));
    assert.equal(isDead(kernel as any), status === 'dead' || status === 'terminating');
  }
});

test('listeners are told when a cell begins and ends', () => {
  const { kernel, activity } = followed();
  const told: boolean[] = [];
  activity.listeners.add(() => told.push(activity.isRunning));
  kernel.send('execute_request', 'e');
  kernel.iopubMessage.emit({ header: { msg_type: 'stream' }, parent_header: { msg_type: 'execute_request', msg_id: 'e' }, content: {} });
  kernel.iopubMessage.emit({ header: { msg_type: 'status' }, parent_header: { msg_type: 'execute_request', msg_id: 'e' }, content: { execution_state: 'idle' } });
  assert.deepEqual(told, [true, false]);
  assert.equal(KernelActivity.of(kernel as any), activity);
});
