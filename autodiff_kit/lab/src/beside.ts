import type { Cell, ICodeCellModel } from '@jupyterlab/cells';
import type { CodeMirrorEditor } from '@jupyterlab/codemirror';
import type { NotebookPanel } from '@jupyterlab/notebook';
import type { EditorView } from '@codemirror/view';
import { hashOf } from './hash';
import { type Mark, setMarks } from './marks';
import { type Beside, samePlace, State } from './state';
import { t } from './text';
import type { Explanation, Head, Place } from './wire';

const FLASH = 1200; // ms that a line stays lit after a jump

type Placed = Mark & { place: Place };

/** The notebook whose tape is shown: its cells by id or count, its lines, the marks on them. */
export class Notebook implements Beside {
  panel: NotebookPanel | null = null;
  head: Head | null = null;
  private flash: Place | null = null;

  private cells(): Cell[] {
    return (this.panel && !this.panel.isDisposed ? [...this.panel.content.widgets] : []) as Cell[];
  }

  /** A cell by the id or the count that a tape gives. */
  private find(key: string | number): Cell | null {
    const ran = (cell: Cell): number | null => (cell.model.type === 'code' ? (cell.model as ICodeCellModel).executionCount : null);
    return this.cells().find(cell => cell.model.id === key || (typeof key === 'number' && ran(cell) === key)) ?? null;
  }

  private source(place: Place): string[] | null {
    return this.find(place[0])?.model.sharedModel.getSource().split('\n') ?? null;
  }

  edited(place: Place): boolean {
    const then = this.head?.cells[String(place[0])];
    const now = this.source(place);
    return now !== null && then !== undefined && hashOf(now.join('\n')) !== then.hash;
  }

  text(place: Place): string {
    const lines = this.edited(place) ? null : this.source(place);
    return (lines?.[place[1] - 1] ?? '').trim();
  }

  cell(place: Place): string {
    const then = this.head?.cells[String(place[0])]?.count;
    const cell = this.find(place[0]);
    const counted = then ?? (cell?.model.type === 'code' ? (cell.model as ICodeCellModel).executionCount : null);
    return String(counted ?? String(place[0]).split(/[\\/]/).pop());
  }

  short(place: Place): string {
    return place[1] ? `${this.cell(place)}:${place[1]}` : '';
  }

  /** Scroll to a line and light it for a moment. */
  goto(place: Place): void {
    const cell = this.find(place[0]);
    if (!cell || !this.panel) {
      return;
    }
    const { content } = this.panel;
    content.activeCellIndex = content.widgets.indexOf(cell);
    void content.scrollToItem(content.activeCellIndex, 'center').catch(() => undefined);
    this.flash = this.edited(place) ? null : place;
    this.redraw();
    setTimeout(() => {
      if (this.flash && samePlace(this.flash, place)) {
        this.flash = null;
        this.redraw();
      }
    }, FLASH);
  }

  // ------------------------------------------------------------ marks
  private last: State | null = null;

  private redraw(): void {
    if (this.last) {
      this.marks(this.last);
    }
  }

  /** Put the marks of a state on the notebook's lines, and take away all others. */
  marks(s: State, visible = true): void {
    this.last = s;
    const all = visible && s.settings.markCode ? this.wanted(s) : [];
    const bare: Placed[] = !s.settings.markCode && this.flash ? [{ place: this.flash, line: this.flash[1], cls: 'akl-line-flash' }] : [];
    const marks = [...all, ...bare].filter(one => !this.edited(one.place));
    for (const cell of this.cells()) {
      const view = (cell.editor as CodeMirrorEditor | null)?.editor as EditorView | undefined;
      if (cell.model.type === 'code' && view) {
        const mine = marks.filter(one => this.find(one.place[0]) === cell);
        setMarks(view, mine.map(({ line, cls, note, heat }) => ({ line, cls, note, heat })));
      }
    }
  }

  private wanted(s: State): Placed[] {
    const { tape } = s;
    const out: Placed[] = [];
    const add = (place: Place | null, cls: string, more: Partial<Mark> = {}): void => {
      if (place) {
        out.push({ place, line: place[1], cls, ...more });
      }
    };
    if (tape && s.view === 'cost') {
      const lines = tape.lines();
      const most = Math.max(1, ...lines.map(line => line.fwd + line.back));
      lines.forEach(line => add(line.place, 'akl-line-heat', { heat: (line.fwd + line.back) / most }));
    }
    if (tape?.head.bad) {
      add(tape.place(tape.head.bad.node), 'akl-line-nan', { note: t('first NaN') });
    }
    add(torn(s), 'akl-line-torn', { note: s.why ? this.lost(s, s.why) : '' });
    add(tape && s.cur !== null ? tape.place(s.cur) : null, s.dir < 0 ? 'akl-line-now akl-line-rev' : 'akl-line-now');
    add(tape && s.hover !== null && s.hover >= 0 && s.hover < tape.n ? tape.place(s.hover) : s.hoverPlace, 'akl-line-hover');
    add(this.flash, 'akl-line-flash');
    return out;
  }

  private lost(s: State, why: Explanation): string {
    const name = (i: number | null, known?: string): string => known || (i === null ? '?' : s.tape!.label(i));
    return t('✂ %1 loses %2 here', name(why.target, why.target_name), name(why.source, why.source_name));
  }

  /** The cell and line of a place in an editor. */
  placeOf(view: EditorView, line: number): Place | null {
    const cell = this.cells().find(one => (one.editor as CodeMirrorEditor | null)?.editor === view);
    if (!cell || cell.model.type !== 'code') {
      return null;
    }
    const known = this.last?.tape?.head.tables.line.find(([key]) => this.find(key) === cell);
    return known ? [known[0], line] : null;
  }
}

function torn(s: State): Place | null {
  const { why, view } = s;
  const shown = why && !why.connected && (view === 'why' || view === 'graph' || view === 'table');
  return shown && why.cell !== null && why.line !== null ? [why.cell, why.line] : null;
}
