/** The messages between the panels and a kernel, comm target `autodiff_kit:tape`: version 1. Unknown fields are ignored. */

import { t } from '../common/translation';

export const COMM_TARGET = 'autodiff_kit:tape';

export type JsonNumber = number | 'nan' | 'inf' | '-inf';
export type Quantity = 'value' | 'tangent' | 'cotangent';
export const QUANTITIES: Quantity[] = ['value', 'tangent', 'cotangent'];

/** min, max, mean, l2, how many are not finite, how many are zero, the first entries (at most four), how many are NaN. */
export type Summary = [JsonNumber, JsonNumber, JsonNumber, JsonNumber, number, number, JsonNumber[], number];

/** Summaries of a node's value, tangent and cotangent; undefined where not asked for, null where there is none. */
export type NodeSummaries = (Summary | null | undefined)[];

/** A cell, by its id or by its count, and a line of it. */
export type CodeLocation = [string | number, number];

/** A cell's execution count and source hash when it ran. */
export interface CellSnapshot {
  count: number | null;
  hash: string;
}

export interface HookEffect {
  label: string;
  before: Summary | null;
  after: Summary | null;
}

export interface TapeHeader {
  tape: string;
  title: string;
  cell: string | number | null;
  n: number;
  persistent: boolean;
  released: boolean;
  /** Why values are gone: nobody listened when the tape closed, newer tapes took its place, or they exceed the limit. */
  released_because: '' | 'unheard' | 'older' | 'large';
  target: number | null;
  sources: number[];
  tables: { op: string[]; shape: number[][]; dtype: string[]; line: CodeLocation[]; module: string[] };
  names: Record<string, string>;
  notes: Record<string, string>;
  flags: Record<string, string>;
  hooks: Record<string, HookEffect>;
  broken: Record<string, string>;
  bad: { node: number; index: number[] | null; text: string } | null;
  /** How many times derivatives were asked of it. */
  asked: number;
  at: number;
  /** The first rows. */
  columns: ColumnChunk;
  chunk: number;
  cells: Record<string, CellSnapshot>;
}

/** Whole numbers, little-endian in base64, each as wide as the column's largest needs: see numbersOf. */
export interface ColumnChunk {
  a: number;
  b: number;
  op: string;
  shape: string;
  dtype: string;
  line: string;
  module: string;
  /** How many rows each row reads; which they are stands in inputs, one row's after the other's. */
  arity: string;
  inputs: string;
}

export interface CostChunk {
  a: number;
  b: number;
  flops: number[];
  flops_back: number[];
  bytes: number[];
  totals: { flops: number; flops_back: number; bytes: number };
}

/** The header's fields that change when a gradient is requested. */
export type GradientUpdate = Pick<TapeHeader, 'at' | 'n' | 'asked' | 'target' | 'sources' | 'hooks' | 'bad' | 'released' | 'released_because'>;

export interface KindChunk {
  a: number;
  b: number;
  value: string;
  tangent?: string | null;
  cotangent?: string | null;
  bad?: TapeHeader['bad'];
}

export interface CotangentContribution {
  to: number;
  part: Summary | null;
  sum: Summary | null;
}

export interface SweepStep {
  node: number;
  g: Summary | null;
  hook?: HookEffect;
  sends: CotangentContribution[];
}

export interface SweepReply {
  done: boolean;
  events: SweepStep[];
  next: number | null;
}

export interface Explanation {
  target: number;
  source: number | null;
  target_name?: string;
  source_name?: string;
  connected: boolean;
  cause: number;
  kind: string;
  node: number | null;
  cell: string | number | null;
  line: number | null;
  code: string;
  headline: string;
  because: string;
  fix: string;
  reached: [number, number][];
  needed: [number, number][];
}

export interface JacobianReply {
  m: number;
  n: number;
  rows: JsonNumber[][] | null;
  sweeps: number;
  mode: string;
}

export interface ArrayReply {
  shape: number[];
  dtype: string;
  data: JsonNumber[];
  cut: boolean;
}

/** Rows side by side; which pairs differ, and by how much. */
export interface TapeDiffReply {
  pairs: [number | null, number | null][];
  changed: number[];
  apart: JsonNumber[];
}

export interface TapeListing {
  tape: string;
  title: string;
  cell: string | number | null;
  n: number;
  bytes?: number;
  pinned?: boolean;
  at?: number;
  /** How many times derivatives were asked of it. */
  asked?: number;
}

/** Summaries of a span of rows; `late` while a sweep has not reached all of them. */
export interface ValuesReply {
  rows: NodeSummaries[];
  late: boolean;
}

/** Sent by the kernel without a request: a tape was recorded, or progress changed. */
export interface KernelNotice {
  type: string;
  tape?: string;
  title?: string;
  cell?: string | number | null;
  n?: number;
  at?: number;
  bad?: unknown;
  asked?: number;
  rev?: number;
}

/** An error reply of the kernel, with advice on what to do. */
export class RequestError extends Error {
  constructor(readonly code: string, text: string, readonly advice = '') {
    super(text);
  }
}

/** A later request of the same kind took this one's place before it was sent. */
export const isSuperseded = (error: unknown): boolean => error instanceof RequestError && error.code === 'stale';

/** What an error says, with the advice that came with it. */
export const refusalText = (error: unknown): string => [(error as Error).message, (error as RequestError).advice].filter(Boolean).join(' ');

/** Sends a request and resolves with the reply: a kernel's comm, or recorded answers in a test. */
export interface RequestChannel {
  request<T>(ask: string, args?: Record<string, unknown>): Promise<T>;
}

/** Takes the place of a kernel that ended. */
export const NO_KERNEL: RequestChannel = { request: () => Promise.reject(new RequestError('gone', t('No kernel answers.'))) };
