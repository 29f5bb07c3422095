import type { INotebookTracker, NotebookPanel } from '@jupyterlab/notebook';
import type { Kernel } from '@jupyterlab/services';
import { Signal } from '@lumino/signaling';
import { CommClient } from './commClient';
import type { KernelNotice } from './protocol';

/** An open notebook and the comm client of its kernel; null while it has no kernel. */
export interface NotebookSession {
  readonly panel: NotebookPanel;
  client: CommClient | null;
}

/** Follows the open notebooks and keeps one comm client for the kernel of each. */
export class NotebookSessions {
  /** Another notebook is the current one, or none is. */
  readonly currentChanged = new Signal<this, NotebookSession | null>(this);
  /** A notebook has another kernel, and so another client. */
  readonly clientReplaced = new Signal<this, NotebookSession>(this);
  /** A client's comm was opened or closed, a reply came, or its kernel's status changed. */
  readonly clientChanged = new Signal<this, NotebookSession>(this);
  /** The connection to a kernel was lost or found again. */
  readonly connectionStatusChanged = new Signal<this, void>(this);
  /** A kernel recorded a tape, or derivatives were asked of one. */
  readonly tapeAnnounced = new Signal<this, { session: NotebookSession; notice: KernelNotice }>(this);
  /** A kernel wrote the learner's progress; the argument is the progress file's revision. */
  readonly progressAnnounced = new Signal<this, number>(this);
  private readonly sessions = new Map<NotebookPanel, NotebookSession>();
  private currentSession: NotebookSession | null = null;

  constructor(tracker: INotebookTracker) {
    tracker.forEach(panel => this.sessionOf(panel));
    tracker.widgetAdded.connect((_, panel) => this.sessionOf(panel));
    tracker.currentChanged.connect((_, panel) => this.setCurrent(panel));
    this.setCurrent(tracker.currentWidget);
  }

  get current(): NotebookSession | null {
    return this.currentSession;
  }

  private setCurrent(panel: NotebookPanel | null): void {
    if (panel && panel === this.currentSession?.panel) {
      return;
    }
    this.currentSession = panel && this.sessionOf(panel);
    this.currentChanged.emit(this.currentSession);
  }

  /** The session of a notebook; it begins with the first call for it. */
  private sessionOf(panel: NotebookPanel): NotebookSession {
    const known = this.sessions.get(panel);
    if (known) {
      return known;
    }
    const session: NotebookSession = { panel, client: null };
    this.sessions.set(panel, session);
    panel.disposed.connect(() => {
      session.client?.dispose();
      this.sessions.delete(panel);
    });
    const { sessionContext } = panel;
    const connect = (): void => this.connect(session, sessionContext.session?.kernel ?? null);
    sessionContext.kernelChanged.connect(connect);
    sessionContext.connectionStatusChanged.connect(() => this.connectionStatusChanged.emit());
    void sessionContext.ready.then(connect);
    return session;
  }

  /** Give a notebook a client of its kernel, in place of the former kernel's. */
  private connect(session: NotebookSession, kernel: Kernel.IKernelConnection | null): void {
    if (session.client && session.client.kernel === kernel) {
      return;
    }
    session.client?.dispose();
    session.client = kernel && new CommClient(kernel, notice => this.receive(session, notice), () => this.clientChanged.emit(session));
    this.clientReplaced.emit(session);
  }

  private receive(session: NotebookSession, notice: KernelNotice): void {
    if (notice.type === 'progress') {
      this.progressAnnounced.emit(notice.rev ?? 0);
    } else {
      this.tapeAnnounced.emit({ session, notice });
    }
  }
}
