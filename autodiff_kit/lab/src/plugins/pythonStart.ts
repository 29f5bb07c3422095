import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { Dialog, showDialog } from '@jupyterlab/apputils';
import { INotebookTracker, type NotebookPanel } from '@jupyterlab/notebook';
import { ITranslator } from '@jupyterlab/translation';
import { StartBanner } from '../common/startBanner';
import { loadTranslations, t } from '../common/translation';
import { EngineProgress } from '../services/engineProgress';
import { siteSyllabus } from '../services/kernelTransport';

// A kernel of the browser says nothing before Python runs: its status is unknown until then.
const ON_THE_WAY = ['initializing', 'connecting', 'starting', 'restarting', 'autorestarting', 'unknown'];

/** A banner above a notebook's cells for as long as its kernel is on the way: a cell that is run waits, and nothing else tells why. */
function follow(panel: NotebookPanel, progress: EngineProgress): void {
  const { sessionContext } = panel;
  const banner = new StartBanner(() => void sessionContext.restartKernel());
  const draw = (): void => banner.showState(progress.state);
  const look = (): void => {
    const without = sessionContext.isReady && !sessionContext.session?.kernel; // somebody chose to have no kernel
    const coming = (!without && ON_THE_WAY.includes(sessionContext.kernelDisplayStatus)) || progress.state?.stage === 'failed';
    if (coming !== banner.isAttached) {
      if (coming) {
        panel.contentHeader.addWidget(banner);
      } else {
        banner.parent = null;
        progress.forget();
      }
      draw();
    }
  };
  const told = (): void => {
    draw();
    look();
  };
  sessionContext.statusChanged.connect(look);
  sessionContext.kernelChanged.connect(look);
  sessionContext.sessionChanged.connect(look);
  progress.listeners.add(told);
  panel.disposed.connect(() => {
    progress.listeners.delete(told);
    banner.dispose();
  });
  look();
}

/** A cell that runs in the page itself cannot be interrupted: whoever asks for that is asked whether to restart. */
async function offerRestart({ sessionContext }: NotebookPanel): Promise<void> {
  if (sessionContext.session?.kernel?.status === 'busy') {
    const { button } = await showDialog({
      title: t('Stop this cell?'),
      body: t('Python runs in this page and cannot be interrupted in the middle of a cell. It can be restarted: your notebook stays, the values of its variables go.'),
      buttons: [Dialog.cancelButton({ label: t('Let it run') }), Dialog.warnButton({ label: t('Restart Python') })]
    });
    if (button.accept) {
      await sessionContext.restartKernel();
    }
  }
}

const plugin: JupyterFrontEndPlugin<void> = {
  id: 'autodiff-kit:python-start',
  description: 'On a site without a server: shows how far Python is on its way into the page, and stops it.',
  autoStart: true,
  requires: [INotebookTracker, ITranslator],
  activate: (app: JupyterFrontEnd, tracker: INotebookTracker, translator: ITranslator) => {
    loadTranslations(translator);
    if (siteSyllabus()) {
      const progress = new EngineProgress();
      tracker.forEach(panel => follow(panel, progress));
      tracker.widgetAdded.connect((_sender, panel) => follow(panel, progress));
      // The banner says what is wrong and tries again; JupyterLab's dialogs would lie over it, and offer kernels that there are not.
      const isFailed = (): boolean => progress.state?.stage === 'failed';
      progress.listeners.add(() => isFailed() && Dialog.flush());
      Dialog.tracker.widgetAdded.connect((_, dialog) => isFailed() && dialog.reject());
      app.commands.commandExecuted.connect((_, { id }) => {
        if (id === 'notebook:interrupt-kernel' && tracker.currentWidget) {
          void offerRestart(tracker.currentWidget);
        }
      });
    }
  }
};
export default plugin;
