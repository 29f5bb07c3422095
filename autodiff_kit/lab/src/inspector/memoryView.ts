import { bar, labelledFigure, costsPending } from './costView';
import { replaceChildren, h } from '../common/dom';
import { formatBytes } from '../common/numberFormat';
import type { InspectorState, View } from './inspectorState';
import type { Tape } from './tape';
import { groupThousands, t } from '../common/translation';

const HEIGHT = 132;
const BASELINE = HEIGHT - 18;
const SHOWN_OPS = 6; // that have a bar

/** Bytes held over time: growing while recording, released in the reverse sweep. */
export function memoryView(s: InspectorState): View {
  return new MemoryView(s);
}

class MemoryView implements View {
  readonly el = h('div', { class: 'akl-scrollview akl-memory', tabIndex: 0, role: 'group', 'aria-label': t('Memory') });
  private cumulativeBytes = new Float64Array(1);
  private width = 240;
  private playheadMark: HTMLElement | null = null;

  constructor(private readonly s: InspectorState) {}

  build(): void {
    const { tape } = this.s;
    if (!tape || !this.el.isConnected) {
      return;
    }
    if (!tape.totals) {
      this.playheadMark = null;
      replaceChildren(this.el, costsPending(tape));
      return;
    }
    this.cumulativeBytes = new Float64Array(tape.n + 1);
    tape.columns.cost.bytes.forEach((b, i) => (this.cumulativeBytes[i + 1] = this.cumulativeBytes[i] + b));
    this.width = Math.max(240, this.el.clientWidth - 32);
    const holding = tape.columns.cost.bytes.filter(b => b > 0).length;
    replaceChildren(this.el,
      h('div', { class: 'akl-figures' }, labelledFigure(formatBytes(this.cumulativeBytes[tape.n]), t('held at the peak')), labelledFigure(groupThousands(holding), t('nodes hold values')), labelledFigure(groupThousands(tape.n - holding), t('hold no values'))),
      this.plot(tape), h('div', { class: 'akl-sub' }, h('h3', null, t('Kept for the backward pass, by op'))), h('ul', { class: 'akl-dear' }, this.ops(tape)),
      h('p', { class: 'akl-quiet' }, t('An op keeps only what its rule needs: add and subtract keep nothing. An array that two nodes keep counts once.')));
    this.refresh();
  }

  private y(v: number): number {
    return BASELINE - (v / (this.cumulativeBytes[this.cumulativeBytes.length - 1] || 1)) * (BASELINE - 24);
  }

  /** Steps of what is held; at most one a pixel. */
  private steps(x: (i: number) => number, n: number): string {
    const m = Math.max(1, Math.min(n, Math.floor(this.width / 2)));
    const points = Array.from({ length: m + 1 }, (_, k) => Math.round((k / m) * n));
    return points.map((i, k) => (k ? `H${x(i).toFixed(1)}V${this.y(this.cumulativeBytes[i]).toFixed(1)}` : `M${x(i).toFixed(1)} ${this.y(this.cumulativeBytes[i]).toFixed(1)}`)).join('');
  }

  private plot(tape: Tape): HTMLElement {
    const { width } = this;
    const mid = width / 2;
    const peak = this.cumulativeBytes[tape.n];
    const fwd = (i: number): number => (i / tape.n) * mid;
    const rev = (i: number): number => width - fwd(i);
    const kept = tape.header.persistent;
    this.playheadMark = h('g', { class: 'akl-mem-head' }, h('path', { d: `M0 12V${BASELINE}` }), h('text', { y: 9, 'text-anchor': 'middle' }));
    const text = (x: number, y: number, anchor: string, words: string, cls = ''): HTMLElement => h('text', { x, y, 'text-anchor': anchor, class: cls }, words);
    return h('svg', { class: 'akl-mem', width: width, height: HEIGHT, role: 'img', 'aria-label': t('Bytes held: rises to %1 while recording, falls in the reverse sweep unless the tape is persistent', formatBytes(peak)) },
      h('path', { d: `${this.steps(fwd, tape.n)}V${BASELINE}H0Z`, class: 'akl-mem-area' }), h('path', { d: this.steps(fwd, tape.n), class: 'akl-mem-line' }),
      kept ? h('path', { d: `M${mid} ${this.y(peak)}H${width}`, class: 'akl-mem-line' }) : null, h('path', { d: this.steps(rev, tape.n), class: 'akl-mem-release' }),
      h('path', { d: `M0 ${BASELINE}H${width}M${mid} 14V${BASELINE + 4}`, class: 'akl-axis' }), text(2, HEIGHT - 4, 'start', t('record →')), text(width - 2, HEIGHT - 4, 'end', t('← reverse sweep')),
      kept ? text(width - 4, this.y(peak) - 5, 'end', t('persistent: kept'), 'akl-strong') : null, text(mid + 8, this.y(peak * 0.2), 'start', t('not persistent: released'), 'akl-in-rev'), this.playheadMark);
  }

  private ops(tape: Tape): HTMLElement[] {
    const held = new Map<string, number>();
    tape.columns.cost.bytes.forEach((b, i) => b && held.set(tape.op(i), (held.get(tape.op(i)) ?? 0) + b));
    const top = [...held].sort((a, b) => b[1] - a[1]).slice(0, SHOWN_OPS);
    return top.map(([op, b]) => h('li', null, h('span', { class: 'akl-dear-line' }, h('code', null, op), h('span', { class: 'akl-share' }, `${Math.round((100 * b) / (this.cumulativeBytes[tape.n] || 1))} %`)), bar('held', b / top[0][1], formatBytes(b))));
  }

  /** Move the playhead mark. */
  refresh(): void {
    const { playhead, direction, tape } = this.s;
    const { playheadMark, width } = this;
    if (!playheadMark || !tape) {
      return;
    }
    playheadMark.setAttribute('visibility', playhead === null ? 'hidden' : 'visible');
    if (playhead !== null) {
      const share = ((direction < 0 ? playhead : playhead + 1) / tape.n) * (width / 2);
      const x = direction < 0 ? width - share : share;
      const held = direction < 0 ? this.cumulativeBytes[tape.header.persistent ? tape.n : playhead] : this.cumulativeBytes[playhead + 1];
      playheadMark.setAttribute('transform', `translate(${x.toFixed(1)} 0)`);
      playheadMark.lastElementChild!.textContent = formatBytes(held);
      playheadMark.lastElementChild!.setAttribute('text-anchor', x < 40 ? 'start' : x > width - 40 ? 'end' : 'middle');
    }
  }
}
