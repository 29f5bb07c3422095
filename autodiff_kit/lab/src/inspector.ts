import { banners, blank, factsOf, placed, untold } from './around';
import { costView } from './cost';
import { Detail } from './detail';
import { diffView } from './diff';
import { copy, fill } from './dom';
import { asText, firstOf, nextOf } from './finding';
import { type Acts, Frame } from './frame';
import { graphView } from './graph';
import { keyOf } from './keys';
import { stale } from './link';
import { memoryView } from './memory';
import { KIND, setDigits } from './numbers';
import { type Beside, type Condition, type Moves, type Only, type Settings, State, type View, type ViewName } from './state';
import { strip } from './strip';
import { tableView } from './table';
import { type By, Tape } from './tape';
import { tn } from './text';
import { Transport } from './transport';
import { whyView } from './why';
import type { Asks } from './tape';
import type { Listed } from './wire';

/** What the inspector makes JupyterLab do. */
export interface Host extends Beside {
  /** The head, a pair or a view changed: marks in the notebook follow. */
  marks(s: State): void;
  toMain(): void;
  example(): void;
  lesson(no: string): void;
  restart(): void;
  /** Pin a tape in the kernel, so that new runs do not let it go. */
  pin(tape: string, on: boolean): void;
}

/** The tape inspector: six views of one tape under one head. */
export class Inspector {
  readonly s: State;
  readonly transport: Transport;
  readonly el: HTMLElement;
  link: Asks | null = null;
  tapes: Listed[] = [];
  pinned = false;
  private opening = 0;
  /** What the learner looked for while the kernel was still saying of which kind each number is. */
  private wished: 'none' | 'nan' | null = null;
  private readonly views: Record<ViewName, View>;
  private readonly strip: ReturnType<typeof strip>;
  private readonly detail: Detail;
  private readonly moves: Moves;
  private readonly frame: Frame;

  constructor(private readonly host: Host, open: (id: string) => Promise<Tape>) {
    this.s = new State(host);
    const { s } = this;
    this.transport = new Transport(s, () => s.changes.tell('pos'), () => this.frame.playing(s.playing));
    this.moves = {
      seek: i => this.transport.seek(i), pause: () => this.transport.pause(), show: v => this.show(v),
      choose: i => this.choose(i), line: i => host.goto(s.tape!.place(i)), why: (target, source) => this.why(target, source)
    };
    this.views = {
      table: tableView(s, this.moves), graph: graphView(s, this.moves), cost: costView(s), memory: memoryView(s),
      diff: diffView(s, () => this.tapes, open), why: whyView(s, this.moves)
    };
    this.strip = strip(s, this.moves);
    this.detail = new Detail(s, this.moves, end => void this.pair(end));
    s.onWindow = () => this.strip.draw();
    this.frame = new Frame(this.acts(), this.strip.el, this.detail.el);
    this.el = this.frame.el;
    this.wire();
    this.listenTo();
    this.clear();
  }

  private acts(): Acts {
    const { transport } = this;
    return {
      open: id => void this.open(id), toMain: () => this.host.toMain(), show: v => this.show(v), only: only => this.narrow({ only }), collapse: by => this.collapseBy(by),
      pin: () => this.togglePin(), play: () => transport.toggle(), rewind: () => transport.rewind(), step: by => transport.step(by), end: () => transport.end(), turn: dir => transport.turn(dir)
    };
  }

  // ------------------------------------------------------------ views
  show(v: ViewName): void {
    this.s.view = v;
    this.el.dataset.view = v;
    this.frame.select(v);
    if (this.s.tape) {
      const focused = this.frame.view.contains(document.activeElement);
      const other = this.frame.view.firstChild !== this.views[v].el;
      if (other) {
        fill(this.frame.view, this.views[v].el); // only then: what is put in anew loses the focus
      }
      this.views[v].build();
      if (other && focused) {
        (this.frame.view.querySelector<HTMLElement>('[role="treegrid"], [role="tree"]') ?? this.el).focus({ preventScroll: true });
      }
      this.about();
      this.s.changes.tell('pos');
    }
  }

  /** Facts, banners and the badge that counts sources without a gradient. */
  private about(): void {
    const { s } = this;
    const { tape } = s;
    this.el.dataset.kernel = s.condition;
    fill(this.frame.facts, tape ? factsOf(tape) : '');
    const nones = tape && tape.n > 1 ? tape.nones().length : 0;
    this.frame.tell(this.pinned, nones);
    fill(this.frame.notes, banners(s, { restart: () => this.host.restart(), show: i => this.showAt(i), why: () => this.show('why'), close: () => this.forgetWhy() }));
  }

  private forgetWhy(): void {
    this.s.why = null;
    this.s.changes.tell('why');
  }

  private showAt(node: number): void {
    const { s } = this;
    const group = s.groups()?.of[node];
    if (group !== undefined) {
      s.expanded.add(group);
    }
    Object.assign(s, { dir: 1, f: s.tape!.n });
    this.show('table');
    this.transport.seek(node);
    this.host.goto(s.tape!.place(node));
  }

  // ------------------------------------------------------------ tapes
  /** Show a tape: its head and record are asked for, values only of rows that are seen. */
  async open(id: string): Promise<void> {
    const { s, link } = this;
    if (!link) {
      return;
    }
    const begun = performance.now();
    const turn = ++this.opening;
    this.transport.pause();
    this.el.dataset.state = 'loading';
    const tape = await Tape.open(link, id, head => fill(this.frame.facts, tn('%1 node', '%1 nodes', head.n), ' …'), this.tapes.find(one => one.tape === id)?.n).catch((error: unknown) => {
      // What was shown stays, and is said to.
      if (turn === this.opening) {
        this.el.dataset.state = s.tape ? (s.tape.n === 1 ? 'one' : 'ready') : 'empty';
      }
      throw error;
    });
    if (turn !== this.opening) {
      return;
    }
    performance.measure('autodiff-kit:answered', { start: begun, detail: tape.n });
    tape.onNews = what => s.changes.tell(what);
    this.take(tape);
    await new Promise(requestAnimationFrame);
    performance.measure('autodiff-kit:open', { start: begun, detail: tape.n });
    await this.learn(tape);
  }

  /** News of a tape: where it is the one that is shown, only what changed is asked for. */
  async follow(id: string): Promise<void> {
    const { tape } = this.s;
    const told = this.tapes.find(one => one.tape === id);
    if (!tape || tape.id !== id || tape.link !== this.link || tape.head.at !== told?.at) {
      return this.open(id);
    }
    if (tape.head.asked !== told.asked) {
      if (!(await tape.renew())) {
        return this.open(id);
      }
      this.again(tape);
      await this.learn(tape);
    }
  }

  private async learn(tape: Tape): Promise<void> {
    await tape.learn();
    if (this.s.tape === tape) {
      this.learned(tape);
    }
  }

  /** Derivatives were asked of the tape that is shown: its rows stay, and so does the chosen node. */
  private again(tape: Tape): void {
    this.transport.pause();
    Object.assign(this.s, { f: tape.n, r: tape.n, cur: null, sweep: null, why: null, dir: 1, fresh: true, pair: { source: null, target: null } });
    this.s.changes.tell('rows', 'kinds', 'pos', 'why');
  }

  private take(tape: Tape): void {
    const { s } = this;
    if (s.tape) {
      s.tape.ended = true;
    }
    // A gradient was asked of the tape that is shown: the node that the learner chose stays chosen.
    const sel = s.tape?.id === tape.id && s.tape.n === tape.n ? s.sel : null;
    Object.assign(s, {
      tape, f: tape.n, r: tape.n, cur: null, sel, hover: null, sweep: null, why: null, search: '', only: '', dir: 1, fresh: true,
      pair: { source: null, target: null }, collapse: this.collapsed(tape)
    });
    s.expanded.clear();
    this.frame.search.value = '';
    this.frame.only.value = '';
    this.frame.collapse.value = s.collapse;
    this.pinned = this.tapes.find(one => one.tape === tape.id)?.pinned ?? false;
    this.frame.pin.setAttribute('aria-pressed', String(this.pinned));
    this.pick();
    this.el.dataset.state = tape.n === 1 ? 'one' : 'ready';
    fill(this.frame.empty);
    this.strip.renew();
    this.frame.turn(s.dir);
    this.show(s.view);
    s.changes.tell('tape');
    s.changes.flush();
  }

  private collapsed(tape: Tape): By {
    return tape.n <= this.s.settings.collapseAbove ? 'none' : tape.head.tables.module.length > 1 ? 'module' : 'line';
  }

  /** A tape of which a gradient was asked opens swept, with every cotangent in its place. */
  private learned(tape: Tape): void {
    const { s } = this;
    if (s.fresh && tape.head.asked && tape.known.cotangent.some(k => k !== KIND.UNKNOWN && k !== KIND.NONE)) {
      Object.assign(s, { dir: -1, r: 0, fresh: false });
      s.changes.tell('dir', 'rows');
    }
    s.changes.tell('kinds', 'pos');
    if (this.wished) {
      this.next(this.wished);
    }
    this.wished = null;
  }

  /** The list of tapes changed. */
  pick(): void {
    const id = this.s.tape?.id;
    const label = (one: Listed): string => (one.cell === null || one.cell === undefined ? one.title : `${one.title} · [${this.host.cell([one.cell, 0])}]`);
    this.frame.offer(this.tapes.map(one => [one.tape, label(one)]), id);
  }

  clear(): void {
    this.transport.pause();
    this.s.tape = null;
    this.el.dataset.state = 'empty';
    fill(this.frame.view);
    this.pick();
    this.about();
    fill(this.frame.empty, this.blank());
    this.s.changes.tell('tape');
  }

  private blank(): HTMLElement[] {
    return blank(() => this.host.example(), () => this.host.lesson('00'));
  }

  /** The kernel could not tell of a tape: the reason is said, and what was shown stays. */
  refuse(why: string): void {
    const { tape } = this.s;
    this.el.dataset.state = tape ? (tape.n === 1 ? 'one' : 'ready') : 'empty';
    if (tape) {
      fill(this.frame.notes, untold(why));
    } else {
      fill(this.frame.empty, untold(why), this.blank());
    }
  }

  setCondition(condition: Condition): void {
    if (this.s.condition !== condition) {
      this.s.condition = condition;
      this.about();
    }
  }

  setSettings(settings: Settings): void {
    this.s.settings = settings;
    setDigits(settings.digits);
    this.s.changes.tell('rows');
  }

  /** The theme changed: the strip is drawn in other colours. */
  theme(): void {
    this.strip.renew();
  }

  // ------------------------------------------------------------ what is chosen
  private choose(i: number | null): void {
    this.s.sel = i;
    this.s.changes.tell('sel');
  }

  private narrow(by: { search?: string; only?: Only }): void {
    Object.assign(this.s, by);
    this.s.changes.tell('rows');
  }

  collapseBy(by: By): void {
    this.s.expanded.clear();
    this.s.collapse = by;
    this.frame.collapse.value = by;
    this.s.changes.tell('rows');
  }

  togglePin(): void {
    const { tape } = this.s;
    if (tape) {
      this.pinned = !this.pinned;
      this.frame.pin.setAttribute('aria-pressed', String(this.pinned));
      this.host.pin(tape.id, this.pinned);
      this.about();
    }
  }

  async why(target: number, source: number): Promise<void> {
    const { s } = this;
    const { tape } = s;
    if (tape) {
      s.pair = { target, source };
      // Where a later question took its place there is nothing to show, and nothing to complain of.
      const answer = await tape.explain(target, source).catch((error: unknown) => (stale(error) ? null : Promise.reject(error as Error)));
      if (answer && s.tape === tape) {
        s.why = { ...answer, target, source };
        this.show('why');
        s.changes.tell('why');
      }
    }
  }

  /** The chosen node becomes one end of the pair that `Why?` asks about. */
  async pair(end: 'source' | 'target'): Promise<void> {
    const { s } = this;
    if (s.tape && s.sel !== null && s.sel >= 0) {
      s.pair[end] = s.sel;
      const source = s.pair.source ?? s.tape.head.sources[0];
      if (source !== undefined) {
        await this.why(s.pair.target ?? s.tape.target, source);
      }
    }
  }

  /** The next node after the chosen one that has no cotangent, or that is not a number. */
  next(kind: 'none' | 'nan'): void {
    const { s } = this;
    const { tape } = s;
    if (!tape) {
      return;
    }
    const i = nextOf(s, kind);
    this.wished = i === undefined ? kind : null;
    if (i !== undefined) {
      this.choose(i);
      this.views[s.view].reveal?.(i);
    }
  }

  /** Choose the first node of a line, as a click in the notebook does. */
  chooseLine(place: readonly [string | number, number]): void {
    const { tape } = this.s;
    if (tape) {
      const i = firstOf(tape, place);
      if (i !== undefined) {
        this.choose(i);
        this.views[this.s.view].reveal?.(i);
      }
    }
  }

  /** The tape as text, a row a line, with what is known of it now. */
  copy(): void {
    const { tape } = this.s;
    if (tape) {
      copy(asText(tape, place => this.host.short(place)));
    }
  }

  /** Draw the graph, then write it to a file. */
  saveDrawing(kind: 'svg' | 'png'): void {
    this.show('graph');
    (this.views.graph as ReturnType<typeof graphView>).save(kind);
  }

  focusSearch(): void {
    this.frame.search.focus();
  }

  // ------------------------------------------------------------ what follows what
  private wire(): void {
    const { s } = this;
    const now = (): View => this.views[s.view];
    const on = s.changes.on.bind(s.changes);
    const withTape = (act: () => void) => (): void => {
      if (s.tape) {
        act();
      }
    };
    on(['rows', 'width', 'dir'], withTape(() => { now().build(); this.frame.turn(s.dir); }));
    on(['expanded'], withTape(() => now().build()));
    on(['values'], withTape(() => now().refresh()));
    on(['kinds'], withTape(() => { this.strip.renew(); this.about(); now().build(); }));
    on(['pos'], withTape(() => this.moved()));
    on(['sel', 'pos', 'values', 'kinds', 'width'], withTape(() => this.detailed()));
    on(['sel', 'hover'], withTape(() => now().refresh()));
    on(['why'], withTape(() => { this.about(); (s.view === 'why' ? now().build() : now().refresh()); }));
    on(['hover', 'pos', 'why', 'tape', 'kinds', 'state'], () => this.host.marks(s));
  }

  private moved(): void {
    const { s } = this;
    if (s.cur !== null) {
      this.views[s.view].reveal?.(s.cur); // scrolls first: what is seen then is drawn once
    }
    this.views[s.view].refresh();
    this.strip.draw();
    placed(this.frame.where, s);
    if (s.cur !== null) {
      void this.sends(s.cur);
    }
  }

  /** In reverse the node under the head shows what it sends. */
  private async sends(i: number): Promise<void> {
    const { s } = this;
    if (s.dir < 0 && s.sweep?.node !== i) {
      const event = await s.tape!.sends(i);
      if (event && s.cur === i) {
        s.sweep = event;
        s.changes.tell('values');
      }
    }
  }

  private detailed(): void {
    const { s } = this;
    const wanted = this.detail.wanted;
    if (wanted !== s.detail) {
      s.detail = wanted;
      this.el.classList.toggle('has-detail', wanted);
      if (s.width >= 720) {
        s.changes.tell('rows');
      }
      if (wanted && s.sel !== null && s.sel >= 0) {
        const node = s.sel;
        requestAnimationFrame(() => this.views[s.view].reveal?.(node));
      }
    }
    this.detail.draw();
    (this.views.table as ReturnType<typeof tableView>).active();
  }

  private listenTo(): void {
    const { s } = this;
    this.frame.search.addEventListener('input', () => this.narrow({ search: this.frame.search.value }));
    this.el.addEventListener('keydown', e => {
      const act = s.tape ? keyOf(e, this) : null;
      if (act) {
        act();
        e.preventDefault();
      }
      // A plain key never reaches the notebook from inside the panel.
      if (!e.ctrlKey && !e.metaKey && !e.altKey) {
        e.stopPropagation();
      }
    });
    new ResizeObserver(() => this.resized()).observe(this.el);
  }

  private resized(): void {
    const { s } = this;
    const w = this.el.clientWidth;
    if (w && w !== s.width) {
      s.width = w;
      this.el.dataset.size = w < 400 ? 'xs' : w < 560 ? 's' : w < 720 ? 'm' : 'l';
      s.changes.tell('width', 'pos');
    }
  }
}
