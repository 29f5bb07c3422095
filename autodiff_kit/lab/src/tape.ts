import { type By, type Grouped, grouped, type LineCost, lineCosts } from './groups';
import { stale } from './link';
import { KIND, kinds } from './numbers';
import { Arrays, type Flag } from './record';
import { Summaries } from './summaries';
import type { ArrayReply, Asked, Columns, Costs, Explanation, Head, Jacobian, Kinds, Pairs, Place, Summary, Sweep, SweepEvent, What } from './wire';
import { WHATS } from './wire';

const PIECE = 6000; // rows of one message of columns or costs, as many as the kernel gives; so many come with the head
const LEARNT = 2000; // rows of which kinds are asked for together
const PATIENCE = 8; // times that kinds are asked for again although nothing new came
const BREATH = 120; // ms between two drawings while kinds come in

/** Whoever answers for a tape: a kernel's link, or a recorded answer in a test. */
export interface Asks {
  ask<T>(ask: string, args?: Record<string, unknown>): Promise<T>;
}

export type { By, Group, LineCost } from './groups';
export type Row = (Summary | null | undefined)[];

/** A recorded tape as the panel holds it: columns, never one object a node; values only of rows that were seen. */
export class Tape {
  readonly n: number;
  readonly c: Arrays;
  readonly known: Record<What, Uint8Array>;
  /** Operations and bytes of the whole tape; null until they were asked for. */
  totals: Costs['totals'] | null = null;
  /** The tape was let go by the kernel: what is here is all there is. */
  released: boolean;
  tangents = false;
  /** Another tape is shown: nothing more is asked of this one. */
  ended = false;
  onNews: (what: 'values' | 'kinds') => void = () => undefined;
  private readonly summaries: Summaries;
  private readonly arrays = new Map<string, ArrayReply | null>();
  private readonly events = new Map<number, SweepEvent>();
  private readonly together = new Map<By, Grouped>();
  private byLine: LineCost[] | null = null;

  constructor(readonly link: Asks, readonly head: Head, parts: Columns[]) {
    this.n = head.n;
    this.released = head.released;
    this.c = new Arrays(head, parts);
    this.summaries = new Summaries(this);
    const fresh = (): Uint8Array => new Uint8Array(head.n).fill(KIND.UNKNOWN);
    this.known = { value: fresh(), tangent: fresh(), cotangent: fresh() };
  }

  /** Ask for the head, with which the first rows come; for the rest at once where a notice told how long the tape is. */
  static async open(link: Asks, id: string, onHead?: (head: Head) => void, told = 0): Promise<Tape> {
    const piece = (a: number, n: number): Promise<Columns> => link.ask('tape.columns', { tape: id, a, b: Math.min(n, a + PIECE) });
    const first = link.ask<Head>('tape.head', { tape: id });
    const early = starts(told).map(a => piece(a, told));
    const head = await first;
    onHead?.(head);
    const rest = head.n === told ? early : starts(head.n).map(a => piece(a, head.n));
    return new Tape(link, head, [head.columns, ...(await Promise.all(rest))]);
  }

  /** Derivatives were asked of it since: take over what changed. False where rows were added, so that it is opened anew. */
  async renew(): Promise<boolean> {
    const news = await this.link.ask<Asked>('tape.asked', { tape: this.id });
    if (news.n !== this.n || news.at !== this.head.at) {
      return false;
    }
    const { asked, target, sources, hooks, bad } = news;
    Object.assign(this.head, { asked, target, sources, hooks, bad: bad ?? this.head.bad });
    this.released = news.released;
    this.known.cotangent.fill(KIND.UNKNOWN);
    this.events.clear();
    this.arrays.clear();
    this.summaries.forget();
    this.changed();
    return true;
  }

  get id(): string {
    return this.head.tape;
  }
  get target(): number {
    return this.head.target ?? this.n - 1;
  }
  op(i: number): string {
    return this.head.tables.op[this.c.short.op[i]];
  }
  shape(i: number): number[] {
    return this.head.tables.shape[this.c.short.shape[i]];
  }
  dtype(i: number): string {
    return this.head.tables.dtype[this.c.short.dtype[i]];
  }
  place(i: number): Place {
    return this.head.tables.line[this.c.short.line[i]] ?? ['', 0];
  }
  module(i: number): string {
    return this.head.tables.module[this.c.short.module[i]] ?? '';
  }
  nodeName(i: number): string {
    return this.head.names[i] ?? '';
  }
  note(i: number): string {
    return this.head.notes[i] ?? '';
  }
  label(i: number): string {
    return this.nodeName(i) || this.op(i);
  }
  flag(i: number, f: Flag): boolean {
    return this.c.flag(i, f);
  }
  inputs(i: number): number[] {
    return this.c.inputs(i);
  }
  readers(i: number): number[] {
    return this.c.readers(i);
  }
  row(i: number): Row {
    return this.summaries.row(i);
  }

  /** The kernel could not answer; of a tape that it let go nothing more is asked. */
  refused(error: unknown): void {
    if ((error as { code?: string }).code === 'released') {
      this.released = true;
    }
  }

  /** What hangs on kinds and costs is worked out anew. */
  private changed(): void {
    this.together.clear();
    this.byLine = null;
  }

  /** Learn what each row costs, then what is None, zero, finite or not; both in pieces. */
  async learn(): Promise<void> {
    await this.count();
    await this.sort();
  }

  private async count(): Promise<void> {
    const asked = spans(this.n, PIECE).map(a => this.link.ask<Costs>('tape.costs', { tape: this.id, a, b: Math.min(this.n, a + PIECE) }));
    try {
      for (const part of await Promise.all(asked)) {
        this.c.learn(part);
        this.totals = part.totals;
      }
      this.changed();
      this.onNews('kinds');
    } catch (error) {
      this.refused(error);
    }
  }

  /** Kinds come newest first; the kernel works on them in slices, and the panel draws them a few times a second. */
  private async sort(): Promise<void> {
    const pieces = spans(this.n, LEARNT);
    let idle = 0;
    let drawn = 0;
    for (let left = Infinity; pieces.length && idle < PATIENCE && !this.released && !this.ended;) {
      const unknown = await this.piece(pieces[0]);
      if (unknown <= 0) {
        pieces.shift();
        left = Infinity;
        idle = 0;
      } else {
        idle = unknown < left ? 0 : idle + 1;
        left = unknown;
      }
      if (!pieces.length || performance.now() > drawn + BREATH) {
        drawn = performance.now();
        this.changed();
        this.onNews('kinds');
      }
    }
  }

  /** One piece of kinds; how many in it are still unknown, or −1 when they cannot be known. */
  private async piece(a: number): Promise<number> {
    try {
      const b = Math.min(this.n, a + LEARNT);
      const reply = await this.link.ask<Kinds>('tape.kinds', { tape: this.id, a, b });
      let unknown = 0;
      for (const what of WHATS) {
        const codes = kinds(reply[what] ?? '');
        this.known[what].set(codes.subarray(0, b - a), a);
        unknown += codes.reduce((sum, k) => sum + Number(k === KIND.UNKNOWN), 0);
      }
      this.tangents ||= typeof reply.tangent === 'string';
      this.head.bad = reply.bad ?? this.head.bad;
      return unknown;
    } catch (error) {
      this.refused(error);
      return -1;
    }
  }

  /** What was pushed forward last, and from which input. */
  seed: { node: number; numbers: number[] } | null = null;

  /** Push numbers forward from an input, or one number for all its entries: from then on there are tangents. */
  async push(source: number, numbers: number[]): Promise<void> {
    await this.link.ask<Sweep>('tape.sweep', { tape: this.id, direction: 'forward', source, seed: numbers, from: source, steps: 1 });
    this.seed = { node: source, numbers };
    this.arrays.clear();
    this.known.tangent.fill(KIND.UNKNOWN);
    this.summaries.forget();
    this.changed();
    await this.sort();
  }

  /** What node i sends to its inputs in the reverse sweep: from here on, 64 steps at a time, nothing twice. */
  async sends(i: number): Promise<SweepEvent | null> {
    const held = this.events.get(i);
    if (held || this.released) {
      return held ?? null;
    }
    try {
      const reply = await this.link.ask<Sweep>('tape.sweep', { tape: this.id, direction: 'reverse', from: i, steps: 64, ...(this.head.target === null ? {} : { target: this.head.target }) });
      reply.events.forEach(event => this.events.set(event.node, event));
    } catch (error) {
      this.refused(error);
    }
    return this.events.get(i) ?? null;
  }

  /** Every entry of a small array; null where it is too large or gone. */
  async array(node: number, what: What): Promise<ArrayReply | null> {
    const key = `${node} ${what}`;
    if (!this.arrays.has(key)) {
      try {
        this.arrays.set(key, await this.link.ask<ArrayReply>('tape.array', { tape: this.id, node, what, limit: 48 }));
      } catch (error) {
        this.refused(error);
        if (stale(error)) {
          return null;
        }
        this.arrays.set(key, null);
      }
    }
    return this.arrays.get(key) ?? null;
  }

  explain(target: number, source: number): Promise<Explanation> {
    return this.link.ask('tape.explain', { tape: this.id, target, source });
  }
  jacobian(target: number, source: number): Promise<Jacobian> {
    return this.link.ask('tape.jacobian', { tape: this.id, target, source, limit: 36 });
  }
  diff(other: Tape, what: What): Promise<Pairs> {
    return this.link.ask('tape.diff', { a: this.id, b: other.id, what });
  }

  /** Sources that the target's gradient does not reach. */
  nones(): number[] {
    return this.head.sources.filter(i => this.known.cotangent[i] === KIND.NONE);
  }

  /** Groups by line or by module, in the order in which each first ran; `text` gives a line's code. */
  groups(by: By, text: (place: Place) => string): Grouped | null {
    if (by === 'none') {
      return null;
    }
    const made = this.together.get(by) ?? grouped(this, by, text);
    this.together.set(by, made);
    return made;
  }

  /** Operations of a node on the way back; a node that no cotangent reaches costs nothing. */
  backward(i: number): number {
    return this.known.cotangent[i] === KIND.NONE ? 0 : this.c.cost.flops_back[i];
  }

  /** Cost by line, dearest first. */
  lines(): LineCost[] {
    return (this.byLine ??= lineCosts(this));
  }
}

/** Where the pieces begin that do not come with the head. */
const starts = (n: number): number[] => spans(n, PIECE).reverse().slice(1);

/** Where pieces of `size` begin, the last first. */
export const spans = (n: number, size: number): number[] => Array.from({ length: Math.ceil(n / size) }, (_, k) => k * size).reverse();

/** Ids that runs of ids stand for: [[2, 5]] is 2 3 4 (the end is not in it). */
export const unrun = (runs: [number, number][]): number[] =>
  runs.flatMap(([a, b]) => Array.from({ length: b - a }, (_, k) => a + k));
