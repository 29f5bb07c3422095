import { KIND } from './numbers';
import type { State } from './state';

/** What moves the head: stepping, playing, seeking, turning. It knows the state and draws nothing. */

const WHOLE = 40_000; // ms that playing a tape may take at most
const FASTEST = 15; // ms of a step

export class Transport {
  private frame = 0;

  constructor(private readonly s: State, private readonly moved: () => void, private readonly playing: () => void) {}

  private get n(): number {
    return this.s.tape?.n ?? 0;
  }
  /** The head has come to the end of its direction. */
  get done(): boolean {
    return this.s.dir < 0 ? this.s.r === 0 : this.s.f >= this.n;
  }

  private put(i: number): void {
    const { s } = this;
    if (s.dir < 0) {
      s.r = i;
      s.f = this.n;
    } else {
      s.f = i + 1;
    }
    Object.assign(s, { cur: i, sel: i, sweep: null, fresh: false });
    this.moved();
  }

  /** The head leaves the tape: f and r say at which end. */
  private leave(f: number, r: number): void {
    Object.assign(this.s, { f, r, cur: null, sweep: null, fresh: false });
    this.moved();
  }

  seek(i: number): void {
    if (this.s.tape) {
      this.put(Math.max(0, Math.min(this.n - 1, i)));
    }
  }

  /** The next node that has something to do: no constant, and in reverse none without a cotangent. */
  private next(from: number, way: number, on: boolean): number {
    const { tape, dir } = this.s;
    let i = from;
    const idle = (k: number): boolean => tape!.flag(k, 'k') || (dir < 0 && on && tape!.known.cotangent[k] === KIND.NONE);
    while (i >= 0 && i < this.n && idle(i)) {
      i += way;
    }
    return i;
  }

  /** One step on (1) or back (−1) in the head's own direction. */
  step(by: 1 | -1): void {
    const { s, n } = this;
    if (!s.tape) {
      return;
    }
    this.begin();
    if (s.cur === null && by > 0 && this.done) {
      this.pause();
      return;
    }
    const i = this.next(s.cur === null ? this.entry(by) : s.cur + s.dir * by, s.dir * by, by > 0);
    if (i >= 0 && i < n) {
      this.put(i);
      return;
    }
    this.pause();
    if (s.dir > 0) {
      this.leave(by > 0 ? n : 0, s.r);
    } else {
      this.leave(n, by > 0 ? 0 : n);
    }
  }

  /** A tape that has just come shows its values; the first step begins at its beginning. */
  private begin(): void {
    const { s } = this;
    if (s.fresh) {
      Object.assign(s, { fresh: false, f: s.dir < 0 ? this.n : 0, r: this.n });
    }
  }

  /** Where a head that is on no node comes onto the tape. */
  private entry(by: 1 | -1): number {
    const { dir, r, f, tape } = this.s;
    if (by > 0) {
      return dir < 0 ? tape!.target : 0;
    }
    return dir < 0 ? (r === 0 ? 0 : -1) : f >= this.n ? this.n - 1 : -1;
  }

  rewind(): void {
    this.pause();
    this.leave(this.s.dir < 0 ? this.n : 0, this.n);
  }

  end(): void {
    this.pause();
    this.leave(this.n, this.s.dir < 0 ? 0 : this.s.r);
  }

  turn(dir: 1 | -1): void {
    this.pause();
    this.s.dir = dir;
    this.s.changes.tell('dir', 'rows');
    this.leave(dir < 0 ? this.n : 0, this.n);
  }

  toggle(): void {
    if (this.s.playing) {
      this.pause();
    } else {
      this.play();
    }
  }

  private play(): void {
    const { s } = this;
    if (!s.tape) {
      return;
    }
    if (s.cur === null && (this.done || s.fresh)) {
      this.rewind();
    }
    s.playing = true;
    this.playing();
    const still = matchMedia('(prefers-reduced-motion: reduce)').matches;
    const each = still ? 0 : Math.max(FASTEST, Math.min(s.settings.stepMilliseconds, WHOLE / this.n));
    const steps = still ? this.n + 1 : Math.max(1, Math.round((this.n * FASTEST) / WHOLE));
    let last = 0;
    const tick = (now: number): void => {
      if (s.playing && now - last >= each) {
        last = now;
        for (let k = 0; k < steps && s.playing; k++) {
          this.step(1);
        }
      }
      this.frame = s.playing ? requestAnimationFrame(tick) : 0;
    };
    this.frame = requestAnimationFrame(tick);
  }

  pause(): void {
    cancelAnimationFrame(this.frame);
    if (this.s.playing) {
      this.s.playing = false;
      this.playing();
    }
  }
}
