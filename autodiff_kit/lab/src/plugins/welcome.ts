import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ICommandPalette, MainAreaWidget } from '@jupyterlab/apputils';
import { PageConfig } from '@jupyterlab/coreutils';
import { INotebookTracker } from '@jupyterlab/notebook';
import { IStateDB } from '@jupyterlab/statedb';
import { ITranslator } from '@jupyterlab/translation';
import { Widget } from '@lumino/widgets';
import { addCommands, executeIfAvailable } from '../common/commands';
import { bookIcon } from '../common/icons';
import { loadTranslations, t } from '../common/translation';
import { INotebookActions } from '../services/tokens';
import { welcomePage } from '../welcome/welcomePage';

const WELCOMED = 'autodiff-kit:welcomed'; // key of the state database: the page has opened by itself

/** The page as a tab; it closes when a notebook comes to the front. */
class WelcomeTab {
  private tab: MainAreaWidget | null = null;

  constructor(private readonly app: JupyterFrontEnd, private readonly actions: INotebookActions) {}

  show(): void {
    this.tab ??= this.create();
    this.app.shell.activateById(this.tab.id);
  }

  /** In place of the launcher, which JupyterLab opens where there is nothing else. */
  showInPlaceOfLauncher(): void {
    for (const widget of [...this.app.shell.widgets('main')]) {
      if (widget.id.startsWith('launcher')) {
        widget.dispose();
      }
    }
    this.show();
  }

  close(): void {
    this.tab?.dispose();
  }

  private create(): MainAreaWidget {
    const { app, actions } = this;
    const content = new Widget();
    content.node.append(welcomePage({
      currentLesson: () => currentLesson(actions),
      startFirstLesson: () => void actions.startLesson('00').catch(() => executeIfAvailable(app, 'open-syllabus')),
      goOn: () => executeIfAvailable(app, 'open-next'),
      showLessons: () => executeIfAvailable(app, 'find-lesson'),
      showInspector: () => executeIfAvailable(app, 'open-inspector')
    }));
    const tab = new MainAreaWidget({ content });
    tab.id = 'autodiff-kit-welcome';
    tab.title.label = t('Welcome');
    tab.title.icon = bookIcon;
    tab.title.closable = true;
    tab.disposed.connect(() => (this.tab = null));
    app.shell.add(tab, 'main');
    return tab;
  }
}

/** Where the learner goes on; null where nothing has been done, or where nobody knows. */
async function currentLesson({ server }: INotebookActions): Promise<string | null> {
  const { lessons, next } = (await server.syllabus().catch(() => null))?.progress ?? { lessons: {}, next: null };
  return Object.keys(lessons).length ? (next?.lesson ?? null) : null;
}

/** The notebook that the page's address names, in JupyterLab or in Notebook; empty where it names none. */
const linkedNotebook = (): string => ['treePath', 'notebookPath'].map(name => PageConfig.getOption(name)).find(path => path.endsWith('.ipynb')) ?? '';

const plugin: JupyterFrontEndPlugin<void> = {
  id: 'autodiff-kit:welcome',
  description: 'Says on the first start what the lessons are and where to begin.',
  autoStart: true,
  requires: [INotebookActions, INotebookTracker, ITranslator],
  optional: [IStateDB, ICommandPalette],
  activate: (app: JupyterFrontEnd, actions: INotebookActions, tracker: INotebookTracker, translator: ITranslator, state: IStateDB | null, palette: ICommandPalette | null) => {
    loadTranslations(translator);
    const welcome = new WelcomeTab(app, actions);
    addCommands(app, palette, { 'open-welcome': { label: () => t('Welcome'), execute: () => welcome.show(), icon: bookIcon } });
    tracker.currentChanged.connect((_, notebook) => notebook && welcome.close());
    void app.restored.then(async () => {
      if (state && !(await state.fetch(WELCOMED))) {
        await state.save(WELCOMED, true);
        // A link into a notebook, or a folder without lessons, needs no welcome; the tabs of an older workspace do.
        if (!linkedNotebook() && (await actions.server.syllabus().catch(() => null))?.lessons.length) {
          welcome.showInPlaceOfLauncher();
        }
      }
    });
  }
};
export default plugin;
