import { type Command, objectSchema } from '../common/commands';
import { tapeIcon } from '../common/icons';
import { t } from '../common/translation';
import { VIEWS, type ViewName } from './inspectorState';
import type { GroupBy } from './nodeGroups';
import type { TapeInspector } from './tapeInspector';

export const EXAMPLE = `import autodiff_kit as ak

x = ak.constant([2.0, 3.0, -1.0], name="x")
with ak.GradientTape(persistent=True) as tape:
    tape.watch(x)
    a = x[0] * x[1]
    b = x[1] * x[2]
    y = ak.stack([a, b, x[0] ** 2 + x[2]])
tape.gradient(y, x)`;

/** What the commands act on: the inspector, its place on the screen, and the notebook that records the example. */
export interface InspectorCommandTargets {
  inspector: TapeInspector;
  show(area?: 'right' | 'main'): void;
  runExample(code: string): Promise<void>;
}

/** The commands of the tape inspector. */
export const inspectorCommands = (targets: InspectorCommandTargets): Record<string, Command> => ({ ...playbackCommands(targets), ...viewCommands(targets), ...explainCommands(targets) });

function playbackCommands({ inspector }: InspectorCommandTargets): Record<string, Command> {
  const { playback, state } = inspector;
  const isEnabled = (): boolean => state.tape !== null;
  return {
    step: { label: () => t('Step'), execute: () => playback.step(1), isEnabled },
    'step-back': { label: () => t('Step back'), execute: () => playback.step(-1), isEnabled },
    play: { label: () => (state.playing ? t('Pause') : t('Play')), execute: () => playback.togglePlay(), isEnabled },
    rewind: { label: () => t('Rewind the tape'), execute: () => playback.rewind(), isEnabled },
    'to-end': { label: () => t('To the end of the tape'), execute: () => playback.end(), isEnabled },
    'set-direction': { label: () => t('Reverse'), execute: ({ dir }) => playback.setDirection(dir === 'forward' ? 1 : -1), isEnabled, args: objectSchema({ dir: { enum: ['forward', 'reverse'] } }) }
  };
}

function viewCommands({ inspector, show, runExample }: InspectorCommandTargets): Record<string, Command> {
  const { state } = inspector;
  const isEnabled = (): boolean => state.tape !== null;
  const showView = (view: ViewName): void => {
    show();
    inspector.show(view);
  };
  return {
    'open-inspector': { label: () => t('Tape inspector'), execute: ({ area }) => show(area === 'main' ? 'main' : 'right'), icon: tapeIcon, args: objectSchema({ area: { enum: ['right', 'main'] } }) },
    'show-view': { label: () => t('Show a view of the tape'), execute: ({ view }) => VIEWS.includes(view as ViewName) && showView(view as ViewName), isEnabled, inPalette: false, args: objectSchema({ view: { enum: VIEWS } }) },
    'diff-tapes': { label: () => t('Compare two tapes'), execute: () => showView('diff'), isEnabled },
    'explain-cell': { label: () => t('Why None?'), execute: () => showView('why'), isEnabled, inPalette: false },
    collapse: { label: () => t('Collapse the tape by line'), execute: ({ by }) => inspector.groupBy((by ?? 'line') as GroupBy), isEnabled, args: objectSchema({ by: { enum: ['none', 'line', 'module'] } }) },
    'pin-tape': { label: () => t('Pin this tape'), execute: () => inspector.togglePin(), isEnabled },
    'copy-as-text': { label: () => t('Copy the tape as text'), execute: () => inspector.copy(), isEnabled },
    'save-tape': { label: () => t('Save the drawing of the tape'), execute: ({ format }) => inspector.saveDrawing(format === 'png' ? 'png' : 'svg'), isEnabled, args: objectSchema({ format: { enum: ['svg', 'png'] } }) },
    'record-example': { label: () => t('A first tape'), execute: () => { show(); return runExample(EXAMPLE); }, icon: tapeIcon }
  };
}

function explainCommands({ inspector, show }: InspectorCommandTargets): Record<string, Command> {
  const { state } = inspector;
  const isEnabled = (): boolean => state.tape !== null;
  const nodeOr = (node: unknown, otherwise: number | null): number | null => (typeof node === 'number' ? node : otherwise);
  const explain = (target: unknown, source: unknown): unknown => {
    const tape = state.tape!;
    const from = nodeOr(source, tape.sourcesWithoutGradient()[0] ?? tape.header.sources[0] ?? null);
    show();
    return from === null ? inspector.show('why') : inspector.explain(nodeOr(target, tape.target)!, from);
  };
  const goToLine = (): unknown => state.selected !== null && state.selected >= 0 && state.code.goToLine(state.tape!.location(state.selected));
  return {
    explain: { label: () => t('Why None?'), execute: ({ target, source }) => explain(target, source), isEnabled, args: objectSchema({ target: { type: 'number' }, source: { type: 'number' } }) },
    'goto-line': { label: () => t('Go to the line of the chosen node'), execute: goToLine, isEnabled },
    'next-none': { label: () => t('Next None'), execute: () => inspector.selectNext('none'), isEnabled },
    'next-nan': { label: () => t('Next NaN'), execute: () => inspector.selectNext('nan'), isEnabled }
  };
}
