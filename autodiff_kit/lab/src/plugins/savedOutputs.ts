import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ISessionContextDialogs, SessionContextDialogs } from '@jupyterlab/apputils';
import { INotebookTracker, type NotebookPanel } from '@jupyterlab/notebook';
import { ITranslator } from '@jupyterlab/translation';
import { loadTranslations } from '../common/translation';
import { drawCellsSoon } from '../outputs/cellRendering';
import { NotebookOutputs } from '../outputs/notebookOutputs';
import { stayCleanWhenOpened } from '../outputs/openedClean';
import { INotebookRuns } from '../services/tokens';

const plugin: JupyterFrontEndPlugin<void> = {
  id: 'autodiff-kit:saved-outputs',
  description: 'Draws a lesson as soon as it is opened; shows widgets that the kernel no longer has as they last stood, and saves them so.',
  autoStart: true,
  requires: [INotebookRuns, INotebookTracker, ITranslator],
  optional: [ISessionContextDialogs],
  activate: (_: JupyterFrontEnd, runs: INotebookRuns, tracker: INotebookTracker, translator: ITranslator, dialogs: ISessionContextDialogs | null) => {
    loadTranslations(translator);
    const asked = dialogs ?? new SessionContextDialogs({ translator });
    const follow = (panel: NotebookPanel): void => {
      new NotebookOutputs(panel, runs.of(panel), asked);
      stayCleanWhenOpened(panel);
      void drawCellsSoon(panel);
    };
    tracker.forEach(follow);
    tracker.widgetAdded.connect((_sender, panel) => follow(panel));
  }
};
export default plugin;
