import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { PageConfig } from '@jupyterlab/coreutils';
import { IDocumentManager } from '@jupyterlab/docmanager';
import { INotebookTracker, type NotebookPanel } from '@jupyterlab/notebook';
import { siteSyllabus } from '../services/kernelTransport';

/** Open the notebook that a lesson page's address names, with the arguments of JupyterLite's own call: that comes after the page's layout was saved, half a second later, and finds the notebook open. */
function openNotebook(documents: IDocumentManager): void {
  const query = new URLSearchParams(location.search);
  const path = query.get('path');
  if (PageConfig.getOption('notebookPage') === 'notebooks' && path && !query.has('factory')) {
    documents.openOrReveal(path, documents.registry.defaultWidgetFactory(path).name, undefined, { ref: '_noref' });
  }
}

/** Ask for a notebook's kernel once its file has been read. JupyterLab asks after it has made a checkpoint (a backup copy of the file), for which the browser's storage takes more than a second while a page is being drawn. */
async function startKernel({ context }: NotebookPanel): Promise<void> {
  await context.ready;
  const { model, sessionContext } = context;
  const { kernelPreference } = sessionContext;
  // As JupyterLab's Context does before it asks.
  sessionContext.kernelPreference = {
    ...kernelPreference,
    name: model.defaultKernelName || kernelPreference.name,
    language: model.defaultKernelLanguage
  };
  await sessionContext.initialize(); // JupyterLab's later call gets the same result, and shows the kernel dialog if no kernel is named
}

const plugin: JupyterFrontEndPlugin<void> = {
  id: 'autodiff-kit:site-start',
  description: 'On a site without a server: opens the notebook and asks for its kernel as soon as that is possible.',
  autoStart: true,
  requires: [INotebookTracker, IDocumentManager],
  activate: (app: JupyterFrontEnd, tracker: INotebookTracker, documents: IDocumentManager) => {
    if (siteSyllabus()) {
      void app.started.then(() => openNotebook(documents));
      tracker.widgetAdded.connect((_, panel) => {
        startKernel(panel).catch(() => undefined); // the session context has shown the error
      });
    }
  }
};
export default plugin;
