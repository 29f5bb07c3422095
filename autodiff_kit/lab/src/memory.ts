import { bar, figure, uncounted } from './cost';
import { fill, h } from './dom';
import { bytes } from './numbers';
import type { State, View } from './state';
import type { Tape } from './tape';
import { count, t } from './text';

const H = 132;
const FOOT = H - 18;
const OPS = 6; // that have a bar

/** Bytes that are held while recording, and while the sweep lets them go. */
export function memoryView(s: State): View {
  return new Memory(s);
}

class Memory implements View {
  readonly el = h('div', { class: 'akl-scrollview akl-memory', tabIndex: 0, role: 'group', 'aria-label': t('Memory') });
  private up = new Float64Array(1);
  private wide = 240;
  private head: HTMLElement | null = null;

  constructor(private readonly s: State) {}

  build(): void {
    const { tape } = this.s;
    if (!tape || !this.el.isConnected) {
      return;
    }
    if (!tape.totals) {
      this.head = null;
      fill(this.el, uncounted(tape));
      return;
    }
    this.up = new Float64Array(tape.n + 1);
    tape.c.cost.bytes.forEach((b, i) => (this.up[i + 1] = this.up[i] + b));
    this.wide = Math.max(240, this.el.clientWidth - 32);
    const holding = tape.c.cost.bytes.filter(b => b > 0).length;
    fill(this.el,
      h('div', { class: 'akl-figures' }, figure(bytes(this.up[tape.n]), t('held at the peak')), figure(count(holding), t('nodes hold something')), figure(count(tape.n - holding), t('hold nothing'))),
      this.plot(tape), h('div', { class: 'akl-sub' }, h('h3', null, t('Kept for the way back, by op'))), h('ul', { class: 'akl-dear' }, this.ops(tape)),
      h('p', { class: 'akl-quiet' }, t('An op keeps only what its rule needs: add and subtract keep nothing. An array that two nodes keep counts once.')));
    this.refresh();
  }

  private y(v: number): number {
    return FOOT - (v / (this.up[this.up.length - 1] || 1)) * (FOOT - 24);
  }

  /** Steps of what is held; at most one a pixel. */
  private steps(x: (i: number) => number, n: number): string {
    const m = Math.max(1, Math.min(n, Math.floor(this.wide / 2)));
    const points = Array.from({ length: m + 1 }, (_, k) => Math.round((k / m) * n));
    return points.map((i, k) => (k ? `H${x(i).toFixed(1)}V${this.y(this.up[i]).toFixed(1)}` : `M${x(i).toFixed(1)} ${this.y(this.up[i]).toFixed(1)}`)).join('');
  }

  private plot(tape: Tape): HTMLElement {
    const { wide } = this;
    const mid = wide / 2;
    const peak = this.up[tape.n];
    const fwd = (i: number): number => (i / tape.n) * mid;
    const rev = (i: number): number => wide - fwd(i);
    const kept = tape.head.persistent;
    this.head = h('g', { class: 'akl-mem-head' }, h('path', { d: `M0 12V${FOOT}` }), h('text', { y: 9, 'text-anchor': 'middle' }));
    const text = (x: number, y: number, anchor: string, words: string, cls = ''): HTMLElement => h('text', { x, y, 'text-anchor': anchor, class: cls }, words);
    return h('svg', { class: 'akl-mem', width: wide, height: H, role: 'img', 'aria-label': t('Bytes held: rises to %1 while recording, falls in the reverse sweep unless the tape is persistent', bytes(peak)) },
      h('path', { d: `${this.steps(fwd, tape.n)}V${FOOT}H0Z`, class: 'akl-mem-area' }), h('path', { d: this.steps(fwd, tape.n), class: 'akl-mem-line' }),
      kept ? h('path', { d: `M${mid} ${this.y(peak)}H${wide}`, class: 'akl-mem-line' }) : null, h('path', { d: this.steps(rev, tape.n), class: 'akl-mem-release' }),
      h('path', { d: `M0 ${FOOT}H${wide}M${mid} 14V${FOOT + 4}`, class: 'akl-axis' }), text(2, H - 4, 'start', t('record →')), text(wide - 2, H - 4, 'end', t('← reverse sweep')),
      kept ? text(wide - 4, this.y(peak) - 5, 'end', t('persistent: kept'), 'akl-strong') : null, text(mid + 8, this.y(peak * 0.2), 'start', t('not persistent: let go'), 'akl-in-rev'), this.head);
  }

  private ops(tape: Tape): HTMLElement[] {
    const held = new Map<string, number>();
    tape.c.cost.bytes.forEach((b, i) => b && held.set(tape.op(i), (held.get(tape.op(i)) ?? 0) + b));
    const top = [...held].sort((a, b) => b[1] - a[1]).slice(0, OPS);
    return top.map(([op, b]) => h('li', null, h('span', { class: 'akl-dear-line' }, h('code', null, op), h('span', { class: 'akl-share' }, `${Math.round((100 * b) / (this.up[tape.n] || 1))} %`)), bar('held', b / top[0][1], bytes(b))));
  }

  /** The head, where it is now. */
  refresh(): void {
    const { cur, dir, tape } = this.s;
    const { head, wide } = this;
    if (!head || !tape) {
      return;
    }
    head.setAttribute('visibility', cur === null ? 'hidden' : 'visible');
    if (cur !== null) {
      const share = ((dir < 0 ? cur : cur + 1) / tape.n) * (wide / 2);
      const x = dir < 0 ? wide - share : share;
      const held = dir < 0 ? this.up[tape.head.persistent ? tape.n : cur] : this.up[cur + 1];
      head.setAttribute('transform', `translate(${x.toFixed(1)} 0)`);
      head.lastElementChild!.textContent = bytes(held);
      head.lastElementChild!.setAttribute('text-anchor', x < 40 ? 'start' : x > wide - 40 ? 'end' : 'middle');
    }
  }
}
