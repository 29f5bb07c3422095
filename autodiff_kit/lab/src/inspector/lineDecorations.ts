import { type Extension, StateEffect, StateField } from '@codemirror/state';
import { Decoration, type DecorationSet, EditorView, WidgetType } from '@codemirror/view';

/** CodeMirror decorations of lines: the line under the playhead, the line that cuts a path, the first NaN, costs. */

export interface LineDecoration {
  line: number;
  className: string;
  /** Words after the line. */
  note?: string;
  /** A share of the dearest line, as a bar. */
  heat?: number;
}

class LineNote extends WidgetType {
  constructor(private readonly text: string, private readonly cls: string) {
    super();
  }
  override eq(other: LineNote): boolean {
    return other.text === this.text && other.cls === this.cls;
  }
  toDOM(): HTMLElement {
    const el = document.createElement('span');
    el.className = `akl-line-note ${this.cls}`;
    el.textContent = this.text;
    return el;
  }
}

const setDecorationsEffect = StateEffect.define<LineDecoration[]>();

const decorationField = StateField.define<{ marks: LineDecoration[]; set: DecorationSet }>({
  create: () => ({ marks: [], set: Decoration.none }),
  update(held, change) {
    const effect = change.effects.find(one => one.is(setDecorationsEffect));
    if (effect) {
      return { marks: effect.value as LineDecoration[], set: buildDecorations(change.state.doc, effect.value as LineDecoration[]) };
    }
    return change.docChanged ? { marks: held.marks, set: held.set.map(change.changes) } : held;
  },
  provide: f => EditorView.decorations.from(f, held => held.set)
});

function buildDecorations(doc: { lines: number; line(n: number): { from: number; to: number } }, marks: LineDecoration[]): DecorationSet {
  const all = marks.filter(mark => mark.line >= 1 && mark.line <= doc.lines).flatMap(mark => {
    const line = doc.line(mark.line);
    const style: Record<string, string> = mark.heat === undefined ? {} : { style: `--akl-heat: ${mark.heat.toFixed(3)}` };
    const whole = Decoration.line({ class: mark.className, attributes: style }).range(line.from);
    return mark.note ? [whole, Decoration.widget({ widget: new LineNote(mark.note, mark.className), side: 1 }).range(line.to)] : [whole];
  });
  return Decoration.set(all, true);
}

export interface LinePointerEvents {
  over(view: EditorView, line: number | null): void;
  click(view: EditorView, line: number): void;
}

const lineAt = (view: EditorView, e: MouseEvent): number | null => {
  const at = view.posAtCoords({ x: e.clientX, y: e.clientY });
  return at === null ? null : view.state.doc.lineAt(at).number;
};

/** The editor extension: a field of decorations, and pointer events by line. */
export const lineDecorationExtension = (events: LinePointerEvents): Extension => [
  decorationField,
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

/** Replace an editor's decorations. */
export function setLineDecorations(view: EditorView, marks: LineDecoration[]): void {
  const held = view.state.field(decorationField, false);
  if (held && JSON.stringify(held.marks) !== JSON.stringify(marks)) {
    view.dispatch({ effects: setDecorationsEffect.of(marks) });
  }
}
