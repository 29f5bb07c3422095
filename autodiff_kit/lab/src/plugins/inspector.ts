import { ILayoutRestorer, type JupyterFrontEnd, type JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ICommandPalette, IThemeManager } from '@jupyterlab/apputils';
import { EditorExtensionRegistry, IEditorExtensionRegistry } from '@jupyterlab/codemirror';
import { ILauncher } from '@jupyterlab/launcher';
import { IStatusBar } from '@jupyterlab/statusbar';
import { ITranslator } from '@jupyterlab/translation';
import { addCommands, CATEGORY, COMMAND_PREFIX, executeIfAvailable } from '../common/commands';
import { loadTranslations } from '../common/translation';
import { inspectorCommands } from '../inspector/inspectorCommands';
import { InspectorPlacement } from '../inspector/inspectorPlacement';
import type { InspectorState } from '../inspector/inspectorState';
import { lineDecorationExtension, type LinePointerEvents } from '../inspector/lineDecorations';
import { NotebookCode } from '../inspector/notebookCode';
import { TapeFollower } from '../inspector/tapeFollower';
import { type InspectorHost, TapeInspector } from '../inspector/tapeInspector';
import { TapeStatus } from '../inspector/tapeStatus';
import { Tape } from '../inspector/tape';
import { INotebookActions, INotebookSessions, IPanelSettings } from '../services/tokens';

/** Media queries whose change gives the canvas other colours. */
const COLOUR_QUERIES = ['(forced-colors: active)', '(prefers-color-scheme: dark)', '(prefers-contrast: more)'];

/** The inspector in JupyterLab: its place in the shell, the notebook's code and the tapes that it follows. */
class InspectorExtension {
  readonly inspector: TapeInspector;
  readonly placement: InspectorPlacement;
  readonly status: TapeStatus;
  private readonly code = new NotebookCode();
  private readonly follower: TapeFollower;

  constructor(private readonly app: JupyterFrontEnd, private readonly actions: INotebookActions, sessions: INotebookSessions, private readonly settings: IPanelSettings | null) {
    this.inspector = new TapeInspector(this.host(), id => Tape.open(this.inspector.channel!, id));
    this.placement = new InspectorPlacement(app.shell, this.inspector.el);
    this.status = new TapeStatus(() => this.placement.show());
    this.follower = new TapeFollower(sessions, this.inspector, this.code, () => this.placement.isVisible);
    this.connectSignals();
  }

  private host(): InspectorHost {
    const { app, actions, code } = this;
    return {
      lineText: line => code.lineText(line), lineLabel: line => code.lineLabel(line), cellLabel: line => code.cellLabel(line), isEdited: line => code.isEdited(line), goToLine: line => code.goToLine(line),
      stateChanged: state => this.onStateChange(state),
      moveToMainArea: () => this.placement.toggleMainArea(),
      recordExample: () => void app.commands.execute(`${COMMAND_PREFIX}record-example`),
      openLesson: no => void actions.startLesson(no).catch(() => executeIfAvailable(app, 'open-syllabus')),
      restartKernel: () => void actions.restartKernel(),
      pinTape: (tape, on) => void this.inspector.channel?.request('tape.pin', { tape, on }).catch(() => undefined)
    };
  }

  /** Decorations in the notebook, the status item and the commands follow the inspector's state. */
  private onStateChange(state: InspectorState): void {
    this.code.header = state.tape?.header ?? null;
    this.code.decorate(state, this.placement.isVisible);
    if (this.status.setTape(state.tape)) {
      this.app.commands.notifyCommandChanged();
    }
  }

  private connectSignals(): void {
    const { follower, placement, settings } = this;
    const openInspector = (): string => settings?.values.openInspector ?? 'never';
    placement.onShown = () => follower.onShown();
    placement.onHidden = () => follower.onHidden();
    follower.onFirstTape = () => openInspector() === 'first' && placement.reveal();
    follower.onTape = () => openInspector() === 'always' && placement.reveal();
    if (settings) {
      settings.changed.connect((_, values) => this.inspector.setSettings(values));
      this.inspector.setSettings(settings.values);
    }
  }

  /** Redraw what is painted in the theme's colours, once the new ones apply. */
  redrawColours(): void {
    requestAnimationFrame(() => this.inspector.themeChanged());
  }

  /** Pointer events on lines of code: the line under the pointer is highlighted in the views, a click selects its node. */
  linePointerEvents(): LinePointerEvents {
    const { state } = this.inspector;
    const isActive = (): boolean => this.placement.isVisible && state.tape !== null;
    return {
      over: (view, line) => {
        const hovered = line !== null && isActive() ? this.code.locationOf(view, line) : null;
        if (hovered?.join() !== state.hoveredLine?.join()) {
          state.hoveredLine = hovered;
          state.changes.notify('hover');
        }
      },
      click: (view, line) => {
        const clicked = isActive() ? this.code.locationOf(view, line) : null;
        if (clicked && !this.code.isEdited(clicked)) {
          this.inspector.selectLine(clicked);
        }
      }
    };
  }
}

const plugin: JupyterFrontEndPlugin<void> = {
  id: 'autodiff-kit:inspector',
  description: 'Shows the tapes that a notebook records, node by node, and marks their lines in the notebook.',
  autoStart: true,
  requires: [INotebookActions, INotebookSessions, ITranslator],
  optional: [IPanelSettings, IEditorExtensionRegistry, ILayoutRestorer, ICommandPalette, ILauncher, IStatusBar, IThemeManager],
  activate: (app: JupyterFrontEnd, actions: INotebookActions, sessions: INotebookSessions, translator: ITranslator, settings: IPanelSettings | null, editors: IEditorExtensionRegistry | null,
    restorer: ILayoutRestorer | null, palette: ICommandPalette | null, launcher: ILauncher | null, statusBar: IStatusBar | null, themes: IThemeManager | null) => {
    loadTranslations(translator);
    const extension = new InspectorExtension(app, actions, sessions, settings);
    const { inspector, placement } = extension;
    restorer?.add(placement.sidePanel, placement.sidePanel.id);
    addCommands(app, palette, inspectorCommands({ inspector, show: area => placement.show(area), runExample: code => actions.runExample(code) }));
    launcher?.add({ command: `${COMMAND_PREFIX}record-example`, category: CATEGORY, rank: 2 });
    editors?.addExtension({ name: 'autodiff-kit:marks', factory: () => EditorExtensionRegistry.createImmutableExtension(lineDecorationExtension(extension.linePointerEvents())) });
    statusBar?.registerStatusItem('autodiff-kit:tape', { item: extension.status, align: 'right', rank: 100 });
    themes?.themeChanged.connect(() => extension.redrawColours());
    COLOUR_QUERIES.forEach(query => matchMedia(query).addEventListener('change', () => extension.redrawColours()));
  }
};
export default plugin;
