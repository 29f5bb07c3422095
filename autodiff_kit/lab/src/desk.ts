import type { JupyterFrontEnd } from '@jupyterlab/application';
import type { IDocumentManager } from '@jupyterlab/docmanager';
import type { NotebookPanel } from '@jupyterlab/notebook';
import type { KernelMessage } from '@jupyterlab/services';
import type { Desk } from './exercise';
import { Server } from './server';
import { t } from './text';

/** What a check came to: a word, or the error that stopped it. */
interface Said {
  status: string;
  data?: Record<string, string>;
  ename?: string;
  evalue?: string;
}

/** What panels make of a notebook: open it, go to a cell, run a check, save it. */
export class Workbench {
  /** Progress may have changed: panels that show it ask again. */
  changed: () => void = () => undefined;

  constructor(private readonly app: JupyterFrontEnd, private readonly documents: IDocumentManager, private readonly server: Server, readonly front: () => NotebookPanel | null) {}

  /** Open a lesson or its exercises; the server copies them into the learner's folder first. */
  async lesson(no: string, what: 'lesson' | 'exercise', cell?: string | null): Promise<void> {
    const opened = await this.server.open(no, what);
    if (what === 'lesson') {
      await this.server.begun(no).catch(() => undefined); // it opens even where this cannot be noted
    }
    const panel = this.documents.openOrReveal(opened.path) as NotebookPanel | undefined;
    this.changed();
    const to = cell ?? opened.cell;
    if (panel && to) {
      await panel.context.ready;
      await panel.revealed;
      this.gotoCell(to, panel);
    }
  }

  gotoCell(id: string, panel = this.front()): void {
    const at = panel?.content.widgets.findIndex(cell => cell.model.id === id) ?? -1;
    if (panel && at >= 0) {
      panel.content.activeCellIndex = at;
      void panel.content.scrollToItem(at, 'center').catch(() => undefined);
    }
  }

  /** Run a question's check; what it says is kept by the kernel, so its output is not shown. Gives what went wrong. */
  async check(label: string): Promise<string | null> {
    const kernel = this.front()?.sessionContext.session?.kernel;
    if (!kernel) {
      return t('No kernel runs for this notebook. Run a cell first.');
    }
    const future = kernel.requestExecute({ code: '', user_expressions: { outcome: `${label}.check().outcome` }, store_history: false, allow_stdin: false });
    const { content } = (await future.done) as KernelMessage.IExecuteReplyMsg;
    const said = (content.status === 'ok' ? content.user_expressions.outcome : content) as unknown as Said;
    if (said.status === 'ok') {
      return said.data?.['text/plain'] === "'not attempted'" ? t('Nothing to check yet: write your answer in the notebook, run its cell, then check. This cost no try.') : null;
    }
    const { ename, evalue } = said;
    return ename === 'NameError' ? t('%1. Run the notebook’s first cell, which brings the questions.', evalue) : `${ename}: ${evalue}`;
  }

  restart(): void {
    void this.front()?.sessionContext.restartKernel();
  }

  /** Put an example in the notebook in front, or in a new one, and run it. */
  async example(code: string): Promise<void> {
    const { commands } = this.app;
    if (!this.front()) {
      await commands.execute('notebook:create-new', { kernelName: 'python3', activate: true });
    }
    const panel = this.front();
    await panel?.context.ready;
    await panel?.sessionContext.ready;
    if (panel) {
      const last = panel.content.widgets.length - 1;
      panel.content.activeCellIndex = last;
      if (panel.content.activeCell?.model.sharedModel.getSource().trim()) {
        await commands.execute('notebook:insert-cell-below');
      }
      panel.content.activeCell?.model.sharedModel.setSource(code);
      await commands.execute('notebook:run-cell');
    }
  }

  /** The desk of the exercises panel. */
  desk(): Desk {
    return {
      path: () => this.front()?.context.path ?? null,
      check: label => this.check(label),
      gotoCell: id => this.gotoCell(id),
      saved: path => this.saved(path),
      save: async () => this.front()?.context.save(),
      lesson: (no, what) => this.lesson(no, what),
      checked: () => this.changed()
    };
  }

  private async saved(path: string): Promise<string | null> {
    if (this.front()?.context.model.dirty) {
      return null;
    }
    const file = await this.app.serviceManager.contents.get(path, { content: false, hash: true } as never);
    return (file as unknown as { hash?: string | null }).hash ?? null;
  }
}
