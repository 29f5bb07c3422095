import { fill, h, segments } from './dom';
import { big, bytes, num } from './numbers';
import type { State, View } from './state';
import type { LineCost, Tape } from './tape';
import { count, t, tn } from './text';

const DEAREST = 5;
type By = 'ops' | 'bytes';

const percent = (x: number): string => `${(100 * x).toFixed(x < 0.0995 ? 1 : 0)} %`;
export const figure = (value: string, label: string, cls = ''): HTMLElement => h('div', { class: cls }, h('b', null, value), h('span', null, label));

export const bar = (role: string, share: number, label: string): HTMLElement =>
  h('span', { class: `akl-bar akl-bar-${role}` }, h('i', { style: { width: `max(2px, ${(share * 100).toFixed(1)}%)` } }), h('em', null, label));

/** What stands where figures will, which come from the kernel after the record. */
export const uncounted = (tape: Tape): HTMLElement =>
  h('p', { class: 'akl-pad akl-quiet', role: 'status' }, tape.released ? t('The tape let its arrays go before they were counted.') : t('Asking the kernel …'));

/** What each line costs: forward, backward, and their ratio; the five dearest as bars, all of them as a table. */
export function costView(s: State): View {
  return new Cost(s);
}

class Cost implements View {
  readonly el = h('div', { class: 'akl-scrollview akl-cost', tabIndex: 0, role: 'group', 'aria-label': t('Cost') });
  private by: By = 'ops';

  constructor(private readonly s: State) {}

  private measure(line: LineCost): number {
    return this.by === 'ops' ? line.fwd + line.back : line.bytes;
  }

  build(): void {
    const { tape } = this.s;
    if (!tape || !this.el.isConnected) {
      return;
    }
    if (!tape.totals) {
      fill(this.el, uncounted(tape));
      return;
    }
    const lines = [...tape.lines()].sort((a, b) => this.measure(b) - this.measure(a));
    const all = lines.reduce((sum, line) => sum + this.measure(line), 0) || 1;
    const rest = lines.slice(DEAREST);
    fill(this.el, this.figures(lines), this.switch(), h('ol', { class: 'akl-dear' }, this.dearest(lines.slice(0, DEAREST), all)),
      rest.length ? h('p', { class: 'akl-quiet' }, tn('The other line: %2', 'The other %1 lines: %2', rest.length, percent(rest.reduce((sum, line) => sum + this.measure(line), 0) / all))) : null,
      this.table(lines),
      h('p', { class: 'akl-quiet' }, t('Operations are counted from the record, so a loop counts as often as it ran. A line that no cotangent reaches costs nothing backward.')));
  }

  private figures(lines: LineCost[]): HTMLElement {
    const fwd = lines.reduce((sum, line) => sum + line.fwd, 0);
    const back = lines.reduce((sum, line) => sum + line.back, 0);
    return h('div', { class: 'akl-figures' }, figure(big(fwd), t('forward')), figure(big(back), t('backward'), 'akl-as-rev'), figure(fwd ? num(back / fwd) : '–', t('backward ÷ forward')));
  }

  private switch(): HTMLElement {
    const pick = (by: By): void => {
      this.by = by;
      this.build();
      this.el.querySelector<HTMLElement>('[aria-checked="true"]')?.focus();
    };
    return h('div', { class: 'akl-sub' }, h('h3', null, t('The five dearest lines')), segments<By>([['ops', t('Operations')], ['bytes', t('Held bytes')]], this.by, pick, t('Measured by')));
  }

  private dearest(lines: LineCost[], all: number): HTMLElement[] {
    const most = Math.max(1, ...lines.map(line => (this.by === 'ops' ? Math.max(line.fwd, line.back) : line.bytes)));
    return lines.map(line => {
      const { place } = line;
      const bars = this.by === 'ops' ? [bar('ink', line.fwd / most, big(line.fwd)), bar('rev', line.back / most, big(line.back))] : bar('held', line.bytes / most, bytes(line.bytes));
      const over = (on: boolean) => (): void => {
        this.s.hoverPlace = on ? place : null;
        this.s.changes.tell('hover');
      };
      return h('li', { dataset: { line: place.join(':') }, on: { pointerenter: over(true), pointerleave: over(false), focusin: over(true), focusout: over(false) } },
        h('button', { type: 'button', class: 'akl-dear-line', on: { click: () => this.s.beside.goto(place) } }, h('code', null, this.s.text(place) || this.s.beside.short(place)), h('span', { class: 'akl-share' }, percent(this.measure(line) / all))),
        h('span', { class: 'akl-dear-where' }, t('cell %1, line %2', this.s.beside.cell(place), place[1]), ' · ', tn('%1 node', '%1 nodes', line.runs)), bars);
    });
  }

  private table(lines: LineCost[]): HTMLElement {
    const heads = [t('line'), t('nodes'), t('forward'), t('backward'), t('held')];
    const row = (line: LineCost): HTMLElement => h('tr', null, h('th', { scope: 'row' }, this.s.beside.short(line.place)), [count(line.runs), big(line.fwd), big(line.back), bytes(line.bytes)].map(x => h('td', null, x)));
    return h('details', { class: 'akl-more' }, h('summary', null, t('All lines as a table')),
      h('table', { class: 'akl-plain' }, h('thead', null, h('tr', null, heads.map(x => h('th', { scope: 'col' }, x)))), h('tbody', null, lines.map(row))));
  }

  refresh(): void {
    const lit = this.s.hoverPlace?.join(':');
    this.el.querySelectorAll<HTMLElement>('.akl-dear li').forEach(li => li.classList.toggle('is-lit', li.dataset.line === lit));
  }
}
