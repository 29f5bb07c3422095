import type { JupyterFrontEnd } from '@jupyterlab/application';
import type { ICommandPalette } from '@jupyterlab/apputils';
import type { LabIcon } from '@jupyterlab/ui-components';
import type { Workbench } from './desk';
import type { ExercisesPanel } from './exercise';
import { bookIcon, pencilIcon, tapeIcon } from './icons';
import type { Inspector } from './inspector';
import { VIEWS, type ViewName } from './state';
import type { SyllabusPanel } from './syllabus';
import type { By } from './tape';
import { t } from './text';

/** Every command: in the palette under Autodiff, some in the menu, the launcher, the notebook's tool bar. */

export interface Parts {
  inspector: Inspector;
  syllabus: SyllabusPanel;
  exercises: ExercisesPanel;
  bench: Workbench;
  show(panel: 'syllabus' | 'inspector' | 'exercises', area?: 'right' | 'main'): void;
}

type Args = Record<string, unknown>;
interface Command {
  label: () => string;
  run: (args: Args) => unknown;
  icon?: LabIcon;
  on?: () => boolean;
  palette?: boolean;
  /** The schema of its arguments, for those who look the command up. */
  args?: Record<string, unknown>;
}

export const PREFIX = 'autodiff-kit:';
export const EXAMPLE = `import autodiff_kit as ak

x = ak.constant([2.0, 3.0, -1.0], name="x")
with ak.GradientTape(persistent=True) as tape:
    tape.watch(x)
    a = x[0] * x[1]
    b = x[1] * x[2]
    y = ak.stack([a, b, x[0] ** 2 + x[2]])
tape.gradient(y, x)`;

const object = (properties: Record<string, unknown>): Record<string, unknown> => ({ type: 'object', properties });

function tapeCommands({ inspector, show, bench }: Parts): Record<string, Command> {
  const { transport, s } = inspector;
  const on = (): boolean => s.tape !== null;
  const some = (i: unknown, otherwise: number | null): number | null => (typeof i === 'number' ? i : otherwise);
  return {
    step: { label: () => t('Step'), run: () => transport.step(1), on },
    'step-back': { label: () => t('Step back'), run: () => transport.step(-1), on },
    play: { label: () => (s.playing ? t('Pause') : t('Play')), run: () => transport.toggle(), on },
    rewind: { label: () => t('Rewind the tape'), run: () => transport.rewind(), on },
    'to-end': { label: () => t('To the end of the tape'), run: () => transport.end(), on },
    'set-direction': { label: () => t('Reverse'), run: ({ dir }) => transport.turn(dir === 'forward' ? 1 : -1), on, args: object({ dir: { enum: ['forward', 'reverse'] } }) },
    'show-view': { label: () => t('Show a view of the tape'), run: ({ view }) => VIEWS.includes(view as ViewName) && (show('inspector'), inspector.show(view as ViewName)), on, palette: false, args: object({ view: { enum: VIEWS } }) },
    collapse: { label: () => t('Collapse the tape by line'), run: ({ by }) => inspector.collapseBy((by ?? 'line') as By), on, args: object({ by: { enum: ['none', 'line', 'module'] } }) },
    'pin-tape': { label: () => t('Pin this tape'), run: () => inspector.togglePin(), on },
    'goto-line': { label: () => t('Go to the line of the chosen node'), run: () => s.sel !== null && s.sel >= 0 && s.beside.goto(s.tape!.place(s.sel)), on },
    explain: { label: () => t('Why None?'), on, run: ({ target, source }) => {
      const from = some(source, s.tape!.nones()[0] ?? s.tape!.head.sources[0] ?? null);
      show('inspector');
      return from === null ? inspector.show('why') : inspector.why(some(target, s.tape!.target)!, from);
    }, args: object({ target: { type: 'number' }, source: { type: 'number' } }) },
    'explain-cell': { label: () => t('Why None?'), run: () => { show('inspector'); inspector.show('why'); }, on, palette: false },
    'next-none': { label: () => t('Next None'), run: () => inspector.next('none'), on },
    'next-nan': { label: () => t('Next NaN'), run: () => inspector.next('nan'), on },
    'diff-tapes': { label: () => t('Compare two tapes'), run: () => { show('inspector'); inspector.show('diff'); }, on },
    'copy-as-text': { label: () => t('Copy the tape as text'), run: () => inspector.copy(), on },
    'save-tape': { label: () => t('Save the drawing of the tape'), run: ({ format }) => inspector.saveDrawing(format === 'png' ? 'png' : 'svg'), on, args: object({ format: { enum: ['svg', 'png'] } }) },
    'record-example': { label: () => t('A first tape'), run: () => { show('inspector'); return bench.example(EXAMPLE); }, icon: tapeIcon }
  };
}

function courseCommands({ syllabus, exercises, bench, show }: Parts): Record<string, Command> {
  const id = object({ id: { type: 'string' } });
  const asked = ({ id: given }: Args): string | undefined => (typeof given === 'string' ? given : undefined);
  const some = (): boolean => exercises.count > 0;
  return {
    'open-syllabus': { label: () => t('Syllabus'), run: () => show('syllabus'), icon: bookIcon },
    'open-inspector': { label: () => t('Tape inspector'), run: ({ area }) => show('inspector', area === 'main' ? 'main' : 'right'), icon: tapeIcon, args: object({ area: { enum: ['right', 'main'] } }) },
    'open-exercises': { label: () => t('Exercises'), run: () => show('exercises'), icon: pencilIcon },
    'open-next': { label: () => t('Next thing to do'), run: () => syllabus.goOn() },
    'open-lesson': { label: () => t('Open a lesson'), run: ({ no, what }) => bench.lesson(String(no), what === 'exercise' ? 'exercise' : 'lesson'), palette: false, args: object({ no: { type: 'string' }, what: { enum: ['lesson', 'exercise'] } }) },
    'check-question': { label: () => t('Check this question'), run: args => exercises.checkById(asked(args)), on: some, args: id },
    'check-all': { label: () => t('Check all questions'), run: () => exercises.checkAll(), on: some },
    hint: { label: () => t('Hint'), run: args => exercises.hintById(asked(args)), on: some, args: id },
    'show-solution': { label: () => t('Show the solution'), run: args => exercises.solutionById(asked(args)), on: some, args: id },
    'hand-in': { label: () => t('Hand in'), run: () => { show('exercises'); return exercises.handIn(); }, on: some },
    'reset-progress': { label: () => t('Reset progress …'), run: () => { show('syllabus'); return syllabus.ask('all'); } },
    'restore-backup': { label: () => t('Restore a backup …'), run: args => (typeof args.id === 'string' ? syllabus.restore(args.id) : (show('syllabus'), syllabus.ask('all'))), args: id },
    'export-progress': { label: () => t('Export progress'), run: () => syllabus.export() }
  };
}

/** Add all commands; those that can be run without arguments are in the palette. */
export function addCommands(app: JupyterFrontEnd, palette: ICommandPalette | null, parts: Parts): void {
  const all = { ...courseCommands(parts), ...tapeCommands(parts) };
  for (const [name, command] of Object.entries(all)) {
    app.commands.addCommand(PREFIX + name, {
      label: command.label,
      icon: command.icon,
      isEnabled: command.on ?? (() => true),
      execute: args => command.run(args as Args),
      describedBy: { args: command.args ?? object({}) } as never
    });
    if (command.palette !== false) {
      palette?.addItem({ command: PREFIX + name, category: 'Autodiff' });
    }
  }
}

/** Commands whose words or state hang on a tape: told when it changes. */
export const refreshCommands = (app: JupyterFrontEnd): void => app.commands.notifyCommandChanged();
