import { ILayoutRestorer, type JupyterFrontEnd, type JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ICommandPalette } from '@jupyterlab/apputils';
import { INotebookTracker } from '@jupyterlab/notebook';
import { ITranslator } from '@jupyterlab/translation';
import { addCommands } from '../common/commands';
import { pencilIcon } from '../common/icons';
import { SidePanel } from '../common/sidePanel';
import { loadTranslations, t } from '../common/translation';
import { exercisesCommands } from '../exercises/exercisesCommands';
import { ExercisesPanel, type ExercisesHost } from '../exercises/exercisesPanel';
import { INotebookActions } from '../services/tokens';

/** What the panel does with the current notebook. */
const hostOf = (actions: INotebookActions): ExercisesHost => ({
  notebookPath: () => actions.currentNotebook()?.context.path ?? null,
  runCheck: (label, question) => actions.runCheck(label, question),
  goToCell: id => actions.goToCell(id),
  savedHash: path => actions.savedHash(path),
  saveNotebook: async () => actions.currentNotebook()?.context.save(),
  openNotebook: async (no, what) => void (await actions.openNotebook(no, what)),
  progressChanged: () => actions.progressChanged.emit()
});

const plugin: JupyterFrontEndPlugin<void> = {
  id: 'autodiff-kit:exercises',
  description: 'Lists the questions of the current notebook, checks them and hands the notebook in.',
  autoStart: true,
  requires: [INotebookActions, INotebookTracker, ITranslator],
  optional: [ILayoutRestorer, ICommandPalette],
  activate: (app: JupyterFrontEnd, actions: INotebookActions, tracker: INotebookTracker, translator: ITranslator, restorer: ILayoutRestorer | null, palette: ICommandPalette | null) => {
    loadTranslations(translator);
    const exercises = new ExercisesPanel(actions.server, hostOf(actions));
    const panel = new SidePanel('autodiff-kit-exercises', t('Exercises'), pencilIcon, exercises.el);
    app.shell.add(panel, 'right', { rank: 601, type: 'Autodiff' });
    restorer?.add(panel, panel.id);
    const show = (): void => panel.activateWithFocus(app.shell);
    const reloadIfVisible = (): void => void (panel.isVisible && exercises.load());
    panel.onShown = () => void exercises.load();
    actions.progressChanged.connect(reloadIfVisible);
    actions.exercisesStarted.connect(show);
    tracker.currentChanged.connect((_, notebook) => {
      notebook?.context.pathChanged.connect(reloadIfVisible); // a slot is connected once, however often it is asked for
      reloadIfVisible();
    });
    addCommands(app, palette, exercisesCommands(exercises, show));
  }
};
export default plugin;
