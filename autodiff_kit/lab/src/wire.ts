/** The messages between the panels and a kernel, comm target `autodiff_kit:tape`: version 1. Unknown fields are ignored. */

export const TARGET = 'autodiff_kit:tape';

export type Real = number | 'nan' | 'inf' | '-inf';
export type What = 'value' | 'tangent' | 'cotangent';
export const WHATS: What[] = ['value', 'tangent', 'cotangent'];

/** min, max, mean, l2, how many are not finite, how many are zero, the first entries (at most four). */
export type Summary = [Real, Real, Real, Real, number, number, Real[]];

/** A cell, by its id or by its count, and a line of it. */
export type Place = [string | number, number];

/** A cell as it was when it ran. */
export interface CellThen {
  count: number | null;
  hash: string;
}

export interface Hook {
  label: string;
  before: Summary | null;
  after: Summary | null;
}

export interface Head {
  tape: string;
  title: string;
  cell: string | number | null;
  n: number;
  persistent: boolean;
  released: boolean;
  target: number | null;
  sources: number[];
  tables: { op: string[]; shape: number[][]; dtype: string[]; line: Place[]; module: string[] };
  names: Record<string, string>;
  notes: Record<string, string>;
  flags: Record<string, string>;
  hooks: Record<string, Hook>;
  broken: Record<string, string>;
  bad: { node: number; index: number[] | null; text: string } | null;
  /** How many times derivatives were asked of it. */
  asked: number;
  at: number;
  /** The first rows. */
  columns: Columns;
  chunk: number;
  cells: Record<string, CellThen>;
}

/** Whole numbers, little-endian in base64, each as wide as the column's largest needs: see numbersOf. */
export interface Columns {
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

export interface Costs {
  a: number;
  b: number;
  flops: number[];
  flops_back: number[];
  bytes: number[];
  totals: { flops: number; flops_back: number; bytes: number };
}

/** What changed of the head when derivatives were asked for. */
export type Asked = Pick<Head, 'at' | 'n' | 'asked' | 'target' | 'sources' | 'hooks' | 'bad' | 'released'>;

export interface Kinds {
  a: number;
  b: number;
  value: string;
  tangent?: string | null;
  cotangent?: string | null;
  bad?: Head['bad'];
}

export interface Sent {
  to: number;
  part: Summary | null;
  sum: Summary | null;
}

export interface SweepEvent {
  node: number;
  g: Summary | null;
  hook?: Hook;
  sends: Sent[];
}

export interface Sweep {
  done: boolean;
  events: SweepEvent[];
  next: number | null;
}

export interface Explanation {
  target: number;
  source: number | null;
  target_name?: string;
  source_name?: string;
  connected: boolean;
  cause: number;
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

export interface Jacobian {
  m: number;
  n: number;
  rows: Real[][] | null;
  sweeps: number;
  mode: string;
}

export interface ArrayReply {
  shape: number[];
  dtype: string;
  data: Real[];
  cut: boolean;
}

/** Rows side by side; which pairs differ, and by how much. */
export interface Pairs {
  pairs: [number | null, number | null][];
  changed: number[];
  apart: Real[];
}

export interface Listed {
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

/** What the kernel tells unasked. */
export interface News {
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

/** A kernel that could not answer, and what to do about it. */
export class Refusal extends Error {
  constructor(readonly code: string, text: string, readonly todo = '') {
    super(text);
  }
}
