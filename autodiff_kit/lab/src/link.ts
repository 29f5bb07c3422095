import type { Kernel, KernelMessage } from '@jupyterlab/services';
import { t } from './text';
import { type News, Refusal, TARGET } from './wire';

type Reply = Record<string, unknown> & { id?: number; error?: { code?: string; text?: string; do?: string } };
// What is asked for decides what comes back; the callers say which.
// eslint-disable-next-line @typescript-eslint/no-explicit-any
type Anything = any;

interface Asked {
  id: number;
  key: string;
  data: Record<string, unknown>;
  promise: Promise<Anything>;
  resolve: (value: Anything) => void;
  reject: (error: Refusal) => void;
}

/** Each page counts from a number of its own, so that two tabs on one kernel never take each other's answers. */
let lastId = Math.floor(Math.random() * 2 ** 30) * 2 ** 20;

export const stale = (error: unknown): boolean => error instanceof Refusal && error.code === 'stale';

/**
 * The comm of one kernel. The kernel opens it; a page that was loaded later joins it. Of each kind of request one
 * is on its way and at most one waits, the last one wins; each piece of a record is a kind of its own.
 */
export class Link {
  private comm: Kernel.IComm | null = null;
  private readonly sent = new Map<string, Asked>();
  private readonly waiting = new Map<string, Asked>();
  private ended = false;
  readonly traffic = { messages: 0, bytes: 0, pushed: 0 };

  constructor(readonly kernel: Kernel.IKernelConnection, private readonly heard: (news: News) => void, private readonly changed: () => void) {
    kernel.registerCommTarget(TARGET, this.opened);
    kernel.statusChanged.connect(this.status);
    void this.join();
  }

  get open(): boolean {
    return this.comm !== null;
  }

  /** Something has been asked and not yet been answered. */
  get pending(): boolean {
    return this.sent.size > 0;
  }

  private readonly opened = (comm: Kernel.IComm, message: KernelMessage.ICommOpenMsg): void => {
    this.take(comm);
    this.hear(message.content.data as Reply);
  };

  /** Join the comm of a kernel that outlived its page. */
  async join(): Promise<void> {
    try {
      await this.kernel.info;
      const info = await this.kernel.requestCommInfo({ target_name: TARGET });
      if (info.content.status !== 'ok' || this.comm || this.ended) {
        return;
      }
      const id = Object.keys(info.content.comms).find(one => !this.kernel.hasComm(one));
      if (id) {
        this.take(this.kernel.createComm(TARGET, id));
      }
    } catch {
      // The kernel ended while it was asked; a new one is joined when it comes.
    }
  }

  private take(comm: Kernel.IComm): void {
    this.comm = comm;
    comm.onMsg = message => this.hear(message.content.data as Reply);
    comm.onClose = () => this.drop();
    this.changed();
  }

  private readonly status = (_: unknown, status: Kernel.Status): void => {
    if (status === 'restarting' || status === 'autorestarting' || status === 'dead' || status === 'terminating') {
      this.drop();
    } else if (status === 'idle' && !this.comm) {
      void this.join();
    }
    this.changed();
  };

  /** The kernel went: nobody answers what was asked. */
  private drop(): void {
    this.comm = null;
    const all = [...this.sent.values(), ...this.waiting.values()];
    this.sent.clear();
    this.waiting.clear();
    all.forEach(asked => asked.reject(new Refusal('gone', t('The kernel stopped before it answered.'))));
    this.changed();
  }

  private hear(data: Reply): void {
    this.traffic.messages++;
    const asked = [...this.sent.values()].find(one => one.id === data.id);
    if (!asked) {
      if (data.type === 'tape/new' || data.type === 'progress') {
        this.traffic.pushed++;
        this.heard(data as unknown as News);
      }
      return;
    }
    this.sent.delete(asked.key);
    if (data.error) {
      asked.reject(new Refusal(data.error.code ?? 'error', data.error.text ?? '', data.error.do ?? ''));
    } else {
      asked.resolve(data);
    }
    const next = this.waiting.get(asked.key);
    if (next) {
      this.waiting.delete(asked.key);
      this.send(next);
    }
    this.changed();
  }

  private send(asked: Asked): void {
    this.sent.set(asked.key, asked);
    this.comm?.send(asked.data as never);
  }

  /** Ask the kernel; a second request of the same kind takes the place of one that still waits. */
  ask<T>(ask: string, args: Record<string, unknown> = {}): Promise<T> {
    if (!this.comm) {
      return Promise.reject(new Refusal('gone', t('No kernel answers.')));
    }
    const key = [ask, args.tape, ask === 'tape.columns' || ask === 'tape.costs' ? args.a : ''].join(' ');
    const asked = prepare(key, { v: 1, id: ++lastId, ask, ...args });
    if (!this.sent.has(key)) {
      this.send(asked);
    } else {
      this.waiting.get(key)?.reject(new Refusal('stale', t('A later question took its place.')));
      this.waiting.set(key, asked);
    }
    this.changed();
    return asked.promise;
  }

  /** Let go of the kernel; the comm stays open there for the next page. */
  end(): void {
    this.ended = true;
    this.drop();
    if (!this.kernel.isDisposed) {
      this.kernel.removeCommTarget(TARGET, this.opened);
      this.kernel.statusChanged.disconnect(this.status);
    }
  }
}

function prepare(key: string, data: Record<string, unknown>): Asked {
  const asked = { id: data.id, key, data } as Asked;
  asked.promise = new Promise((resolve, reject) => Object.assign(asked, { resolve, reject }));
  // Whoever asks may have gone when the answer is a refusal.
  asked.promise.catch(() => undefined);
  return asked;
}
