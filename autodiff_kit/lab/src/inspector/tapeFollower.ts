import { t } from '../common/translation';
import type { CommClient } from '../services/commClient';
import { hasEnded, KernelActivity } from '../services/kernelActivity';
import type { NotebookSession, NotebookSessions } from '../services/notebookSessions';
import { isSuperseded, type KernelNotice, refusalText, type RequestError, type TapeListing } from '../services/protocol';
import type { KernelCondition } from './inspectorState';
import type { NotebookCode } from './notebookCode';
import type { Tape } from './tape';
import type { TapeInspector } from './tapeInspector';

const BUSY_DELAY = 300; // ms that a cell may run before the panel says so
const UNWATCH_DELAY = 30_000; // ms out of sight after which the kernel may release values

/** What is known of the tapes of one notebook's kernel. */
interface KnownTapes {
  tapes: TapeListing[];
  /** The tape that was shown when another notebook came to the front. */
  shown: Tape | null;
  /** The tape that was announced last, and how many announcements there were by then. */
  latest: string | null;
  announcements: number;
}

/** Keeps the inspector on the current notebook's latest tape, and asks nothing while the inspector is hidden. */
export class TapeFollower {
  private readonly known = new WeakMap<NotebookSession, KnownTapes>();
  private readonly listed = new WeakSet<CommClient>();
  private current: NotebookSession | null = null;
  private shown = '';
  private busyTimer = 0;
  private unwatchTimer = 0;
  /** The first tape of a notebook was announced. */
  onFirstTape: () => void = () => undefined;
  onTape: (tape: TapeListing) => void = () => undefined;

  constructor(sessions: NotebookSessions, private readonly inspector: TapeInspector, private readonly code: NotebookCode, private readonly isVisible: () => boolean) {
    sessions.currentChanged.connect((_, session) => this.setCurrent(session));
    sessions.clientReplaced.connect((_, session) => this.onClientReplaced(session));
    sessions.clientChanged.connect((_, session) => this.onClientChanged(session));
    sessions.connectionStatusChanged.connect(() => this.updateCondition());
    sessions.tapeAnnounced.connect((_, { session, notice }) => this.onAnnouncement(session, notice));
    this.setCurrent(sessions.current);
  }

  private tapesOf(session: NotebookSession): KnownTapes {
    const known = this.known.get(session) ?? { tapes: [], shown: null, latest: null, announcements: 0 };
    this.known.set(session, known);
    return known;
  }

  // ------------------------------------------------------------ what the kernels announce
  /** The kernel's tapes are gone; what the inspector shows stays until a new tape comes. */
  private forgetTapes(session: NotebookSession): void {
    const known = this.tapesOf(session);
    Object.assign(known, { tapes: [], latest: null });
    if (session === this.current) {
      this.shown = '';
      this.inspector.cancelOpening();
      this.inspector.tapes = known.tapes;
      this.inspector.kernelEnded();
    } else {
      known.shown?.endKernel();
    }
  }

  private onClientReplaced(session: NotebookSession): void {
    this.forgetTapes(session);
    if (session === this.current) {
      this.inspector.channel = session.client;
      this.onClientChanged(session);
    }
  }

  /** Once a comm is open the inspector, if it is visible, asks which tapes there are. */
  private onClientChanged(session: NotebookSession): void {
    if (session.client && hasEnded(session.client.kernel)) {
      this.forgetTapes(session);
    }
    if (session !== this.current) {
      return;
    }
    this.updateCondition();
    const { client } = session;
    if (client && !client.isOpen) {
      this.listed.delete(client);
    }
    if (!client || client.isKernelRunning) {
      return; // what can be asked when the cell has ended waits until then
    }
    if (client.isOpen && this.isVisible() && !this.listed.has(client)) {
      this.listed.add(client);
      void this.loadTapeList(session, client);
    } else {
      void this.update();
    }
  }

  /** `isRefused`: the kernel no longer has the tape that it announced last. */
  private async loadTapeList(session: NotebookSession, client: CommClient, isRefused = false): Promise<void> {
    const known = this.tapesOf(session);
    try {
      const reply = await client.request<{ tapes: TapeListing[] }>('tape.list');
      known.tapes = reply.tapes;
      // Of the tapes that were announced before, the kernel lists those that something still holds.
      known.latest = known.tapes[known.tapes.length - 1]?.tape ?? null;
      await this.update();
      if (session === this.current && known.announcements && !known.latest && (isRefused || !this.inspector.state.tape)) {
        this.inspector.showError(t('nothing held it any more when its cell had ended. Run the cell again, and it stays.'));
      }
    } catch (error) {
      this.listed.delete(client);
      if (!isSuperseded(error)) {
        this.updateCondition();
      }
    }
  }

  private onAnnouncement(session: NotebookSession, notice: KernelNotice): void {
    const known = this.tapesOf(session);
    const before = known.tapes.find(old => old.tape === notice.tape);
    const tape: TapeListing = { tape: notice.tape!, title: notice.title ?? notice.tape!, cell: notice.cell ?? null, n: notice.n ?? 0, at: notice.at, asked: notice.asked, pinned: before?.pinned };
    const first = known.announcements === 0;
    known.latest = tape.tape;
    known.announcements++;
    const keep = this.inspector.state.settings.keepTapes;
    const others = known.tapes.filter(old => old.tape !== tape.tape);
    known.tapes = [...others.filter((old, i) => old.pinned || i >= others.length - keep + 1), tape];
    if (session === this.current) {
      this.onTape(tape);
      if (first) {
        this.onFirstTape();
      }
      void this.update();
    }
  }

  // ------------------------------------------------------------ what the inspector shows
  private setCurrent(session: NotebookSession | null): void {
    this.code.decorate(this.inspector.state, false);
    if (this.current) {
      this.tapesOf(this.current).shown = this.inspector.state.tape;
    }
    this.current = session;
    this.code.panel = session?.panel ?? null;
    this.shown = '';
    this.inspector.cancelOpening();
    const known = session && this.tapesOf(session);
    this.inspector.channel = session?.client ?? null;
    this.inspector.tapes = known?.tapes ?? [];
    if (known?.shown) {
      void this.inspector.reopen(known.shown);
    } else {
      this.inspector.clear(); // a tape of another notebook would stand beside this one's code
    }
    if (session) {
      this.onClientChanged(session);
    }
    void this.update();
  }

  /** Show the latest tape, unless the one that is shown is pinned; nothing happens while the panel is hidden. */
  async update(): Promise<void> {
    const { current: session, inspector } = this;
    if (!session?.client?.isOpen || !this.isVisible() || session.client.isKernelRunning) {
      return; // a kernel that runs a cell answers when that ends, and says so
    }
    const { tapes, latest, announcements } = this.tapesOf(session);
    inspector.channel = session.client;
    inspector.tapes = tapes;
    inspector.updateTapeList();
    const keepsOther = inspector.state.tape && (inspector.pinned || !inspector.state.settings.follow);
    const newest = `${latest} ${announcements}`;
    if (latest && newest !== this.shown && (!keepsOther || inspector.state.tape?.id === latest)) {
      this.shown = newest;
      await inspector.update(latest).catch((error: unknown) => this.onError(error, session));
    }
  }

  /** A tape that the kernel refused is not asked for again: it would be refused each time the kernel is idle. */
  private onError(error: unknown, session: NotebookSession): void {
    const { code } = error as Partial<RequestError>;
    if (session !== this.current) {
      return; // another notebook's tape is shown by now
    }
    if (isSuperseded(error) || code === 'gone') {
      this.shown = '';
    } else if (code === 'released' && session.client?.isOpen) {
      void this.loadTapeList(session, session.client, true); // another one may still be held
    } else {
      this.inspector.showError(refusalText(error));
    }
    this.updateCondition();
  }

  // ------------------------------------------------------------ whether the inspector is visible
  /** The panel is hidden; if it stays so, the kernel need not keep values for it. */
  onHidden(): void {
    this.code.decorate(this.inspector.state, false);
    this.releaseLater(this.current?.client);
  }

  /** Tell the kernel that nobody watches its tapes, once that has been so for a while and no cell runs. */
  private releaseLater(client?: CommClient | null): void {
    clearTimeout(this.unwatchTimer);
    this.unwatchTimer = window.setTimeout(() => {
      if (client?.isKernelRunning) {
        this.releaseLater(client);
      } else if (client?.isOpen) {
        void client.request('tape.watch', { on: false });
      }
    }, UNWATCH_DELAY);
  }

  /** The panel came into view: catch up. */
  onShown(): void {
    clearTimeout(this.unwatchTimer);
    if (this.current) {
      this.onClientChanged(this.current);
    }
    void this.update();
  }

  // ------------------------------------------------------------ the kernel's condition
  private condition(): KernelCondition {
    const kernel = this.current?.panel.sessionContext.session?.kernel;
    if (kernel && kernel.connectionStatus === 'disconnected') {
      return 'offline';
    }
    if (!kernel || hasEnded(kernel)) {
      return 'dead';
    }
    return KernelActivity.of(kernel).isRunning ? 'busy' : 'ready';
  }

  /** Tell the inspector the kernel's condition; that it is busy only once a cell has run for a moment. */
  private updateCondition(): void {
    clearTimeout(this.busyTimer);
    const now = this.condition();
    if (now === 'busy') {
      this.busyTimer = window.setTimeout(() => this.inspector.setCondition(this.condition()), BUSY_DELAY);
    } else {
      this.inspector.setCondition(now);
    }
  }
}
