import { type Extension, StateEffect, StateField } from '@codemirror/state';
import { Decoration, type DecorationSet, EditorView, WidgetType } from '@codemirror/view';

/** Marks on lines of code: the line under the head, the line that cuts, the first NaN, what a line costs. */

export interface Mark {
  line: number;
  cls: string;
  /** Words after the line. */
  note?: string;
  /** A share of the dearest line, as a bar. */
  heat?: number;
}

class Note extends WidgetType {
  constructor(private readonly text: string, private readonly cls: string) {
    super();
  }
  override eq(other: Note): boolean {
    return other.text === this.text && other.cls === this.cls;
  }
  toDOM(): HTMLElement {
    const el = document.createElement('span');
    el.className = `akl-line-note ${this.cls}`;
    el.textContent = this.text;
    return el;
  }
}

const put = StateEffect.define<Mark[]>();

const field = StateField.define<{ marks: Mark[]; set: DecorationSet }>({
  create: () => ({ marks: [], set: Decoration.none }),
  update(held, change) {
    const effect = change.effects.find(one => one.is(put));
    if (effect) {
      return { marks: effect.value as Mark[], set: decorated(change.state.doc, effect.value as Mark[]) };
    }
    return change.docChanged ? { marks: held.marks, set: held.set.map(change.changes) } : held;
  },
  provide: f => EditorView.decorations.from(f, held => held.set)
});

function decorated(doc: { lines: number; line(n: number): { from: number; to: number } }, marks: Mark[]): DecorationSet {
  const all = marks.filter(mark => mark.line >= 1 && mark.line <= doc.lines).flatMap(mark => {
    const line = doc.line(mark.line);
    const style: Record<string, string> = mark.heat === undefined ? {} : { style: `--akl-heat: ${mark.heat.toFixed(3)}` };
    const whole = Decoration.line({ class: mark.cls, attributes: style }).range(line.from);
    return mark.note ? [whole, Decoration.widget({ widget: new Note(mark.note, mark.cls), side: 1 }).range(line.to)] : [whole];
  });
  return Decoration.set(all, true);
}

export interface LineEvents {
  over(view: EditorView, line: number | null): void;
  click(view: EditorView, line: number): void;
}

const lineAt = (view: EditorView, e: MouseEvent): number | null => {
  const at = view.posAtCoords({ x: e.clientX, y: e.clientY });
  return at === null ? null : view.state.doc.lineAt(at).number;
};

/** What every editor gets: a place for marks, and an ear for the pointer. */
export const marking = (events: LineEvents): Extension => [
  field,
  EditorView.domEventHandlers({
    mousemove: (e, view) => { events.over(view, lineAt(view, e)); },
    mouseleave: (_, view) => { events.over(view, null); },
    click: (e, view) => {
      const line = lineAt(view, e);
      if (line !== null) {
        events.click(view, line);
      }
    }
  })
];

/** Put these marks on an editor, in place of those it had. */
export function setMarks(view: EditorView, marks: Mark[]): void {
  const held = view.state.field(field, false);
  if (held && JSON.stringify(held.marks) !== JSON.stringify(marks)) {
    view.dispatch({ effects: put.of(marks) });
  }
}
