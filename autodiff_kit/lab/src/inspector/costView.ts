import { replaceChildren, h, radioGroup } from '../common/dom';
import { formatBytes, formatCount, formatNumber } from '../common/numberFormat';
import type { InspectorState, View } from './inspectorState';
import type { LineCost } from './nodeGroups';
import type { Tape } from './tape';
import { groupThousands, t, tn } from '../common/translation';

const SHOWN_LINES = 5;
type CostMeasure = 'ops' | 'bytes';

const percent = (x: number): string => `${(100 * x).toFixed(x < 0.0995 ? 1 : 0)} %`;
export const labelledFigure = (value: string, label: string, cls = ''): HTMLElement => h('div', { class: cls }, h('b', null, value), h('span', null, label));

export const bar = (role: string, share: number, label: string): HTMLElement =>
  h('span', { class: `akl-bar akl-bar-${role}` }, h('i', { style: { width: `max(2px, ${(share * 100).toFixed(1)}%)` } }), h('em', null, label));

/** A placeholder until the kernel has sent the costs. */
export const costsPending = (tape: Tape): HTMLElement =>
  h('p', { class: 'akl-pad akl-quiet', role: 'status' }, tape.released ? t('The tape released its arrays before they were counted.') : t('Asking the kernel …'));

/** The cost of each line: forward, backward, and their ratio; the five most expensive as bars, all in a table. */
export function costView(s: InspectorState): View {
  return new CostView(s);
}

class CostView implements View {
  readonly el = h('div', { class: 'akl-scrollview akl-cost', tabIndex: 0, role: 'group', 'aria-label': t('Cost') });
  private measuredBy: CostMeasure = 'ops';

  constructor(private readonly s: InspectorState) {}

  private measure(line: LineCost): number {
    return this.measuredBy === 'ops' ? line.fwd + line.back : line.bytes;
  }

  build(): void {
    const { tape } = this.s;
    if (!tape || !this.el.isConnected) {
      return;
    }
    if (!tape.totals) {
      replaceChildren(this.el, costsPending(tape));
      return;
    }
    const lines = [...tape.lineCosts()].sort((a, b) => this.measure(b) - this.measure(a));
    const all = lines.reduce((sum, line) => sum + this.measure(line), 0) || 1;
    const rest = lines.slice(SHOWN_LINES);
    replaceChildren(this.el, this.figures(lines), this.switch(), h('ol', { class: 'akl-dear' }, this.mostExpensive(lines.slice(0, SHOWN_LINES), all)),
      rest.length ? h('p', { class: 'akl-quiet' }, tn('The other line: %2', 'The other %1 lines: %2', rest.length, percent(rest.reduce((sum, line) => sum + this.measure(line), 0) / all))) : null,
      this.table(lines),
      h('p', { class: 'akl-quiet' }, t('Operations are counted from the record, so a loop counts as often as it ran. A line that no cotangent reaches costs nothing backward.')));
  }

  private figures(lines: LineCost[]): HTMLElement {
    const fwd = lines.reduce((sum, line) => sum + line.fwd, 0);
    const back = lines.reduce((sum, line) => sum + line.back, 0);
    return h('div', { class: 'akl-figures' }, labelledFigure(formatCount(fwd), t('forward')), labelledFigure(formatCount(back), t('backward'), 'akl-as-rev'), labelledFigure(fwd ? formatNumber(back / fwd) : '–', t('backward ÷ forward')));
  }

  private switch(): HTMLElement {
    const pick = (by: CostMeasure): void => {
      this.measuredBy = by;
      this.build();
      this.el.querySelector<HTMLElement>('[aria-checked="true"]')?.focus();
    };
    return h('div', { class: 'akl-sub' }, h('h3', null, t('The five most expensive lines')), radioGroup<CostMeasure>([['ops', t('Operations')], ['bytes', t('Held bytes')]], this.measuredBy, pick, t('Measured by')));
  }

  private mostExpensive(lines: LineCost[], all: number): HTMLElement[] {
    const most = Math.max(1, ...lines.map(line => (this.measuredBy === 'ops' ? Math.max(line.fwd, line.back) : line.bytes)));
    return lines.map(line => {
      const { place } = line;
      const bars = this.measuredBy === 'ops' ? [bar('ink', line.fwd / most, formatCount(line.fwd)), bar('rev', line.back / most, formatCount(line.back))] : bar('held', line.bytes / most, formatBytes(line.bytes));
      const over = (on: boolean) => (): void => {
        this.s.hoveredLine = on ? place : null;
        this.s.changes.notify('hover');
      };
      return h('li', { dataset: { line: place.join(':') }, on: { pointerenter: over(true), pointerleave: over(false), focusin: over(true), focusout: over(false) } },
        h('button', { type: 'button', class: 'akl-dear-line', on: { click: () => this.s.code.goToLine(place) } }, h('code', null, this.s.lineText(place) || this.s.code.lineLabel(place)), h('span', { class: 'akl-share' }, percent(this.measure(line) / all))),
        h('span', { class: 'akl-dear-where' }, t('cell %1, line %2', this.s.code.cellLabel(place), place[1]), ' · ', tn('%1 node', '%1 nodes', line.runs)), bars);
    });
  }

  private table(lines: LineCost[]): HTMLElement {
    const heads = [t('line'), t('nodes'), t('forward'), t('backward'), t('held')];
    const row = (line: LineCost): HTMLElement => h('tr', null, h('th', { scope: 'row' }, this.s.code.lineLabel(line.place)), [groupThousands(line.runs), formatCount(line.fwd), formatCount(line.back), formatBytes(line.bytes)].map(x => h('td', null, x)));
    return h('details', { class: 'akl-more' }, h('summary', null, t('All lines as a table')),
      h('table', { class: 'akl-plain' }, h('thead', null, h('tr', null, heads.map(x => h('th', { scope: 'col' }, x)))), h('tbody', null, lines.map(row))));
  }

  refresh(): void {
    const lit = this.s.hoveredLine?.join(':');
    this.el.querySelectorAll<HTMLElement>('.akl-dear li').forEach(li => li.classList.toggle('is-lit', li.dataset.line === lit));
  }
}
