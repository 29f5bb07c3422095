import type { Cell, ICodeCellModel } from '@jupyterlab/cells';
import type { CodeMirrorEditor } from '@jupyterlab/codemirror';
import type { NotebookPanel } from '@jupyterlab/notebook';
import type { EditorView } from '@codemirror/view';
import { cellHash } from './cellHash';
import { type LineDecoration, setLineDecorations } from './lineDecorations';
import { type CodeLookup, isSameLine, InspectorState } from './inspectorState';
import { t } from '../common/translation';
import type { Explanation, TapeHeader, CodeLocation } from '../services/protocol';

const FLASH_MS = 1200; // ms that a line stays lit after a jump

type LocatedDecoration = LineDecoration & { place: CodeLocation };

/** Finds the current notebook's cells and lines for locations on a tape, and decorates them. */
export class NotebookCode implements CodeLookup {
  panel: NotebookPanel | null = null;
  header: TapeHeader | null = null;
  private flash: CodeLocation | null = null;

  private cells(): Cell[] {
    return (this.panel && !this.panel.isDisposed ? [...this.panel.content.widgets] : []) as Cell[];
  }

  /** A cell by the id or the count that a tape gives. */
  private findCell(key: string | number): Cell | null {
    const ran = (cell: Cell): number | null => (cell.model.type === 'code' ? (cell.model as ICodeCellModel).executionCount : null);
    return this.cells().find(cell => cell.model.id === key || (typeof key === 'number' && ran(cell) === key)) ?? null;
  }

  private cellLines(place: CodeLocation): string[] | null {
    return this.findCell(place[0])?.model.sharedModel.getSource().split('\n') ?? null;
  }

  isEdited(place: CodeLocation): boolean {
    const then = this.header?.cells[String(place[0])];
    const now = this.cellLines(place);
    return now !== null && then !== undefined && cellHash(now.join('\n')) !== then.hash;
  }

  lineText(place: CodeLocation): string {
    const lines = this.isEdited(place) ? null : this.cellLines(place);
    return (lines?.[place[1] - 1] ?? '').trim();
  }

  cellLabel(place: CodeLocation): string {
    const then = this.header?.cells[String(place[0])]?.count;
    const cell = this.findCell(place[0]);
    const counted = then ?? (cell?.model.type === 'code' ? (cell.model as ICodeCellModel).executionCount : null);
    return String(counted ?? String(place[0]).split(/[\\/]/).pop());
  }

  lineLabel(place: CodeLocation): string {
    return place[1] ? `${this.cellLabel(place)}:${place[1]}` : '';
  }

  /** Scroll to a line and highlight it for a moment. */
  goToLine(place: CodeLocation): void {
    const cell = this.findCell(place[0]);
    if (!cell || !this.panel) {
      return;
    }
    const { content } = this.panel;
    content.activeCellIndex = content.widgets.indexOf(cell);
    void content.scrollToItem(content.activeCellIndex, 'center').catch(() => undefined);
    this.flash = this.isEdited(place) ? null : place;
    this.redraw();
    setTimeout(() => {
      if (this.flash && isSameLine(this.flash, place)) {
        this.flash = null;
        this.redraw();
      }
    }, FLASH_MS);
  }

  // ------------------------------------------------------------ marks
  private last: InspectorState | null = null;

  private redraw(): void {
    if (this.last) {
      this.decorate(this.last);
    }
  }

  /** Decorate the notebook's lines for a state, and remove all other decorations. */
  decorate(s: InspectorState, visible = true): void {
    this.last = s;
    const all = visible && s.settings.markCode ? this.decorationsFor(s) : [];
    const bare: LocatedDecoration[] = !s.settings.markCode && this.flash ? [{ place: this.flash, line: this.flash[1], className: 'akl-line-flash' }] : [];
    const marks = [...all, ...bare].filter(one => !this.isEdited(one.place));
    for (const cell of this.cells()) {
      const view = (cell.editor as CodeMirrorEditor | null)?.editor as EditorView | undefined;
      if (cell.model.type === 'code' && view) {
        const mine = marks.filter(one => this.findCell(one.place[0]) === cell);
        setLineDecorations(view, mine.map(({ line, className, note, heat }) => ({ line, className, note, heat })));
      }
    }
  }

  private decorationsFor(s: InspectorState): LocatedDecoration[] {
    const { tape } = s;
    const out: LocatedDecoration[] = [];
    const add = (place: CodeLocation | null, cls: string, more: Partial<LineDecoration> = {}): void => {
      if (place) {
        out.push({ place, line: place[1], className: cls, ...more });
      }
    };
    if (tape && s.view === 'cost') {
      const lines = tape.lineCosts();
      const most = Math.max(1, ...lines.map(line => line.fwd + line.back));
      lines.forEach(line => add(line.place, 'akl-line-heat', { heat: (line.fwd + line.back) / most }));
    }
    if (tape?.header.bad) {
      add(tape.location(tape.header.bad.node), 'akl-line-nan', { note: t('first NaN') });
    }
    add(gradientLossLine(s), 'akl-line-torn', { note: s.explanation ? this.lossNote(s, s.explanation) : '' });
    add(tape && s.playhead !== null ? tape.location(s.playhead) : null, s.direction < 0 ? 'akl-line-now akl-line-rev' : 'akl-line-now');
    add(tape && s.hovered !== null && s.hovered >= 0 && s.hovered < tape.n ? tape.location(s.hovered) : s.hoveredLine, 'akl-line-hover');
    add(this.flash, 'akl-line-flash');
    return out;
  }

  private lossNote(s: InspectorState, why: Explanation): string {
    const name = (i: number | null, known?: string): string => known || (i === null ? '?' : s.tape!.label(i));
    return t('✂ %1 loses %2 here', name(why.target, why.target_name), name(why.source, why.source_name));
  }

  /** The cell and line of a place in an editor. */
  locationOf(view: EditorView, line: number): CodeLocation | null {
    const cell = this.cells().find(one => (one.editor as CodeMirrorEditor | null)?.editor === view);
    if (!cell || cell.model.type !== 'code') {
      return null;
    }
    const known = this.last?.tape?.header.tables.line.find(([key]) => this.findCell(key) === cell);
    return known ? [known[0], line] : null;
  }
}

function gradientLossLine(s: InspectorState): CodeLocation | null {
  const { explanation: why, view } = s;
  const shown = why && !why.connected && (view === 'why' || view === 'graph' || view === 'table');
  return shown && why.cell !== null && why.line !== null ? [why.cell, why.line] : null;
}
