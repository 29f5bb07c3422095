import type { Grouped } from './groups';
import type { State } from './state';
import type { Tape } from './tape';
import { shapeText, KIND } from './numbers';
import { t } from './text';

/** Which columns the table has, and which nodes a search finds. */

export type Column = 'shape' | 'value' | 'tangent' | 'cotangent' | 'line' | 'flops' | 'bytes';
export const COLUMNS: Column[] = ['shape', 'value', 'tangent', 'cotangent', 'line', 'flops', 'bytes'];
const WIDTHS: Record<Column, string> = {
  shape: '58px', value: 'minmax(94px, 1fr)', tangent: 'minmax(94px, 1fr)', cotangent: 'minmax(94px, 1fr)',
  line: '56px', flops: '62px', bytes: '66px'
};
const NARROW = 330; // px under which numbers get by with less, so that the last column is not cut
/** The width of a column in a panel so wide. */
export const widthOf = (c: Column, room: number): string => (room < NARROW ? WIDTHS[c].replace('94px', '74px') : WIDTHS[c]);
const FROM: [Column, number][] = [['shape', 560], ['line', 660], ['flops', 740], ['bytes', 820]];
const BOTH = 470; // px from which both directions have a column

export const columnTitle = (c: Column): string => ({
  shape: t('shape'), value: t('value'), tangent: t('tangent'), cotangent: t('cotangent'), line: t('line'), flops: t('ops'), bytes: t('held')
})[c];

/** Which columns fit: the sweep that runs always shows, the rest appear as room grows. */
export function fitting(width: number, dir: 1 | -1, tangents: boolean, wish: 'auto' | 'few' | 'all' = 'auto'): Column[] {
  const has = new Set<Column>(['value']);
  const room = wish === 'all' ? Infinity : wish === 'few' ? 0 : width;
  const both = room >= BOTH;
  if (tangents && (both || dir > 0)) {
    has.add('tangent');
  }
  if (both || dir < 0 || !tangents) {
    has.add('cotangent');
  }
  FROM.forEach(([c, from]) => room >= from && has.add(c));
  return COLUMNS.filter(c => has.has(c));
}

/** Does a node fit what is searched for: an op, a name, a module, 4×6, #17. */
export function found(tape: Tape, i: number, query: string): boolean {
  const q = query.trim().toLowerCase();
  if (!q) {
    return true;
  }
  if (q.startsWith('#')) {
    return q === `#${i}`;
  }
  const words = [tape.label(i), tape.op(i), tape.module(i)].some(word => word.toLowerCase().includes(q));
  return words || shapeText(tape.shape(i)) === q.replaceAll('x', '×');
}

export function wanted(s: State, i: number): boolean {
  const tape = s.tape!;
  const k = tape.known.cotangent[i];
  const kept = { '': true, none: k === KIND.NONE && !tape.flag(i, 'k'), zero: k === KIND.ZERO, nan: k === KIND.NAN || tape.known.value[i] === KIND.NAN };
  return kept[s.only] && found(tape, i, s.search);
}

/** Rows of the table: a node, or −1 − g for one of `groups`, of which they were made; `where` gives the row of a node. */
export interface Flat {
  rows: number[];
  where: Int32Array;
  groups: Grouped | null;
}

export function flatten(s: State): Flat {
  const tape = s.tape!;
  const narrowed = !!s.search || !!s.only;
  const groups = s.groups();
  const rows: number[] = [];
  if (!groups) {
    for (let i = 0; i < tape.n; i++) {
      if (wanted(s, i)) {
        rows.push(i);
      }
    }
  }
  for (const group of groups?.groups ?? []) {
    const ids = narrowed ? group.ids.filter(i => wanted(s, i)) : group.ids;
    if (group.ids.length > 1 && ids.length) {
      rows.push(-1 - group.g);
    }
    if (group.ids.length === 1 || narrowed || s.expanded.has(group.g)) {
      ids.forEach(i => rows.push(i));
    }
  }
  return { rows, where: places(tape.n, rows, groups), groups };
}

function places(n: number, rows: number[], groups: Grouped | null): Int32Array {
  const where = new Int32Array(n).fill(-1);
  rows.forEach((f, r) => f < 0 && groups!.groups[-1 - f].ids.forEach(i => (where[i] = r)));
  rows.forEach((f, r) => f >= 0 && (where[f] = r));
  return where;
}
