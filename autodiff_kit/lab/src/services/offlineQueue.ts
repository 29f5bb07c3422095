/** Queue of changes that the server could not take: kept in the browser, sent when it answers again. */

export interface QueuedRequest {
  method: string;
  path: string;
  body: unknown;
}

const STORAGE_KEY = 'autodiff-kit:waiting';
const MAX_QUEUED = 200; // changes that are kept; each may be sent twice without harm

/** Whether a status is temporary, so that the same change can succeed later: no server, a locked file, a full disk. */
export const isTemporary = (status: number): boolean => status === 0 || status === 423 || status === 507 || status === 502 || status === 503;

/** A login that ran out, or a proxy's page of login in place of an answer: the server has not seen the change. */
const needsLogin = ({ status, code }: { status?: number; code?: string }): boolean => status === 401 || code === 'login' || code === 'not_json';

export class OfflineQueue {
  private sending = false;
  /** How many changes wait has changed. */
  onChange: () => void = () => undefined;

  constructor(private readonly send: (change: QueuedRequest) => Promise<unknown>, private readonly store: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>) {}

  private get stored(): QueuedRequest[] {
    try {
      const kept: unknown = JSON.parse(this.store.getItem(STORAGE_KEY) ?? '[]');
      return Array.isArray(kept) ? kept.filter(one => one?.path) : []; // written by something else: there is nothing to send
    } catch {
      return [];
    }
  }

  private save(changes: QueuedRequest[]): void {
    if (changes.length) {
      this.store.setItem(STORAGE_KEY, JSON.stringify(changes.slice(-MAX_QUEUED)));
    } else {
      this.store.removeItem(STORAGE_KEY);
    }
    this.onChange();
  }

  get size(): number {
    return this.stored.length;
  }

  /** Send a change now, or keep it for later: null where it was kept. */
  async sendOrKeep<T>(change: QueuedRequest): Promise<T | null> {
    try {
      return (await this.send(change)) as T;
    } catch (error) {
      if (!isTemporary((error as { status?: number }).status ?? -1)) {
        throw error;
      }
      const same = JSON.stringify(change);
      this.save([...this.stored.filter(one => JSON.stringify(one) !== same), change]);
      return null;
    }
  }

  /** The server answers again: send what waits, in its order; what it will never take is dropped. True if any was taken. */
  async flush(): Promise<boolean> {
    if (this.sending) {
      return false;
    }
    this.sending = true;
    let taken = false;
    try {
      for (let [next] = this.stored; next; [next] = this.stored) {
        try {
          await this.send(next);
          taken = true;
        } catch (error) {
          if (isTemporary((error as { status?: number }).status ?? -1) || needsLogin(error as { status?: number; code?: string })) {
            break;
          }
        }
        const sent = JSON.stringify(next); // another tab may have sent it too, and taken it out
        this.save(this.stored.filter(one => JSON.stringify(one) !== sent));
      }
    } finally {
      this.sending = false;
    }
    return taken;
  }
}
