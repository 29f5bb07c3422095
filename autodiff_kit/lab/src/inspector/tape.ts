import { type GroupBy, type NodeGroups, groupNodes, type LineCost, lineCosts } from './nodeGroups';
import { KIND, decodeKinds } from './valueFormat';
import { TapeColumns, type Flag } from './tapeColumns';
import { SummaryCache } from './summaryCache';
import type { ArrayReply, GradientUpdate, ColumnChunk, CostChunk, Explanation, TapeHeader, JacobianReply, KindChunk, TapeDiffReply, CodeLocation, NodeSummaries, RequestChannel, SweepReply, SweepStep, Quantity } from '../services/protocol';
import { isSuperseded, NO_KERNEL, QUANTITIES } from '../services/protocol';

const CHUNK_ROWS = 6000; // rows of one message of columns or costs, as many as the kernel gives; so many come with the header
const KIND_CHUNK_ROWS = 2000; // rows of which kinds are asked for together
const MAX_IDLE_REQUESTS = 8; // times that kinds are asked for again although nothing new came
const REDRAW_MS = 120; // ms between two drawings while kinds come in

/** A recorded tape in the browser: columns instead of one object for each node; values only of rows that were shown. */
export class Tape {
  readonly n: number;
  readonly columns: TapeColumns;
  readonly kinds: Record<Quantity, Uint8Array>;
  /** Operations and bytes of the whole tape; null until they were asked for. */
  totals: CostChunk['totals'] | null = null;
  /** The kernel no longer answers for the tape: nothing more can be requested. */
  gone = false;
  /** The kernel that recorded it has ended. */
  kernelEnded = false;
  /** The kernel has told all kinds of values that it knows. */
  kindsLoaded = false;
  private kindsTurn = 0;
  hasTangents = false;
  /** Another tape is shown: nothing more is asked of this one, until it is shown again. */
  closed = false;
  onUpdate: (what: 'values' | 'kinds') => void = () => undefined;
  private readonly summaries: SummaryCache;
  private readonly arrays = new Map<string, ArrayReply | null>();
  private readonly sweepSteps = new Map<number, SweepStep>();
  private readonly groupCache = new Map<GroupBy, NodeGroups>();
  private lineCostCache: LineCost[] | null = null;

  constructor(public channel: RequestChannel, readonly header: TapeHeader, parts: ColumnChunk[]) {
    this.n = header.n;
    this.columns = new TapeColumns(header, parts);
    this.summaries = new SummaryCache(this);
    const fresh = (): Uint8Array => new Uint8Array(header.n).fill(KIND.UNKNOWN);
    this.kinds = { value: fresh(), tangent: fresh(), cotangent: fresh() };
  }

  /** Request the header, with which the first rows come, and at once the other rows where a notice gave the tape's length. */
  static async open(link: RequestChannel, id: string, onHead?: (head: TapeHeader) => void, told = 0): Promise<Tape> {
    const piece = (a: number, n: number): Promise<ColumnChunk> => link.request('tape.columns', { tape: id, a, b: Math.min(n, a + CHUNK_ROWS) });
    const first = link.request<TapeHeader>('tape.head', { tape: id });
    const early = remainingChunkStarts(told).map(a => piece(a, told));
    const head = await first;
    onHead?.(head);
    const rest = head.n === told ? early : remainingChunkStarts(head.n).map(a => piece(a, head.n));
    return new Tape(link, head, [head.columns, ...(await Promise.all(rest))]);
  }

  /** Take over a later gradient request. False where rows were added, so that the tape must be opened anew. */
  async refreshGradient(): Promise<boolean> {
    const news = await this.channel.request<GradientUpdate>('tape.asked', { tape: this.id });
    if (news.n !== this.n || news.at !== this.header.at) {
      return false;
    }
    const { asked, target, sources, hooks, bad, released, released_because } = news;
    Object.assign(this.header, { asked, target, sources, hooks, bad: bad ?? this.header.bad, released, released_because });
    this.kinds.cotangent.fill(KIND.UNKNOWN);
    this.sweepSteps.clear();
    this.arrays.clear();
    this.summaries.clear();
    this.clearDerived();
    return true;
  }

  /** What was sent stays; the next kernel is not asked, since a tape of its own may have the same id. */
  endKernel(): void {
    this.kernelEnded = true;
    this.channel = NO_KERNEL;
  }

  /** Values are missing that the kernel released. */
  get released(): boolean {
    return this.header.released || this.gone;
  }

  kind(what: Quantity, i: number): number {
    return this.settledKind(this.kinds[what][i]);
  }
  /** The cotangent's kind as far as the sweep has come; of a released tape there is no sweep to wait for. */
  cotangentKind(i: number, reverseEnd: number): number {
    const known = this.flag(i, 'k') ? KIND.CONSTANT : this.kind('cotangent', i);
    return i >= reverseEnd || (this.header.released && known === KIND.NOT_KEPT) ? known : KIND.NOT_BEGUN;
  }
  /** Once the kernel has told all that it knows, what is unknown is not kept. */
  settledKind(kind: number): number {
    return kind === KIND.UNKNOWN && this.kindsLoaded ? KIND.NOT_KEPT : kind;
  }

  get id(): string {
    return this.header.tape;
  }
  /** The gradient was asked of a value that is on no row, so it is None for every source. */
  get isTargetElsewhere(): boolean {
    return this.header.target === null && this.header.asked > 0;
  }
  get target(): number {
    return this.header.target ?? this.n - 1;
  }
  op(i: number): string {
    return this.header.tables.op[this.columns.tableColumns.op[i]];
  }
  shape(i: number): number[] {
    return this.header.tables.shape[this.columns.tableColumns.shape[i]];
  }
  dtype(i: number): string {
    return this.header.tables.dtype[this.columns.tableColumns.dtype[i]];
  }
  location(i: number): CodeLocation {
    return this.header.tables.line[this.columns.tableColumns.line[i]] ?? ['', 0];
  }
  module(i: number): string {
    return this.header.tables.module[this.columns.tableColumns.module[i]] ?? '';
  }
  nodeName(i: number): string {
    return this.header.names[i] ?? '';
  }
  note(i: number): string {
    return this.header.notes[i] ?? '';
  }
  label(i: number): string {
    return this.nodeName(i) || this.op(i);
  }
  flag(i: number, f: Flag): boolean {
    return this.columns.flag(i, f);
  }
  inputs(i: number): number[] {
    return this.columns.inputs(i);
  }
  consumers(i: number): number[] {
    return this.columns.consumers(i);
  }
  summariesOf(i: number): NodeSummaries {
    return this.summaries.summaries(i);
  }

  /** Record an error reply; nothing more is requested of a released tape. */
  recordError(error: unknown): void {
    if ((error as { code?: string }).code === 'released') {
      this.gone = true;
    }
  }

  /** Drop cached groups and line costs, which depend on kinds and costs. */
  private clearDerived(): void {
    this.groupCache.clear();
    this.lineCostCache = null;
  }

  /** Load each row's cost, then the kinds of values; both in chunks. */
  async loadCostsAndKinds(): Promise<void> {
    await this.loadCosts();
    await this.loadKinds();
  }

  private async loadCosts(): Promise<void> {
    const asked = chunkStarts(this.n, CHUNK_ROWS).map(a => this.channel.request<CostChunk>('tape.costs', { tape: this.id, a, b: Math.min(this.n, a + CHUNK_ROWS) }));
    try {
      for (const part of await Promise.all(asked)) {
        this.columns.addCosts(part);
        this.totals = part.totals;
      }
      this.clearDerived();
      this.onUpdate('kinds');
    } catch (error) {
      this.recordError(error);
    }
  }

  /** Kinds come newest first; the kernel works on them in slices, and the panel draws them a few times a second. */
  private async loadKinds(): Promise<void> {
    const pieces = chunkStarts(this.n, KIND_CHUNK_ROWS);
    this.kindsLoaded = false;
    const turn = ++this.kindsTurn; // an earlier run ends here: of three, one request would displace another's
    let idle = 0;
    let drawn = 0;
    for (let left = Infinity; pieces.length && idle < MAX_IDLE_REQUESTS && !this.gone && !this.closed;) {
      const unknown = await this.loadKindChunk(pieces[0]);
      if (turn !== this.kindsTurn) {
        return;
      }
      if (unknown <= 0) {
        pieces.shift();
        left = Infinity;
        idle = 0;
      } else {
        idle = unknown < left ? 0 : idle + 1;
        left = unknown;
      }
      if (!pieces.length || performance.now() > drawn + REDRAW_MS) {
        drawn = performance.now();
        this.clearDerived();
        this.onUpdate('kinds');
      }
    }
    this.kindsLoaded = !this.closed;
    this.onUpdate('kinds');
  }

  /** Load one chunk of kinds; returns how many are still unknown, or −1 on an error. */
  private async loadKindChunk(a: number): Promise<number> {
    try {
      const b = Math.min(this.n, a + KIND_CHUNK_ROWS);
      const reply = await this.channel.request<KindChunk>('tape.kinds', { tape: this.id, a, b });
      let unknown = 0;
      for (const what of QUANTITIES) {
        const codes = decodeKinds(reply[what] ?? '');
        this.kinds[what].set(codes.subarray(0, b - a), a);
        unknown += codes.reduce((sum, k) => sum + Number(k === KIND.UNKNOWN), 0);
      }
      this.hasTangents ||= typeof reply.tangent === 'string';
      this.header.bad = reply.bad ?? this.header.bad;
      return unknown;
    } catch (error) {
      this.recordError(error);
      return -1;
    }
  }

  /** The tangent that was pushed last, and its input. */
  pushedTangent: { node: number; numbers: number[] } | null = null;

  /** Push a tangent forward from an input: its entries, or one number for all of them. */
  async pushTangent(source: number, numbers: number[]): Promise<void> {
    await this.channel.request<SweepReply>('tape.sweep', { tape: this.id, direction: 'forward', source, seed: numbers, from: source, steps: 1 });
    this.pushedTangent = { node: source, numbers };
    this.arrays.clear();
    this.kinds.tangent.fill(KIND.UNKNOWN);
    this.summaries.clear();
    this.clearDerived();
    await this.loadKinds();
  }

  /** The contributions of node i to its inputs' cotangents; loaded 64 steps at a time. */
  async contributionsOf(i: number): Promise<SweepStep | null> {
    const held = this.sweepSteps.get(i);
    if (held || this.gone) {
      return held ?? null;
    }
    try {
      const reply = await this.channel.request<SweepReply>('tape.sweep', { tape: this.id, direction: 'reverse', from: i, steps: 64, ...(this.header.target === null ? {} : { target: this.header.target }) });
      reply.events.forEach(event => this.sweepSteps.set(event.node, event));
    } catch (error) {
      this.recordError(error);
    }
    return this.sweepSteps.get(i) ?? null;
  }

  /** Every entry of a small array; null where it is too large or gone. */
  async array(node: number, what: Quantity): Promise<ArrayReply | null> {
    const key = `${node} ${what}`;
    if (!this.arrays.has(key)) {
      try {
        this.arrays.set(key, await this.channel.request<ArrayReply>('tape.array', { tape: this.id, node, what, limit: 48 }));
      } catch (error) {
        this.recordError(error);
        if (isSuperseded(error)) {
          return null;
        }
        this.arrays.set(key, null);
      }
    }
    return this.arrays.get(key) ?? null;
  }

  explain(target: number, source: number): Promise<Explanation> {
    return this.channel.request('tape.explain', { tape: this.id, target, source });
  }
  jacobian(target: number, source: number): Promise<JacobianReply> {
    return this.channel.request('tape.jacobian', { tape: this.id, target, source, limit: 36 });
  }
  diff(other: Tape, what: Quantity): Promise<TapeDiffReply> {
    return this.channel.request('tape.diff', { a: this.id, b: other.id, what });
  }

  /** Sources that the target's gradient does not reach. */
  sourcesWithoutGradient(): number[] {
    return this.isTargetElsewhere ? [] : this.header.sources.filter(i => this.kinds.cotangent[i] === KIND.NONE);
  }

  /** Groups by line or by module, in the order in which each first ran; `text` gives a line's code. */
  groups(by: GroupBy, text: (place: CodeLocation) => string): NodeGroups | null {
    if (by === 'none') {
      return null;
    }
    const made = this.groupCache.get(by) ?? groupNodes(this, by, text);
    this.groupCache.set(by, made);
    return made;
  }

  /** Backward flops of a node; 0 where no cotangent reaches it. */
  backwardCost(i: number): number {
    return this.kinds.cotangent[i] === KIND.NONE ? 0 : this.columns.cost.flops_back[i];
  }

  /** Cost by line, most expensive first. */
  lineCosts(): LineCost[] {
    return (this.lineCostCache ??= lineCosts(this));
  }
}

/** Starts of the chunks that do not come with the header. */
const remainingChunkStarts = (n: number): number[] => chunkStarts(n, CHUNK_ROWS).reverse().slice(1);

/** Where pieces of `size` begin, the last first. */
export const chunkStarts = (n: number, size: number): number[] => Array.from({ length: Math.ceil(n / size) }, (_, k) => k * size).reverse();

/** The ids of half-open runs: [[2, 5]] is 2 3 4. */
export const expandRuns = (runs: [number, number][]): number[] =>
  runs.flatMap(([a, b]) => Array.from({ length: b - a }, (_, k) => a + k));
