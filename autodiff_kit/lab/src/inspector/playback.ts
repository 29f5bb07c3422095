import { KIND } from './valueFormat';
import type { InspectorState } from './inspectorState';

/** What moves the head: stepping, playing, seeking, turning. It knows the state and draws nothing. */

const MAX_PLAY_MS = 40_000; // ms that playing a tape may take at most
const MIN_STEP_MS = 15; // ms of a step

export class Playback {
  private frame = 0;

  constructor(private readonly s: InspectorState, private readonly onMove: () => void, private readonly onPlaying: () => void) {}

  private get n(): number {
    return this.s.tape?.n ?? 0;
  }
  /** The head has come to the end of its direction. */
  get atEnd(): boolean {
    return this.s.direction < 0 ? this.s.reverseEnd === 0 : this.s.forwardEnd >= this.n;
  }

  private moveTo(i: number): void {
    const { s } = this;
    if (s.direction < 0) {
      s.reverseEnd = i;
      s.forwardEnd = this.n;
    } else {
      s.forwardEnd = i + 1;
    }
    Object.assign(s, { playhead: i, selected: i, sweepStep: null, unstarted: false });
    this.onMove();
  }

  /** The head leaves the tape: f and r say at which end. */
  private moveOffTape(forwardEnd: number, reverseEnd: number): void {
    Object.assign(this.s, { forwardEnd, reverseEnd, playhead: null, sweepStep: null, unstarted: false });
    this.onMove();
  }

  seek(i: number): void {
    if (this.s.tape) {
      this.moveTo(Math.max(0, Math.min(this.n - 1, i)));
    }
  }

  /** The next node that has something to do: no constant, and in reverse none without a cotangent. */
  private nextActive(from: number, way: number, on: boolean): number {
    const { tape, direction: dir } = this.s;
    let i = from;
    const idle = (k: number): boolean => tape!.flag(k, 'k') || (dir < 0 && on && tape!.kinds.cotangent[k] === KIND.NONE);
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
    this.start();
    if (s.playhead === null && by > 0 && this.atEnd) {
      this.pause();
      return;
    }
    const i = this.nextActive(s.playhead === null ? this.firstNode(by) : s.playhead + s.direction * by, s.direction * by, by > 0);
    if (i >= 0 && i < n) {
      this.moveTo(i);
      return;
    }
    this.pause();
    if (s.direction > 0) {
      this.moveOffTape(by > 0 ? n : 0, s.reverseEnd);
    } else {
      this.moveOffTape(n, by > 0 ? 0 : n);
    }
  }

  /** A tape that has just come shows its values; the first step begins at its beginning. */
  private start(): void {
    const { s } = this;
    if (s.unstarted) {
      Object.assign(s, { unstarted: false, forwardEnd: s.direction < 0 ? this.n : 0, reverseEnd: this.n });
    }
  }

  /** Where a head that is on no node comes onto the tape. */
  private firstNode(by: 1 | -1): number {
    const { direction: dir, reverseEnd: r, forwardEnd: f, tape } = this.s;
    if (by > 0) {
      return dir < 0 ? tape!.target : 0;
    }
    return dir < 0 ? (r === 0 ? 0 : -1) : f >= this.n ? this.n - 1 : -1;
  }

  rewind(): void {
    this.pause();
    this.moveOffTape(this.s.direction < 0 ? this.n : 0, this.n);
  }

  end(): void {
    this.pause();
    this.moveOffTape(this.n, this.s.direction < 0 ? 0 : this.s.reverseEnd);
  }

  setDirection(dir: 1 | -1): void {
    this.pause();
    this.s.direction = dir;
    this.s.changes.notify('dir', 'rows');
    this.moveOffTape(dir < 0 ? this.n : 0, this.n);
  }

  togglePlay(): void {
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
    if (s.playhead === null && (this.atEnd || s.unstarted)) {
      this.rewind();
    }
    s.playing = true;
    this.onPlaying();
    const still = matchMedia('(prefers-reduced-motion: reduce)').matches;
    const each = still ? 0 : Math.max(MIN_STEP_MS, Math.min(s.settings.stepMilliseconds, MAX_PLAY_MS / this.n));
    const steps = still ? this.n + 1 : Math.max(1, Math.round((this.n * MIN_STEP_MS) / MAX_PLAY_MS));
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
      this.onPlaying();
    }
  }
}
