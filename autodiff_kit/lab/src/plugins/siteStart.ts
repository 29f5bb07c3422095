import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { PageConfig } from '@jupyterlab/coreutils';
import { IDocumentManager } from '@jupyterlab/docmanager';
import { INotebookTracker, type NotebookPanel } from '@jupyterlab/notebook';
import { siteSyllabus } from '../services/kernelTransport';

/** Open the notebook that the page's address names. JupyterLite opens it after it has saved its state, for which it waits half a second; it then finds the notebook open. */
function openNotebook(documents: IDocumentManager): void {
  const asked = new URLSearchParams(location.search);
  const path = asked.get('path');
  if (PageConfig.getOption('notebookPage') === 'notebooks' && path && !asked.has('factory')) {
    documents.openOrReveal(path, documents.registry.defaultWidgetFactory(path).name, undefined, { ref: '_noref' });
  }
}

/** Ask for a notebook's kernel once its cells are known. JupyterLab asks after it has made a checkpoint, for which the browser's storage takes more than a second while a page is being drawn. */
async function startKernel({ context }: NotebookPanel): Promise<void> {
  await context.ready;
  const { model, sessionContext } = context;
  const { kernelPreference } = sessionContext;
  sessionContext.kernelPreference = {
    ...kernelPreference,
    name: model.defaultKernelName || kernelPreference.name,
    language: model.defaultKernelLanguage
  };
  await sessionContext.initialize(); // JupyterLab's own call gets the same answer, and asks for a kernel if none is named
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
        startKernel(panel).catch(() => undefined); // JupyterLab's own call fails alike, and tells why
      });
    }
  }
};
export default plugin;
