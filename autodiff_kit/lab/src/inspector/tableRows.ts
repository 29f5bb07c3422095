import type { NodeGroups } from './nodeGroups';
import type { InspectorState } from './inspectorState';
import type { Tape } from './tape';
import { shapeText, KIND } from './valueFormat';

/** Rows of the table: nodes and groups in order, narrowed by the search and the filter. */

/** Does a node fit what is searched for: an op, a name, a module, 4×6, #17. */
export function matchesSearch(tape: Tape, i: number, query: string): boolean {
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

export function passesFilter(s: InspectorState, i: number): boolean {
  const tape = s.tape!;
  const k = tape.kinds.cotangent[i];
  const kept = { '': true, none: k === KIND.NONE && !tape.flag(i, 'k'), zero: k === KIND.ZERO, nan: k === KIND.NAN || tape.kinds.value[i] === KIND.NAN };
  return kept[s.filter] && matchesSearch(tape, i, s.search);
}

/** Rows of the table: a node, or −1 − g for one of `groups`, of which they were made; `where` gives the row of a node. */
export interface TableRows {
  rows: number[];
  rowOf: Int32Array;
  groups: NodeGroups | null;
}

export function tableRows(s: InspectorState): TableRows {
  const tape = s.tape!;
  const narrowed = !!s.search || !!s.filter;
  const groups = s.groups();
  const rows: number[] = [];
  if (!groups) {
    for (let i = 0; i < tape.n; i++) {
      if (passesFilter(s, i)) {
        rows.push(i);
      }
    }
  }
  for (const group of groups?.groups ?? []) {
    const ids = narrowed ? group.ids.filter(i => passesFilter(s, i)) : group.ids;
    if (group.ids.length > 1 && ids.length) {
      rows.push(-1 - group.g);
    }
    if (group.ids.length === 1 || narrowed || s.expanded.has(group.g)) {
      ids.forEach(i => rows.push(i));
    }
  }
  return { rows, rowOf: rowOfEachNode(tape.n, rows, groups), groups };
}

function rowOfEachNode(n: number, rows: number[], groups: NodeGroups | null): Int32Array {
  const where = new Int32Array(n).fill(-1);
  rows.forEach((f, r) => f < 0 && groups!.groups[-1 - f].ids.forEach(i => (where[i] = r)));
  rows.forEach((f, r) => f >= 0 && (where[f] = r));
  return where;
}
