import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { Notification } from '@jupyterlab/apputils';
import type { Kernel } from '@jupyterlab/services';
import { ITranslator } from '@jupyterlab/translation';
import { loadTranslations, t } from '../common/translation';
import { siteSyllabus } from '../services/kernelTransport';
import { INotebookSessions } from '../services/tokens';

const SOON = 2000; // ms after which the good news goes by itself

/** Kept when the kernel rests for the first time: Python was loaded, and what its start asks of it is done. */
function started(kernel: Kernel.IKernelConnection): Promise<void> {
  return new Promise((resolve, reject) => {
    const look = (): void => {
      if (kernel.status === 'idle') {
        resolve();
      } else if (kernel.isDisposed || kernel.status === 'dead') {
        reject(new Error('the kernel is gone'));
      }
    };
    kernel.statusChanged.connect(look);
    kernel.disposed.connect(look);
    look();
  });
}

/** Says that Python is being loaded, until it answers: a cell that was run before then waits, and nothing else tells why. */
async function announce(kernel: Kernel.IKernelConnection): Promise<void> {
  const id = Notification.emit(t('Python is being loaded into this page. Cells that you run wait for it.'), 'in-progress', { autoClose: false });
  try {
    await started(kernel);
    Notification.update({ id, type: 'success', message: t('Python runs in this page.'), autoClose: SOON });
  } catch {
    Notification.dismiss(id); // the kernel was stopped, or another one took its place
  }
}

const plugin: JupyterFrontEndPlugin<void> = {
  id: 'autodiff-kit:python-start',
  description: 'On a site without a server: tells that Python is being loaded into the page.',
  autoStart: true,
  requires: [INotebookSessions, ITranslator],
  activate: (_: JupyterFrontEnd, sessions: INotebookSessions, translator: ITranslator) => {
    loadTranslations(translator);
    if (siteSyllabus()) {
      sessions.clientReplaced.connect((_sender, { client }) => client && void announce(client.kernel));
    }
  }
};
export default plugin;
