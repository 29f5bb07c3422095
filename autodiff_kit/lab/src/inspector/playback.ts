import { KIND } from './valueFormat';
import type { InspectorState } from './inspectorState';

/** Playback of a tape: moves the playhead by stepping, playing and seeking, in either direction. It draws nothing. */

const MAX_PLAY_MS = 40_000; // ms that playing a tape may take at most
const MIN_STEP_MS = 15; // ms of a step

export class Playback {
  private frame = 0;

  constructor(private readonly s: InspectorState, private readonly onMove: () => void, private readonly onPlaying: () => void) {}

  private get n(): number {
    return this.s.tape?.n ?? 0;
  }
  /** The playhead has reached the end in its direction. */
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

  /** The playhead leaves the tape; forwardEnd and reverseEnd tell at which end. */
  private moveOffTape(forwardEnd: number, reverseEnd: number): void {
    Object.assign(this.s, { forwardEnd, reverseEnd, playhead: null, sweepStep: null, unstarted: false });
    this.onMove();
  }

  seek(i: number): void {
    if (this.n) {
      this.moveTo(Math.max(0, Math.min(this.n - 1, i)));
    }
  }

  /** The next node to stop at: no constant, and in reverse none without a cotangent. */
  private nextActive(from: number, way: number, on: boolean): number {
    const { tape, direction } = this.s;
    let i = from;
    const idle = (k: number): boolean => tape!.flag(k, 'k') || (direction < 0 && on && tape!.kinds.cotangent[k] === KIND.NONE);
    while (i >= 0 && i < this.n && idle(i)) {
      i += way;
    }
    return i;
  }

  /** One step forward (1) or back (−1) in the playhead's direction. */
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

  /** The first node for a playhead that is on none. */
  private firstNode(by: 1 | -1): number {
    const { direction, reverseEnd, forwardEnd, tape } = this.s;
    if (by > 0) {
      return direction < 0 ? tape!.target : 0;
    }
    return direction < 0 ? (reverseEnd === 0 ? 0 : -1) : forwardEnd >= this.n ? this.n - 1 : -1;
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
