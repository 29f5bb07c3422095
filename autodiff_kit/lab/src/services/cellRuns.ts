import type { ISessionContextDialogs } from '@jupyterlab/apputils';
import { type Cell, CodeCell } from '@jupyterlab/cells';
import { type Notebook, NotebookActions, type NotebookPanel } from '@jupyterlab/notebook';
import type { Kernel, Session } from '@jupyterlab/services';
import { Signal } from '@lumino/signaling';
import { hasEnded } from './kernelActivity';
import { ensureKernel } from './kernelStart';

/** Parts of a question that only the learner runs: a check counts as a try, a hint may cost points. */
const ONLY_BY_HAND = new Set<string | undefined>(['check', 'help']);

/** The first code cell of an exercise, which bears no metadata. */
const LOADS_QUESTIONS = /= exercise\(/;

/** What the kit notes in the metadata of its notebooks and their cells. */
export interface KitMetadata {
  kind?: 'lesson' | 'exercise';
  no?: string;
  slug?: string;
  role?: string;
  question?: string;
  part?: 'text' | 'answer' | 'check' | 'help';
}

interface HasMetadata {
  getMetadata(key: string): unknown;
}

/** What the kit notes of a notebook or a cell; null where it is not one of the kit's. */
export const kitMetadata = (model: HasMetadata | null | undefined): KitMetadata | null => (model?.getMetadata('autodiff_kit') as KitMetadata | undefined) ?? null;

const sourceOf = (cell: Cell): string => cell.model.sharedModel.getSource();

/**
 * Which cells of a notebook its kernel has run, or is about to. A lesson is read from top to bottom, so before any of
 * its cells runs, by whichever command, those above run that have not: whoever comes back the next day meets no
 * NameError. The requests are sent first, and the kernel keeps their order.
 */
export class CellRuns {
  /** By cell: the source that was sent. */
  private readonly sent = new Map<string, string>();
  private kernel: Kernel.IKernelConnection | null = null;
  /** Whether the kernel's past is known; while it is not, nothing is run that was not asked for. */
  private isKnown = false;

  /** `ranBefore` tells whether a kernel was there before the notebook was opened in this page. */
  constructor(private readonly panel: NotebookPanel, private readonly dialogs: ISessionContextDialogs, private readonly ranBefore: (kernel: string) => boolean) {
    const { sessionContext } = panel;
    sessionContext.kernelChanged.connect(this.onKernel, this);
    sessionContext.statusChanged.connect((_, status) => hasEnded({ status }) && this.forget());
    NotebookActions.executionScheduled.connect(this.onScheduled, this);
    NotebookActions.executed.connect(this.onExecuted, this);
    panel.disposed.connect(() => Signal.clearData(this));
    this.onKernel();
  }

  /** The code cells above a cell that the kernel has not run. Of a learner's own, those that ran at some time. */
  missingAbove(cell: Cell): CodeCell[] {
    const cells = this.panel.content.widgets;
    return this.isKnown ? (cells.slice(0, Math.max(0, cells.indexOf(cell))).filter(one => this.isMissing(one)) as CodeCell[]) : [];
  }

  /** Run what is above a cell and has not run, and then `more`, once a kernel is there; it is started where none runs. */
  async runAbove(cell: Cell, ...more: CodeCell[]): Promise<void> {
    const { sessionContext } = this.panel;
    await sessionContext.ready;
    if (await ensureKernel(sessionContext, this.dialogs)) {
      await this.sendAbove(cell, ...more);
    }
  }

  /** The same in a kernel that runs: when this returns, all requests are on their way. */
  async sendAbove(cell: Cell, ...more: CodeCell[]): Promise<void> {
    await Promise.all([...this.missingAbove(cell), ...more].map(one => this.send(one)));
  }

  /** Whether the kernel has run a cell as it stands now. */
  isCurrent(cell: Cell): boolean {
    return this.sent.get(cell.model.id) === sourceOf(cell);
  }

  private isMissing(cell: Cell): boolean {
    const { model } = cell;
    if (model.type !== 'code' || this.sent.has(model.id) || !sourceOf(cell).trim()) {
      return false;
    }
    const kit = kitMetadata(model);
    return kit ? !ONLY_BY_HAND.has(kit.part) : LOADS_QUESTIONS.test(sourceOf(cell)) || (cell as CodeCell).model.executionCount !== null;
  }

  /** Send a cell to the kernel. An error in an answer, or in a cell of the learner's own, does not keep back the cells after it; one in a lesson's cell does, and is shown. */
  private async send(cell: CodeCell): Promise<void> {
    const { content, sessionContext } = this.panel;
    const kit = kitMetadata(cell.model);
    const goesOn = kit === null || kit.part === 'answer';
    this.sent.set(cell.model.id, sourceOf(cell));
    const { recordTiming } = content.notebookConfig;
    const tags = goesOn ? ['raises-exception'] : []; // with this tag a kernel does not refuse what follows
    const reply = await CodeCell.execute(cell, sessionContext, { recordTiming, tags }).catch(() => null); // the kernel ended
    const status = reply?.content.status as string | undefined;
    if (status === 'aborted') {
      this.sent.delete(cell.model.id);
    } else if (status === 'error' && !goesOn && !content.isDisposed) {
      content.activeCellIndex = content.widgets.indexOf(cell);
      void content.scrollToItem(content.activeCellIndex, 'smart').catch(() => undefined);
    }
  }

  private onScheduled(_: unknown, { notebook, cell }: { notebook: Notebook; cell: Cell }): void {
    const { content, model } = this.panel;
    if (notebook.model !== model) {
      return; // a second view of a notebook has the same model
    }
    if (notebook === content && kitMetadata(model)) {
      void this.sendAbove(cell);
    }
    this.sent.set(cell.model.id, sourceOf(cell));
  }

  /** A cell that the kernel refused, because one before it failed, has not run. */
  private onExecuted(_: unknown, { notebook, cell, error }: { notebook: Notebook; cell: Cell; error?: { errorName?: string } | null }): void {
    if (notebook.model === this.panel.model && error && !error.errorName) {
      this.sent.delete(cell.model.id);
    }
  }

  private forget(): void {
    this.sent.clear();
    this.isKnown = true;
  }

  private onKernel(): void {
    const kernel = this.panel.sessionContext.session?.kernel ?? null;
    if (kernel === this.kernel) {
      return;
    }
    this.kernel = kernel;
    this.forget();
    if (kernel && this.ranBefore(kernel.id)) {
      this.isKnown = false;
      void this.askFor(kernel);
    }
  }

  /** What a kernel ran before this page listened: all its inputs, which it knows by their text. */
  private async askFor(kernel: Kernel.IKernelConnection): Promise<void> {
    const reply = await kernel.requestHistory({ hist_access_type: 'range', session: 0, start: 1, stop: 0, output: false, raw: true }).catch(() => null);
    if (kernel !== this.kernel || reply?.content.status !== 'ok') {
      return;
    }
    const inputs = new Set((reply.content.history as [number, number, string][]).map(([, , input]) => input.trim()));
    this.panel.content.widgets.filter(cell => inputs.has(sourceOf(cell).trim())).forEach(cell => this.sent.set(cell.model.id, sourceOf(cell)));
    this.isKnown = true;
  }
}

/** The runs of every open notebook. */
export class NotebookRuns {
  private readonly all = new WeakMap<NotebookPanel, CellRuns>();

  constructor(private readonly sessions: Session.IManager, private readonly dialogs: ISessionContextDialogs) {}

  /** Those of a notebook. It is first asked for when the notebook is opened, before its kernel is there. */
  of(panel: NotebookPanel): CellRuns {
    const known = this.all.get(panel);
    if (known) {
      return known;
    }
    const before = new Set([...this.sessions.running()].map(session => session.kernel?.id));
    const runs = new CellRuns(panel, this.dialogs, kernel => before.has(kernel));
    this.all.set(panel, runs);
    return runs;
  }
}
