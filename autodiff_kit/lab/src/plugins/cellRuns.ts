import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ISessionContextDialogs, SessionContextDialogs } from '@jupyterlab/apputils';
import { INotebookTracker } from '@jupyterlab/notebook';
import { ITranslator } from '@jupyterlab/translation';
import { NotebookRuns } from '../services/cellRuns';
import { INotebookRuns } from '../services/tokens';

const plugin: JupyterFrontEndPlugin<INotebookRuns> = {
  id: 'autodiff-kit:cell-runs',
  description: 'Before a cell of a lesson runs, runs those above that its kernel has not run.',
  autoStart: true,
  requires: [INotebookTracker, ITranslator],
  optional: [ISessionContextDialogs],
  provides: INotebookRuns,
  activate: (app: JupyterFrontEnd, tracker: INotebookTracker, translator: ITranslator, dialogs: ISessionContextDialogs | null) => {
    const runs = new NotebookRuns(app.serviceManager.sessions, dialogs ?? new SessionContextDialogs({ translator }));
    tracker.forEach(panel => runs.of(panel));
    tracker.widgetAdded.connect((_, panel) => runs.of(panel));
    return runs;
  }
};
export default plugin;
