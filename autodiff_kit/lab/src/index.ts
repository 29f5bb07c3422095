import { ILabShell, ILayoutRestorer, JupyterFrontEnd, type JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ICommandPalette, IThemeManager, MainAreaWidget } from '@jupyterlab/apputils';
import { EditorExtensionRegistry, IEditorExtensionRegistry } from '@jupyterlab/codemirror';
import { IDocumentManager } from '@jupyterlab/docmanager';
import { ILauncher } from '@jupyterlab/launcher';
import { INotebookTracker } from '@jupyterlab/notebook';
import { ISettingRegistry } from '@jupyterlab/settingregistry';
import { IStateDB } from '@jupyterlab/statedb';
import { IStatusBar } from '@jupyterlab/statusbar';
import { ITranslator } from '@jupyterlab/translation';
import { Widget } from '@lumino/widgets';
import { Notebook } from './beside';
import { addCommands, PREFIX, refreshCommands } from './commands';
import { Workbench } from './desk';
import { h } from './dom';
import { ExercisesPanel } from './exercise';
import { bookIcon, pencilIcon, tapeIcon } from './icons';
import { Inspector } from './inspector';
import { marking } from './marks';
import { Panel } from './panels';
import { download } from './save';
import { Server } from './server';
import { Sessions } from './sessions';
import { DEFAULTS, type Settings } from './state';
import { SyllabusPanel } from './syllabus';
import { Tape } from './tape';
import { speak, t, tn } from './text';

const ID = 'autodiff-kit:plugin';
/** Whether a panel that opens by itself leaves room for the notebook. */
const roomForTwo = (): boolean => window.innerWidth >= 900;
const GREETED = 'autodiff-kit:greeted';
const NARROW = 1100; // px of the window under which the syllabus folds when a lesson opens

interface Services {
  tracker: INotebookTracker;
  documents: IDocumentManager;
  editors: IEditorExtensionRegistry | null;
  palette: ICommandPalette | null;
  restorer: ILayoutRestorer | null;
  launcher: ILauncher | null;
  settings: ISettingRegistry | null;
  state: IStateDB | null;
  status: IStatusBar | null;
  themes: IThemeManager | null;
}

type Name = 'syllabus' | 'inspector' | 'exercises';

/** Builds the panels and ties them to JupyterLab. */
class Extension {
  private readonly server = new Server();
  private readonly notebook = new Notebook();
  private readonly bench: Workbench;
  private readonly inspector: Inspector;
  private readonly syllabus: SyllabusPanel;
  private readonly exercises: ExercisesPanel;
  private readonly sessions: Sessions;
  private readonly panels: Record<Name, Panel>;
  private main: MainAreaWidget | null = null;
  private settings: Settings = { ...DEFAULTS };
  private readonly status = h<HTMLButtonElement>('button', { type: 'button', class: 'akl-status', title: t('Open the tape inspector') });

  constructor(private readonly app: JupyterFrontEnd, private readonly lab: ILabShell | null, private readonly use: Services) {
    this.bench = new Workbench(app, use.documents, this.server, () => use.tracker.currentWidget);
    this.inspector = new Inspector(this.host(), id => Tape.open(this.inspector.link!, id));
    this.syllabus = new SyllabusPanel(this.server, {
      lesson: (no, cell) => this.openLesson(no, cell), exercise: no => this.openExercise(no), save: download
    });
    this.exercises = new ExercisesPanel(this.server, this.bench.desk());
    this.panels = {
      syllabus: new Panel('autodiff-kit-syllabus', t('Syllabus'), bookIcon, this.syllabus.el),
      inspector: new Panel('autodiff-kit-inspector', t('Tape inspector'), tapeIcon, this.inspector.el),
      exercises: new Panel('autodiff-kit-exercises', t('Exercises'), pencilIcon, this.exercises.el)
    };
    this.sessions = new Sessions(use.tracker, this.inspector, this.notebook, () => this.seen());
    this.place();
    this.listen();
    addCommands(app, use.palette, { inspector: this.inspector, syllabus: this.syllabus, exercises: this.exercises, bench: this.bench, show: (name, area) => this.show(name, area) });
    this.addLauncher();
    use.editors?.addExtension({ name: 'autodiff-kit:marks', factory: () => EditorExtensionRegistry.createImmutableExtension(marking(this.lineEvents())) });
    use.status?.registerStatusItem('autodiff-kit:tape', { item: this.statusItem(), align: 'right', rank: 100 });
    void this.configure();
    void this.begin();
  }

  // ------------------------------------------------------------ places
  private place(): void {
    const { shell } = this.app;
    shell.add(this.panels.syllabus, 'left', { rank: 600, type: 'Autodiff' });
    shell.add(this.panels.inspector, 'right', { rank: 600, type: 'Autodiff' });
    shell.add(this.panels.exercises, 'right', { rank: 601, type: 'Autodiff' });
    Object.values(this.panels).forEach(panel => this.use.restorer?.add(panel, panel.id));
  }

  /** The inspector is on the screen, in either place. */
  private seen(): boolean {
    return this.main ? this.main.isVisible : this.panels.inspector.isVisible;
  }

  private show(name: Name, area: 'right' | 'main' = 'right'): void {
    const panel = this.panels[name];
    if (name === 'inspector' && (area === 'main' || this.main)) {
      this.toMain();
      return;
    }
    panel.wanted = true;
    this.app.shell.activateById(panel.id);
  }

  /** The inspector stands in the main area until that tab is closed; then it goes home. */
  private toMain(): void {
    if (!this.main) {
      const content = new Widget();
      content.node.append(this.inspector.el);
      this.main = new MainAreaWidget({ content });
      this.main.id = 'autodiff-kit-main';
      this.main.title.label = t('Tape inspector');
      this.main.title.icon = tapeIcon;
      this.main.title.closable = true;
      this.main.disposed.connect(() => {
        this.main = null;
        this.panels.inspector.node.append(this.inspector.el);
        this.sessions.seen();
      });
      this.app.shell.add(this.main, 'main', { mode: 'split-right' });
    }
    this.app.shell.activateById(this.main.id);
    this.sessions.seen();
  }

  // ------------------------------------------------------------ what follows what
  private host(): ConstructorParameters<typeof Inspector>[0] {
    const { notebook, bench } = this;
    return {
      text: place => notebook.text(place), short: place => notebook.short(place), cell: place => notebook.cell(place), edited: place => notebook.edited(place), goto: place => notebook.goto(place),
      marks: s => {
        notebook.head = s.tape?.head ?? null;
        notebook.marks(s, this.seen());
        this.describe();
      },
      toMain: () => (this.main ? this.main.dispose() : this.toMain()),
      example: () => void this.app.commands.execute(`${PREFIX}record-example`),
      lesson: no => void this.openLesson(no).catch(() => this.show('syllabus')),
      restart: () => bench.restart(),
      pin: (tape, on) => void this.inspector.link?.ask('tape.pin', { tape, on }).catch(() => undefined)
    };
  }

  private listen(): void {
    const { panels, sessions } = this;
    panels.inspector.onShown = () => sessions.seen();
    panels.inspector.onHidden = () => sessions.hidden();
    panels.syllabus.onShown = () => void this.syllabus.load();
    panels.exercises.onShown = () => void this.exercises.load();
    sessions.onFirst = () => this.settings.openInspector === 'first' && this.reveal();
    sessions.onTape = () => this.settings.openInspector === 'always' && this.reveal();
    sessions.onProgress = () => this.bench.changed();
    sessions.onNotebook = () => void (panels.exercises.isVisible && this.exercises.load());
    this.bench.changed = () => {
      void (panels.syllabus.isVisible && this.syllabus.follow());
      void (panels.exercises.isVisible && this.exercises.load());
    };
    const repaint = (): void => void requestAnimationFrame(() => this.inspector.theme());
    this.use.themes?.themeChanged.connect(repaint);
    ['(forced-colors: active)', '(prefers-color-scheme: dark)', '(prefers-contrast: more)'].forEach(query => matchMedia(query).addEventListener('change', repaint));
    this.status.addEventListener('click', () => this.show('inspector'));
    this.syllabus.onNext = label => (this.nextLabel = label);
  }

  /** Open the inspector without taking the focus from the notebook. */
  private reveal(): void {
    if (!this.seen() && roomForTwo()) {
      this.app.shell.activateById(this.panels.inspector.id);
    }
  }

  private lineEvents(): Parameters<typeof marking>[0] {
    const { s } = this.inspector;
    return {
      over: (view, line) => {
        const place = line === null || !this.seen() || !s.tape ? null : this.notebook.placeOf(view, line);
        if (place?.join() !== s.hoverPlace?.join()) {
          s.hoverPlace = place;
          s.changes.tell('hover');
        }
      },
      click: (view, line) => {
        const place = this.seen() && s.tape ? this.notebook.placeOf(view, line) : null;
        if (place && !this.notebook.edited(place)) {
          this.inspector.chooseLine(place);
        }
      }
    };
  }

  // ------------------------------------------------------------ lessons
  private async openLesson(no: string, cell?: string | null): Promise<void> {
    await this.bench.lesson(no, 'lesson', cell);
    if (window.innerWidth < NARROW) {
      this.lab?.collapseLeft();
    }
    this.reveal();
  }

  private async openExercise(no: string): Promise<void> {
    await this.bench.lesson(no, 'exercise');
    this.show('exercises');
  }

  private nextLabel = '';

  private addLauncher(): void {
    const { launcher } = this.use;
    this.app.commands.addCommand(`${PREFIX}continue`, {
      label: () => this.nextLabel || t('Next thing to do'), icon: bookIcon, execute: () => this.syllabus.goOn(), describedBy: { args: { type: 'object', properties: {} } }
    });
    ['open-syllabus', 'continue', 'record-example'].forEach((name, rank) => launcher?.add({ command: PREFIX + name, category: 'Autodiff', rank }));
  }

  /** The first start opens the syllabus, once. */
  private async begin(): Promise<void> {
    await this.app.restored;
    const greeted = await this.use.state?.fetch(GREETED);
    if (!greeted && this.settings.openSyllabusAtStart && this.lab && roomForTwo()) {
      await this.use.state?.save(GREETED, true);
      this.app.shell.activateById(this.panels.syllabus.id);
    }
  }

  // ------------------------------------------------------------ settings and status
  private async configure(): Promise<void> {
    try {
      const held = await this.use.settings?.load(ID);
      const take = (): void => {
        this.settings = { ...DEFAULTS, ...(held?.composite as Partial<Settings>) };
        this.inspector.setSettings(this.settings);
      };
      held?.changed.connect(take);
      take();
    } catch {
      // Without its schema the extension keeps its defaults.
    }
  }

  private statusItem(): Widget {
    const item = new Widget();
    item.node.append(this.status);
    return item;
  }

  private described: Tape | null = null;

  private describe(): void {
    const { tape } = this.inspector.s;
    if (tape === this.described) {
      return;
    }
    this.described = tape;
    this.status.textContent = tape ? tn('tape: %1 node', 'tape: %1 nodes', tape.n) : '';
    refreshCommands(this.app);
  }
}

/** The three panels, their commands, keys and settings. */
const plugin: JupyterFrontEndPlugin<void> = {
  id: ID,
  description: 'Syllabus, tape inspector and exercises of autodiff_kit.',
  autoStart: true,
  requires: [INotebookTracker, IDocumentManager, ITranslator],
  optional: [ILabShell, IEditorExtensionRegistry, ICommandPalette, ILayoutRestorer, ILauncher, ISettingRegistry, IStateDB, IStatusBar, IThemeManager],
  activate: (app: JupyterFrontEnd, tracker: INotebookTracker, documents: IDocumentManager, translator: ITranslator, lab: ILabShell | null, editors: IEditorExtensionRegistry | null, palette: ICommandPalette | null,
    restorer: ILayoutRestorer | null, launcher: ILauncher | null, settings: ISettingRegistry | null, state: IStateDB | null, status: IStatusBar | null, themes: IThemeManager | null) => {
    speak(translator.load('autodiff_kit'));
    new Extension(app, lab, { tracker, documents, editors, palette, restorer, launcher, settings, state, status, themes });
  }
};
export default plugin;
