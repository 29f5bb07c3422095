import type { INotebookTracker, NotebookPanel } from '@jupyterlab/notebook';
import type { Kernel } from '@jupyterlab/services';
import type { Notebook } from './beside';
import type { Inspector } from './inspector';
import { Link, stale } from './link';
import type { Condition } from './state';
import { t } from './text';
import { type Listed, type News, type Refusal } from './wire';

const QUIET = 300; // ms that a cell may run before the panel says so
const CLOSED = 30_000; // ms out of sight after which the kernel may let go of values

interface Session {
  link: Link | null;
  tapes: Listed[];
  /** The tape that came last, and how much was heard of tapes by then. */
  latest: string | null;
  heard: number;
}

/** One link a notebook; the inspector follows the notebook in front, and asks nothing while it is hidden. */
export class Sessions {
  private readonly all = new Map<NotebookPanel, Session>();
  private current: NotebookPanel | null = null;
  private said = 0;
  private shown = '';
  /** A first tape came in a notebook. */
  onFirst: () => void = () => undefined;
  onTape: (tape: Listed) => void = () => undefined;
  onProgress: (rev: number) => void = () => undefined;
  onNotebook: (panel: NotebookPanel | null) => void = () => undefined;

  constructor(tracker: INotebookTracker, private readonly inspector: Inspector, private readonly notebook: Notebook, private readonly visible: () => boolean) {
    tracker.forEach(panel => this.add(panel));
    tracker.widgetAdded.connect((_, panel) => this.add(panel));
    tracker.currentChanged.connect((_, panel) => this.front(panel));
    this.front(tracker.currentWidget);
  }

  get panel(): NotebookPanel | null {
    return this.current;
  }
  get link(): Link | null {
    return (this.current && this.all.get(this.current)?.link) ?? null;
  }

  private add(panel: NotebookPanel): void {
    const session: Session = { link: null, tapes: [], latest: null, heard: 0 };
    this.all.set(panel, session);
    panel.disposed.connect(() => {
      session.link?.end();
      this.all.delete(panel);
    });
    const { sessionContext } = panel;
    const join = (): void => this.join(panel, session, sessionContext.session?.kernel ?? null);
    sessionContext.kernelChanged.connect(join);
    sessionContext.connectionStatusChanged.connect(() => this.judge());
    void sessionContext.ready.then(join);
  }

  /** A notebook has another kernel: the old link is let go, and what it showed stays until a tape comes. */
  private join(panel: NotebookPanel, session: Session, kernel: Kernel.IKernelConnection | null): void {
    if (session.link && session.link.kernel === kernel) {
      return;
    }
    session.link?.end();
    session.tapes = [];
    session.latest = null;
    session.link = kernel && new Link(kernel, news => this.hear(panel, session, news), () => this.linkChanged(panel, session));
    if (panel === this.current) {
      this.inspector.link = session.link;
      this.linkChanged(panel, session);
    }
  }

  private listed = new WeakSet<Link>();

  /** Once a link is open the inspector, if it is seen, asks which tapes there are. */
  private linkChanged(panel: NotebookPanel, session: Session): void {
    if (panel !== this.current) {
      return;
    }
    this.judge();
    const { link } = session;
    if (link && !link.open) {
      this.listed.delete(link);
    }
    if (link?.open && this.visible() && !this.listed.has(link)) {
      this.listed.add(link);
      void this.list(session, link);
    } else if (link?.kernel.status === 'idle') {
      void this.update();
    }
  }

  private async list(session: Session, link: Link): Promise<void> {
    try {
      const reply = await link.ask<{ tapes: Listed[] }>('tape.list');
      session.tapes = reply.tapes;
      // Of those that were told of before, the kernel lists the ones that something still holds.
      session.latest = session.tapes[session.tapes.length - 1]?.tape ?? null;
      await this.update();
      if (session.heard && !session.latest && !this.inspector.s.tape) {
        this.inspector.refuse(t('nothing held it any more when its cell had ended. Run the cell again, and it stays.'));
      }
    } catch (error) {
      this.listed.delete(link);
      if (!stale(error)) {
        this.judge();
      }
    }
  }

  private front(panel: NotebookPanel | null): void {
    if (panel === this.current && panel) {
      return;
    }
    this.notebook.marks(this.inspector.s, false);
    this.current = panel;
    this.notebook.panel = panel;
    this.shown = '';
    const session = panel ? this.all.get(panel) : undefined;
    this.inspector.link = session?.link ?? null;
    this.inspector.tapes = session?.tapes ?? [];
    this.onNotebook(panel);
    if (!session?.latest) {
      this.inspector.clear();
    }
    if (panel && session) {
      this.linkChanged(panel, session);
    }
    void this.update();
  }

  private hear(panel: NotebookPanel, session: Session, news: News): void {
    if (news.type === 'progress') {
      this.onProgress(news.rev ?? 0);
      return;
    }
    const before = session.tapes.find(old => old.tape === news.tape);
    const one: Listed = { tape: news.tape!, title: news.title ?? news.tape!, cell: news.cell ?? null, n: news.n ?? 0, at: news.at, asked: news.asked, pinned: before?.pinned };
    const first = session.heard === 0;
    session.latest = one.tape;
    session.heard++;
    const keep = this.inspector.s.settings.keepTapes;
    const others = session.tapes.filter(old => old.tape !== one.tape);
    session.tapes = [...others.filter((old, i) => old.pinned || i >= others.length - keep + 1), one];
    if (panel === this.current) {
      this.onTape(one);
      if (first) {
        this.onFirst();
      }
      void this.update();
    }
  }

  /** Show the latest tape, unless the one that is shown is pinned; nothing happens while the panel is hidden. */
  async update(): Promise<void> {
    const session = this.current ? this.all.get(this.current) : undefined;
    if (!session?.link?.open || !this.visible() || session.link.kernel.status === 'busy') {
      return; // a kernel that runs a cell answers when that ends, and says so
    }
    this.inspector.link = session.link;
    this.inspector.tapes = session.tapes;
    this.inspector.pick();
    const busy = this.inspector.s.tape && (this.inspector.pinned || !this.inspector.s.settings.follow);
    const last = `${session.latest} ${session.heard}`;
    if (session.latest && last !== this.shown && (!busy || this.inspector.s.tape?.id === session.latest)) {
      this.shown = last;
      await this.inspector.follow(session.latest).catch((error: unknown) => this.failed(error, session));
    }
  }

  /** A tape that the kernel refused is not asked for again: it would be refused each time the kernel is idle. */
  private failed(error: unknown, session: Session): void {
    const { code, message, todo } = error as Partial<Refusal> & Error;
    if (stale(error) || code === 'gone') {
      this.shown = '';
    } else {
      this.inspector.refuse([message, todo].filter(Boolean).join(' '));
      if (code === 'released' && session.link?.open) {
        void this.list(session, session.link); // an older one may be held still
      }
    }
    this.judge();
  }

  private closing = 0;

  /** The panel went out of sight; if it stays there, the kernel need not keep values for it. */
  hidden(): void {
    this.notebook.marks(this.inspector.s, false);
    clearTimeout(this.closing);
    const { link } = this;
    this.closing = window.setTimeout(() => link?.open && void link.ask('tape.watch', { on: false }), CLOSED);
  }

  /** The panel came into view: catch up. */
  seen(): void {
    clearTimeout(this.closing);
    const session = this.current ? this.all.get(this.current) : undefined;
    if (this.current && session) {
      this.linkChanged(this.current, session);
    }
    void this.update();
  }

  private condition(): Condition {
    const context = this.current?.sessionContext;
    const kernel = context?.session?.kernel;
    if (kernel && kernel.connectionStatus === 'disconnected') {
      return 'offline';
    }
    if (!kernel || ['dead', 'terminating', 'autorestarting', 'restarting'].includes(kernel.status)) {
      return 'dead';
    }
    return kernel.status === 'busy' ? 'busy' : 'ready';
  }

  /** Say how the kernel is; that it runs a cell only once that takes a moment. */
  private judge(): void {
    clearTimeout(this.said);
    const now = this.condition();
    if (now === 'busy') {
      this.said = window.setTimeout(() => this.inspector.setCondition(this.condition()), QUIET);
    } else {
      this.inspector.setCondition(now);
    }
  }
}
