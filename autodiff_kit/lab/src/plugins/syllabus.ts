import { ILabShell, ILayoutRestorer, type JupyterFrontEnd, type JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ICommandPalette } from '@jupyterlab/apputils';
import { ILauncher } from '@jupyterlab/launcher';
import { INotebookTracker } from '@jupyterlab/notebook';
import { IStateDB } from '@jupyterlab/statedb';
import { ITranslator } from '@jupyterlab/translation';
import { addCommands, CATEGORY, COMMAND_PREFIX } from '../common/commands';
import { chooseFile, download } from '../common/download';
import { bookIcon } from '../common/icons';
import { hasRoomBeside, SidePanel } from '../common/sidePanel';
import { loadTranslations, t } from '../common/translation';
import { INotebookActions, IPanelSettings } from '../services/tokens';
import { syllabusCommands } from '../syllabus/syllabusCommands';
import { SyllabusPanel } from '../syllabus/syllabusPanel';

const GREETED = 'autodiff-kit:greeted'; // key of the state database: the syllabus has opened by itself

/** Open the syllabus at the first start, once for a folder of lessons. */
async function openAtFirstStart(app: JupyterFrontEnd, panel: SidePanel, settings: IPanelSettings | null, state: IStateDB | null): Promise<void> {
  await app.restored;
  const greeted = await state?.fetch(GREETED);
  if (!greeted && (settings?.values.openSyllabusAtStart ?? true) && hasRoomBeside()) {
    await state?.save(GREETED, true);
    app.shell.activateById(panel.id);
  }
}

const plugin: JupyterFrontEndPlugin<void> = {
  id: 'autodiff-kit:syllabus',
  description: 'Lists the lessons with the learner’s progress, and opens the next one.',
  autoStart: true,
  requires: [INotebookActions, ITranslator],
  optional: [IPanelSettings, ILabShell, ILayoutRestorer, ICommandPalette, ILauncher, IStateDB, INotebookTracker],
  activate: (app: JupyterFrontEnd, actions: INotebookActions, translator: ITranslator, settings: IPanelSettings | null, lab: ILabShell | null, restorer: ILayoutRestorer | null,
    palette: ICommandPalette | null, launcher: ILauncher | null, state: IStateDB | null, tracker: INotebookTracker | null) => {
    loadTranslations(translator);
    const syllabus = new SyllabusPanel(actions.server, { lesson: no => actions.startLesson(no), resume: (no, cell) => actions.resumeLesson(no, cell), exercise: no => actions.startExercises(no), save: download, choose: chooseFile, progressChanged: () => actions.progressChanged.emit() });
    const panel = new SidePanel('autodiff-kit-syllabus', t('Syllabus'), bookIcon, syllabus.el);
    app.shell.add(panel, 'left', { rank: 600, type: 'Autodiff' });
    restorer?.add(panel, panel.id);
    panel.onShown = () => void syllabus.load();
    actions.progressChanged.connect(() => void (panel.isVisible && syllabus.refreshProgress()));
    tracker?.currentChanged.connect((_, notebook) => syllabus.showNotebook(notebook?.context.path ?? ''));
    let next = { label: '', title: '' };
    syllabus.onNextStep = (label, title) => (next = { label, title });
    addCommands(app, palette, syllabusCommands(syllabus, () => panel.activateWithFocus(app.shell), () => panel.activateWithFocus(app.shell, () => syllabus.focusSearch()), () => next));
    ['open-syllabus', 'continue'].forEach((name, rank) => launcher?.add({ command: COMMAND_PREFIX + name, category: CATEGORY, rank }));
    if (lab) {
      void openAtFirstStart(app, panel, settings, state);
    }
  }
};
export default plugin;
