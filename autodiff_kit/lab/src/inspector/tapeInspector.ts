import { banners, emptyState, tapeFacts, updatePosition, unavailableBanner } from './banners';
import { costView } from './costView';
import { NodeDetails } from './nodeDetails';
import { diffView } from './diffView';
import { copyToClipboard, replaceChildren } from '../common/dom';
import { tapeAsText, firstNodeOnLine, nextMissingOrNan } from './nodeSearch';
import { type LayoutActions, InspectorLayout } from './inspectorLayout';
import { graphView } from './graphView';
import { shortcutAction } from './keyboardShortcuts';
import { isSuperseded, refusalText } from '../services/protocol';
import { memoryView } from './memoryView';
import { setSignificantDigits } from '../common/numberFormat';
import { KIND } from './valueFormat';
import { type CodeLookup, type KernelCondition, type ViewActions, type RowFilter, InspectorState, type View, type ViewName } from './inspectorState';
import type { Settings } from '../services/defaultSettings';
import { createTimeline } from './timeline';
import { tableView } from './tableView';
import type { GroupBy } from './nodeGroups';
import { Tape } from './tape';
import { tn } from '../common/translation';
import { Playback } from './playback';
import { explainView } from './explainView';
import type { RequestChannel, TapeHeader, TapeListing } from '../services/protocol';

/** What the inspector needs from JupyterLab. */
export interface InspectorHost extends CodeLookup {
  /** The playhead, the tape or a view changed: decorations in the notebook follow. */
  stateChanged(s: InspectorState): void;
  moveToMainArea(): void;
  recordExample(): void;
  openLesson(no: string): void;
  restartKernel(): void;
  /** Pin a tape in the kernel, so that new runs do not release it. */
  pinTape(tape: string, on: boolean): void;
}

/** The tape inspector: six views of one tape with one playhead. */
export class TapeInspector {
  readonly state: InspectorState;
  readonly playback: Playback;
  readonly el: HTMLElement;
  channel: RequestChannel | null = null;
  tapes: TapeListing[] = [];
  pinned = false;
  /** Counts what was asked to be shown; only the last of it is. */
  private turn = 0;
  /** A search for None or NaN that waits until all kinds are loaded. */
  private pendingSearch: 'none' | 'nan' | null = null;
  private readonly views: Record<ViewName, View>;
  private readonly timeline: ReturnType<typeof createTimeline>;
  private readonly details: NodeDetails;
  private readonly actions: ViewActions;
  private readonly layout: InspectorLayout;

  constructor(private readonly host: InspectorHost, open: (id: string) => Promise<Tape>) {
    this.state = new InspectorState(host);
    const { state } = this;
    this.playback = new Playback(state, () => state.changes.notify('pos'), () => this.layout.showPlaying(state.playing));
    this.actions = {
      seek: i => this.playback.seek(i), pause: () => this.playback.pause(), show: v => this.show(v),
      select: i => this.select(i), goToLine: i => host.goToLine(state.tape!.location(i)), explain: (target, source) => this.explain(target, source)
    };
    this.views = {
      table: tableView(state, this.actions), graph: graphView(state, this.actions), cost: costView(state), memory: memoryView(state),
      diff: diffView(state, () => this.tapes, open), why: explainView(state, this.actions)
    };
    this.timeline = createTimeline(state, this.actions);
    this.details = new NodeDetails(state, this.actions, end => void this.explainFrom(end).catch(() => undefined));
    state.onVisibleNodes = () => this.timeline.draw();
    this.layout = new InspectorLayout(this.acts(), this.timeline.el, this.details.el);
    this.el = this.layout.el;
    this.subscribe();
    this.addListeners();
    this.clear();
  }

  private acts(): LayoutActions {
    const { playback } = this;
    return {
      open: id => void this.choose(id), moveToMainArea: () => this.host.moveToMainArea(), show: v => this.show(v), setFilter: filter => this.setFilter({ filter }), setGrouping: by => this.groupBy(by),
      togglePin: () => this.togglePin(), togglePlay: () => playback.togglePlay(), rewind: () => playback.rewind(), step: by => playback.step(by), end: () => playback.end(), setDirection: dir => playback.setDirection(dir)
    };
  }

  // ------------------------------------------------------------ views
  show(v: ViewName): void {
    this.state.view = v;
    this.el.dataset.view = v;
    this.layout.selectTab(v);
    if (this.state.tape) {
      const focused = this.layout.view.contains(document.activeElement);
      const other = this.layout.view.firstChild !== this.views[v].el;
      if (other) {
        replaceChildren(this.layout.view, this.views[v].el); // only then: what is put in anew loses the focus
      }
      this.views[v].build();
      if (other && focused) {
        (this.layout.view.querySelector<HTMLElement>('[role="treegrid"], [role="tree"]') ?? this.el).focus({ preventScroll: true });
      }
      this.updateSummary();
      this.state.changes.notify('pos');
    }
  }

  /** Facts, banners and the badge that counts sources without a gradient. */
  private updateSummary(): void {
    const { state } = this;
    const { tape } = state;
    this.el.dataset.kernel = state.kernelCondition;
    replaceChildren(this.layout.facts, tape ? tapeFacts(tape) : '');
    const nones = tape && tape.n > 1 ? tape.sourcesWithoutGradient().length : 0;
    this.layout.updateStatus(this.pinned, nones);
    replaceChildren(this.layout.banners, banners(state, { restart: () => this.host.restartKernel(), show: i => this.showNode(i), why: () => this.show('why'), close: () => this.dismissExplanation() }));
  }

  private dismissExplanation(): void {
    this.state.explanation = null;
    this.state.changes.notify('why');
  }

  private showNode(node: number): void {
    const { state } = this;
    const group = state.groups()?.groupOf[node];
    if (group !== undefined) {
      state.expanded.add(group);
    }
    Object.assign(state, { direction: 1, forwardEnd: state.tape!.n });
    this.show('table');
    this.playback.seek(node);
    this.host.goToLine(state.tape!.location(node));
  }

  // ------------------------------------------------------------ tapes
  /** Show a tape: request its header and columns, and values only of visible rows. */
  async open(id: string): Promise<void> {
    const { state, channel } = this;
    if (!channel) {
      return;
    }
    const begun = performance.now();
    this.playback.pause();
    this.el.dataset.state = 'loading';
    const tape = await this.unlessOvertaken(isWanted => {
      const onHead = (head: TapeHeader): void => void (isWanted() && replaceChildren(this.layout.facts, tn('%1 node', '%1 nodes', head.n), ' …'));
      return Tape.open(channel, id, onHead, this.tapes.find(one => one.tape === id)?.n);
    });
    if (!tape) {
      return;
    }
    performance.measure('autodiff-kit:answered', { start: begun, detail: tape.n });
    tape.onUpdate = what => state.changes.notify(what);
    this.display(tape);
    await new Promise(requestAnimationFrame);
    performance.measure('autodiff-kit:open', { start: begun, detail: tape.n });
    await this.loadKinds(tape);
  }

  /** Show a tape again that was shown before, as far as its values are here. */
  async reopen(tape: Tape): Promise<void> {
    this.playback.pause();
    this.cancelOpening();
    this.display(tape);
    if (tape.kindsLoaded) {
      this.onKindsLoaded(tape);
    } else {
      await this.loadKinds(tape);
    }
  }

  /** The kernel that recorded the tape has ended. */
  kernelEnded(): void {
    this.state.tape?.endKernel();
    this.updateTapeList();
    this.updateSummary();
  }

  /** A tape was announced: where it is shown already, request only what changed. */
  async update(id: string): Promise<void> {
    const { tape } = this.state;
    const told = this.tapes.find(one => one.tape === id);
    if (!tape || tape.id !== id || tape.channel !== this.channel || tape.header.at !== told?.at) {
      return this.open(id);
    }
    this.cancelOpening();
    this.setRefusal('');
    if (tape.header.asked !== told.asked) {
      const isSame = await this.unlessOvertaken(() => tape.refreshGradient());
      if (isSame === false) {
        return this.open(id);
      }
      if (isSame) {
        this.resetAfterGradient(tape);
        await this.loadKinds(tape);
      }
    }
  }

  /** A tape was chosen from the list. */
  private async choose(id: string): Promise<void> {
    try {
      await this.open(id);
    } catch (error) {
      this.updateTapeList(); // which goes on naming the tape that is shown
      this.showError(refusalText(error));
    }
  }

  /** What a request for a tape gave; null where another tape was asked for since, and neither answer nor error counts. */
  private async unlessOvertaken<T>(request: (isWanted: () => boolean) => Promise<T>): Promise<T | null> {
    const turn = ++this.turn;
    const isWanted = (): boolean => turn === this.turn;
    try {
      const answer = await request(isWanted);
      return isWanted() ? answer : null;
    } catch (error) {
      if (!isWanted()) {
        return null;
      }
      this.showWhatIsThere();
      throw error;
    }
  }

  /** What is still on its way is not shown when it comes. */
  cancelOpening(): void {
    this.turn++;
    this.showWhatIsThere();
  }

  private showWhatIsThere(): void {
    const { tape } = this.state;
    this.el.dataset.state = tape ? (tape.n === 1 ? 'one' : 'ready') : 'empty';
    if (tape) {
      replaceChildren(this.layout.facts, tapeFacts(tape));
    }
  }

  private async loadKinds(tape: Tape): Promise<void> {
    await tape.loadCostsAndKinds();
    if (this.state.tape === tape) {
      this.onKindsLoaded(tape);
    }
  }

  /** Derivatives were asked of the tape that is shown: its rows stay, and so does the chosen node. */
  private resetAfterGradient(tape: Tape): void {
    this.playback.pause();
    Object.assign(this.state, { forwardEnd: tape.n, reverseEnd: tape.n, playhead: null, sweepStep: null, explanation: null, direction: 1, unstarted: true, explainPair: { source: null, target: null } });
    this.state.changes.notify('rows', 'kinds', 'pos', 'why');
  }

  private display(tape: Tape): void {
    const { state } = this;
    if (state.tape) {
      state.tape.closed = true;
    }
    tape.closed = false;
    // A gradient was asked of the tape that is shown: the node that the learner chose stays chosen.
    const selected = state.tape?.id === tape.id && state.tape.n === tape.n ? state.selected : null;
    Object.assign(state, {
      tape, forwardEnd: tape.n, reverseEnd: tape.n, playhead: null, selected, hovered: null, sweepStep: null, explanation: null, search: '', filter: '',
      direction: 1, unstarted: true, explainPair: { source: null, target: null }, grouping: this.initialGrouping(tape), refusal: ''
    });
    state.expanded.clear();
    this.layout.search.value = '';
    this.layout.filter.value = '';
    this.layout.grouping.value = state.grouping;
    this.pinned = this.tapes.find(one => one.tape === tape.id)?.pinned ?? false;
    this.layout.pinButton.setAttribute('aria-pressed', String(this.pinned));
    this.updateTapeList();
    this.showWhatIsThere();
    replaceChildren(this.layout.empty);
    this.timeline.redraw();
    this.layout.showDirection(state.direction);
    this.show(state.view);
    state.changes.notify('tape');
    state.changes.flush();
  }

  private initialGrouping(tape: Tape): GroupBy {
    return tape.n <= this.state.settings.collapseAbove ? 'none' : tape.header.tables.module.length > 1 ? 'module' : 'line';
  }

  /** A tape with a gradient request opens at the end of its reverse sweep. */
  private onKindsLoaded(tape: Tape): void {
    const { state } = this;
    if (state.unstarted && tape.header.asked && (tape.isTargetElsewhere || tape.kinds.cotangent.some(k => k !== KIND.UNKNOWN && k !== KIND.NONE))) {
      Object.assign(state, { direction: -1, reverseEnd: 0, unstarted: false });
      state.changes.notify('dir', 'rows');
    }
    state.changes.notify('kinds', 'pos');
    if (this.pendingSearch) {
      this.selectNext(this.pendingSearch);
    }
    this.pendingSearch = null;
  }

  /** The list of tapes changed. */
  updateTapeList(): void {
    const { tape } = this.state;
    const label = ({ title, cell }: TapeHeader | TapeListing): string => (cell === null || cell === undefined ? title : `${title} · [${this.host.cellLabel([cell, 0])}]`);
    const isListed = tape && !tape.kernelEnded && this.tapes.some(one => one.tape === tape.id);
    const former: [string, string][] = tape && !isListed ? [['', label(tape.header)]] : [];
    this.layout.listTapes([...former, ...this.tapes.map((one): [string, string] => [one.tape, label(one)])], isListed ? tape.id : '');
  }

  clear(): void {
    this.playback.pause();
    if (this.state.tape) {
      this.state.tape.closed = true;
    }
    Object.assign(this.state, { tape: null, refusal: '' });
    this.cancelOpening();
    replaceChildren(this.layout.view);
    this.updateTapeList();
    this.updateSummary();
    replaceChildren(this.layout.empty, this.emptyState());
    this.state.changes.notify('tape');
  }

  private emptyState(): HTMLElement[] {
    return emptyState(() => this.host.recordExample(), () => this.host.openLesson('00'));
  }

  /** Show why the kernel could not send the tape that was asked for last; the tape that is shown stays. */
  showError(why: string): void {
    if (this.state.tape) {
      this.setRefusal(why);
    } else {
      replaceChildren(this.layout.empty, unavailableBanner(why)); // "No tape yet" would contradict it
    }
  }

  private setRefusal(why: string): void {
    if (this.state.refusal !== why) {
      this.state.refusal = why;
      this.updateSummary();
    }
  }

  setCondition(condition: KernelCondition): void {
    if (this.state.kernelCondition !== condition) {
      this.state.kernelCondition = condition;
      this.updateSummary();
    }
  }

  setSettings(settings: Settings): void {
    this.state.settings = settings;
    setSignificantDigits(settings.digits);
    this.state.changes.notify('rows');
  }

  /** The theme changed: redraw the timeline in its colours. */
  themeChanged(): void {
    this.timeline.redraw();
  }

  // ------------------------------------------------------------ what is chosen
  private select(i: number | null): void {
    this.state.selected = i;
    this.state.changes.notify('sel');
  }

  private setFilter(change: { search?: string; filter?: RowFilter }): void {
    Object.assign(this.state, change);
    this.state.changes.notify('rows');
  }

  groupBy(by: GroupBy): void {
    this.state.expanded.clear();
    this.state.grouping = by;
    this.layout.grouping.value = by;
    this.state.changes.notify('rows');
  }

  togglePin(): void {
    const { tape } = this.state;
    if (tape) {
      this.pinned = !this.pinned;
      this.tapes.filter(one => one.tape === tape.id).forEach(one => (one.pinned = this.pinned));
      this.layout.pinButton.setAttribute('aria-pressed', String(this.pinned));
      this.host.pinTape(tape.id, this.pinned);
      this.updateSummary();
    }
  }

  async explain(target: number, source: number): Promise<void> {
    const { state } = this;
    const { tape } = state;
    if (tape) {
      state.explainPair = { target, source };
      // A request that a later one replaced has nothing to show, and is no error.
      const answer = await tape.explain(target, source).catch((error: unknown) => {
        if (isSuperseded(error)) {
          return null;
        }
        if (state.tape === tape) {
          this.show('why'); // which asks again, and tells the refusal
        }
        throw error;
      });
      if (answer && state.tape === tape) {
        state.explanation = { ...answer, target, source };
        this.show('why');
        state.changes.notify('why');
      }
    }
  }

  /** The chosen node becomes one end of the pair that `Why?` asks about. */
  async explainFrom(end: 'source' | 'target'): Promise<void> {
    const { state } = this;
    if (state.tape && state.selected !== null && state.selected >= 0) {
      state.explainPair[end] = state.selected;
      const source = state.explainPair.source ?? state.tape.header.sources[0];
      if (source !== undefined) {
        await this.explain(state.explainPair.target ?? state.tape.target, source);
      }
    }
  }

  /** The next node after the chosen one that has no cotangent, or that is not a number. */
  selectNext(kind: 'none' | 'nan'): void {
    const { state } = this;
    const { tape } = state;
    if (!tape) {
      return;
    }
    const i = nextMissingOrNan(state, kind);
    this.pendingSearch = i === undefined ? kind : null;
    if (i !== undefined) {
      this.select(i);
      this.views[state.view].reveal?.(i);
    }
  }

  /** Choose the first node of a line, as a click in the notebook does. */
  selectLine(place: readonly [string | number, number]): void {
    const { tape } = this.state;
    if (tape) {
      const i = firstNodeOnLine(tape, place);
      if (i !== undefined) {
        this.select(i);
        this.views[this.state.view].reveal?.(i);
      }
    }
  }

  /** The tape as text, a row a line, with what is known of it now. */
  copy(): void {
    const { tape } = this.state;
    if (tape) {
      copyToClipboard(tapeAsText(tape, place => this.host.lineLabel(place)));
    }
  }

  /** Draw the graph, then write it to a file. */
  saveDrawing(kind: 'svg' | 'png'): void {
    this.show('graph');
    (this.views.graph as ReturnType<typeof graphView>).save(kind);
  }

  focusSearch(): void {
    this.layout.search.focus();
  }

  // ------------------------------------------------------------ what follows what
  private subscribe(): void {
    const { state } = this;
    const now = (): View => this.views[state.view];
    const on = state.changes.on.bind(state.changes);
    const withTape = (act: () => void) => (): void => {
      if (state.tape) {
        act();
      }
    };
    on(['rows', 'width', 'dir'], withTape(() => { now().build(); this.layout.showDirection(state.direction); }));
    on(['expanded'], withTape(() => now().build()));
    on(['values'], withTape(() => now().refresh()));
    on(['kinds'], withTape(() => { this.timeline.redraw(); this.updateSummary(); now().build(); }));
    on(['pos'], withTape(() => this.onPlayheadMove()));
    on(['sel', 'pos', 'values', 'kinds', 'width'], withTape(() => this.updateDetails()));
    on(['sel', 'hover'], withTape(() => now().refresh()));
    on(['why'], withTape(() => { this.updateSummary(); (state.view === 'why' ? now().build() : now().refresh()); }));
    on(['hover', 'pos', 'why', 'tape', 'kinds', 'state'], () => this.host.stateChanged(state));
  }

  private onPlayheadMove(): void {
    const { state } = this;
    if (state.playhead !== null) {
      this.views[state.view].reveal?.(state.playhead); // scrolls first: what is seen then is drawn once
    }
    this.views[state.view].refresh();
    this.timeline.draw();
    updatePosition(this.layout.position, state);
    if (state.playhead !== null) {
      void this.loadContributions(state.playhead);
    }
  }

  /** In reverse, load the contributions of the node under the playhead. */
  private async loadContributions(i: number): Promise<void> {
    const { state } = this;
    if (state.direction < 0 && state.sweepStep?.node !== i) {
      const event = await state.tape!.contributionsOf(i);
      if (event && state.playhead === i) {
        state.sweepStep = event;
        state.changes.notify('values');
      }
    }
  }

  private updateDetails(): void {
    const { state } = this;
    const wanted = this.details.hasContent;
    if (wanted !== state.detailsOpen) {
      state.detailsOpen = wanted;
      this.el.classList.toggle('has-detail', wanted);
      if (state.width >= 720) {
        state.changes.notify('rows');
      }
      if (wanted && state.selected !== null && state.selected >= 0) {
        const node = state.selected;
        requestAnimationFrame(() => this.views[state.view].reveal?.(node));
      }
    }
    this.details.draw();
    (this.views.table as ReturnType<typeof tableView>).active();
  }

  private addListeners(): void {
    const { state } = this;
    this.layout.search.addEventListener('input', () => this.setFilter({ search: this.layout.search.value }));
    this.el.addEventListener('keydown', e => {
      const act = state.tape ? shortcutAction(e, this) : null;
      if (act) {
        act();
        e.preventDefault();
      }
      // A plain key never reaches the notebook from inside the panel.
      if (!e.ctrlKey && !e.metaKey && !e.altKey) {
        e.stopPropagation();
      }
    });
    new ResizeObserver(() => this.onResize()).observe(this.el);
  }

  private onResize(): void {
    const { state } = this;
    const w = this.el.clientWidth;
    if (w && w !== state.width) {
      state.width = w;
      this.el.dataset.size = w < 400 ? 'xs' : w < 560 ? 's' : w < 720 ? 'm' : 'l';
      state.changes.notify('width', 'pos');
    }
  }
}
