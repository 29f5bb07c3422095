import { selectMenu, replaceChildren, h, radioGroup } from '../common/dom';
import { formatNumber } from '../common/numberFormat';
import { KIND, showValue } from './valueFormat';
import type { InspectorState, View } from './inspectorState';
import { Tape } from './tape';
import { t } from '../common/translation';
import { type RowElement, VirtualRows } from './virtualRows';
import type { TapeListing, JsonNumber } from '../services/protocol';

type DiffKind = 'same' | 'new' | 'gone' | 'changed';
interface DiffPair {
  a: number | null;
  b: number | null;
  kind: DiffKind;
  distance: JsonNumber | null;
}
interface DiffRow extends RowElement {
  sign: HTMLElement;
  name: HTMLElement;
  op: HTMLElement;
  a: HTMLElement;
  b: HTMLElement;
  distance: HTMLElement;
}

const KIND_SIGNS: Record<DiffKind, string> = { same: '=', new: '+', gone: '−', changed: '≠' };
const kindLabel = (kind: DiffKind): string => ({ same: t('the same'), new: t('only in B'), gone: t('only in A'), changed: t('differs') })[kind];

/** A tape as it was at one of its gradients. */
const versionOf = ({ tape, at, asked }: TapeListing): string => [tape, at, asked].join(' ');

/** Compares two tapes: nodes that only one has, and values that differ. The kernel aligns their nodes. */
export function diffView(s: InspectorState, tapes: () => TapeListing[], open: (id: string) => Promise<Tape>): View {
  return new DiffView(s, tapes, open);
}

class DiffView implements View {
  readonly el = h('div', { class: 'akl-diff' });
  private other: Tape | null = null;
  private otherVersion = '';
  private requestedTape = '';
  private pairs: DiffPair[] = [];
  private shown: DiffPair[] = [];
  /** The row under the keys; −1 before any key. */
  private focusedRow = -1;
  private quantity: 'value' | 'cotangent' = 'value';
  private onlyChanged = true;
  private rows: VirtualRows<DiffRow> | null = null;
  /** What is shown, and what was asked for last. */
  private key = '';
  private requestedKey = '';

  constructor(private readonly s: InspectorState, private readonly tapes: () => TapeListing[], private readonly open: (id: string) => Promise<Tape>) {}

  build(): void {
    void this.load();
  }

  private async load(): Promise<void> {
    const { tape } = this.s;
    if (!tape || !this.el.isConnected) {
      return;
    }
    const choices = this.tapes().filter(one => one.tape !== tape.id);
    const pick = choices.find(one => one.tape === this.requestedTape) ?? choices[choices.length - 1];
    if (!pick) {
      replaceChildren(this.el, h('p', { class: 'akl-pad akl-quiet' }, t('Record a second tape to compare with this one. Pinned tapes stay until the kernel stops.')));
      this.key = this.requestedKey = '';
      return;
    }
    const key = [tape.id, tape.header.at, tape.header.asked, versionOf(pick), this.quantity].join(' '); // a gradient changes cotangents
    if (key !== this.key && key === this.requestedKey) {
      return; // it is on its way
    }
    this.requestedKey = key;
    if (key === this.key || (await this.replacePairs(tape, pick, key))) {
      this.draw(choices);
    }
  }

  /** Ask for another comparison; false where it is not to be drawn: it was refused, or by now another one is wanted. */
  private async replacePairs(tape: Tape, pick: TapeListing, key: string): Promise<boolean> {
    const isWanted = (): boolean => key === this.requestedKey;
    replaceChildren(this.el, h('p', { class: 'akl-pad akl-quiet', role: 'status' }, t('Comparing …'))); // the old pairs may be of another tape
    try {
      const { other, pairs } = await this.compare(tape, pick);
      if (!isWanted()) {
        return false;
      }
      if (other !== this.other) {
        other.onUpdate = () => this.rows?.refresh();
        void other.loadCostsAndKinds();
      }
      Object.assign(this, { other, pairs, key, otherVersion: versionOf(pick) });
      return true;
    } catch (error) {
      if (isWanted()) {
        this.key = this.requestedKey = '';
        replaceChildren(this.el, h('p', { class: 'akl-pad akl-quiet', role: 'status' }, (error as Error).message));
      }
      return false;
    }
  }

  private async compare(tape: Tape, pick: TapeListing): Promise<{ other: Tape; pairs: DiffPair[] }> {
    const known = this.otherVersion === versionOf(pick) ? this.other : null;
    const other = known ?? (await this.open(pick.tape));
    const reply = await tape.diff(other, this.quantity);
    const far = new Map(reply.changed.map((k, i) => [k, reply.apart[i]]));
    const constant = (x: Tape, i: number | null): boolean => i !== null && x.flag(i, 'k');
    const pairs = reply.pairs
      .map(([a, b], k): DiffPair => ({ a, b, distance: far.get(k) ?? null, kind: a === null ? 'new' : b === null ? 'gone' : far.has(k) ? 'changed' : 'same' }))
      .filter(pair => !constant(tape, pair.a) && !constant(other, pair.b));
    return { other, pairs };
  }

  // ------------------------------------------------------------ drawing
  private draw(choices: TapeListing[]): void {
    const heads: [string, string][] = [['±', t('kind of difference')], [t('node'), ''], ['A', ''], ['B', ''], ['max |A−B|', '']];
    const head = h('div', { class: 'akl-thead akl-diff-cols', role: 'row', 'aria-rowindex': '1' }, heads.map(([x, name], i) => h('span', { class: `akl-th${i > 1 ? ' akl-th-n' : ''}`, role: 'columnheader', 'aria-label': name || null }, x)));
    this.rows = new VirtualRows<DiffRow>({ id: 'akl-diff', height: 26, make: () => this.makeRow(), show: (line, i) => this.showRow(line, i), label: t('Differences'), role: 'grid', head });
    replaceChildren(this.el, h('div', { class: 'akl-pad akl-diff-head' }, this.picker(choices), this.summary(), this.tools()), h('div', { class: 'akl-tbody' }, this.rows.el));
    this.rows.el.addEventListener('keydown', e => this.onKeydown(e));
    this.rows.el.addEventListener('blur', () => this.highlight(null));
    this.updateRows();
  }

  /** What the pointer does over a row the arrows do too: its node and its line light up; Enter goes to the line. */
  private onKeydown(e: KeyboardEvent): void {
    const rows = this.rows!;
    const page = Math.max(1, rows.visibleRows - 1);
    const to: Record<string, number> = { ArrowDown: this.focusedRow + 1, ArrowUp: this.focusedRow - 1, PageDown: this.focusedRow + page, PageUp: this.focusedRow - page, Home: 0, End: this.shown.length - 1 };
    const pair = this.shown[this.focusedRow];
    if (e.altKey || e.ctrlKey || e.metaKey || e.shiftKey || !this.shown.length) {
      return;
    }
    if (e.key in to) {
      this.focusedRow = Math.max(0, Math.min(this.shown.length - 1, to[e.key]));
      rows.reveal(this.focusedRow);
      this.highlight(this.shown[this.focusedRow].a);
      rows.refresh();
      rows.setActiveRow(this.focusedRow);
    } else if (e.key === 'Enter' && pair && pair.a !== null) {
      this.s.code.goToLine(this.s.tape!.location(pair.a));
    } else {
      return;
    }
    e.preventDefault();
    e.stopPropagation();
  }

  private highlight(node: number | null): void {
    this.s.hovered = node;
    this.s.changes.notify('hover');
  }

  private picker(choices: TapeListing[]): HTMLElement {
    const select = selectMenu(t('Compare with'), id => {
      this.requestedTape = id;
      void this.load().then(() => this.el.querySelector<HTMLElement>('select')?.focus());
    });
    replaceChildren(select, choices.map(one => h('option', { value: one.tape, selected: one.tape === this.other!.id }, one.title || one.tape)));
    return h('div', { class: 'akl-diff-pick' }, h('span', { class: 'akl-ab' }, 'A'), h('b', null, this.s.tape!.header.title), h('span', { class: 'akl-ab akl-ab-b' }, 'B'), select);
  }

  private summary(): HTMLElement {
    const sums = { same: 0, new: 0, gone: 0, changed: 0 };
    this.pairs.forEach(pair => sums[pair.kind]++);
    return h('p', { class: 'akl-diff-sum', role: 'status' }, t('−%1 only in A · +%2 only in B · ≠%3 differ · =%4 same', sums.gone, sums.new, sums.changed, sums.same));
  }

  private tools(): HTMLElement {
    const pick = (what: 'value' | 'cotangent'): void => {
      this.quantity = what;
      void this.load().then(() => this.el.querySelector<HTMLElement>('[aria-checked="true"]')?.focus());
    };
    const only = h('input', { type: 'checkbox', checked: this.onlyChanged, on: { change: (e: Event) => {
      this.onlyChanged = (e.target as HTMLInputElement).checked;
      this.updateRows();
    } } });
    return h('div', { class: 'akl-diff-tools' }, radioGroup<'value' | 'cotangent'>([['value', t('Values')], ['cotangent', t('Cotangents')]], this.quantity, pick, t('Compare')), h('label', { class: 'akl-check' }, only, t('Only differences')));
  }

  private updateRows(): void {
    this.shown = this.onlyChanged ? this.pairs.filter(pair => pair.kind !== 'same') : this.pairs;
    this.focusedRow = -1;
    this.rows!.reset(this.shown.length);
  }

  private makeRow(): DiffRow {
    const td = (cls = ''): HTMLElement => h('span', { class: `akl-td ${cls}`, role: 'gridcell' });
    const [sign, a, b, far] = [td('akl-sign'), td(), td(), td()];
    const [name, op] = [h('b', { class: 'akl-name' }), h('span', { class: 'akl-op' })];
    [a, b].forEach(cell => cell.append(h('span', { class: 'akl-v' })));
    const el = h('div', { class: 'akl-tr akl-diff-row', role: 'row' }, sign, h('span', { class: 'akl-td akl-td-node', role: 'rowheader' }, name, op), a, b, far);
    const over = (on: boolean) => (): void => this.highlight(on ? this.shown[+(el.dataset.r ?? 0)]?.a ?? null : null);
    el.addEventListener('pointerenter', over(true));
    el.addEventListener('pointerleave', over(false));
    return { el, sign, name, op, a, b, distance: far };
  }

  private showRow(line: DiffRow, i: number): void {
    const pair = this.shown[i];
    const { kind } = pair;
    const [tape, node] = pair.a !== null ? [this.s.tape!, pair.a] : [this.other!, pair.b!];
    line.el.dataset.r = String(i);
    line.el.className = `akl-tr akl-diff-row is-${kind}${i === this.focusedRow ? ' akl-sel' : ''}`;
    line.el.setAttribute('aria-selected', String(i === this.focusedRow));
    line.sign.textContent = KIND_SIGNS[kind];
    line.sign.title = kindLabel(kind);
    line.sign.setAttribute('aria-label', kindLabel(kind));
    line.name.textContent = tape.label(node);
    line.name.classList.toggle('akl-name-op', !tape.nodeName(node));
    line.op.textContent = [tape.nodeName(node) ? tape.op(node) : '', tape.module(node)].filter(Boolean).join(' ');
    this.cell(line.a, this.s.tape!, pair.a);
    this.cell(line.b, this.other!, pair.b);
    line.distance.textContent = pair.distance === null ? '' : formatNumber(pair.distance, 2);
  }

  private cell(el: HTMLElement, tape: Tape, node: number | null): void {
    const v = el.firstElementChild as HTMLElement;
    if (node === null) {
      v.className = 'akl-v akl-v-gap';
      v.textContent = '';
      return;
    }
    const role = this.quantity === 'value' ? 'value' : 'rev';
    const kind = tape.kinds[this.quantity][node];
    showValue(v, role, kind === KIND.UNKNOWN ? KIND.FINITE : kind, tape.summariesOf(node)[this.quantity === 'value' ? 0 : 2], tape.shape(node), this.s.width < 420 ? 's' : 'm');
  }

  refresh(): void {
    this.rows?.refresh();
  }
  focus(): void {
    this.rows?.el.focus();
  }
}

