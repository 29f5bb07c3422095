/** Changes that the server has not taken yet: kept in the browser, sent when it answers again. */

export interface Change {
  method: string;
  path: string;
  body: unknown;
}

const KEY = 'autodiff-kit:waiting';
const MOST = 200; // changes that are kept; each may be sent twice without harm

/** The server is away, its file is locked, or its disk is full: the same change can succeed later. */
export const passing = (status: number): boolean => status === 0 || status === 423 || status === 507 || status === 502 || status === 503;

export class Queue {
  private sending = false;
  /** How many changes wait has changed. */
  onChange: () => void = () => undefined;

  constructor(private readonly send: (change: Change) => Promise<unknown>, private readonly store: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>) {}

  private get held(): Change[] {
    try {
      return JSON.parse(this.store.getItem(KEY) ?? '[]') as Change[];
    } catch {
      return []; // written by something else: there is nothing to send
    }
  }

  private keep(changes: Change[]): void {
    if (changes.length) {
      this.store.setItem(KEY, JSON.stringify(changes.slice(-MOST)));
    } else {
      this.store.removeItem(KEY);
    }
    this.onChange();
  }

  get size(): number {
    return this.held.length;
  }

  /** Send a change now, or keep it: null where it waits. */
  async put<T>(change: Change): Promise<T | null> {
    try {
      return (await this.send(change)) as T;
    } catch (error) {
      if (!passing((error as { status?: number }).status ?? -1)) {
        throw error;
      }
      const same = JSON.stringify(change);
      this.keep([...this.held.filter(one => JSON.stringify(one) !== same), change]);
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
      for (let [next] = this.held; next; [next] = this.held) {
        try {
          await this.send(next);
          taken = true;
        } catch (error) {
          if (passing((error as { status?: number }).status ?? -1)) {
            break;
          }
        }
        this.keep(this.held.slice(1));
      }
    } finally {
      this.sending = false;
    }
    return taken;
  }
}
