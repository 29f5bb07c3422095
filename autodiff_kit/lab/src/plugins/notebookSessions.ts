import type { JupyterFrontEndPlugin } from '@jupyterlab/application';
import { INotebookTracker } from '@jupyterlab/notebook';
import { ITranslator } from '@jupyterlab/translation';
import { loadTranslations } from '../common/translation';
import { NotebookSessions } from '../services/notebookSessions';
import { INotebookSessions } from '../services/tokens';

const plugin: JupyterFrontEndPlugin<INotebookSessions> = {
  id: 'autodiff-kit:notebook-sessions',
  description: 'Follows the open notebooks and keeps a comm to the kernel of each.',
  autoStart: true,
  requires: [INotebookTracker, ITranslator],
  provides: INotebookSessions,
  activate: (_, tracker: INotebookTracker, translator: ITranslator) => {
    loadTranslations(translator);
    return new NotebookSessions(tracker);
  }
};
export default plugin;
