import type { Kernel, KernelMessage } from '@jupyterlab/services';
import { t } from '../common/translation';
import { hasEnded, KernelActivity } from './kernelActivity';
import { type KernelNotice, NO_KERNEL, RequestError, COMM_TARGET } from './protocol';

type IncomingMessage = Record<string, unknown> & { id?: number; error?: { code?: string; text?: string; do?: string } };
// What is asked for decides what comes back; the callers say which.
// eslint-disable-next-line @typescript-eslint/no-explicit-any
type UntypedReply = any;

interface PendingRequest {
  id: number;
  key: string;
  data: Record<string, unknown>;
  promise: Promise<UntypedReply>;
  resolve: (value: UntypedReply) => void;
  reject: (error: RequestError) => void;
}

/** Each page counts from a number of its own, so that two tabs on one kernel never take each other's answers. */
let lastId = Math.floor(Math.random() * 2 ** 30) * 2 ** 20;

/**
 * The comm of one kernel. The kernel opens it; a page that was loaded later joins it. Of each kind of request one
 * is on its way and at most one waits, the last one wins; each piece of a record is a kind of its own.
 */
export class CommClient {
  private comm: Kernel.IComm | null = null;
  private readonly inFlight = new Map<string, PendingRequest>();
  private readonly queued = new Map<string, PendingRequest>();
  private disposed = false;
  private isJoining = false;
  /** The kernel was asked for its comm when so many cells had ended: only another cell can have opened one since. */
  private askedAfter = -1;
  private readonly activity: KernelActivity;
  readonly traffic = { messages: 0, bytes: 0, pushed: 0 };

  constructor(readonly kernel: Kernel.IKernelConnection, private readonly onNotice: (news: KernelNotice) => void, private readonly onChange: () => void) {
    kernel.registerCommTarget(COMM_TARGET, this.onCommOpen);
    this.activity = KernelActivity.of(kernel);
    this.activity.listeners.add(this.onActivity);
    void this.joinOpenComm();
  }

  get isOpen(): boolean {
    return this.comm !== null;
  }

  /** The kernel runs a cell: what can wait until that ends is not asked before. */
  get isKernelRunning(): boolean {
    return this.activity.isRunning;
  }

  /** Something has been asked and not yet been answered. */
  get hasPending(): boolean {
    return this.inFlight.size > 0;
  }

  private readonly onCommOpen = (comm: Kernel.IComm, message: KernelMessage.ICommOpenMsg): void => {
    this.adoptComm(comm);
    this.receive(message.content.data as IncomingMessage);
  };

  /** Join the comm of a kernel that outlived its page. */
  private async joinOpenComm(): Promise<void> {
    this.isJoining = true;
    this.askedAfter = this.activity.cellsEnded;
    try {
      await this.kernel.info;
      const info = await this.kernel.requestCommInfo({ target_name: COMM_TARGET });
      if (info.content.status !== 'ok' || this.comm || this.disposed) {
        return;
      }
      const id = Object.keys(info.content.comms).find(one => !this.kernel.hasComm(one));
      if (id) {
        this.adoptComm(this.kernel.createComm(COMM_TARGET, id));
      }
    } catch {
      this.askedAfter = -1; // the kernel ended while it was asked
    } finally {
      this.isJoining = false;
    }
  }

  private adoptComm(comm: Kernel.IComm): void {
    this.comm = comm;
    comm.onMsg = message => this.receive(message.content.data as IncomingMessage);
    comm.onClose = () => this.disconnect();
    this.onChange();
  }

  private readonly onActivity = (): void => {
    if (hasEnded(this.kernel)) {
      this.disconnect();
    } else if (this.kernel.status === 'idle' && !this.comm && !this.isJoining && this.activity.cellsEnded !== this.askedAfter) {
      void this.joinOpenComm();
    }
    this.onChange();
  };

  /** The comm closed: reject every open request. */
  private disconnect(): void {
    this.comm = null;
    const all = [...this.inFlight.values(), ...this.queued.values()];
    this.inFlight.clear();
    this.queued.clear();
    all.forEach(asked => asked.reject(new RequestError('gone', t('The kernel stopped before it answered.'))));
    this.onChange();
  }

  private receive(data: IncomingMessage): void {
    this.traffic.messages++;
    const asked = [...this.inFlight.values()].find(one => one.id === data.id);
    if (!asked) {
      if (data.type === 'tape/new' || data.type === 'progress') {
        this.traffic.pushed++;
        this.onNotice(data as unknown as KernelNotice);
      }
      return;
    }
    this.inFlight.delete(asked.key);
    if (data.error) {
      asked.reject(new RequestError(data.error.code ?? 'error', data.error.text ?? '', data.error.do ?? ''));
    } else {
      asked.resolve(data);
    }
    const next = this.queued.get(asked.key);
    if (next) {
      this.queued.delete(asked.key);
      this.send(next);
    }
    this.onChange();
  }

  private send(asked: PendingRequest): void {
    this.inFlight.set(asked.key, asked);
    this.comm?.send(asked.data as never);
  }

  /** Ask the kernel; a second request of the same kind takes the place of one that still waits. */
  request<T>(ask: string, args: Record<string, unknown> = {}): Promise<T> {
    if (!this.comm) {
      return NO_KERNEL.request(ask);
    }
    const key = [ask, args.tape, ask === 'tape.columns' || ask === 'tape.costs' ? args.a : ''].join(' ');
    const asked = createPendingRequest(key, { v: 1, id: ++lastId, ask, ...args });
    if (!this.inFlight.has(key)) {
      this.send(asked);
    } else {
      this.queued.get(key)?.reject(new RequestError('stale', t('A later request replaced this one.')));
      this.queued.set(key, asked);
    }
    this.onChange();
    return asked.promise;
  }

  /** Stop using the kernel; its comm stays open for the next page. */
  dispose(): void {
    this.disposed = true;
    this.disconnect();
    if (!this.kernel.isDisposed) {
      this.kernel.removeCommTarget(COMM_TARGET, this.onCommOpen);
    }
    this.activity.listeners.delete(this.onActivity);
  }
}

function createPendingRequest(key: string, data: Record<string, unknown>): PendingRequest {
  const asked = { id: data.id, key, data } as PendingRequest;
  asked.promise = new Promise((resolve, reject) => Object.assign(asked, { resolve, reject }));
  // Whoever asks may have gone when the answer is a refusal.
  asked.promise.catch(() => undefined);
  return asked;
}
