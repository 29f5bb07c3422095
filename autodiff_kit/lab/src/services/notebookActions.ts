import type { JupyterFrontEnd } from '@jupyterlab/application';
import type { ISessionContextDialogs } from '@jupyterlab/apputils';
import { CodeCell } from '@jupyterlab/cells';
import type { IDocumentManager } from '@jupyterlab/docmanager';
import type { NotebookPanel } from '@jupyterlab/notebook';
import type { Kernel, KernelMessage } from '@jupyterlab/services';
import { Signal } from '@lumino/signaling';
import { type CellRuns, kitMetadata, type NotebookRuns } from './cellRuns';
import { isDead } from './kernelActivity';
import { ensureKernel } from './kernelStart';
import { KernelTransport, siteSyllabus } from './kernelTransport';
import { HttpTransport, ServerClient, ServerError } from './serverClient';
import { t } from '../common/translation';

const LOADING = 5000; // ms after the first cell in which a kernel of the site opens its comm
const SHORTLY = 50; // ms

/** What the kernel replied to a check: its outcome, or the error that stopped it. */
interface CheckReply {
  status: string;
  data?: Record<string, string>;
  ename?: string;
  evalue?: string;
}

/** What the panels do with notebooks: open lessons, go to a cell, run a check or an example, and with the server. */
export class NotebookActions {
  readonly server: ServerClient;
  /** Progress may have changed: panels that show it ask the server again. */
  readonly progressChanged = new Signal<this, void>(this);
  /** A lesson was opened for reading; the argument is its number. */
  readonly lessonStarted = new Signal<this, string>(this);
  /** A lesson's exercises were opened for solving. */
  readonly exercisesStarted = new Signal<this, string>(this);

  constructor(private readonly app: JupyterFrontEnd, private readonly documents: IDocumentManager, private readonly runs: NotebookRuns, readonly currentNotebook: () => NotebookPanel | null, private readonly dialogs: ISessionContextDialogs) {
    const kernel = (): Kernel.IKernelConnection | null => this.kernelWithKit();
    this.server = new ServerClient(siteSyllabus() ? new KernelTransport(kernel, app.serviceManager.contents) : new HttpTransport());
  }

  /** The kernel of the notebook in front, once it has imported the kit: set by whoever follows the kernels' comms. */
  kernelWithKit: () => Kernel.IKernelConnection | null = () => null;

  /** Open a lesson, at a cell where one is named, and tell the panels. */
  async startLesson(no: string, cell?: string | null): Promise<void> {
    await this.openNotebook(no, 'lesson', cell);
    this.lessonStarted.emit(no);
  }

  /** Open a lesson where the learner left it: what is above has run, and a question that comes next is asked. */
  async resumeLesson(no: string, cell?: string | null): Promise<void> {
    const panel = await this.openNotebook(no, 'lesson', cell);
    this.lessonStarted.emit(no);
    const next = panel?.content.activeCell;
    if (panel && next) {
      const asked = next instanceof CodeCell && kitMetadata(next.model)?.role === 'predict' && !this.runs.of(panel).isCurrent(next) ? [next] : [];
      await this.runs.of(panel).runAbove(next, ...asked);
      if (!panel.isDisposed && panel.content.activeCell === next) {
        this.goToCell(next.model.id, panel); // outputs above have come, and moved it
      }
    }
  }

  /** Open a lesson's exercises, and tell the panels. */
  async startExercises(no: string): Promise<void> {
    await this.openNotebook(no, 'exercise');
    this.exercisesStarted.emit(no);
  }

  /** Open a lesson or its exercises; the server copies them into the learner's folder first. */
  async openNotebook(no: string, what: 'lesson' | 'exercise', cell?: string | null): Promise<NotebookPanel | undefined> {
    const opened = await this.server.openNotebook(no, what);
    if (what === 'lesson') {
      await this.server.markBegun(no).catch(() => undefined); // it opens even where this cannot be noted
    }
    const panel = this.documents.openOrReveal(opened.path) as NotebookPanel | undefined;
    this.progressChanged.emit();
    const to = cell ?? opened.cell;
    if (panel && to) {
      await panel.context.ready;
      await panel.revealed;
      this.goToCell(to, panel);
    }
    return panel;
  }

  goToCell(id: string, panel = this.currentNotebook()): void {
    const at = panel?.content.widgets.findIndex(cell => cell.model.id === id) ?? -1;
    if (panel && at >= 0) {
      panel.content.activeCellIndex = at;
      void panel.content.scrollToItem(at, 'center').catch(() => undefined);
    }
  }

  /** Run a question's check, after the cells that it needs; what it says is kept by the kernel, so its output is not shown. Gives what went wrong. */
  async runCheck(label: string, question: string): Promise<string | null> {
    const panel = this.currentNotebook();
    if (panel) {
      await runAnswer(panel, this.runs.of(panel), question);
    }
    const kernel = panel?.sessionContext.session?.kernel;
    if (!kernel) {
      return t('No kernel runs for this notebook. Run a cell first.');
    }
    if (this.server.checksInKernel) {
      await this.kitLoaded();
      return this.server.check(label).then(({ outcome }) => attemptAdvice(outcome), (error: ServerError) => checkAdvice(error.code === 'not_loaded' ? 'NameError' : error.code, error.message));
    }
    let content: KernelMessage.IExecuteReplyMsg['content'];
    try {
      const future = kernel.requestExecute({ code: '', user_expressions: { outcome: `${label}.check().outcome` }, store_history: false, allow_stdin: false });
      ({ content } = (await future.done) as KernelMessage.IExecuteReplyMsg);
    } catch {
      return t('The kernel stopped before it answered.'); // it was restarted, or it died
    }
    const said = (content.status === 'ok' ? content.user_expressions.outcome : content) as unknown as CheckReply;
    if (said.status === 'ok') {
      return attemptAdvice(said.data?.['text/plain'].slice(1, -1));
    }
    if (said.status === 'aborted' || !said.ename) {
      return t('A cell before it stopped with an error, so nothing was checked. Check again.');
    }
    return checkAdvice(said.ename, said.evalue);
  }

  /** Where the kernel answers the panels: wait a moment for the cell that has just loaded the kit. */
  private async kitLoaded(): Promise<void> {
    for (let waited = 0; !this.kernelWithKit() && waited < LOADING; waited += SHORTLY) {
      await new Promise(rest => setTimeout(rest, SHORTLY));
    }
  }

  /** Restart the kernel of the notebook in front; start one where none runs. */
  async restartKernel(): Promise<void> {
    const sessionContext = this.currentNotebook()?.sessionContext;
    const kernel = sessionContext?.session?.kernel;
    if (kernel && !isDead(kernel)) {
      await sessionContext.restartKernel();
    } else if (sessionContext) {
      await ensureKernel(sessionContext, this.dialogs);
    }
  }

  /** Put an example in the notebook in front, or in a new one, and run it. */
  async runExample(code: string): Promise<void> {
    const { commands } = this.app;
    if (!this.currentNotebook()) {
      await commands.execute('notebook:create-new', { kernelName: 'python3', activate: true });
    }
    const panel = this.currentNotebook();
    await panel?.context.ready;
    await panel?.sessionContext.ready;
    if (panel) {
      const last = panel.content.widgets.length - 1;
      panel.content.activeCellIndex = last;
      const { model } = panel.content.activeCell ?? {};
      if (model?.type !== 'code' || model.sharedModel.getSource().trim()) {
        await commands.execute('notebook:insert-cell-below');
      }
      panel.content.activeCell?.model.sharedModel.setSource(code);
      await commands.execute('notebook:run-cell');
    }
  }

  /** SHA-256 of the saved file, empty where only a server could tell; null while the notebook has changes that are not saved. */
  async savedHash(path: string): Promise<string | null> {
    if (this.currentNotebook()?.context.model.dirty) {
      return null;
    }
    if (this.server.checksInKernel) {
      return '';
    }
    const file = await this.app.serviceManager.contents.get(path, { content: false, hash: true } as never);
    return (file as unknown as { hash?: string | null }).hash ?? null;
  }
}

/** Run a question's answer as it stands, after what is above it and has not run: the questions are loaded there. */
async function runAnswer({ content }: NotebookPanel, runs: CellRuns, question: string): Promise<void> {
  const answers = content.widgets.filter((cell): cell is CodeCell => cell instanceof CodeCell && kitMetadata(cell.model)?.question === question && kitMetadata(cell.model)?.part === 'answer');
  const [first] = answers;
  if (first) {
    await runs.runAbove(first, ...answers.filter(cell => !runs.isCurrent(cell)));
  }
}

/** What to tell a learner whose check was not counted; null where it was. */
const attemptAdvice = (outcome?: string): string | null =>
  outcome === 'not attempted' ? t('Nothing to check yet: write your answer in the notebook, then check. This cost no try.') : null;

/** What to tell a learner whose check could not run. */
const checkAdvice = (name?: string, text?: string): string =>
  name === 'NameError' ? t('%1. Run the notebook’s first cell, which loads the questions.', text ?? '') : `${name}: ${text}`;
