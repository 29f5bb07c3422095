import { dependencyArcs } from './dependencyArcs';
import { type Column, COLUMNS, columnTitle, columnWidth, visibleColumns } from './tableColumns';
import { type TableRows, tableRows } from './tableRows';
import { replaceChildren, h, icon } from '../common/dom';
import { formatBytes, formatCount } from '../common/numberFormat';
import { KIND, showValue, type CellSize, shapeText, spokenValue } from './valueFormat';
import type { ViewActions, InspectorState, View } from './inspectorState';
import type { NodeGroup } from './nodeGroups';
import type { NodeSummaries } from '../services/protocol';
import { groupThousands, t, tn } from '../common/translation';
import { type RowElement, VirtualRows } from './virtualRows';

const ROW_HEIGHTS = { comfortable: 26, compact: 22 };

interface RowElements extends RowElement {
  id: HTMLElement;
  twist: HTMLElement;
  name: HTMLElement;
  op: HTMLElement;
  marks: HTMLElement;
  cells: Record<Column, HTMLElement>;
  columns: string;
}

export interface TapeTableView extends View {
  active(): void;
  /** The table's place in the tape, for `g` and back. */
  rows: VirtualRows<RowElements>;
}

/** Every node a row: number, name, value, and as room grows tangent, cotangent, shape, line, operations, bytes. */
export function tableView(s: InspectorState, moves: ViewActions): TapeTableView {
  return new TableView(s, moves);
}

class TableView implements TapeTableView {
  readonly el: HTMLElement;
  readonly rows: VirtualRows<RowElements>;
  private readonly header = h('div', { class: 'akl-thead', role: 'row', 'aria-rowindex': '1' });
  private readonly arcs = h('svg', { class: 'akl-arcs', 'aria-hidden': 'true' });
  private tableRows: TableRows = { rows: [], rowOf: new Int32Array(0), groups: null };
  private columns: Column[] = [];
  private idColumnWidth = 36;

  constructor(private readonly s: InspectorState, private readonly moves: ViewActions) {
    this.rows = new VirtualRows<RowElements>({
      id: 'akl-node', height: ROW_HEIGHTS.comfortable, role: 'treegrid', label: t('Recorded tape'), head: this.header,
      make: () => this.makeRow(), show: (line, i) => this.showRow(line, i)
    });
    this.rows.onPaint = () => this.drawArcs();
    this.rows.el.addEventListener('keydown', e => this.onKeydown(e));
    this.el = h('div', { class: 'akl-table' }, h('div', { class: 'akl-tbody' }, this.rows.el, this.arcs));
  }

  build(): void {
    const s = this.s;
    if (!s.tape) {
      return;
    }
    const room = s.width - (s.width >= 720 && s.detailsOpen ? 320 : 0);
    this.columns = visibleColumns(room, s.direction, s.tangents, s.settings.columns);
    this.idColumnWidth = 24 + 6.4 * String(s.tape.n - 1).length;
    this.arcs.setAttribute('width', String(this.idColumnWidth));
    const name = `minmax(${s.width < 330 ? 76 : s.width < 400 ? 84 : 120}px, ${s.grouping === 'line' ? 2.6 : 1.2}fr)`;
    this.el.style.setProperty('--akl-grid', `${this.idColumnWidth}px ${name} ${this.columns.map(c => columnWidth(c, room)).join(' ')}`);
    this.drawHeader();
    const high = ROW_HEIGHTS[s.settings.rows];
    if (this.rows.height !== high) {
      this.rows.height = high;
    }
    this.el.style.setProperty('--akl-row', `${high}px`);
    this.tableRows = tableRows(s);
    this.rows.el.setAttribute('aria-colcount', String(this.columns.length + 2));
    this.rows.reset(this.tableRows.rows.length);
  }

  private drawHeader(): void {
    const arrow: Partial<Record<Column, HTMLElement>> = { tangent: h('i', { class: 'akl-dirmark' }, '↓'), cotangent: h('i', { class: 'akl-dirmark' }, '↑') };
    const title = (cls: string, ...kids: (string | HTMLElement | undefined)[]): HTMLElement => h('span', { role: 'columnheader', class: `akl-th ${cls}` }, ...kids);
    replaceChildren(this.header, title('akl-th-rail', '#'), title('', t('node')), this.columns.map(c => title(`akl-th-n akl-th-${c}`, arrow[c], columnTitle(c))));
  }

  private makeRow(): RowElements {
    const span = (cls: string): HTMLElement => h('span', { class: cls });
    const [id, twist, op, marks] = ['akl-id', 'akl-twist', 'akl-op', 'akl-marks'].map(span);
    const name = h('b', { class: 'akl-name' });
    const cells = Object.fromEntries(COLUMNS.map(c => [c, h('span', { class: 'akl-td', role: 'gridcell' }, span('akl-v'))])) as Record<Column, HTMLElement>;
    const el = h('div', { class: 'akl-tr', role: 'row' },
      h('span', { class: 'akl-td akl-td-rail', role: 'gridcell' }, id), h('span', { class: 'akl-td akl-td-node', role: 'rowheader' }, twist, name, op, marks));
    const at = (): number => this.tableRows.rows[+(el.dataset.r ?? 0)];
    el.addEventListener('click', () => this.click(at()));
    el.addEventListener('dblclick', () => at() >= 0 && this.moves.goToLine(at()));
    el.addEventListener('pointerenter', () => this.hover(at()));
    el.addEventListener('pointerleave', () => this.hover(null));
    return { el, id, twist, name, op, marks, cells, columns: '' };
  }

  private hover(node: number | null): void {
    this.s.hovered = node;
    this.s.changes.notify('hover');
  }

  private click(f: number): void {
    if (f < 0) {
      this.toggle(-1 - f);
    }
    this.moves.select(f);
  }

  private toggle(g: number): void {
    if (!this.s.expanded.delete(g)) {
      this.s.expanded.add(g);
    }
    this.build();
  }

  private group(f: number): NodeGroup {
    return this.tableRows.groups!.groups[-1 - f];
  }

  private showRow(line: RowElements, i: number): void {
    const f = this.tableRows.rows[i];
    line.el.dataset.r = String(i);
    const columns = this.columns.join();
    if (line.columns !== columns) {
      line.columns = columns;
      COLUMNS.forEach(c => line.cells[c].remove());
      line.el.append(...this.columns.map(c => line.cells[c]));
    }
    const group = f < 0 ? this.group(f) : null;
    if (group) {
      this.showGroup(line, f, group);
    } else {
      this.showNode(line, f);
    }
    line.el.setAttribute('aria-selected', String(this.s.selected === f));
  }

  // ------------------------------------------------------------ a node
  private showNode(line: RowElements, f: number): void {
    const { s } = this;
    const tape = s.tape!;
    const named = tape.nodeName(f);
    const child = this.isChild(f);
    line.el.className = this.nodeClass(f, child);
    line.el.setAttribute('aria-level', child ? '2' : '1');
    line.el.removeAttribute('aria-expanded');
    line.id.textContent = String(f);
    line.twist.textContent = '';
    line.name.textContent = named || tape.op(f);
    line.name.className = `akl-name${named ? '' : ' akl-name-op'}`;
    line.op.className = 'akl-op';
    line.op.textContent = named && !(tape.flag(f, 's') && s.width < 620) ? tape.op(f) : tape.note(f);
    replaceChildren(line.marks, this.nodeMarks(f));
    this.nodeCells(line, f);
  }

  private isChild(f: number): boolean {
    const all = this.tableRows.groups;
    return !!all && all.groups[all.groupOf[f]].ids.length > 1;
  }

  private nodeClass(f: number, child: boolean): string {
    const { s } = this;
    const tape = s.tape!;
    const classes: [string, boolean][] = [
      ['akl-now', s.playhead === f], [s.direction < 0 ? 'akl-now-rev' : 'akl-now-fwd', s.playhead === f], ['akl-sel', s.selected === f], ['akl-source', tape.flag(f, 's')],
      ['akl-const', tape.flag(f, 'k')], ['akl-torn', s.explanation?.node === f], ['akl-ahead', f >= s.forwardEnd], ['akl-lit', s.isHighlighted(tape.location(f))], ['akl-child', child]
    ];
    return ['akl-tr', ...classes.filter(([, on]) => on).map(([name]) => name)].join(' ');
  }

  private nodeMarks(f: number): HTMLElement[] {
    const tape = this.s.tape!;
    const { header } = tape;
    const mark = (cls: string, title: string, kid: HTMLElement | string): HTMLElement => h('i', { class: cls, title }, kid);
    const out: HTMLElement[] = [];
    if (f === header.target) {
      out.push(mark('akl-tag', t('target of the gradient'), this.s.width < 420 ? '◎' : t('target')));
    }
    if (f in header.hooks) {
      out.push(mark('akl-mark-hook', t('A hook changes the cotangent here'), icon('hook')));
    }
    if (tape.flag(f, 'cut')) {
      out.push(mark('akl-mark-cut', t('The path ends here'), icon('cut')));
    }
    return out;
  }

  private get cellSize(): CellSize {
    return this.s.width < 420 ? 's' : this.s.width > 760 ? 'l' : 'm';
  }

  private nodeCells(line: RowElements, f: number): void {
    const { s, cellSize } = this;
    const tape = s.tape!;
    const shape = tape.shape(f);
    const row = tape.summariesOf(f);
    const recorded = f < s.forwardEnd;
    const swept = f >= s.reverseEnd;
    const constant = tape.flag(f, 'k');
    const begun = (yes: boolean, kind: number): number => (!yes ? KIND.NOT_BEGUN : constant ? KIND.CONSTANT : kind);
    const value = recorded ? tape.kind('value', f) : KIND.NOT_BEGUN;
    const cotangent = tape.cotangentKind(f, s.reverseEnd);
    for (const c of this.columns) {
      const el = line.cells[c].firstElementChild as HTMLElement;
      if (c === 'value') {
        showValue(el, 'value', value, row[0], shape, cellSize);
      } else if (c === 'tangent') {
        showValue(el, 'fwd', begun(recorded, tape.kind('tangent', f)), row[1], shape, cellSize);
      } else if (c === 'cotangent') {
        this.cotangent(el, f, cotangent, row, shape);
      } else {
        plain(el, this.columnText(c, f));
      }
    }
    const reached = swept ? spokenValue(tape.kind('cotangent', f), row[2], shape) : t('not yet');
    line.el.setAttribute('aria-label', t('node %1, %2, value %3, cotangent %4', f, tape.label(f), spokenValue(value, row[0], shape), reached));
  }

  /** What is being sent stands dashed in the receiver's own cell until that cell is final. */
  private cotangent(el: HTMLElement, f: number, kind: number, row: NodeSummaries, shape: number[]): void {
    const sent = kind === KIND.NOT_BEGUN ? this.s.sweepStep?.sends.find(one => one.to === f) : undefined;
    if (sent) {
      showValue(el, 'rev', KIND.FINITE, sent.sum ?? sent.part, shape, this.cellSize);
      el.className = 'akl-v akl-v-send';
      el.prepend('↑ ');
    } else {
      showValue(el, 'rev', kind, row[2], shape, this.cellSize);
    }
  }

  private columnText(c: Column, f: number): string {
    const tape = this.s.tape!;
    return { shape: () => shapeText(tape.shape(f)), line: () => this.s.code.lineLabel(tape.location(f)), flops: () => formatCount(tape.columns.cost.flops[f]),
      bytes: () => (tape.columns.cost.bytes[f] ? formatBytes(tape.columns.cost.bytes[f]) : '–'), value: () => '', tangent: () => '', cotangent: () => '' }[c]();
  }

  // ------------------------------------------------------------ a group
  private showGroup(line: RowElements, f: number, group: NodeGroup): void {
    const { s } = this;
    const open = s.expanded.has(group.g);
    const now = s.playhead !== null && this.tableRows.groups!.groupOf[s.playhead] === group.g && !open;
    const at = this.representative(group);
    const lit = group.byLine && s.isHighlighted(group.place);
    line.el.className = `akl-tr akl-group${now ? ` akl-now akl-now-${s.direction < 0 ? 'rev' : 'fwd'}` : ''}${s.selected === f ? ' akl-sel' : ''}${lit ? ' akl-lit' : ''}${at >= s.forwardEnd ? ' akl-ahead' : ''}`;
    line.el.setAttribute('aria-level', '1');
    line.el.setAttribute('aria-expanded', String(open));
    line.id.textContent = '';
    line.twist.textContent = open ? '▾' : '▸';
    line.name.textContent = group.label;
    line.name.className = `akl-name${group.byLine ? ' akl-name-code' : ''}`;
    line.op.className = 'akl-op akl-count';
    line.op.textContent = groupThousands(group.ids.length);
    replaceChildren(line.marks);
    this.groupCells(line, group, at);
    line.el.setAttribute('aria-label', tn('%2, %1 node', '%2, %1 nodes', group.ids.length, group.label));
  }

  /** A group shows its last node that is neither source nor constant. */
  private representative(group: NodeGroup): number {
    const tape = this.s.tape!;
    return [...group.ids].reverse().find(i => !tape.flag(i, 's') && !tape.flag(i, 'k')) ?? group.ids[group.ids.length - 1];
  }

  private groupCells(line: RowElements, group: NodeGroup, at: number): void {
    const { s, cellSize } = this;
    const tape = s.tape!;
    const first = group.ids.find(i => i >= s.reverseEnd && tape.kinds.cotangent[i] !== KIND.NONE) ?? at;
    const facts: Partial<Record<Column, string>> = { shape: '', line: group.byLine ? s.code.lineLabel(group.place) : '', flops: formatCount(group.flops), bytes: group.bytes ? formatBytes(group.bytes) : '–' };
    const reached = group.ids[0] >= s.reverseEnd || at >= s.reverseEnd;
    for (const c of this.columns) {
      const el = line.cells[c].firstElementChild as HTMLElement;
      if (c === 'value') {
        showValue(el, 'value', at < s.forwardEnd ? tape.settledKind(group.value) : KIND.NOT_BEGUN, tape.summariesOf(at)[0], tape.shape(at), cellSize);
      } else if (c === 'tangent') {
        showValue(el, 'fwd', at < s.forwardEnd ? tape.settledKind(group.tangent) : KIND.NOT_BEGUN, tape.summariesOf(at)[1], tape.shape(at), cellSize);
      } else if (c === 'cotangent') {
        showValue(el, 'rev', reached ? tape.settledKind(group.cotangent) : KIND.NOT_BEGUN, tape.summariesOf(first)[2], tape.shape(first), cellSize);
      } else {
        plain(el, facts[c] ?? '');
      }
    }
  }

  // ------------------------------------------------------------ arcs
  /** Arcs of one node at a time: that under the pointer, else under the playhead, else the selected one. */
  private drawArcs(): void {
    const { s } = this;
    const tape = s.tape;
    if (!tape) {
      return;
    }
    if (this.arcs.getAttribute('height') !== String(this.rows.viewHeight)) {
      this.arcs.setAttribute('height', String(this.rows.viewHeight));
    }
    const f = s.hovered ?? s.playhead ?? s.selected;
    replaceChildren(this.arcs, f !== null && f >= 0 && f < tape.n && this.tableRows.rowOf[f] >= 0 ? dependencyArcs(s, f, this.tableRows.rowOf, this.rows, this.idColumnWidth) : []);
    const last = Math.min(this.tableRows.rows.length, this.rows.firstRow + this.rows.visibleRows) - 1;
    s.visibleNodes = this.tableRows.rows.length ? [this.nodeAt(this.rows.firstRow), this.nodeAt(last)] : null;
    s.onVisibleNodes();
  }

  private nodeAt(r: number): number {
    const f = this.tableRows.rows[Math.max(0, r)];
    return f === undefined ? this.s.tape!.n - 1 : f >= 0 ? f : this.group(f).ids[0];
  }

  // ------------------------------------------------------------ keys
  private get selectedRow(): number {
    const { selected } = this.s;
    return selected === null ? -1 : selected >= 0 ? (this.tableRows.rowOf[selected] ?? -1) : this.tableRows.rows.indexOf(selected);
  }

  private onKeydown(e: KeyboardEvent): void {
    if (e.altKey || e.ctrlKey || e.metaKey || e.shiftKey || !this.s.tape) {
      return;
    }
    const go = (k: number): void => this.selectRow(k);
    const acts: Record<string, () => void> = {
      ArrowDown: () => go(this.selectedRow + 1), ArrowUp: () => go(this.selectedRow - 1), PageDown: () => go(this.selectedRow + this.rows.visibleRows - 1),
      PageUp: () => go(this.selectedRow - this.rows.visibleRows + 1), Home: () => go(0), End: () => go(this.tableRows.rows.length - 1),
      ArrowRight: () => this.right(), ArrowLeft: () => this.left(), Enter: () => this.enter()
    };
    if (e.key in acts) {
      acts[e.key]();
      e.preventDefault();
      e.stopPropagation();
    }
  }

  private selectRow(k: number): void {
    const r = Math.max(0, Math.min(this.tableRows.rows.length - 1, k));
    if (this.tableRows.rows.length) {
      this.rows.reveal(r);
      this.moves.select(this.tableRows.rows[r]);
    }
  }

  private right(): void {
    const { selected } = this.s;
    if (selected !== null && selected < 0) {
      if (this.s.expanded.has(-1 - selected)) {
        this.selectRow(this.selectedRow + 1);
      } else {
        this.toggle(-1 - selected);
      }
    }
  }

  private left(): void {
    const { selected } = this.s;
    const all = this.tableRows.groups;
    if (selected === null || !all) {
      return;
    }
    if (selected < 0) {
      if (this.s.expanded.has(-1 - selected)) {
        this.toggle(-1 - selected);
      }
    } else if (this.isChild(selected)) {
      this.selectRow(this.tableRows.rows.indexOf(-1 - all.groupOf[selected]));
    }
  }

  private enter(): void {
    const { selected } = this.s;
    if (selected !== null && selected < 0) {
      this.toggle(-1 - selected);
    } else if (selected !== null) {
      this.moves.goToLine(selected);
    }
  }

  refresh(): void {
    this.rows.refresh();
  }
  reveal(i: number): void {
    if (this.tableRows.rowOf[i] >= 0) {
      this.rows.reveal(this.tableRows.rowOf[i]);
    }
  }
  active(): void {
    this.rows.setActiveRow(this.selectedRow);
  }
  focus(): void {
    this.rows.el.focus({ preventScroll: true });
  }
}

function plain(el: HTMLElement, text: string): void {
  el.className = 'akl-v akl-v-dim';
  el.textContent = text;
}

