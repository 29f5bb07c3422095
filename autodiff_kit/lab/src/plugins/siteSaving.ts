import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { INotebookTracker, type NotebookPanel } from '@jupyterlab/notebook';
import { siteSyllabus } from '../services/kernelTransport';
import { INotebookSessions } from '../services/tokens';

type Context = NotebookPanel['context'];
type Content = ReturnType<Context['model']['toJSON']>;

/** A notebook that was not saved when its page was left, and when its file had been changed last. */
interface Left {
  modified?: string;
  notebook: Content;
}

const LEFT = 'autodiff-kit:left:'; // and the notebook's path: its key in the browser's storage
const SOON = 300; // ms; a check writes progress several times

/** Let a notebook's saves take turns, whoever asks for them: of two at once each takes the other's file for a stranger's. */
export function saveInTurn(context: Pick<Context, 'save'>): void {
  const own = context.save.bind(context);
  let last: Promise<unknown> = Promise.resolve();
  context.save = () => {
    const turn = last.then(own, own);
    last = turn;
    return turn;
  };
}

/** Save what is not saved. */
async function save(context: Context): Promise<void> {
  if (!context.isReady || !context.model.dirty) {
    return;
  }
  try {
    await context.save();
    localStorage.removeItem(LEFT + context.path);
  } catch {
    // JupyterLab has shown what stands against it; the notebook stays unsaved.
  }
}

/** Note at once what is not saved: a page that is being left has no time for a save, which asks the storage several times. */
function note({ isReady, model, path, contentsModel }: Context): void {
  if (isReady && model.dirty) {
    const left: Left = { modified: contentsModel?.last_modified, notebook: model.toJSON() };
    try {
      localStorage.setItem(LEFT + path, JSON.stringify(left));
    } catch {
      // No room for it: the save that begins now may still end.
    }
  }
}

/** Bring back what was noted, unless the file was saved after all. */
async function bringBack(context: Context): Promise<void> {
  await context.ready;
  const noted = localStorage.getItem(LEFT + context.path);
  if (noted) {
    const { modified, notebook } = JSON.parse(noted) as Left;
    if (modified === context.contentsModel?.last_modified) {
      context.model.fromJSON(notebook);
      context.model.dirty = true;
      await save(context);
    }
    localStorage.removeItem(LEFT + context.path);
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
    const saveAll = (): void => tracker.forEach(({ context }) => void save(context));
    const leave = (): void => {
      tracker.forEach(({ context }) => note(context));
      saveAll();
    };
    let later = 0;
    sessions?.progressAnnounced.connect(() => {
      clearTimeout(later);
      later = window.setTimeout(saveAll, SOON);
    });
    tracker.widgetAdded.connect((_sender, { context }) => {
      saveInTurn(context);
      void bringBack(context);
    });
    document.addEventListener('visibilitychange', () => document.visibilityState === 'hidden' && leave());
    window.addEventListener('pagehide', leave);
  }
};
export default plugin;
