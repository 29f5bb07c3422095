import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ISessionContextDialogs, SessionContextDialogs } from '@jupyterlab/apputils';
import { IDocumentManager } from '@jupyterlab/docmanager';
import { INotebookTracker } from '@jupyterlab/notebook';
import { ITranslator } from '@jupyterlab/translation';
import { addCommands, objectSchema } from '../common/commands';
import { loadTranslations, t } from '../common/translation';
import { NotebookActions } from '../services/notebookActions';
import { INotebookActions, INotebookRuns, INotebookSessions } from '../services/tokens';

const SOON = 500; // ms; a cell may write progress several times

const plugin: JupyterFrontEndPlugin<INotebookActions> = {
  id: 'autodiff-kit:notebook-actions',
  description: 'Opens lessons and exercises, and runs checks and examples in notebooks.',
  autoStart: true,
  requires: [INotebookRuns, INotebookTracker, IDocumentManager, ITranslator],
  optional: [INotebookSessions, ISessionContextDialogs],
  provides: INotebookActions,
  activate: (app: JupyterFrontEnd, runs: INotebookRuns, tracker: INotebookTracker, documents: IDocumentManager, translator: ITranslator, sessions: INotebookSessions | null, dialogs: ISessionContextDialogs | null) => {
    loadTranslations(translator);
    const actions = new NotebookActions(app, documents, runs, () => tracker.currentWidget, dialogs ?? new SessionContextDialogs({ translator }));
    actions.kernelWithKit = () => (sessions?.current?.client?.isOpen ? sessions.current.client.kernel : null);
    if (sessions && actions.server.checksInKernel) {
      let known: unknown = null;
      sessions.clientChanged.connect((_, { client }) => {
        if (client?.isOpen && client !== known) {
          known = client; // this kernel has just loaded the kit, and can be asked
          actions.progressChanged.emit();
        }
      });
    }
    let later = 0;
    sessions?.progressAnnounced.connect(() => {
      actions.progressChanged.emit();
      if (actions.server.checksInKernel) {
        // A copy is kept with the answer: the panels show it the next day, before Python runs.
        clearTimeout(later);
        later = window.setTimeout(() => void actions.server.progress(0).catch(() => undefined), SOON);
      }
    });
    addCommands(app, null, {
      'open-lesson': {
        label: () => t('Open a lesson'),
        execute: async ({ no, what }) => void (await actions.openNotebook(String(no), what === 'exercise' ? 'exercise' : 'lesson')),
        args: objectSchema({ no: { type: 'string' }, what: { enum: ['lesson', 'exercise'] } })
      }
    });
    return actions;
  }
};
export default plugin;
