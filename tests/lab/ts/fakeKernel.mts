// A kernel connection as JupyterLab has it, as far as the sources use it; a test emits what a real one would.
import assert from 'node:assert/strict';
import { COMM_TARGET } from '../../../autodiff_kit/lab/src/services/protocol.ts';

export class Signal {
  slots = new Set<any>();
  connect(slot: any): void { this.slots.add(slot); }
  disconnect(slot: any): void { this.slots.delete(slot); }
  emit(value: any): void { this.slots.forEach(slot => slot(null, value)); }
}

export class Comm {
  sent: any[] = [];
  onMsg: any;
  onClose: any;
  send(data: any): void { this.sent.push(data); }
  say(data: any): void { this.onMsg({ content: { data } }); }
}

export class Kernel {
  info = Promise.resolve({});
  status = 'idle';
  statusChanged = new Signal();
  connectionStatusChanged = new Signal();
  anyMessage = new Signal();
  iopubMessage = new Signal();
  isDisposed = false;
  target: any = null;
  comms: Record<string, unknown> = {};
  joined = new Comm();
  registerCommTarget(name: string, act: any): void { assert.equal(name, COMM_TARGET); this.target = act; }
  removeCommTarget(): void { this.target = null; }
  requestCommInfo(): Promise<any> { return Promise.resolve({ content: { status: 'ok', comms: this.comms } }); }
  hasComm(): boolean { return false; }
  createComm(): Comm { return this.joined; }

  become(status: string): void {
    this.status = status;
    this.statusChanged.emit(status);
  }

  /** A page sends a message. */
  send(msg_type: string, msg_id: string): void {
    this.anyMessage.emit({ msg: { header: { msg_type, msg_id } }, direction: 'send' });
  }

  /** The kernel publishes its state because of a message; JupyterLab changes its status first, then tells the message. */
  publish(execution_state: string, msg_type: string, msg_id: string): void {
    this.become(execution_state);
    this.iopubMessage.emit({ header: { msg_type: 'status' }, parent_header: { msg_type, msg_id }, content: { execution_state } });
  }
}
