import { arcsOf } from './arcs';
import { type Column, COLUMNS, columnTitle, fitting, type Flat, flatten, widthOf } from './columns';
import { fill, h, icon } from './dom';
import { big, bytes, KIND, paint, type Room, shapeText, spoken } from './numbers';
import type { Moves, State, View } from './state';
import type { Group, Row } from './tape';
import { count, t, tn } from './text';
import { type Held, Rows } from './virtual';

const HIGH = { comfortable: 26, compact: 22 };

interface Line extends Held {
  id: HTMLElement;
  twist: HTMLElement;
  name: HTMLElement;
  op: HTMLElement;
  marks: HTMLElement;
  cells: Record<Column, HTMLElement>;
  columns: string;
}

export interface TableView extends View {
  active(): void;
  /** The table's place in the tape, for `g` and back. */
  rows: Rows<Line>;
}

/** Every node a row: number, name, value, and as room grows tangent, cotangent, shape, line, operations, bytes. */
export function tableView(s: State, moves: Moves): TableView {
  return new Table(s, moves);
}

class Table implements TableView {
  readonly el: HTMLElement;
  readonly rows: Rows<Line>;
  private readonly header = h('div', { class: 'akl-thead', role: 'row', 'aria-rowindex': '1' });
  private readonly arcs = h('svg', { class: 'akl-arcs', 'aria-hidden': 'true' });
  private flat: Flat = { rows: [], where: new Int32Array(0), groups: null };
  private columns: Column[] = [];
  private rail = 36;

  constructor(private readonly s: State, private readonly moves: Moves) {
    this.rows = new Rows<Line>({
      id: 'akl-node', height: HIGH.comfortable, role: 'treegrid', label: t('Recorded tape'), head: this.header,
      make: () => this.make(), show: (line, i) => this.show(line, i)
    });
    this.rows.onPaint = () => this.drawArcs();
    this.rows.el.addEventListener('keydown', e => this.key(e));
    this.el = h('div', { class: 'akl-table' }, h('div', { class: 'akl-tbody' }, this.rows.el, this.arcs));
  }

  build(): void {
    const s = this.s;
    if (!s.tape) {
      return;
    }
    const room = s.width - (s.width >= 720 && s.detail ? 320 : 0);
    this.columns = fitting(room, s.dir, s.tangents, s.settings.columns);
    this.rail = 24 + 6.4 * String(s.tape.n - 1).length;
    this.arcs.setAttribute('width', String(this.rail));
    const name = `minmax(${s.width < 330 ? 76 : s.width < 400 ? 84 : 120}px, ${s.collapse === 'line' ? 2.6 : 1.2}fr)`;
    this.el.style.setProperty('--akl-grid', `${this.rail}px ${name} ${this.columns.map(c => widthOf(c, room)).join(' ')}`);
    this.heads();
    const high = HIGH[s.settings.rows];
    if (this.rows.height !== high) {
      this.rows.height = high;
    }
    this.el.style.setProperty('--akl-row', `${high}px`);
    this.flat = flatten(s);
    this.rows.el.setAttribute('aria-colcount', String(this.columns.length + 2));
    this.rows.reset(this.flat.rows.length);
  }

  private heads(): void {
    const arrow: Partial<Record<Column, HTMLElement>> = { tangent: h('i', { class: 'akl-dirmark' }, '↓'), cotangent: h('i', { class: 'akl-dirmark' }, '↑') };
    const title = (cls: string, ...kids: (string | HTMLElement | undefined)[]): HTMLElement => h('span', { role: 'columnheader', class: `akl-th ${cls}` }, ...kids);
    fill(this.header, title('akl-th-rail', '#'), title('', t('node')), this.columns.map(c => title(`akl-th-n akl-th-${c}`, arrow[c], columnTitle(c))));
  }

  private make(): Line {
    const span = (cls: string): HTMLElement => h('span', { class: cls });
    const [id, twist, op, marks] = ['akl-id', 'akl-twist', 'akl-op', 'akl-marks'].map(span);
    const name = h('b', { class: 'akl-name' });
    const cells = Object.fromEntries(COLUMNS.map(c => [c, h('span', { class: 'akl-td', role: 'gridcell' }, span('akl-v'))])) as Record<Column, HTMLElement>;
    const el = h('div', { class: 'akl-tr', role: 'row' },
      h('span', { class: 'akl-td akl-td-rail', role: 'gridcell' }, id), h('span', { class: 'akl-td akl-td-node', role: 'rowheader' }, twist, name, op, marks));
    const at = (): number => this.flat.rows[+(el.dataset.r ?? 0)];
    el.addEventListener('click', () => this.click(at()));
    el.addEventListener('dblclick', () => at() >= 0 && this.moves.line(at()));
    el.addEventListener('pointerenter', () => this.hover(at()));
    el.addEventListener('pointerleave', () => this.hover(null));
    return { el, id, twist, name, op, marks, cells, columns: '' };
  }

  private hover(node: number | null): void {
    this.s.hover = node;
    this.s.changes.tell('hover');
  }

  private click(f: number): void {
    if (f < 0) {
      this.toggle(-1 - f);
    }
    this.moves.choose(f);
  }

  private toggle(g: number): void {
    if (!this.s.expanded.delete(g)) {
      this.s.expanded.add(g);
    }
    this.build();
  }

  private group(f: number): Group {
    return this.flat.groups!.groups[-1 - f];
  }

  private show(line: Line, i: number): void {
    const f = this.flat.rows[i];
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
    line.el.setAttribute('aria-selected', String(this.s.sel === f));
  }

  // ------------------------------------------------------------ a node
  private showNode(line: Line, f: number): void {
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
    fill(line.marks, this.nodeMarks(f));
    this.nodeCells(line, f);
  }

  private isChild(f: number): boolean {
    const all = this.flat.groups;
    return !!all && all.groups[all.of[f]].ids.length > 1;
  }

  private nodeClass(f: number, child: boolean): string {
    const { s } = this;
    const tape = s.tape!;
    const classes: [string, boolean][] = [
      ['akl-now', s.cur === f], [s.dir < 0 ? 'akl-now-rev' : 'akl-now-fwd', s.cur === f], ['akl-sel', s.sel === f], ['akl-source', tape.flag(f, 's')],
      ['akl-const', tape.flag(f, 'k')], ['akl-torn', s.why?.node === f], ['akl-ahead', f >= s.f], ['akl-lit', s.lit(tape.place(f))], ['akl-child', child]
    ];
    return ['akl-tr', ...classes.filter(([, on]) => on).map(([name]) => name)].join(' ');
  }

  private nodeMarks(f: number): HTMLElement[] {
    const tape = this.s.tape!;
    const { head } = tape;
    const mark = (cls: string, title: string, kid: HTMLElement | string): HTMLElement => h('i', { class: cls, title }, kid);
    const out: HTMLElement[] = [];
    if (f === head.target) {
      out.push(mark('akl-tag', t('target of the gradient'), this.s.width < 420 ? '◎' : t('target')));
    }
    if (f in head.hooks) {
      out.push(mark('akl-mark-hook', t('A hook changes the cotangent here'), icon('hook')));
    }
    if (tape.flag(f, 'cut')) {
      out.push(mark('akl-mark-cut', t('The path ends here'), icon('cut')));
    }
    return out;
  }

  private get room(): Room {
    return this.s.width < 420 ? 's' : this.s.width > 760 ? 'l' : 'm';
  }

  private nodeCells(line: Line, f: number): void {
    const { s, room } = this;
    const tape = s.tape!;
    const shape = tape.shape(f);
    const row = tape.row(f);
    const recorded = f < s.f;
    const swept = f >= s.r;
    const constant = tape.flag(f, 'k');
    const begun = (yes: boolean, kind: number): number => (!yes ? KIND.NOT_BEGUN : constant ? KIND.CONSTANT : kind);
    const value = recorded ? tape.known.value[f] : KIND.NOT_BEGUN;
    const cotangent = begun(swept, tape.known.cotangent[f]);
    for (const c of this.columns) {
      const el = line.cells[c].firstElementChild as HTMLElement;
      if (c === 'value') {
        paint(el, 'value', value, row[0], shape, room);
      } else if (c === 'tangent') {
        paint(el, 'fwd', begun(recorded, tape.known.tangent[f]), row[1], shape, room);
      } else if (c === 'cotangent') {
        this.cotangent(el, f, cotangent, row, shape);
      } else {
        plain(el, this.fact(c, f));
      }
    }
    const reached = swept ? spoken(tape.known.cotangent[f], row[2], shape) : t('not yet');
    line.el.setAttribute('aria-label', t('node %1, %2, value %3, cotangent %4', f, tape.label(f), spoken(value, row[0], shape), reached));
  }

  /** What is being sent stands dashed in the receiver's own cell until that cell is final. */
  private cotangent(el: HTMLElement, f: number, kind: number, row: Row, shape: number[]): void {
    const sent = kind === KIND.NOT_BEGUN ? this.s.sweep?.sends.find(one => one.to === f) : undefined;
    if (sent) {
      paint(el, 'rev', KIND.FINITE, sent.sum ?? sent.part, shape, this.room);
      el.className = 'akl-v akl-v-send';
      el.prepend('↑ ');
    } else {
      paint(el, 'rev', kind, row[2], shape, this.room);
    }
  }

  private fact(c: Column, f: number): string {
    const tape = this.s.tape!;
    return { shape: () => shapeText(tape.shape(f)), line: () => this.s.beside.short(tape.place(f)), flops: () => big(tape.c.cost.flops[f]),
      bytes: () => (tape.c.cost.bytes[f] ? bytes(tape.c.cost.bytes[f]) : '–'), value: () => '', tangent: () => '', cotangent: () => '' }[c]();
  }

  // ------------------------------------------------------------ a group
  private showGroup(line: Line, f: number, group: Group): void {
    const { s } = this;
    const open = s.expanded.has(group.g);
    const now = s.cur !== null && this.flat.groups!.of[s.cur] === group.g && !open;
    const at = this.shown(group);
    const lit = group.byLine && s.lit(group.place);
    line.el.className = `akl-tr akl-group${now ? ` akl-now akl-now-${s.dir < 0 ? 'rev' : 'fwd'}` : ''}${s.sel === f ? ' akl-sel' : ''}${lit ? ' akl-lit' : ''}${at >= s.f ? ' akl-ahead' : ''}`;
    line.el.setAttribute('aria-level', '1');
    line.el.setAttribute('aria-expanded', String(open));
    line.id.textContent = '';
    line.twist.textContent = open ? '▾' : '▸';
    line.name.textContent = group.label;
    line.name.className = `akl-name${group.byLine ? ' akl-name-code' : ''}`;
    line.op.className = 'akl-op akl-count';
    line.op.textContent = count(group.ids.length);
    fill(line.marks);
    this.groupCells(line, group, at);
    line.el.setAttribute('aria-label', tn('%2, %1 node', '%2, %1 nodes', group.ids.length, group.label));
  }

  /** A group shows its last node that is neither source nor constant. */
  private shown(group: Group): number {
    const tape = this.s.tape!;
    return [...group.ids].reverse().find(i => !tape.flag(i, 's') && !tape.flag(i, 'k')) ?? group.ids[group.ids.length - 1];
  }

  private groupCells(line: Line, group: Group, at: number): void {
    const { s, room } = this;
    const tape = s.tape!;
    const first = group.ids.find(i => i >= s.r && tape.known.cotangent[i] !== KIND.NONE) ?? at;
    const facts: Partial<Record<Column, string>> = { shape: '', line: group.byLine ? s.beside.short(group.place) : '', flops: big(group.flops), bytes: group.bytes ? bytes(group.bytes) : '–' };
    const reached = group.ids[0] >= s.r || at >= s.r;
    for (const c of this.columns) {
      const el = line.cells[c].firstElementChild as HTMLElement;
      if (c === 'value') {
        paint(el, 'value', at < s.f ? group.value : KIND.NOT_BEGUN, tape.row(at)[0], tape.shape(at), room);
      } else if (c === 'tangent') {
        paint(el, 'fwd', at < s.f ? group.tangent : KIND.NOT_BEGUN, tape.row(at)[1], tape.shape(at), room);
      } else if (c === 'cotangent') {
        paint(el, 'rev', reached ? group.cotangent : KIND.NOT_BEGUN, tape.row(first)[2], tape.shape(first), room);
      } else {
        plain(el, facts[c] ?? '');
      }
    }
  }

  // ------------------------------------------------------------ arcs
  /** Arcs of one node at a time: that under the pointer, else under the head, else the chosen one. */
  private drawArcs(): void {
    const { s } = this;
    const tape = s.tape;
    if (!tape) {
      return;
    }
    if (this.arcs.getAttribute('height') !== String(this.rows.tall)) {
      this.arcs.setAttribute('height', String(this.rows.tall));
    }
    const f = s.hover ?? s.cur ?? s.sel;
    fill(this.arcs, f !== null && f >= 0 && f < tape.n && this.flat.where[f] >= 0 ? arcsOf(s, f, this.flat.where, this.rows, this.rail) : []);
    const last = Math.min(this.flat.rows.length, this.rows.first + this.rows.seen) - 1;
    s.window = this.flat.rows.length ? [this.nodeAt(this.rows.first), this.nodeAt(last)] : null;
    s.onWindow();
  }

  private nodeAt(r: number): number {
    const f = this.flat.rows[Math.max(0, r)];
    return f === undefined ? this.s.tape!.n - 1 : f >= 0 ? f : this.group(f).ids[0];
  }

  // ------------------------------------------------------------ keys
  private get at(): number {
    const { sel } = this.s;
    return sel === null ? -1 : sel >= 0 ? (this.flat.where[sel] ?? -1) : this.flat.rows.indexOf(sel);
  }

  private key(e: KeyboardEvent): void {
    if (e.altKey || e.ctrlKey || e.metaKey || e.shiftKey || !this.s.tape) {
      return;
    }
    const go = (k: number): void => this.go(k);
    const acts: Record<string, () => void> = {
      ArrowDown: () => go(this.at + 1), ArrowUp: () => go(this.at - 1), PageDown: () => go(this.at + this.rows.seen - 1),
      PageUp: () => go(this.at - this.rows.seen + 1), Home: () => go(0), End: () => go(this.flat.rows.length - 1),
      ArrowRight: () => this.right(), ArrowLeft: () => this.left(), Enter: () => this.enter()
    };
    if (e.key in acts) {
      acts[e.key]();
      e.preventDefault();
      e.stopPropagation();
    }
  }

  private go(k: number): void {
    const r = Math.max(0, Math.min(this.flat.rows.length - 1, k));
    if (this.flat.rows.length) {
      this.rows.reveal(r);
      this.moves.choose(this.flat.rows[r]);
    }
  }

  private right(): void {
    const { sel } = this.s;
    if (sel !== null && sel < 0) {
      if (this.s.expanded.has(-1 - sel)) {
        this.go(this.at + 1);
      } else {
        this.toggle(-1 - sel);
      }
    }
  }

  private left(): void {
    const { sel } = this.s;
    const all = this.flat.groups;
    if (sel === null || !all) {
      return;
    }
    if (sel < 0) {
      if (this.s.expanded.has(-1 - sel)) {
        this.toggle(-1 - sel);
      }
    } else if (this.isChild(sel)) {
      this.go(this.flat.rows.indexOf(-1 - all.of[sel]));
    }
  }

  private enter(): void {
    const { sel } = this.s;
    if (sel !== null && sel < 0) {
      this.toggle(-1 - sel);
    } else if (sel !== null) {
      this.moves.line(sel);
    }
  }

  refresh(): void {
    this.rows.refresh();
  }
  reveal(i: number): void {
    if (this.flat.where[i] >= 0) {
      this.rows.reveal(this.flat.where[i]);
    }
  }
  active(): void {
    this.rows.active(this.at);
  }
  focus(): void {
    this.rows.el.focus({ preventScroll: true });
  }
}

function plain(el: HTMLElement, text: string): void {
  el.className = 'akl-v akl-v-dim';
  el.textContent = text;
}

