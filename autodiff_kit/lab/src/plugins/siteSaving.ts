import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { INotebookTracker, type NotebookPanel } from '@jupyterlab/notebook';
import { siteSyllabus } from '../services/kernelTransport';
import { INotebookSessions } from '../services/tokens';

const SOON = 300; // ms; a check writes progress several times

/** Save what is not saved. One save at a time: a second one would take the file of the first for somebody else's. */
async function save({ context }: NotebookPanel, saving: Set<unknown>): Promise<void> {
  if (!context.isReady || !context.model.dirty || saving.has(context)) {
    return;
  }
  saving.add(context);
  try {
    await context.save();
  } catch {
    // JupyterLab has shown what stands against it; the notebook stays unsaved.
  } finally {
    saving.delete(context);
  }
}

const plugin: JupyterFrontEndPlugin<void> = {
  id: 'autodiff-kit:site-saving',
  description: 'On a site without a server: saves a notebook after each check and prediction, and when its page is left.',
  autoStart: true,
  requires: [INotebookTracker],
  optional: [INotebookSessions],
  activate: (_: JupyterFrontEnd, tracker: INotebookTracker, sessions: INotebookSessions | null) => {
    if (!siteSyllabus()) {
      return; // there the notebook is a file, which its owner may not want to be written by every check
    }
    const saving = new Set<unknown>();
    const saveAll = (): void => tracker.forEach(panel => void save(panel, saving));
    let later = 0;
    sessions?.progressAnnounced.connect(() => {
      clearTimeout(later);
      later = window.setTimeout(saveAll, SOON);
    });
    document.addEventListener('visibilitychange', () => document.visibilityState === 'hidden' && saveAll());
    window.addEventListener('pagehide', saveAll);
  }
};
export default plugin;
